// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/onfi/sequence_table.h"

#include <fmt/core.h>

namespace wordline::onfi {

namespace {

constexpr std::uint8_t kEnd = 0xff;
constexpr std::size_t kRows = std::size(kSequences);
static_assert(kRows < kEnd, "rows are numbered in a byte");

/// Rows by opcode: the first of each, and the next with the same one. A command is compared with its own rows only.
struct ByOpcode {
  std::array<std::uint8_t, 256> first{};
  std::array<std::uint8_t, kRows> next{};
};
constexpr ByOpcode kByOpcode = [] {
  ByOpcode index;
  for (std::uint8_t& first : index.first) first = kEnd;
  for (std::size_t i = kRows; i-- > 0;) {
    index.next[i] = index.first[kSequences[i].opcode];
    index.first[kSequences[i].opcode] = static_cast<std::uint8_t>(i);
  }
  return index;
}();

// ---- words of the page ---------------------------------------------------------------------------------------------

std::string cycles_of(const Sequence& s) {
  std::string text = fmt::format("{:02X}h", s.opcode);
  switch (s.address) {
    case AddressKind::kNone:
      break;
    case AddressKind::kColumn:
      text += " A2";
      break;
    case AddressKind::kRow:
      text += " A3";
      break;
    case AddressKind::kColumnRow:
      text += " A5";
      break;
    case AddressKind::kFeature:
      text += " N";
      break;
    case AddressKind::kLunFeature:
      text += " LUN N";
      break;
  }
  if (s.confirm != kNoConfirm) text += fmt::format(" {:02X}h", s.confirm);
  return text;
}

const char* text_of(Busy busy) {
  switch (busy) {
    case Busy::kNone:
      return "";
    case Busy::kRead:
      return "tR";
    case Busy::kProgram:
      return "tPROG";
    case Busy::kErase:
      return "tBERS";
    case Busy::kReadCache:
      return "the array's rest + tRCBSY";
    case Busy::kProgramCache:
      return "the array's rest + tPCBSY";
    case Busy::kDummy:
      return "tDBSY";
    case Busy::kFeatures:
      return "tFEAT";
    case Busy::kReset:
      return "tRST";
    case Busy::kSuspendProgram:
      return "micro-operation + `t_suspend_program`";
    case Busy::kSuspendErase:
      return "micro-operation + `t_suspend_erase`";
    case Busy::kRest:
      return "the rest";
  }
  return "";
}

const char* text_of(Wait wait) {
  switch (wait) {
    case Wait::kNone:
      return "";
    case Wait::kAdl:
      return "tADL";
    case Wait::kCcs:
      return "tCCS";
    case Wait::kWhr:
      return "tWHR";
  }
  return "";
}

std::string when_of(const Sequence& s) {
  std::string text;
  const auto add = [&](When state, char letter) {
    if (s.may_come(state)) text += letter;
  };
  add(kWhenBusy, 'B');
  add(kWhenReadingAhead, 'R');
  add(kWhenProgrammingAhead, 'P');
  add(kWhenProgramSuspended, 'p');
  add(kWhenEraseSuspended, 'e');
  add(kBetweenLoads, 'L');
  return text;
}

}  // namespace

const Sequence* find_sequence(const Cycles& cycles, unsigned row_cycles, unsigned column_cycles) {
  for (std::uint8_t i = kByOpcode.first[cycles.opcode]; i != kEnd; i = kByOpcode.next[i]) {
    const Sequence& s = kSequences[i];
    if (s.confirm != cycles.confirm) continue;
    if (address_cycles(s.address, row_cycles, column_cycles) == cycles.address_count) return &s;
  }
  return nullptr;
}

std::string sequences_markdown() {
  std::string page =
      "| command | cycles | what it does | R/B_n low for | before data | also taken | state in the waves |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const Sequence& s : kSequences) {
    const char* comma = !s.moving.empty() && !s.working.empty() ? ", " : "";
    page += fmt::format("| {} | {} | {} | {} | {} | {} | {}{}{} |\n", s.name, cycles_of(s), s.text, text_of(s.busy),
                        text_of(s.wait), when_of(s), s.moving, comma, s.working);
  }
  return page;
}

}  // namespace wordline::onfi
