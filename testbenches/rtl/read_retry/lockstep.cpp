// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/rtl/read_retry/lockstep.h"

#include <algorithm>

#include "registers/wordline_regs.hpp"

namespace wordline::testing {
namespace {

namespace reg = registers::ecc;

constexpr unsigned kStall = reg::irq_status_stall_mask;

bool same(const ecc::FlashCommand& a, const ecc::FlashCommand& b) {
  return a.op == b.op && a.step == b.step && a.offsets == b.offsets && a.soft_read == b.soft_read &&
         a.soft_offset == b.soft_offset && a.codewords == b.codewords;
}

bool same(const ecc::DecodeCommand& a, const ecc::DecodeCommand& b) {
  return a.op == b.op && a.level == b.level && a.max_iterations == b.max_iterations && a.llr == b.llr &&
         a.codewords == b.codewords;
}

bool inside(std::uint32_t address, std::uint32_t first, std::uint32_t count) {
  return address >= first && address < first + 4 * count;
}

std::uint32_t word_of_mask(const ecc::CodewordMask& mask, unsigned word) {
  return static_cast<std::uint32_t>((mask >> (32 * word) & ecc::CodewordMask(0xffffffffU)).to_ulong());
}

std::uint32_t packed(const ecc::LlrTable& llr) {
  return static_cast<std::uint32_t>(llr[0] | llr[1] << 4 | llr[2] << 8 | llr[3] << 12);
}

}  // namespace

Lockstep::Lockstep() {
  settings_.max_retries = 5;  // as the register resets; the rest of the reference's defaults are those of the registers
}

void Lockstep::fail(const std::string& what) const {
  throw Mismatch("clock " + std::to_string(clocks_) + ", reference in " + ecc::to_string(model_.state()) + ", RTL in " +
                 ecc::to_string(dut_.state()) + ": " + what);
}

// ---- one clock ----------------------------------------------------------------------------------------------------

void Lockstep::drive(const Stimulus& s) {
  if (s.request) {
    dut_.offer_request(*s.request);
  } else {
    dut_.no_request();
  }
  dut_.set_abort(s.abort);
  dut_.set_flash_ready(s.flash_ready);
  dut_.set_decode_ready(s.decode_ready);
  dut_.set_result_ready(s.result_ready);
  if (s.flash_answer) {
    dut_.answer_flash(s.flash_answer->first, s.flash_answer->second);
  } else {
    dut_.no_flash_answer();
  }
  if (s.verdict) {
    dut_.give_verdict(s.verdict->first, s.verdict->second);
  } else {
    dut_.no_verdict();
  }
  if (phase_ == Phase::kAccess) {
    dut_.apb_access();
  } else if (s.apb) {
    transfer_ = *s.apb;
    dut_.apb_setup(transfer_);
  } else {
    dut_.apb_idle();
  }
}

void Lockstep::compare_outputs() const {
  check(dut_.state() == model_.state(), "state");
  check(dut_.request_ready() == model_.idle(), "request ready");
  check(dut_.flash_valid() == model_.offers_flash(), "flash command valid");
  if (model_.offers_flash()) {
    check(same(dut_.flash_command(), model_.flash_command()), "flash command");
    check(dut_.flash_tag() == (flash_tag_ + 1) % rtl::ReadRetry::kTags, "flash command's tag");
    check(dut_.flash_die() == model_.request().die && dut_.flash_address() == model_.request().address &&
              dut_.flash_page_type() == model_.request().page_type,
          "flash command's address");
  }
  check(dut_.decode_valid() == model_.offers_decode(), "decoder command valid");
  if (model_.offers_decode()) {
    check(same(dut_.decode_command(), model_.decode_command()), "decoder command");
    check(dut_.decode_tag() == (decode_tag_ + 1) % rtl::ReadRetry::kTags, "decoder command's tag");
  }
  const bool result = model_.state() == ecc::RetryState::kDone || model_.state() == ecc::RetryState::kFail;
  check(dut_.result_valid() == result, "result valid");
  if (result) {
    const ecc::RetryResult expected = model_.result();
    const ecc::RetryResult got = dut_.result();
    check(got.tag == expected.tag && got.code == expected.code && got.failed == expected.failed, "result");
    if (got.status != expected.status) {
      fail("status " + std::to_string(got.status) + " instead of " + std::to_string(expected.status));
    }
  }
  check(dut_.irq() == ((irq_status_ & irq_enable_) != 0), "interrupt");
}

void Lockstep::clock(const Stimulus& stimulus) {
  drive(stimulus);
  compare_outputs();
  raised_ = 0;
  const bool access = phase_ == Phase::kAccess;
  const bool uses_ort =
      access && transfer_.write && (transfer_.address == reg::ort_entry || transfer_.address == reg::ort_clear);
  bool done = false;
  bool error = false;
  if (access) {
    done = dut_.apb_ready();
    apb_waits_ += done ? 0 : 1;
    check(done || (uses_ort && model_.state() == ecc::RetryState::kUpdateOrt), "APB waits");
    if (done) {
      const std::optional<std::uint32_t> value = read_register(transfer_.address);
      error = transfer_.write ? !value || !writable(transfer_.address, transfer_.strobes) : !value;
      if (dut_.apb_error() != error) fail("APB error at " + std::to_string(transfer_.address));
      const std::uint32_t expected = transfer_.write || error ? 0 : *value;
      if (dut_.apb_data() != expected) {
        fail("register " + std::to_string(transfer_.address) + " is " + std::to_string(dut_.apb_data()) +
             " instead of " + std::to_string(expected));
      }
      answer_ = {error, dut_.apb_data()};
    }
  }
  const bool writes = done && transfer_.write && !error;
  Stimulus seen = stimulus;
  seen.abort |= writes && transfer_.address == reg::command && (transfer_.data & reg::command_abort_mask) != 0;
  step_model(seen);
  if (access) {
    check(!uses_ort || done == !ort_written_, "the registers wait exactly while the state machine writes the table");
  }
  dut_.clock();
  ++clocks_;
  if (writes) write_register(transfer_.address, transfer_.data);
  irq_status_ |= raised_;
  if (access) {
    if (done) phase_ = Phase::kIdle;
  } else if (stimulus.apb) {
    phase_ = Phase::kAccess;
  }
}

void Lockstep::step_model(const Stimulus& s) {
  using ecc::RetryState;
  ort_written_ = false;
  if (s.abort) model_.abort();
  const bool answers_flash = s.flash_answer && model_.awaits_flash() && s.flash_answer->first == flash_tag_;
  const bool answers_decode = s.verdict && model_.awaits_verdict() && s.verdict->first == decode_tag_;
  stale_ += (s.flash_answer && !answers_flash ? 1 : 0) + (s.verdict && !answers_decode ? 1 : 0);
  if (model_.idle()) {
    if (s.request) model_.start(*s.request);
  } else if (model_.internal()) {
    const bool updates = model_.state() == RetryState::kUpdateOrt;
    model_.advance();
    ort_written_ = updates && model_.ort_updated();
  } else if (model_.offers_flash() && s.flash_ready) {
    flash_tag_ = (flash_tag_ + 1) % rtl::ReadRetry::kTags;
    model_.accept();
  } else if (model_.offers_decode() && s.decode_ready) {
    decode_tag_ = (decode_tag_ + 1) % rtl::ReadRetry::kTags;
    model_.accept();
  } else if (answers_flash) {
    model_.flash_done(s.flash_answer->second);
  } else if (answers_decode) {
    model_.verdict(s.verdict->second);
  } else if ((model_.state() == RetryState::kDone || model_.state() == RetryState::kFail) && s.result_ready) {
    last_ = model_.take_result();
    ++results_;
    raised_ |= last_.code == ecc::RetryCode::kOk ? reg::irq_status_done_mask : reg::irq_status_fail_mask;
    if ((last_.status & ecc::retry_status::kRestoreFailed) != 0) raised_ |= reg::irq_status_restore_mask;
  } else {
    step_timer();
    return;
  }
  timer_ = 0;
}

void Lockstep::step_timer() {
  const bool decoder = model_.offers_decode() || model_.awaits_verdict();
  const std::uint32_t limit = decoder ? decode_timeout_ : flash_timeout_;
  if (model_.offers_flash() || model_.offers_decode()) {
    if (limit != 0 && timer_ + 1 == limit) raised_ |= kStall;
    ++timer_;
  } else if (model_.awaits_flash() || model_.awaits_verdict()) {
    if (limit != 0 && timer_ + 1 >= limit) {
      model_.time_out();
      ++time_outs_;
      timer_ = 0;
    } else {
      ++timer_;
    }
  }
}

// ---- registers ----------------------------------------------------------------------------------------------------

rtl::ReadRetry::ApbAnswer Lockstep::apb(const rtl::ReadRetry::ApbTransfer& transfer) {
  Stimulus s;
  s.flash_ready = s.decode_ready = s.result_ready = false;
  s.apb = transfer;
  clock(s);
  s.apb.reset();
  while (!apb_idle()) clock(s);
  return answer_;
}

void Lockstep::compare_registers() {
  for (std::uint32_t address = 0; address < 0x204; address += 4) apb({false, address, 0});
}

std::optional<std::uint32_t> Lockstep::read_register(std::uint32_t address) const {
  const auto low = [](std::uint64_t count) { return static_cast<std::uint32_t>(count); };
  if (address % 4 != 0) return {};
  if (inside(address, reg::last_failed, reg::last_failed_count)) {
    return word_of_mask(last_.failed, (address - reg::last_failed) / 4);
  }
  if (inside(address, reg::codewords, reg::codewords_count)) {
    return low(counters_.codewords[(address - reg::codewords) / 4]);
  }
  if (inside(address, reg::t1_iterations, reg::t1_iterations_count)) {
    return low(counters_.t1_iterations[(address - reg::t1_iterations) / 4]);
  }
  if (inside(address, reg::t2_iterations, reg::t2_iterations_count)) {
    return low(counters_.t2_iterations[(address - reg::t2_iterations) / 4]);
  }
  if (inside(address, reg::retry_table, reg::retry_table_count)) {
    const unsigned word = (address - reg::retry_table) / 4;
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) {
      value |= std::uint32_t{static_cast<std::uint8_t>(settings_.table[word / 4][word % 4 * 4 + i])} << (8 * i);
    }
    return value;
  }
  const ecc::RetrySettings& s = settings_;
  const auto bit = [](bool value, unsigned shift) { return value ? 1U << shift : 0U; };
  switch (address) {
    case reg::control:
      return s.max_retries;
    case reg::decoded:
      return low(counters_.decoded_lpages);
    case reg::retries:
      return low(counters_.retries);
    case reg::uncorrectable:
      return low(counters_.uncorrectable_lpages);
    case reg::escalation:
      return s.last_step << reg::escalation_last_step_shift | s.max_soft << reg::escalation_max_soft_shift |
             bit(s.ort_enable, reg::escalation_ort_enable_shift) | bit(s.ort_first, reg::escalation_ort_first_shift) |
             bit(s.ort_update, reg::escalation_ort_update_shift);
    case reg::iterations:
      return s.t1_iterations << reg::iterations_t1_shift | s.t2_iterations << reg::iterations_t2_shift;
    case reg::flash_timeout:
      return flash_timeout_;
    case reg::decode_timeout:
      return decode_timeout_;
    case reg::soft_delta:
      return std::uint32_t{s.soft_delta[0]} << reg::soft_delta_three_shift | std::uint32_t{s.soft_delta[1]}
                                                                                 << reg::soft_delta_seven_shift;
    case reg::llr_hard:
    case reg::llr_three:
    case reg::llr_seven:
      return packed(s.llr[(address - reg::llr_hard) / 4]);
    case reg::inject:
      return bit(s.force_t1_fail, reg::inject_t1_fail_shift) | bit(s.force_t2h_fail, reg::inject_t2h_fail_shift) |
             bit(s.force_t2s_fail, reg::inject_t2s_fail_shift) | bit(s.corrupt_crc, reg::inject_crc_shift) |
             s.force_steps << reg::inject_steps_shift;
    case reg::status:
      return bit(!model_.idle(), reg::status_busy_shift) | static_cast<std::uint32_t>(model_.state())
                                                               << reg::status_state_shift;
    case reg::command:
    case reg::ort_clear:
      return 0;
    case reg::irq_status:
      return irq_status_;
    case reg::irq_enable:
      return irq_enable_;
    case reg::last_status:
      return last_.status;
    case reg::last_tag:
      return last_.tag;
    case reg::ort_index:
      return ort_index_;
    case reg::ort_entry: {
      const unsigned group = ort_index_ & 0xffff;
      const unsigned layer = ort_index_ >> 16;
      if (group >= ort_.groups() || layer >= ort_.layers()) return {};
      const ecc::OptimalReferences::Entry& entry = ort_.at(group, layer);
      if (!entry.valid) return 0;
      return 1U | std::uint32_t{entry.step} << reg::ort_entry_step_shift |
             std::uint32_t{entry.level} << reg::ort_entry_level_shift;
    }
    case reg::corrected_bits:
      return low(counters_.corrected_bits);
    case reg::miscorrections:
      return low(counters_.miscorrections);
    case reg::stale:
      return low(stale_);
    default:
      return {};
  }
}

bool Lockstep::writable(std::uint32_t address, std::uint8_t strobes) const {
  if (strobes != 0xf) return false;
  const bool locked = address == reg::iterations || address == reg::soft_delta || inside(address, reg::llr_hard, 3) ||
                      inside(address, reg::retry_table, reg::retry_table_count);
  return !locked || model_.idle();
}

void Lockstep::write_register(std::uint32_t address, std::uint32_t data) {
  ecc::RetrySettings& s = settings_;
  const auto field = [data](std::uint32_t mask, unsigned shift) { return (data & mask) >> shift; };
  if (inside(address, reg::retry_table, reg::retry_table_count)) {
    const unsigned word = (address - reg::retry_table) / 4;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned reference = word % 4 * 4 + i;
      if (reference != 0) s.table[word / 4][reference] = static_cast<std::int8_t>(data >> (8 * i));
    }
    return;
  }
  switch (address) {
    case reg::control:
      s.max_retries = data & reg::control_max_retries_mask;
      break;
    case reg::escalation:
      s.last_step = field(reg::escalation_last_step_mask, reg::escalation_last_step_shift);
      s.max_soft = std::min(2U, field(reg::escalation_max_soft_mask, reg::escalation_max_soft_shift));
      s.ort_enable = (data & reg::escalation_ort_enable_mask) != 0;
      s.ort_first = (data & reg::escalation_ort_first_mask) != 0;
      s.ort_update = (data & reg::escalation_ort_update_mask) != 0;
      break;
    case reg::iterations:
      s.t1_iterations = field(reg::iterations_t1_mask, reg::iterations_t1_shift);
      s.t2_iterations = field(reg::iterations_t2_mask, reg::iterations_t2_shift);
      break;
    case reg::flash_timeout:
      flash_timeout_ = data;
      break;
    case reg::decode_timeout:
      decode_timeout_ = data;
      break;
    case reg::soft_delta:
      s.soft_delta[0] = static_cast<std::uint8_t>(field(reg::soft_delta_three_mask, reg::soft_delta_three_shift));
      s.soft_delta[1] = static_cast<std::uint8_t>(field(reg::soft_delta_seven_mask, reg::soft_delta_seven_shift));
      break;
    case reg::llr_hard:
    case reg::llr_three:
    case reg::llr_seven:
      for (unsigned i = 0; i < 4; ++i) {
        s.llr[(address - reg::llr_hard) / 4][i] = static_cast<std::uint8_t>(data >> (4 * i) & 7);
      }
      break;
    case reg::inject:
      s.force_t1_fail = (data & reg::inject_t1_fail_mask) != 0;
      s.force_t2h_fail = (data & reg::inject_t2h_fail_mask) != 0;
      s.force_t2s_fail = (data & reg::inject_t2s_fail_mask) != 0;
      s.corrupt_crc = (data & reg::inject_crc_mask) != 0;
      s.force_steps = field(reg::inject_steps_mask, reg::inject_steps_shift);
      break;
    case reg::irq_status:
      irq_status_ &= ~data;
      break;
    case reg::irq_enable:
      irq_enable_ = data & 0xf;
      break;
    case reg::ort_index:
      ort_index_ = data;
      break;
    case reg::ort_entry:
      ort_.set(ort_index_ & 0xffff, ort_index_ >> 16,
               {(data & reg::ort_entry_valid_mask) != 0,
                static_cast<std::uint8_t>(field(reg::ort_entry_step_mask, reg::ort_entry_step_shift)),
                static_cast<std::uint8_t>(field(reg::ort_entry_level_mask, reg::ort_entry_level_shift))});
      break;
    case reg::ort_clear:
      if ((data & 0xffff) < ort_.groups()) ort_.clear(data & 0xffff);
      break;
    default:
      break;  // read only
  }
}

}  // namespace wordline::testing
