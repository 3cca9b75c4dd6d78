// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/placement_report.h"

#include <vector>

#include "models/firmware/firmware.h"

namespace wordline::platform {

void register_placement(results::Registry& registry, const device::Drive& drive) {
  const device::Drive::ReclaimUnits units = drive.reclaim_units();
  const std::uint32_t handles = units.handles;
  if (handles == 0) return;
  using Row = struct wl_handle_statistics;
  const auto add = [&](const char* path, const char* unit, const char* text, auto value) {
    using T = decltype(value(Row()));
    registry.add(path, unit, text, [&drive, handles, value]() -> results::Value {
      const auto rows = drive.handle_statistics();
      std::vector<T> list;
      for (std::uint32_t handle = 0; handle < handles; ++handle) list.push_back(value(rows[handle]));
      list.push_back(value(rows[WL_HANDLES]));
      return list;
    });
  };
  add("placement[].host_sectors", "logical pages", "Programmed with data of the host that named the handle, or none.",
      [](const Row& row) { return row.host_lpages; });
  add("placement[].copied_sectors", "logical pages", "That GC copied out of its superblocks.",
      [](const Row& row) { return row.copied_lpages; });
  add("placement[].victims", "superblocks", "That GC took up.",
      [](const Row& row) { return std::uint64_t{row.victims}; });
  add("placement[].erased", "superblocks", "That were erased.",
      [](const Row& row) { return std::uint64_t{row.erased}; });
  add("placement[].valid_share", "ratio",
      "Of what the victims hold, what was valid when GC took them up; 0 without one.", [units](const Row& row) {
        const double room = static_cast<double>(row.victims) * static_cast<double>(units.lpages);
        return room > 0 ? static_cast<double>(row.victim_lpages) / room : 0.0;
      });
}

}  // namespace wordline::platform
