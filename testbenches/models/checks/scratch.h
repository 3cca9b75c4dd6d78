// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace wordline::testing {

/// Makes a folder of this test the working directory, so that messages name files without a path.
void enter_scratch();
void write_file(const std::string& name, const std::string& text);

/// What load() complains about; empty: nothing.
[[nodiscard]] std::string problems(const std::string& path, const std::vector<std::string>& sets = {});

/// Tests of keys that are set on the default drive.
class DriveFile : public ::testing::Test {
 protected:
  void SetUp() override {
    enter_scratch();
    write_file("drive.toml", "");
  }
  static std::string with(const std::vector<std::string>& sets) { return problems("drive.toml", sets); }
};

}  // namespace wordline::testing
