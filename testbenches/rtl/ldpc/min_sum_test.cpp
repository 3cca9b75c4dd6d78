// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "rtl/verilated/simulation_stopped.h"
#include "testbenches/rtl/ldpc/min_sum_stream.h"

namespace wordline::testing {
namespace {

constexpr std::uint64_t kSeed = 0x6d73'756d;

/// As the wrapper sets them, and five reads.
constexpr std::array<ecc::LlrTable, 4> kTables{{{7, 7, 7, 7}, {2, 7, 7, 7}, {1, 2, 4, 7}, {0, 7, 7, 7}}};
constexpr ecc::LlrTable kFiveReads = ecc::kFiveReadLlr;

struct Expected {
  ecc::CodeBits bits;
  ecc::MinSumResult result;
};

Expected model(const Received& in, const ecc::LlrTable& llr, unsigned max_layers = ecc::MinSumDecoder::kMaxLayers) {
  static ecc::MinSumDecoder decoder;
  ecc::CodeBits bits = in.bits;
  const ecc::MinSumResult result = decoder.decode(bits, in.rel0, in.rel1, llr, max_layers);
  return {bits, result};
}

MinSumJob hard_job(std::uint64_t index, unsigned errors) {
  ecc::CodeBits bits = random_codeword(kSeed, index);
  add_errors(bits, errors, kSeed, index);
  return {{bits, {}, {}}, {static_cast<std::uint8_t>(index), 0, 0}};
}

/// Rates from easy to where most fail.
const SoftChannel& channel(unsigned reads, unsigned step) {
  static const std::map<unsigned, std::array<double, 3>> kRates{{2, {8e-3, 1.2e-2, 1.45e-2}},
                                                                {3, {1e-2, 1.45e-2, 1.75e-2}},
                                                                {5, {1.2e-2, 1.6e-2, 1.95e-2}},
                                                                {7, {1.2e-2, 1.7e-2, 2e-2}}};
  static std::map<std::pair<unsigned, unsigned>, SoftChannel> channels;
  return channels.try_emplace({reads, step}, reads, kRates.at(reads)[step]).first->second;
}

MinSumJob soft_job(std::uint64_t index, unsigned reads) {
  const unsigned step = static_cast<unsigned>(keyed_hash(kSeed, 7, index) % 3);
  MinSumJob job{channel(reads, step).read(random_codeword(kSeed, index), kSeed, index), {}};
  job.request.tag = static_cast<std::uint8_t>(index);
  job.request.profile = static_cast<std::uint8_t>(reads == 3 ? 1 : reads == 7 ? 2 : 3);
  job.request.soft_planes = static_cast<std::uint8_t>(reads <= 3 ? 1 : 2);
  return job;
}

struct Count {
  unsigned failed = 0;
  unsigned corrected = 0;
};

void expect_as_model(const MinSumJob& job, const MinSumOutput& out, const ecc::LlrTable& llr, Count& count) {
  const Expected expected = model(job.received, llr);
  ASSERT_EQ(out.tag, job.request.tag);
  ASSERT_EQ(out.success, expected.result.ok);
  ASSERT_EQ(out.layers, expected.result.layers);
  ASSERT_FALSE(out.aborted);
  ASSERT_TRUE(out.bits == expected.bits);
  ASSERT_GE(out.first_beat_clock, out.last_beat_in_clock + expected.result.cycles + 2);
  count.failed += out.success ? 0 : 1;
  count.corrected += out.success && out.layers > 8 ? 1 : 0;
}

struct Flow {
  const char* name;
  unsigned source;  // in 1/256 of the clocks
  unsigned sink;
  unsigned reads;  // 0: hard and all soft ones in turn
};

class MinSumFlow : public ::testing::TestWithParam<Flow> {};

TEST_P(MinSumFlow, EveryCodewordAsTheModel) {
  const Flow& flow = GetParam();
  MinSumStream stream(kSeed, flow.source, flow.sink);
  if (flow.reads == 5) stream.decoder().set_llr_table(3, kFiveReads);
  const std::uint64_t base = std::uint64_t{flow.source * 1000 + flow.sink} << 32;  // other codewords in each flow
  const unsigned count = sample(40);
  Count seen;
  constexpr unsigned kBatch = 40;  // codewords in the pipe without a pause
  for (unsigned first = 0; first < count; first += kBatch) {
    std::vector<MinSumJob> jobs;
    for (unsigned i = first; i < std::min(first + kBatch, count); ++i) {
      constexpr unsigned kTurn[4] = {1, 2, 3, 7};
      const unsigned reads = flow.reads == 0 ? kTurn[i % 4] : flow.reads;
      const auto errors = static_cast<unsigned>(keyed_hash(kSeed, 5, base + i) % 191);
      jobs.push_back(reads == 1 ? hard_job(base + i, errors) : soft_job(base + i, reads));
    }
    const std::vector<MinSumOutput> out = stream.run(jobs);
    for (unsigned i = 0; i < jobs.size(); ++i) {
      const unsigned profile = jobs[i].request.profile;
      expect_as_model(jobs[i], out[i], flow.reads == 5 ? kFiveReads : kTables[profile], seen);
      ASSERT_FALSE(HasFatalFailure()) << "codeword " << first + i;
    }
  }
  // The sample must hold both kinds, or the comparison says little.
  EXPECT_GE(seen.failed, count / 20);
  EXPECT_GE(seen.corrected, count / 3);
  EXPECT_FALSE(stream.decoder().busy());
  RecordProperty("codewords", static_cast<int>(count));
  RecordProperty("failed", static_cast<int>(seen.failed));
}

INSTANTIATE_TEST_SUITE_P(Ldpc, MinSumFlow,
                         ::testing::Values(Flow{"Hard", 256, 256, 1}, Flow{"TwoReads", 256, 256, 2},
                                           Flow{"ThreeReads", 256, 256, 3}, Flow{"FiveReads", 256, 256, 5},
                                           Flow{"SevenReads", 256, 256, 7}, Flow{"MixedSlowSource", 90, 256, 0},
                                           Flow{"MixedSlowSink", 256, 90, 0}, Flow{"MixedBothStutter", 180, 170, 0}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(MinSumRtl, TakesTheModelsClocks) {
  for (const unsigned errors : {0U, 1U, 60U, 140U, 200U}) {
    const MinSumJob job = hard_job(errors, errors);
    const Expected expected = model(job.received, kTables[0]);
    EXPECT_EQ(expected.result.ok, errors < 200);
    MinSumStream stream;
    const auto out = stream.run({job});
    // The verdict falls `cycles` clocks after the last beat in, the first beat out one more for the output register.
    EXPECT_EQ(out[0].last_beat_in_clock, 291U);
    EXPECT_EQ(out[0].first_beat_clock, 291 + expected.result.cycles + 2) << errors << " errors";
    EXPECT_EQ(out[0].last_beat_clock, out[0].first_beat_clock + 291);
  }
}

TEST(MinSumRtl, ASoftPlaneCostsItsBeats) {
  const MinSumJob three = soft_job(0, 3);
  const MinSumJob seven = soft_job(0, 7);
  MinSumStream stream;
  const auto out = stream.run({three, seven});
  EXPECT_EQ(out[0].last_beat_in_clock, 2 * 292 - 1U);
  EXPECT_EQ(out[0].first_beat_clock, out[0].last_beat_in_clock + model(three.received, kTables[1]).result.cycles + 2);
  // The second one is loaded while the first leaves, at most a column behind it.
  EXPECT_GE(out[1].last_beat_in_clock, out[0].first_beat_clock + 3 * 292 - 1);
  EXPECT_LE(out[1].last_beat_in_clock, out[0].first_beat_clock + 3 * 292 + 4);
  EXPECT_EQ(out[1].first_beat_clock, out[1].last_beat_in_clock + model(seven.received, kTables[2]).result.cycles + 2);
}

TEST(MinSumRtl, ShortenedBitsAreKnownWhateverIsSent) {
  MinSumJob job = hard_job(3, 100);
  const Expected expected = model(job.received, kTables[0]);
  for (const unsigned lane : {160U, 191U, 192U, 255U}) job.received.bits[ecc::kShortenedColumn].flip(lane);
  MinSumStream stream;
  const auto out = stream.run({job});
  EXPECT_TRUE(out[0].success);
  EXPECT_EQ(out[0].layers, expected.result.layers);
  EXPECT_TRUE(out[0].bits == expected.bits);
}

TEST(MinSumRtl, AKnownBitStandsAgainstAllItsChecks) {
  // A word of the code before shortening, with a one among the shortened bits: everything around speaks against the
  // known zero.
  const auto& code = ecc::LdpcCode::instance();
  ecc::CodeBits bits = random_codeword(kSeed, 4);
  ecc::CodeBits one{};
  one[ecc::kShortenedColumn].flip(200);
  const ecc::Syndrome syndrome = code.syndrome(one);
  for (unsigned r = 0; r < ecc::kBlockRows; ++r) {
    for (unsigned c = 0; c < ecc::kBlockRows; ++c) {
      for (unsigned k = 0; k < 256; ++k) {
        if (code.inverse(r, c).test(k)) one[ecc::kInformationColumns + r] ^= ecc::rotate(syndrome[c], k);
      }
    }
  }
  for (const ecc::Lanes& row : code.syndrome(one)) ASSERT_FALSE(row.any());
  for (unsigned c = 0; c < ecc::kBlockColumns; ++c) bits[c] ^= one[c];
  for (const unsigned errors : {0U, 60U}) {
    MinSumJob job{{bits, {}, {}}, {}};
    add_errors(job.received.bits, errors, kSeed, 4);
    MinSumStream stream;
    const auto out = stream.run({job});
    Count count;
    expect_as_model(job, out[0], kTables[0], count);
    EXPECT_FALSE(out[0].bits[ecc::kShortenedColumn].test(200));
  }
}

TEST(MinSumRtl, EveryMagnitudeOfTheTableCounts) {
  // One plane of each kind of table; the reliability planes hold all four symbols at random, right or not.
  for (unsigned i = 0; i < 8; ++i) {
    ecc::LlrTable table{};
    for (unsigned s = 0; s < 4; ++s) table[s] = static_cast<std::uint8_t>(s == i % 4 ? 7 - i / 4 : (i + s) % 8);
    MinSumJob job = hard_job(i, 8 * i);
    for (unsigned beat = 0; beat < ecc::kStreamBeats; ++beat) {
      job.received.rel0[beat / 4].word[beat % 4] = keyed_hash(kSeed, 8, i, beat);
      job.received.rel1[beat / 4].word[beat % 4] = keyed_hash(kSeed, 9, i, beat);
    }
    job.request = {7, static_cast<std::uint8_t>(i % 4), 2};
    MinSumStream stream;
    stream.decoder().set_llr_table(i % 4, table);
    const auto out = stream.run({job});
    Count count;
    expect_as_model(job, out[0], table, count);
    ASSERT_FALSE(HasFatalFailure()) << "table " << i;
  }
}

TEST(MinSumRtl, PlanesThatAreNotSentAreZero) {
  // A codeword with two planes goes before: nothing of it may be left.
  const MinSumJob first = soft_job(1, 7);
  MinSumJob hard = hard_job(2, 120);
  hard.request.profile = 2;  // magnitude 1 everywhere, if the planes count as zero
  MinSumJob one = soft_job(3, 3);
  one.request.profile = 2;
  MinSumStream stream;
  const auto out = stream.run({first, hard, one});
  Count count;
  expect_as_model(hard, out[1], kTables[2], count);
  expect_as_model(one, out[2], kTables[2], count);
}

TEST(MinSumRtl, GivesUpAfterTheIterationsItIsAllowed) {
  for (const unsigned limit : {0U, 1U, 3U, 31U}) {
    MinSumStream stream;
    stream.decoder().set_max_iterations(limit);
    std::vector<MinSumJob> jobs;
    for (unsigned i = 0; i < 4; ++i) jobs.push_back(hard_job(i, i * 60));
    const auto out = stream.run(jobs);
    for (unsigned i = 0; i < jobs.size(); ++i) {
      const Expected expected = model(jobs[i].received, kTables[0], 8 * limit);
      EXPECT_EQ(out[i].success, expected.result.ok) << i << " with " << limit;
      EXPECT_EQ(out[i].layers, expected.result.layers) << i << " with " << limit;
      EXPECT_TRUE(out[i].bits == expected.bits) << i << " with " << limit;
      EXPECT_FALSE(out[i].aborted);
    }
    EXPECT_FALSE(out[3].success);
    EXPECT_EQ(out[3].layers, 8 * limit);
  }
}

TEST(MinSumRtl, AnAbortEndsTheLayerAndOnlyThisCodeword) {
  const std::vector<MinSumJob> jobs{hard_job(1, 200), hard_job(2, 90)};
  const Expected second = model(jobs[1].received, kTables[0]);
  // While loading, its last clock, the first and last clocks of the first layer (74 clocks), later.
  for (const unsigned clock : {100U, 291U, 292U, 365U, 366U, 400U, 3000U}) {
    const unsigned layers = clock <= 291 ? 0 : clock <= 365 ? 1 : clock <= 437 ? 2 : 38;
    MinSumStream stream;
    stream.abort_at({clock});
    const auto out = stream.run(jobs);
    EXPECT_TRUE(out[0].aborted) << clock;
    EXPECT_FALSE(out[0].success);
    EXPECT_EQ(out[0].layers, layers) << clock;
    const Expected first = model(jobs[0].received, kTables[0], layers);
    EXPECT_TRUE(out[0].bits == first.bits) << clock;
    EXPECT_EQ(out[0].first_beat_clock, 291 + first.result.cycles + 2) << clock;
    EXPECT_TRUE(out[1].success) << clock;
    EXPECT_FALSE(out[1].aborted);
    EXPECT_TRUE(out[1].bits == second.bits);
  }
}

TEST(MinSumRtl, AnAbortBetweenTwoPlanesEndsTheCodeword) {
  // With a source that never pauses, planes end with clocks 291 and 583: in 292 and 584 no beat of a plane is in yet.
  const std::vector<MinSumJob> jobs{soft_job(4, 7), hard_job(2, 90)};
  for (const unsigned clock : {291U, 292U, 293U, 583U, 584U, 585U}) {
    MinSumStream stream;
    stream.abort_at({clock});
    const auto out = stream.run(jobs);
    EXPECT_TRUE(out[0].aborted) << clock;
    EXPECT_EQ(out[0].layers, 0U) << clock;
    EXPECT_FALSE(out[1].aborted) << clock;
    EXPECT_TRUE(out[1].bits == model(jobs[1].received, kTables[0]).bits) << clock;
  }
}

TEST(MinSumRtl, AnAbortLeavesAVerdictAlone) {
  const std::vector<MinSumJob> jobs{hard_job(1, 0)};
  // In the last clock of the eighth layer the success counts more; in the verdict's clock and later there is nothing to
  // do.
  for (const unsigned clock : {0U, 291 + 582U, 291 + 583U, 291 + 584U, 291 + 600U}) {
    MinSumStream one;
    one.abort_at({clock});
    const auto out = one.run(jobs);
    EXPECT_TRUE(out[0].success) << clock;
    EXPECT_FALSE(out[0].aborted) << clock;
  }
}

TEST(MinSumRtl, AbortsAtRandomLoseNothing) {
  std::vector<MinSumJob> jobs;
  std::vector<std::uint64_t> clocks;
  for (unsigned i = 0; i < 30; ++i) jobs.push_back(i % 3 == 0 ? soft_job(i, 3) : hard_job(i, 60 + 4 * i));
  for (unsigned i = 0; i < 60; ++i) clocks.push_back(i * 6000 + keyed_hash(kSeed, 10, i) % 6000);
  MinSumStream stream(kSeed, 200, 200);
  stream.abort_at(clocks);
  const auto out = stream.run(jobs);
  unsigned aborted = 0;
  for (unsigned i = 0; i < jobs.size(); ++i) {
    const ecc::LlrTable& table = kTables[jobs[i].request.profile];
    const Expected expected = model(jobs[i].received, table, out[i].aborted ? out[i].layers : 160);
    ASSERT_EQ(out[i].tag, jobs[i].request.tag);
    ASSERT_EQ(out[i].layers, expected.result.layers);
    ASSERT_EQ(out[i].success, expected.result.ok);
    ASSERT_TRUE(out[i].bits == expected.bits);
    aborted += out[i].aborted ? 1 : 0;
  }
  EXPECT_GE(aborted, 10U);
  EXPECT_LE(aborted, 27U);
}

TEST(MinSumRtl, ResetDiscardsWhatIsInside) {
  const MinSumJob broken = hard_job(1, 200);
  const MinSumJob good = soft_job(2, 7);
  for (const unsigned clocks : {1U, 100U, 292U, 300U, 400U, 2000U, 12'000U}) {
    MinSumStream stream;
    rtl::LdpcMinSumDecoder& decoder = stream.decoder();
    decoder.set_output_ready(true);
    unsigned beat = 0;
    for (unsigned i = 0; i < clocks; ++i) {
      decoder.offer(broken.received.bits[beat / 4].word[beat % 4], beat + 1 == ecc::kStreamBeats);
      if (decoder.input_ready()) beat = (beat + 1) % ecc::kStreamBeats;
      decoder.clock();
    }
    EXPECT_TRUE(decoder.busy());
    decoder.reset();
    EXPECT_FALSE(decoder.busy());
    const auto out = stream.run({good});
    Count count;
    expect_as_model(good, out[0], kTables[2], count);
    ASSERT_FALSE(HasFatalFailure()) << clocks;
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

TEST(MinSumRtl, MisplacedLastBeatStopsTheSimulation) {
  rtl::LdpcMinSumDecoder decoder;
  decoder.offer(1, true);
  EXPECT_NE(stopped_by([&] { decoder.clock(); }).find("tlast not on the last beat"), std::string::npos);
}

TEST(MinSumRtl, ARequestThatChangesStopsTheSimulation) {
  rtl::LdpcMinSumDecoder decoder;
  decoder.set_request({1, 0, 1});
  decoder.offer(1, false);
  for (int i = 0; i < 3; ++i) decoder.clock();
  decoder.set_request({2, 0, 1});
  EXPECT_NE(stopped_by([&] { decoder.clock(); }).find("tuser changes within a codeword"), std::string::npos);
}

/// A codeword in bursts of at most `limit` clocks.
struct InBursts {
  ecc::CodeBits bits{};
  unsigned layers = 0;
  std::uint64_t clocks = 0;
};

InBursts play(rtl::LdpcMinSumDecoder& decoder, const MinSumJob& job, std::uint64_t limit) {
  InBursts result;
  decoder.set_request(job.request);
  unsigned plane = 0;
  unsigned beat = 0;
  std::vector<std::uint64_t> out(ecc::kStreamBeats);
  unsigned received = 0;
  while (received < ecc::kStreamBeats) {
    std::vector<std::uint64_t> in;
    if (plane <= job.request.soft_planes) {
      const auto& bits = plane == 0 ? job.received.bits : plane == 1 ? job.received.rel0 : job.received.rel1;
      for (const ecc::Lanes& column : bits) in.insert(in.end(), column.word.begin(), column.word.end());
      in.erase(in.begin(), in.begin() + beat);
    }
    const auto burst = decoder.run(in.data(), static_cast<unsigned>(in.size()), out.data() + received,
                                   ecc::kStreamBeats - received, limit);
    EXPECT_LE(burst.clocks, limit);
    EXPECT_GT(burst.clocks, 0U);
    if (burst.clocks == 0) break;
    result.clocks += burst.clocks;
    beat += burst.beats_in;
    if (beat == ecc::kStreamBeats) {
      beat = 0;
      ++plane;
    }
    received += burst.beats_out;
    EXPECT_EQ(burst.packet_out, received == ecc::kStreamBeats);
    result.layers = decoder.layers();
  }
  for (unsigned i = 0; i < ecc::kStreamBeats; ++i) result.bits[i / 4].word[i % 4] = out[i];
  return result;
}

TEST(MinSumRtl, BurstsOfAnyLengthAreTheSameClocks) {
  const MinSumJob job = soft_job(2, 7);
  const Expected expected = model(job.received, kTables[2]);
  for (const std::uint64_t limit : {1U, 7U, 291U, 1'000'000U}) {
    rtl::LdpcMinSumDecoder decoder;
    const std::uint64_t before = decoder.clocks();
    const InBursts result = play(decoder, job, limit);
    EXPECT_TRUE(result.bits == expected.bits) << limit;
    EXPECT_EQ(result.layers, expected.result.layers) << limit;
    // Three planes in, decoding, a clock of the output register, the packet out.
    EXPECT_EQ(result.clocks, 3 * 292 + expected.result.cycles + 1 + 292) << limit;
    EXPECT_EQ(decoder.clocks() - before, result.clocks);
    EXPECT_FALSE(decoder.busy());
    EXPECT_EQ(decoder.run(nullptr, 0, nullptr, 0, 100).clocks, 0U) << "an idle block needs no clocks";
  }
}

TEST(MinSumRtl, AnObserverSeesTheStatusOfEveryClock) {
  const MinSumJob job = hard_job(5, 100);
  const Expected expected = model(job.received, kTables[0]);
  rtl::LdpcMinSumDecoder decoder;
  std::map<std::string, std::uint64_t> largest;
  std::uint64_t calls = 0;
  std::uint64_t decoding = 0;
  decoder.on_clock([&] {
    ++calls;
    for (const rtl::StatusSignal& signal : decoder.status()) {
      EXPECT_LT(signal.value, std::uint64_t{1} << signal.bits) << signal.name;
      largest[signal.name] = std::max(largest[signal.name], signal.value);
      if (std::string(signal.name) == "state" && signal.value != 0) ++decoding;
    }
  });
  const InBursts result = play(decoder, job, 1'000'000);
  EXPECT_EQ(calls, result.clocks);
  EXPECT_EQ(decoding, expected.result.cycles);
  EXPECT_EQ(largest["layers"], expected.result.layers);
  EXPECT_GT(largest["odd_checks"], 20U);
  EXPECT_LE(largest["odd_checks"], 256U);
  for (const char* name : {"in_valid", "in_ready", "out_valid", "out_ready", "busy"})
    EXPECT_EQ(largest[name], 1U) << name;
}

TEST(MinSumRtl, BlocksMayGoInAnyOrder) {
  auto first = std::make_unique<rtl::LdpcMinSumDecoder>();
  auto second = std::make_unique<rtl::LdpcMinSumDecoder>();
  auto third = std::make_unique<rtl::LdpcMinSumDecoder>();
  third.reset();
  first.reset();
  second->offer(1, true);
  EXPECT_NE(stopped_by([&] { second->clock(); }), "");
}

TEST(MinSumRtl, RegistersRefuseWhatTheyCannotHold) {
  rtl::LdpcMinSumDecoder decoder;
  EXPECT_THROW(decoder.set_max_iterations(32), std::invalid_argument);
  EXPECT_THROW(decoder.set_llr_table(4, {1, 1, 1, 1}), std::invalid_argument);
  EXPECT_THROW(decoder.set_llr_table(0, {1, 1, 8, 1}), std::invalid_argument);
  EXPECT_THROW(decoder.set_request({0, 4, 0}), std::invalid_argument);
  EXPECT_THROW(decoder.set_request({0, 0, 3}), std::invalid_argument);
}

}  // namespace
}  // namespace wordline::testing
