// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// engines.model = rtl: drives whose engines run in gates against the modelled ones with the same times.
#include <gtest/gtest.h>

#include "models/engines/gate_times.h"
#include "testbenches/system/run_drive.h"

namespace wordline::testing::engines_in_gates_test {
namespace {

using Sets = std::vector<std::string>;
using engines::EngineId;

constexpr const char* kDrive = "configs/ssds/small.toml";

/// The times of the gates as keys of the modelled engine.
Sets times_of(EngineId id) {
  const engines::GateTimes& times = *engines::gate_times(id);
  const std::string name = "engines." + std::string(engines::row_of(id).name);
  const auto ns = [](unsigned clocks) { return std::to_string(clocks * 2) + "ns"; };
  return {name + "_latency=" + ns(times.latency), name + "_interval=" + ns(times.interval),
          name + "_depth=" + std::to_string(times.depth)};
}

Sets operator+(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Both must do the same, but for the clocks, which the gates alone have.
void expect_same(const std::string& workload, const Sets& sets, const std::vector<EngineId>& in_gates,
                 const std::vector<std::string>& arguments = {"--verify-all"}) {
  Sets modelled = sets;
  for (const EngineId id : in_gates) modelled = modelled + times_of(id);
  auto gates = run_drive({kDrive, workload, sets + Sets{"engines.model=rtl"}, arguments}).result;
  auto model = run_drive({kDrive, workload, modelled, arguments}).result;
  EXPECT_EQ(gates["check"]["mismatches"], 0);
  for (const EngineId id : in_gates) {
    auto& engine = gates["engines"][std::string(engines::row_of(id).name)];
    EXPECT_GT(engine["operations"].get<std::uint64_t>(), 100U);
    EXPECT_GE(engine["clocks"].get<std::uint64_t>(), 2 * engine["operations"].get<std::uint64_t>());
    engine.erase("clocks");
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
  expect_same(
      "[a]\nrw=randread\nbs=4k\niodepth=32\nnumber_ios=8000\nnorandommap\n"
      "[b]\nrw=randwrite\nbs=4k\niodepth=2\nnumber_ios=2000\nnorandommap\n",
      kFull + Sets{"engines.l2p=on", "engines.job=on", "engines.completion=on", "engines.buffer=on"},
      {EngineId::kParse, EngineId::kL2p}, {});  // --verify-all reads many logical pages at once
}

/// Those of many logical pages take the clocks that they take, which the model does not have: what they find is the
/// same.
TEST(EnginesInGates, LookupsOfManyPagesFindTheSame) {
  const auto run = run_drive({kDrive,
                              kMixed,
                              kFull + Sets{"engines.model=rtl", "engines.l2p=on", "engines.job=on",
                                           "engines.completion=on", "engines.victim=on"},
                              {"--verify-all"}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GT(run.result["engines"]["l2p"]["clocks"].get<std::uint64_t>(),
            11 * run.result["engines"]["l2p"]["operations"].get<std::uint64_t>());
}

TEST(EnginesInGates, AreRefusedWhereTheyKnowTooLittle) {
  const auto says = [](const Sets& sets, const std::string& text) {
    std::vector<std::string> arguments{"check", kDrive};
    for (const std::string& set : Sets{"engines.model=rtl"} + sets) arguments.insert(arguments.end(), {"--set", set});
    const CommandResult result = wordline(arguments);
    EXPECT_NE(result.exit_code, 0);
    EXPECT_NE(result.output.find(text), std::string::npos) << text << "\nin: " << result.output;
  };
  says({"engines.parse=off"}, "engines.model = rtl has no effect without an engine");
  says({"ftl.fdp.handles=2"}, "the parser in gates knows no placement handles");
  says({"nvme.metadata=separate"}, "the parser in gates knows none");
  says({"engines.parse_latency=1us"}, "engines.parse_latency = 1us has no effect with engines.model = rtl");
}

}  // namespace
}  // namespace wordline::testing::engines_in_gates_test
