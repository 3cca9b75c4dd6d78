// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Part of every test of RTL: WORDLINE_RTL_START = zeros, ones or a seed says what blocks start with. The suites run
// with each (wordline_rtl_test in cmake/Verilate.cmake).
#include "rtl/verilated/start_values.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace wordline::testing {
namespace {

class StartValues final : public ::testing::Environment {
 public:
  void SetUp() override {
    const char* const wish = std::getenv("WORDLINE_RTL_START");
    const std::string value = wish == nullptr ? "zeros" : wish;
    if (value == "zeros") {
      rtl::start_with_zeros();
    } else if (value == "ones") {
      rtl::start_with_ones();
    } else if (value.find_first_not_of("0123456789") == std::string::npos && !value.empty() && value.size() < 7) {
      rtl::start_with_random(std::stoi(value));
    } else {
      FAIL() << "WORDLINE_RTL_START is '" << value << "': zeros, ones, or a seed";
    }
  }
};

// Google Test owns it.
[[maybe_unused]] const ::testing::Environment* const kStartValues =
    ::testing::AddGlobalTestEnvironment(new StartValues);

}  // namespace
}  // namespace wordline::testing
