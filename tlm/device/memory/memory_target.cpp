// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/memory/memory_target.h"

#include <algorithm>
#include <cstring>

namespace wordline::memory {
namespace {

void copy(tlm::tlm_generic_payload& payload, std::byte* memory, std::size_t bytes) {
  if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), memory, bytes);
  } else if (payload.is_write()) {
    std::memcpy(memory, payload.get_data_ptr(), bytes);
  }
}

}  // namespace

void MemoryTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t bytes = payload.get_data_length();
  if (payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  if (payload.get_streaming_width() < bytes) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (address >= memory_.size() || bytes > memory_.size() - address) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  copy(payload, memory_.data() + address, bytes);
  delay += latency_;
  payload.set_dmi_allowed(true);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned MemoryTarget::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (address >= memory_.size()) return 0;
  const auto bytes =
      static_cast<unsigned>(std::min<std::uint64_t>(payload.get_data_length(), memory_.size() - address));
  copy(payload, memory_.data() + address, bytes);
  return bytes;
}

bool MemoryTarget::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  if (payload.get_address() >= memory_.size()) return false;
  dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(memory_.data()));
  dmi.set_start_address(0);
  dmi.set_end_address(memory_.size() - 1);
  dmi.allow_read_write();
  dmi.set_read_latency(latency_);
  dmi.set_write_latency(latency_);
  return true;
}

}  // namespace wordline::memory
