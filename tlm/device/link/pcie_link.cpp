// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/link/pcie_link.h"

#include <algorithm>

namespace wordline::host {

PcieLink::PcieLink(const tlm_if::SimulationContext& context, const config::Link& config, tlm_if::RecorderIf* recorder)
    : context_(context), config_(config), recorder_(recorder) {
  if (config_.bandwidth.count() == 0 || config_.max_payload.count() == 0) {
    SC_REPORT_FATAL("wordline/host/pcie_link", "link.bandwidth and link.max_payload must not be 0");
  }
  if (recorder_ == nullptr) return;
  lanes_[index(Direction::kDownstream)].signal = recorder_->add_bit("ssd.host", "link_downstream");
  lanes_[index(Direction::kUpstream)].signal = recorder_->add_bit("ssd.host", "link_upstream");
}

std::uint64_t PcieLink::on_wire(std::uint64_t bytes) const {
  const std::uint64_t payload = config_.max_payload.count();
  const std::uint64_t tlps = std::max<std::uint64_t>(1, (bytes + payload - 1) / payload);
  return bytes + tlps * config_.tlp_overhead.count();
}

Picoseconds PcieLink::wire_time(std::uint64_t bytes) const { return transfer_time(on_wire(bytes), config_.bandwidth); }

const PcieLink::WireTime& PcieLink::wire(std::uint64_t bytes) {
  for (const WireTime& known : wire_times_) {
    if (known.bytes == bytes) return known;
  }
  WireTime& oldest = wire_times_[next_wire_time_++ % wire_times_.size()];
  oldest = {bytes, wire_time(bytes), on_wire(bytes)};
  return oldest;
}

Picoseconds PcieLink::occupancy(std::uint64_t bytes) { return wire(bytes).time; }

Picoseconds PcieLink::transfer(Direction direction, Picoseconds earliest, std::uint64_t bytes) {
  Lane& lane = lanes_[index(direction)];
  const WireTime& taken = wire(bytes);
  const Picoseconds length = taken.time;
  const auto slot = lane.calendar.reserve(context_.now(), earliest, length);
  const Picoseconds end = slot.from + length;
  lane.busy.add(length);
  lane.bytes += taken.on_wire;
  if (tlm_if::listens(recorder_)) {
    recorder_->set(lane.signal, slot.from, 1);
    if (!slot.joins_next) recorder_->set(lane.signal, end, 0);
  }
  return end + config_.latency;
}

Picoseconds PcieLink::posted_write(Direction direction, Picoseconds earliest, std::uint64_t bytes) {
  return transfer(direction, earliest, bytes);
}

Picoseconds PcieLink::read(Picoseconds earliest, std::uint64_t bytes) {
  return read_data(read_request(earliest), bytes);
}

void PcieLink::read_each(std::vector<tlm_if::Transfer>& transfers) {
  for (tlm_if::Transfer& t : transfers) t.at = read(t.at, t.bytes);
}

void PcieLink::write_each(std::vector<tlm_if::Transfer>& transfers) {
  for (tlm_if::Transfer& t : transfers) t.at = transfer(Direction::kUpstream, t.at, t.bytes);
}

/// The request TLP of a read of the device, upstream. Between the TLPs of data it takes a gap of its length from those
/// behind it, which is too short to count.
Picoseconds PcieLink::read_request(Picoseconds earliest) {
  if (!config_.requests_first) return transfer(Direction::kUpstream, earliest, 0);
  const Picoseconds length = occupancy(0);
  lanes_[index(Direction::kUpstream)].busy.add(length);
  lanes_[index(Direction::kUpstream)].bytes += on_wire(0);
  return std::max(context_.now(), earliest) + length + config_.latency;
}

Picoseconds PcieLink::register_read(Picoseconds earliest, std::uint64_t bytes) {
  return transfer(Direction::kUpstream, transfer(Direction::kDownstream, earliest, 0), bytes);
}

void PcieLink::register_resources(results::Resources& resources) const {
  const results::ResourceGroup group{"link", "link", results::ResourceKind::kServer, false,
                                     "The link's busier direction: packets with their overhead on the wire, latency "
                                     "left out."};
  for (const Direction direction : {Direction::kDownstream, Direction::kUpstream}) {
    resources.add(group, [this, direction] { return busy(direction).busy; });
  }
}

}  // namespace wordline::host
