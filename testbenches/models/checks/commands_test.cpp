// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/commands.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "models/checks/not_modelled.h"
#include "models/checks/other_names.h"
#include "models/config/schema.h"
#include "models/config/sha256.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::commands_test {
namespace {

class Commands : public ::testing::Test {
 protected:
  void SetUp() override {
    enter_scratch();
    write_file("drive.toml",
               "[channels]\ncount = 4\n[nand]\nprogram = \"page\"\n[nand.timing]\nmode = \"pinned\"\n"
               "t_r = [\"45us\", \"65us\", \"85us\"]\nt_prog = [\"1.1ms\"]\n[nand.energy]\nicc_read = \"25.5mA\"\n"
               "[cpu]\nnative_costs = 'a \"quoted\\ name\"'\n");
  }
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(Commands, PrintConfigSaysWhereEachValueIsFrom) {
  const std::string text = config::print_config("drive.toml", {"run.seed=9"});
  EXPECT_TRUE(contains(text, "\n[run]\nseed = 9                                    # --set\n")) << text;
  EXPECT_TRUE(contains(text, "\ncount = 4                                   # drive.toml:2\n"));
  EXPECT_TRUE(contains(text, "\npackages = 4                                # default\n"));
  EXPECT_TRUE(contains(text, "\nt_r = [\"45us\", \"65us\", \"85us\"]              # drive.toml:7\n"));
  EXPECT_TRUE(contains(
      text,
      "[nand.timing]\n# mode = pinned: micro-operations are scaled so that they sum to t_r, t_prog and t_bers.\n"));
  EXPECT_FALSE(contains(config::print_config("drive.toml", {"nand.timing.mode=derived"}), "scaled"));
}

TEST_F(Commands, PrintConfigIsAConfigurationOfTheSameDrive) {
  const std::vector<std::string> sets = {"nand.aging.retention_days=0.1", "dram.latency=1234567ps",
                                         "link.bandwidth=3.938461538GB/s"};
  write_file("printed.toml", config::print_config("drive.toml", sets));
  const auto first = config::load("drive.toml", sets);
  const auto again = config::load("printed.toml", {});
  ASSERT_EQ(first.settings.size(), again.settings.size());
  for (std::size_t i = 0; i < first.settings.size(); ++i) {
    EXPECT_EQ(first.settings[i].value, again.settings[i].value) << config::schema()[i].name;
  }
  EXPECT_EQ(again.config.cpu.native_costs, "a \"quoted\\ name\"");
  EXPECT_EQ(config::effective_toml(first), config::effective_toml(again));
  EXPECT_EQ(config::config_sha256(first), config::config_sha256(again));
}

TEST_F(Commands, PrintConfigsIsALineOfJsonForEachDrive) {
  std::istringstream lines(config::print_configs(
      "drive.toml", {{"channels.count=8"}, {"channels.count=8", "channels.count=0"}, {"ftl.over_provisioning=0.25"}}));
  std::vector<nlohmann::json> found;
  for (std::string line; std::getline(lines, line);) found.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0]["config"]["channels"]["count"], 8);
  EXPECT_EQ(found[0]["config"]["nand"]["timing"]["t_r"], nlohmann::json({"45us", "65us", "85us"}));
  EXPECT_EQ(found[0]["config"]["cpu"]["native_costs"], "a \"quoted\\ name\"");
  EXPECT_EQ(found[0]["config"]["nand"]["program"], "page");
  EXPECT_EQ(found[1].size(), 1U);
  EXPECT_EQ(found[1]["error"],
            "--set channels.count=0: error: channels.count is 0, expected a whole number from 1 to 64");
  EXPECT_EQ(found[2]["config"]["channels"]["count"], 4);
  EXPECT_EQ(found[2]["config"]["ftl"]["over_provisioning"], 0.25);
}

TEST_F(Commands, CheckSaysWhatAScaledDriveStandsFor) {
  const std::string text =
      config::check("drive.toml", {"nand.blocks_per_plane=200", "ftl.over_provisioning=0.28", "nand.scale_down=4"});
  EXPECT_TRUE(contains(text, "  scaled    by 4: 50 of 200 blocks of each plane; it stands for a drive that exports "))
      << text;
  EXPECT_FALSE(contains(config::check("drive.toml", {}), "\n  scaled "));
}

TEST_F(Commands, TheHashFollowsValuesNotOrigins) {
  write_file("other.toml", "extends = \"drive.toml\"\n[channels]\ncount = 4\n");
  const auto hash = [](const char* file, const std::vector<std::string>& sets) {
    return config::config_sha256(config::load(file, sets));
  };
  EXPECT_EQ(hash("drive.toml", {}), hash("other.toml", {"channels.packages=4"}));
  EXPECT_NE(hash("drive.toml", {}), hash("drive.toml", {"channels.packages=2"}));
  EXPECT_NE(hash("drive.toml", {}), hash("drive.toml", {"run.seed=2"}));
}

TEST_F(Commands, TheHashIsThatOfTheDriveWhateverIsRecorded) {
  const auto loaded = config::load("drive.toml", {});
  const std::string hash = config::config_sha256(loaded);
  for (const std::string key : {"observe.waves=true", "observe.waves_from=7us", "observe.waves_to=9us",
                                "observe.nand=op", "cpu.translate=false"}) {
    const auto other = config::load("drive.toml", {key});
    EXPECT_NE(config::effective_toml(other), config::effective_toml(loaded)) << key;
    EXPECT_EQ(config::config_sha256(other), hash) << key;
  }
}

/// Another value of the key, whether or not a drive with it would be accepted; empty: there is no other.
std::optional<config::Value> another(const config::Key& key, const config::Value& value) {
  if (key.kind == config::Kind::kEnum && key.choices.size() == 1) return {};
  struct Other {
    config::Scalar operator()(std::int64_t v) const { return v == 0 ? v + 1 : v - 1; }
    config::Scalar operator()(double v) const { return v + 1; }
    config::Scalar operator()(bool v) const { return !v; }
    config::Scalar operator()(const std::string& v) const { return v + "x"; }
  };
  if (const auto* scalar = std::get_if<config::Scalar>(&value)) return std::visit(Other{}, *scalar);
  auto list = std::get<std::vector<config::Scalar>>(value);
  if (list.empty()) {
    // Of quantities in millivolts and microamperes there is no such list.
    list.push_back(key.kind == config::Kind::kRegionAge ? config::Scalar(std::string("0-50%: 1d"))
                   : key.kind == config::Kind::kReal    ? config::Scalar(1.0)
                                                        : config::Scalar(std::int64_t{1}));
  } else {
    list.front() = std::visit(Other{}, list.front());
  }
  return config::Value(std::move(list));
}

// Over the whole table: a key is in the hash unless its row says that it only observes. A key that is new has to be
// put here as well to be left out.
TEST_F(Commands, TheHashIsOfTheKeysThatChangeResults) {
  const std::set<std::string_view> observing{
      "observe.waves",         "observe.waves_from", "observe.waves_to",       "observe.nand",
      "observe.channels",      "observe.trigger",    "observe.trigger_before", "observe.trigger_after",
      "observe.trigger_limit", "observe.dies",       "observe.timeline",       "observe.timeline_limit",
      "cpu.translate",         "ecc.rtl_threads"};
  const auto loaded = config::load("drive.toml", {});
  const std::string hash = config::config_sha256(loaded);
  std::set<std::string> hashes;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < config::schema().size(); ++i) {
    const config::Key& key = config::schema()[i];
    EXPECT_EQ(key.only_observes, observing.count(key.name) == 1) << key.name;
    const auto value = another(key, loaded.settings[i].value);
    if (!value) continue;
    config::Loaded other = loaded;
    other.settings[i].value = *value;
    EXPECT_EQ(config::config_sha256(other) == hash, key.only_observes) << key.name;
    if (key.only_observes) continue;
    hashes.insert(config::config_sha256(other));
    ++changed;
  }
  EXPECT_GT(changed, 200U);
  EXPECT_EQ(hashes.size(), changed) << "each its own";
}

TEST_F(Commands, CheckSaysWhatDriveItIs) {
  const std::string text = config::check("drive.toml", {});
  EXPECT_EQ(text.find("drive.toml: valid\n"), 0U) << text;
  EXPECT_TRUE(contains(text, "4 channels x 4 packages x 1 dies = 16 dies")) << text;
  EXPECT_TRUE(contains(text, "pinned: tR [45us, 65us, 85us], tPROG [1.1ms], tBERS 4ms; micro-operations are scaled"))
      << text;
  EXPECT_THROW((void)config::check("drive.toml", {"channels.count=0"}), config::ConfigError);
}

TEST_F(Commands, ExplainAKey) {
  EXPECT_EQ(config::explain("nvme.tags"),
            "nvme.tags\n"
            "  Commands in flight inside the controller; further ones stay in the submission queue.\n"
            "  value    a whole number from 1 to 2048 (commands)\n"
            "  default  1024\n"
            "  source   assumed\n");
}

TEST_F(Commands, ExplainATableOrAll) {
  const std::string ispp = config::explain("nand.ispp");
  EXPECT_TRUE(contains(ispp, "nand.ispp.step\n"));
  EXPECT_TRUE(contains(ispp, "nand.ispp.window\n"));
  EXPECT_FALSE(contains(ispp, "nand.timing"));
  EXPECT_TRUE(contains(config::explain("nand"), "nand.timing.t_r\n"));
  const std::string all = config::explain("");
  for (const auto key : config::key_names()) EXPECT_TRUE(contains(all, std::string(key) + "\n")) << key;
}

TEST_F(Commands, ExplainUnknown) {
  const auto complaint = [](const char* key) -> std::string {
    try {
      return config::explain(key);
    } catch (const config::ConfigError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(complaint("cpu.quantun"), "error: unknown key cpu.quantun; did you mean cpu.quantum?");
  EXPECT_EQ(complaint("observe.trigger_checkpoint"),
            "error: observe.trigger_checkpoint is gone: the windows of observe.trigger are recorded by a second run; "
            "leave it out");
  EXPECT_EQ(complaint("ftl.gc_start_lines"), "error: ftl.gc_start_lines is renamed: use ftl.gc_start_superblocks");
  EXPECT_EQ(complaint("nnad"), "error: unknown key nnad; did you mean nand?");
  EXPECT_EQ(
      complaint("temperature of the moon"),
      "error: unknown key temperature of the moon; all keys: wordline explain; what there is not: wordline explain "
      "not modelled");
}

TEST_F(Commands, ExplainSaysWhatIsNotModelled) {
  EXPECT_EQ(config::explain("ASPM"),
            "Power states: not modelled. The drive is in power state 0 for good. Energy is that of the flash\n"
            "alone, not of controller, DRAM and link.\n");
  const std::string both = config::explain("encryption");
  EXPECT_EQ(both.rfind("Encryption: not modelled.", 0), 0U) << both;
  EXPECT_TRUE(contains(both, "ecc.rtl.tap\n")) << "and the keys that speak of it";
  const std::string all = config::explain("not modelled");
  for (const config::NotModelled& row : config::not_modelled()) {
    EXPECT_TRUE(contains(all, std::string(row.feature).substr(0, 12))) << row.feature;
    for (const char* word : row.searched) {
      EXPECT_EQ(config::explain(word).rfind(std::string(row.feature).substr(0, 12), 0), 0U) << word;
    }
  }
}

/// What is said to be nearest exists.
TEST_F(Commands, WhatIsNearestToWhatIsNotModelledIsThere) {
  const std::regex key("[a-z]+\\.[a-z_.]+[a-z]");
  for (const config::NotModelled& row : config::not_modelled()) {
    const std::string text = row.instead;
    for (std::sregex_iterator found(text.begin(), text.end(), key), end; found != end; ++found) {
      EXPECT_NE(config::find_key(found->str()), -1) << row.feature << ": " << found->str();
    }
  }
}

/// What the field calls otherwise is found, by keys and pages that are there.
TEST_F(Commands, ExplainKnowsWhatOthersCallIt) {
  EXPECT_EQ(config::explain("RAID").rfind("Parity over dies: ftl.parity (docs/parity.md).\n", 0), 0U);
  const std::regex key("[a-z]+\\.[a-z_.]+[a-z]");
  const std::regex page("docs/[a-z_]+\\.md");
  const auto all = [](const std::string& text, const std::regex& what) {
    return std::vector<std::string>(std::sregex_token_iterator(text.begin(), text.end(), what), {});
  };
  for (const config::OtherName& name : config::other_names()) {
    for (const char* word : name.searched) {
      EXPECT_EQ(config::explain(word).rfind(std::string(name.here).substr(0, 12), 0), 0U) << word;
    }
    const std::string text = name.here;
    for (const std::string& found : all(text, page)) {
      EXPECT_TRUE(std::ifstream(std::string(WORDLINE_ROOT) + "/" + found).good()) << found;
    }
    for (const std::string& found : all(std::regex_replace(text, page, ""), key)) {
      EXPECT_NE(config::find_key(found), -1) << found;
    }
  }
}

/// Those first that have the word in their names.
TEST_F(Commands, ExplainBeginsWithTheKeysThatAreCalledSo) {
  const std::string text = config::explain("buffer");
  EXPECT_LT(text.find("\nftl.write_buffer\n"), text.find("\nftl.write_back\n"));
  EXPECT_TRUE(contains(text, "\nftl.write_back\n"));
}

/// The page that lists it says the same.
TEST_F(Commands, ReadmeHasWhatIsNotModelled) {
  std::ifstream file(std::string(WORDLINE_ROOT) + "/README.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(text.empty());
  std::string plain;
  for (const char c : text) plain += c == '`' ? std::string() : std::string(1, c);
  for (const config::NotModelled& row : config::not_modelled()) {
    const std::string line = fmt::format("| {} | {} |\n", row.feature, row.instead);
    EXPECT_TRUE(contains(plain, line)) << "README.md lacks: " << line;
  }
}

}  // namespace
}  // namespace wordline::testing::commands_test
