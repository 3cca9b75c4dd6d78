// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/read_retry.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace wordline::ecc {
namespace {

using Log = std::vector<std::string>;

/// What the die and the decoders do: whether a codeword decodes, by operation, step that is set, and soft level.
using Decodes = std::function<bool(unsigned codeword, DecodeOp op, unsigned step, unsigned level)>;

/// Plays reads with a die that always answers, and writes down the commands.
struct Player {
  RetrySettings settings;
  OptimalReferences ort{4, 8};
  RetryCounters counters;
  ReadRetry retry{settings, ort, counters};
  Decodes decodes;
  std::function<unsigned(unsigned step)> weight = [](unsigned) { return 100U; };
  /// Called with the index of each command after it was taken; true: it has already ended the wait.
  std::function<bool(std::size_t)> disturb = [](std::size_t) { return false; };
  bool crc_ok = true;
  Log log;

  RetryResult play(RetryRequest request) {
    log.clear();
    retry.start(request);
    unsigned step = 0;
    for (std::size_t commands = 0;; ++commands) {
      const RetryAction action = retry.next();
      if (action == RetryAction::kResult) {
        EXPECT_FALSE(retry.references_changed());
        return retry.take_result();
      }
      if (action == RetryAction::kFlash) {
        const FlashCommand command = retry.flash_command();
        retry.accept();
        EXPECT_TRUE(retry.awaits_flash());
        note(command);
        if (command.op == FlashOp::kSetVref) step = command.step;
        if (command.op == FlashOp::kRestore) step = 0;
        if (!disturb(commands)) retry.flash_done(true);
      } else if (action == RetryAction::kDecode) {
        const DecodeCommand command = retry.decode_command();
        retry.accept();
        note(command);
        if (command.op == DecodeOp::kLoadLlr) continue;
        EXPECT_TRUE(retry.awaits_verdict());
        if (disturb(commands)) continue;
        for (unsigned c = kRetryCodewords; c-- > 0;) {  // the last one first
          if (command.codewords[c]) {
            retry.verdict({c, decodes(c, command.op, step, command.level), crc_ok, 3, 10, weight(step)});
          }
        }
      } else {
        ADD_FAILURE() << "nothing to do in " << to_string(retry.state());
        return {};
      }
    }
  }

  void note(const FlashCommand& c) {
    const std::string mask = "/" + std::to_string(c.codewords.count());
    switch (c.op) {
      case FlashOp::kRead:
        log.push_back("read" + mask);
        break;
      case FlashOp::kSetVref:
        log.push_back("set" + std::to_string(c.step));
        break;
      case FlashOp::kSoftRead:
        log.push_back("soft" + std::to_string(c.step) + "@" + std::to_string(c.soft_offset) + mask);
        break;
      case FlashOp::kRestore:
        log.push_back("restore");
        break;
    }
  }
  void note(const DecodeCommand& c) {
    const char* names[] = {"T1", "T2H", "T2S", "llr"};
    log.push_back(names[static_cast<std::size_t>(c.op)] +
                  (c.op == DecodeOp::kLoadLlr ? std::to_string(c.llr[0]) : "/" + std::to_string(c.codewords.count())));
  }
};

RetryRequest page(unsigned codewords = 8) {
  RetryRequest request;
  request.tag = 77;
  request.group = 1;
  request.layer = 3;
  for (unsigned c = 0; c < codewords; ++c) request.codewords.set(c);
  return request;
}

Decodes only_at(unsigned good) {
  return [good](unsigned, DecodeOp op, unsigned step, unsigned) { return op == DecodeOp::kT1 && step == good; };
}
Decodes only_soft(unsigned good) {
  return [good](unsigned, DecodeOp op, unsigned, unsigned level) { return op == DecodeOp::kT2S && level >= good; };
}
bool never(unsigned, DecodeOp, unsigned, unsigned) { return false; }

unsigned field(std::uint32_t status, unsigned shift, unsigned bits) { return status >> shift & ((1U << bits) - 1); }

TEST(ReadRetry, AGoodReadIsOneReadAndOneDecoding) {
  Player p;
  p.decodes = only_at(0);
  const RetryResult result = p.play(page());
  EXPECT_EQ(p.log, (Log{"read/8", "T1/8"}));
  EXPECT_EQ(result.code, RetryCode::kOk);
  EXPECT_EQ(result.tag, 77);
  EXPECT_TRUE(result.failed.none());
  EXPECT_EQ(result.status, 1U << retry_status::kTiersShift);
  EXPECT_EQ(p.counters.decoded_lpages, 4U);
  EXPECT_EQ(p.counters.codewords[0], 8U);
  EXPECT_EQ(p.counters.corrected_bits, 80U);
  EXPECT_EQ(p.counters.t1_iterations[2], 8U);
  EXPECT_FALSE(p.ort.at(1, 3).valid);  // nothing learnt
}

TEST(ReadRetry, Tier2TakesOnlyWhatTier1Left) {
  Player p;
  p.decodes = [](unsigned c, DecodeOp op, unsigned, unsigned) { return c != 5 || op == DecodeOp::kT2H; };
  EXPECT_EQ(p.play(page()).code, RetryCode::kOk);
  EXPECT_EQ(p.log, (Log{"read/8", "T1/8", "T2H/1"}));
  EXPECT_EQ(p.counters.codewords[0], 7U);
  EXPECT_EQ(p.counters.codewords[1], 1U);
  EXPECT_EQ(p.counters.t2_iterations[2], 1U);
}

TEST(ReadRetry, EscalatesToTheEndAndReportsTheHistory) {
  Player p;
  p.settings.last_step = 3;
  p.settings.soft_delta = {{6, 4}};
  p.decodes = never;
  p.weight = [](unsigned step) { return step == 2 ? 90U : 100U; };  // the soft reads are centred there
  const RetryResult result = p.play(page(1));
  EXPECT_EQ(p.log, (Log{"read/1",     "T1/1",       "T2H/1",                                           //
                        "set1",       "read/1",     "T1/1",       "T2H/1",                             //
                        "set2",       "read/1",     "T1/1",       "T2H/1",                             //
                        "set3",       "read/1",     "T1/1",       "T2H/1",                             //
                        "set2",       "soft2@0/1",  "soft2@-6/1", "soft2@6/1",  "llr2",      "T2S/1",  //
                        "soft2@0/1",  "soft2@-4/1", "soft2@4/1",  "soft2@-8/1", "soft2@8/1", "soft2@-12/1",
                        "soft2@12/1", "llr1",       "T2S/1",      "restore"}));
  EXPECT_EQ(result.code, RetryCode::kUncorrectable);
  EXPECT_EQ(result.failed.count(), 1U);
  EXPECT_EQ(field(result.status, retry_status::kCodeShift, 3), 1U);
  EXPECT_EQ(field(result.status, retry_status::kRetriesShift, 5), 3U);
  EXPECT_EQ(field(result.status, retry_status::kStepShift, 4), 2U);
  EXPECT_EQ(field(result.status, retry_status::kSoftShift, 2), 2U);
  EXPECT_EQ(field(result.status, retry_status::kTiersShift, 3), 0U);
  EXPECT_EQ(field(result.status, retry_status::kFailedShift, 8), 1U);
  EXPECT_EQ(p.counters.uncorrectable_lpages, 1U);
  EXPECT_EQ(p.counters.retries, 3U);
  EXPECT_FALSE(p.ort.at(1, 3).valid);
}

TEST(ReadRetry, LimitsOfRegistersHold) {
  Player p;
  p.decodes = never;
  p.settings.max_retries = 0;
  p.settings.max_soft = 0;
  EXPECT_EQ(p.play(page()).code, RetryCode::kUncorrectable);
  EXPECT_EQ(p.log, (Log{"read/8", "T1/8", "T2H/8"}));  // nothing was set: no restore
  p.settings.max_retries = 2;
  p.settings.max_soft = 1;
  EXPECT_EQ(p.play(page(1)).code, RetryCode::kUncorrectable);
  EXPECT_EQ(p.log, (Log{"read/1", "T1/1", "T2H/1", "set1", "read/1", "T1/1", "T2H/1", "set2", "read/1", "T1/1", "T2H/1",
                        "set0", "soft0@0/1", "soft0@-10/1", "soft0@10/1", "llr2", "T2S/1", "restore"}));
}

// cube.read.newset, cube.read.ort_update: an entry for each layer; after retries it has the step that worked last.
TEST(ReadRetry, TheNextRetryOfAnHLayerStartsWhereTheLastOneSucceeded) {
  Player p;
  p.decodes = only_at(3);
  EXPECT_EQ(field(p.play(page()).status, retry_status::kRetriesShift, 5), 3U);
  EXPECT_EQ(p.ort.at(1, 3), (OptimalReferences::Entry{true, 3, 0}));
  EXPECT_FALSE(p.ort.at(1, 2).valid);
  const RetryResult again = p.play(page());
  EXPECT_EQ(p.log, (Log{"read/8", "T1/8", "T2H/8", "set3", "read/8", "T1/8", "restore"}));
  EXPECT_NE(again.status & retry_status::kOrtHit, 0U);
  EXPECT_EQ(again.status & retry_status::kOrtUpdated, 0U);  // as it was
  // Drift by a step: the neighbours are next, the higher one first.
  p.decodes = only_at(2);
  const RetryResult moved = p.play(page());
  EXPECT_EQ(p.log, (Log{"read/8", "T1/8", "T2H/8", "set3", "read/8", "T1/8", "T2H/8", "set4", "read/8", "T1/8", "T2H/8",
                        "set2", "read/8", "T1/8", "restore"}));
  EXPECT_NE(moved.status & retry_status::kOrtUpdated, 0U);
  EXPECT_EQ(p.ort.at(1, 3).step, 2);
  p.ort.clear(1);
  EXPECT_FALSE(p.ort.at(1, 3).valid);
}

TEST(ReadRetry, AFirstReadFromTheTableFallsBackToTheDefaultReferences) {
  Player p;
  p.settings.ort_first = true;
  p.ort.set(1, 3, {true, 5, 0});
  p.decodes = only_at(5);
  EXPECT_EQ(field(p.play(page()).status, retry_status::kRetriesShift, 5), 0U);
  EXPECT_EQ(p.log, (Log{"set5", "read/8", "T1/8", "restore"}));
  p.decodes = only_at(0);
  p.play(page());
  EXPECT_EQ(p.log, (Log{"set5", "read/8", "T1/8", "T2H/8", "set0", "read/8", "T1/8", "restore"}));
  EXPECT_EQ(p.ort.at(1, 3).step, 0);
  p.play(page());
  EXPECT_EQ(p.log, (Log{"read/8", "T1/8"}));
}

TEST(ReadRetry, TheTableCanBeSwitchedOff) {
  Player p;
  p.ort.set(1, 3, {true, 4, 0});
  p.decodes = only_at(2);
  p.settings.ort_enable = false;
  EXPECT_EQ(field(p.play(page()).status, retry_status::kRetriesShift, 5), 2U);
  EXPECT_EQ(p.ort.at(1, 3).step, 4);
  p.settings.ort_enable = true;
  p.settings.ort_update = false;
  p.play(page());
  EXPECT_EQ(p.log[3], "set4");
  EXPECT_EQ(p.ort.at(1, 3).step, 4);
}

TEST(ReadRetry, APageThatWasReadStartsWithTheFirstRetry) {
  Player p;
  p.decodes = only_at(1);
  RetryRequest request = page(2);
  request.sensed = true;
  EXPECT_EQ(p.play(request).code, RetryCode::kOk);
  EXPECT_EQ(p.log, (Log{"set1", "read/2", "T1/2", "restore"}));
}

TEST(ReadRetry, SoftReadsRecoverAndAreNotedInTheTable) {
  Player p;
  p.settings.max_retries = 1;
  p.decodes = only_soft(1);
  const RetryResult three = p.play(page(2));
  EXPECT_EQ(three.code, RetryCode::kOk);
  EXPECT_EQ(field(three.status, retry_status::kSoftShift, 2), 1U);
  EXPECT_EQ(field(three.status, retry_status::kTiersShift, 3), 4U);
  EXPECT_EQ(p.counters.codewords[2], 2U);
  EXPECT_EQ(p.ort.at(1, 3), (OptimalReferences::Entry{true, 0, 1}));
  p.decodes = only_soft(2);
  p.play(page(2));
  EXPECT_EQ(p.counters.codewords[3], 2U);
  EXPECT_EQ(p.ort.at(1, 3).level, 2);
}

TEST(ReadRetry, MeansOfWeightsAreComparedNotSums) {
  // Step 1 repairs seven of eight: the sum falls, the weight of the last one rises. The centre stays at step 0.
  Player p;
  p.settings.max_retries = 1;
  p.settings.max_soft = 1;
  p.decodes = [](unsigned c, DecodeOp op, unsigned step, unsigned) {
    return c != 0 && op == DecodeOp::kT1 && step == 1;
  };
  p.weight = [](unsigned step) { return step == 1 ? 120U : 100U; };
  const RetryResult result = p.play(page());
  EXPECT_EQ(field(result.status, retry_status::kStepShift, 4), 0U);
  EXPECT_EQ(result.failed.count(), 1U);
}

TEST(ReadRetry, AWrongCrcIsAFailureAndCounted) {
  Player p;
  p.decodes = only_at(0);
  p.crc_ok = false;
  p.settings.max_retries = 0;
  p.settings.max_soft = 0;
  const RetryResult result = p.play(page(2));
  EXPECT_EQ(result.code, RetryCode::kUncorrectable);
  EXPECT_NE(result.status & retry_status::kMiscorrected, 0U);
  EXPECT_EQ(p.counters.miscorrections, 2U);
  EXPECT_EQ(p.counters.codewords[0], 0U);
}

TEST(ReadRetry, InjectedErrorsForceEachLevel) {
  const Decodes always = [](unsigned, DecodeOp, unsigned, unsigned) { return true; };
  const auto play = [&](const std::function<void(RetrySettings&)>& inject) {
    Player p;
    p.decodes = always;
    p.settings.max_retries = 2;
    inject(p.settings);
    return p.play(page()).status;
  };
  const std::uint32_t t1 = play([](RetrySettings& s) { s.force_t1_fail = true; });
  EXPECT_EQ(field(t1, retry_status::kTiersShift, 3), 2U);
  const std::uint32_t hard = play([](RetrySettings& s) { s.force_t1_fail = s.force_t2h_fail = true; });
  EXPECT_EQ(field(hard, retry_status::kSoftShift, 2), 1U);
  EXPECT_EQ(field(hard, retry_status::kRetriesShift, 5), 2U);
  const std::uint32_t all =
      play([](RetrySettings& s) { s.force_t1_fail = s.force_t2h_fail = s.force_t2s_fail = true; });
  EXPECT_EQ(field(all, retry_status::kCodeShift, 3), 1U);
  const std::uint32_t steps = play([](RetrySettings& s) { s.force_steps = 2; });
  EXPECT_EQ(field(steps, retry_status::kRetriesShift, 5), 2U);
  EXPECT_EQ(field(steps, retry_status::kTiersShift, 3), 1U);
  const std::uint32_t crc = play([](RetrySettings& s) { s.corrupt_crc = true; });  // one codeword, once
  EXPECT_EQ(field(crc, retry_status::kTiersShift, 3), 3U);
  EXPECT_NE(crc & retry_status::kMiscorrected, 0U);
  for (const std::uint32_t status : {t1, hard, all, steps, crc}) EXPECT_NE(status & retry_status::kInjected, 0U);
}

/// Ends every wait of a long read, one after the other, in `end`, and returns the results.
std::vector<RetryResult> disturb_each(const std::function<bool(ReadRetry&)>& end) {
  std::vector<RetryResult> results;
  for (std::size_t at = 0; at < 31; ++at) {
    Player p;
    p.settings.last_step = 3;
    p.decodes = never;
    p.weight = [](unsigned step) { return step == 2 ? 90U : 100U; };
    p.disturb = [&](std::size_t command) { return command == at && end(p.retry); };
    const std::size_t before = results.size();
    results.push_back(p.play(page(1)));
    const bool changed = p.log.size() > 3;
    EXPECT_EQ(p.log.back() == "restore", changed) << "command " << at;
    EXPECT_EQ(results.size(), before + 1);
  }
  return results;
}

TEST(ReadRetry, ATimeOutOfAnyWaitRestoresAndEnds) {
  unsigned timeouts = 0;
  unsigned restore_failures = 0;
  for (const RetryResult& result : disturb_each([](ReadRetry& retry) { return retry.time_out(), true; })) {
    timeouts += result.code == RetryCode::kTimeout ? 1 : 0;
    restore_failures += (result.status & retry_status::kRestoreFailed) != 0 ? 1 : 0;
  }
  EXPECT_EQ(timeouts, 28U);  // all but two LLR loads, which do not wait, and the restore
  EXPECT_EQ(restore_failures, 1U);
}

TEST(ReadRetry, AnAbortInAnyWaitRestoresAndEnds) {
  unsigned aborted = 0;
  for (const RetryResult& result : disturb_each([](ReadRetry& retry) { return retry.abort(), false; })) {
    aborted += result.code == RetryCode::kAborted ? 1 : 0;
  }
  EXPECT_EQ(aborted, 28U);  // all but the LLR loads and the restore, when the outcome is known
}

TEST(ReadRetry, AFlashErrorEndsTheRead) {
  unsigned errors = 0;
  for (const RetryResult& result : disturb_each([](ReadRetry& retry) {
         if (retry.awaits_flash()) retry.flash_done(false);
         return !retry.awaits_verdict();
       })) {
    errors += result.code == RetryCode::kFlashError ? 1 : 0;
  }
  EXPECT_EQ(errors, 4U + 3U + 1U + 3U + 7U);  // reads, steps, centre, soft reads; a failed restore is another matter
}

TEST(ReadRetry, CallsThatDoNotFitAreRefused) {
  Player p;
  EXPECT_THROW(p.retry.flash_done(true), std::logic_error);
  EXPECT_THROW(p.retry.time_out(), std::logic_error);
  EXPECT_THROW(p.retry.take_result(), std::logic_error);
  EXPECT_THROW(p.retry.start(page(0)), std::invalid_argument);
  p.retry.abort();  // nothing to abort
  EXPECT_TRUE(p.retry.idle());
  p.retry.start(page(2));
  EXPECT_THROW(p.retry.start(page(2)), std::logic_error);
  EXPECT_EQ(p.retry.next(), RetryAction::kFlash);
  EXPECT_THROW(p.retry.flash_done(true), std::logic_error);  // not accepted yet
  p.retry.accept();
  EXPECT_EQ(p.retry.next(), RetryAction::kNothing);
  p.retry.flash_done(true);
  p.retry.next();
  p.retry.accept();
  EXPECT_THROW(p.retry.verdict({2, true, true, 1, 1, 0}), std::invalid_argument);  // not asked for
  p.retry.verdict({1, true, true, 1, 1, 0});
  EXPECT_THROW(p.retry.verdict({1, true, true, 1, 1, 0}), std::invalid_argument);  // twice
  EXPECT_THROW(OptimalReferences(0, 4), std::invalid_argument);
  EXPECT_THROW((void)p.ort.at(4, 0), std::out_of_range);
  EXPECT_THROW((void)p.ort.at(0, 8), std::out_of_range);
}

/// The order of steps, written a second time: sort all steps by what the header says.
std::vector<unsigned> expected_steps(bool sensed, bool ort_first, const OptimalReferences::Entry& entry,
                                     unsigned last) {
  const int from = entry.valid ? std::min<int>(entry.step, static_cast<int>(last)) : 1;
  const int first = !sensed && ort_first && entry.valid ? from : 0;
  std::vector<int> rest;
  for (int s = 0; s <= static_cast<int>(last); ++s) {
    if (s != first) rest.push_back(s);
  }
  const auto rank = [&](int s) { return first != 0 && s == 0 ? -1 : 2 * std::abs(s - from) + (s < from ? 1 : 0); };
  std::sort(rest.begin(), rest.end(), [&](int a, int b) { return rank(a) < rank(b); });
  std::vector<unsigned> steps;
  if (!sensed) steps.push_back(static_cast<unsigned>(first));
  steps.insert(steps.end(), rest.begin(), rest.end());
  return steps;
}

RC_GTEST_PROP(ReadRetryProperty, StepsLimitsMasksAndOutcomeAreAsWritten, ()) {
  Player p;
  p.settings.last_step = *rc::gen::inRange(0U, 16U);
  p.settings.max_retries = *rc::gen::inRange(0U, 17U);
  p.settings.max_soft = *rc::gen::inRange(0U, 3U);
  p.settings.ort_first = *rc::gen::arbitrary<bool>();
  const OptimalReferences::Entry entry{*rc::gen::arbitrary<bool>(), *rc::gen::inRange<std::uint8_t>(0, 16), 0};
  p.ort.set(1, 3, entry);
  RetryRequest request = page(*rc::gen::inRange(1U, kRetryCodewords + 1));
  request.sensed = *rc::gen::arbitrary<bool>();
  // A codeword decodes at its own step and those beyond, from its own tier on; steps above 15 and level 3: never.
  const auto good = *rc::gen::container<std::vector<unsigned>>(kRetryCodewords, rc::gen::inRange(0U, 18U));
  const auto tier = *rc::gen::container<std::vector<unsigned>>(kRetryCodewords, rc::gen::inRange(0U, 2U));
  const auto soft = *rc::gen::container<std::vector<unsigned>>(kRetryCodewords, rc::gen::inRange(1U, 4U));
  std::vector<unsigned> reads;
  p.decodes = [&](unsigned c, DecodeOp op, unsigned step, unsigned level) {
    if (op == DecodeOp::kT2S) return level >= soft[c];
    return step >= good[c] && (op == DecodeOp::kT2H || tier[c] == 0);
  };
  const RetryResult result = p.play(request);

  std::vector<unsigned> steps = expected_steps(request.sensed, p.settings.ort_first, entry, p.settings.last_step);
  const std::size_t allowed = p.settings.max_retries + (request.sensed ? 0U : 1U);
  if (steps.size() > allowed) steps.resize(allowed);
  CodewordMask pending = request.codewords;
  unsigned taken = 0;
  for (const unsigned step : steps) {
    if (pending.none()) break;
    ++taken;
    for (unsigned c = 0; c < kRetryCodewords; ++c) {
      if (step >= good[c]) pending.reset(c);
    }
  }
  const bool hard = pending.none();
  unsigned level = 0;
  while (pending.any() && level < p.settings.max_soft) {
    ++level;
    for (unsigned c = 0; c < kRetryCodewords; ++c) {
      if (level >= soft[c]) pending.reset(c);
    }
  }
  RC_ASSERT(result.failed == pending);
  RC_ASSERT(result.code == (pending.none() ? RetryCode::kOk : RetryCode::kUncorrectable));
  RC_ASSERT(field(result.status, retry_status::kRetriesShift, 5) == taken - (request.sensed || taken == 0 ? 0U : 1U));
  RC_ASSERT(field(result.status, retry_status::kSoftShift, 2) == level);
  std::vector<unsigned> seen;
  unsigned step = 0;
  for (const std::string& entry_of_log : p.log) {
    if (entry_of_log.rfind("set", 0) == 0) step = static_cast<unsigned>(std::stoul(entry_of_log.substr(3)));
    if (entry_of_log.rfind("read", 0) == 0) seen.push_back(step);
  }
  steps.resize(taken);
  RC_ASSERT(seen == steps);
  if (hard && taken > (request.sensed ? 0U : 1U)) RC_ASSERT(p.ort.at(1, 3).step == steps.back());
  RC_ASSERT(p.counters.codewords[0] + p.counters.codewords[1] + p.counters.codewords[2] + p.counters.codewords[3] +
                pending.count() ==
            request.codewords.count());
}

TEST(RetryStates, EachHasAName) {
  EXPECT_EQ(retry_state_names().size(), kRetryStates);
  EXPECT_STREQ(to_string(RetryState::kIdle), "IDLE");
  EXPECT_STREQ(to_string(RetryState::kFail), "FAIL");
}

}  // namespace
}  // namespace wordline::ecc
