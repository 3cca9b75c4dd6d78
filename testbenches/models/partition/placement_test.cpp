// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/partition/placement.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "models/checks/load.h"
#include "models/engines/table/engine_table.h"

namespace wordline::testing::placement_test {
namespace {

using engines::Placement;

std::string write(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / ("placements" + std::to_string(getpid()) + ".toml");
  std::ofstream(path) << text;
  return path.string();
}

/// Two cores, the parser and the retry controllers.
Placement drive() {
  config::Config config;
  config.cpu.cores = 2;
  config.cpu.task_core = {1, 1, 0};
  for (const engines::EngineRow& row : engines::kEngines) {
    config.engines[row.id].on = row.name == "parse" || row.name == "retry";
  }
  return engines::placement_of(config);
}

std::string problem(const std::string& text) {
  const std::string path = write(text);
  std::string what;
  try {
    (void)engines::read_placements(path, drive());
  } catch (const config::ConfigError& error) {
    what = std::string(error.what()).substr(path.size());
  }
  std::filesystem::remove(path);
  return what;
}

/// Every engine is set, on or off, whatever its default is.
std::vector<std::string> settings(std::vector<std::string> before, const std::set<std::string_view>& on,
                                  const std::vector<std::string>& after) {
  for (const engines::EngineRow& row : engines::kEngines) {
    before.push_back("engines." + std::string(row.name) + (on.count(row.name) != 0 ? "=on" : "=off"));
  }
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

TEST(Placements, AFileSaysAllOfThem) {
  const std::string path = write(
      "[[placement]]\ncores = 2\nengines = [\"completion\", \"l2p\", \"parse\"]\n"
      "[[placement]]\nname = \"fast\"\ncores = 2\nengines = []\ntask_core = [1, 0, 1]\nset = [\"cpu.clock=1GHz\"]\n");
  const auto read = engines::read_placements(path, drive());
  std::filesystem::remove(path);
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].name, "2 cores, parse+l2p+completion");
  EXPECT_EQ(read[0].settings(), settings({"cpu.cores=2", "cpu.task_core=[0,1,0]"}, {"parse", "l2p", "completion"}, {}));
  EXPECT_EQ(read[1].name, "fast");
  EXPECT_EQ(read[1].settings(), settings({"cpu.cores=2", "cpu.task_core=[1,0,1]"}, {}, {"cpu.clock=1GHz"}));
}

TEST(Placements, WhatAFileLeavesOutIsTheDrives) {
  const std::string path = write(
      "[[placement]]\n[[placement]]\ncores = 1\n[[placement]]\nengines = [\"parse\"]\n[[placement]]\nname = \"again\"\n"
      "cores = 1\n[[placement]]\nengines = []\nset = [\"cpu.clock=1GHz\"]\n");
  const auto read = engines::read_placements(path, drive());
  std::filesystem::remove(path);
  ASSERT_EQ(read.size(), 4U) << "the second of one core is the first again";
  EXPECT_EQ(read[0].settings(), settings({"cpu.cores=2", "cpu.task_core=[1,1,0]"}, {"parse", "retry"}, {}));
  EXPECT_EQ(read[1].settings(), settings({"cpu.cores=1", "cpu.task_core=[0,0,0]"}, {"parse", "retry"}, {}));
  EXPECT_EQ(read[2].settings(), settings({"cpu.cores=2", "cpu.task_core=[1,1,0]"}, {"parse"}, {}));
  EXPECT_EQ(read[3].settings(), settings({"cpu.cores=2", "cpu.task_core=[1,1,0]"}, {}, {"cpu.clock=1GHz"}));
}

std::string all_names() {
  std::string out;
  for (const engines::EngineRow& row : engines::kEngines) out += (out.empty() ? "" : ", ") + std::string(row.name);
  return out;
}

TEST(Placements, ErrorsNameThePlace) {
  EXPECT_EQ(problem(""), ": error: no placement, expected at least one table [[placement]]");
  EXPECT_EQ(problem("cores = 2\n").substr(0, 32), ":1:9: error: unknown key cores, ");
  EXPECT_EQ(problem("[[placement]]\nengines = []\n"), "");
  EXPECT_EQ(problem("[[placement]]\ncores = 0\n"), ":2:9: error: cores: expected a whole number from 1 to 8");
  EXPECT_EQ(problem("[[placement]]\ncores = 8\n"), "");
  EXPECT_EQ(problem("[[placement]]\ncores = 9\n"), ":2:9: error: cores: expected a whole number from 1 to 8");
  EXPECT_EQ(problem("[[placement]]\ncores = 1\nengines = [\"lp2\"]\n"),
            ":3:11: error: no engine is called \"lp2\", expected " + all_names());
  EXPECT_EQ(
      problem("[[placement]]\ncores = 1\nengines = [\"parse\", \"l2p\", \"buffer\"]\n"),
      ":3:11: error: the buffer engine needs the completion engine beside it: the completion engine ends the reads");
  EXPECT_EQ(problem("[[placement]]\ncores = 1\nengines = [\"l2p\", \"completion\"]\n"),
            ":3:11: error: the l2p engine needs the parse engine beside it: the lookup begins from a command that "
            "hardware has "
            "parsed");
  EXPECT_EQ(problem("[[placement]]\ncores = 2\ntask_core = [0, 1, 2]\n"),
            ":3:20: error: task_core: expected a core below cores = 2");
  EXPECT_EQ(problem("[[placement]]\ncores = 1\n[[placement]]\ncores = 1\n"), "") << "left out";
  EXPECT_EQ(problem("[[placement]]\nname = \"a\"\ncores = 1\n[[placement]]\nname = \"a\"\ncores = 2\n"),
            ":4:1: error: a second placement is called \"a\", expected a name of its own");
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
}

// Against the rules in words: the lookup needs the parser; a hit in the write buffer the lookup and the completion
// engine.
TEST(Placements, AllHasEverySetThatWorks) {
  std::set<std::vector<std::string>> sets;
  for (const Placement& p : engines::all_placements()) {
    const auto has = [&p](const char* name) { return std::count(p.engines.begin(), p.engines.end(), name) != 0; };
    EXPECT_TRUE(has("parse") || !has("l2p")) << p.name;
    EXPECT_TRUE((has("l2p") && has("completion")) || !has("buffer")) << p.name;
    sets.insert(p.engines);
  }
  EXPECT_EQ(engines::all_placements().size(), 4 * sets.size()) << "each for 1 to 4 cores";
  // Of parse, l2p, completion and buffer 7 sets work; with any of the others, but for those that need some of these.
  std::size_t expected = 7;
  for (const engines::EngineRow& row : engines::kEngines) {
    const bool named = row.name == "parse" || row.name == "l2p" || row.name == "completion" || row.name == "buffer";
    if (!named && row.needs.empty()) expected *= 2;
  }
  EXPECT_GE(sets.size(), expected);
}

}  // namespace
}  // namespace wordline::testing::placement_test
