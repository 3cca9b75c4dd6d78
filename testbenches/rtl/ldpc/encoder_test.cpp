// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "models/ecc/code/ldpc_code.h"
#include "rtl/verilated/ldpc_encoder.h"
#include "rtl/verilated/simulation_stopped.h"
#include "testbenches/rtl/ldpc/bit_flip_stream.h"

namespace wordline::testing {
namespace {

constexpr std::uint64_t kSeed = 0x656e'636f;

struct Encoded {
  std::vector<ecc::CodeBits> codewords;
  std::vector<std::uint64_t> last_beat_clocks;
};

/// Plays the information columns of `words` through the encoder. In 1/256: how often a beat is offered, and taken.
Encoded encode(const std::vector<ecc::CodeBits>& words, unsigned source, unsigned sink) {
  rtl::LdpcEncoder encoder;
  Encoded result;
  ecc::CodeBits current{};
  std::size_t sent = 0;
  unsigned beat_in = 0;
  unsigned beat_out = 0;
  bool offered = false;
  for (std::uint64_t clock = 0; result.codewords.size() < words.size(); ++clock) {
    if (clock > words.size() * 10'000) throw std::runtime_error("the encoder hangs");
    if (!offered && sent < words.size() && (keyed_hash(kSeed, 3, clock) & 255) < source) {
      encoder.offer(words[sent][beat_in / 4].word[beat_in % 4], beat_in + 1 == rtl::LdpcEncoder::kInformationBeats);
      offered = true;
    }
    const bool take = (keyed_hash(kSeed, 4, clock) & 255) < sink;
    encoder.set_output_ready(take);
    const bool moved_in = offered && encoder.input_ready();
    if (take && encoder.output_valid()) {
      current[beat_out / 4].word[beat_out % 4] = encoder.output_data();
      if (encoder.output_last() != (++beat_out == ecc::kStreamBeats)) throw std::runtime_error("misplaced tlast");
      if (beat_out == ecc::kStreamBeats) {
        result.codewords.push_back(current);
        result.last_beat_clocks.push_back(clock);
        beat_out = 0;
      }
    }
    encoder.clock();
    if (moved_in) {
      offered = false;
      encoder.nothing_offered();
      if (++beat_in == rtl::LdpcEncoder::kInformationBeats) {
        beat_in = 0;
        ++sent;
      }
    }
  }
  for (int i = 0; i < 2; ++i) encoder.clock();
  if (encoder.busy()) throw std::runtime_error("the encoder stays busy");
  return result;
}

struct Flow {
  const char* name;
  unsigned source;
  unsigned sink;
};

class EncoderFlow : public ::testing::TestWithParam<Flow> {};

TEST_P(EncoderFlow, EveryCodewordAsTheModel) {
  std::vector<ecc::CodeBits> words;
  for (unsigned i = 0; i < 60; ++i) words.push_back(random_codeword(kSeed, i));
  // One bit alone, in each word of the first and the last information column: the terms of the sum one by one.
  for (const unsigned bit : {0U, 64U, 128U, 255U, 16384U, 16543U}) {
    ecc::CodeBits bits{};
    bits[bit / 256].flip(bit % 256);
    ecc::LdpcCode::instance().encode(bits);
    words.push_back(bits);
  }
  words.push_back(ecc::CodeBits{});
  const Encoded encoded = encode(words, GetParam().source, GetParam().sink);
  for (unsigned i = 0; i < words.size(); ++i) {
    ASSERT_TRUE(encoded.codewords[i] == words[i]) << "codeword " << i;
    ASSERT_TRUE(ecc::LdpcCode::instance().is_codeword(encoded.codewords[i])) << "codeword " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Ldpc, EncoderFlow,
                         ::testing::Values(Flow{"Free", 256, 256}, Flow{"SlowSource", 90, 256},
                                           Flow{"SlowSink", 256, 90}, Flow{"BothStutter", 180, 170}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(EncoderRtl, TakesTheClocksItsHeaderStates) {
  std::vector<ecc::CodeBits> words(4, random_codeword(kSeed, 1));
  const Encoded encoded = encode(words, 256, 256);
  // 260 + 64 + 32 clocks, the last beat seen one clock after it entered the output register.
  EXPECT_EQ(encoded.last_beat_clocks[0], 356U);
  for (unsigned i = 1; i < words.size(); ++i) {
    EXPECT_EQ(encoded.last_beat_clocks[i] - encoded.last_beat_clocks[i - 1], 356U);
  }
}

/// One codeword up to `clocks`; its beats so far. The source has a beat in every `pause`th clock, the sink takes all or
/// nothing.
struct Played {
  unsigned in = 0;
  std::vector<std::uint64_t> out;
};
Played play(rtl::LdpcEncoder& encoder, const ecc::CodeBits& word, std::uint64_t clocks, bool sink = true,
            unsigned pause = 1) {
  Played played;
  encoder.set_output_ready(sink);
  for (std::uint64_t clock = 0; clock < clocks; ++clock) {
    const bool more = played.in < rtl::LdpcEncoder::kInformationBeats && clock % pause == 0;
    EXPECT_EQ(encoder.busy(), played.in > 0 && played.out.size() < ecc::kStreamBeats) << "clock " << clock;
    if (more) {
      encoder.offer(word[played.in / 4].word[played.in % 4], played.in + 1 == rtl::LdpcEncoder::kInformationBeats);
    } else {
      encoder.nothing_offered();
    }
    const bool moves = more && encoder.input_ready();
    if (sink && encoder.output_valid()) played.out.push_back(encoder.output_data());
    encoder.clock();
    if (moves) ++played.in;
  }
  return played;
}

TEST(EncoderRtl, ItIsBusyFromTheFirstBeatInToTheLastOneOut) {
  // In each clock, by play(): also while it multiplies, and while only the output register holds a beat.
  rtl::LdpcEncoder encoder;
  const ecc::CodeBits word = random_codeword(kSeed, 7);
  EXPECT_EQ(play(encoder, word, 500).out.size(), ecc::kStreamBeats);
  EXPECT_FALSE(encoder.busy());
  EXPECT_EQ(play(encoder, word, 1500, true, 4).out.size(), ecc::kStreamBeats) << "nothing moves between two beats";
  EXPECT_FALSE(encoder.busy());
}

TEST(EncoderRtl, ResetDiscardsWhatIsInside) {
  const ecc::CodeBits before = random_codeword(kSeed, 8);
  const ecc::CodeBits after = random_codeword(kSeed, 9);
  // Information, its last beat, multiplying, parity; with a sink that takes nothing, the two beats of the output.
  for (const unsigned clocks : {1U, 3U, 130U, 259U, 260U, 261U, 290U, 323U, 324U, 330U, 355U}) {
    for (const bool sink : {true, false}) {
      rtl::LdpcEncoder encoder;
      play(encoder, before, clocks, sink);
      EXPECT_TRUE(encoder.busy()) << clocks;
      encoder.reset();
      EXPECT_FALSE(encoder.busy()) << clocks;
      const Played played = play(encoder, after, 357);
      ASSERT_EQ(played.out.size(), ecc::kStreamBeats) << "reset after " << clocks;
      for (unsigned i = 0; i < ecc::kStreamBeats; ++i) {
        ASSERT_EQ(played.out[i], after[i / 4].word[i % 4]) << "beat " << i << ", reset after " << clocks;
      }
    }
  }
}

TEST(EncoderRtl, AShortenedBitThatIsSetStopsTheSimulation) {
  ecc::CodeBits bits{};
  bits[ecc::kShortenedColumn].flip(160);
  ::testing::internal::CaptureStdout();
  EXPECT_THROW(encode({bits}, 256, 256), rtl::SimulationStopped);
  EXPECT_NE(::testing::internal::GetCapturedStdout().find("a shortened bit is set"), std::string::npos);
}

}  // namespace
}  // namespace wordline::testing
