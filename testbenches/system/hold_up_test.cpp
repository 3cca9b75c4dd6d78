// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host's power fails, and the drive programs its buffer from what its capacitor holds.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "models/checks/hold_up.h"
#include "models/checks/load.h"
#include "models/nand/timing.h"
#include "testbenches/system/run_drive.h"

namespace wordline::testing::hold_up_test {
namespace {

using nlohmann::json;
using Sets = std::vector<std::string>;

constexpr const char* kDrive = "configs/ssds/small.toml";
const std::string kSource = std::string(WORDLINE_SOURCE "/") + kDrive;
constexpr const char* kWrites =
    "[global]\nnorandommap\nioengine=libaio\n[w]\nrw=randrw\nrwmixread=30\nbs=4k\niodepth=32\nnumber_ios=60000\n";
constexpr const char* kMany =
    "[global]\nnorandommap\nioengine=libaio\n[w]\nrw=randwrite\nbs=16k\niodepth=256\ntime_based=1\nruntime=10s\n";
constexpr const char* kParts =
    "[global]\nnorandommap\nioengine=libaio\n[w]\nrw=randwrite\nbs=2k\niodepth=32\nnumber_ios=60000\n";

json cut(const char* job, const Sets& sets, const std::string& at) {
  const RunResult run = run_drive({kDrive, job, sets, {"--cut-power", at}});
  json found = json::parse(std::ifstream(run.folder + "/power_cut.json"));
  found["energy_before"] = run.result["energy_pj"]["total"].get<double>() * 1e-12;
  return found;
}

// The buffer holds more than the drive has free, and what idle work may still collect is used up, before power fails or
// while the drive lives on its capacitors. The data of the host need the room all the same.
TEST(HoldUp, RoomForALargeBufferIsMadeThoughNoCommandComes) {
  struct Case {
    const char* writes;
    const char* at;
  };
  for (const Case& c :
       {Case{"time_based=1\nruntime=10s\n", "80ms"},
        {"time_based=1\nruntime=10s\n", "150ms"},
        {"number_ios=500\nio_size=100000%\n[late]\nrw=read\nbs=4k\nnumber_ios=1\nstartdelay=3s\n", "800ms"}}) {
    SCOPED_TRACE(c.at);
    const std::string job =
        std::string("[w]\nrw=randwrite\nbs=64k\nioengine=libaio\niodepth=32\nnorandommap\n") + c.writes;
    const json found = cut(job.c_str(),
                           {"cpu.model=native", "ftl.recovery=scan", "power.hold_up=10J", "precondition.fill=none",
                            "channels.count=2", "channels.packages=1", "channels.dies_per_package=3", "nand.planes=1",
                            "nand.cell=mlc", "nand.timing.senses_per_page=[]", "nand.layers=5", "nand.wls_per_layer=1",
                            "nand.blocks_per_plane=16", "ftl.over_provisioning=1.63", "ftl.gc_start_superblocks=5",
                            "ftl.write_buffer=16MiB", "ftl.idle_after=100us", "ftl.idle_free_superblocks=20"},
                           c.at);
    EXPECT_TRUE(found["hold_up"]["flushed"].get<bool>()) << found.dump();
    EXPECT_EQ(found["lpages"]["older"], 0) << found.dump();
    EXPECT_GT(found["hold_up"]["time"].get<double>(), 0.01) << "s: the buffer was full";
  }
}

struct Drive {
  const char* name;
  Sets sets;
};

class HoldUpDrives : public ::testing::TestWithParam<Drive> {};

TEST_P(HoldUpDrives, WhatHasCompletedIsOnFlashWheneverPowerFails) {
  Sets sets = GetParam().sets;
  sets.insert(sets.end(), {"power.hold_up=2J", "nand.blocks_per_plane=96", "ftl.over_provisioning=0.4"});
  if (sets.front().rfind("cpu.model", 0) != 0) sets.emplace_back("cpu.model=native");
  std::uint64_t longest = 0;
  for (const char* job : {kWrites, kParts}) {
    for (const char* at : {"0.3ms", "4.393ms", "11.3ms", "19.723ms"}) {
      const json found = cut(job, sets, at);
      EXPECT_TRUE(found["hold_up"]["flushed"].get<bool>()) << at << found.dump();
      EXPECT_EQ(found["lpages"]["older"], 0) << at << found.dump();
      EXPECT_EQ(found["lpages"]["missing"], 0) << at << found.dump();
      longest = std::max(longest, static_cast<std::uint64_t>(found["hold_up"]["time"].get<double>() * 1e9));
    }
  }
  EXPECT_GT(longest, 1'000'000U) << "ns: nothing was in the buffer";
}

INSTANTIATE_TEST_SUITE_P(Drives, HoldUpDrives,
                         ::testing::Values(Drive{"Native", {"precondition.fill=steady"}},
                                           Drive{"Iss", {"cpu.model=iss", "precondition.fill=steady"}},
                                           Drive{"FirmwareParses", {"engines.parse=off", "precondition.fill=steady"}},
                                           Drive{"AllEngines",
                                                 {"engines.l2p=on", "engines.buffer=on", "engines.job=on",
                                                  "engines.completion=on", "precondition.fill=sequential"}},
                                           Drive{"ThroughTheBuffer",
                                                 {"ftl.write_back=false", "precondition.fill=sequential"}},
                                           Drive{"Ppb", {"ftl.policy=ppb", "precondition.fill=sequential"}},
                                           Drive{"Sepbit", {"ftl.policy=sepbit", "precondition.fill=sequential"}},
                                           Drive{"ByPages", {"nand.program=page", "precondition.fill=steady"}},
                                           Drive{"Volatile", {"ftl.power_safe=false", "precondition.fill=steady"}}),
                         [](const auto& drive) { return std::string(drive.param.name); });

/// As `check` prints it.
config::HoldUpNeed need_of(const Sets& sets) {
  const config::Config config = config::load(kSource, sets).config;
  return config::hold_up_need(config, config::layout_of(config));
}

/// Of a drive that began empty, where GC holds more room than the write buffer needs.
TEST(HoldUp, TakesNoMoreThanIsSaidWhereThereIsRoom) {
  const Sets sets{"cpu.model=native",         "ftl.recovery=scan",         "power.hold_up=2J",
                  "nand.blocks_per_plane=24", "ftl.over_provisioning=0.8", "ftl.gc_start_superblocks=5"};
  const config::HoldUpNeed need = need_of(sets);
  double most = 0;
  for (int cuts = 0; cuts != 24; ++cuts) {
    const std::string at = std::to_string(3 + 27 * cuts) + "ms";
    const json held = cut(kMany, sets, at)["hold_up"];
    EXPECT_TRUE(held["flushed"].get<bool>());
    EXPECT_LE(held["energy"].get<double>(), need.joules()) << at;
    EXPECT_LE(held["time"].get<double>() * 1e12, static_cast<double>(need.time.count())) << at;
    most = std::max(most, held["energy"].get<double>());
  }
  EXPECT_GT(most, 0.5 * need.joules());  // as met at these instants
}

/// Energy a second way: the controller's is power by time; that of the flash what the programs and the bus take.
TEST(HoldUp, EnergyIsThatOfTheProgramsAndOfTheTime) {
  const Sets sets{"cpu.model=native",       "ftl.recovery=scan",           "power.hold_up=2J",
                  "power.controller=2W",    "nand.energy.icc_standby=0mA", "nand.energy.bus=0",
                  "ftl.write_buffer=192KiB"};
  const json held = cut("[w]\nioengine=libaio\nrw=write\nbs=4k\niodepth=1\nnumber_ios=20\n", sets, "1s")["hold_up"];
  const double ns = held["time"].get<double>() * 1e9;
  EXPECT_NEAR(held["energy"].get<double>() - held["flash_energy"].get<double>(), 2e-9 * ns, 1e-9);
  EXPECT_GT(ns, 100'000);
  // 20 logical pages are a part of one program unit.
  const config::Config config = config::load(kSource, sets).config;
  const config::Layout layout = config::layout_of(config);
  const nand::ArrayPlans plans(config.nand, layout);
  const double program = plans.program(0).energy().count() * 1e-12 * config.nand.geometry.planes;
  const double programs = held["flash_energy"].get<double>() / program;
  EXPECT_NEAR(programs, 1.0, 1e-3);
}

TEST(HoldUp, EndsWhenTheEnergyIsUsedUpAndTheRestIsLost) {
  const Sets sets{"cpu.model=native", "precondition.fill=steady"};
  const auto with = [&](const std::string& joules) {
    Sets all = sets;
    all.push_back("power.hold_up=" + joules);
    return cut(kWrites, all, "5ms");
  };
  const json whole = with("2J");
  ASSERT_TRUE(whole["hold_up"]["flushed"].get<bool>());
  const double used = whole["hold_up"]["energy"].get<double>();
  const auto older = [](const json& found) { return found["lpages"]["older"].get<std::uint64_t>(); };
  EXPECT_EQ(older(whole), 0U);
  const json half = with(std::to_string(500 * used) + "mJ");
  EXPECT_FALSE(half["hold_up"]["flushed"].get<bool>());
  EXPECT_NEAR(half["hold_up"]["energy"].get<double>(), used / 2, 1e-4 * used + 1e-5);
  EXPECT_GT(older(half), 0U);
  const json little = with("1uJ");
  EXPECT_GT(older(little), older(half));
  // To the last microsecond: with all that was used it ends well, with what one look takes less it does not.
  EXPECT_TRUE(with(std::to_string(1000 * used + 1e-6) + "mJ")["hold_up"]["flushed"].get<bool>());
  EXPECT_FALSE(with(std::to_string(1000 * used - 0.004) + "mJ")["hold_up"]["flushed"].get<bool>());
}

TEST(HoldUp, ADriveWithoutItIsTakenAtItsWord) {
  const json found = cut(kWrites, {"cpu.model=native", "precondition.fill=steady"}, "5ms");
  EXPECT_FALSE(found.contains("hold_up"));
  EXPECT_GT(found["lpages"]["older"], 10);
}

CommandResult crash_test(const std::string& joules) {
  const std::string job =
      scratch_file("job.fio", "[w]\nioengine=libaio\nrw=randwrite\nbs=4k\niodepth=16\nnumber_ios=3000\nnorandommap\n");
  return wordline({"crash-test", kDrive,
                   "-w",         job,
                   "--cuts",     "24",
                   "--life",     "8",
                   "--nested",   "2",
                   "--seed",     "3",
                   "--set",      "ftl.recovery=scan",
                   "--set",      "power.hold_up=" + joules,
                   "--set",      "cpu.model=native",
                   "--set",      "nand.blocks_per_plane=24",
                   "--set",      "ftl.over_provisioning=0.5"});
}

/// Every write that has completed is promised, though no FLUSH came.
TEST(HoldUp, CrashTestKeepsAllThatHasCompletedOrSaysThatTheEnergyIsShort) {
  const CommandResult enough = crash_test("300mJ");
  EXPECT_EQ(enough.exit_code, 0) << enough.output;
  EXPECT_NE(enough.output.find("every promise was kept"), std::string::npos);
  const CommandResult little = crash_test("1mJ");
  EXPECT_EQ(little.exit_code, 1) << little.output;
  EXPECT_NE(little.output.find("a promise is broken"), std::string::npos) << little.output;
}

TEST(HoldUp, CheckSaysWhetherItCoversTheBufferAndWhatCapacitorDoes) {
  const auto check = [](const std::string& set) { return wordline({"check", kDrive, "--set", set}).output; };
  EXPECT_NE(check("power.hold_up=1mJ").find("power.hold_up = 1 mJ does not cover it"), std::string::npos);
  EXPECT_NE(check("power.hold_up=1J").find("power.hold_up = 1e+03 mJ covers it"), std::string::npos);
  EXPECT_NE(check("cpu.model=native").find("power.hold_up = 0J: taken at its word"), std::string::npos);
  EXPECT_NE(check("cpu.model=native").find("; more where GC has to make room first"), std::string::npos);
  const std::string mounts =
      wordline({"check", kDrive, "--set", "ftl.recovery=scan", "--set", "power.hold_up=1J"}).output;
  EXPECT_NE(mounts.find("covers it; more where GC has to make room first"), std::string::npos) << mounts;
  config::Power power{};
  power.capacitor_charged = 5;
  power.capacitor_empty = 3;
  EXPECT_DOUBLE_EQ(config::capacitor_for(power, 8e-3), 1e-3);  // C = 2 E / (25 - 9)
}

TEST(HoldUp, IsRefusedWhereItHasNoEffect) {
  const auto refused = [](const Sets& sets) {
    std::vector<std::string> arguments{"check", kDrive};
    for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
    const CommandResult r = wordline(arguments);
    EXPECT_NE(r.exit_code, 0) << r.output;
    return r.output;
  };
  EXPECT_NE(refused({"power.controller=1W"}).find("power.controller has no effect with power.hold_up = 0J"),
            std::string::npos);
  EXPECT_NE(refused({"power.hold_up=1J", "host.model=direct"}).find("needs host.model = nvme"), std::string::npos);
  EXPECT_NE(refused({"power.hold_up=1J", "power.capacitor_empty=12V"}).find("expected less"), std::string::npos);
  EXPECT_NE(refused({"power.hold_up=1"}).find("an energy: uJ, mJ, J"), std::string::npos);
}

}  // namespace
}  // namespace wordline::testing::hold_up_test
