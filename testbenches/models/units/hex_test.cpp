// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/units/hex.h"

#include <gtest/gtest.h>

namespace wordline::hex_test {
namespace {

TEST(Hex, HasTheDigitsItNeedsAndThoseAskedFor) {
  EXPECT_EQ(hex(0), "0x0");
  EXPECT_EQ(hex(0x1a4c), "0x1a4c");
  EXPECT_EQ(hex(0x1a4c, 4), "0x1a4c");
  EXPECT_EQ(hex(0x1a4c, 8), "0x00001a4c");
  EXPECT_EQ(hex(0xfedcba9876543210, 8), "0xfedcba9876543210");
  EXPECT_EQ(hex(5, 0), "0x5");
  EXPECT_EQ(hex_address(0x1f), "0x0000001f");
  EXPECT_EQ(hex_address(0xffffffff), "0xffffffff");
}

}  // namespace
}  // namespace wordline::hex_test
