// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/counter_report.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "models/firmware/firmware.h"

namespace wordline::platform {
namespace {

using Counters = struct wl_firmware_statistics;
enum class Shown : std::uint8_t { kAlways, kIfNonzero };
constexpr std::pair<std::string_view, const char*> kInSummary[] = {
    {"upkeep.wear_superblocks", "superblocks moved for wear"},
    {"upkeep.reclaim_superblocks", "by read reclaim"},
    {"upkeep.refresh_superblocks", "by refresh"},
    {"upkeep.patrol_reads", "patrol reads"},
    {"slc_cache.programs", "programs in SLC mode"},
    {"slc_cache.folded_superblocks", "superblocks folded"},
    {"parity.programs", "programs of parity"},
    {"parity.rebuilt_sectors", "logical pages rebuilt"},
    {"parity.failed_rebuilds", "rebuilds failed"},
    {"parity.dead_dies", "dead dies"}};
constexpr const char* kStepNames[WL_AGCR_STEPS] = {"default", "coarse", "fine"};

}  // namespace

void register_counters(results::Registry& registry, const device::Drive& drive) {
  const auto add = [&registry](Shown shown, results::Name name, const char* unit, const char* text,
                               results::Statistic::Read read) {
    results::Statistic& statistic = registry.add(std::move(name), unit, text, std::move(read));
    if (shown == Shown::kIfNonzero) statistic.only_if_nonzero();
    for (const auto& [path, label] : kInSummary) {
      if (statistic.path() == path) statistic.in_summary_if_nonzero(1, label);
    }
  };
  constexpr Shown kShown = Shown::kAlways;
  const auto group = [&drive] { return drive.firmware_statistics(); };
#define WL_COUNTER(type, field, path, unit, text) \
  add(kShown, path, unit, text, [group] { return std::uint64_t{group().field}; });
#define WL_BY_STEP(field, path, unit, text)                \
  for (std::size_t step = 0; step < WL_AGCR_STEPS; ++step) \
    add(kShown, {path, {kStepNames[step]}}, unit, text, [group, step] { return std::uint64_t{group().field[step]}; });
#define WL_INNER(type, field, what)
#define WL_GROUP(tag, name, shown)         \
  {                                        \
    constexpr Shown kShown = Shown::shown; \
    const auto group = [&drive] { return drive.firmware_statistics().name; };
#define WL_GROUP_END(name) }
#include "models/firmware/contract/counters.def"
  {
    constexpr Shown kShown = Shown::kIfNonzero;
    const auto group = [&drive] { return drive.parity_statistics(); };
#include "models/firmware/contract/parity_counters.def"
  }
  {
    constexpr Shown kShown = Shown::kIfNonzero;
    const auto group = [&drive] { return drive.slc_cache_statistics(); };
#include "models/firmware/contract/slc_cache_counters.def"
  }
  {
    constexpr Shown kShown = Shown::kIfNonzero;
    const auto group = [&drive] { return drive.map_cache_statistics(); };
#include "models/firmware/contract/map_cache_counters.def"
  }
#undef WL_COUNTER
#undef WL_BY_STEP
#undef WL_INNER
#undef WL_GROUP
#undef WL_GROUP_END
}

}  // namespace wordline::platform
