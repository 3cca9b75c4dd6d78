// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <cstring>
#include <systemc>
#include <tlm>
#include <vector>

#include "tlm/protocol/interfaces.h"

namespace wordline::testing {

/// Drives a bus from a test: accesses with a lead over simulated time, and keeps the answer and the delay.
class BusMaster : public sc_core::sc_module {
 public:
  explicit BusMaster(const sc_core::sc_module_name& name) : sc_module(name) {}
  tlm_utils::simple_initiator_socket<BusMaster> socket{"socket"};

  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  Picoseconds delay{};  // after the access

  void write(std::uint64_t address, std::uint32_t value, Picoseconds lead = Picoseconds(0)) {
    go(tlm::TLM_WRITE_COMMAND, address, &value, 4, lead);
  }
  std::uint32_t read(std::uint64_t address, Picoseconds lead = Picoseconds(0)) {
    std::uint32_t value = 0xdeadbeef;
    go(tlm::TLM_READ_COMMAND, address, &value, 4, lead);
    return value;
  }
  void go(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes, Picoseconds lead) {
    fill(command, address, data, bytes);
    sc_core::sc_time t = tlm_if::to_sc_time(lead);
    const sc_core::sc_time before = sc_core::sc_time_stamp();
    socket->b_transport(payload, t);
    EXPECT_EQ(sc_core::sc_time_stamp(), before) << "nobody waits in an access";
    EXPECT_EQ(payload.get_address(), address) << "interconnects put the address back";
    status = payload.get_response_status();
    delay = Picoseconds(static_cast<std::int64_t>(t.value()));
  }
  unsigned debug(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
    fill(command, address, data, bytes);
    return socket->transport_dbg(payload);
  }
  bool dmi(std::uint64_t address, tlm::tlm_dmi& out) {
    fill(tlm::TLM_READ_COMMAND, address, nullptr, 4);
    return socket->get_direct_mem_ptr(payload, out);
  }

  tlm::tlm_generic_payload payload;

 private:
  void fill(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
};

/// A register block that remembers its accesses: offset, value, and when they arrive.
class RegisterProbe : public sc_core::sc_module {
 public:
  explicit RegisterProbe(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &RegisterProbe::b_transport);
  }
  tlm_utils::simple_target_socket<RegisterProbe> socket{"socket"};

  unsigned accesses = 0;
  std::uint64_t offset = 0;
  std::uint32_t value = 0;  // written last, and read back
  Picoseconds arrival{};

  struct Store {
    std::uint64_t offset;
    std::uint32_t value;
    Picoseconds called, arrival;
  };
  std::vector<Store> stores;  // all writes, in order of the calls

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++accesses;
    offset = payload.get_address();
    arrival = tlm_if::kernel_time() + Picoseconds(static_cast<std::int64_t>(delay.value()));
    auto* const data = reinterpret_cast<unsigned char*>(&value);
    if (payload.is_write()) {
      std::memcpy(data, payload.get_data_ptr(), 4);
      stores.push_back({offset, value, tlm_if::kernel_time(), arrival});
    } else {
      std::memcpy(payload.get_data_ptr(), data, 4);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

}  // namespace wordline::testing
