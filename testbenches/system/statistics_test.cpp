// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// `wordline statistics --markdown` against what runs leave.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::statistics_test {
namespace {

std::string page() {
  const auto made = wordline({"statistics", "--markdown"});
  EXPECT_EQ(made.exit_code, 0) << made.output;
  return made.output;
}

/// The keys in the page's tables, with the expression for the paths that each stands for.
std::map<std::string, std::regex> documented_keys() {
  std::map<std::string, std::regex> keys;
  const std::string text = page();
  const std::regex row("\n\\| `([^`]+)` \\|");
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at) {
    const std::string key = (*at)[1];
    std::string expression = std::regex_replace(key, std::regex("\\."), "\\.");
    expression = std::regex_replace(expression, std::regex("\\[\\]"), "\\[\\]");
    expression = std::regex_replace(expression, std::regex("\\b[A-Z]+\\b"), "[a-z0-9_]+");
    keys.emplace(key, std::regex(expression));
  }
  return keys;
}

/// Paths of all values as the page writes them: "a.b"; "a[].b" for values of objects in an array. An array of numbers
/// is one value.
void collect(const nlohmann::json& node, const std::string& path, std::set<std::string>& out) {
  if (node.is_object()) {
    for (const auto& [name, value] : node.items()) collect(value, path.empty() ? name : path + "." + name, out);
  } else if (node.is_array() && !node.empty() && node.front().is_object()) {
    for (const auto& row : node) collect(row, path + "[]", out);
  } else {
    out.insert(path);
  }
}

TEST(Statistics, PageExplainsEveryKeyOfAResultAndNoOther) {
  const auto keys = documented_keys();
  ASSERT_GT(keys.size(), 40U);
  std::set<std::string> used;
  const std::vector<std::string> none{"engines.parse=off"},
      l2p{"engines.l2p=on", "engines.model=rtl", "engines.rtl.l2p=" START_L2P};
  const std::vector<std::string> gates{"engines.parse=off", "cpu.model=native", "ecc.model=rtl", "channels.model=rtl"};
  const std::vector<std::string> own{"engines.parse=off",
                                     "cpu.model=native",
                                     "ecc.model=rtl",
                                     "ecc.rtl.tier1=" START_BLOCK,
                                     "cpu.apb.block=" START_APB,
                                     "channels.model=rtl",
                                     "channels.rtl.flash_sequencer=" START_SEQUENCER};
  const std::vector<std::string> agcr{"engines.parse=off", "cpu.model=native", "ftl.policy=agcr",
                                      "ftl.over_provisioning=0.25", "channels.register_hits=true"};
  const std::vector<std::string> mpnfm{
      "engines.parse=off", "cpu.model=native",    "ftl.policy=mpnfm",          "nand.region.blocks_per_plane=8",
      "ftl.map=page",      "ftl.gc_pacing=false", "ftl.over_provisioning=0.25"};
  const std::vector<std::string> ahead{"engines.parse=off",
                                       "cpu.model=native",
                                       "channels.read_ahead=64KiB",
                                       "channels.page_engine=1us",
                                       "precondition.fill=sequential",
                                       "link.dma_setup=1us",
                                       "host.cores=2",
                                       "host.submission_cost=1us"};
  const std::vector<std::string> placed{"engines.parse=off", "cpu.model=native", "ftl.fdp.handles=2"};
  // Data are moved for every reason, and the patrol meets pages that it cannot read.
  const std::vector<std::string> moves{"engines.parse=off",
                                       "cpu.model=native",
                                       "precondition.fill=sequential",
                                       "ftl.over_provisioning=0.25",
                                       "nand.aging.pe_cycles=1000",
                                       "nand.aging.page_age=true",
                                       "nand.aging.acceleration=1e6",
                                       "nand.faults.unreadable_pages=0.002",
                                       "ftl.wear_levelling=static",
                                       "ftl.wear_levelling_gap=1",
                                       "ftl.read_reclaim=1000",
                                       "ftl.reclaim_errors=31",
                                       "ftl.patrol=1",
                                       "ftl.refresh_after=60"};
  // The die with the parity dies; one with data, until its rebuild has ended; two at once.
  const auto with_parity = [](const char* dies, const char* at) {
    return std::vector<std::string>{"engines.parse=off",
                                    "cpu.model=native",
                                    "ftl.parity=dies",
                                    "ftl.over_provisioning=0.8",
                                    "nand.blocks_per_plane=24",
                                    "precondition.fill=sequential",
                                    std::string("nand.faults.dead_dies=") + dies,
                                    std::string("nand.faults.dead_at=") + at};
  };
  const std::vector<std::string> parity = with_parity("[3]", "[1ms]"), lost = with_parity("[0, 1]", "[1ms, 1ms]");
  std::vector<std::string> rebuilt = with_parity("[0]", "[1ms]");
  rebuilt.insert(rebuilt.end(), {"engines.model=rtl", "engines.gates=parity"});
  // An SLC cache whose superblocks fail, and which is folded.
  const std::vector<std::string> cached{"engines.parse=off",
                                        "cpu.model=native",
                                        "ftl.slc_cache=dynamic",
                                        "ftl.slc_superblocks=3",
                                        "ftl.idle_after=1ms",
                                        "ftl.over_provisioning=0.8",
                                        "nand.faults.program_failures=0.02",
                                        "nand.faults.rated_cycles=1",
                                        "nand.aging.pe_cycles=1"};
  // A map on flash, of which pages cannot be read.
  const std::vector<std::string> paged{"engines.parse=off",         "cpu.model=native",
                                       "ftl.map_cache=192KiB",      "nvme.hmb=256KiB",
                                       "nand.blocks_per_plane=160", "nand.faults.unreadable_pages=0.002"};
  const char* scattered = "[job]\nrw=randrw\nrwmixwrite=80\nbs=4k\niodepth=16\nio_size=300%\nnorandommap\n";
  const char* bursts =
      "[job]\nrw=write\nbs=64k\niodepth=16\nthinktime=50ms\nthinktime_blocks=200\nsize=60%\n"
      "[ring]\nstonewall\nrw=write\nbs=64k\niodepth=16\nsize=2%\nio_size=60%\n";
  const char* reads = "[job]\nrw=randread\nbs=4k\niodepth=1\nthinktime=500us\ntime_based\nruntime=2s\nnorandommap\n";
  const char* overwrites = "[job]\nrw=randrw\nrwmixwrite=80\nbs=64k\niodepth=16\nsize=40%\nio_size=400%\nnorandommap\n";
  // One of a drive that mounts what a cut has left, in midst of programs of all dies.
  const std::string image = scratch_folder() + "/cut.flash";
  std::vector<std::string> mounts{"engines.parse=off", "cpu.model=native", "ftl.recovery=scan", "ftl.power_safe=false"};
  const char* trims = "[job]\nioengine=libaio\nrw=randtrimwrite\nbs=64k\niodepth=8\nnumber_ios=400\n";
  (void)run_drive({"configs/ssds/small.toml", trims, mounts, {"--cut-power", "20ms", "--image", image}});
  // And one that has been shut down.
  const std::string left = scratch_folder() + "/left.flash";
  std::vector<std::string> clean = mounts;
  (void)run_drive({"configs/ssds/small.toml", trims, clean, {"--shutdown", "--image", left}});
  // And one that has left checkpoints at work.
  const std::string kept = scratch_folder() + "/kept.flash";
  std::vector<std::string> based = mounts;
  based.insert(based.end(), {"ftl.over_provisioning=0.25", "ftl.checkpoint_after=2"});
  (void)run_drive({"configs/ssds/small.toml", trims, based, {"--cut-power", "1s", "--image", kept}});
  based.push_back("precondition.flash=" + kept);
  mounts.push_back("precondition.flash=" + image);
  clean.push_back("precondition.flash=" + left);
  for (const std::vector<std::string>& sets : {none, l2p, gates, own, agcr, mpnfm, ahead, placed, moves, mounts, clean,
                                               based, parity, rebuilt, lost, cached, paged}) {
    const bool all = sets == agcr || sets == mpnfm;
    const bool recovers = sets == mounts || sets == clean || sets == based;
    const char* workload = sets == ahead ? "[job]\nioengine=libaio\nrw=read\nbs=16k\nnumber_ios=40\n"
                           : sets == moves || sets == parity ? overwrites
                           : sets == rebuilt || sets == lost ? reads
                           : sets == cached                  ? bursts
                           : sets == paged                   ? scattered
                           : recovers                        ? trims
                           : all                             ? "configs/workloads/calibrate.fio"
                                                             : "configs/workloads/demo_waves.fio";
    std::vector<std::string> arguments;
    if (sets == ahead) arguments.emplace_back("--what-if");
    if (sets == clean) arguments.emplace_back("--shutdown");
    const auto run = run_drive({"configs/ssds/small.toml", workload, sets, arguments});
    EXPECT_EQ(run.result["engines"].contains("l2p"), sets == l2p);
    EXPECT_EQ(run.result["ecc"].contains("rtl"), sets == gates || sets == own);
    EXPECT_EQ(run.result["flash"].contains("read_ahead_hits"), sets == ahead);
    EXPECT_EQ(run.result["utilisation"].contains("page_engine"), sets == ahead);
    EXPECT_EQ(run.result["utilisation"].contains("dma"), sets == ahead);
    EXPECT_EQ(run.result["utilisation"].contains("host_cores"), sets == ahead);
    EXPECT_EQ(run.result.contains("queues"), sets == ahead);
    EXPECT_EQ(run.result.contains("steps"), sets == agcr);
    EXPECT_EQ(run.result.contains("small_pages"), sets == mpnfm);
    EXPECT_EQ(run.result.contains("recovery"), recovers);
    EXPECT_EQ(run.result.contains("placement"), sets == placed);
    EXPECT_EQ(run.result.contains("slc_cache"), sets == cached);
    EXPECT_EQ(run.result.contains("map"), sets == paged);
    EXPECT_EQ(run.result.contains("upkeep"), sets == moves);
    EXPECT_EQ(run.result.contains("parity"), sets == parity || sets == rebuilt || sets == lost);
    std::set<std::string> paths;
    collect(run.result, "", paths);
    collect(run.provenance, "provenance", paths);
    for (const std::string& path : paths) {
      unsigned explained = 0;
      for (const auto& [key, expression] : keys) {
        if (!std::regex_match(path, expression)) continue;
        ++explained;
        used.insert(key);
      }
      EXPECT_EQ(explained, 1U) << path;
    }
  }
  for (const auto& [key, expression] : keys) {
    // Of a drive that somebody else drives, and of a host that writes into what it has lent: no run has that.
    const bool alone = key.rfind("drive.", 0) == 0 || key == "map.spoiled";
    EXPECT_EQ(used.count(key), alone ? 0U : 1U) << key << " is in no result";
  }
}

/// All tests of the tree, as "Suite.Name".
std::set<std::string> tests_of_the_tree() {
  std::set<std::string> tests;
  const std::regex definition("TEST(?:_F|_P)?\\((\\w+),\\s*(\\w+)\\)");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(WORDLINE_SOURCE "/testbenches")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (std::sregex_iterator at(text.begin(), text.end(), definition), end; at != end; ++at) {
      tests.insert((*at)[1].str() + "." + (*at)[2].str());
    }
  }
  return tests;
}

TEST(Statistics, EveryNumberNamesATestThatExists) {
  const std::set<std::string> tests = tests_of_the_tree();
  ASSERT_GT(tests.size(), 500U);
  const std::string text = page();
  const std::regex row("\n\\| `([^`]+)` \\|[^\n]*\\| (?:`([^`\n]*)`)? ?\\|(?=\n)");
  unsigned rows = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at, ++rows) {
    EXPECT_EQ(tests.count((*at)[2]), 1U) << (*at)[1] << " is checked by '" << (*at)[2] << "' (checked_by.def)";
  }
  EXPECT_EQ(rows, documented_keys().size());
}

TEST(Statistics, ExplainsAKeyAndRefusesAnUnknownOne) {
  const auto known = wordline({"statistics", "ios.read.lat_ps.p99"});
  EXPECT_EQ(known.exit_code, 0);
  EXPECT_EQ(known.output.rfind("ios.OP.lat_ps.p99 (ps)\n", 0), 0U) << known.output;
  const auto slip = wordline({"statistics", "flash.soft_raeds"});
  EXPECT_EQ(slip.exit_code, 2);
  EXPECT_NE(slip.output.find("did you mean flash.soft_reads?"), std::string::npos) << slip.output;
  const auto words = wordline({"statistics", "write", "amplification"});
  EXPECT_EQ(words.exit_code, 0);
  EXPECT_NE(words.output.find("\nflash.waf (ratio)\n"), std::string::npos) << words.output;
}

}  // namespace
}  // namespace wordline::testing::statistics_test
