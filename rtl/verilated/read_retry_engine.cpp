// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/verilated/read_retry_engine.h"

#include <fmt/format.h>

#include <stdexcept>

#include "models/ecc/retry/setting_registers.h"
#include "registers/wordline_regs.hpp"

namespace wordline::rtl {
namespace {

namespace reg = registers::ecc;

std::uint32_t bit(bool value, std::uint32_t shift) { return value ? 1U << shift : 0U; }

/// Adds what a 32-bit counter has moved since it was last seen.
void follow(std::uint64_t& count, std::uint64_t& seen, std::uint32_t now) {
  count += static_cast<std::uint32_t>(now - static_cast<std::uint32_t>(seen));
  seen = now;
}

}  // namespace

void ReadRetryEngine::refuse(const char* call) const {
  throw std::logic_error(fmt::format("read retry in RTL: {} in state {}", call, ecc::to_string(state())));
}

void ReadRetryEngine::clock() {
  dut_.clock();
  dut_.set_abort(false);
  ++clocks_;
}

// ---- registers ----------------------------------------------------------------------------------------------------

void ReadRetryEngine::write_settings(const ecc::RetrySettings& s) {
  const std::vector<std::uint32_t>& offsets = ecc::setting_registers();
  const bool first = written_.empty();
  written_.resize(offsets.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    std::uint32_t value = 0;
    (void)ecc::read_setting(s, offsets[i], value);
    if (first || value != written_[i]) write(offsets[i], value);
    written_[i] = value;
  }
  write(reg::inject, bit(s.force_t1_fail, reg::inject_t1_fail_shift) |
                         bit(s.force_t2h_fail, reg::inject_t2h_fail_shift) |
                         bit(s.force_t2s_fail, reg::inject_t2s_fail_shift) | bit(s.corrupt_crc, reg::inject_crc_shift) |
                         s.force_steps << reg::inject_steps_shift);
}

void ReadRetryEngine::read_counters() {
  const auto count = [&](std::uint64_t& to, std::uint64_t& seen, std::uint32_t address) {
    follow(to, seen, dut_.apb({false, address, 0}).data);
  };
  count(counters_.decoded_lpages, seen_.decoded_lpages, reg::decoded);
  count(counters_.uncorrectable_lpages, seen_.uncorrectable_lpages, reg::uncorrectable);
  count(counters_.retries, seen_.retries, reg::retries);
  count(counters_.corrected_bits, seen_.corrected_bits, reg::corrected_bits);
  count(counters_.miscorrections, seen_.miscorrections, reg::miscorrections);
  for (unsigned i = 0; i < reg::codewords_count; ++i) {
    count(counters_.codewords[i], seen_.codewords[i], reg::codewords + 4 * i);
  }
  for (unsigned i = 0; i < reg::t1_iterations_count; ++i) {
    count(counters_.t1_iterations[i], seen_.t1_iterations[i], reg::t1_iterations + 4 * i);
    count(counters_.t2_iterations[i], seen_.t2_iterations[i], reg::t2_iterations + 4 * i);
  }
}

// ---- calls --------------------------------------------------------------------------------------------------------

void ReadRetryEngine::start(const ecc::RetryRequest& request) {
  if (!idle()) refuse("start");
  if (request.codewords.none()) throw std::invalid_argument("read retry in RTL: a read of no codewords");
  if (request.started && request.attempt.level != 0) {
    throw std::invalid_argument("read retry in RTL: a read that begins with soft reads");
  }
  request_ = request;
  ecc::RetrySettings settings = settings_;
  if (request.started) {
    settings.ort_update = settings.ort_update && settings.ort_enable;
    settings.ort_enable = settings.ort_first = true;
  }
  write_settings(settings);
  // The shared table may be larger than the block's: one place of that serves.
  ecc::OptimalReferences::Entry entry = ort_.at(request.group, request.layer);
  if (request.started)
    entry = ecc::started_from(settings_.ort_enable ? entry : decltype(entry){}, request.attempt.step);
  write(reg::ort_index, 0);
  write(reg::ort_entry, bit(entry.valid, reg::ort_entry_valid_shift) |
                            std::uint32_t{entry.step} << reg::ort_entry_step_shift |
                            std::uint32_t{entry.level} << reg::ort_entry_level_shift);
  ecc::RetryRequest local = request;
  local.group = local.layer = 0;
  dut_.offer_request(local);
  clock();
  dut_.no_request();
}

bool ReadRetryEngine::internal() const {
  const ecc::RetryState s = state();
  const bool rests = s == ecc::RetryState::kIdle || s == ecc::RetryState::kDone || s == ecc::RetryState::kFail;
  return !rests && !offers_flash() && !offers_decode() && !awaits_flash_ && awaited_.none();
}

void ReadRetryEngine::advance() {
  if (!internal()) refuse("advance");
  clock();
}

const ecc::FlashCommand& ReadRetryEngine::flash_command() const {
  if (offers_flash()) flash_ = dut_.flash_command();
  return flash_;
}

const ecc::DecodeCommand& ReadRetryEngine::decode_command() const {
  if (offers_decode()) decode_ = dut_.decode_command();
  return decode_;
}

void ReadRetryEngine::accept() {
  if (offers_flash()) {
    flash_ = dut_.flash_command();
    flash_tag_ = dut_.flash_tag();
    dut_.set_flash_ready(true);
    clock();
    dut_.set_flash_ready(false);
    awaits_flash_ = true;
  } else if (offers_decode()) {
    decode_ = dut_.decode_command();
    decode_tag_ = dut_.decode_tag();
    dut_.set_decode_ready(true);
    clock();
    dut_.set_decode_ready(false);
    awaited_ = decode_.op == ecc::DecodeOp::kLoadLlr ? ecc::CodewordMask{} : decode_.codewords;
  } else {
    refuse("accept");
  }
}

void ReadRetryEngine::flash_done(bool ok) {
  if (!awaits_flash_) refuse("flash_done");
  dut_.answer_flash(flash_tag_, ok);
  clock();
  dut_.no_flash_answer();
  awaits_flash_ = false;
}

void ReadRetryEngine::verdict(const ecc::CodewordVerdict& verdict) {
  if (awaited_.none()) refuse("verdict");
  if (verdict.codeword >= ecc::kRetryCodewords || !awaited_[verdict.codeword]) {
    throw std::invalid_argument(
        fmt::format("read retry in RTL: a verdict on codeword {}, which was not asked for", verdict.codeword));
  }
  dut_.give_verdict(decode_tag_, verdict);
  clock();
  dut_.no_verdict();
  awaited_.reset(verdict.codeword);
}

ecc::RetryResult ReadRetryEngine::take_result() {
  if (!dut_.result_valid()) refuse("take_result");
  const ecc::RetryResult result = dut_.result();
  dut_.set_result_ready(true);
  clock();
  dut_.set_result_ready(false);
  if ((result.status & ecc::retry_status::kOrtUpdated) != 0) {
    const std::uint32_t entry = dut_.apb({false, reg::ort_entry, 0}).data;
    ort_.set(request_.group, request_.layer,
             {(entry & reg::ort_entry_valid_mask) != 0,
              static_cast<std::uint8_t>((entry & reg::ort_entry_step_mask) >> reg::ort_entry_step_shift),
              static_cast<std::uint8_t>((entry & reg::ort_entry_level_mask) >> reg::ort_entry_level_shift)});
  }
  read_counters();
  return result;
}

}  // namespace wordline::rtl
