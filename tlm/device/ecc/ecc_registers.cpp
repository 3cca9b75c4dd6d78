// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/ecc/ecc_registers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "models/ecc/retry/setting_registers.h"
#include "registers/wordline_regs.hpp"
#include "rtl/verilated/ldpc_min_sum_decoder.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::ecc {
namespace {

namespace regs = registers::ecc;

constexpr std::uint32_t field(std::uint32_t value, std::uint32_t mask, std::uint32_t shift) {
  return (value & mask) >> shift;
}

}  // namespace

EccRegisters::EccRegisters(const sc_core::sc_module_name& name, const tlm_if::SimulationContext& context,
                           const config::Ecc& config, unsigned groups, unsigned layers)
    : sc_module(name),
      socket(
          "socket", [this](std::uint32_t offset, std::uint32_t& value, Picoseconds&) { return read(offset, value); },
          [this](std::uint32_t offset, std::uint32_t value, Picoseconds&) { return write(offset, value); }),
      context_(context),
      ort_(groups, layers),
      retries_by_layer_(layers) {
  settings_.max_retries = config.max_retries;
  settings_.max_soft = config.max_soft;
  settings_.ort_enable = settings_.ort_update = config.ort != config::Ort::kOff;
  settings_.ort_first = config.ort == config::Ort::kFirst;
  settings_.ort_levels = config.ort_scope == config::OrtScope::kBlock;
}

void EccRegisters::register_statistics(results::Registry& registry) const {
  registry
      .add("flash.retries", "reads",
           "Reads of a page repeated at another step of the retry table because codewords of the page failed; soft "
           "reads are not among them.",
           [this] { return counters_.retries; })
      .after("flash.sectors_programmed")
      .in_summary(2, "read retries");
  registry
      .add(
          "flash.retries_by_layer", "reads",
          "The same by h-layer of the page, the top layer first; counted when the read has ended or, with "
          "engines.retry "
          "= off, when the repeated read begins. Pages at the same height in all dies, blocks and planes are together.",
          [this] { return retries_by_layer_; })
      .after("flash.retries");
  registry
      .add("flash.uncorrectable", "logical pages",
           "Logical pages that no step and no soft read could decode, at each read that gives up. One of more than "
           "4 KiB (ftl.logical_page) counts by its 4 KiB.",
           [this] { return counters_.uncorrectable_lpages; })
      .after("flash.retries")
      .in_summary(2, "uncorrectable");
}

void EccRegisters::ended(const RetryResult& result) {
  last_ = result;
  irq_status_ |= result.code == RetryCode::kOk ? regs::irq_status_done_mask : regs::irq_status_fail_mask;
  if ((result.status & retry_status::kRestoreFailed) != 0) irq_status_ |= regs::irq_status_restore_mask;
}

void EccRegisters::fix_iterations(const IterationLimits& limits) {
  settings_.t1_iterations = limits.t1;
  settings_.t2_iterations = limits.t2;
  iterations_fixed_ = true;
}

bool EccRegisters::takes_iterations(std::uint32_t value) const {
  const IterationLimits asked{field(value, regs::iterations_t1_mask, regs::iterations_t1_shift),
                              field(value, regs::iterations_t2_mask, regs::iterations_t2_shift)};
  std::string why;
  if (iterations_fixed_ && !(asked == iterations())) {
    why = fmt::format("the statistics are made for {} and {}: use ecc.model = rtl with ecc.rtl_every = 1",
                      settings_.t1_iterations, settings_.t2_iterations);
  } else if (asked.t2 > rtl::LdpcMinSumDecoder::kMostIterations) {
    why = fmt::format("tier 2 takes at most {}", rtl::LdpcMinSumDecoder::kMostIterations);
  }
  if (why.empty()) return true;
  const std::string text =
      fmt::format("ECC.ITERATIONS: {} iterations of tier 1 and {} of tier 2 are refused: {}", asked.t1, asked.t2, why);
  SC_REPORT_ERROR("wordline/ecc", text.c_str());
  return false;
}

bool EccRegisters::ort_index_valid() const {
  return field(ort_index_, regs::ort_index_group_mask, regs::ort_index_group_shift) < ort_.groups() &&
         field(ort_index_, regs::ort_index_layer_mask, regs::ort_index_layer_shift) < ort_.layers();
}

const RetryIf* EccRegisters::busy() const {
  const auto found = std::find_if(controllers_.begin(), controllers_.end(), [](RetryIf* c) { return !c->idle(); });
  return found == controllers_.end() ? nullptr : *found;
}

bool EccRegisters::read_count(std::uint32_t offset, std::uint32_t& value) const {
  const auto low = [&](std::uint64_t count) {
    value = static_cast<std::uint32_t>(count);
    return true;
  };
  std::uint32_t i = 0;
  if (offset == regs::decoded) return low(counters_.decoded_lpages);
  if (offset == regs::retries) return low(counters_.retries);
  if (offset == regs::uncorrectable) return low(counters_.uncorrectable_lpages);
  if (offset == regs::corrected_bits) return low(counters_.corrected_bits);
  if (offset == regs::miscorrections) return low(counters_.miscorrections);
  if (offset == regs::stale) return low(0);
  if (register_element(offset, regs::codewords, regs::codewords_count, i)) return low(counters_.codewords[i]);
  if (register_element(offset, regs::t1_iterations, regs::t1_iterations_count, i))
    return low(counters_.t1_iterations[i]);
  if (register_element(offset, regs::t2_iterations, regs::t2_iterations_count, i))
    return low(counters_.t2_iterations[i]);
  return false;
}

bool EccRegisters::read_result(std::uint32_t offset, std::uint32_t& value) const {
  std::uint32_t i = 0;
  if (offset == regs::last_status) {
    value = last_.status;
  } else if (offset == regs::last_tag) {
    value = last_.tag;
  } else if (register_element(offset, regs::last_failed, regs::last_failed_count, i)) {
    value = 0;
    for (unsigned bit = 0; bit < 32; ++bit) value |= static_cast<std::uint32_t>(last_.failed[32 * i + bit]) << bit;
  } else {
    return false;
  }
  return true;
}

bool EccRegisters::read(std::uint32_t offset, std::uint32_t& value) const {
  if (read_count(offset, value) || read_result(offset, value)) return true;
  if (read_setting(settings_, offset, value)) return true;
  switch (offset) {
    case regs::flash_timeout:
      value = flash_timeout_;
      return true;
    case regs::decode_timeout:
      value = decode_timeout_;
      return true;
    case regs::inject:
      value = std::uint32_t{injection_.t1_fail} << regs::inject_t1_fail_shift |
              std::uint32_t{injection_.t2h_fail} << regs::inject_t2h_fail_shift |
              std::uint32_t{injection_.t2s_fail} << regs::inject_t2s_fail_shift |
              std::uint32_t{injection_.crc} << regs::inject_crc_shift | injection_.steps << regs::inject_steps_shift;
      return true;
    case regs::status: {
      const RetryIf* const at_work = busy();
      value = at_work == nullptr
                  ? 0
                  : regs::status_busy_mask | static_cast<std::uint32_t>(at_work->state()) << regs::status_state_shift;
      return true;
    }
    case regs::irq_status:
      value = irq_status_;
      return true;
    case regs::irq_enable:
      value = irq_enable_;
      return true;
    case regs::ort_index:
      value = ort_index_;
      return true;
    case regs::ort_entry: {
      if (!ort_index_valid()) return false;
      const auto& entry = ort_.at(field(ort_index_, regs::ort_index_group_mask, regs::ort_index_group_shift),
                                  field(ort_index_, regs::ort_index_layer_mask, regs::ort_index_layer_shift));
      value = std::uint32_t{entry.valid} << regs::ort_entry_valid_shift |
              std::uint32_t{entry.step} << regs::ort_entry_step_shift |
              std::uint32_t{entry.level} << regs::ort_entry_level_shift;
      return true;
    }
    case regs::command:
    case regs::ort_clear:
      value = 0;  // write only
      return true;
    default:
      return false;
  }
}

bool EccRegisters::write(std::uint32_t offset, std::uint32_t value) {
  std::uint32_t unused = 0;
  if (read_setting(settings_, offset, unused)) {
    const bool any_time = offset == regs::control || offset == regs::escalation;
    if (offset == regs::iterations && !takes_iterations(value)) return false;
    return (any_time || busy() == nullptr) && write_setting(settings_, offset, value);
  }
  switch (offset) {
    case regs::flash_timeout:
      flash_timeout_ = value;
      return true;
    case regs::decode_timeout:
      decode_timeout_ = value;
      return true;
    case regs::inject:
      injection_.t1_fail = (value & regs::inject_t1_fail_mask) != 0;
      injection_.t2h_fail = (value & regs::inject_t2h_fail_mask) != 0;
      injection_.t2s_fail = (value & regs::inject_t2s_fail_mask) != 0;
      injection_.crc = (value & regs::inject_crc_mask) != 0;
      injection_.steps = field(value, regs::inject_steps_mask, regs::inject_steps_shift);
      return true;
    case regs::command:
      if ((value & regs::command_abort_mask) != 0) {
        for (RetryIf* controller : controllers_) {
          if (!controller->idle()) controller->abort(context_.now());
        }
      }
      return true;
    case regs::irq_status:
      irq_status_ &= ~value;
      return true;
    case regs::irq_enable:
      irq_enable_ = value & 0xfU;
      return true;
    case regs::ort_index:
      ort_index_ = value;
      return true;
    case regs::ort_entry:
      if (!ort_index_valid()) return false;
      ort_.set(field(ort_index_, regs::ort_index_group_mask, regs::ort_index_group_shift),
               field(ort_index_, regs::ort_index_layer_mask, regs::ort_index_layer_shift),
               {(value & regs::ort_entry_valid_mask) != 0,
                static_cast<std::uint8_t>(field(value, regs::ort_entry_step_mask, regs::ort_entry_step_shift)),
                static_cast<std::uint8_t>(field(value, regs::ort_entry_level_mask, regs::ort_entry_level_shift))});
      return true;
    case regs::ort_clear:
      if (value >= ort_.groups()) return false;
      ort_.clear(value);
      return true;
    default:
      return read_count(offset, unused) || read_result(offset, unused) ||
             offset == regs::status;  // read only: no effect
  }
}

}  // namespace wordline::ecc
