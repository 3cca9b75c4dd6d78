// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/models/checks/scratch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "models/checks/load.h"

namespace wordline::testing {

void enter_scratch() {
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string("config_test.") + info->test_suite_name() + "." + info->name();
  for (char& c : name) c = c == '/' ? '_' : c;
  static const std::filesystem::path root = std::filesystem::current_path();  // also when called again
  const auto folder = root / name;
  std::filesystem::current_path(root);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
}

void write_file(const std::string& name, const std::string& text) {
  const std::filesystem::path path(name);
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

std::string problems(const std::string& path, const std::vector<std::string>& sets) {
  try {
    (void)config::load(path, sets);
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return {};
}

}  // namespace wordline::testing
