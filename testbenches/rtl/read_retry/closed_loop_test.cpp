// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The read-retry RTL and the decoder RTL together on real codewords: a page written with data and CRC, read back with
// as many wrong bits as the step of the references brings, and what comes out compared with what was written, byte by
// byte.
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "models/ecc/decoders/codeword_bits.h"
#include "models/units/keyed_random.h"
#include "rtl/verilated/ldpc_decoder_cluster.h"
#include "rtl/verilated/read_retry_engine.h"

namespace wordline::testing {
namespace {

using rtl::LdpcDecoderCluster;
using Path = LdpcDecoderCluster::Path;

constexpr std::uint64_t kSeed = 0x636c'6f73;
constexpr unsigned kLpages = 2;
constexpr unsigned kCodewords = LpageSize().codewords();
constexpr unsigned kPageCodewords = kLpages * kCodewords;

unsigned count(const ecc::Lanes& lanes) {
  unsigned ones = 0;
  for (const std::uint64_t word : lanes.word) ones += static_cast<unsigned>(__builtin_popcountll(word));
  return ones;
}

unsigned syndrome_weight(const ecc::CodeBits& bits) {
  unsigned weight = 0;
  for (const ecc::Lanes& row : ecc::LdpcCode::instance().syndrome(bits)) weight += count(row);
  return weight;
}

unsigned difference(const ecc::CodeBits& a, const ecc::CodeBits& b) {
  unsigned bits = 0;
  for (unsigned c = 0; c < a.size(); ++c) bits += count(a[c] ^ b[c]);
  return bits;
}

/// One codeword through channel 0 of the decoders.
struct Decoded {
  LdpcDecoderCluster::Result result{};
  unsigned corrected = 0;
  ecc::CodeBits bits{};
};

Decoded decode(LdpcDecoderCluster& cluster, const ecc::ReadBits& read, Path path, std::uint8_t profile,
               std::uint8_t soft_planes) {
  const std::array<const ecc::CodeBits*, 3> planes{{&read.hard, &read.rel0, &read.rel1}};
  const LdpcDecoderCluster::Request request{1, path, profile, soft_planes};
  Decoded out;
  unsigned in = 0;
  unsigned beats = 0;
  bool judged = false;
  cluster.set_output_ready(0, true);
  cluster.set_verdict_ready(0, true);
  for (unsigned clock = 0; !judged || beats < ecc::kStreamBeats; ++clock) {
    if (clock > 50'000) throw std::runtime_error("the decoders hang");
    const bool offers = in < ecc::kStreamBeats * (1U + soft_planes);
    const unsigned beat = in % ecc::kStreamBeats;
    if (offers) {
      cluster.offer(0, request, (*planes[in / ecc::kStreamBeats])[beat / 4].word[beat % 4],
                    beat + 1 == ecc::kStreamBeats);
    } else {
      cluster.nothing_offered(0);
    }
    if (cluster.output_valid(0)) {
      out.bits[beats / 4].word[beats % 4] = cluster.output_data(0);
      ++beats;
    }
    if (cluster.verdict_valid(0)) {
      out.result = cluster.verdict(0);
      out.corrected = cluster.corrected(0);
      judged = true;
    }
    if (offers && cluster.input_ready(0)) ++in;
    cluster.clock();
  }
  return out;
}

/// A page, its die and the glue that a channel controller is between the two blocks of RTL.
class Loop {
 public:
  Loop() {
    for (unsigned c = 0; c < kPageCodewords; ++c) {
      data::LpageStamps blocks{};
      for (unsigned b = 0; b < blocks.size(); ++b) {
        blocks[b] = data::LbaStamp(Lba(8 * address(c) + b), 7);
      }
      written_[c] = ecc::make_codeword(blocks, address(c), c % kCodewords);
    }
  }

  ecc::RetrySettings settings;
  /// Wrong bits of every codeword at each step of the references.
  std::array<unsigned, 8> errors{};
  /// The die delivers the data of another logical page.
  bool misdirected = false;

  ecc::RetryResult read(std::uint16_t layer = 0) {
    ecc::RetryRequest request;
    request.layer = layer;
    for (unsigned c = 0; c < kPageCodewords; ++c) request.codewords.set(c);
    ++reads_;
    engine_.start(request);
    for (;;) {
      const ecc::RetryAction action = engine_.next();
      if (action == ecc::RetryAction::kResult) return engine_.take_result();
      if (action == ecc::RetryAction::kFlash) {
        flash(engine_.flash_command());
        engine_.accept();
        engine_.flash_done(true);
      } else if (action == ecc::RetryAction::kDecode) {
        const ecc::DecodeCommand command = engine_.decode_command();
        engine_.accept();
        if (command.op == ecc::DecodeOp::kLoadLlr) {
          cluster_.set_llr_table(command.level, command.llr);
        } else {
          give_verdicts(command);
        }
      } else {
        throw std::runtime_error("nothing to do");
      }
    }
  }

  [[nodiscard]] const ecc::CodeBits& written(unsigned c) const { return written_[c]; }
  [[nodiscard]] const ecc::CodeBits& recovered(unsigned c) const { return recovered_[c]; }
  [[nodiscard]] const ecc::RetryCounters& counters() const { return counters_; }
  [[nodiscard]] std::uint64_t corrected() const { return corrected_; }
  [[nodiscard]] unsigned reads() const { return sensings_; }

 private:
  static std::uint64_t address(unsigned c) { return 1000 + c / kCodewords; }

  void flash(const ecc::FlashCommand& command) {
    switch (command.op) {
      case ecc::FlashOp::kSetVref:
        step_ = command.step;
        break;
      case ecc::FlashOp::kRestore:
        step_ = 0;
        break;
      case ecc::FlashOp::kRead:
      case ecc::FlashOp::kSoftRead:
        ++sensings_;
        break;
    }
  }

  [[nodiscard]] ecc::ReadBits bits(unsigned c, unsigned level) const {
    const std::uint64_t key = keyed_hash(kSeed, reads_, c);  // the same cells are wrong at all steps of a read
    const unsigned source = misdirected ? (c + kCodewords) % kPageCodewords : c;
    if (level == 0) return ecc::read_codeword(written_[source], errors[step_], key);
    const ecc::SoftLevel& soft = ecc::soft_level(ecc::kSoftReads[level]);
    const ecc::SoftChannel channel =
        ecc::symmetric_channel(soft, static_cast<double>(errors[step_]) / ecc::kCodewordBits);
    return ecc::read_codeword(written_[source], soft, ecc::draw_soft_counts(soft, channel, errors[step_], key), key);
  }

  void give_verdicts(const ecc::DecodeCommand& command) {
    for (unsigned c = 0; c < kPageCodewords; ++c) {
      if (!command.codewords[c]) continue;
      const bool soft = command.op == ecc::DecodeOp::kT2S;
      const ecc::ReadBits read = bits(c, soft ? command.level : 0);
      const Decoded out = decode(cluster_, read, command.op == ecc::DecodeOp::kT1 ? Path::kTier1Only : Path::kTier2Only,
                                 static_cast<std::uint8_t>(soft ? command.level : 0),
                                 static_cast<std::uint8_t>(soft ? command.level : 0));
      ecc::CodewordVerdict verdict;
      verdict.codeword = c;
      verdict.ok = out.result.success;
      ecc::CodewordBytes bytes{};
      ecc::pack(out.bits, bytes.data());
      verdict.crc_ok = verdict.ok && ecc::open_codeword(bytes, ecc::codeword_address(address(c), c % 2));
      verdict.iterations = out.result.iterations;
      verdict.corrected = out.corrected;
      verdict.weight = syndrome_weight(read.hard);
      engine_.verdict(verdict);
      if (!verdict.crc_ok) continue;
      recovered_[c] = out.bits;
      corrected_ += difference(read.hard, out.bits);
    }
  }

  std::array<ecc::CodeBits, kPageCodewords> written_{};
  std::array<ecc::CodeBits, kPageCodewords> recovered_{};
  LdpcDecoderCluster cluster_;
  ecc::OptimalReferences ort_{1, 64};
  ecc::RetryCounters counters_;
  rtl::ReadRetryEngine engine_{settings, ort_, counters_};
  unsigned step_ = 0;
  unsigned reads_ = 0;
  unsigned sensings_ = 0;
  std::uint64_t corrected_ = 0;
};

void expect_all_recovered(const Loop& loop, const ecc::RetryResult& result) {
  EXPECT_EQ(result.code, ecc::RetryCode::kOk);
  for (unsigned c = 0; c < kPageCodewords; ++c) EXPECT_TRUE(loop.recovered(c) == loop.written(c)) << "codeword " << c;
}

unsigned field(const ecc::RetryResult& r, unsigned shift, unsigned bits) {
  return r.status >> shift & ((1U << bits) - 1);
}
unsigned retries(const ecc::RetryResult& r) { return field(r, ecc::retry_status::kRetriesShift, 5); }
unsigned level(const ecc::RetryResult& r) { return field(r, ecc::retry_status::kSoftShift, 2); }
unsigned centre(const ecc::RetryResult& r) { return field(r, ecc::retry_status::kStepShift, 4); }
unsigned tiers(const ecc::RetryResult& r) { return field(r, ecc::retry_status::kTiersShift, 3); }

TEST(ReadRetryClosedLoop, AnAgedPageIsFoundAtItsStepAndItsHLayerAtOnceAfterwards) {
  Loop loop;
  loop.errors = {{420, 300, 210, 30, 240, 330, 400, 450}};
  const ecc::RetryResult first = loop.read();
  expect_all_recovered(loop, first);
  EXPECT_EQ(retries(first), 3U);
  EXPECT_EQ(tiers(first), 1U);  // 30 errors are for tier 1
  const ecc::RetryResult second = loop.read();
  expect_all_recovered(loop, second);
  EXPECT_EQ(retries(second), 1U);
  EXPECT_NE(second.status & ecc::retry_status::kOrtHit, 0U);
  EXPECT_EQ(retries(loop.read(1)), 3U);  // another h-layer
  EXPECT_EQ(loop.counters().corrected_bits, 3U * kPageCodewords * 30);
  EXPECT_EQ(loop.corrected(), loop.counters().corrected_bits);
}

TEST(ReadRetryClosedLoop, Tier2TakesWhatTier1Leaves) {
  Loop loop;
  loop.errors.fill(125);
  const ecc::RetryResult result = loop.read();
  expect_all_recovered(loop, result);
  EXPECT_EQ(retries(result), 0U);
  EXPECT_NE(tiers(result) & 2U, 0U);
  EXPECT_EQ(loop.reads(), 1U);
}

TEST(ReadRetryClosedLoop, ThreeSoftReadsAtTheBestStepSaveAPageThatNoStepDoes) {
  Loop loop;
  loop.settings.max_retries = 3;
  loop.errors = {{500, 380, 230, 290, 400, 500, 600, 700}};  // 1.2e-2 at best
  const ecc::RetryResult result = loop.read();
  expect_all_recovered(loop, result);
  EXPECT_EQ(level(result), 1U);
  EXPECT_EQ(centre(result), 2U);  // by the weight of the syndrome
  EXPECT_EQ(tiers(result), 4U);
  EXPECT_EQ(loop.reads(), 1U + 3 + 3);
  EXPECT_EQ(loop.counters().codewords[2], kPageCodewords);
}

TEST(ReadRetryClosedLoop, SevenSoftReadsGoFurtherThanThree) {
  // Up from where three reads suffice (1.5e-2) to the first page that takes seven.
  unsigned errors = 280;
  for (unsigned level_needed = 0; level_needed != 2; errors += 10) {
    ASSERT_LE(errors, 380U) << "three reads go as far as seven";
    Loop loop;
    loop.settings.max_retries = 0;
    loop.errors.fill(errors);
    const ecc::RetryResult result = loop.read();
    expect_all_recovered(loop, result);
    level_needed = level(result);
    EXPECT_EQ(loop.reads(), level_needed == 1 ? 1U + 3 : 1U + 3 + 7);
    EXPECT_EQ(loop.counters().codewords[3] > 0, level_needed == 2);
  }
  EXPECT_GT(errors, 290U);
}

TEST(ReadRetryClosedLoop, APageBeyondRepairIsReportedNotInvented) {
  Loop loop;
  loop.settings.max_retries = 1;
  loop.errors.fill(900);
  const ecc::RetryResult result = loop.read();
  EXPECT_EQ(result.code, ecc::RetryCode::kUncorrectable);
  EXPECT_EQ(result.failed.count(), kPageCodewords);
  EXPECT_EQ(result.status & ecc::retry_status::kMiscorrected, 0U);
  EXPECT_EQ(loop.counters().uncorrectable_lpages, kLpages);
}

TEST(ReadRetryClosedLoop, DataOfAnotherLogicalPageDecodeButAreNotTaken) {
  Loop loop;
  loop.settings.max_retries = 1;
  loop.settings.max_soft = 0;
  loop.misdirected = true;
  loop.errors.fill(10);
  const ecc::RetryResult result = loop.read();
  EXPECT_EQ(result.code, ecc::RetryCode::kUncorrectable);
  EXPECT_NE(result.status & ecc::retry_status::kMiscorrected, 0U);
  EXPECT_EQ(loop.counters().miscorrections, 4U * kPageCodewords);  // both tiers, twice
  EXPECT_EQ(loop.counters().corrected_bits, 0U);
}

}  // namespace
}  // namespace wordline::testing
