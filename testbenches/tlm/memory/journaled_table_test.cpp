// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/memory/journaled_table.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "models/units/keyed_random.h"
#include "tlm/memory/anonymous_pages.h"

namespace wordline::testing {
namespace {

using memory::AnonymousPages;
using memory::JournaledTable;

constexpr std::uint32_t kWords = 20000;  // some 20 pages, and a piece at either end

/// A table that begins within a page, and what it should hold.
class Table {
 public:
  Table() : words_(reinterpret_cast<std::uint32_t*>(pages_.data()) + 300), content_(kWords) {}

  void fill() {
    for (std::uint32_t i = 0; i < kWords; ++i) content_[i] = words_[i] = 7 * i;
  }
  void begin(JournaledTable& table, bool filled) {
    wl_journal* const journal = table.journal();
    journal->begin(journal->self, words_, kWords, filled ? 1 : 0);
  }
  void write(JournaledTable& table, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t i = from; i < to; ++i) {
      const auto at = static_cast<std::uint32_t>(keyed_hash(1, i) % kWords);
      wl_journal_keep(table.journal(), &words_[at]);
      content_[at] = words_[at] = static_cast<std::uint32_t>(keyed_hash(2, i));
    }
  }
  [[nodiscard]] std::vector<std::uint32_t> content() const { return content_; }
  /// The pages at either end are not the journal's: in a copy of the process they are as they were.
  [[nodiscard]] bool is(const std::vector<std::uint32_t>& content) const {
    return std::equal(content.begin() + 1024, content.end() - 1024, words_ + 1024);
  }

 private:
  AnonymousPages pages_{std::size_t{4} * (kWords + 2048), "table"};
  std::uint32_t* words_;
  std::vector<std::uint32_t> content_;
};

TEST(JournaledTable, ReturnsToWhatItHeld) {
  for (const bool filled : {false, true}) {
    Table words;
    if (filled) words.fill();
    JournaledTable table;
    words.write(table, 0, 10);
    EXPECT_EQ(table.position(), 0U) << "it has not begun";
    words.begin(table, true);
    EXPECT_TRUE(words.is(words.content()));
    words.write(table, 10, 30000);
    const std::uint64_t position = table.position();
    EXPECT_GT(position, 25000U);
    EXPECT_LT(position, 29990U) << "words at the ends are not kept";
    const std::vector<std::uint32_t> then = words.content();
    table.forget_before(position);
    words.write(table, 30000, 70000);
    EXPECT_TRUE(words.is(words.content()));
    EXPECT_FALSE(words.is(then));
    table.return_to(position);
    EXPECT_TRUE(words.is(then));
    const std::uint64_t end = table.position();
    words.write(table, 70000, 70100);
    EXPECT_EQ(table.position(), end) << "nobody returns from here";
  }
}

TEST(JournaledTable, WhatTheJournalNoLongerHoldsIsAnError) {
  Table words;
  JournaledTable table;
  words.begin(table, false);
  words.write(table, 0, 100);
  const std::uint64_t position = table.position();
  *table.journal()->position += std::uint64_t{WL_JOURNAL_WORDS} + 1;  // so many words later
  EXPECT_THROW(table.return_to(position), std::runtime_error);
}

// A copy sees what the run does to the table until it returns; then both go on alone.
TEST(JournaledTable, ACopyOfTheProcessReturnsAndTheRunGoesOn) {
  Table words;
  JournaledTable table;
  words.begin(table, false);
  words.write(table, 0, 20000);
  const std::uint64_t position = table.position();
  const std::vector<std::uint32_t> then = words.content();
  int go[2], done[2];
  ASSERT_EQ(pipe(go), 0);
  ASSERT_EQ(pipe(done), 0);
  char byte = 0;
  const pid_t copy = fork();
  if (copy == 0) {
    bool good = read(go[0], &byte, 1) == 1 && !words.is(then);
    table.return_to(position);
    good = good && words.is(then) && write(done[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 1 && words.is(then);
    words.write(table, 0, 100);
    _exit(good && !words.is(then) ? 0 : 1);
  }
  words.write(table, 20000, 40000);
  ASSERT_EQ(write(go[1], &byte, 1), 1);
  ASSERT_EQ(read(done[0], &byte, 1), 1);
  words.write(table, 40000, 60000);
  ASSERT_EQ(write(go[1], &byte, 1), 1);
  int status = 1;
  ASSERT_EQ(waitpid(copy, &status, 0), copy);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(words.is(words.content()));
}

}  // namespace
}  // namespace wordline::testing
