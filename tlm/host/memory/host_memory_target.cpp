// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/memory/host_memory_target.h"

#include <cstring>

namespace wordline::host {

HostMemoryTarget::HostMemoryTarget(const sc_core::sc_module_name& name, HostMemory& memory)
    : sc_module(name), memory_(memory) {
  socket.register_b_transport(this, &HostMemoryTarget::b_transport);
  socket.register_transport_dbg(this, &HostMemoryTarget::transport_dbg);
}

void HostMemoryTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& /*delay*/) {
  if (payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return;
  }
  if (payload.get_streaming_width() < payload.get_data_length()) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (!memory_.allocated(payload.get_address(), payload.get_data_length())) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  auto* extension = payload.get_extension<StampExtension>();
  if (extension != nullptr) {
    payload.set_response_status(move_stamps(payload, *extension));
    return;
  }
  move_bytes(payload);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

tlm::tlm_response_status HostMemoryTarget::move_stamps(const tlm::tlm_generic_payload& payload,
                                                       StampExtension& extension) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t bytes = payload.get_data_length();
  const bool whole = address % kLbaBytes == 0 && bytes == std::uint64_t{extension.nlb} * kLbaBytes && bytes != 0 &&
                     address % HostMemory::kPageBytes + bytes <= HostMemory::kPageBytes;
  if (!whole) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (payload.is_write()) {
    memory_.write_stamps(address, extension.stamps.data(), extension.nlb);
  } else if (payload.is_read()) {
    if (memory_.without_stamp(address, extension.nlb) != 0) return tlm::TLM_GENERIC_ERROR_RESPONSE;
    std::memset(payload.get_data_ptr(), 0, bytes);
    memory_.read_stamps(address, extension.stamps.data(), extension.nlb);
  }
  extension.served = true;
  return tlm::TLM_OK_RESPONSE;
}

void HostMemoryTarget::move_bytes(tlm::tlm_generic_payload& payload) {
  if (payload.is_read()) {
    memory_.read(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
  } else if (payload.is_write()) {
    memory_.write(payload.get_address(), payload.get_data_ptr(), payload.get_data_length());
  }
}

unsigned HostMemoryTarget::transport_dbg(tlm::tlm_generic_payload& payload) {
  if (!memory_.allocated(payload.get_address(), payload.get_data_length())) return 0;
  move_bytes(payload);
  return payload.get_data_length();
}

}  // namespace wordline::host
