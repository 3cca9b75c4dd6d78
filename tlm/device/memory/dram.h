// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "models/results/resources.h"
#include "tlm/device/memory/anonymous_pages.h"
#include "tlm/device/memory/memory_target.h"
#include "tlm/protocol/calendar.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::memory {

/// DRAM: an address window for the cores (map, large tables; `socket`, by DMI) and the port that every transfer of
/// drive data takes (the module itself is the DramIf).
///
/// reserve(): occupancy = bytes / bandwidth, rounded up; start = max(now, earliest, end of the occupancy before);
/// the transfer ends at start + occupancy + latency. The latency is pipelined: it does not hold the port.
///
/// Accuracy: first come (in the order of the calls), first served; a reservation that starts late leaves its gap
/// unused. No banks, rows or refresh: fold them into bandwidth and latency. Core accesses cost cycles at the core
/// (cpu.load_dram_cycles) and do not compete for the port. Source: our design.
///
/// Waves: "ssd.dram" has "port", 1 while a transfer holds it.
class Dram final : public sc_core::sc_module, public tlm_if::DramIf {
 public:
  /// `recorder` may be null: no waves.
  Dram(const sc_core::sc_module_name& name, const tlm_if::SimulationContext& context, const config::Dram& config,
       std::size_t window = WL_DRAM_SIZE, tlm_if::RecorderIf* recorder = nullptr);

  tlm_utils::simple_target_socket<Dram> socket{"socket"};

  Picoseconds reserve(Picoseconds earliest, std::uint64_t bytes) override;
  void reserve_each(std::vector<tlm_if::Transfer>& transfers) override;
  [[nodiscard]] Picoseconds occupancy(std::uint64_t bytes) override;
  [[nodiscard]] Picoseconds latency() const override { return config_.latency; }

  [[nodiscard]] const tlm_if::BusyCounter& busy() const { return busy_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }  // of all transfers
  [[nodiscard]] BytesPerSecond bandwidth() const { return config_.bandwidth; }
  void register_resources(results::Resources& resources) const;
  [[nodiscard]] std::byte* data() override { return memory_.data(); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { target_.b_transport(payload, delay); }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return target_.transport_dbg(payload); }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    return target_.get_direct_mem_ptr(payload, dmi);
  }

  [[nodiscard]] Picoseconds reserve_from(Picoseconds now, Picoseconds earliest, std::uint64_t bytes);

  const tlm_if::SimulationContext& context_;
  config::Dram config_;
  AnonymousPages memory_;
  MemoryTarget target_;
  tlm_if::RecorderIf* recorder_;
  tlm_if::RecorderIf::Signal port_signal_ = 0;
  tlm_if::Calendar calendar_;
  tlm_if::BusyCounter busy_;
  std::uint64_t bytes_ = 0;
  std::uint64_t last_bytes_ = 0;  // bytes of the last transfer; none takes no time
  Picoseconds last_occupancy_{};
};

}  // namespace wordline::memory
