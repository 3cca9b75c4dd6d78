// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/readers/reader_fuzz.h"

#include <gtest/gtest.h>

namespace wordline::fuzz {
namespace {

TEST(ReaderFuzzTest, DamagedFilesAreRefusedWithAPlaceOrMeanWhatTheySay) {
  const Tally tally = fuzz_readers(5000, 1, "");
  for (const std::string& message : tally.messages()) ADD_FAILURE() << message;
  EXPECT_EQ(tally.rows().size(), 10U);
  for (const auto& [name, row] : tally.rows()) EXPECT_GT(row.accepted, 10U) << name;
  EXPECT_GT(tally.total().refused, 1500U);
}

}  // namespace
}  // namespace wordline::fuzz
