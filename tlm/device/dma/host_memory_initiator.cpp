// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/dma/host_memory_initiator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace wordline::host {
namespace {

constexpr const char* kSocketReport = "wordline/host/host_memory_socket";

}  // namespace

HostMemoryInitiator::HostMemoryInitiator(const sc_core::sc_module_name& name) : sc_module(name) {}

bool HostMemoryInitiator::transport(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes) {
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(static_cast<unsigned char*>(data));
  payload_.set_data_length(static_cast<unsigned>(bytes));
  payload_.set_streaming_width(static_cast<unsigned>(bytes));
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload_, delay);
  if (delay != sc_core::SC_ZERO_TIME && !delay_reported_) {
    delay_reported_ = true;
    SC_REPORT_WARNING(kSocketReport,
                      fmt::format("{}: host memory annotates a delay of {}, which is not added: make it part of "
                                  "link.latency",
                                  name(), delay.to_string())
                          .c_str());
  }
  if (payload_.is_response_ok()) return true;
  SC_REPORT_WARNING(kSocketReport, fmt::format("{}: {} of {} bytes of host memory at 0x{:x} was answered with {}",
                                               name(), command == tlm::TLM_READ_COMMAND ? "read" : "write", bytes,
                                               address, payload_.get_response_string())
                                       .c_str());
  return false;
}

bool HostMemoryInitiator::read(std::uint64_t address, void* to, std::size_t bytes) {
  auto* target = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, kPageBytes - address % kPageBytes);
    if (!transport(tlm::TLM_READ_COMMAND, address, target, part)) {
      std::memset(target, 0, bytes);
      return false;
    }
    target += part;
    address += part;
    bytes -= part;
  }
  return true;
}

bool HostMemoryInitiator::write(std::uint64_t address, const void* from, std::size_t bytes) {
  auto* source =
      const_cast<std::byte*>(static_cast<const std::byte*>(from));  // a target does not change a write's data
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, kPageBytes - address % kPageBytes);
    if (!transport(tlm::TLM_WRITE_COMMAND, address, source, part)) return false;
    source += part;
    address += part;
    bytes -= part;
  }
  return true;
}

bool HostMemoryInitiator::transport_stamps(tlm::tlm_command command, std::uint64_t address, std::uint32_t nlb) {
  const std::size_t bytes = std::size_t{nlb} * kLbaBytes;
  if (command == tlm::TLM_WRITE_COMMAND) std::memset(stand_in_.data(), 0, bytes);
  stamps_.nlb = nlb;
  stamps_.served = false;
  payload_.set_extension(&stamps_);
  const bool answered = transport(command, address, stand_in_.data(), bytes);
  payload_.clear_extension(&stamps_);
  if (!answered || stamps_.served) return answered;
  SC_REPORT_WARNING(
      kSocketReport,
      fmt::format("{}: {} of user data at 0x{:x} was answered without stamps: user data in this model are "
                  "stamps, the host's memory has to serve StampExtension",
                  name(), command == tlm::TLM_READ_COMMAND ? "read" : "write", address)
          .c_str());
  return false;
}

bool HostMemoryInitiator::read_stamps(std::uint64_t address, data::LbaStamp* to, std::uint32_t nlb) {
  if (transport_stamps(tlm::TLM_READ_COMMAND, address, nlb)) {
    std::copy_n(stamps_.stamps.begin(), nlb, to);
    return true;
  }
  std::fill_n(to, nlb, data::LbaStamp{});
  return false;
}

bool HostMemoryInitiator::write_stamps(std::uint64_t address, const data::LbaStamp* from, std::uint32_t nlb) {
  std::copy_n(from, nlb, stamps_.stamps.begin());
  return transport_stamps(tlm::TLM_WRITE_COMMAND, address, nlb);
}

}  // namespace wordline::host
