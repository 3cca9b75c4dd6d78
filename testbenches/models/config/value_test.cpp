// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/value.h"

#include <gtest/gtest.h>

namespace wordline::testing::value_test {
namespace {

using config::Kind;
using config::Scalar;

std::int64_t whole(Kind kind, const char* text) {
  const auto value = config::parse_quantity(kind, text);
  if (!value) {
    ADD_FAILURE() << text << " was refused";
    return -1;
  }
  return std::get<std::int64_t>(*value);
}

bool refused(Kind kind, const char* text) { return !config::parse_quantity(kind, text).has_value(); }

TEST(Units, Times) {
  EXPECT_EQ(whole(Kind::kTime, "45us"), 45'000'000);
  EXPECT_EQ(whole(Kind::kTime, "1.25ns"), 1250);
  EXPECT_EQ(whole(Kind::kTime, "0ps"), 0);
  EXPECT_EQ(whole(Kind::kTime, "3.5 ms"), 3'500'000'000);
  EXPECT_EQ(whole(Kind::kTime, "0.1s"), 100'000'000'000);  // 0.1 has no exact double
  EXPECT_EQ(whole(Kind::kTime, "9223372.036854775807s"), INT64_MAX);
}

TEST(Units, OtherKinds) {
  EXPECT_EQ(whole(Kind::kBytes, "16KiB"), 16384);
  EXPECT_EQ(whole(Kind::kBytes, "16kB"), 16000);
  EXPECT_EQ(whole(Kind::kBytes, "1.5MiB"), 1572864);
  EXPECT_EQ(whole(Kind::kBytes, "2208B"), 2208);
  EXPECT_EQ(whole(Kind::kFrequency, "100GHz"), 100'000'000'000);
  EXPECT_EQ(whole(Kind::kBandwidth, "7.876923GB/s"), 7'876'923'000);
  EXPECT_EQ(whole(Kind::kTransferRate, "1.6GT/s"), 1'600'000'000);
  EXPECT_DOUBLE_EQ(std::get<double>(*config::parse_quantity(Kind::kVoltage, "3.3V")), 3300);
  EXPECT_DOUBLE_EQ(std::get<double>(*config::parse_quantity(Kind::kCurrent, "25mA")), 25000);
  EXPECT_DOUBLE_EQ(std::get<double>(*config::parse_quantity(Kind::kEnergy, "1.5mJ")), 1500);
  EXPECT_DOUBLE_EQ(std::get<double>(*config::parse_quantity(Kind::kPower, "3W")), 3000);
}

TEST(Units, WhatIsNotAQuantityIsRefused) {
  for (const char* text :
       {"", "us", "45", "-1us", "+1us", "45 xs", "4 5us", "1.2.3us", ".5us", "5.us", "45us ", "1e3ns", "45US", "0.4ps",
        "1.0005ns", "9223372.036854775808s", "99999999999999999999999s", "60MHz"}) {
    EXPECT_TRUE(refused(Kind::kTime, text)) << '"' << text << '"';
  }
  EXPECT_TRUE(refused(Kind::kBytes, "0.3B"));
  EXPECT_TRUE(refused(Kind::kBytes, "16K"));
  EXPECT_TRUE(refused(Kind::kBandwidth, "8GB"));
  EXPECT_TRUE(refused(Kind::kTransferRate, "800MHz"));
}

TEST(Units, WrittenInTheLargestUnitAndReadBackExactly) {
  const auto text = [](Kind kind, std::int64_t value) { return config::format_quantity(kind, Scalar(value)); };
  EXPECT_EQ(text(Kind::kTime, 1250), "1.25ns");
  EXPECT_EQ(text(Kind::kTime, 0), "0ps");
  EXPECT_EQ(text(Kind::kTime, 1'100'000'000), "1.1ms");
  EXPECT_EQ(text(Kind::kTime, 1'000'000'000'001), "1.000000000001s");
  EXPECT_EQ(text(Kind::kBytes, 16384), "16KiB");
  EXPECT_EQ(text(Kind::kBytes, 2208), "2208B");
  EXPECT_EQ(text(Kind::kBandwidth, 7'876'923'000), "7.876923GB/s");
  EXPECT_EQ(config::format_quantity(Kind::kVoltage, Scalar(180.0)), "180mV");
  EXPECT_EQ(config::format_quantity(Kind::kVoltage, Scalar(3300.0)), "3.3V");
  EXPECT_EQ(config::format_quantity(Kind::kCurrent, Scalar(10.0)), "10uA");
  EXPECT_EQ(config::format_quantity(Kind::kEnergy, Scalar(2e6)), "2J");
  EXPECT_EQ(config::format_quantity(Kind::kPower, Scalar(750.0)), "750mW");
  for (const Kind kind : {Kind::kTime, Kind::kBytes, Kind::kFrequency, Kind::kBandwidth, Kind::kTransferRate}) {
    for (std::int64_t value = 0; value < INT64_MAX / 7; value = value * 7 + 3) {
      EXPECT_EQ(whole(kind, text(kind, value).c_str()), value) << text(kind, value);
    }
  }
  for (double value = 0.001; value < 1e9; value *= 3.7) {
    for (const Kind kind : {Kind::kVoltage, Kind::kCurrent, Kind::kEnergy, Kind::kPower}) {
      EXPECT_EQ(std::get<double>(*config::parse_quantity(kind, config::format_quantity(kind, Scalar(value)))), value);
    }
  }
}

TEST(Text, RealsAndStringsAreToml) {
  EXPECT_EQ(config::format_real(30), "30.0");
  EXPECT_EQ(config::format_real(0.07), "0.07");
  EXPECT_EQ(config::format_real(1e300), "1e+300");
  EXPECT_EQ(config::quoted("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
}

TEST(Text, NearestIsNearOrNothing) {
  const std::vector<std::string_view> words{"channels.count", "channels.rate", "cpu.quantum"};
  EXPECT_EQ(config::nearest("channels.cuont", words), "channels.count");
  EXPECT_EQ(config::nearest("cpu.quantun", words), "cpu.quantum");
  EXPECT_EQ(config::nearest("host.turnaround", words), "");
}

}  // namespace
}  // namespace wordline::testing::value_test
