// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/terminal.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "tlm/platform/plain_output.h"

namespace wordline::platform {
namespace {

TEST(Terminal, LongLinesAreFoldedAtBlanks) {
  EXPECT_EQ(folded("short", 10), "short");
  EXPECT_EQ(folded("exactly 10", 10), "exactly 10");
  EXPECT_EQ(folded("one two three four", 10), "one two\n  three\n  four");
  EXPECT_EQ(folded("a_word_that_is_longer_than_that end", 10), "a_word_that_is_longer_than_that\n  end");
  EXPECT_EQ(folded("  --key      what it is for and more", 24),
            "  --key      what it is\n             for and\n             more")
      << "below the column";
  EXPECT_EQ(folded("anything goes at width 0", 0), "anything goes at width 0");
}

TEST(Terminal, OutputIsFoldedAsItComes) {
  std::ostringstream stream;
  {
    const PlainOutput plain(stream, 10);
    stream << "one two "
           << "three\nnext " << '\x1b';
  }
  EXPECT_EQ(stream.str(), "one two\n  three\nnext \\x1b");
}

TEST(Terminal, CommandsAreNamedAsTheyWereCalled) {
  const std::string message = "see: wordline explain nand (wordline --help)";
  unsetenv("WORDLINE_CALLED");
  EXPECT_EQ(as_called(message), message);
  setenv("WORDLINE_CALLED", "./scripts/wordline", 1);
  EXPECT_EQ(as_called("see: wordline explain nand (wordline --help)"),
            "see: ./scripts/wordline explain nand (./scripts/wordline --help)");
  EXPECT_EQ(as_called("wordline: x.toml: error"), "wordline: x.toml: error");
  EXPECT_EQ(as_called("out/wordline run"), "out/wordline run") << "part of a path";
}

}  // namespace
}  // namespace wordline::platform
