// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// engines.model = rtl: drives whose engines run in gates against the modelled ones, which have the same times by
// default.
#include <gtest/gtest.h>

#include "models/engines/gate_times.h"
#include "models/units/keyed_random.h"
#include "testbenches/system/run_drive.h"

namespace wordline::testing::engines_in_gates_test {
namespace {

using Sets = std::vector<std::string>;
using engines::EngineId;

constexpr const char* kDrive = "configs/ssds/small.toml";

/// The model as the gates are, where it is another by default.
const Sets kAsGates{"nvme.coalescing_ticks=true"};

Sets operator+(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Both must do the same, but for the clocks, which the gates alone have.
void expect_same(const std::string& workload, const Sets& sets, const std::vector<EngineId>& in_gates,
                 const std::vector<std::string>& arguments = {"--verify-all"}) {
  auto gates = run_drive({kDrive, workload, sets + Sets{"engines.model=rtl"}, arguments}).result;
  auto model = run_drive({kDrive, workload, sets + kAsGates, arguments}).result;
  EXPECT_EQ(gates["check"]["mismatches"], 0);
  std::vector<std::string_view> names{engines::kCompletionEntries};
  for (const EngineId id : in_gates) names.push_back(engines::row_of(id).name);
  for (const std::string_view name : names) {
    const auto& engine = gates["engines"][std::string(name)];
    EXPECT_GT(engine["operations"].get<std::uint64_t>(), 100U);
    EXPECT_GE(engine["clocks"].get<std::uint64_t>(), 2 * engine["operations"].get<std::uint64_t>());
  }
  for (auto& engine : gates["engines"]) {
    if (engine.is_object()) engine.erase("clocks");
  }
  for (auto* result : {&gates, &model}) (*result)["wordline"].erase("config_sha256");  // of other keys
  EXPECT_EQ(gates, model);
}

constexpr const char* kMixed =
    "[global]\nnorandommap\n[a]\nrw=randrw\nbs=4k\niodepth=16\nnumber_ios=6000\nsize=4m\n"
    "[trim]\nrw=randtrim\nbs=8k\niodepth=2\nnumber_ios=300\nsize=2m\n"
    "[long]\nrw=randrw\nbs=300k\niodepth=2\nnumber_ios=60\n"
    "[part]\nrw=randrw\nbs=2560\niodepth=4\nnumber_ios=800\nsize=2m\n";
const Sets kFull{"cpu.model=native", "precondition.fill=sequential"};

TEST(EnginesInGates, TheParserDoesWhatTheModelDoes) { expect_same(kMixed, kFull, {EngineId::kParse}); }

TEST(EnginesInGates, TheParserTakesSgls) {
  expect_same(kMixed, kFull + Sets{"host.data_pointers=sgl"}, {EngineId::kParse});
}

TEST(EnginesInGates, TheParserTakesNamespacesAndBlocksOf4KiB) {
  expect_same("[a]\nrw=randrw\nbs=8k\niodepth=16\nnumber_ios=3000\nnorandommap\n",
              kFull + Sets{"nvme.lba_size=4KiB", "nvme.namespaces=[0.5,0.5]"}, {EngineId::kParse});
}

TEST(EnginesInGates, TheVictimSelectorDoesWhatTheModelDoes) {
  expect_same("[a]\nrw=randwrite\nbs=4k\niodepth=16\nnumber_ios=20000\nnorandommap\n",
              kFull + Sets{"engines.victim=on", "precondition.overwrites=1"}, {EngineId::kParse, EngineId::kVictim});
}

TEST(EnginesInGates, TheLookupDoesWhatTheModelDoes) {
  const Sets chain{"engines.l2p=on", "engines.job=on", "engines.completion=on", "engines.buffer=on"};
  expect_same(
      "[a]\nrw=randread\nbs=4k\niodepth=32\nnumber_ios=8000\nnorandommap\n"
      "[b]\nrw=randwrite\nbs=4k\niodepth=2\nnumber_ios=2000\nnorandommap\n",
      kFull + chain, {EngineId::kParse, EngineId::kL2p});
  expect_same(kMixed, kFull + chain + Sets{"engines.victim=on"}, {EngineId::kParse, EngineId::kL2p});  // of many pages
}

TEST(EnginesInGates, CoalescedCompletionsAreThoseOfTheModel) {
  for (const char* entries : {"2", "5", "200"}) {
    expect_same(kMixed,
                kFull + Sets{std::string("host.coalescing_entries=") + entries, "host.coalescing_time=200us",
                             "host.cores=3", "host.queue_pairs=3"},
                {EngineId::kParse});
  }
}

/// Of lookups of several logical pages in one burst or several, with the clock of DRAM.
TEST(EnginesInGates, LookupsTakeTheClocksOfTheirPages) {
  using engines::lookup_clocks;
  EXPECT_EQ(lookup_clocks(1, 1).latency, 10U);
  EXPECT_EQ(lookup_clocks(32, 3).latency, 144U);
  const Sets on{"engines.l2p=on", "engines.job=on", "engines.completion=on", "engines.model=rtl"};
  const auto run = run_drive({kDrive, "[a]\nrw=read\nbs=128k\nnumber_ios=50\n", kFull + on, {}});
  const auto& lookups = run.result["engines"]["l2p"];
  EXPECT_EQ(lookups["operations"], 50);
  EXPECT_EQ(lookups["clocks"], 50 * (lookup_clocks(32, 2).latency + 1));
}

/// Drives with parity over dies, some with a dead die or pages that cannot be read, some with a DRAM port that leaves
/// the XOR unit to be waited for.
class XorUnitsInGates : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(XorUnitsInGates, DoWhatTheModelDoes) {
  const std::uint64_t seed = GetParam();
  const auto draw = [&](std::uint64_t what, std::uint64_t below) { return keyed_hash(0x786f'72, seed, what) % below; };
  const auto text = [](auto number) { return std::to_string(number); };
  const std::uint64_t dies = 4U << draw(0, 3);
  Sets sets{"ftl.parity=dies",
            "cpu.model=native",
            "ftl.over_provisioning=0.6",
            "nand.blocks_per_plane=32",
            "channels.count=4",
            "channels.packages=1",
            "channels.dies_per_package=" + text(dies / 4),
            "precondition.fill=sequential",
            "run.seed=" + text(seed),
            draw(1, 2) == 0 ? "dram.bandwidth=12.8GB/s" : "dram.bandwidth=90GB/s"};
  if (dies > 4 && draw(2, 2) == 0)
    sets = sets + Sets{"nand.faults.dead_dies=[" + text(draw(3, dies)) + "]",
                       "nand.faults.dead_at=[" + text(draw(4, 30)) + "ms]"};
  if (draw(5, 2) == 0) sets.push_back("nand.faults.unreadable_pages=0.0005");
  const std::string job =
      "[mixed]\nnorandommap\nrw=randrw\nbs=" + text(4U << draw(6, 3)) + "k\niodepth=16\nio_size=40%\n";
  const auto run = [&](const Sets& more) { return run_drive({kDrive, job, sets + more, {"--verify-all"}}).result; };
  auto gates = run({"engines.model=rtl", "engines.gates=parity"});
  const auto model = run({});
  EXPECT_EQ(gates["check"]["mismatches"], 0);
  auto& parity = gates["parity"];
  const std::uint64_t additions = parity["xor_additions"].get<std::uint64_t>();
  EXPECT_GT(additions, 2 * parity["programs"].get<std::uint64_t>());
  EXPECT_GT(parity["xor_clocks"].get<std::uint64_t>(), 259 * additions);
  for (const char* name : {"xor_additions", "xor_clocks"}) parity.erase(name);
  gates["wordline"].erase("config_sha256");
  auto expected = model;
  expected["wordline"].erase("config_sha256");
  EXPECT_EQ(gates, expected);
}

INSTANTIATE_TEST_SUITE_P(RandomDrives, XorUnitsInGates, ::testing::Range<std::uint64_t>(1, 7));

/// The parser's times can be set while others are in gates.
TEST(EnginesInGates, OneMayRunInGatesAlone) {
  const auto run = run_drive({kDrive,
                              "[a]\nrw=randwrite\nbs=4k\niodepth=16\nnumber_ios=20000\nnorandommap\n",
                              kFull + Sets{"engines.victim=on", "precondition.overwrites=1", "engines.model=rtl",
                                           "engines.gates=victim", "engines.parse_latency=1us"},
                              {}});
  EXPECT_TRUE(run.result["engines"]["victim"].contains("clocks"));
  EXPECT_FALSE(run.result["engines"]["parse"].contains("clocks"));
}

TEST(EnginesInGates, AreRefusedWhereTheyKnowTooLittle) {
  const auto says = [](const Sets& sets, const std::string& text) {
    std::vector<std::string> arguments{"check", kDrive};
    for (const std::string& set : Sets{"engines.model=rtl"} + sets) arguments.insert(arguments.end(), {"--set", set});
    const CommandResult result = wordline(arguments);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_NE(result.output.find(text), std::string::npos) << text << "\nin: " << result.output;
  };
  says({"engines.parse=off", "engines.gates=parse"}, "engines.model = rtl has no effect without an engine");
  says({"ftl.fdp.handles=2"}, "the parser in gates knows no placement handles");
  says({"nvme.metadata=separate"}, "the parser in gates knows none");
  says({"engines.gates=victim"}, "engines.model = rtl has no effect without an engine");
  says({"engines.gates=parity"}, "engines.model = rtl has no effect without an engine");
  says({"engines.gates=victim", "engines.victim=on", "engines.rtl.parse=mine.so"},
       "engines.rtl.parse = \"mine.so\" has no effect with engines.gates = another, expected all or parse");
  says({"engines.gates=completion_entry", "host.model=direct"}, "engines.model = rtl has no effect without an engine");
  says({"nvme.completion_time=1us"}, "nvme.completion_time has no effect with engines.model = rtl");
  says({"nvme.coalescing_ticks=true"}, "nvme.coalescing_ticks has no effect with engines.model = rtl");
  says({"engines.parse_latency=1us"}, "engines.parse_latency = 1us has no effect with engines.model = rtl");
}

}  // namespace
}  // namespace wordline::testing::engines_in_gates_test
