// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The views in waves/ show signals that a run writes: GTKWave leaves out silently what it does not find.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "testbenches/system/run_drive.h"

namespace wordline::testing {
namespace {

std::set<std::string> signals_of(const std::string& view) {
  std::ifstream in(view);
  EXPECT_TRUE(in.good()) << view;
  std::set<std::string> out;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("ssd.", 0) == 0) out.insert(line);
  }
  return out;
}

void expect_signals(const std::string& view, const std::string& config, const std::string& job) {
  const RunResult run = run_drive({config, job, {"observe.waves=true"}, {}});
  const std::set<std::string> written = signals_of(run.folder + "/waves.gtkw");
  const std::set<std::string> shown = signals_of(std::string(WORDLINE_SOURCE) + "/waves/" + view);
  EXPECT_GT(shown.size(), 5U);
  for (const std::string& signal : shown) EXPECT_EQ(written.count(signal), 1U) << view << ": " << signal;
}

TEST(Views, Demo) {
  expect_signals("demo.gtkw", "configs/ssds/default.toml", "[job]\nrw=randwrite\nbs=4k\nnumber_ios=20\n");
}

TEST(Views, Retry) {
  expect_signals("retry.gtkw", "configs/ssds/retry.toml", "[job]\nrw=randread\nbs=4k\nnumber_ios=1\n");
}

}  // namespace
}  // namespace wordline::testing
