// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/decoders/decoder_table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "models/ecc/decoders/calibrated_decoder.h"

namespace wordline::ecc::testing {
namespace {

Table parse(const std::string& text) {
  std::istringstream in(text);
  return parse_table(in, "t.txt");
}

std::string message(const std::string& text) {
  try {
    (void)parse(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DecoderTable, ReadsRowsAndInterpolates) {
  const Table table = parse("# made by hand\nlimits 1000 9000\n0 0 10 0 500 # clean\n100 1 110 0.5 700\n");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.bit_flipping_limit, 1000U);
  EXPECT_EQ(table.correlation, 0.0);
  const CalibratedDecoder decoder(table);
  EXPECT_EQ(decoder.decode(0, 0).cycles, 10U);
  EXPECT_DOUBLE_EQ(decoder.bit_flipping_failure(50), 0.5);
  EXPECT_DOUBLE_EQ(decoder.failure(100), 0.5);
  EXPECT_DOUBLE_EQ(decoder.failure(101), 0.5);
}

TEST(DecoderTable, ReadsSoftSections) {
  const Table table = parse(
      "limits 1000 9000\ncorrelation 0.4\n0 0 10 0 500\n"
      "soft 3 wrong 0.25 1 right 0.03 0\n0 0 600\n100 0.5 700:1,900:1\n"
      "soft 7 wrong 1 2 3 4 right 1 2 3 0 # four regions\n0 0 600\n");
  EXPECT_EQ(table.correlation, 0.4);
  ASSERT_EQ(table.soft.size(), 2U);
  EXPECT_EQ(table.soft[1].rows.size(), 1U);
  SoftCounts counts;
  counts.wrong = {40, 10, 0, 0};
  counts.right = {1000, 17542, 0, 0};
  EXPECT_DOUBLE_EQ(table.soft[0].weights.severity(counts), 10 + 10 + 30);
  const CalibratedDecoder decoder(table);
  EXPECT_DOUBLE_EQ(decoder.soft_failure(3, counts), 0.25);
  EXPECT_THROW((void)decoder.soft_failure(5, counts), std::invalid_argument);
}

TEST(DecoderTable, ErrorsNameTheLine) {
  const std::string start = "limits 1 2\n0 0 1 0 1\n";
  EXPECT_EQ(message(start + "0 0 1 0 1\n"), "t.txt:3: bit errors must rise from row to row");
  EXPECT_EQ(message("limits 1 2\n\n5 1.5 1 0 1\n"), "t.txt:3: a probability of failure lies outside 0 to 1");
  EXPECT_NE(message("limits 1 2\n5 0.5 x 0 1\n").find("t.txt:2: `x` are no clocks"), std::string::npos);
  EXPECT_NE(message("limits 1 2\n5 0.5 0 1\n").find("t.txt:2: expected `BIT_ERRORS"), std::string::npos);
  EXPECT_NE(message("limits 1\n").find("t.txt:1: expected `limits"), std::string::npos);
  EXPECT_NE(message("limits 1 2\nlimits 1 2\n").find("t.txt:2: a second `limits`"), std::string::npos);
  EXPECT_NE(message("correlation 2\n").find("t.txt:1: expected `correlation"), std::string::npos);
  EXPECT_NE(message("5 0.5 1 0 1\n").find("no line `limits"), std::string::npos);
  EXPECT_NE(message("limits 1 2\n").find("no row"), std::string::npos);
  EXPECT_THROW((void)load_table("/nowhere/table.txt"), std::runtime_error);
}

TEST(DecoderTable, ErrorsOfSoftSectionsNameTheLine) {
  const std::string start = "limits 1 2\n0 0 1 0 1\n";
  const std::string three = start + "soft 3 wrong 0.2 1 right 0.1 0\n";
  EXPECT_EQ(message(three + "0 0 600\n"), "accepted");
  EXPECT_NE(message(start + "soft 4 wrong 1 right 1\n").find("t.txt:3: soft decoding from 4 reads"), std::string::npos);
  EXPECT_EQ(message(start + "soft 1 wrong 1 right 1\n"), "t.txt:3: one read is no soft read");
  EXPECT_NE(message(start + "soft 3 wrong 1 right 1 0\n").find("t.txt:3: expected `wrong` and 2 weights"),
            std::string::npos);
  EXPECT_EQ(message(start + "soft 3 wrong 1 1 right 1 0 0\n"), "t.txt:3: more weights than regions");
  EXPECT_NE(message(start + "soft 3 wrong 1 1 right 1 -1\n").find("t.txt:3: expected `right`"), std::string::npos);
  EXPECT_EQ(message(three), "t.txt: section of 3 reads: no row; expected lines of severity, failure and clocks");
  EXPECT_EQ(message(three + "5 0 600\n5 0 600\n"), "t.txt:5: severity must rise from row to row");
  EXPECT_EQ(message(three + "5 2 600\n"), "t.txt:4: a probability of failure lies outside 0 to 1");
  EXPECT_EQ(message(three + "0 0 600\nsoft 3 wrong 0.2 1 right 0.1 0\n"), "t.txt:5: a second section of 3 reads");
  EXPECT_NE(message(three + "0 0 600 7\n").find("t.txt:4: expected `SEVERITY"), std::string::npos);
}

void expect_equal(const Latency& a, const Latency& b) {
  ASSERT_EQ(a.pieces().size(), b.pieces().size());
  for (std::size_t i = 0; i < a.pieces().size(); ++i) {
    EXPECT_EQ(a.pieces()[i].until, b.pieces()[i].until);
    EXPECT_EQ(a.pieces()[i].from, b.pieces()[i].from);
    EXPECT_EQ(a.pieces()[i].to, b.pieces()[i].to);
  }
}

TEST(DecoderTable, BuiltInOneIsTheFile) {
  const Table read = load_table(DECODER_TABLE);
  const Table& built_in = builtin_table();
  EXPECT_EQ(built_in.bit_flipping_limit, read.bit_flipping_limit);
  EXPECT_EQ(built_in.min_sum_limit, read.min_sum_limit);
  EXPECT_EQ(built_in.correlation, read.correlation);
  ASSERT_EQ(built_in.rows.size(), read.rows.size());
  for (std::size_t i = 0; i < read.rows.size(); ++i) {
    EXPECT_EQ(built_in.rows[i].bit_errors, read.rows[i].bit_errors);
    EXPECT_EQ(built_in.rows[i].bit_flipping_failure, read.rows[i].bit_flipping_failure);
    EXPECT_EQ(built_in.rows[i].min_sum_failure, read.rows[i].min_sum_failure);
    expect_equal(built_in.rows[i].bit_flipping_clocks, read.rows[i].bit_flipping_clocks);
    expect_equal(built_in.rows[i].min_sum_clocks, read.rows[i].min_sum_clocks);
  }
  ASSERT_EQ(built_in.soft.size(), read.soft.size());
  for (std::size_t i = 0; i < read.soft.size(); ++i) {
    EXPECT_EQ(built_in.soft[i].reads, read.soft[i].reads);
    EXPECT_EQ(built_in.soft[i].weights.wrong, read.soft[i].weights.wrong);
    EXPECT_EQ(built_in.soft[i].weights.right, read.soft[i].weights.right);
    ASSERT_EQ(built_in.soft[i].rows.size(), read.soft[i].rows.size());
    for (std::size_t j = 0; j < read.soft[i].rows.size(); ++j) {
      EXPECT_EQ(built_in.soft[i].rows[j].severity, read.soft[i].rows[j].severity);
      EXPECT_EQ(built_in.soft[i].rows[j].min_sum_failure, read.soft[i].rows[j].min_sum_failure);
      expect_equal(built_in.soft[i].rows[j].min_sum_clocks, read.soft[i].rows[j].min_sum_clocks);
    }
  }
}

TEST(DecoderTable, BuiltInOneHasEverySection) {
  const Table& table = builtin_table();
  EXPECT_EQ(table.bit_flipping_limit, 1461U);
  EXPECT_EQ(table.min_sum_limit, 11641U);
  ASSERT_EQ(table.soft.size(), 4U);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(table.soft[i].reads, (std::array<unsigned, 4>{2, 3, 5, 7})[i]);
    EXPECT_EQ(table.soft[i].rows.front().severity, 0.0);
    EXPECT_EQ(table.soft[i].rows.back().min_sum_failure, 1.0);
  }
}

}  // namespace
}  // namespace wordline::ecc::testing
