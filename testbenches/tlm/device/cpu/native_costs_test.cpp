// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/cpu/native_costs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>

#include "tlm/device/cpu/core.h"

namespace wordline::cpu::native_costs_test {
namespace {

class NativeCostsTest : public ::testing::Test {
 protected:
  NativeCostsTest()
      : path(::testing::TempDir() + "wordline_costs_" +
             ::testing::UnitTest::GetInstance()->current_test_info()->name()) {}
  ~NativeCostsTest() override { std::filesystem::remove(path); }
  static std::string full_table() {
    std::string out;
    for (std::uint32_t tag = 0; tag < WL_COST_COUNT; ++tag) {
      out += std::string(cost_tag_name(tag)) + " = " + std::to_string(tag + 1) + "\n";
    }
    return out;
  }
  std::string error_of(const std::string& text) {
    std::ofstream(path) << text;
    try {
      (void)NativeCostTable(path).of();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "no error";
  }
  void expect_error(const std::string& text, const std::string& part) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(part), std::string::npos) << error << "\nshould say: " << part;
    EXPECT_EQ(error.rfind(path + ":", 0), 0U) << error << " should begin with the file";
  }
  std::string path;
};

TEST_F(NativeCostsTest, EveryTagHasItsOwnNameAndABuiltinCost) {
  std::set<std::string_view> names;
  for (std::uint32_t tag = 0; tag < WL_COST_COUNT; ++tag) {
    names.insert(cost_tag_name(tag));
    EXPECT_GT(NativeCostTable().of().cycles[tag], 0) << cost_tag_name(tag);
  }
  EXPECT_EQ(names.size(), std::size_t{WL_COST_COUNT});
  EXPECT_EQ(cost_tag_name(WL_COST_FTL_PROGRAM_SECTOR), "ftl_program_sector");
  EXPECT_EQ(cost_tag_name(WL_COST_BOOT), "boot");
  EXPECT_EQ(NativeCostTable("").of().cycles, NativeCostTable().of().cycles);
}

TEST_F(NativeCostsTest, APolicysOwnRowTakesThePlaceOfTheTags) {
  std::string text;
  for (std::uint32_t tag = 0; tag < WL_COST_COUNT; ++tag) text += fmt::format("{} = 10\n", cost_tag_name(tag));
  text += "page_hot_cold.ftl_unit = 20\npage_fifo.ftl_unit = 30  # and\n";
  std::ofstream(path) << text;
  EXPECT_EQ(NativeCostTable(path).of({"page_greedy", {}}).cycles[WL_COST_FTL_UNIT], 10);
  EXPECT_EQ(NativeCostTable(path).of({"page_hot_cold", {}}).cycles[WL_COST_FTL_UNIT], 20);
  EXPECT_EQ(NativeCostTable(path).of({"page_fifo", {}}).cycles[WL_COST_FTL_UNIT], 30);
  EXPECT_EQ(NativeCostTable(path).of({"page_fifo", {}}).cycles[WL_COST_FTL_GC], 10);
  expect_error(text + "page_fifo.ftl_unit = 3\n", "`page_fifo.ftl_unit` was given on line");
  expect_error(text + "page_lifo.ftl_unit = 3\n", "no FTL policy is called `page_lifo`");
  expect_error(text + "page_fifo.unit = 3\n", "no cost tag is called");
}

TEST_F(NativeCostsTest, ARowOfTheTasksOfACoreTakesThePlaceOfTheTagsButNotOfThePolicys) {
  std::string text;
  for (std::uint32_t tag = 0; tag < WL_COST_COUNT; ++tag) text += fmt::format("{} = 10\n", cost_tag_name(tag));
  text += "ftl.loop = 20\nftl+busy.loop = 15\nhost+flash.loop = 0\nftl.ftl_unit = 5\npage_fifo.ftl_unit = 30\n";
  std::ofstream(path) << text;
  const auto loop = [&](std::string_view tasks) {
    return NativeCostTable(path).of({"page_fifo", tasks}).cycles[WL_COST_LOOP];
  };
  EXPECT_EQ(loop("ftl"), 20);
  EXPECT_EQ(NativeCostTable(path).of({"page_fifo", "ftl"}).busy[WL_COST_LOOP], 15);
  EXPECT_EQ(NativeCostTable(path).of({"page_fifo", "ftl"}).busy[WL_COST_FTL_UNIT], 30);
  EXPECT_EQ(NativeCostTable(path).of({"page_fifo", "host"}).busy[WL_COST_LOOP], 10);
  EXPECT_EQ(loop("host+flash"), 0);
  EXPECT_EQ(loop("host"), 10);
  EXPECT_EQ(loop(""), 10);
  EXPECT_EQ(NativeCostTable(path).of({"page_fifo", "ftl"}).cycles[WL_COST_FTL_UNIT], 30);
  EXPECT_EQ(NativeCostTable(path).of({"page_greedy", "ftl"}).cycles[WL_COST_FTL_UNIT], 5);
  expect_error(text + "flash+host.loop = 3\n", "`flash+host`, nor a core's tasks: host, host+ftl, ...");
  EXPECT_EQ(tasks_of({0, 1, 0}, 0), "host+flash");
  EXPECT_EQ(tasks_of({0, 1, 0}, 2), "");
}

TEST_F(NativeCostsTest, ReadsATable) {
  const std::string table = full_table();
  std::ofstream(path) << "# a comment\n\n" << table.substr(table.find('\n') + 1) << "  idle=12.5 # fine\r\n";
  const NativeCosts costs = NativeCostTable(path).of();
  EXPECT_EQ(costs.cycles[WL_COST_IDLE], 12.5);
  EXPECT_EQ(costs.cycles[WL_COST_BOOT], WL_COST_BOOT + 1.0);
}

TEST_F(NativeCostsTest, SaysWhatIsWrongAndWhere) {
  const std::string table = full_table();
  expect_error("idel = 4\n", ":1: no cost tag is called `idel`; tags are idle, loop");
  expect_error("\nidle 4\n", ":2: expected `tag_name = cycles`, found `idle 4`");
  expect_error("idle = 4\nloop = fast\n", ":2: `fast` is not a number");
  expect_error("idle = -1\n", "`-1` is not a number of cycles from 0");
  expect_error("idle = nan\n", "`nan` is not a number");
  expect_error("idle = 1e30\n", "`1e30` is not a number");
  expect_error("idle = 4 cycles\n", "`4 cycles` is not a number");
  expect_error("idle =\n", "`` is not a number");
  expect_error(table + "idle = 4\n", ":" + std::to_string(WL_COST_COUNT + 1) + ": `idle` was given on line 1 already");
  expect_error(table.substr(0, table.find("boot")), "no cycles for boot, ftl_read_segment, ");
  expect_error("", "no cycles for idle, loop, wake");
  std::filesystem::remove(path);
  try {
    (void)NativeCostTable(path).of();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()).rfind(path + ": cannot read", 0), 0U) << error.what();
  }
}

TEST_F(NativeCostsTest, WritesMeansOverAllCoresThatReadBack) {
  CoreStatistics a;
  CoreStatistics b;
  a.cycles[WL_COST_HOST_READ] = 100;
  a.entries[WL_COST_HOST_READ] = 3;
  b.cycles[WL_COST_HOST_READ] = 101;
  b.entries[WL_COST_HOST_READ] = 1;
  b.cycles[WL_COST_LOOP] = 0;
  b.entries[WL_COST_LOOP] = 9;
  write_native_costs(path, {a, b}, {0, 1, 1});
  const NativeCosts costs = NativeCostTable(path).of();
  EXPECT_EQ(costs.cycles[WL_COST_HOST_READ], 50.25);
  EXPECT_EQ(NativeCostTable(path).of({"page_greedy", "host"}).cycles[WL_COST_HOST_READ], 33.333);
  EXPECT_EQ(NativeCostTable(path).of({"page_greedy", "ftl+flash"}).cycles[WL_COST_HOST_READ], 101);
  EXPECT_EQ(costs.cycles[WL_COST_LOOP], 0.0);
  EXPECT_EQ(costs.cycles[WL_COST_FTL_GC], NativeCostTable().of().cycles[WL_COST_FTL_GC]) << "never entered";
  EXPECT_THROW(write_native_costs("/nonexistent/folder/table", {a}, {0, 0, 0}), std::runtime_error);
}

}  // namespace
}  // namespace wordline::cpu::native_costs_test
