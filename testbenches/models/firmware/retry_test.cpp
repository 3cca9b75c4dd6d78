// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Read retry controlled by the firmware (models/firmware/media/retry.c decides, models/ecc/retry/retry_attempt.h
// carries out) against the controller that does both (models/ecc/retry/read_retry.h): on the same pages the same senses
// and decodings in the same order, the same history, table and counters.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "models/ecc/retry/read_retry.h"
#include "models/ecc/retry/retry_attempt.h"
#include "models/units/keyed_random.h"

extern "C" {
#include "models/firmware/media/retry.h"
#include "models/firmware/rooms.h"
}

namespace wordline::ecc::retry_test {
namespace {

constexpr unsigned kDies = 2;
constexpr unsigned kBlocks = 3;
constexpr unsigned kLayers = 5;

/// Where the table of optimal references has its entries.
enum class Scope { kDie, kBlock };
/// Of a page of block 1.
std::uint32_t group_of(Scope scope, std::uint32_t die) { return scope == Scope::kBlock ? die * kBlocks + 1 : die; }

/// A page: how a codeword decodes is a hash of the page, the codeword, the step and the way.
struct Page {
  std::uint64_t key;
  unsigned bad;  // of eight decodings so many fail

  [[nodiscard]] CodewordVerdict decode(unsigned codeword, const DecodeCommand& command, unsigned step) const {
    const std::uint64_t draw = keyed_hash(key, codeword, step, static_cast<unsigned>(command.op), command.level);
    CodewordVerdict verdict;
    verdict.codeword = codeword;
    verdict.ok = draw % 8 >= bad;
    verdict.crc_ok = draw / 8 % 16 != 0;
    verdict.iterations = 1 + draw / 128 % 20;
    verdict.corrected = draw / 4096 % 200;
    verdict.weight = draw / (1U << 20) % 8;  // ties are frequent
    return verdict;
  }
};

struct Outcome {
  std::vector<std::string> trace;
  RetryResult result;
};

/// Plays one start of a controller; `trace` gets what senses and decodes.
template <class Machine>
RetryResult play(Machine& machine, const RetryRequest& request, const Page& page, std::vector<std::string>& trace) {
  machine.start(request);
  unsigned step = 0;
  for (;;) {
    switch (machine.next()) {
      case RetryAction::kFlash: {
        const FlashCommand command = machine.flash_command();
        if (command.op == FlashOp::kRead || command.op == FlashOp::kSoftRead) {
          trace.push_back((command.op == FlashOp::kRead ? "read " : "soft ") + std::to_string(command.step) + " " +
                          std::to_string(command.soft_offset) + " " + command.codewords.to_string().substr(112));
        }
        if (command.op != FlashOp::kRestore) step = command.step;
        machine.accept();
        machine.flash_done(true);
        break;
      }
      case RetryAction::kDecode: {
        const DecodeCommand command = machine.decode_command();
        trace.push_back("decode " + std::to_string(static_cast<unsigned>(command.op)) + " " +
                        command.codewords.to_string().substr(112));
        machine.accept();
        if (command.op == DecodeOp::kLoadLlr) break;
        for (unsigned c = 0; c < kRetryCodewords; ++c) {
          if (command.codewords[c]) machine.verdict(page.decode(c, command, step));
        }
        break;
      }
      case RetryAction::kResult:
        return machine.take_result();
      case RetryAction::kNothing:
        throw std::logic_error("waits for nothing");
    }
  }
}

/// The controller that decides by itself.
struct Hardware {
  RetrySettings settings;
  OptimalReferences ort{kDies * kBlocks, kLayers};
  RetryCounters counters;
  ReadRetry machine{settings, ort, counters};

  Outcome read(RetryRequest request, const Page& page) {
    const OptimalReferences::Entry& entry = ort.at(request.group, request.layer);
    const bool from_table = settings.ort_enable && settings.ort_first && entry.valid &&
                            (entry.step != 0 || (settings.ort_levels && entry.level != 0));
    request.sensed = !(request.started ? request.attempt.step != 0 || request.attempt.level != 0 : from_table);
    if (request.sensed) request.started = false;
    Outcome outcome;
    outcome.result = play(machine, request, page, outcome.trace);
    return outcome;
  }
};

std::uint8_t level_of(std::uint32_t control) {
  const std::uint32_t senses = control >> WL_RETRY_SENSES_SHIFT & 7U;
  return static_cast<std::uint8_t>(soft_level_of(senses == 0 ? 1 : senses));
}

std::uint32_t control_of(const AttemptOrder& start) {
  return WL_RETRY_SET | std::uint32_t{start.step} << WL_RETRY_STEP_SHIFT |
         kSoftReads[start.level] << WL_RETRY_SENSES_SHIFT;
}

/// The firmware's decisions in front of attempts.
struct Firmware {
  RetrySettings settings;
  OptimalReferences unused{1, 1};
  RetryCounters counters;
  RetryAttempt machine{settings, unused, counters};
  wl_rooms all{};
  wl_firmware& fw = all.firmware;
  std::vector<std::uint8_t> ort = std::vector<std::uint8_t>(kDies * kBlocks * kLayers);
  std::vector<wl_retry> retry = std::vector<wl_retry>(4);
  wl_hal hal{};

  explicit Firmware(Scope scope) {
    fw.boot.layers.references_by_block = scope == Scope::kBlock ? 1 : 0;
    fw.boot.blocks = kBlocks;
    all.media.ort = ort.data();
    all.media.retry = retry.data();
    fw.boot.layers.count = kLayers;
    fw.boot.layers.pages = 3;
    fw.geometry = wl_geometry_of(kDies, 4, 1, kDies * 6 * kLayers);
    hal.task = [](void*, std::uint32_t) {};
    hal.mark = [](void*, std::uint32_t, std::uint32_t) {};
  }

  /// `request.group` is the die.
  Outcome read(RetryRequest request, const Page& page) {
    wl_retry_rules& rules = all.media.rules;
    rules = {static_cast<std::uint8_t>(settings.max_retries), static_cast<std::uint8_t>(settings.last_step),
             static_cast<std::uint8_t>(settings.max_soft),    static_cast<std::uint8_t>(settings.ort_enable),
             static_cast<std::uint8_t>(settings.ort_first),   static_cast<std::uint8_t>(settings.ort_update)};
    constexpr std::uint32_t kId = 2;
    wl_retry& r = retry[kId];
    // of the second word line of the layer, when they count by layers
    const wl_location at{request.group, 1, request.layer * 3U + 1 + 3 * kLayers, 0};
    const auto ppa = static_cast<std::uint32_t>(wl_ppa_of(&fw.geometry, at));
    const std::uint32_t start = request.started        ? control_of(request.attempt)
                                : rules.ort_first != 0 ? wl_retry_table_start(&fw, ppa)
                                                       : 0;
    std::uint32_t order = wl_retry_started(&fw, kId, ppa, start);
    if (order == 0) {  // sensed, and all failed
      const Scope scope = fw.boot.layers.references_by_block != 0 ? Scope::kBlock : Scope::kDie;
      wl_retry_begin(&fw, &r, group_of(scope, at.die) * kLayers + request.layer);
      order = wl_retry_next(&rules, &r, 0);
    }
    Outcome outcome;
    CodewordMask left = request.codewords;
    if (order == 0) {  // there is no attempt that could count them: the channel does, at the first reading
      for (unsigned c = 0; c < kRetryCodewords; c += 2) {
        counters.uncorrectable_lpages += left[c] || left[c + 1] ? 1 : 0;
      }
    }
    while (order != 0) {
      request.codewords = left;
      request.attempt = {static_cast<std::uint8_t>(order & 0xfU), level_of(order),
                         static_cast<std::uint8_t>(order >> WL_RETRY_TAKEN_SHIFT & 0x1fU),
                         (order & WL_RETRY_LAST) != 0};
      const RetryResult attempt = play(machine, request, page, outcome.trace);
      left = attempt.failed;
      if (left.none()) {
        wl_retry_succeeded(&fw, &hal, kId);
        return outcome;
      }
      const bool last = request.attempt.last;
      order = wl_retry_next(&rules, &r,
                            attempt.report.weight | attempt.report.weighed << WL_REPORT_WEIGHED_SHIFT |
                                attempt.report.tiers << WL_REPORT_TIERS_SHIFT |
                                (attempt.report.miscorrected ? WL_REPORT_MISCORRECTED : 0U));
      EXPECT_EQ(order == 0, last) << "what was announced as the last attempt is";
    }
    r.active = 0;
    outcome.result.code = RetryCode::kUncorrectable;
    outcome.result.failed = left;
    outcome.result.status = wl_retry_history(&r, static_cast<std::uint32_t>(left.count()));
    return outcome;
  }
};

class FirmwareRetry : public ::testing::TestWithParam<Scope> {};
INSTANTIATE_TEST_SUITE_P(Scopes, FirmwareRetry, ::testing::Values(Scope::kDie, Scope::kBlock));

TEST_P(FirmwareRetry, DoesWhatTheControllerDoes) {
  Hardware hardware;
  Firmware firmware(GetParam());
  hardware.settings.ort_levels = GetParam() == Scope::kBlock;
  unsigned lost = 0, soft = 0, probes = 0;
  for (std::uint64_t n = 0; n < 4000; ++n) {
    SCOPED_TRACE(n);
    for (RetrySettings* s : {&hardware.settings, &firmware.settings}) {
      s->max_retries = keyed_hash(n / 20, 1) % 10;
      s->last_step = keyed_hash(n / 20, 2) % 16;
      s->max_soft = keyed_hash(n / 20, 3) % 3;
      if (s->max_retries + s->max_soft == 0) s->max_soft = 1;  // else there is nothing to decide
      s->ort_enable = keyed_hash(n / 20, 4) % 4 != 0;
      s->ort_update = keyed_hash(n / 20, 5) % 4 != 0;
      s->ort_first = keyed_hash(n / 20, 6) % 3 == 0;
    }
    RetryRequest request;
    request.group = static_cast<std::uint16_t>(keyed_hash(n, 7) % kDies);
    request.layer = static_cast<std::uint16_t>(keyed_hash(n, 8) % kLayers);
    for (unsigned c = 0; c < 16; ++c) request.codewords[c] = c == 3 || keyed_hash(n, 9, c) % 4 == 0;
    const Page page{keyed_hash(n, 10), static_cast<unsigned>(4 + keyed_hash(n, 11) % 5)};
    // Of some reads a policy says where they begin.
    request.started = keyed_hash(n, 12) % 5 == 0;
    if (request.started) {
      request.attempt.step = static_cast<std::uint8_t>(keyed_hash(n, 13) % (hardware.settings.last_step + 1));
      request.attempt.level = static_cast<std::uint8_t>(keyed_hash(n, 14) % (kAllSoftLevels + 1));
    }
    const Outcome got = firmware.read(request, page);
    request.group = group_of(GetParam(), request.group);
    const Outcome want = hardware.read(request, page);
    probes += want.trace.size() > 8 && want.trace.front()[0] == 's' ? 1 : 0;
    ASSERT_EQ(got.trace, want.trace);
    ASSERT_EQ(got.result.failed, want.result.failed);
    if (want.result.code != RetryCode::kOk) {
      EXPECT_EQ(got.result.status, want.result.status) << "history";
      ++lost;
    }
    for (const std::string& line : want.trace) soft += line[0] == 's' ? 1 : 0;
    for (unsigned i = 0; i < kDies * kBlocks * kLayers; ++i) {
      const OptimalReferences::Entry& entry = hardware.ort.at(i / kLayers, i % kLayers);
      ASSERT_EQ(firmware.ort[i], entry.valid ? WL_ORT_VALID | entry.level << 4 | entry.step : 0U)
          << "table, entry " << i;
    }
  }
  EXPECT_GT(lost, 500U);
  EXPECT_GT(soft, 5000U);
  EXPECT_GT(probes, 200U) << "reads that began with soft reads, and went on";
  EXPECT_EQ(firmware.counters.retries, hardware.counters.retries);
  EXPECT_EQ(firmware.counters.decoded_lpages, hardware.counters.decoded_lpages);
  EXPECT_EQ(firmware.counters.uncorrectable_lpages, hardware.counters.uncorrectable_lpages);
  EXPECT_EQ(firmware.counters.miscorrections, hardware.counters.miscorrections);
  EXPECT_EQ(firmware.counters.corrected_bits, hardware.counters.corrected_bits);
  EXPECT_EQ(firmware.counters.codewords, hardware.counters.codewords);
  EXPECT_EQ(firmware.counters.t1_iterations, hardware.counters.t1_iterations);
  EXPECT_EQ(firmware.counters.t2_iterations, hardware.counters.t2_iterations);
}

// What was learnt of a block's cells is of no use once they are erased; of a die, it is of its other blocks, too.
TEST_P(FirmwareRetry, AnErasedBlockLosesItsEntriesAlone) {
  Firmware firmware(GetParam());
  const std::vector<std::uint8_t> learnt(firmware.ort.size(), WL_ORT_VALID | 5U);
  for (std::uint32_t die = 0; die < kDies; ++die) {
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
      firmware.ort = learnt;
      firmware.all.media.ort = firmware.ort.data();
      wl_retry_erased(&firmware.fw, die, block);
      for (std::uint32_t i = 0; i < learnt.size(); ++i) {
        const bool of_block = GetParam() == Scope::kBlock && i / kLayers == die * kBlocks + block;
        EXPECT_EQ(firmware.ort[i], of_block ? 0U : learnt[i]) << "die " << die << " block " << block << " entry " << i;
      }
    }
  }
}

}  // namespace
}  // namespace wordline::ecc::retry_test
