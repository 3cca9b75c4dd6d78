// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The RTL behind the reference's calls: the same call answers the same, in as many clocks as the reference takes steps.
#include <gtest/gtest.h>

#include <stdexcept>

#include "models/units/keyed_random.h"
#include "rtl/verilated/read_retry_engine.h"

namespace wordline::testing::engine_test {
namespace {

constexpr std::uint64_t kSeed = 0x656e'67;

struct Trace {
  std::vector<std::uint64_t> events;
  std::uint64_t steps = 0;
  ecc::RetryResult result;
  void add(std::uint64_t event) { events.push_back(event); }
};

std::uint64_t digest(const ecc::CodewordMask& mask) {
  std::uint64_t h = 0;
  for (unsigned c = 0; c < ecc::kRetryCodewords; ++c) h = keyed_hash(h, mask[c]);
  return h;
}

/// One read with answers by chance, the same for both.
template <class Machine>
Trace play(Machine& machine, std::uint64_t read, const ecc::RetryRequest& request) {
  Trace trace;
  const auto random = [&](std::uint64_t place) { return keyed_hash(kSeed, read, trace.events.size(), place); };
  machine.start(request);
  ++trace.steps;
  for (;;) {
    trace.add(static_cast<std::uint64_t>(machine.state()));
    if (random(0) % 256 == 0) {
      machine.abort();
      trace.add(1000);
    }
    if (machine.internal()) {
      machine.advance();
    } else if (machine.offers_flash()) {
      const ecc::FlashCommand c = machine.flash_command();
      trace.add(keyed_hash(1, static_cast<unsigned>(c.op), c.step, c.soft_read, c.soft_offset, digest(c.codewords)));
      for (const std::int8_t offset : c.offsets) trace.add(static_cast<std::uint64_t>(offset));
      machine.accept();
    } else if (machine.offers_decode()) {
      const ecc::DecodeCommand c = machine.decode_command();
      trace.add(keyed_hash(2, static_cast<unsigned>(c.op), c.level, c.max_iterations, c.llr[0], digest(c.codewords)));
      machine.accept();
    } else if (machine.awaits_flash()) {
      machine.flash_done(random(1) % 64 != 0);
    } else if (machine.awaits_verdict()) {
      unsigned c = 0;
      while (!machine.awaited()[c]) ++c;
      const std::uint64_t r = random(2);
      machine.verdict({c, r % 3 == 0, r >> 8 % 8 != 0, static_cast<unsigned>(r >> 16 & 31),
                       static_cast<unsigned>(r >> 24 & 127), static_cast<unsigned>(r >> 32 & 1023)});
    } else {
      EXPECT_EQ(machine.next(), ecc::RetryAction::kResult);
      trace.result = machine.take_result();
      ++trace.steps;
      return trace;
    }
    ++trace.steps;
  }
}

TEST(ReadRetryEngine, AnswersAsTheReferenceInAsManyClocksAsItTakesSteps) {
  ecc::RetrySettings settings;
  ecc::OptimalReferences model_ort(9, 300);  // larger than the block's
  ecc::OptimalReferences rtl_ort(9, 300);
  ecc::RetryCounters model_counters;
  ecc::RetryCounters rtl_counters;
  ecc::ReadRetry model(settings, model_ort, model_counters);
  rtl::ReadRetryEngine engine(settings, rtl_ort, rtl_counters);
  for (std::uint64_t read = 0; read < 1000; ++read) {
    const std::uint64_t r = keyed_hash(kSeed, read);
    settings.max_retries = r % 6;
    settings.max_soft = r >> 8 & 1 ? 2 : r >> 9 & 1;
    settings.ort_first = (r >> 10 & 1) != 0;
    settings.table[r >> 12 & 15][1 + (r >> 16) % 15] = static_cast<std::int8_t>(r >> 20);
    settings.soft_delta[0] = static_cast<std::uint8_t>(r >> 28 & 31);
    settings.llr[1][0] = static_cast<std::uint8_t>(r >> 33 & 7);
    settings.corrupt_crc = (r >> 36 & 7) == 0;
    ecc::RetryRequest request;
    request.tag = static_cast<std::uint16_t>(read);
    request.group = static_cast<std::uint16_t>(r >> 40 & 1 ? 8 : 0);
    request.layer = static_cast<std::uint16_t>(r >> 41 & 1 ? 299 : 43);
    request.sensed = (r >> 42 & 1) != 0;
    for (unsigned i = 0; i < 1 + (r >> 44 & 7); ++i) request.codewords.set(keyed_hash(r, i) % ecc::kRetryCodewords);
    const std::uint64_t before = engine.clocks();
    const Trace expected = play(model, read, request);
    const Trace got = play(engine, read, request);
    ASSERT_EQ(got.events, expected.events) << "read " << read;
    ASSERT_EQ(got.result.status, expected.result.status);
    ASSERT_EQ(got.result.tag, expected.result.tag);
    ASSERT_TRUE(got.result.failed == expected.result.failed);
    ASSERT_EQ(engine.clocks() - before, expected.steps);
    ASSERT_EQ(got.steps, expected.steps);
    ASSERT_EQ(rtl_ort.at(request.group, request.layer), model_ort.at(request.group, request.layer));
  }
  EXPECT_EQ(rtl_counters.decoded_lpages, model_counters.decoded_lpages);
  EXPECT_EQ(rtl_counters.uncorrectable_lpages, model_counters.uncorrectable_lpages);
  EXPECT_EQ(rtl_counters.retries, model_counters.retries);
  EXPECT_EQ(rtl_counters.corrected_bits, model_counters.corrected_bits);
  EXPECT_EQ(rtl_counters.miscorrections, model_counters.miscorrections);
  EXPECT_EQ(rtl_counters.codewords, model_counters.codewords);
  EXPECT_EQ(rtl_counters.t1_iterations, model_counters.t1_iterations);
  EXPECT_EQ(rtl_counters.t2_iterations, model_counters.t2_iterations);
  EXPECT_GT(model_counters.codewords[3], 0U);
  EXPECT_GT(model_counters.uncorrectable_lpages, 0U);
}

TEST(ReadRetryEngine, RefusesCallsThatDoNotFit) {
  const ecc::RetrySettings settings;
  ecc::OptimalReferences ort(1, 1);
  ecc::RetryCounters counters;
  rtl::ReadRetryEngine engine(settings, ort, counters);
  EXPECT_THROW(engine.accept(), std::logic_error);
  EXPECT_THROW(engine.advance(), std::logic_error);
  EXPECT_THROW(engine.flash_done(true), std::logic_error);
  EXPECT_THROW(engine.verdict({}), std::logic_error);
  EXPECT_THROW(engine.take_result(), std::logic_error);
  EXPECT_THROW(engine.start({}), std::invalid_argument);
  ecc::RetryRequest request;
  request.codewords.set(1);
  engine.start(request);
  EXPECT_THROW(engine.start(request), std::logic_error);
  EXPECT_EQ(engine.next(), ecc::RetryAction::kFlash);
  engine.accept();
  EXPECT_EQ(engine.next(), ecc::RetryAction::kNothing);
}

}  // namespace
}  // namespace wordline::testing::engine_test
