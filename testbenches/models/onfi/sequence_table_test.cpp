// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/onfi/sequence_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace wordline::onfi::sequence_table_test {
namespace {

/// The table that the program prints, as docs/data/onfi_commands.csv has it: without the line below the heads.
std::string as_csv(const std::string& markdown) {
  std::string csv;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("|---", 0) == 0) continue;
    std::string row;
    for (std::size_t at = 1, bar = 0; (bar = line.find('|', at)) != std::string::npos; at = bar + 1) {
      std::string cell = line.substr(at, bar - at);
      cell.erase(0, cell.find_first_not_of(' ') == std::string::npos ? cell.size() : cell.find_first_not_of(' '));
      cell.erase(cell.find_last_not_of(' ') + 1);
      const bool quoted = cell.find(',') != std::string::npos;
      row += (at == 1 ? "" : ",") + (quoted ? '"' + cell + '"' : cell);
    }
    csv += row + '\n';
  }
  return csv;
}

std::string table_of_the_page() {
  std::ifstream file(WORDLINE_SOURCE "/docs/data/onfi_commands.csv", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Cycles cycles_of(const Sequence& s, unsigned row_cycles) {
  return {s.opcode, s.confirm, static_cast<std::uint8_t>(address_cycles(s.address, row_cycles)), {}};
}

TEST(SequenceTable, PageIsWhatTheProgramMakes) {
  EXPECT_EQ(as_csv(sequences_markdown()), table_of_the_page())
      << "docs/data/onfi_commands.csv: as ./scripts/wordline onfi";
}

TEST(SequenceTable, EveryRowIsFoundByItsCyclesAndNoTwoAreAlike) {
  for (const unsigned row_cycles : {3U, 4U}) {
    for (const Sequence& s : kSequences) EXPECT_EQ(find_sequence(cycles_of(s, row_cycles), row_cycles), &s) << s.name;
  }
}

TEST(SequenceTable, TheTimingCheckersCodesAreThoseOfTheRows) {
  // By hand from the data sheets' sequences, so that a slip in a row shows; the checker has the same codes of its own.
  const auto busy = [](std::uint8_t opcode, unsigned addresses, std::uint8_t confirm) {
    const Sequence* s = find_sequence({opcode, confirm, static_cast<std::uint8_t>(addresses), {}}, 3);
    return s == nullptr ? Busy::kNone : s->busy;
  };
  EXPECT_EQ(busy(0x00, 5, 0x30), Busy::kRead);
  EXPECT_EQ(busy(0x00, 5, 0x35), Busy::kRead);
  EXPECT_EQ(busy(0x00, 5, 0x32), Busy::kDummy);
  EXPECT_EQ(busy(0x31, 0, 0x00), Busy::kReadCache);
  EXPECT_EQ(busy(0x00, 5, 0x31), Busy::kReadCache);
  EXPECT_EQ(busy(0x3f, 0, 0x00), Busy::kReadCache);
  EXPECT_EQ(busy(0x10, 0, 0x00), Busy::kProgram);
  EXPECT_EQ(busy(0x15, 0, 0x00), Busy::kProgramCache);
  EXPECT_EQ(busy(0x11, 0, 0x00), Busy::kDummy);
  EXPECT_EQ(busy(0x1a, 0, 0x00), Busy::kDummy);
  EXPECT_EQ(busy(0x60, 3, 0xd0), Busy::kErase);
  EXPECT_EQ(busy(0x60, 3, 0xd1), Busy::kDummy);
  EXPECT_EQ(busy(0xef, 1, 0x00), Busy::kFeatures);
  EXPECT_EQ(busy(0xd4, 2, 0x00), Busy::kFeatures);
  EXPECT_EQ(busy(0xff, 0, 0x00), Busy::kReset);
  EXPECT_EQ(busy(0xfa, 3, 0x00), Busy::kReset);
}

TEST(SequenceTable, StatesOfTheWavesHaveNumbersInOrderAndIdleIsNone) {
  // Saved views and the readers of waves rely on the numbers: append, never reorder.
  const std::vector<std::string_view> released{"idle",          "read",          "program",    "erase",
                                               "features",      "suspending",    "cache busy", "cache read",
                                               "cache program", "copyback read", "reset"};
  ASSERT_GE(kDieStates.size(), released.size());
  for (std::size_t i = 0; i < released.size(); ++i) EXPECT_EQ(kDieStates[i], released[i]) << i;
  EXPECT_EQ(std::set<std::string_view>(kDieStates.begin(), kDieStates.end()).size(), kDieStates.size());
  EXPECT_EQ(state_number("copyback read"), 9U);
  EXPECT_EQ(state_number(""), 0U);
}

TEST(SequenceTable, OnlyRowsThatKeepTheDieBusyShowAState) {
  for (const Sequence& s : kSequences) {
    EXPECT_FALSE(s.text.empty()) << s.name;
    const bool silent = s.busy == Busy::kNone || s.busy == Busy::kDummy;
    EXPECT_EQ(s.working.empty() && s.moving.empty(), silent) << s.name;
  }
}

}  // namespace
}  // namespace wordline::onfi::sequence_table_test
