// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/ecc/decoders/latency.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace wordline::ecc::testing {
namespace {

std::string message(const std::string& text) {
  try {
    (void)Latency::parse(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Latency, OneNumberIsAlwaysThat) {
  const Latency latency = Latency::parse("583");
  EXPECT_EQ(latency.clocks(0.0), 583U);
  EXPECT_EQ(latency.clocks(0.999999), 583U);
  EXPECT_DOUBLE_EQ(latency.mean(), 583.0);
  EXPECT_EQ(Latency().clocks(0.5), 1U);
}

TEST(Latency, DrawsPointsAndSpansAsOftenAsTheyWereSeen) {
  // A quarter took 10, half spread over 20 to 29, a quarter took 40.
  const Latency latency = Latency::parse("10:5,20-29:10,40:5");
  EXPECT_EQ(latency.clocks(0.2499), 10U);
  EXPECT_EQ(latency.clocks(0.2501), 20U);
  EXPECT_EQ(latency.clocks(0.5), 25U);
  EXPECT_EQ(latency.clocks(0.7499), 29U);
  EXPECT_EQ(latency.clocks(0.7501), 40U);
  EXPECT_EQ(latency.clocks(0.9999), 40U);
  EXPECT_DOUBLE_EQ(latency.mean(), 0.25 * 10 + 0.5 * 24.5 + 0.25 * 40);
  // Each clock of a span comes up equally often.
  std::map<std::uint32_t, unsigned> seen;
  for (unsigned i = 0; i < 20000; ++i) ++seen[latency.clocks((i + 0.5) / 20000)];
  EXPECT_EQ(seen.size(), 12U);
  for (std::uint32_t c = 20; c < 30; ++c) EXPECT_NEAR(seen[c], 1000, 2) << c;
}

TEST(Latency, WritesWhatItReads) {
  const std::map<std::uint32_t, std::uint64_t> clocks{{1, 2}, {19, 5}, {20, 1}, {27, 4}, {28, 3}, {100, 1}};
  std::ostringstream exact;
  write_spans(exact, spans_of(clocks));
  EXPECT_EQ(exact.str(), "1:2,19:5,20:1,27:4,28:3,100:1");
  std::ostringstream brought_together;
  write_spans(brought_together, spans_of(clocks, [](std::uint32_t c) { return (c - 1) / 9; }));
  EXPECT_EQ(brought_together.str(), "1:2,19-27:10,28:3,100:1");
  EXPECT_EQ(Latency::parse(exact.str()).clocks(0.99), 100U);
}

TEST(Latency, RefusesWhatIsNoDistribution) {
  for (const char* text :
       {"", "x", "5:", "5:0", "-3", "5:1,4:1", "5-4:1", "5:1;6:1", "3,4", "5:1,", "0", "99999999999"}) {
    EXPECT_NE(message(text), "accepted") << text;
  }
  EXPECT_EQ(message("5x"), "`5x`: expected CLOCKS, or CLOCKS:WORDS,FROM-TO:WORDS,...");
  EXPECT_EQ(message("5:1,5:1"), "clocks must rise, from 1, and every number of words be positive");
}

}  // namespace
}  // namespace wordline::ecc::testing
