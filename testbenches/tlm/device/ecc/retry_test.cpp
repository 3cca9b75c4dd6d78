// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The read-retry controller in gates and its model, behind the same interface: same commands, same results, same
// clocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "models/units/keyed_random.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/ecc/clocked_retry.h"
#include "tlm/device/ecc/ecc_registers.h"

namespace wordline::ecc::retry_test {
namespace {

/// A controller with everything it shares, and a drive in which codewords decode as a hash says.
struct Drive {
  explicit Drive(config::EccModel model)
      : config{model, Hertz(400'000'000),         4, 2, config::Ort::kRetry, config::OrtScope::kDie, 1, 1,
               false, {"", "", "", "", "", true}, ""},
        registers(model == config::EccModel::kRtl ? "gates" : "model", testing::context(), config, 2, 48),
        machine(make_retry(config, registers, nullptr, "")) {}
  config::Ecc config;
  EccRegisters registers;
  std::unique_ptr<RetryIf> machine;

  struct Event {
    RetryAction action;
    std::int64_t at;
    std::uint32_t detail;
    friend bool operator==(const Event& a, const Event& b) {
      return a.action == b.action && a.at == b.at && a.detail == b.detail;
    }
  };

  std::vector<Event> read(std::uint64_t seed, Picoseconds at) {
    std::vector<Event> events;
    RetryRequest request;
    request.tag = static_cast<std::uint16_t>(seed);
    request.group = static_cast<std::uint16_t>(seed % 2);
    request.layer = static_cast<std::uint16_t>(keyed_hash(seed, 1) % 48);
    request.sensed = keyed_hash(seed, 2) % 2 == 0;
    request.started = !request.sensed && keyed_hash(seed, 7) % 2 == 0;          // where the job says
    request.attempt.step = static_cast<std::uint8_t>(keyed_hash(seed, 8) % 9);  // also beyond the table
    for (unsigned c = 0; c < 16; ++c) request.codewords[c] = c == 0 || keyed_hash(seed, 3, c) % 3 == 0;
    machine->start(request, at);
    unsigned decodes = 0;
    for (;;) {
      const RetryIf::Offer offer = machine->next(at);
      at = offer.at;
      switch (offer.action) {
        case RetryAction::kFlash: {
          const FlashCommand command = machine->flash_command();
          events.push_back({offer.action, at.count(),
                            static_cast<std::uint32_t>(command.op) << 24 | command.step << 16 |
                                static_cast<std::uint8_t>(command.soft_offset) << 8U | command.soft_read});
          EXPECT_EQ(machine->next(at).action, RetryAction::kNothing);
          at += 45_us;
          machine->flash_done(keyed_hash(seed, 4, events.size()) % 64 != 0, at);
          break;
        }
        case RetryAction::kDecode: {
          const DecodeCommand command = machine->decode_command();
          events.push_back({offer.action, at.count(), static_cast<std::uint32_t>(command.op)});
          if (command.op == DecodeOp::kLoadLlr) break;  // next() takes it
          EXPECT_EQ(machine->next(at).action, RetryAction::kNothing);
          ++decodes;
          for (unsigned c = 0; c < kRetryCodewords; ++c) {
            if (!command.codewords[c]) continue;
            const bool ok = keyed_hash(seed, 5, c, decodes) % 100 < 10 + seed % 60;
            at += 1_us;
            machine->verdict(
                {c, ok, true, 3, ok ? 80U : 0U, 200 + static_cast<unsigned>(keyed_hash(seed, 6, c, decodes) % 100)},
                at);
          }
          break;
        }
        case RetryAction::kResult: {
          const RetryResult result = machine->take_result(at);
          events.push_back({offer.action, at.count(), result.status});
          EXPECT_TRUE(machine->idle());
          return events;
        }
        case RetryAction::kNothing:
          ADD_FAILURE() << "waits for nothing that is owed";
          return events;
      }
    }
  }
};

TEST(Retry, GatesAndModelTakeTheSameStepsAtTheSameClocks) {
  Drive model(config::EccModel::kCalibrated);
  Drive gates(config::EccModel::kRtl);
  std::vector<std::uint32_t> codes;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    for (Drive* drive : {&model, &gates}) {
      RetrySettings& settings = drive->registers.settings();
      settings.max_retries = seed % 5;
      settings.max_soft = seed % 3;
      settings.ort_first = seed % 7 == 0;
      settings.ort_enable = seed % 11 != 0;
    }
    const Picoseconds at(static_cast<std::int64_t>(seed + 1) * 100'000'000'000);
    const auto a = model.read(seed, at);
    const auto b = gates.read(seed, at);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].action, b[i].action) << i;
      EXPECT_EQ(a[i].at, b[i].at) << i;
      EXPECT_EQ(a[i].detail, b[i].detail) << i;
    }
    codes.push_back(a.back().detail & 7U);
  }
  for (const std::uint32_t code : {0U, 1U, 4U}) {
    EXPECT_GT(std::count(codes.begin(), codes.end(), code), 2) << "the comparison never ends with code " << code;
  }
  const RetryCounters& a = model.registers.counters();
  const RetryCounters& b = gates.registers.counters();
  EXPECT_EQ(a.retries, b.retries);
  EXPECT_EQ(a.corrected_bits, b.corrected_bits);
  EXPECT_EQ(a.codewords, b.codewords);
  EXPECT_EQ(a.t1_iterations, b.t1_iterations);
  EXPECT_EQ(a.t2_iterations, b.t2_iterations);
  EXPECT_EQ(a.uncorrectable_lpages, b.uncorrectable_lpages);
  EXPECT_EQ(a.decoded_lpages, b.decoded_lpages);
  for (unsigned group = 0; group < 2; ++group) {
    for (unsigned layer = 0; layer < 48; ++layer) {
      EXPECT_EQ(model.registers.ort().at(group, layer), gates.registers.ort().at(group, layer));
    }
  }
}

}  // namespace
}  // namespace wordline::ecc::retry_test
