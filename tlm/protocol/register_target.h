// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

namespace wordline::tlm_if {

/// Decodes the register accesses of one block: 32-bit words only, anything else and any unmapped offset is answered with an
/// error response that the core turns into an access fault. b_transport never waits: the owner annotates its delay.
class RegisterTarget {
 public:
  using Read = std::function<bool(std::uint32_t offset, std::uint32_t& value, sc_core::sc_time& delay)>;
  using Write = std::function<bool(std::uint32_t offset, std::uint32_t value, sc_core::sc_time& delay)>;

  RegisterTarget(Read read, Write write) : read_(std::move(read)), write_(std::move(write)) {}

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (payload.get_data_length() != 4 || payload.get_byte_enable_ptr() != nullptr || payload.get_address() % 4 != 0) {
      payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
      return;
    }
    const auto offset = static_cast<std::uint32_t>(payload.get_address());
    std::uint32_t word = 0;
    bool known = false;
    if (payload.is_read()) {
      known = read_(offset, word, delay);
      if (known) std::memcpy(payload.get_data_ptr(), &word, 4);
    } else if (payload.is_write()) {
      std::memcpy(&word, payload.get_data_ptr(), 4);
      known = write_(offset, word, delay);
    }
    payload.set_response_status(known ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }

 private:
  Read read_;
  Write write_;
};

}  // namespace wordline::tlm_if
