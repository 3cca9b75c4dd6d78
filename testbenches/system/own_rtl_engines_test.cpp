// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Engines of the user's own: the shipped ones as shared objects, the starts, which take other clocks, and faults at the
// ports, each of which is named with its request and its clock.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::own_rtl_engines_test {
namespace {

constexpr const char* kDrive = "configs/ssds/small.toml";

/// An engine, and a run that uses it.
struct Engine {
  std::string name, key, shipped, start, faulty, job;
  std::vector<std::string> sets;
};

const Engine& engine(const std::string& name) {
  static const std::string mixed = "[m]\nrw=randrw\nbs=4k\niodepth=4\nnumber_ios=400\nnorandommap\n";
  static const std::string writes = "[w]\nrw=randwrite\nbs=4k\niodepth=16\nnumber_ios=6000\nnorandommap\n";
  static const std::vector<Engine> all{
      {"parse", "engines.rtl.parse", SHIPPED_PARSE, START_PARSE, FAULTY_PARSE, mixed, {}},
      {"l2p",
       "engines.rtl.l2p",
       SHIPPED_L2P,
       START_L2P,
       FAULTY_L2P,
       mixed,
       {"engines.l2p=on", "engines.job=on", "engines.completion=on"}},
      {"victim",
       "engines.rtl.victim",
       SHIPPED_VICTIM,
       START_VICTIM,
       FAULTY_VICTIM,
       writes,
       {"engines.victim=on", "precondition.overwrites=1"}},
  };
  return *std::find_if(all.begin(), all.end(), [&](const Engine& e) { return e.name == name; });
}

std::vector<std::string> sets_of(const Engine& e, const std::vector<std::string>& more) {
  std::vector<std::string> sets{"cpu.model=native", "precondition.fill=sequential", "engines.model=rtl"};
  sets.insert(sets.end(), e.sets.begin(), e.sets.end());
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

nlohmann::json run(const Engine& e, const std::string& block = {}) {
  std::vector<std::string> more;
  if (!block.empty()) more.push_back(e.key + "=" + block);
  nlohmann::json result = run_drive({kDrive, e.job, sets_of(e, more), {}}).result;
  result["wordline"].erase("config_sha256");
  return result;
}

class OwnRtlEngines : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Each, OwnRtlEngines, ::testing::Values("parse", "l2p", "victim"),
                         [](const auto& info) { return info.param; });

TEST_P(OwnRtlEngines, TheShippedOneDropsInWithTheSameResults) {
  const Engine& e = engine(GetParam());
  const auto shipped = run(e);
  EXPECT_GT(shipped["engines"][e.name]["clocks"].get<std::uint64_t>(), 1000U);
  EXPECT_EQ(shipped, run(e, e.shipped));
}

TEST_P(OwnRtlEngines, TheStartIsRightAndItsCountersAreInTheResult) {
  const Engine& e = engine(GetParam());
  const auto shipped = run(e), own = run(e, e.start);
  EXPECT_EQ(own["check"]["mismatches"], 0);
  EXPECT_GT(own["check"]["reads_checked"].get<std::uint64_t>() + own["ios"]["write"]["count"].get<std::uint64_t>(), 0U);
  const auto& engines = own["engines"][e.name];
  ASSERT_FALSE(engines["count"].empty());
  if (e.name == "parse") {
    EXPECT_GE(engines["count"]["entries"].get<std::uint64_t>(), 400U);
    return;  // the shipped one is inside
  }
  // It does one thing after the other.
  const auto per_operation = [&](const nlohmann::json& result) {
    const auto& of = result["engines"][e.name];
    return of["clocks"].get<double>() / of["operations"].get<double>();
  };
  EXPECT_GT(per_operation(own), 1.2 * per_operation(shipped));
}

CommandResult wrong(const Engine& e, const std::string& fault, const std::string& out = {}) {
  setenv("WORDLINE_TEST_FAULT", fault.c_str(), 1);
  std::vector<std::string> arguments{"run", kDrive, "--workload", scratch_file("job.fio", e.job), "--quiet"};
  for (const std::string& set : sets_of(e, {e.key + "=" + e.faulty})) {
    arguments.insert(arguments.end(), {"--set", set});
  }
  if (!out.empty()) arguments.insert(arguments.end(), {"--out", out});
  const CommandResult result = wordline(arguments);
  unsetenv("WORDLINE_TEST_FAULT");
  return result;
}

/// The message: key, file, request, clock, what is wrong, which of the two.
void expect_said(const Engine& e, const std::string& fault, const std::string& what, const std::string& request = "3") {
  const CommandResult result = wrong(e, fault);
  EXPECT_EQ(result.exit_code, 1) << fault << ": " << result.output;
  const std::string noun = e.name == "parse" ? "entry" : e.name == "victim" ? "search" : "request";
  const std::string text = e.key + " = .*faulty_" + e.name + "\\.so: " + noun + " " + request +
                           ", clock [0-9]+: " + what + " \\(ssd\\.engines\\." + e.name + "(\\.tried)?\\)";
  EXPECT_TRUE(std::regex_search(result.output, std::regex(text))) << fault << ": " << text << "\nin: " << result.output;
}

TEST_P(OwnRtlEngines, WithoutAFaultTheFaultyOneIsRight) {
  const CommandResult result = wrong(engine(GetParam()), "none");
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST_P(OwnRtlEngines, AnOfferThatIsWithdrawnIsNamed) {
  const Engine& e = engine(GetParam());
  const std::string port = e.name == "victim" ? "mem" : "answer";
  expect_said(e, "withdrawn", port + "_valid_o fell before " + port + "_ready_i had taken it", "[1-9][0-9]*");
}

TEST_P(OwnRtlEngines, AnOfferThatChangesIsNamed) {
  const Engine& e = engine(GetParam());
  expect_said(e, "changes",
              e.name == "parse" ? "answer_first_o changed before answer_ready_i had taken it"
              : e.name == "l2p" ? "value_o changed before value_ready_i had taken it"
                                : "mem_address_o changed before mem_ready_i had taken it",
              "[1-9][0-9]*");
}

TEST_P(OwnRtlEngines, AnAnswerThatComesTwiceIsNamed) {
  const Engine& e = engine(GetParam());
  expect_said(e, "twice",
              e.name == "parse" ? "answer_valid_o is high, and no entry is inside"
              : e.name == "l2p" ? "answer_valid_o is high, and no request is inside"
                                : "irq_o is high, and no search is inside");
}

// A search has no tag.
TEST(OwnRtlTags, ATagThatNothingHasIsNamed) {
  for (const char* name : {"parse", "l2p"}) {
    expect_said(engine(name), "unknown_tag",
                "answer_tag_o is [0-9a-f]+h, expected [0-9a-f]+h: no (entry|request) of that tag is inside");
  }
}

TEST_P(OwnRtlEngines, AMemoryThatIsAskedWithoutCreditIsNamed) {
  const Engine& e = engine(GetParam());
  expect_said(e, "no_credit", "mem_valid_o is high with 4 answers to come: there is no credit for another request");
  expect_said(e, "no_request", "mem_valid_o is high, and no (entry|request|search) is inside");
}

TEST_P(OwnRtlEngines, OneThatDoesNotAnswerIsStopped) {
  expect_said(engine(GetParam()), "no_answer", "no answer, and nothing at a port for 100000 clocks");
}

TEST_P(OwnRtlEngines, AWrongAnswerIsNamedAndThePinsAreLeft) {
  const Engine& e = engine(GetParam());
  expect_said(e, "wrong",
              e.name == "parse" ? "of the entry of opcode 0[12]h, tag [0-9]+, the gates say first block .*"
              : e.name == "l2p" ? "logical page [0-9]+ has map entry [0-9a-f]+h and [0-9]+ changes, expected .*"
                                : "superblock -?[0-9]+ with VICTIM.done [0-9]+, expected .*",
              "[1-9][0-9]*");
  expect_said(e, "stops", "the block has stopped itself: \\$stop at my.sv:7", "2");
  const std::string out = scratch_folder() + "/out";
  const CommandResult result = wrong(e, "busy_low", out);
  EXPECT_NE(result.output.find("busy_o is low with the "), std::string::npos) << result.output;
  EXPECT_TRUE(std::filesystem::exists(out + "/ssd.engines." + e.name + ".vcd") ||
              std::filesystem::exists(out + "/ssd.engines." + e.name + ".tried.vcd"))
      << result.output;
}

TEST_P(OwnRtlEngines, IsRefusedWhereItHasNoPlace) {
  const Engine& e = engine(GetParam());
  const auto says = [&](std::vector<std::string> sets, const std::string& text) {
    std::vector<std::string> arguments{"check", kDrive};
    for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
    const CommandResult result = wordline(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_NE(result.output.find(text), std::string::npos) << text << "\nin: " << result.output;
  };
  const std::string set = e.key + "=" + e.start;
  says({set}, e.key + " = \"" + e.start + "\" has no effect with engines.model = model, expected engines.model = rtl");
  const std::string other = e.name == "parse" ? "engines.l2p=on" : "engines.parse=on";
  says({set, "engines.model=rtl", other, "engines." + e.name + "=off"},
       e.key + " = \"" + e.start + "\" has no effect with engines." + e.name + " = off, expected engines." + e.name +
           " = on");
  std::vector<std::string> sets{"engines.model=rtl", e.key + "=" + START_APB};
  sets.insert(sets.end(), e.sets.begin(), e.sets.begin() + (e.sets.empty() ? 0 : 1));
  const Engine& l2p = engine("l2p");
  if (e.name == "l2p") sets.insert(sets.end(), l2p.sets.begin(), l2p.sets.end());
  says(sets, e.key + ": error: " START_APB ": a block for the slot apb_block, expected one for engine_" + e.name);
}

TEST_P(OwnRtlEngines, CheckSaysWhatIsThere) {
  const Engine& e = engine(GetParam());
  std::vector<std::string> arguments{"check", kDrive, "--set", e.key + "=" + e.start};
  for (const std::string& set : sets_of(e, {})) arguments.insert(arguments.end(), {"--set", set});
  const CommandResult result = wordline(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find(e.key + ": module my_" + e.name + " of "), std::string::npos) << result.output;
}

}  // namespace
}  // namespace wordline::testing::own_rtl_engines_test
