// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/registry.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "models/results/glossary.h"
#include "models/results/report.h"

namespace wordline::results::registry_test {
namespace {

Statistic::Read count(std::uint64_t n) {
  return [n] { return n; };
}

std::vector<std::string> paths(const Registry& registry) {
  std::vector<std::string> out;
  for (const Statistic* statistic : registry.in_order()) out.push_back(statistic->path());
  return out;
}

/// The message with which `refused` throws std::logic_error.
template <class Action>
std::string message(const Action& refused) {
  try {
    refused();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(RegistryTest, ReadsTheOwnersNumberWhenItIsAsked) {
  std::uint64_t erases = 3;
  Registry registry;
  registry.add("flash.erases", "operations", "Erases.", [&] { return erases; });
  EXPECT_EQ(registry.get<std::uint64_t>("flash.erases"), 3U);
  erases = 4;
  EXPECT_EQ(registry.get<std::uint64_t>("flash.erases"), 4U);
  EXPECT_NE(message([&] { (void)registry.get<double>("flash.erases"); }).find("another type"), std::string::npos);
  EXPECT_NE(message([&] { (void)registry.read("flash.erase"); }).find("no statistic is called flash.erase"),
            std::string::npos);
}

TEST(RegistryTest, SumsOverItsOwners) {
  Registry registry;
  for (std::uint64_t n : {1, 10, 100}) registry.add_to_sum("flash.erases", "operations", "Erases.", count(n));
  for (double pj : {0.5, 0.25}) {
    registry.add_to_sum("energy_pj.nand_array", "pJ", "Energy.", [pj] { return Picojoules(pj); });
  }
  EXPECT_EQ(registry.get<std::uint64_t>("flash.erases"), 111U);
  EXPECT_EQ(registry.get<Picojoules>("energy_pj.nand_array").count(), 0.75);
  EXPECT_EQ(registry.in_order().size(), 2U);
}

TEST(RegistryTest, ShareDoesNotAddUp) {
  Registry registry;
  for (int i = 0; i < 2; ++i) registry.add_to_sum("utilisation.dram", "share", "DRAM.", [] { return 0.5; });
  EXPECT_NE(message([&] { (void)registry.read("utilisation.dram"); }).find("only counts and energies"),
            std::string::npos);
}

TEST(RegistryTest, OrderIsThatOfTheSectionsThenOfRegistration) {
  Registry registry;
  registry.add("check.mismatches", "blocks", "Wrong.", count(0));
  registry.add("flash.b", "operations", "B.", count(0)).after("flash.c");  // chains resolve in any order
  registry.add("flash.a", "operations", "A.", count(0));
  registry.add("flash.c", "operations", "C.", count(0)).after("flash.a");
  registry.add("flash.d", "operations", "D.", count(0));
  registry.add("simulated_ps", "ps", "Time.", [] { return Picoseconds(1); });
  EXPECT_EQ(paths(registry),
            (std::vector<std::string>{"simulated_ps", "flash.a", "flash.c", "flash.b", "flash.d", "check.mismatches"}));
  registry.add("flash.e", "operations", "E.", count(0)).after("flash.x");
  EXPECT_NE(message([&] { (void)registry.in_order(); }).find("flash.e: follows flash.x"), std::string::npos);
}

TEST(RegistryTest, RefusesWhatAReaderCouldNotUnderstand) {
  Registry registry;
  registry.add("flash.erases", "operations", "Erases.", count(1));
  const auto refused = [&](const char* path, const char* unit, const char* text) {
    return message([&] { registry.add(path, unit, text, count(1)); });
  };
  EXPECT_EQ(refused("flash.erases", "operations", "Erases."), "statistic flash.erases: is registered twice");
  EXPECT_EQ(refused("flash.reads", "", "Reads."), "statistic flash.reads: has no unit");
  EXPECT_EQ(refused("flash.reads", "operations", ""), "statistic flash.reads: its text is not a sentence");
  EXPECT_EQ(refused("flash.reads", "operations", "reads"), "statistic flash.reads: its text is not a sentence");
  EXPECT_NE(refused("flsh.reads", "operations", "Reads.").find("its section is not in"), std::string::npos);
  EXPECT_NE(message([&] { registry.add_to_sum("flash.erases", "operations", "Erases.", count(1)); }).find("twice"),
            std::string::npos);
  registry.add_to_sum("flash.reads", "operations", "Reads.", count(1));
  EXPECT_NE(message([&] { registry.add_to_sum("flash.reads", "pages", "Reads.", count(1)); }).find("two ways"),
            std::string::npos);
}

TEST(RegistryTest, StatisticsThatAreAlikeShareOneExplanation) {
  Registry registry;
  registry.add({"engines.NAME.busy", {"gc"}}, "share", "Busy.", [] { return 0.5; });
  registry.add({"engines.NAME.busy", {"job"}}, "share", "Busy.", [] { return 0.25; });
  EXPECT_EQ(registry.get<double>("engines.job.busy"), 0.25);
  EXPECT_NE(message([&] {
              registry.add({"engines.NAME.busy", {"l2p"}}, "share", "Otherwise.", [] { return 0.0; });
            }).find("engines.l2p.busy: is explained in two ways"),
            std::string::npos);
  EXPECT_THROW(Name("engines.NAME.busy", {}), std::logic_error);
  EXPECT_THROW(Name("engines.NAME.busy", {"a", "b"}), std::logic_error);
  EXPECT_EQ(Name("stages.OP.total_ps.STAGE", {"read", "dma"}).path, "stages.read.total_ps.dma");
}

TEST(RegistryTest, JsonWritesEveryKindOfValue) {
  Registry registry;
  registry.add("wordline.workload", "name", "Text.", [] { return std::string("t"); });
  registry.add("flash.ratio", "ratio", "Six decimals.", [] { return 1.0 / 3; });
  registry.add("flash.none", "ratio", "None.", []() -> Value { return {}; });
  registry.add("flash.zero", "operations", "Left out.", count(0)).only_if_nonzero();
  registry.add("flash.one", "operations", "Not left out.", count(1)).only_if_nonzero();
  registry.add("utilisation.dies", "shares", "List.", [] { return std::vector<double>{0.5, 1e-9}; });
  registry.add("stages.rows[].name", "name", "Column.", [] { return std::vector<std::string>{"a", "b"}; });
  registry.add("stages.rows[].time", "ps", "Column.", [] {
    return std::vector<Picoseconds>{Picoseconds(1), Picoseconds(2)};
  });
  registry.add("energy_pj.nand_bus", "pJ", "Whole.", [] { return Picojoules(1.5); });
  EXPECT_EQ(to_json(registry), R"({
  "wordline": {
    "workload": "t"
  },
  "flash": {
    "ratio": 0.333333,
    "none": null,
    "one": 1
  },
  "utilisation": {
    "dies": [
      0.5,
      0.0
    ]
  },
  "stages": {
    "rows": [
      {
        "name": "a",
        "time": 1
      },
      {
        "name": "b",
        "time": 2
      }
    ]
  },
  "energy_pj": {
    "nand_bus": 2
  }
}
)");
}

TEST(GlossaryTest, HasARowForEachExplanation) {
  Registry registry;
  registry.add({"engines.NAME.busy", {"gc"}}, "share", "Busy.", [] { return 0.5; });
  registry.add({"engines.NAME.busy", {"job"}}, "share", "Busy.", [] { return 0.25; });
  registry.add("flash.waf", "ratio", "Write amplification.", []() -> Value { return {}; }).null_when("nothing written");
  const std::string page = glossary_markdown(registry);
  EXPECT_NE(page.find("\n## flash\n\n"), std::string::npos) << page;
  const std::string waf =
      "\n| `flash.waf` | ratio | Write amplification. null: nothing written. | "
      "`WriteAmplification.OfBlocksIsWhatTheDiesProgram` |\n";
  EXPECT_NE(page.find(waf), std::string::npos) << page;
  const std::string row = "\n| `engines.NAME.busy` | share | Busy. | `Pipeline.LatencyAndInterval` |\n";
  ASSERT_NE(page.find(row), std::string::npos) << page;
  EXPECT_EQ(page.find(row), page.rfind(row));
  EXPECT_EQ(page.find("## check"), std::string::npos);  // a section without statistics
}

TEST(GlossaryTest, ExplainsAKeyASectionOrEverything) {
  Registry registry;
  registry.add({"engines.NAME.busy", {"gc"}}, "share", "Busy.", [] { return 0.5; });
  registry.add({"engines.NAME.busy", {"job"}}, "share", "Busy.", [] { return 0.25; });
  registry.add("flash.erases", "operations", "Erases.", count(0));
  registry.add("flash.reads", "operations", "Reads.", count(0));
  EXPECT_EQ(glossary_text(registry, "flash.reads"), "flash.reads (operations)\n    Reads.\n");
  EXPECT_EQ(glossary_text(registry, "engines.job.busy"), "engines.NAME.busy (share)\n    Busy.\n");
  EXPECT_EQ(glossary_text(registry, "engines.NAME.busy"), "engines.NAME.busy (share)\n    Busy.\n");
  EXPECT_EQ(glossary_text(registry, "flash.read"), "");
  const std::string section = glossary_text(registry, "flash");
  EXPECT_NE(section.find("flash.erases"), std::string::npos);
  EXPECT_NE(section.find("flash.reads"), std::string::npos);
  EXPECT_EQ(section.find("engines"), std::string::npos);
  EXPECT_NE(glossary_text(registry, "").find("engines.NAME.busy"), std::string::npos);
}

}  // namespace
}  // namespace wordline::results::registry_test
