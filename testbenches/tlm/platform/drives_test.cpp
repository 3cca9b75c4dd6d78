// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Drives as a program of others has them: what a drive can say by itself, and several at once.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "models/results/report.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/platform/drive_module.h"
#include "tlm/platform/laws.h"
#include "tlm/platform/run_report.h"

namespace wordline::platform::drives_test {
namespace {

using Sets = std::vector<std::string>;

constexpr const char* kReads = "[job]\nrw=randread\nbs=4k\niodepth=8\nnumber_ios=3000\n";
constexpr const char* kMix = "[job]\nrw=randrw\nrwmixread=60\nbs=16k\niodepth=4\nnumber_ios=2000\n";
constexpr const char* kWrites = "[job]\nrw=randrw\nrwmixread=40\nbs=16k\niodepth=4\nnorandommap\nio_size=400%\n";

std::unique_ptr<DriveModule> make(const std::string& name, const char* job, const Sets& sets) {
  // The same name for equal jobs: results say it.
  const std::string path =
      (std::filesystem::temp_directory_path() / (job == kReads ? "drives_reads.fio" : "drives_mix.fio")).string();
  std::ofstream(path) << job;
  DriveOptions options{WORDLINE_SMALL_DRIVE, sets, {}};
  options.sets.insert(options.sets.begin(), {"cpu.model=native", "precondition.fill=sequential"});
  auto drive = std::make_unique<DriveModule>(
      name.c_str(), options, [&](const workload::LoadOptions& load) { return workload::load_workload(path, load); });
  std::filesystem::remove(path);
  return drive;
}

// The drive's own statistics beside those of its host.
TEST(DrivesTest, ADriveSaysWhatItDidForItsHost) {
  const auto module = make("one", kMix, {});
  EXPECT_EQ(module->run().reason, "");
  const auto of_host = [&](const char* path) { return module->statistics().get<std::uint64_t>(path); };
  DriveMeasurement measurement(module->drive());
  results::Registry registry;
  register_statistics(registry, module->drive(), measurement, {});
  const auto of_drive = [&](const char* path) { return registry.get<std::uint64_t>(path); };
  EXPECT_EQ(of_drive("drive.commands"), 2000U);
  EXPECT_EQ(of_drive("drive.errors"), 0U);
  EXPECT_EQ(of_drive("drive.bytes_read"), of_host("ios.read.count") * 16384);
  EXPECT_EQ(of_drive("drive.bytes_written"), of_host("ios.write.count") * 16384);
  EXPECT_EQ(registry.get<double>("flash.waf"), module->statistics().get<double>("flash.waf"));
  EXPECT_EQ(of_drive("flash.sectors_programmed"), of_host("flash.sectors_programmed"));
}

TEST(LawsTest, AViolationIsSaidWithItsNumbers) {
  const results::Law law{"what a part has counted", 10, "what another one has", 10, 12, "blocks"};
  EXPECT_EQ(results::violation_of(law), "");
  results::Law low = law, high = law;
  low.counted = 9;
  high.counted = 13;
  EXPECT_EQ(
      results::violation_of(low),
      "the model contradicts itself: what a part has counted is 9 blocks, expected 10 to 12: what another one has");
  EXPECT_NE(results::violation_of(high), "");
  high.least = high.most = 12;
  EXPECT_NE(results::violation_of(high).find("is 13 blocks, expected 12:"), std::string::npos);
}

// They hold in every run, which fails otherwise; here, that they leave little room.
void expect_tight_laws(const Sets& more) {
  // GC, suspends.
  Sets sets{"channels.suspend=both", "ftl.over_provisioning=1", "nand.layers=2", "nand.wls_per_layer=1",
            "nand.blocks_per_plane=48"};
  sets.insert(sets.end(), more.begin(), more.end());
  const auto module = make("tight", kWrites, sets);
  EXPECT_EQ(module->run().reason, "");
  const std::vector<results::Law> laws = laws_of(module->drive(), module->host(), module->configuration());
  ASSERT_EQ(laws.size(), 16U + module->drive().cores.size() + module->drive().flash.channels());
  for (const results::Law& law : laws) {
    EXPECT_EQ(results::violation_of(law), "");
    EXPECT_GT(law.least, 0U) << law.what;
    const auto counted = static_cast<double>(law.counted);
    if (law.most == UINT64_MAX) {  // fresh cells: no codeword takes longer
      EXPECT_LT(counted - static_cast<double>(law.least), 1e-3 * counted) << law.what;
      continue;
    }
    const bool on_its_way = law.unit == "blocks of 512 bytes" || law.unit == "logical pages" || law.unit == "bytes";
    EXPECT_LT(static_cast<double>(law.most - law.least), (on_its_way ? 0.1 : 1e-3) * counted) << law.what;
  }
}
TEST(LawsTest, HoldTightlyNatively) { expect_tight_laws({"cpu.model=native"}); }
TEST(LawsTest, HoldTightlyOnModelledCores) { expect_tight_laws({"cpu.model=iss"}); }
// Closing records are more than the room.
TEST(LawsTest, HoldTightlyWithWhatRecoveryKeeps) { expect_tight_laws({"ftl.recovery=scan", "ftl.power_safe=false"}); }

/// Each on its thread, and the same once more; `sets` of the first and third, and of the second and fourth.
void run_four(const Sets& first, const Sets& second, unsigned threads) {
  std::vector<std::unique_ptr<DriveModule>> modules;
  std::vector<DriveModule*> all;
  for (int i = 0; i < 4; ++i) {
    const bool even = i % 2 == 0;
    modules.push_back(make("drive" + std::to_string(i), even ? kReads : kMix, even ? first : second));
    all.push_back(modules.back().get());
  }
  for (const Ending& ending : DriveModule::run_together(all, threads)) EXPECT_EQ(ending.reason, "");
  std::vector<std::string> texts;
  for (const auto& module : modules) texts.push_back(results::to_json(module->statistics()));
  EXPECT_EQ(texts[0], texts[2]);
  EXPECT_EQ(texts[1], texts[3]);
  EXPECT_NE(modules[0]->statistics().get<Picoseconds>("simulated_ps"),
            modules[1]->statistics().get<Picoseconds>("simulated_ps"));
}

TEST(DrivesTest, DrivesOnThreadsDoNotMeet) {
  run_four({"nand.aging.retention_days=90", "nand.aging.pe_cycles=2000"},
           {"channels.count=2", "ftl.policy=ppb", "ftl.over_provisioning=0.3"}, 4);
}

TEST(DrivesTest, AThreadMayHaveSeveral) { run_four({"engines.l2p=on"}, {"channels.count=4"}, 2); }

}  // namespace
}  // namespace wordline::platform::drives_test
