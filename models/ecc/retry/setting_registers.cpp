// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/retry/setting_registers.h"

#include <algorithm>

#include "registers/wordline_regs.hpp"

namespace wordline::ecc {
namespace {

namespace regs = registers::ecc;

constexpr std::uint32_t field(std::uint32_t value, std::uint32_t mask, std::uint32_t shift) {
  return (value & mask) >> shift;
}

LlrTable llr_of(std::uint32_t value) {
  LlrTable llr{};
  for (unsigned i = 0; i < llr.size(); ++i) llr[i] = static_cast<std::uint8_t>(value >> 4 * i & 7U);
  return llr;
}
std::uint32_t word_of(const LlrTable& llr) {
  std::uint32_t word = 0;
  for (unsigned i = 0; i < llr.size(); ++i) word |= std::uint32_t{llr[i]} << 4 * i;
  return word;
}

}  // namespace

const std::vector<std::uint32_t>& setting_registers() {
  static const std::vector<std::uint32_t> all = [] {
    std::vector<std::uint32_t> offsets{regs::control,  regs::escalation, regs::iterations, regs::soft_delta,
                                       regs::llr_hard, regs::llr_three,  regs::llr_seven};
    for (std::uint32_t i = 0; i < regs::retry_table_count; ++i) {
      offsets.push_back(regs::retry_table + i * regs::retry_table_stride);
    }
    return offsets;
  }();
  return all;
}

bool register_element(std::uint32_t offset, std::uint32_t first, std::uint32_t count, std::uint32_t& index) {
  if (offset < first || offset >= first + 4 * count || offset % 4 != 0) return false;
  index = (offset - first) / 4;
  return true;
}

bool read_setting(const RetrySettings& settings, std::uint32_t offset, std::uint32_t& value) {
  std::uint32_t i = 0;
  if (register_element(offset, regs::retry_table, regs::retry_table_count, i)) {
    value = 0;
    for (unsigned r = 0; r < 4; ++r) {
      value |= std::uint32_t{static_cast<std::uint8_t>(settings.table[i / 4][4 * (i % 4) + r])} << 8 * r;
    }
    return true;
  }
  switch (offset) {
    case regs::control:
      value = settings.max_retries;
      return true;
    case regs::escalation:
      value = settings.last_step << regs::escalation_last_step_shift |
              settings.max_soft << regs::escalation_max_soft_shift |
              std::uint32_t{settings.ort_enable} << regs::escalation_ort_enable_shift |
              std::uint32_t{settings.ort_first} << regs::escalation_ort_first_shift |
              std::uint32_t{settings.ort_update} << regs::escalation_ort_update_shift;
      return true;
    case regs::iterations:
      value = settings.t1_iterations << regs::iterations_t1_shift | settings.t2_iterations << regs::iterations_t2_shift;
      return true;
    case regs::soft_delta:
      value = std::uint32_t{settings.soft_delta[0]} << regs::soft_delta_three_shift |
              std::uint32_t{settings.soft_delta[1]} << regs::soft_delta_seven_shift;
      return true;
    case regs::llr_hard:
      value = word_of(settings.llr[0]);
      return true;
    case regs::llr_three:
      value = word_of(settings.llr[1]);
      return true;
    case regs::llr_seven:
      value = word_of(settings.llr[2]);
      return true;
    default:
      return false;
  }
}

bool write_setting(RetrySettings& settings, std::uint32_t offset, std::uint32_t value) {
  std::uint32_t i = 0;
  if (register_element(offset, regs::retry_table, regs::retry_table_count, i)) {
    for (unsigned r = 0; r < 4; ++r) {
      const unsigned reference = 4 * (i % 4) + r;
      if (reference != 0) settings.table[i / 4][reference] = static_cast<std::int8_t>(value >> 8 * r & 0xffU);
    }
    return true;
  }
  switch (offset) {
    case regs::control:
      settings.max_retries = value & regs::control_max_retries_mask;
      return true;
    case regs::escalation:
      settings.last_step = field(value, regs::escalation_last_step_mask, regs::escalation_last_step_shift);
      settings.max_soft =
          std::min(kSoftLevels, field(value, regs::escalation_max_soft_mask, regs::escalation_max_soft_shift));
      settings.ort_enable = (value & regs::escalation_ort_enable_mask) != 0;
      settings.ort_first = (value & regs::escalation_ort_first_mask) != 0;
      settings.ort_update = (value & regs::escalation_ort_update_mask) != 0;
      return true;
    case regs::iterations:
      settings.t1_iterations = field(value, regs::iterations_t1_mask, regs::iterations_t1_shift);
      settings.t2_iterations = field(value, regs::iterations_t2_mask, regs::iterations_t2_shift);
      return true;
    case regs::soft_delta:
      settings.soft_delta[0] = static_cast<std::uint8_t>(field(value, regs::soft_delta_three_mask, 0));
      settings.soft_delta[1] =
          static_cast<std::uint8_t>(field(value, regs::soft_delta_seven_mask, regs::soft_delta_seven_shift));
      return true;
    case regs::llr_hard:
      settings.llr[0] = llr_of(value);
      return true;
    case regs::llr_three:
      settings.llr[1] = llr_of(value);
      return true;
    case regs::llr_seven:
      settings.llr[2] = llr_of(value);
      return true;
    default:
      return false;
  }
}

}  // namespace wordline::ecc
