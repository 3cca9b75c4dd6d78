// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Registers, interrupts and injected errors of the read-retry RTL, each by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "registers/wordline_regs.hpp"
#include "testbenches/rtl/read_retry/lockstep.h"

namespace wordline::testing::registers_test {
namespace {

namespace reg = registers::ecc;
using ecc::RetryCode;
using ecc::RetryState;
namespace status = ecc::retry_status;

unsigned field(std::uint32_t value, std::uint32_t mask, std::uint32_t shift) { return (value & mask) >> shift; }
unsigned retries(std::uint32_t value) {
  return field(value, reg::last_status_retries_mask, reg::last_status_retries_shift);
}
unsigned tiers(std::uint32_t value) { return field(value, reg::last_status_tiers_mask, reg::last_status_tiers_shift); }
unsigned soft(std::uint32_t value) { return field(value, reg::last_status_soft_mask, reg::last_status_soft_shift); }

ecc::RetryRequest request() {
  ecc::RetryRequest r;
  r.tag = 5;
  r.codewords.set(0).set(1).set(7);
  return r;
}

/// The next clock of a world that answers everything at once: the codewords decode or not.
Stimulus prompt(const Lockstep& l, bool decodes) {
  Stimulus s;
  if (l.model().idle()) s.request = request();
  if (l.model().awaits_flash()) s.flash_answer = {l.flash_tag(), true};
  if (l.model().awaits_verdict()) {
    unsigned c = 0;
    while (!l.model().awaited()[c]) ++c;
    s.verdict = {l.decode_tag(), {c, decodes, true, 3, 10, 100}};
  }
  return s;
}

/// Clocks on until the controller is in `state`.
void reach(Lockstep& l, RetryState state, bool decodes = false) {
  for (int i = 0; l.model().state() != state; ++i) {
    if (i > 1000) throw std::runtime_error(std::string("never in ") + ecc::to_string(state));
    l.clock(prompt(l, decodes));
  }
}

/// One read; returns its status.
std::uint32_t read(Lockstep& l, bool decodes) {
  const std::uint64_t results = l.results();
  while (l.results() == results) l.clock(prompt(l, decodes));
  return l.last().status;
}

TEST(ReadRetryRegisters, ResetValuesAreThoseOfTheDescriptionAndOfTheReference) {
  Lockstep l;
  l.compare_registers();
  rtl::ReadRetry dut;
  EXPECT_EQ(dut.apb({false, reg::control, 0}).data, reg::control_max_retries_reset << reg::control_max_retries_shift);
  EXPECT_EQ(dut.apb({false, reg::llr_seven, 0}).data, 0x7421U);
  EXPECT_EQ(dut.apb({false, reg::escalation, 0}).data,
            reg::escalation_last_step_reset | reg::escalation_max_soft_reset << reg::escalation_max_soft_shift |
                reg::escalation_ort_enable_reset << reg::escalation_ort_enable_shift |
                reg::escalation_ort_update_reset << reg::escalation_ort_update_shift);
}

TEST(ReadRetryRegisters, EveryBitThatCanBeWrittenIsKept) {
  Lockstep l;
  for (const std::uint32_t data : {0xffffffffU, 0x55555555U, 0xaaaaaaaaU, 0x00000000U}) {
    for (std::uint32_t address = 0; address < 0x200; address += 4) {
      if (address != reg::ort_index) l.apb({true, address, data});
    }
    ASSERT_NO_THROW(l.compare_registers());
  }
}

/// What the description says that a register reads as, from its fields; in `pattern`s of writes.
class Described {
 public:
  explicit Described(std::uint32_t address) : address_(address) {
    for (const registers::Field& field : reg::kFields) {
      const std::uint32_t beyond = field.offset + field.count * field.stride;
      if (address < field.offset || address >= beyond || (address - field.offset) % field.stride != 0) continue;
      exists_ = true;
      fields_.push_back(&field);
      value_ |= field.reset;
    }
  }
  [[nodiscard]] bool exists() const { return exists_; }
  [[nodiscard]] std::uint32_t value() const {
    std::uint32_t seen = value_;
    for (const registers::Field* field : fields_) {
      if (field->with_bit_0 && (value_ & 1) == 0) seen &= ~field->mask;
    }
    return seen;
  }

  void write(std::uint32_t data) {
    for (const registers::Field* field : fields_) {
      const std::uint32_t index = (address_ - field->offset) / field->stride;
      std::uint32_t now = value_ & field->mask;
      switch (field->access) {
        case registers::Access::kReadWrite:
          now = data & field->mask;
          if (field->most != 0) now = std::min(now / lowest(field->mask), field->most) * lowest(field->mask);
          if (field->zero_every != 0 && index % field->zero_every == 0) now = 0;
          break;
        case registers::Access::kClearByOne:
          now &= ~data;
          break;
        case registers::Access::kRead:
        case registers::Access::kWrite:  // reads as 0
          break;
      }
      value_ = (value_ & ~field->mask) | now;
    }
  }

 private:
  static std::uint32_t lowest(std::uint32_t mask) { return mask & -mask; }

  std::uint32_t address_;
  bool exists_ = false;
  std::vector<const registers::Field*> fields_;
  std::uint32_t value_ = 0;
};

TEST(ReadRetryRegisters, EveryFieldTakesAndGivesWhatTheDescriptionSays) {
  unsigned registers = 0;
  unsigned capped = 0;
  for (std::uint32_t address = 0; address < 0x1000; address += 4) {
    rtl::ReadRetry dut;
    Described described(address);
    SCOPED_TRACE(::testing::Message() << "register at " << address);
    const rtl::ReadRetry::ApbAnswer reset = dut.apb({false, address, 0});
    ASSERT_EQ(reset.error, !described.exists());
    if (reset.error) continue;
    ++registers;
    EXPECT_EQ(reset.data, described.value()) << "after reset";
    for (const std::uint32_t data :
         {0xffffffffU, 0U, 0x55555555U, 0xaaaaaaaaU, 0x33333333U, 0xffffffffU, 0x00010203U, 0U}) {
      ASSERT_FALSE(dut.apb({true, address, data}).error);
      described.write(data);
      ASSERT_EQ(dut.apb({false, address, 0}).data, described.value()) << "after writing " << data;
      capped += described.value() != data ? 1 : 0;
    }
  }
  EXPECT_EQ(registers, 0xc4U / 4 + 64U);
  EXPECT_GT(capped, 0U);
}

TEST(ReadRetryRegisters, UnknownMisalignedAndPartialAccessesAreErrorsAndWriteNothing) {
  Lockstep l;
  unsigned good = 0;
  for (std::uint32_t address = 0; address < 0x1000; ++address) {
    const rtl::ReadRetry::ApbAnswer read = l.apb({false, address, 0});
    EXPECT_EQ(read.error, l.apb({true, address, 0}).error) << address;
    good += read.error ? 0 : 1;
  }
  EXPECT_EQ(good, 0xc4U / 4 + 64U);  // up to STALE, and the table
  l.write(reg::control, 9);
  for (std::uint8_t strobes = 0; strobes < 15; ++strobes) {
    EXPECT_TRUE(l.apb({true, reg::control, 3, strobes}).error);
  }
  EXPECT_TRUE(l.apb({true, reg::control + 1, 3}).error);
  EXPECT_EQ(l.apb({false, reg::control, 0}).data, 9U);
}

TEST(ReadRetryRegisters, TablesAreLockedWhileAReadIsUnderWay) {
  Lockstep l;
  reach(l, RetryState::kWaitData);
  for (const std::uint32_t address : {reg::iterations, reg::soft_delta, reg::llr_hard, reg::llr_three, reg::llr_seven,
                                      reg::retry_table, reg::retry_table + 63 * 4}) {
    EXPECT_TRUE(l.apb({true, address, 0x01010101}).error) << address;
    EXPECT_FALSE(l.apb({false, address, 0}).error) << address;
  }
  EXPECT_FALSE(l.apb({true, reg::control, 1}).error);
  EXPECT_EQ(field(l.apb({false, reg::status, 0}).data, reg::status_state_mask, reg::status_state_shift),
            static_cast<unsigned>(RetryState::kWaitData));
}

TEST(ReadRetryRegisters, TheTableOfOptimalReferencesIsAMemory) {
  Lockstep l;
  const auto content = [](unsigned group, unsigned layer) {
    return 1U | ((group * 5 + layer) & 15) << reg::ort_entry_step_shift | (layer & 3) << reg::ort_entry_level_shift;
  };
  for (unsigned group = 0; group < rtl::ReadRetry::kOrtGroups; ++group) {
    for (unsigned layer = 0; layer < rtl::ReadRetry::kOrtLayers; ++layer) {
      l.write(reg::ort_index, group | layer << 16);
      l.write(reg::ort_entry, content(group, layer));
    }
  }
  l.write(reg::ort_clear, 2);
  l.write(reg::ort_clear, rtl::ReadRetry::kOrtGroups);  // there is none: nothing happens
  for (unsigned group = 0; group < rtl::ReadRetry::kOrtGroups; ++group) {
    for (unsigned layer = 0; layer < rtl::ReadRetry::kOrtLayers; ++layer) {
      l.write(reg::ort_index, group | layer << 16);
      const std::uint32_t expected = group == 2 ? 0 : content(group, layer);
      ASSERT_EQ(l.apb({false, reg::ort_entry, 0}).data, expected) << group << ' ' << layer;
    }
  }
  l.write(reg::ort_index, rtl::ReadRetry::kOrtGroups);
  EXPECT_TRUE(l.apb({false, reg::ort_entry, 0}).error);
  l.write(reg::ort_index, rtl::ReadRetry::kOrtLayers << 16);
  EXPECT_TRUE(l.apb({true, reg::ort_entry, 1}).error);
}

TEST(ReadRetryRegisters, AnAccessToTheTableWaitsWhileTheStateMachineWritesIt) {
  // The access begins in each clock of a read that learns: in one of them it meets the write, and comes after it.
  std::uint64_t waits = 0;
  for (unsigned at = 0; at < 40; ++at) {
    Lockstep l;
    l.write(reg::inject, 1U << reg::inject_steps_shift);  // the first retry succeeds
    bool ended = false;
    for (unsigned clock = 0; clock < 45; ++clock) {
      Stimulus s = ended ? Stimulus{} : prompt(l, true);
      ended = ended || l.results() != 0;
      if (ended) s.request.reset();
      if (clock == at) s.apb = {true, reg::ort_entry, 0x31, 15};
      l.clock(s);
    }
    ASSERT_EQ(l.results(), 1U);
    const ecc::OptimalReferences::Entry& entry = l.ort().at(0, 0);
    ASSERT_EQ(l.apb({false, reg::ort_entry, 0}).data, 1U | std::uint32_t{entry.step} << reg::ort_entry_step_shift);
    EXPECT_TRUE(l.apb_waits() == 0 || entry.step == 3) << "the access came first";
    waits += l.apb_waits();
  }
  EXPECT_EQ(waits, 1U);
}

TEST(ReadRetryRegisters, EachInjectedErrorForcesItsPath) {
  const auto inject = [](std::uint32_t value) {
    Lockstep l;
    l.write(reg::inject, value);
    const std::uint32_t history = read(l, true);
    // Tier 2 is not asked when tier 1 decodes.
    EXPECT_EQ((history & status::kInjected) != 0, value != 0 && value != reg::inject_t2h_fail_mask);
    return history;
  };
  constexpr std::uint32_t kT1 = reg::inject_t1_fail_mask;
  constexpr std::uint32_t kT2H = reg::inject_t2h_fail_mask;
  constexpr std::uint32_t kT2S = reg::inject_t2s_fail_mask;
  EXPECT_EQ(tiers(inject(0)), 1U);
  EXPECT_EQ(tiers(inject(kT1)), 2U);
  EXPECT_EQ(tiers(inject(kT2H)), 1U);
  const std::uint32_t to_soft = inject(kT1 | kT2H);
  EXPECT_EQ(tiers(to_soft), 4U);
  EXPECT_EQ(soft(to_soft), 1U);
  EXPECT_EQ(retries(to_soft), reg::control_max_retries_reset);
  const std::uint32_t all = inject(kT1 | kT2H | kT2S);
  EXPECT_EQ(field(all, reg::last_status_code_mask, 0), static_cast<unsigned>(RetryCode::kUncorrectable));
  EXPECT_EQ(soft(all), 2U);
  EXPECT_EQ(field(all, reg::last_status_failed_mask, reg::last_status_failed_shift), 3U);
  for (unsigned steps = 1; steps <= 5; ++steps) {
    EXPECT_EQ(retries(inject(steps << reg::inject_steps_shift)), steps);
  }
  const std::uint32_t crc = inject(reg::inject_crc_mask);
  EXPECT_NE(crc & status::kMiscorrected, 0U);
  EXPECT_EQ(tiers(crc), 3U);
}

TEST(ReadRetryRegisters, InterruptsAreRaisedMaskedAndCleared) {
  Lockstep l;
  read(l, true);
  EXPECT_EQ(l.irq_status(), reg::irq_status_done_mask);
  EXPECT_FALSE(l.dut().irq());  // not enabled
  l.write(reg::irq_enable, reg::irq_enable_done_mask);
  EXPECT_TRUE(l.dut().irq());
  l.write(reg::irq_status, reg::irq_status_fail_mask);
  EXPECT_TRUE(l.dut().irq());
  l.write(reg::irq_status, reg::irq_status_done_mask);
  EXPECT_FALSE(l.dut().irq());
  read(l, false);
  EXPECT_EQ(l.irq_status(), reg::irq_status_fail_mask);
}

TEST(ReadRetryRegisters, ARestoreThatIsLostIsReportedButTheDataAreGood) {
  Lockstep l;
  l.write(reg::inject, 1U << reg::inject_steps_shift);
  l.write(reg::flash_timeout, 6);
  reach(l, RetryState::kRestoreFeature, true);
  Stimulus s;
  while (l.results() == 0) l.clock(s);
  EXPECT_EQ(l.last().code, RetryCode::kOk);
  EXPECT_NE(l.last().status & status::kRestoreFailed, 0U);
  EXPECT_EQ(l.irq_status(), reg::irq_status_done_mask | reg::irq_status_restore_mask);
}

TEST(ReadRetryRegisters, ATimeOutComesInTheClockThatIsWritten) {
  for (const std::uint32_t limit : {1U, 2U, 5U, 100U}) {
    Lockstep l;
    l.write(reg::flash_timeout, limit);
    reach(l, RetryState::kWaitData);
    Stimulus s;
    for (std::uint32_t i = 0; i + 1 < limit; ++i) l.clock(s);
    EXPECT_EQ(l.model().state(), RetryState::kWaitData);
    s.result_ready = false;
    l.clock(s);
    EXPECT_EQ(l.model().state(), RetryState::kFail);
    EXPECT_EQ(l.dut().result().code, RetryCode::kTimeout);
  }
  // An answer in the last clock is in time.
  Lockstep l;
  l.write(reg::flash_timeout, 3);
  reach(l, RetryState::kWaitData);
  l.clock({});
  l.clock({});
  l.clock(prompt(l, true));
  EXPECT_EQ(l.model().state(), RetryState::kT1);
}

TEST(ReadRetryRegisters, ACommandThatIsNotTakenRaisesStallOnceAndStaysOffered) {
  Lockstep l;
  l.write(reg::flash_timeout, 4);
  l.write(reg::decode_timeout, 3);
  reach(l, RetryState::kIssueRead);
  Stimulus s;
  s.flash_ready = false;
  for (int i = 0; i < 3; ++i) l.clock(s);
  EXPECT_EQ(l.irq_status(), 0U);
  l.clock(s);
  EXPECT_EQ(l.irq_status(), reg::irq_status_stall_mask);
  l.write(reg::irq_status, reg::irq_status_stall_mask);
  l.write(reg::irq_enable, reg::irq_enable_stall_mask);  // the interrupt is compared in every clock
  for (int i = 0; i < 20; ++i) l.clock(s);
  EXPECT_EQ(l.irq_status(), 0U);
  EXPECT_EQ(l.apb({false, reg::irq_status, 0}).data, 0U);
  EXPECT_TRUE(l.dut().flash_valid());
  reach(l, RetryState::kT1);
  s = {};
  s.decode_ready = false;
  for (int i = 0; i < 3; ++i) l.clock(s);
  EXPECT_EQ(l.irq_status(), reg::irq_status_stall_mask);
}

TEST(ReadRetryRegisters, AnAbortThroughTheRegisterIsAnAbort) {
  Lockstep l;
  l.write(reg::command, reg::command_abort_mask);  // nothing to abort
  reach(l, RetryState::kSoftRead);
  EXPECT_EQ(l.model().state(), RetryState::kSoftRead);
  l.write(reg::command, 0);
  l.write(reg::command, reg::command_abort_mask);
  read(l, true);
  EXPECT_EQ(l.last().code, RetryCode::kAborted);
  EXPECT_EQ(l.last().failed.count(), 3U);
  read(l, true);  // the next one is not aborted
  EXPECT_EQ(l.last().code, RetryCode::kOk);
}

/// A world without the reference beside it: one clock in which everything is answered at once.
void prompt_clock(rtl::ReadRetry& dut, bool decodes, ecc::CodewordMask& awaited, bool& sent) {
  dut.set_flash_ready(true);
  dut.set_decode_ready(true);
  dut.set_result_ready(false);
  if (dut.request_ready()) {
    dut.offer_request(request());
  } else {
    dut.no_request();
  }
  dut.no_flash_answer();
  dut.no_verdict();
  if (sent) {
    dut.answer_flash(dut.flash_tag() + rtl::ReadRetry::kTags - 1, true);
    sent = false;
  } else if (awaited.any()) {
    unsigned c = 0;
    while (!awaited[c]) ++c;
    awaited.reset(c);
    dut.give_verdict(dut.decode_tag() + rtl::ReadRetry::kTags - 1, {c, decodes, true, 1, 1, 1});
  }
  if (dut.flash_valid()) sent = true;
  if (dut.decode_valid()) awaited = dut.decode_command().codewords;
  dut.clock();
}

TEST(ReadRetryRegisters, AResetInAnyStateLeavesNothingBehind) {
  for (unsigned s = 1; s <= static_cast<unsigned>(RetryState::kFail); ++s) {
    const auto state = static_cast<RetryState>(s);
    rtl::ReadRetry dut;
    const bool good = state == RetryState::kUpdateOrt || state == RetryState::kDone;
    dut.apb({true, reg::control, 2});
    if (good) dut.apb({true, reg::inject, 1U << reg::inject_steps_shift});
    dut.apb({true, reg::ort_entry, 0x11});
    ecc::CodewordMask awaited;
    bool sent = false;
    for (int i = 0; dut.state() != state; ++i) {
      ASSERT_LT(i, 1000) << ecc::to_string(state);
      prompt_clock(dut, good, awaited, sent);
    }
    dut.reset();
    awaited.reset();
    sent = false;
    ASSERT_EQ(dut.state(), RetryState::kIdle) << ecc::to_string(state);
    EXPECT_FALSE(dut.flash_valid() || dut.decode_valid() || dut.result_valid() || dut.irq());
    EXPECT_EQ(dut.apb({false, reg::control, 0}).data, reg::control_max_retries_reset);
    EXPECT_EQ(dut.apb({false, reg::inject, 0}).data, 0U);
    EXPECT_EQ(dut.apb({false, reg::ort_entry, 0}).data, 0U);
    EXPECT_EQ(dut.apb({false, reg::retries, 0}).data, 0U);
    while (!dut.result_valid()) prompt_clock(dut, true, awaited, sent);
    EXPECT_EQ(dut.result().code, RetryCode::kOk);
    EXPECT_EQ(retries(dut.result().status), 0U);
  }
}

TEST(ReadRetryRegisters, AResetBringsBackEveryRegisterAndTag) {
  // Nothing is at its reset value: settings, tables, interrupts, the last read, counters, one answer too many.
  Lockstep l;
  for (std::uint32_t address = 0; address < 0x200; address += 4) {
    if (address != reg::ort_index) l.apb({true, address, 0xffffffffU});
  }
  for (const std::uint32_t address : {reg::flash_timeout, reg::decode_timeout}) l.write(address, 50);
  l.write(reg::inject, 1U << reg::inject_steps_shift);
  l.write(reg::irq_status, 0);
  read(l, true);
  l.write(reg::inject, 0);
  read(l, false);
  read(l, true);
  reach(l, RetryState::kWaitData);
  l.clock({});
  while (l.model().state() == RetryState::kWaitData) l.clock({});  // its answer comes too late
  Stimulus late;
  late.flash_answer = {l.flash_tag(), true};
  l.clock(late);
  read(l, true);
  EXPECT_GT(l.stale(), 0U);
  l.write(reg::ort_index, 0x00020001);
  for (const std::uint32_t address : {reg::stale, reg::irq_enable, reg::irq_status, reg::last_status, reg::last_tag,
                                      reg::retry_table, reg::retry_table + 63 * 4, reg::ort_index}) {
    EXPECT_NE(l.apb({false, address, 0}).data, 0U) << address;
  }
  l.write(reg::control, 1);
  l.write(reg::escalation, 0);
  read(l, false);  // LAST_FAILED
  EXPECT_NE(l.apb({false, reg::last_failed, 0}).data, 0U);
  ASSERT_NE(l.flash_tag(), rtl::ReadRetry::kTags - 1);
  ASSERT_NE(l.decode_tag(), rtl::ReadRetry::kTags - 1);

  rtl::ReadRetry& dut = l.dut();
  dut.reset();
  rtl::ReadRetry fresh;
  for (std::uint32_t address = 0; address < 0x204; address += 4) {
    const rtl::ReadRetry::ApbAnswer now = dut.apb({false, address, 0});
    const rtl::ReadRetry::ApbAnswer then = fresh.apb({false, address, 0});
    EXPECT_EQ(now.error, then.error) << address;
    EXPECT_EQ(now.data, then.data) << address;
  }
  EXPECT_FALSE(dut.irq());
  for (rtl::ReadRetry* each : {&dut, &fresh}) {
    each->offer_request(request());
    each->set_flash_ready(true);
    each->clock();
    each->no_request();
    while (!each->flash_valid()) each->clock();
    EXPECT_EQ(each->flash_tag(), 0U);
    each->clock();
    each->answer_flash(0, true);
    each->clock();
    each->no_flash_answer();
    while (!each->decode_valid()) each->clock();
    EXPECT_EQ(each->decode_tag(), 0U);
  }
}

TEST(ReadRetryRegisters, TwoLateAnswersInOneClockAreTwo) {
  Lockstep l;
  l.write(reg::flash_timeout, 20);
  l.write(reg::decode_timeout, 20);
  reach(l, RetryState::kT1);
  const auto wait_for_the_end = [&l] {
    const std::uint64_t results = l.results();
    while (l.results() == results) l.clock({});
  };
  wait_for_the_end();  // the verdicts do not come
  reach(l, RetryState::kWaitData);
  wait_for_the_end();  // nor does the answer to the second read's command
  Stimulus late;
  late.flash_answer = {l.flash_tag(), true};
  late.verdict = {l.decode_tag(), {0, true, true, 1, 0, 0}};
  l.clock(late);
  EXPECT_EQ(l.apb({false, reg::stale, 0}).data, 2U);
}

TEST(ReadRetryRegisters, TheWaveformShowsStateAndPorts) {
  Lockstep l;
  std::string seen;
  std::uint64_t before = 0;
  l.dut().on_clock([&] {
    const std::uint64_t state = l.dut().status().front().value;
    if (state != before) seen += std::string(ecc::to_string(static_cast<RetryState>(state))) + ' ';
    before = state;
  });
  l.write(reg::inject, 1U << reg::inject_steps_shift);
  read(l, true);
  EXPECT_EQ(seen,
            "LOOKUP_ORT ISSUE_READ WAIT_DATA T1 CRC T2H CRC NEXT_RETRY SET_FEATURE ISSUE_READ WAIT_DATA T1 CRC "
            "UPDATE_ORT RESTORE_FEATURE DONE IDLE ");
  for (const rtl::StatusSignal& signal : l.dut().status()) {
    EXPECT_LT(signal.value, std::uint64_t{1} << signal.bits) << signal.name;
  }
}

}  // namespace
}  // namespace wordline::testing::registers_test
