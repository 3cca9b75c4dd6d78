// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "models/ecc/decoders/bit_flipping_decoder.h"
#include "rtl/verilated/simulation_stopped.h"
#include "rtl/verilated/start_values.h"
#include "testbenches/rtl/ldpc/bit_flip_stream.h"

namespace wordline::testing {
namespace {

constexpr std::uint64_t kSeed = 0x6c64'7063;

struct Expected {
  ecc::CodeBits bits;
  ecc::BitFlippingResult result;
};

Expected model(ecc::CodeBits bits) {
  const ecc::BitFlippingResult result = ecc::BitFlippingDecoder::decode(bits);
  return {bits, result};
}

ecc::CodeBits received(std::uint64_t index, unsigned errors) {
  ecc::CodeBits bits = random_codeword(kSeed, index);
  add_errors(bits, errors, kSeed, index);
  return bits;
}

struct Flow {
  const char* name;
  unsigned source;  // in 1/256 of the clocks
  unsigned sink;
};

class BitFlipFlow : public ::testing::TestWithParam<Flow> {};

TEST_P(BitFlipFlow, EveryCodewordAsTheModel) {
  BitFlipStream stream(kSeed, GetParam().source, GetParam().sink);
  const std::uint64_t base = std::uint64_t{GetParam().source * 1000 + GetParam().sink}
                             << 32;  // other codewords in each flow
  const unsigned count = sample(100);
  unsigned failed = 0;
  unsigned corrected = 0;
  constexpr unsigned kBatch = 50;  // codewords in the pipe without a pause
  for (unsigned first = 0; first < count; first += kBatch) {
    std::vector<ecc::CodeBits> in;
    const unsigned end = std::min(first + kBatch, count);
    for (unsigned i = first; i < end; ++i) {
      in.push_back(received(base + i, static_cast<unsigned>(keyed_hash(kSeed, 5, base + i) % 151)));
    }
    const std::vector<StreamResult> out = stream.run(in);
    ASSERT_EQ(out.size(), in.size());
    for (unsigned i = 0; i < in.size(); ++i) {
      const Expected expected = model(in[i]);
      ASSERT_EQ(out[i].success, expected.result.ok) << "codeword " << first + i;
      ASSERT_EQ(out[i].iterations, expected.result.iterations) << "codeword " << first + i;
      ASSERT_TRUE(out[i].bits == expected.bits) << "codeword " << first + i;
      failed += out[i].success ? 0 : 1;
      corrected += out[i].success && out[i].iterations > 0 ? 1 : 0;
    }
  }
  // The sample must hold both kinds, or the comparison says little.
  EXPECT_GE(failed, count / 5);
  EXPECT_GE(corrected, count / 5);
  EXPECT_FALSE(stream.decoder().busy());
  RecordProperty("codewords", static_cast<int>(count));
  RecordProperty("failed", static_cast<int>(failed));
}

INSTANTIATE_TEST_SUITE_P(Ldpc, BitFlipFlow,
                         ::testing::Values(Flow{"Free", 256, 256}, Flow{"SlowSource", 90, 256},
                                           Flow{"SlowSink", 256, 90}, Flow{"BothStutter", 180, 170}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(BitFlipRtl, DecodesWhereErrorsAreAtTheEdges) {
  // First and last lane of each kind of column: information, the shortened one, parity, the one of weight three.
  std::vector<ecc::CodeBits> in;
  for (const unsigned bit : {0U, 63U, 64U, 255U, 16543U, 16640U, 18431U, 18432U, 18687U}) {
    in.push_back(random_codeword(kSeed, bit));
    in.back()[bit / 256].flip(bit % 256);
  }
  BitFlipStream stream;
  const auto out = stream.run(in);
  for (unsigned i = 0; i < in.size(); ++i) {
    const Expected expected = model(in[i]);
    EXPECT_EQ(out[i].success, expected.result.ok) << i;
    EXPECT_TRUE(out[i].bits == expected.bits) << i;
    EXPECT_TRUE(out[i].success) << i;
  }
}

struct Bit {
  unsigned column;
  unsigned lane;
};

unsigned check_of(const Bit& bit, const ecc::Circulant& in_column) { return (bit.lane - in_column.shift) & 255; }
Bit bit_of(unsigned check, const ecc::Circulant& in_row) { return {in_row.block, (check + in_row.shift) & 255}; }

/// Three bits of weight four, each two of which share a check, in columns below `limit`: wrong together, each of them
/// has only two unsatisfied checks.
std::vector<Bit> cycle_of_six(unsigned limit) {
  const auto& code = ecc::LdpcCode::instance();
  for (unsigned column = 0; column < limit; ++column) {
    const Bit a{column, 0};
    if (code.column(column).size < 4) continue;
    for (const ecc::Circulant& first : code.column(column)) {
      for (const ecc::Circulant& second : code.column(column)) {
        if (first.block >= second.block) continue;
        for (const ecc::Circulant& in_first : code.row(first.block)) {
          for (const ecc::Circulant& in_second : code.row(second.block)) {
            const Bit b = bit_of(check_of(a, first), in_first);
            const Bit c = bit_of(check_of(a, second), in_second);
            if (b.column == column || c.column == column || b.column == c.column) continue;
            if (b.column >= limit || c.column >= limit) continue;
            if (code.column(b.column).size < 4 || code.column(c.column).size < 4) continue;
            for (const ecc::Circulant& k : code.column(b.column)) {
              for (const ecc::Circulant& l : code.column(c.column)) {
                if (k.block == l.block && k.block != first.block && k.block != second.block &&
                    check_of(b, k) == check_of(c, l)) {
                  return {a, b, c};
                }
              }
            }
          }
        }
      }
    }
  }
  throw std::runtime_error("the code has no cycle of six");
}

TEST(BitFlipRtl, AFlipInTheLastColumnAloneIsNoStall) {
  // A bit of the parity column of weight three has three votes: it flips in the second iteration, which needs three.
  // The cycle has two votes each: it needs a stall first. So the second iteration flips something, the third one
  // nothing, the fourth takes two.
  const auto& code = ecc::LdpcCode::instance();
  constexpr unsigned kLast = ecc::kBlockColumns - 1;
  ASSERT_EQ(code.column(kLast).size, 3U)
      << "another column has weight three: take that one as the last of an iteration";
  ecc::CodeBits in = random_codeword(kSeed, 1);
  for (const Bit& bit : cycle_of_six(ecc::kShortenedColumn)) in[bit.column].flip(bit.lane);
  in[kLast].flip(77);
  const Expected expected = model(in);
  BitFlipStream stream;
  const auto out = stream.run({in});
  EXPECT_EQ(expected.result.iterations, 4U);
  EXPECT_EQ(out[0].iterations, expected.result.iterations);
  EXPECT_EQ(out[0].first_beat_clock, 291 + expected.result.cycles + 2);
  EXPECT_TRUE(out[0].success);
  EXPECT_TRUE(out[0].bits == expected.bits);
}

TEST(BitFlipRtl, ShortenedBitsNeverFlip) {
  // A shortened bit that comes in as one cannot be corrected by flipping it: it is no channel bit.
  std::vector<ecc::CodeBits> in;
  for (const unsigned lane : {160U, 191U, 192U, 255U}) {
    in.push_back(random_codeword(kSeed, lane));
    in.back()[ecc::kShortenedColumn].flip(lane);
  }
  BitFlipStream stream;
  const auto out = stream.run(in);
  for (unsigned i = 0; i < in.size(); ++i) {
    const Expected expected = model(in[i]);
    EXPECT_EQ(out[i].success, expected.result.ok) << i;
    EXPECT_EQ(out[i].iterations, expected.result.iterations) << i;
    EXPECT_TRUE(out[i].bits == expected.bits) << i;
    EXPECT_TRUE((out[i].bits[ecc::kShortenedColumn] & ecc::kShortenedLanes) ==
                (in[i][ecc::kShortenedColumn] & ecc::kShortenedLanes));
  }
}

TEST(BitFlipRtl, TakesTheModelsClocks) {
  for (const unsigned errors : {0U, 1U, 20U, 50U, 120U}) {
    const ecc::CodeBits in = received(errors, errors);
    const Expected expected = model(in);
    BitFlipStream stream;
    const auto out = stream.run({in});
    // Beats 0 to 291 move in clocks 0 to 291; the verdict falls `cycles` clocks later, one more for the output
    // register.
    EXPECT_EQ(out[0].first_beat_clock, 291 + expected.result.cycles + 2) << errors << " errors";
    EXPECT_EQ(out[0].last_beat_clock, out[0].first_beat_clock + 291);
  }
}

TEST(BitFlipRtl, StreamsWithoutErrorsAtNearlyOneBeatAClock) {
  std::vector<ecc::CodeBits> in;
  for (unsigned i = 0; i < 20; ++i) in.push_back(random_codeword(kSeed, i));
  BitFlipStream stream;
  const auto out = stream.run(in);
  EXPECT_TRUE(out.back().success);
  const std::uint64_t clocks = out.back().last_beat_clock - out[4].last_beat_clock;
  EXPECT_LE(clocks, 15 * 295U);
  EXPECT_GE(clocks, 15 * 292U);
}

TEST(BitFlipRtl, DecodesWhileTheNextCodewordLoads) {
  // Decoding of less than 289 clocks costs the stream nothing but the latency of the last codeword.
  std::vector<ecc::CodeBits> in;
  for (std::uint64_t i = 0; in.size() < 12; ++i) {
    const ecc::CodeBits bits = received(i, 20);
    if (model(bits).result.cycles <= 285) in.push_back(bits);
  }
  BitFlipStream stream;
  const auto out = stream.run(in);
  EXPECT_LE(out.back().last_beat_clock - out[0].last_beat_clock, 11 * 293U + 285U);
}

TEST(BitFlipRtl, GivesUpAfterTheIterationsItIsAllowed) {
  std::vector<ecc::CodeBits> in;
  for (unsigned i = 0; i < 12; ++i) in.push_back(received(i, i * 8));
  unsigned cut = 0;
  for (const unsigned limit : {0U, 1U, 3U}) {
    BitFlipStream stream;
    stream.decoder().set_max_iterations(static_cast<std::uint8_t>(limit));
    const auto out = stream.run(in);
    for (unsigned i = 0; i < in.size(); ++i) {
      const Expected expected = model(in[i]);
      const bool in_time = expected.result.ok && expected.result.iterations <= limit;
      EXPECT_EQ(out[i].success, in_time) << i << " with " << limit;
      EXPECT_EQ(out[i].iterations, std::min(limit, expected.result.iterations)) << i << " with " << limit;
      cut += in_time ? 0 : 1;
      if (limit == 0) {
        EXPECT_TRUE(out[i].bits == in[i]) << i;
      }
    }
  }
  EXPECT_GE(cut, 6U);
}

TEST(BitFlipRtl, StatusFollowsTheDecoding) {
  const ecc::CodeBits in = received(3, 60);
  const Expected expected = model(in);
  rtl::LdpcBitFlipDecoder decoder;
  std::uint64_t decoding = 0;
  std::uint64_t first_weight = 0;
  decoder.on_clock([&] {
    std::uint64_t weight = 0;
    bool decodes = false;
    for (const rtl::StatusSignal& signal : decoder.status()) {
      if (std::string(signal.name) == "decoding") decodes = signal.value != 0;
      if (std::string(signal.name) == "syndrome_weight") weight = signal.value;
    }
    if (decodes && decoding++ == 0) first_weight = weight;
  });
  std::vector<std::uint64_t> beats;
  for (const ecc::Lanes& column : in) beats.insert(beats.end(), column.word.begin(), column.word.end());
  std::vector<std::uint64_t> out(beats.size());
  decoder.run(beats.data(), 292, out.data(), 292, 10'000);
  const auto burst = decoder.run(nullptr, 0, out.data(), 292, 10'000);
  EXPECT_TRUE(burst.packet_out);
  EXPECT_EQ(decoding, expected.result.cycles);
  std::uint64_t weight = 0;
  for (const ecc::Lanes& row : ecc::LdpcCode::instance().syndrome(in)) {
    for (const std::uint64_t word : row.word) weight += static_cast<unsigned>(__builtin_popcountll(word));
  }
  EXPECT_EQ(first_weight, weight);
}

TEST(BitFlipRtl, ResetDiscardsWhatIsInside) {
  const ecc::CodeBits broken = received(1, 140);
  const ecc::CodeBits good = received(2, 30);
  for (const unsigned clocks : {1U, 100U, 292U, 300U, 500U, 1760U}) {
    BitFlipStream stream;
    rtl::LdpcBitFlipDecoder& decoder = stream.decoder();
    decoder.set_output_ready(true);
    unsigned beat = 0;
    for (unsigned i = 0; i < clocks; ++i) {
      decoder.offer(broken[beat / 4].word[beat % 4], beat + 1 == ecc::kStreamBeats);
      if (decoder.input_ready()) beat = (beat + 1) % ecc::kStreamBeats;
      decoder.clock();
    }
    EXPECT_TRUE(decoder.busy());
    decoder.reset();
    EXPECT_FALSE(decoder.busy());
    const auto out = stream.run({good});
    const Expected expected = model(good);
    EXPECT_EQ(out[0].success, expected.result.ok) << clocks;
    EXPECT_EQ(out[0].iterations, expected.result.iterations) << clocks;
    EXPECT_TRUE(out[0].bits == expected.bits) << clocks;
  }
}

/// What the simulation prints when a violated assertion stops it; "" when none does.
template <class Action>
std::string stopped_by(Action action) {
  ::testing::internal::CaptureStdout();
  bool stopped = false;
  try {
    action();
  } catch (const rtl::SimulationStopped&) {
    stopped = true;
  }
  const std::string output = ::testing::internal::GetCapturedStdout();
  return stopped ? output : "";
}

TEST(BitFlipRtl, MisplacedLastBeatStopsTheSimulation) {
  rtl::LdpcBitFlipDecoder decoder;
  decoder.offer(1, true);
  const std::string output = stopped_by([&] { decoder.clock(); });
  EXPECT_NE(output.find("tlast not on the last beat"), std::string::npos) << output;
}

/// Two codewords go in and nothing leaves; a beat of the third one waits at the input.
void fill(rtl::LdpcBitFlipDecoder& decoder) {
  for (unsigned beat = 0; beat < 2 * ecc::kStreamBeats; ++beat) {
    ASSERT_TRUE(decoder.input_ready());
    decoder.offer(0, beat % ecc::kStreamBeats == ecc::kStreamBeats - 1);
    decoder.clock();
  }
  decoder.offer(7, false);
  for (int i = 0; i < 400 && decoder.input_ready(); ++i) decoder.clock();
  ASSERT_FALSE(decoder.input_ready());
  decoder.clock();
}

TEST(BitFlipRtl, WithdrawnBeatStopsTheSimulation) {
  rtl::LdpcBitFlipDecoder decoder;
  fill(decoder);
  const std::string output = stopped_by([&] {
    decoder.nothing_offered();
    for (int i = 0; i < 2; ++i) decoder.clock();
  });
  EXPECT_NE(output.find("valid withdrawn before ready"), std::string::npos) << output;
}

TEST(BitFlipRtl, ChangedBeatStopsTheSimulation) {
  rtl::LdpcBitFlipDecoder decoder;
  fill(decoder);
  const std::string output = stopped_by([&] {
    decoder.offer(8, false);
    for (int i = 0; i < 2; ++i) decoder.clock();
  });
  EXPECT_NE(output.find("beat changed before ready"), std::string::npos) << output;
}

/// The result register has no reset: what it holds before the first codeword is what the block started with.
unsigned at_the_start() { return rtl::LdpcBitFlipDecoder().iterations(); }

TEST(BitFlipRtl, RegistersWithoutAResetHoldTheStartValue) {
  rtl::start_with_zeros();
  EXPECT_EQ(at_the_start(), 0U);
  rtl::start_with_ones();
  EXPECT_EQ(at_the_start(), 0xffU);
  rtl::start_with_random(1);
  const std::vector<unsigned> first{at_the_start(), at_the_start(), at_the_start()};
  rtl::start_with_random(1);
  const std::vector<unsigned> again{at_the_start(), at_the_start(), at_the_start()};
  rtl::start_with_random(2);
  const std::vector<unsigned> other{at_the_start(), at_the_start(), at_the_start()};
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  EXPECT_NE(first, std::vector<unsigned>(3, first[0])) << "every block starts with its own values";
  EXPECT_THROW(rtl::start_with_random(0), std::invalid_argument);
}

}  // namespace
}  // namespace wordline::testing
