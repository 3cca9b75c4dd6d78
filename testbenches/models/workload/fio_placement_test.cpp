// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Options of Flexible Data Placement, and what the writes of a job name.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "models/workload/fio/parse.h"
#include "models/workload/source.h"

namespace wordline::workload::fio::fio_placement_test {
namespace {

PlacementChoice choice(const std::string& options) {
  return parse("t.fio", "[a]\nrw=write\n" + options + "\n").jobs.at(0).placement;
}

std::string error(const std::string& option) {
  try {
    (void)parse("t.fio", "[a]\n" + option + "\n");
  } catch (const WorkloadError& error) {
    return error.errors().at(0);
  }
  return "";
}

TEST(FioPlacement, OptionsAndTheirOldNames) {
  EXPECT_FALSE(choice("").on);
  EXPECT_TRUE(choice("fdp=1").on);
  EXPECT_TRUE(choice("dataplacement=fdp").on);
  EXPECT_FALSE(choice("dataplacement=none").on);
  EXPECT_EQ(choice("fdp=1").by, PlacementChoice::By::kRoundRobin);
  EXPECT_EQ(choice("fdp=1\nplid_select=random").by, PlacementChoice::By::kRandom);
  EXPECT_EQ(choice("fdp=1\nfdp_pli_select=random").by, PlacementChoice::By::kRandom);
  EXPECT_EQ(choice("fdp=1\nplids=2,0").indices, (std::vector<std::uint16_t>{2, 0}));
  EXPECT_EQ(choice("fdp=1\nfdp_pli=1,4-6").indices, (std::vector<std::uint16_t>{1, 4, 5, 6}));
}

TEST(FioPlacement, WhatIsNotModelledIsRefused) {
  EXPECT_NE(error("plid_select=scheme").find("job of its own, with plids"), std::string::npos);
  EXPECT_NE(error("dp_scheme=x").find("job of its own, with plids"), std::string::npos);
  EXPECT_NE(error("dataplacement=streams").find("dataplacement=fdp"), std::string::npos);
  EXPECT_NE(error("plid_select=first").find("random, roundrobin or scheme"), std::string::npos);
  EXPECT_NE(error("plids=128").find("plids"), std::string::npos);
  EXPECT_NE(error("plids=3-1").find("plids"), std::string::npos);
}

class Written {
 public:
  explicit Written(const std::string& job) : path_(::testing::TempDir() + "placement.fio") {
    std::ofstream(path_) << job;
  }
  /// What the first writes name, on a drive with so many handles.
  [[nodiscard]] std::vector<int> named(std::uint32_t handles, int count = 6) const {
    LoadOptions options;
    options.drive_lbas = 1 << 16;
    options.placement_handles = handles;
    const auto source = load_workload(path_, options);
    std::vector<int> list;
    Request request;
    while (static_cast<int>(list.size()) < count && source->next(0, Picoseconds(0), request)) {
      if (request.op == Op::kWrite) {
        list.push_back(request.placement);
      } else {
        EXPECT_EQ(request.placement, -1);
      }
      source->completed(request, Picoseconds(0), Picoseconds(1));
    }
    return list;
  }
  [[nodiscard]] std::string error(std::uint32_t handles) const {
    try {
      (void)named(handles);
    } catch (const WorkloadError& error) {
      return error.errors().at(0);
    }
    return "";
  }

 private:
  std::string path_;
};

TEST(FioPlacement, WritesNameTheIdentifiersOfTheirJob) {
  const std::string write = "[a]\nrw=randrw\nbs=4k\nsize=1m\n";
  EXPECT_EQ(Written(write).named(4), (std::vector<int>{-1, -1, -1, -1, -1, -1}));
  EXPECT_EQ(Written(write + "fdp=1\nplids=2\n").named(4), (std::vector<int>{2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(Written(write + "fdp=1\nplids=3,1\n").named(4), (std::vector<int>{3, 1, 3, 1, 3, 1}));
  EXPECT_EQ(Written(write + "dataplacement=fdp\n").named(3), (std::vector<int>{0, 1, 2, 0, 1, 2})) << "all there are";
  const std::vector<int> drawn = Written(write + "fdp=1\nplids=0,2,3\nplid_select=random\n").named(4, 60);
  EXPECT_EQ(std::set<int>(drawn.begin(), drawn.end()), (std::set<int>{0, 2, 3}));
}

TEST(FioPlacement, TheDriveHasToHaveThem) {
  EXPECT_NE(Written("[a]\nrw=write\nsize=1m\nfdp=1\n").error(0).find("ftl.fdp.handles"), std::string::npos);
  EXPECT_NE(Written("[a]\nrw=write\nsize=1m\nfdp=1\nplids=4\n").error(4).find("less than ftl.fdp.handles = 4"),
            std::string::npos);
}

}  // namespace
}  // namespace wordline::workload::fio::fio_placement_test
