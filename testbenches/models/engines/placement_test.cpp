// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/engines/placement.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "models/config/load.h"

namespace wordline::testing {
namespace {

using engines::Placement;

std::string write(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / ("placements" + std::to_string(getpid()) + ".toml");
  std::ofstream(path) << text;
  return path.string();
}

std::string problem(const std::string& text) {
  const std::string path = write(text);
  std::string what;
  try {
    (void)engines::read_placements(path);
  } catch (const config::ConfigError& error) {
    what = std::string(error.what()).substr(path.size());
  }
  std::filesystem::remove(path);
  return what;
}

TEST(Placements, AFileSaysAllOfThem) {
  const std::string path = write(
      "[[placement]]\ncores = 2\nengines = [\"completion\", \"l2p\", \"parse\"]\n"
      "[[placement]]\nname = \"fast\"\ncores = 2\ntask_core = [1, 0, 1]\nset = [\"cpu.clock=1GHz\"]\n");
  const auto read = engines::read_placements(path);
  std::filesystem::remove(path);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].name, "2 cores, parse+l2p+completion");
  EXPECT_EQ(read[0].settings(),
            (std::vector<std::string>{"cpu.cores=2", "cpu.task_core=[0,1,0]", "engines.parse=on", "engines.l2p=on", "engines.buffer=off",
                                      "engines.job=off", "engines.completion=on", "engines.gc=off", "engines.copy=off",
                                      "engines.victim=off", "engines.retry=off"}));
  EXPECT_EQ(read[1].name, "fast");
  EXPECT_EQ(read[1].settings(),
            (std::vector<std::string>{"cpu.cores=2", "cpu.task_core=[1,0,1]", "engines.parse=off", "engines.l2p=off", "engines.buffer=off",
                                      "engines.job=off", "engines.completion=off", "engines.gc=off", "engines.copy=off",
                                      "engines.victim=off", "engines.retry=off", "cpu.clock=1GHz"}));
}

TEST(Placements, ErrorsNameThePlace) {
  EXPECT_EQ(problem(""), ": error: no placement, expected at least one table [[placement]] with cores and engines");
  EXPECT_EQ(problem("cores = 2\n").substr(0, 32), ":1:9: error: unknown key cores, ");
  EXPECT_EQ(problem("[[placement]]\nengines = []\n").substr(0, 22), ":1:1: error: no cores,");
  EXPECT_EQ(problem("[[placement]]\ncores = 0\n"), ":2:9: error: cores: expected a whole number from 1 to 8");
  EXPECT_EQ(problem("[[placement]]\ncores = 8\n"), "");
  EXPECT_EQ(problem("[[placement]]\ncores = 9\n"), ":2:9: error: cores: expected a whole number from 1 to 8");
  EXPECT_EQ(problem("[[placement]]\ncores = 1\nengines = [\"lp2\"]\n"),
            ":3:11: error: no engine is called \"lp2\", expected parse, l2p, buffer, job, completion, gc, copy, victim, retry");
  EXPECT_EQ(problem("[[placement]]\ncores = 1\nengines = [\"parse\", \"l2p\", \"buffer\"]\n"),
            ":3:11: error: the buffer engine needs the completion engine beside it: the completion engine ends the reads");
  EXPECT_EQ(problem("[[placement]]\ncores = 1\nengines = [\"l2p\", \"completion\"]\n"),
            ":3:11: error: the l2p engine needs the parse engine beside it: the lookup begins from a command that hardware has "
            "parsed");
  EXPECT_EQ(problem("[[placement]]\ncores = 2\ntask_core = [0, 1, 2]\n"),
            ":3:20: error: task_core: expected a core below cores = 2");
  EXPECT_EQ(problem("[[placement]]\ncores = 1\n[[placement]]\ncores = 1\n"),
            ":3:1: error: a second placement is called \"1 core, all in firmware\", expected a name of its own");
  EXPECT_EQ(problem("[[placement]]\ncores = 1\ncoers = 1\n"),
            ":3:9: error: unknown key coers, expected name, cores, engines, task_core or set");
  EXPECT_NE(problem("[[placement]\n"), "");
}

TEST(Placements, BuiltInOnesAreGoodAndApart) {
  for (const auto& list : {engines::default_placements(), engines::all_placements()}) {
    std::set<std::string> names;
    for (const Placement& p : list) {
      EXPECT_TRUE(names.insert(p.name).second) << p.name;
      EXPECT_EQ(p.task_core.size(), 3U);
      for (const auto core : p.task_core) EXPECT_LT(core, p.cores);
    }
  }
  EXPECT_EQ(engines::all_placements().size(), 4U * 2U * 112U)
      << "80 with the parser; without it no lookup, so no buffer engine: 32; each with and without the retry";
}

}  // namespace
}  // namespace wordline::testing
