// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/ecc/calibrated_ecc.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>

#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/ecc/ecc_registers.h"

namespace wordline::ecc {
namespace {

// 500 MHz: 2 ns per cycle. Bit flipping takes the bit errors in cycles, or fails from 100 on; min-sum 1000, fails at
// 200.
std::shared_ptr<const CalibratedDecoder> simple_decoder() {
  Table table;
  table.bit_flipping_limit = 1460;
  table.min_sum_limit = 11640;
  table.rows = {{0, 0, 1, 0, 1000}, {99, 0, 400, 0, 1000}, {100, 1, 400, 0, 1000}, {200, 1, 400, 1, 1000}};
  return std::make_shared<const CalibratedDecoder>(table);
}

/// The first codeword of a logical page, or both.
LpageRead one(Picoseconds arrive, unsigned errors) { return {arrive, {}, 1, 0b01, {errors, 0}}; }
LpageRead both(Picoseconds arrive, unsigned first, unsigned second, std::uint64_t key = 1) {
  return {arrive, {}, key, 0b11, {first, second}};
}

config::Ecc clock_500mhz() {
  return {config::EccModel::kCalibrated,
          Hertz(500'000'000),
          5,
          2,
          config::Ort::kRetry,
          config::OrtScope::kDie,
          1,
          1,
          false,
          {},
          ""};
}

TEST(CalibratedEcc, LatencyIsDecodeAndUnload) {
  CalibratedEcc ecc("ecc", clock_500mhz(), simple_decoder());
  const EccIf::Result result = ecc.decode(one(1_us, 99));
  EXPECT_EQ(result.failed, 0U);
  EXPECT_TRUE(result.codewords[0].decoded);
  EXPECT_EQ(result.codewords[0].tier, 1U);
  EXPECT_EQ(result.codewords[0].corrected, 99U);
  EXPECT_FALSE(result.codewords[1].decoded) << "was not asked for";
  EXPECT_EQ(result.done.count(), (1_us + (400 + 292) * 2_ns).count());
}

TEST(CalibratedEcc, CodewordsQueueForTheDecoder) {
  CalibratedEcc ecc("ecc", clock_500mhz(), simple_decoder());
  // The second starts when the first is decoded (400), is clean, and leaves 1 + 292 cycles later.
  EXPECT_EQ(ecc.decode(both(0_ps, 99, 0)).done.count(), (400 + 1 + 292) * 2000);
  // A clean codeword still holds the decoder for the 292 cycles of its stream.
  EXPECT_EQ(ecc.decode(one(0_ps, 99)).done.count(), (400 + 292 + 400 + 292) * 2000);
  // Later than free: starts at its arrival.
  EXPECT_EQ(ecc.decode(one(10_us, 0)).done.count(), (10_us + (1 + 292) * 2_ns).count());
  EXPECT_EQ(ecc.busy().busy.count(), (400 + 292 + 400 + 292) * 2000);
  EXPECT_EQ(ecc.busy().uses, 4U);
}

TEST(CalibratedEcc, ReportsEscalationAndFailure) {
  CalibratedEcc ecc("ecc", clock_500mhz(), simple_decoder());
  const EccIf::Result result = ecc.decode(both(0_ps, 100, 300, 7));
  EXPECT_EQ(result.failed, 0b10U);
  EXPECT_EQ(result.codewords[0].tier, 2U);
  EXPECT_EQ(result.codewords[1].weight, 300U);
  // Clocks of the two codewords, one after the other: 1460 in tier 1, which fails, and 292 to stream it to tier 2,
  // which takes 1000 for the first and its limit, 11640, for the second. The second fails, so that no bits are sent.
  EXPECT_EQ(result.done.count(), (1460 + 292 + 1000 + 1460 + 292 + 11640) * 2000);
  EXPECT_EQ(ecc.counters().decoded[0], 0U);
  EXPECT_EQ(ecc.counters().decoded[1], 1U);
  EXPECT_EQ(ecc.counters().failed, 1U);
  EXPECT_EQ(ecc.counters().bit_errors, 100U);
}

// A controller at work that takes nothing to its end.
class BusyRetry final : public RetryIf {
 public:
  void start(const RetryRequest&, Picoseconds) override {}
  Offer next(Picoseconds at) override { return {RetryAction::kNothing, at}; }
  void flash_done(bool, Picoseconds) override {}
  void verdict(const CodewordVerdict&, Picoseconds) override {}
  void abort(Picoseconds) override { ++aborts; }
  RetryResult take_result(Picoseconds) override { return {}; }
  [[nodiscard]] bool idle() const override { return is_idle; }
  [[nodiscard]] RetryState state() const override { return RetryState::kSoftRead; }
  [[nodiscard]] FlashCommand flash_command() const override { return {}; }
  [[nodiscard]] DecodeCommand decode_command() const override { return {}; }
  bool is_idle = false;
  unsigned aborts = 0;
};

struct Bench : sc_core::sc_module {
  explicit Bench(const sc_core::sc_module_name& name) : sc_module(name) { initiator.bind(registers.socket); }
  EccRegisters registers{"registers", testing::context(), clock_500mhz(), 2, 3};
  tlm_utils::simple_initiator_socket<Bench> initiator{"initiator"};

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint32_t address, std::uint32_t& word) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(4);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    initiator->b_transport(payload, delay);
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    return payload.get_response_status();
  }
  std::uint32_t read(std::uint32_t address) {
    std::uint32_t word = 0;
    EXPECT_EQ(access(tlm::TLM_READ_COMMAND, address, word), tlm::TLM_OK_RESPONSE);
    return word;
  }
};

TEST(EccRegisters, SettingsTablesAndTheControllersAtWork) {
  Bench bench("bench");
  namespace regs = registers::ecc;
  BusyRetry controller;
  bench.registers.attach(controller);
  const auto write = [&](std::uint32_t address, std::uint32_t word) {
    return bench.access(tlm::TLM_WRITE_COMMAND, address, word) == tlm::TLM_OK_RESPONSE;
  };
  wordline::testing::simulate(
      [&] {
        EXPECT_EQ(bench.read(regs::status), 0xa1U) << "busy, SOFT_READ";
        EXPECT_TRUE(write(regs::command, 1));
        EXPECT_EQ(controller.aborts, 1U);
        EXPECT_TRUE(write(regs::escalation, 0x50103));
        EXPECT_EQ(bench.read(regs::escalation), 0x50103U);
        EXPECT_FALSE(write(regs::llr_three, 0x7771)) << "while a read is under way";
        controller.is_idle = true;
        EXPECT_EQ(bench.read(regs::status), 0U);
        EXPECT_TRUE(write(regs::llr_three, 0x7771));
        EXPECT_EQ(bench.registers.settings().llr[1], (LlrTable{1, 7, 7, 7}));
        EXPECT_TRUE(write(regs::retry_table + 4 * 5, 0x80ff0102));  // step 1, references 4 to 7
        EXPECT_EQ(bench.registers.settings().table[1][4], 2);
        EXPECT_EQ(bench.registers.settings().table[1][7], -128);
        EXPECT_EQ(bench.read(regs::retry_table + 4 * 5), 0x80ff0102U);
        EXPECT_TRUE(write(regs::inject, 0x30f));
        EXPECT_EQ(bench.read(regs::inject), 0x30fU);
        EXPECT_EQ(bench.registers.injection().steps, 3U);
        EXPECT_TRUE(write(regs::ort_index, 0x00020001));
        EXPECT_TRUE(write(regs::ort_entry, 0x131));
        EXPECT_EQ(bench.registers.ort().at(1, 2).step, 3U);
        EXPECT_EQ(bench.read(regs::ort_entry), 0x131U);
        EXPECT_TRUE(write(regs::ort_clear, 1));
        EXPECT_EQ(bench.read(regs::ort_entry), 0U);
        EXPECT_TRUE(write(regs::ort_index, 0x00030000));
        EXPECT_FALSE(write(regs::ort_entry, 0x131)) << "there is no layer 3";
        RetryResult result;
        result.code = RetryCode::kUncorrectable;
        result.tag = 77;
        result.status = 0x12345;
        result.failed.set(33);
        bench.registers.ended(result);
        EXPECT_EQ(bench.read(regs::last_status), 0x12345U);
        EXPECT_EQ(bench.read(regs::last_tag), 77U);
        EXPECT_EQ(bench.read(regs::last_failed + 4), 2U);
        EXPECT_EQ(bench.read(regs::irq_status), regs::irq_status_fail_mask);
        EXPECT_TRUE(write(regs::irq_status, regs::irq_status_fail_mask));
        EXPECT_EQ(bench.read(regs::irq_status), 0U);
      },
      sc_core::sc_time(1, sc_core::SC_US));
}

TEST(EccRegisters, LimitAndCounters) {
  Bench bench("bench");
  namespace regs = registers::ecc;
  wordline::testing::simulate(
      [&] {
        EXPECT_EQ(bench.read(regs::control), 5U);
        std::uint32_t word = 0x103;
        EXPECT_EQ(bench.access(tlm::TLM_WRITE_COMMAND, regs::control, word), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(bench.registers.settings().max_retries, 3U);
        bench.registers.counters().decoded_lpages = 4;
        bench.registers.counters().retries = 2;
        bench.registers.counters().uncorrectable_lpages = 1;
        EXPECT_EQ(bench.read(regs::decoded), 4U);
        EXPECT_EQ(bench.read(regs::retries), 2U);
        EXPECT_EQ(bench.read(regs::uncorrectable), 1U);
        word = 9;
        bench.access(tlm::TLM_WRITE_COMMAND, regs::decoded, word);
        EXPECT_EQ(bench.read(regs::decoded), 4U) << "counters are read only";
        EXPECT_EQ(bench.access(tlm::TLM_READ_COMMAND, 0x400, word), tlm::TLM_ADDRESS_ERROR_RESPONSE);
      },
      sc_core::sc_time(1, sc_core::SC_US));
}

}  // namespace
}  // namespace wordline::ecc
