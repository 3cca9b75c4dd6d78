// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "models/ecc/decoders/bit_flipping_decoder.h"
#include "rtl/verilated/ldpc_decoder_cluster.h"
#include "rtl/verilated/simulation_stopped.h"
#include "testbenches/rtl/ldpc/codewords.h"

namespace wordline::testing {
namespace {

using rtl::LdpcDecoderCluster;
using Path = LdpcDecoderCluster::Path;
constexpr std::uint64_t kSeed = 0x636c'7573;
constexpr unsigned kChannels = LdpcDecoderCluster::kChannels;
constexpr std::array<ecc::LlrTable, 4> kTables{{{7, 7, 7, 7}, {2, 7, 7, 7}, {1, 2, 4, 7}, {0, 7, 7, 7}}};

struct Job {
  Received received;
  LdpcDecoderCluster::Request request;
};

struct Output {
  ecc::CodeBits bits{};
  LdpcDecoderCluster::Result result{};
  unsigned corrected = 0;
  std::uint64_t clock = 0;  // of its verdict
};

Job hard_job(std::uint64_t index, unsigned errors, Path path = Path::kEscalate) {
  ecc::CodeBits bits = random_codeword(kSeed, index);
  add_errors(bits, errors, kSeed, index);
  return {{bits, {}, {}}, {static_cast<std::uint8_t>(index), path, 0, 0}};
}

Job soft_job(std::uint64_t index, unsigned reads) {
  static const SoftChannel three(3, 1.35e-2);
  static const SoftChannel seven(7, 1.6e-2);
  const SoftChannel& channel = reads == 3 ? three : seven;
  return {channel.read(random_codeword(kSeed, index), kSeed, index),
          {static_cast<std::uint8_t>(index), Path::kTier2Only, static_cast<std::uint8_t>(reads == 3 ? 1 : 2),
           static_cast<std::uint8_t>(reads == 3 ? 1 : 2)}};
}

/// A mix in which tier 2 is needed about every third time.
Job any_job(std::uint64_t index) {
  switch (keyed_hash(kSeed, 11, index) % 12) {
    case 0:
      return soft_job(index, 3);
    case 1:
      return soft_job(index, 7);
    case 2:
      return hard_job(index, 100, Path::kTier2Only);
    case 3:
      return hard_job(index, 110, Path::kTier1Only);
    case 4:
      return hard_job(index, 170);
    case 5:
      return hard_job(index, 115);
    case 6:
      return hard_job(index, 0, Path::kTier2Only);
    default:
      return hard_job(index, static_cast<unsigned>(keyed_hash(kSeed, 5, index) % 90));
  }
}

struct Expected {
  ecc::CodeBits bits;
  LdpcDecoderCluster::Result result;
};

Expected model(const Job& job) {
  static ecc::MinSumDecoder min_sum;
  Expected expected{job.received.bits, {job.request.tag, false, false, false, 0}};
  if (job.request.path != Path::kTier2Only) {
    const auto tier1 = ecc::BitFlippingDecoder::decode(expected.bits);
    expected.result.success = tier1.ok;
    expected.result.iterations = static_cast<std::uint8_t>(tier1.iterations);
    if (tier1.ok || job.request.path == Path::kTier1Only) return expected;
  }
  expected.bits = job.received.bits;
  const auto tier2 = min_sum.decode(expected.bits, job.received.rel0, job.received.rel1, kTables[job.request.profile]);
  expected.result = {job.request.tag, tier2.ok, false, true, static_cast<std::uint8_t>((tier2.layers + 7) / 8)};
  return expected;
}

unsigned difference(const ecc::CodeBits& a, const ecc::CodeBits& b) {
  unsigned bits = 0;
  for (unsigned c = 0; c < ecc::kBlockColumns; ++c) {
    for (unsigned i = 0; i < 4; ++i) bits += static_cast<unsigned>(__builtin_popcountll(a[c].word[i] ^ b[c].word[i]));
  }
  return bits;
}

/// Plays a list of codewords through each channel. In 1/256: how often a source has a beat, a sink takes one or a
/// verdict.
class ClusterBench {
 public:
  ClusterBench(unsigned source, unsigned sink) : source_(source), sink_(sink) {}

  LdpcDecoderCluster& cluster() { return cluster_; }
  [[nodiscard]] std::uint64_t now() const { return clock_; }
  /// Outputs of channel c in the order in which they left.
  [[nodiscard]] const std::vector<Output>& outputs(unsigned c) const { return channels_[c].outputs; }
  void give_up_at(unsigned channel, std::uint64_t clock) { give_up_.emplace(clock, channel); }
  /// Clocks before which nothing of channel c is offered from its codeword `first` on, taken, or judged.
  void offer_from(unsigned c, std::size_t first, std::uint64_t clock) { channels_[c].offers.emplace(first, clock); }
  void take_from(unsigned c, std::uint64_t clock) { channels_[c].takes = clock; }
  void judge_from(unsigned c, std::uint64_t clock) { channels_[c].judges = clock; }
  /// Beats of packets taken from channel c.
  [[nodiscard]] std::uint64_t beats_taken(unsigned c) const { return channels_[c].beats_taken; }

  /// Plays the beginning of `jobs`, then resets; what was inside is forgotten.
  void play_and_reset(const std::array<std::vector<Job>, kChannels>& jobs, std::uint64_t clocks) {
    for (std::uint64_t i = 0; i < clocks; ++i) step(jobs);
    cluster_.reset();
    for (unsigned c = 0; c < kChannels; ++c) {
      channels_[c] = Channel{};
      packets_[c].clear();
      verdicts_[c].clear();
    }
  }
  void step_on(const std::array<std::vector<Job>, kChannels>& jobs, std::uint64_t clocks) {
    for (std::uint64_t i = 0; i < clocks; ++i) step(jobs);
  }

  void run(const std::array<std::vector<Job>, kChannels>& jobs) {
    std::size_t wanted = 0;
    for (const auto& list : jobs) wanted += list.size();
    const std::uint64_t patience = clock_ + 50'000 + wanted * 20'000;
    while (finished() < wanted) {
      if (clock_ > patience) throw std::runtime_error("the cluster hangs");
      step(jobs);
    }
    // A codeword too many would show up now.
    for (int i = 0; i < 50 || (cluster_.busy() && i < 20'000); ++i) step(jobs);
    if (cluster_.busy()) throw std::runtime_error("the cluster stays busy");
  }

 private:
  struct Channel {
    std::size_t sent = 0;
    unsigned plane = 0;
    unsigned beat_in = 0;
    bool offered = false;
    unsigned beat_out = 0;
    Output current;
    std::vector<Output> outputs;
    std::map<std::size_t, std::uint64_t> offers;
    std::uint64_t takes = 0;
    std::uint64_t judges = 0;
    std::uint64_t beats_taken = 0;

    [[nodiscard]] bool may_offer(std::uint64_t clock) const {
      const auto found = offers.find(sent);
      return found == offers.end() || clock >= found->second;
    }
  };

  [[nodiscard]] std::size_t finished() const {
    std::size_t n = 0;
    for (const Channel& c : channels_) n += c.outputs.size();
    return n;
  }

  void step(const std::array<std::vector<Job>, kChannels>& jobs) {
    std::array<bool, kChannels> moved_in{};
    for (unsigned c = 0; c < kChannels; ++c) {
      cluster_.set_give_up(c, false);
      Channel& channel = channels_[c];
      if (!channel.offered && channel.sent < jobs[c].size() && channel.may_offer(clock_) &&
          (keyed_hash(kSeed, 3, clock_, c) & 255) < source_) {
        const Job& job = jobs[c][channel.sent];
        const auto& bits = channel.plane == 0   ? job.received.bits
                           : channel.plane == 1 ? job.received.rel0
                                                : job.received.rel1;
        cluster_.offer(c, job.request, bits[channel.beat_in / 4].word[channel.beat_in % 4],
                       channel.beat_in + 1 == ecc::kStreamBeats);
        channel.offered = true;
      }
    }
    for (auto [i, end] = give_up_.equal_range(clock_); i != end; ++i) cluster_.set_give_up(i->second, true);
    for (unsigned c = 0; c < kChannels; ++c) {
      const bool take = clock_ >= channels_[c].takes && (keyed_hash(kSeed, 4, clock_, c) & 255) < sink_;
      const bool take_verdict = clock_ >= channels_[c].judges && (keyed_hash(kSeed, 12, clock_, c) & 255) < sink_;
      cluster_.set_output_ready(c, take);
      cluster_.set_verdict_ready(c, take_verdict);
      if (take && cluster_.output_valid(c)) collect(c);
      if (take_verdict && cluster_.verdict_valid(c)) collect_verdict(c);
    }
    for (unsigned c = 0; c < kChannels; ++c) moved_in[c] = channels_[c].offered && cluster_.input_ready(c);
    cluster_.clock();
    ++clock_;
    for (unsigned c = 0; c < kChannels; ++c) {
      Channel& channel = channels_[c];
      if (!moved_in[c]) continue;
      channel.offered = false;
      cluster_.nothing_offered(c);
      if (++channel.beat_in < ecc::kStreamBeats) continue;
      channel.beat_in = 0;
      if (channel.plane++ < jobs[c][channel.sent].request.soft_planes) continue;
      channel.plane = 0;
      ++channel.sent;
    }
  }

  void collect(unsigned c) {
    Channel& channel = channels_[c];
    ++channel.beats_taken;
    if (channel.beat_out == 0) channel.current.result = cluster_.output_result(c);
    if (cluster_.output_result(c).tag != channel.current.result.tag) throw std::runtime_error("packets are mixed");
    channel.current.bits[channel.beat_out / 4].word[channel.beat_out % 4] = cluster_.output_data(c);
    if (cluster_.output_last(c) != (++channel.beat_out == ecc::kStreamBeats))
      throw std::runtime_error("misplaced tlast");
    if (channel.beat_out < ecc::kStreamBeats) return;
    channel.beat_out = 0;
    packets_[c].push_back(channel.current);
    match(c);
  }

  void collect_verdict(unsigned c) {
    Output verdict;
    verdict.result = cluster_.verdict(c);
    verdict.corrected = cluster_.corrected(c);
    verdict.clock = clock_;
    verdicts_[c].push_back(verdict);
    match(c);
  }

  /// Packets and verdicts of a channel come in the same order; either may be taken first.
  void match(unsigned c) {
    while (!packets_[c].empty() && !verdicts_[c].empty()) {
      Output out = verdicts_[c].front();
      const Output& packet = packets_[c].front();
      if (packet.result.tag != out.result.tag || packet.result.success != out.result.success ||
          packet.result.tier2 != out.result.tier2 || packet.result.iterations != out.result.iterations) {
        throw std::runtime_error("a packet and its verdict differ");
      }
      out.bits = packet.bits;
      channels_[c].outputs.push_back(out);
      packets_[c].pop_front();
      verdicts_[c].pop_front();
    }
  }

  LdpcDecoderCluster cluster_;
  unsigned source_;
  unsigned sink_;
  std::multimap<std::uint64_t, unsigned> give_up_;
  std::uint64_t clock_ = 0;
  std::array<Channel, kChannels> channels_;
  std::array<std::deque<Output>, kChannels> packets_;
  std::array<std::deque<Output>, kChannels> verdicts_;
};

const Output& by_tag(const std::vector<Output>& outputs, std::uint8_t tag) {
  const Output* found = nullptr;
  for (const Output& out : outputs) {
    if (out.result.tag != tag) continue;
    if (found != nullptr) throw std::runtime_error("tag " + std::to_string(tag) + " left twice");
    found = &out;
  }
  if (found == nullptr) throw std::runtime_error("tag " + std::to_string(tag) + " was lost");
  return *found;
}

void expect_as_model(const Job& job, const Output& out) {
  const Expected expected = model(job);
  EXPECT_EQ(out.result.success, expected.result.success);
  EXPECT_EQ(out.result.tier2, expected.result.tier2);
  EXPECT_EQ(out.result.iterations, expected.result.iterations);
  EXPECT_FALSE(out.result.aborted);
  EXPECT_TRUE(out.bits == expected.bits);
  EXPECT_EQ(out.corrected, difference(expected.bits, job.received.bits));
}

struct Flow {
  const char* name;
  unsigned source;
  unsigned sink;
};

class ClusterFlow : public ::testing::TestWithParam<Flow> {};

TEST_P(ClusterFlow, EveryCodewordAsTheModelsAndOnce) {
  const unsigned per_channel = sample(60) / kChannels;
  unsigned of_tier2 = 0;
  unsigned failed = 0;
  constexpr unsigned kBatch = 200;  // tags are unique in a batch
  for (unsigned first = 0; first < per_channel; first += kBatch) {
    std::array<std::vector<Job>, kChannels> jobs;
    const unsigned last = std::min(first + kBatch, per_channel);
    for (unsigned c = 0; c < kChannels; ++c) {
      for (unsigned i = first; i < last; ++i) {
        jobs[c].push_back(any_job(std::uint64_t{c} << 32 | i));
        jobs[c].back().request.tag = static_cast<std::uint8_t>((i - first) * 37);  // every bit, and each once
      }
    }
    ClusterBench bench(GetParam().source, GetParam().sink);
    bench.run(jobs);
    for (unsigned c = 0; c < kChannels; ++c) {
      ASSERT_EQ(bench.outputs(c).size(), jobs[c].size());
      for (const Job& job : jobs[c]) {
        const Output& out = by_tag(bench.outputs(c), job.request.tag);
        expect_as_model(job, out);
        ASSERT_FALSE(HasFailure()) << "channel " << c << " from " << first << ", tag " << int{job.request.tag};
        of_tier2 += out.result.tier2 ? 1 : 0;
        failed += out.result.success ? 0 : 1;
      }
    }
  }
  EXPECT_GE(of_tier2, per_channel);
  EXPECT_GE(failed, per_channel / 8);
  RecordProperty("codewords", static_cast<int>(per_channel * kChannels));
  RecordProperty("failed", static_cast<int>(failed));
}

INSTANTIATE_TEST_SUITE_P(Ldpc, ClusterFlow,
                         ::testing::Values(Flow{"Free", 256, 256}, Flow{"SlowSource", 90, 256},
                                           Flow{"SlowSink", 256, 60}, Flow{"BothStutter", 180, 170}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ClusterRtl, GoodCodewordsOvertakeOneThatGoesToTier2) {
  std::array<std::vector<Job>, kChannels> jobs;
  jobs[1] = {hard_job(0, 120), hard_job(1, 0), hard_job(2, 20), hard_job(3, 0)};
  ClusterBench bench(256, 256);
  bench.run(jobs);
  const auto& out = bench.outputs(1);
  EXPECT_TRUE(out.back().result.tier2);
  EXPECT_EQ(out.back().result.tag, 0);
  EXPECT_EQ(out.back().corrected, 120U);
  for (unsigned i = 1; i < 4; ++i) EXPECT_EQ(out[i - 1].result.tag, i);
}

TEST(ClusterRtl, ChannelsDoNotDelayEachOtherInTier1) {
  std::array<std::vector<Job>, kChannels> jobs;
  for (unsigned c = 0; c < kChannels; ++c) {
    for (unsigned i = 0; i < 6; ++i) jobs[c].push_back(hard_job(i, 0));
  }
  ClusterBench bench(256, 256);
  bench.run(jobs);
  // One to three clocks more than the 292 beats for each codeword, on every channel.
  for (unsigned c = 0; c < kChannels; ++c) EXPECT_LE(bench.outputs(c).back().clock, 7 * 295U + 10) << c;
}

TEST(ClusterRtl, Tier2ServesTheChannelsInTurn) {
  // All channels want only tier 2, all the time: whatever the time, none is more than one codeword ahead of another.
  std::array<std::vector<Job>, kChannels> jobs;
  for (unsigned c = 0; c < kChannels; ++c) {
    for (unsigned i = 0; i < 8; ++i) jobs[c].push_back(hard_job(i, 10 * c, Path::kTier2Only));
  }
  ClusterBench bench(256, 256);
  bench.run(jobs);
  for (unsigned i = 0; i < 8; ++i) {
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t last = 0;
    for (unsigned c = 0; c < kChannels; ++c) {
      first = std::min(first, bench.outputs(c)[i].clock);
      last = std::max(last, bench.outputs(c)[i].clock);
      if (i > 0) {
        EXPECT_GT(bench.outputs(c)[i].clock, bench.outputs((c + 1) % kChannels)[i - 1].clock);
      }
    }
    EXPECT_LE(last - first, 4 * 2200U) << i;
  }
}

TEST(ClusterRtl, AChannelThatFloodsTier2DoesNotStarveAnother) {
  std::array<std::vector<Job>, kChannels> jobs;
  for (unsigned i = 0; i < 12; ++i) jobs[0].push_back(hard_job(i, 200, Path::kTier2Only));  // 20 iterations each
  jobs[2].push_back(hard_job(50, 100, Path::kTier2Only));
  ClusterBench bench(256, 256);
  bench.run(jobs);
  // At most the one being decoded and the one already granted go before it.
  EXPECT_LE(bench.outputs(2)[0].clock, 3 * 12'300U);
}

TEST(ClusterRtl, GivingUpEndsOnlyTheCodewordInTier2) {
  for (unsigned c = 0; c < kChannels; ++c) {
    SCOPED_TRACE(c);
    const unsigned other = (c + 1) % kChannels;
    std::array<std::vector<Job>, kChannels> jobs;
    jobs[c] = {hard_job(0, 200, Path::kTier2Only), hard_job(1, 90, Path::kTier2Only)};
    jobs[other] = {hard_job(2, 30)};
    ClusterBench bench(256, 256);
    bench.give_up_at(other, 2900);  // not its codeword
    bench.give_up_at(c, 3000);
    bench.run(jobs);
    const Output& given_up = by_tag(bench.outputs(c), 0);
    EXPECT_TRUE(given_up.result.aborted);
    EXPECT_FALSE(given_up.result.success);
    EXPECT_GT(given_up.clock, 3000U);
    EXPECT_LT(given_up.clock, 3000U + 74 + 300);
    expect_as_model(jobs[c][1], by_tag(bench.outputs(c), 1));
    expect_as_model(jobs[other][0], by_tag(bench.outputs(other), 2));
  }
}

/// A clock that falls into the last beats of the first codeword as tier 1, which gave it up, hands it to tier 2: it
/// comes in from clock 0 on, is decoded, and leaves.
std::uint64_t handed_over(const Job& job) {
  ecc::CodeBits bits = job.received.bits;
  const auto tier1 = ecc::BitFlippingDecoder::decode(bits);
  if (tier1.ok) throw std::runtime_error("tier 1 must give it up");
  return 291 + tier1.cycles + 2 + 291;
}

TEST(ClusterRtl, TwoCodewordsThatReachTier2sQueueTogetherBothLeave) {
  // One that goes straight to tier 2 ends in each clock about that in which tier 1's last beat moves there.
  const Job escalates = hard_job(0, 130);
  const std::uint64_t meet = handed_over(escalates);
  for (std::uint64_t last = meet - 6; last <= meet + 6; ++last) {
    std::array<std::vector<Job>, kChannels> jobs;
    jobs[2] = {escalates, hard_job(1, 30, Path::kTier2Only), hard_job(2, 10)};
    ClusterBench bench(256, 256);
    bench.offer_from(2, 1, last - 291);
    ASSERT_NO_THROW(bench.run(jobs)) << last;
    for (const Job& job : jobs[2]) expect_as_model(job, by_tag(bench.outputs(2), job.request.tag));
    ASSERT_FALSE(HasFailure()) << last;
  }
}

TEST(ClusterRtl, AVerdictThatIsNotTakenHoldsTheNextPacketsLastBeat) {
  // Of tier 1 and of tier 2: one packet is complete, the next one lacks a beat, and no verdict is lost.
  for (const Path path : {Path::kTier1Only, Path::kTier2Only}) {
    std::array<std::vector<Job>, kChannels> jobs;
    for (unsigned i = 0; i < 5; ++i) jobs[1].push_back(hard_job(i, 4 * i, path));
    ClusterBench bench(256, 256);
    constexpr std::uint64_t kLate = 12'000;
    bench.judge_from(1, kLate);
    bench.step_on(jobs, kLate);
    EXPECT_EQ(bench.beats_taken(1), 2 * ecc::kStreamBeats - 1U);
    EXPECT_TRUE(bench.outputs(1).empty());
    bench.run(jobs);
    ASSERT_EQ(bench.outputs(1).size(), 5U);
    for (unsigned i = 0; i < 5; ++i) {
      EXPECT_EQ(bench.outputs(1)[i].result.tag, i) << "in order";
      expect_as_model(jobs[1][i], bench.outputs(1)[i]);
    }
  }
}

TEST(ClusterRtl, APacketOfTier2GoesFirstWhenBothWait) {
  // The output stands until all three are decoded. The first beats of 1 came before 0 was decoded: it is under way.
  std::array<std::vector<Job>, kChannels> jobs;
  jobs[0] = {hard_job(0, 0, Path::kTier2Only), hard_job(1, 0), hard_job(2, 0)};
  ClusterBench bench(256, 256);
  bench.take_from(0, 4000);
  bench.run(jobs);
  std::vector<unsigned> order;
  for (const Output& out : bench.outputs(0)) order.push_back(out.result.tag);
  EXPECT_EQ(order, (std::vector<unsigned>{1, 0, 2}));
}

TEST(ClusterRtl, EachTierKeepsTheOrderOfAChannel) {
  std::array<std::vector<Job>, kChannels> jobs;
  for (unsigned i = 0; i < 12; ++i)
    jobs[3].push_back(hard_job(i, 8 * (i % 5), i % 3 == 1 ? Path::kTier2Only : Path::kEscalate));
  ClusterBench bench(256, 256);
  bench.run(jobs);
  std::array<std::vector<unsigned>, 2> order;
  for (const Output& out : bench.outputs(3)) order[out.result.tier2 ? 1 : 0].push_back(out.result.tag);
  for (const auto& tier : order) EXPECT_TRUE(std::is_sorted(tier.begin(), tier.end()));
  EXPECT_EQ(order[1].size(), 4U);
}

TEST(ClusterRtl, NothingOfBeforeAResetIsSeenAfterIt) {
  // What comes before the reset: soft planes half in, soft planes half fed to tier 2, packets half out, verdicts that
  // wait, codewords in every queue.
  std::array<std::vector<Job>, kChannels> before;
  before[0] = {soft_job(1, 7), soft_job(2, 7)};
  before[1] = {hard_job(3, 130), hard_job(4, 5), hard_job(5, 5)};
  before[2] = {hard_job(6, 0), hard_job(7, 0), hard_job(8, 120, Path::kTier2Only)};
  before[3] = {soft_job(9, 3), hard_job(10, 0)};
  std::array<std::vector<Job>, kChannels> after;
  for (unsigned c = 0; c < kChannels; ++c) {
    after[c] = {c % 2 == 0 ? hard_job(20, 12) : soft_job(20, 7), c % 2 == 0 ? soft_job(21, 3) : hard_job(21, 125)};
  }
  // The last clocks of planes and the middle of them; tier 2 is fed from clock 584 or 876 on.
  for (const std::uint64_t clocks :
       {1U, 100U, 292U, 293U, 400U, 584U, 700U, 880U, 1000U, 1200U, 1460U, 1600U, 2100U, 2400U, 3500U}) {
    ClusterBench bench(256, 256);
    bench.judge_from(2, 900);
    bench.play_and_reset(before, clocks);
    EXPECT_FALSE(bench.cluster().busy()) << clocks;
    ASSERT_NO_THROW(bench.run(after)) << clocks;
    for (unsigned c = 0; c < kChannels; ++c) {
      ASSERT_EQ(bench.outputs(c).size(), after[c].size());
      for (const Job& job : after[c]) expect_as_model(job, by_tag(bench.outputs(c), job.request.tag));
    }
    ASSERT_FALSE(HasFailure()) << "reset after " << clocks;
  }
}

TEST(ClusterRtl, ItIsBusyFromTheFirstBeatToTheLastVerdict) {
  LdpcDecoderCluster cluster;
  const Job job = hard_job(1, 3);
  unsigned in = 0;
  unsigned out = 0;
  bool judged = false;
  cluster.set_output_ready(1, true);
  for (unsigned clock = 0; clock < 2000; ++clock) {
    const bool inside = in > 0 && (out < ecc::kStreamBeats || !judged);
    ASSERT_EQ(cluster.busy(), inside) << clock;
    cluster.nothing_offered(1);
    if (in < ecc::kStreamBeats && clock % 2 == 1) {
      cluster.offer(1, job.request, job.received.bits[in / 4].word[in % 4], in + 1 == ecc::kStreamBeats);
      if (cluster.input_ready(1)) ++in;
    }
    out += cluster.output_valid(1) ? 1 : 0;
    const bool take = clock > 1500;
    cluster.set_verdict_ready(1, take);
    judged = judged || (take && cluster.verdict_valid(1));
    cluster.clock();
  }
  EXPECT_EQ(out, ecc::kStreamBeats);
  EXPECT_TRUE(judged);
}

TEST(ClusterRtl, ResetDiscardsWhatIsInside) {
  for (const unsigned clocks : {100U, 700U, 2500U}) {
    LdpcDecoderCluster cluster;
    const Job job = hard_job(1, 120);
    unsigned beat = 0;
    for (unsigned i = 0; i < clocks; ++i) {
      for (unsigned c = 0; c < kChannels; ++c) {
        cluster.offer(c, job.request, job.received.bits[beat / 4].word[beat % 4], beat + 1 == ecc::kStreamBeats);
      }
      if (cluster.input_ready(0)) beat = (beat + 1) % ecc::kStreamBeats;
      cluster.clock();
    }
    EXPECT_TRUE(cluster.busy());
    cluster.reset();
    EXPECT_FALSE(cluster.busy());
    for (int i = 0; i < 100; ++i) cluster.clock();
    EXPECT_FALSE(cluster.busy());
  }
}

TEST(ClusterRtl, SoftPlanesForTier1StopTheSimulation) {
  LdpcDecoderCluster cluster;
  cluster.offer(0, {1, Path::kEscalate, 1, 1}, 0, false);
  ::testing::internal::CaptureStdout();
  EXPECT_THROW(cluster.clock(), rtl::SimulationStopped);
  EXPECT_NE(::testing::internal::GetCapturedStdout().find("soft planes sent to tier 1"), std::string::npos);
}

}  // namespace
}  // namespace wordline::testing
