// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/config/config.h"
#include "models/results/resources.h"
#include "models/units/quantity.h"
#include "tlm/protocol/calendar.h"
#include "tlm/protocol/host_link_if.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::host {

enum class Direction : std::uint8_t { kDownstream = 0 /* host to device */, kUpstream = 1 /* device to host */ };

/// PCIe link: two independent directions. A transfer is cut into TLPs of at most `max_payload` data bytes, each with
/// `tlp_overhead` bytes around it, sent back to back at the link's bandwidth; its last byte arrives one latency after
/// it left.
///
/// Each direction is a reservation, first come first served by the time at which a transfer is ready: a transfer that
/// is ready earlier goes into a gap left before transfers reserved for later (data that a read will return), if it
/// fits. With link.requests_first a read request of the device waits for no transfer: a device cuts its data into TLPs
/// and its requests go between them.
///
/// Accuracy: bandwidth and latency of every TLP. Source: PCI Express Base Specification 5.0, 2.2 (TLP), 2.6 (flow
/// control).
/// Known gaps: no credit exhaustion, no replay, no ASPM; TLPs are not cut at page borders; a completion is not cut at
/// the read completion boundary; the time that host memory takes is its own (HostDmaIf).
class PcieLink final : public HostLinkIf {
 public:
  PcieLink(const tlm_if::SimulationContext& context, const config::Link& config,
           tlm_if::RecorderIf* recorder = nullptr);
  PcieLink(const PcieLink&) = delete;
  PcieLink& operator=(const PcieLink&) = delete;

  /// Sends `bytes` in `direction`, not before `earliest` (not before the present). Returns when the last byte arrives.
  Picoseconds posted_write(Direction direction, Picoseconds earliest, std::uint64_t bytes);
  /// The device reads `bytes` of host memory: a request upstream, the data downstream. Returns when the last byte
  /// arrives.
  Picoseconds read(Picoseconds earliest, std::uint64_t bytes) override;
  Picoseconds read_request(Picoseconds earliest) override;
  Picoseconds read_data(Picoseconds ready, std::uint64_t bytes) override {
    return transfer(Direction::kDownstream, ready, bytes);
  }
  Picoseconds write(Picoseconds earliest, std::uint64_t bytes) override {
    return transfer(Direction::kUpstream, earliest, bytes);
  }
  void read_each(std::vector<tlm_if::Transfer>& transfers) override;
  void write_each(std::vector<tlm_if::Transfer>& transfers) override;
  /// The host reads a register of the device: a request downstream, the value upstream.
  Picoseconds register_read(Picoseconds earliest, std::uint64_t bytes = 4);

  /// Time on the wire of a transfer: data and overhead of its TLPs, at least one.
  [[nodiscard]] Picoseconds wire_time(std::uint64_t bytes) const;
  /// The time of a transfer, remembered for the few lengths in use: a queue entry, a completion, a message, a logical
  /// page.
  [[nodiscard]] Picoseconds occupancy(std::uint64_t bytes) override;
  [[nodiscard]] Picoseconds latency() const override { return config_.latency; }
  [[nodiscard]] const tlm_if::BusyCounter& busy(Direction direction) const { return lanes_[index(direction)].busy; }
  /// Of all transfers, with what TLPs add.
  [[nodiscard]] std::uint64_t bytes(Direction direction) const { return lanes_[index(direction)].bytes; }
  [[nodiscard]] BytesPerSecond bandwidth() const { return config_.bandwidth; }
  void register_resources(results::Resources& resources) const;

 private:
  struct Lane {
    tlm_if::Calendar calendar;
    tlm_if::BusyCounter busy;
    std::uint64_t bytes = 0;
    tlm_if::RecorderIf::Signal signal{};
  };
  struct WireTime {
    std::uint64_t bytes = UINT64_MAX;
    Picoseconds time{};
    std::uint64_t on_wire = 0;  // bytes, with those that TLPs add
  };
  [[nodiscard]] std::uint64_t on_wire(std::uint64_t bytes) const;
  const WireTime& wire(std::uint64_t bytes);
  static std::size_t index(Direction d) { return static_cast<std::size_t>(d); }
  Picoseconds transfer(Direction direction, Picoseconds earliest, std::uint64_t bytes);

  const tlm_if::SimulationContext& context_;
  const config::Link config_;
  tlm_if::RecorderIf* recorder_;
  std::array<Lane, 2> lanes_;
  std::array<WireTime, 6> wire_times_;
  std::size_t next_wire_time_ = 0;
};

}  // namespace wordline::host
