// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/bus_modes.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "models/checks/commands.h"
#include "models/checks/load.h"
#include "models/config/schema.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::bus_modes_test {
namespace {

using namespace wordline::literals;
using config::BusInterface;
using config::Channels;

class BusModes : public ::testing::Test {
 protected:
  void SetUp() override {
    enter_scratch();
    write_file("empty.toml", "");
  }
  static Channels load(const std::vector<std::string>& sets) {
    return config::load("empty.toml", sets).config.channels;
  }
};

TEST_F(BusModes, DefaultsAreThoseOfTheDefaultMode) {
  const Channels c = load({});
  EXPECT_EQ(c.mode, (config::BusMode{BusInterface::kNvDdr3, 10}));
  for (const auto& [name, text] : config::bus_mode_values(c.mode)) {
    const config::Key& key = config::schema()[static_cast<std::size_t>(config::find_key(name))];
    EXPECT_EQ(config::format_value(key, config::convert(key, config::bare_value(text)).value),
              config::format_value(key, config::default_value(key)))
        << name;
  }
}

TEST_F(BusModes, EveryModeIsAValidConfiguration) {
  std::set<std::string_view> names;
  for (const config::BusModeName& m : config::bus_modes()) {
    EXPECT_TRUE(names.insert(m.name).second);
    EXPECT_EQ(config::find_bus_mode(m.mode)->name, m.name);
    const Channels c = load({"channels.mode=" + std::string(m.name)});
    EXPECT_EQ(c.mode, m.mode) << m.name;
    EXPECT_GT(c.rate.count(), 0U);
    EXPECT_GT(c.t_rc, 0_ps);
    for (const auto& [name, text] : config::bus_mode_values(m.mode)) {
      const config::Key& key = config::schema()[static_cast<std::size_t>(config::find_key(name))];
      EXPECT_EQ(config::convert(key, config::bare_value(text)).problem, "") << m.name << " " << name;
    }
  }
  EXPECT_EQ(names.size(), 6U + 11U + 20U + 20U);
}

TEST_F(BusModes, TableOfOnfi) {
  // tRC by mode and the data rate it goes by (ONFI 5.0): 2000 / tRC within the rounding of the names.
  for (unsigned n = 0; n < 20; ++n) {
    const Channels c = load({"channels.mode=nv-ddr3-" + std::to_string(n)});
    EXPECT_NEAR(2e12 / static_cast<double>(c.t_rc.count()) / static_cast<double>(c.rate.count()), 1, 0.006) << n;
    EXPECT_EQ(c.t_rpst, c.t_dqsre + Picoseconds((c.t_rc.count() + 1) / 2)) << n;
    EXPECT_EQ(c.warmup_cycles, n > 10 ? 2U : 0U) << n;
  }
  EXPECT_EQ(load({"channels.mode=nv-ddr3-19"}).rate, TransfersPerSecond(2'400'000'000));
  EXPECT_EQ(load({"channels.mode=nv-lpddr4-15"}).rate, TransfersPerSecond(1'600'000'000));
  const Channels slow = load({"channels.mode=sdr-0"});
  EXPECT_EQ(slow.t_rc, 100_ns);
  EXPECT_EQ(slow.t_wb, 200_ns);
  EXPECT_EQ(slow.t_rhw, 200_ns);
  EXPECT_EQ(slow.t_whr, 120_ns);
  const Channels fast = load({"channels.mode=sdr-5"});
  EXPECT_EQ(fast.t_rc, 20_ns);
  EXPECT_EQ(fast.t_wc, 20_ns);
  EXPECT_EQ(fast.t_cs, 15_ns);
  EXPECT_EQ(fast.t_rr, 20_ns);
}

TEST_F(BusModes, AKeyThatIsSetKeepsItsValue) {
  const Channels c = load({"channels.t_wc=33ns", "channels.mode=sdr-4", "channels.t_rr=77ns"});
  EXPECT_EQ(c.t_wc, 33_ns);
  EXPECT_EQ(c.t_rr, 77_ns);
  EXPECT_EQ(c.t_rc, 25_ns);
  const Channels rate = load({"channels.rate=1600MT/s"});  // alone: nothing else moves
  EXPECT_EQ(rate.mode.number, 10U);
  EXPECT_EQ(rate.warmup_cycles, 0U);
}

TEST_F(BusModes, AModeChosenLaterTakesThePlaceOfARateBelow) {
  write_file("drive.toml", "[channels]\nrate = \"800MT/s\"\nt_rr = \"33ns\"\nt_feat = \"2us\"\n");
  const auto by_set = config::load("drive.toml", {"channels.mode=nv-ddr3-15"}).config.channels;
  EXPECT_EQ(by_set.rate, TransfersPerSecond(1'600'000'000));
  EXPECT_EQ(by_set.t_rr, 20_ns);
  EXPECT_EQ(by_set.t_feat, 2_us) << "no key of the mode";
  write_file("faster.toml", "extends = \"drive.toml\"\n[channels]\nmode = \"nv-ddr3-15\"\nt_rr = \"44ns\"\n");
  const auto by_file = config::load("faster.toml", {}).config.channels;
  EXPECT_EQ(by_file.rate, TransfersPerSecond(1'600'000'000));
  EXPECT_EQ(by_file.t_rr, 44_ns) << "beside the mode";
  // What a command line sets counts, in any order.
  const auto both = config::load("drive.toml", {"channels.rate=400MT/s", "channels.mode=nv-ddr3-15"}).config.channels;
  EXPECT_EQ(both.rate, TransfersPerSecond(400'000'000));
}

TEST_F(BusModes, PrintConfigSaysWhatFollows) {
  const std::string text = config::print_config("empty.toml", {"channels.mode=nv-ddr3-15", "channels.t_rr=30ns"});
  const auto line = [&](const std::string& key) {
    const auto at = text.find("\n" + key + " = ");
    return text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  };
  EXPECT_NE(line("rate").find("1.6GT/s"), std::string::npos) << line("rate");
  EXPECT_NE(line("rate").find("# channels.mode = nv-ddr3-15"), std::string::npos) << line("rate");
  EXPECT_NE(line("warmup_cycles").find("2"), std::string::npos);
  EXPECT_NE(line("t_rr").find("# --set"), std::string::npos);
  EXPECT_NE(line("t_feat").find("# default"), std::string::npos);
  // Read back, everything is set by the file and stays.
  write_file("printed.toml", text);
  const Channels again = config::load("printed.toml", {}).config.channels;
  EXPECT_EQ(again.rate, TransfersPerSecond(1'600'000'000));
  EXPECT_EQ(again.t_rr, 30_ns);
  EXPECT_EQ(again.mode.number, 15U);
}

TEST_F(BusModes, AModeThatDoesNotExist) {
  EXPECT_NE(problems("empty.toml", {"channels.mode=nv-ddr2-11"}).find("channels.mode is \"nv-ddr2-11\""),
            std::string::npos);
  EXPECT_THROW(static_cast<void>(config::bus_mode_values({BusInterface::kSdr, 6})), std::invalid_argument);
}

TEST_F(BusModes, SwitchingAtRunTimeKeepsWhatDoesNotFollow) {
  Channels c = load({"channels.t_feat=2us", "channels.t_wc=30ns"});
  const Channels sdr = config::switched_to(c, {BusInterface::kSdr, 0});
  EXPECT_EQ(sdr.mode, (config::BusMode{BusInterface::kSdr, 0}));
  EXPECT_EQ(sdr.t_wc, 100_ns);
  EXPECT_EQ(sdr.t_feat, 2_us);
  EXPECT_EQ(sdr.count, c.count);
  EXPECT_EQ(config::switched_to(c, c.mode).t_wc, 30_ns);
}

}  // namespace
}  // namespace wordline::testing::bus_modes_test
