// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string_view>

extern "C" {
#include "models/firmware/core/crc.h"
}

namespace wordline::testing::crc_test {
namespace {

// The check value of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms.
TEST(FirmwareCrc, Crc32OfAKnownText) {
  constexpr std::string_view kText = "123456789";
  EXPECT_EQ(wl_crc32(kText.data(), kText.data() + kText.size()), 0xcbf43926U);
  EXPECT_EQ(wl_crc32(kText.data(), kText.data()), 0U);
}

}  // namespace
}  // namespace wordline::testing::crc_test
