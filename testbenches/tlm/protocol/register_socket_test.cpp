// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/protocol/register_socket.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::register_socket_test {
namespace {

class RegisterSocketTest : public ::testing::Test {
 protected:
  struct Master : sc_core::sc_module {
    explicit Master(const sc_core::sc_module_name& name) : sc_module(name) {}
    tlm_utils::simple_initiator_socket<Master> socket{"socket"};
  };

  /// One register at offset 8, which reads what was written; accesses take 5 ps.
  struct Block : sc_core::sc_module {
    explicit Block(const sc_core::sc_module_name& name) : sc_module(name) {}
    const Picoseconds latency{5};
    std::uint32_t kept = 0;
    tlm_if::RegisterSocket socket{"socket",
                                  [this](std::uint32_t offset, std::uint32_t& value, Picoseconds& at) {
                                    at += latency;
                                    value = kept;
                                    return offset == 8;
                                  },
                                  [this](std::uint32_t offset, std::uint32_t value, Picoseconds& at) {
                                    at += latency;
                                    if (offset == 8) kept = value;
                                    return offset == 8;
                                  }};
  };

  RegisterSocketTest() { master.socket.bind(block.socket); }

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, std::uint32_t& value,
                                  unsigned bytes = 4) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(bytes);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    delay = sc_core::SC_ZERO_TIME;
    master.socket->b_transport(payload, delay);
    return payload.get_response_status();
  }

  Master master{"master"};
  Block block{"block"};
  tlm::tlm_generic_payload payload;
  sc_core::sc_time delay;
};

TEST_F(RegisterSocketTest, TakesWordsAtKnownOffsetsAndNothingElse) {
  simulate(
      [&] {
        std::uint32_t value = 77;
        EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, 8, value), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(block.kept, 77U);
        EXPECT_EQ(delay, tlm_if::to_sc_time(block.latency));
        value = 0;
        EXPECT_EQ(access(tlm::TLM_READ_COMMAND, 8, value), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(value, 77U);

        value = 5;
        EXPECT_EQ(access(tlm::TLM_READ_COMMAND, 12, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(value, 5U) << "an error brings no data";
        EXPECT_EQ(access(tlm::TLM_IGNORE_COMMAND, 8, value), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, 10, value), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, 8, value, 2), tlm::TLM_BURST_ERROR_RESPONSE);
        unsigned char enable = TLM_BYTE_ENABLED;
        payload.set_byte_enable_ptr(&enable);
        EXPECT_EQ(access(tlm::TLM_WRITE_COMMAND, 8, value), tlm::TLM_BURST_ERROR_RESPONSE);
        payload.set_byte_enable_ptr(nullptr);
        EXPECT_EQ(block.kept, 77U);
        EXPECT_EQ(master.socket->transport_dbg(payload), 0U) << "reads have side effects";
      },
      sc_core::sc_time(1, sc_core::SC_US));
}

TEST_F(RegisterSocketTest, GrantsTheDirectWayToWhoAsksForIt) {
  simulate(
      [&] {
        tlm::tlm_dmi dmi;
        payload.set_address(8);
        EXPECT_FALSE(master.socket->get_direct_mem_ptr(payload, dmi)) << "no memory";
        tlm_if::DirectRegister direct;
        payload.set_extension(&direct);
        EXPECT_FALSE(master.socket->get_direct_mem_ptr(payload, dmi));
        EXPECT_EQ(direct.block, &block.socket);
        EXPECT_EQ(direct.offset, 8U);
        EXPECT_EQ(direct.latency, Picoseconds(0)) << "the bus adds its own";

        std::uint32_t value = 3;
        Picoseconds at = block.latency;
        EXPECT_TRUE(direct.block->write(direct.offset, value, at));
        EXPECT_EQ(block.kept, 3U);
        EXPECT_EQ(at, block.latency + block.latency);
        value = 9;
        EXPECT_FALSE(direct.block->read(12, value, at));
        EXPECT_EQ(value, 9U) << "an error brings no data";

        tlm_if::DirectRegister misaligned;
        payload.set_extension(&misaligned);
        payload.set_address(10);
        EXPECT_FALSE(master.socket->get_direct_mem_ptr(payload, dmi));
        EXPECT_EQ(misaligned.block, nullptr);
        payload.clear_extension(&misaligned);
      },
      sc_core::sc_time(1, sc_core::SC_US));
}

TEST_F(RegisterSocketTest, RefusesNonBlockingAccess) {
  simulate(
      [&] {
        expect_reports(true);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        EXPECT_EQ(master.socket->nb_transport_fw(payload, phase, delay), tlm::TLM_COMPLETED);
        EXPECT_EQ(payload.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(reports_seen(), 1U);
      },
      sc_core::sc_time(1, sc_core::SC_US));
}

}  // namespace
}  // namespace wordline::testing::register_socket_test
