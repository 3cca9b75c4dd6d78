// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/memory/dram.h"

namespace wordline::memory {

Dram::Dram(const sc_core::sc_module_name& name, const tlm_if::SimulationContext& context, const config::Dram& config,
           std::size_t window, tlm_if::RecorderIf* recorder)
    : sc_module(name),
      context_(context),
      config_(config),
      memory_(window, this->name()),
      target_(memory_, config.latency),
      recorder_(recorder) {
  if (recorder_ != nullptr) port_signal_ = recorder_->add_bit("ssd.dram", "port");
  socket.register_b_transport(this, &Dram::b_transport);
  socket.register_transport_dbg(this, &Dram::transport_dbg);
  socket.register_get_direct_mem_ptr(this, &Dram::get_direct_mem_ptr);
}

Picoseconds Dram::occupancy(std::uint64_t bytes) {
  if (bytes != last_bytes_) {  // a logical page, nearly always: save the long division
    last_bytes_ = bytes;
    last_occupancy_ = transfer_time(bytes, config_.bandwidth);
  }
  return last_occupancy_;
}

Picoseconds Dram::reserve(Picoseconds earliest, std::uint64_t bytes) {
  return reserve_from(context_.now(), earliest, bytes);
}

Picoseconds Dram::reserve_from(Picoseconds now, Picoseconds earliest, std::uint64_t bytes) {
  const Picoseconds length = occupancy(bytes);
  const tlm_if::Calendar::Slot slot = calendar_.reserve(now, earliest, length);
  busy_.add(length);
  bytes_ += bytes;
  if (tlm_if::listens(recorder_)) {
    recorder_->set(port_signal_, slot.from, 1);
    if (!slot.joins_next) recorder_->set(port_signal_, slot.from + length, 0);
  }
  return slot.from + length + config_.latency;
}

void Dram::reserve_each(std::vector<tlm_if::Transfer>& transfers) {
  const Picoseconds now = context_.now();
  for (tlm_if::Transfer& transfer : transfers) transfer.at = reserve_from(now, transfer.at, transfer.bytes);
}

void Dram::register_resources(results::Resources& resources) const {
  resources.add({"dram", "DRAM", results::ResourceKind::kServer, false,
                 "The DRAM port: transfers of drive data at its bandwidth, latency left out. Accesses of the cores do "
                 "not use the port."},
                [this] { return busy_.busy; });
}

}  // namespace wordline::memory
