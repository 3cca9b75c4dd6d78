// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The decoders in gates behind EccIf against the bit-true C++ decoders, which share no code with them.
#include "tlm/device/ecc/rtl_ecc.h"

#include <gtest/gtest.h>

#include <string>

#include "models/ecc/decoders/bit_flipping_decoder.h"
#include "models/ecc/decoders/codeword_bits.h"
#include "models/results/registry.h"
#include "models/units/keyed_random.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/memory/data_buffer.h"

namespace wordline::ecc::rtl_ecc_test {
namespace {

config::Ecc in_gates(std::uint32_t every = 1, bool encoder = false) {
  return {config::EccModel::kRtl,
          Hertz(500'000'000),
          4,
          2,
          config::Ort::kRetry,
          config::OrtScope::kDie,
          every,
          1,
          encoder,
          {"", "", "", "", "", true},
          ""};
}

struct Bench : sc_core::sc_module {
  explicit Bench(const sc_core::sc_module_name& name, std::uint32_t every = 1, bool encoder = false)
      : sc_module(name),
        ecc("ecc", testing::context(), in_gates(every, encoder), std::make_shared<const CalibratedDecoder>(), nullptr,
            ""),
        buffer(16) {
    ecc.buffer.bind(buffer);
  }
  /// ecc.rtl.WHAT as a report has it.
  [[nodiscard]] std::uint64_t count(const char* what) const {
    results::Registry registry;
    ecc.register_statistics(registry);
    return registry.get<std::uint64_t>(std::string("ecc.rtl.") + what);
  }
  RtlEcc ecc;
  memory::DataBuffer buffer;
};

constexpr std::uint32_t kLpn = 1234;

LpageRead hard_read(unsigned errors, std::uint64_t key) {
  LpageRead read;
  read.stored = {data::LpageToken::uniform(Lpn(kLpn), 7), kLpn};
  read.key = key;
  read.codewords = 1;
  read.errors = {errors, 0};
  return read;
}

/// What the C++ decoders make of the same bits: cycles of both tiers and the copy between.
struct Expected {
  bool ok;
  unsigned tier;
  std::uint32_t cycles;
};
Expected expected(Bench& bench, const LpageRead& read) {
  const CodeBits written = make_codeword(bench.buffer.pool(), read.stored.token, kLpn, 0);
  const std::uint64_t key = keyed_hash(read.key, 0U);
  if (read.soft) {
    ReadBits bits = read_codeword(written, soft_level(read.soft->reads), read.soft->counts[0], key);
    const MinSumResult result =
        MinSumDecoder().decode(bits.hard, bits.rel0, bits.rel1, read.soft->llr, read.iterations.t2 * kBlockRows);
    return {result.ok, 2, result.cycles};
  }
  CodeBits bits = read_codeword(written, read.errors[0], key).hard;
  BitFlippingResult tier1 = BitFlippingDecoder::decode(bits);
  // The same steps, left off earlier.
  const std::uint32_t limit = 1 + read.iterations.t1 * kBlockColumns;
  if (tier1.cycles > limit) {
    tier1.ok = false;
    tier1.cycles = limit;
  }
  if (tier1.ok) return {true, 1, tier1.cycles};
  bits = read_codeword(written, read.errors[0], key).hard;
  const MinSumResult tier2 = MinSumDecoder().decode(bits, {}, {}, kHardLlr, read.iterations.t2 * kBlockRows);
  return {tier2.ok, 2, tier1.cycles + kStreamCycles + tier2.cycles};
}

void expect_same(const EccIf::Result& result, const Expected& want, Picoseconds start) {
  EXPECT_EQ(result.codewords[0].decoded, want.ok);
  EXPECT_TRUE(result.codewords[0].crc_ok);
  EXPECT_EQ(result.codewords[0].tier, want.tier);
  const std::uint32_t latency = want.cycles + (want.ok ? kStreamCycles : 0);
  EXPECT_EQ((result.done - start).count(), std::int64_t{latency} * 2000) << "2 ns a clock";
}

TEST(RtlEcc, DecodesAsTheBitTrueModelsToTheClock) {
  Bench bench("bench");
  wordline::testing::simulate(
      [&] {
        Picoseconds start(0);
        for (const unsigned errors : {0U, 1U, 40U, 70U, 95U, 110U, 140U, 175U}) {
          for (std::uint64_t key = 1; key <= 3; ++key) {
            SCOPED_TRACE(::testing::Message() << errors << " errors, key " << key);
            LpageRead read = hard_read(errors, key);
            read.arrive = start += 100_us;
            expect_same(bench.ecc.decode(read), expected(bench, read), start);
          }
        }
      },
      sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_EQ(bench.count("decoded"), 24U);
  EXPECT_GT(bench.ecc.counters().decoded[0], 0U);
  EXPECT_GT(bench.ecc.counters().decoded[1], 0U);
  EXPECT_GT(bench.ecc.counters().failed, 0U);
  EXPECT_EQ(bench.ecc.counters().miscorrected, 0U);
}

TEST(RtlEcc, TakesSoftInputOfThreeAndSevenReads) {
  Bench bench("bench");
  wordline::testing::simulate(
      [&] {
        Picoseconds start(0);
        for (const unsigned reads : {3U, 7U}) {
          const SoftLevel& level = soft_level(reads);
          for (const unsigned errors : {150U, 250U, 360U}) {
            SCOPED_TRACE(::testing::Message() << reads << " reads, " << errors << " errors");
            LpageRead read = hard_read(errors, errors);
            read.arrive = start += 100_us;
            SoftInput& soft = read.soft.emplace();
            soft.reads = reads;
            soft.llr = level.llr;
            soft.counts[0] =
                draw_soft_counts(level, symmetric_channel(level, errors / double{kCodewordBits}), errors, 5);
            expect_same(bench.ecc.decode(read), expected(bench, read), start);
          }
        }
      },
      sc_core::sc_time(1, sc_core::SC_SEC));
}

TEST(RtlEcc, GivesUpAfterTheIterationsAskedFor) {
  Bench bench("bench");
  wordline::testing::simulate(
      [&] {
        Picoseconds start(0);
        for (const IterationLimits limits :
             {IterationLimits{2, 3}, IterationLimits{20, 20}, IterationLimits{40, 31}, IterationLimits{0, 0}}) {
          for (const unsigned errors : {0U, 60U, 95U, 140U, 175U}) {
            SCOPED_TRACE(::testing::Message() << limits.t1 << " and " << limits.t2 << ", " << errors << " errors");
            LpageRead read = hard_read(errors, errors);
            // Beyond 20 the C++ model of tier 1 has nothing to say of a word that it gives up at 20.
            if (limits.t1 > 20 && !expected(bench, hard_read(errors, errors)).ok) continue;
            read.iterations = limits;
            read.arrive = start += 100_us;
            if (limits.t1 <= 20) {
              expect_same(bench.ecc.decode(read), expected(bench, read), start);
            } else {
              EXPECT_TRUE(bench.ecc.decode(read).codewords[0].decoded);
            }
          }
        }
      },
      sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_GT(bench.ecc.counters().failed, 5U);
}

TEST(RtlEcc, OneCodewordInSoManyGoesThroughTheGates) {
  Bench bench("bench", 5);
  wordline::testing::simulate(
      [&] {
        for (unsigned i = 0; i < 20; ++i) static_cast<void>(bench.ecc.decode(hard_read(10, i)));
      },
      sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_EQ(bench.count("decoded"), 4U);
  EXPECT_EQ(bench.ecc.counters().decoded[0], 20U);
}

TEST(RtlEcc, DecodedBitsAreComparedWithThoseWritten) {
  Bench bench("bench");
  wordline::testing::simulate(
      [&] {
        for (const unsigned errors : {0U, 40U, 110U, 250U}) {
          static_cast<void>(bench.ecc.decode(hard_read(errors, errors + 1)));
        }
      },
      sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_EQ(bench.count("decoded_compared"), 3U) << "nothing is decoded of 250 errors";
  EXPECT_EQ(bench.count("decoded_compared"), bench.ecc.counters().decoded[0] + bench.ecc.counters().decoded[1]);
  EXPECT_EQ(bench.count("encoded_compared"), 0U);
}

TEST(RtlEcc, CountsWhatGoesThroughEachTier) {
  Bench bench("bench");
  std::uint64_t clocks1 = 0, clocks2 = 0;
  wordline::testing::simulate(
      [&] {
        for (const unsigned errors : {0U, 40U, 110U, 250U}) {
          const LpageRead read = hard_read(errors, errors + 1);
          static_cast<void>(bench.ecc.decode(read));
          const Expected both = expected(bench, read);
          const std::uint32_t tier1 = both.tier == 1 ? both.cycles : 1 + 20 * kBlockColumns;
          clocks1 += tier1;
          if (both.tier == 2) clocks2 += both.cycles - tier1 - kStreamCycles;
        }
      },
      sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_EQ(bench.count("tier1.codewords"), 4U);
  EXPECT_EQ(bench.count("tier1.given_up"), 2U) << "110 and 250 errors";
  EXPECT_EQ(bench.count("tier1.clocks"), clocks1);
  EXPECT_EQ(bench.count("tier2.codewords"), 2U);
  EXPECT_EQ(bench.count("tier2.given_up"), 1U) << "250 errors";
  EXPECT_EQ(bench.count("tier2.clocks"), clocks2);
  // 20 of each that was given up; none of the word without errors.
  EXPECT_GT(bench.count("tier1.iterations"), 40U);
  EXPECT_LE(bench.count("tier1.iterations"), 60U);
  EXPECT_GT(bench.count("tier2.iterations"), 160U) << "layers: all of the one, some of the other";
}

TEST(RtlEcc, TheEncoderInGatesMakesWhatIsRead) {
  Bench bench("bench", 1, true);
  wordline::testing::simulate(
      [&] {
        Picoseconds start(0);
        for (const unsigned errors : {0U, 60U, 110U}) {
          LpageRead read = hard_read(errors, errors + 1);
          read.codewords = 3;
          read.arrive = start += 100_us;
          EXPECT_EQ(bench.ecc.decode(read).failed, 0U);
        }
      },
      sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_EQ(bench.count("encoded_compared"), 6U);
  EXPECT_EQ(bench.count("decoded_compared"), 6U);
}

TEST(RtlEcc, ABitThatWasNotWrittenIsNamed) {
  const CodeBits written{};
  CodeBits got = written;
  EXPECT_EQ(difference_from_written(written, got, 7, 1, "a test"), "");
  got[3].flip(200);
  got[72].flip(0);
  EXPECT_EQ(difference_from_written(written, got, 7, 1, "a test"),
            "a test made codeword 1 of logical page 7 with 2 bits that are not those written");
}

TEST(RtlEcc, AnErasedPageIsNoCodeword) {
  Bench bench("bench");
  wordline::testing::simulate(
      [&] {
        LpageRead read;
        read.codewords = 3;
        EXPECT_EQ(bench.ecc.decode(read).failed, 0U);
      },
      sc_core::sc_time(1, sc_core::SC_SEC));
  EXPECT_EQ(bench.count("decoded"), 0U);
}

}  // namespace
}  // namespace wordline::ecc::rtl_ecc_test
