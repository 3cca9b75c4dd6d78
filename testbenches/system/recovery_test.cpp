// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Power fails, and the firmware of another process mounts what is left.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "testbenches/system/recovering_drive.h"
#include "testbenches/system/run_drive.h"

namespace wordline::testing::recovery_test {
namespace {

using Sets = std::vector<std::string>;

constexpr const char* kDrive = kRecoveringDrive;
/// Writes, deallocations and FLUSH together.
constexpr const char* kJob =
    "[global]\nioengine=libaio\nnorandommap\n[w]\nrw=randrw\nrwmixread=20\nbs=4k\niodepth=16\nfsync=64\nnumber_ios="
    "4000\n"
    "[t]\nrw=randtrim\nbs=16k\niodepth=2\nnumber_ios=300\n";

nlohmann::json cut(const Sets& sets, const std::string& at, const std::string& image) {
  const RunResult run = run_drive({kDrive, kJob, sets, {"--cut-power", at, "--image", image}});
  return nlohmann::json::parse(std::ifstream(run.folder + "/power_cut.json"));
}

void expect_nothing_broken(const nlohmann::json& cut) {
  const nlohmann::json& broken = cut.at("broken_promises");
  EXPECT_EQ(broken["lost"], 0) << cut.dump();
  EXPECT_EQ(broken["stale"], 0) << cut.dump();
  EXPECT_EQ(broken["corrupt"], 0) << cut.dump();
}

const Sets kByPage{"nand.program=page"};

void mounts_what_is_left(const std::string& model, const Sets& more = {}) {
  const auto recovering = [&](Sets sets, const std::string& cores) {
    sets.insert(sets.end(), more.begin(), more.end());
    return testing::recovering(sets, cores);
  };
  const std::string image = scratch_folder() + "/cut.flash";
  const nlohmann::json first = cut(recovering({"precondition.fill=sequential"}, model), "9ms", image);
  expect_nothing_broken(first);
  EXPECT_GT(first["torn_lpages"], 0);
  EXPECT_FALSE(first.contains("mounted_at")) << "nothing was mounted";
  const RunResult after =
      run_drive({kDrive, kJob, recovering({"precondition.flash=" + image}, model), {"--verify-all"}});
  EXPECT_EQ(after.result["status"], "completed");
  EXPECT_EQ(after.result["check"]["mismatches"], 0);
  const nlohmann::json& recovery = after.result["recovery"];
  EXPECT_GT(recovery["mount_reads"], 1000);
  EXPECT_EQ(recovery["mount_records"], first["records"]);
  EXPECT_GT(recovery["mount_torn_pages"], 0);
  EXPECT_GT(recovery["mount_time"], 10'000'000'000) << "ps";
  EXPECT_GT(recovery["tombstones"], 100);
}

TEST(Recovery, TheFirmwareMountsWhatACutHasLeft) { mounts_what_is_left("native"); }
TEST(Recovery, OnModelledCoresAsWell) { mounts_what_is_left("iss"); }
TEST(Recovery, WhereProgramsShareAWordLine) { mounts_what_is_left("native", kByPage); }
TEST(Recovery, WhereProgramsShareAWordLineOnModelledCores) { mounts_what_is_left("iss", kByPage); }

/// Deallocations of 16 KiB are of whole map units, or of a part of one.
TEST(Recovery, WithMapUnits) {
  for (const char* unit : {"ftl.map_unit=16KiB", "ftl.map_unit=32KiB"})
    for (const char* access : {"ftl.map_access=flat", "ftl.map_access=port"}) {
      SCOPED_TRACE(std::string(unit) + " " + access);
      mounts_what_is_left("native", {"ftl.map=page", unit, access});
    }
}
TEST(Recovery, WithMapUnitsOnModelledCores) {
  for (const char* access : {"ftl.map_access=flat", "ftl.map_access=port"}) {
    SCOPED_TRACE(access);
    mounts_what_is_left("iss", {"ftl.map=page", "ftl.map_unit=32KiB", access});
  }
}

TEST(Recovery, AMountThatIsCutBeginsAgain) {
  const std::string folder = scratch_folder();
  std::string image = folder + "/0.flash";
  const nlohmann::json first = cut(recovering({"precondition.fill=sequential"}), "9ms", image);
  for (const char* at : {"1ms", "20ms", "40ms"}) {
    const std::string next = folder + "/" + at + ".flash";
    const nlohmann::json again = cut(recovering({"precondition.flash=" + image}), at, next);
    EXPECT_FALSE(again.contains("mounted_at")) << at;
    EXPECT_EQ(again["lpages"]["older"], 0) << "what was found is what the next mount finds";
    expect_nothing_broken(again);
    image = next;
  }
  const RunResult after = run_drive({kDrive, kJob, recovering({"precondition.flash=" + image}), {"--verify-all"}});
  EXPECT_EQ(after.result["check"]["mismatches"], 0);
  EXPECT_EQ(after.result["recovery"]["mount_records"], first["records"]);
}

TEST(Recovery, SameImageSameRun) {
  const std::string image = scratch_folder() + "/cut.flash";
  (void)cut(recovering({}), "4ms", image);
  const testing::Run run{kDrive, kJob, recovering({"precondition.flash=" + image}), {}};
  EXPECT_EQ(run_drive(run).result_text, run_drive(run).result_text);
}

std::vector<std::string> crash_test(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"crash-test", kDrive, "-w", scratch_file("job.fio", kJob)};
  for (const std::string& set : recovering({})) arguments.insert(arguments.end(), {"--set", set});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Recovery, CrashTestCutsMountsToo) {
  const CommandResult r = wordline(crash_test({"--cuts", "16", "--life", "8", "--nested", "3", "--seed", "5"}));
  EXPECT_EQ(r.exit_code, 0) << r.output;
  EXPECT_EQ(r.output.rfind("16 cuts of 2 drives, ", 0), 0U) << r.output;
  EXPECT_EQ(r.output.find(", 0 of them in a mount"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("every promise was kept"), std::string::npos) << r.output;
}

TEST(Recovery, CrashTestOfProgramsThatShareAWordLine) {
  std::vector<std::string> more{"--cuts", "24", "--life", "8", "--nested", "3", "--seed", "9"};
  for (const std::string& set : kByPage) more.insert(more.end(), {"--set", set});
  const CommandResult r = wordline(crash_test(more));
  EXPECT_EQ(r.exit_code, 0) << r.output;
  EXPECT_NE(r.output.find("every promise was kept"), std::string::npos) << r.output;
}

/// What they remember of accesses is gone with power, and learnt again.
TEST(Recovery, CrashTestOfPoliciesThatKeepDataApart) {
  for (const char* policy : {"page_hot_cold", "sepbit", "ppb", "agcr"}) {
    const CommandResult r = wordline(crash_test({"--cuts", "12", "--life", "6", "--nested", "2", "--clean", "30",
                                                 "--seed", "11", "--set", std::string("ftl.policy=") + policy, "--set",
                                                 "nand.blocks_per_plane=64", "--set", "ftl.over_provisioning=0.8"}));
    EXPECT_EQ(r.exit_code, 0) << r.output;
    EXPECT_NE(r.output.find("every promise was kept"), std::string::npos) << policy << r.output;
  }
}

/// A mount finds how far each v-layer is, and an image has blank pages between others.
TEST(Recovery, CrashTestOfPoliciesThatChooseWordLines) {
  for (const char* policy : {"cube", "cube+agcr", "ppb+cube"})
    for (const char* cpu : {"native", "iss"}) {
      const CommandResult r = wordline(crash_test({"--cuts",   "10",
                                                   "--life",   "5",
                                                   "--nested", "2",
                                                   "--clean",  "30",
                                                   "--seed",   "12",
                                                   "--set",    std::string("ftl.policy=") + policy,
                                                   "--set",    "nand.program_order=mixed",
                                                   "--set",    "nand.blocks_per_plane=48",
                                                   "--set",    "ftl.over_provisioning=0.9",
                                                   "--set",    std::string("cpu.model=") + cpu}));
      EXPECT_EQ(r.exit_code, 0) << r.output;
      EXPECT_NE(r.output.find("every promise was kept"), std::string::npos) << policy << cpu << r.output;
    }
}

/// Small writes go to small pages, and merges bring what lies in both sizes together, while the host writes and
/// deallocates parts of the same pages.
TEST(Recovery, CrashTestOfTwoPageSizes) {
  const std::string job = scratch_file("two_sizes.fio",
                                       "[global]\nioengine=libaio\nnorandommap\n"
                                       "[write]\nrw=randrw\nrwmixread=20\nbssplit=4k/50:8k/20:16k/20:40k/10\n"
                                       "iodepth=16\nfsync=64\nnumber_ios=3000\n"
                                       "[hot]\nrw=randwrite\nbssplit=4k/60:16k/40\nsize=512k\nio_size=10000%\n"
                                       "iodepth=8\nnumber_ios=2000\n"
                                       "[trim]\nrw=randtrim\nbssplit=4k/30:16k/40:64k/30\niodepth=2\n"
                                       "number_ios=400\n");
  for (const char* cpu : {"native", "iss"}) {
    std::vector<std::string> arguments{"crash-test", kDrive, "-w", job, "--cuts", "24", "--life", "12"};
    arguments.insert(arguments.end(), {"--nested", "3", "--clean", "25", "--seed", "7"});
    for (const char* set :
         {"ftl.recovery=scan", "ftl.power_safe=false", "ftl.policy=mpnfm", "ftl.map=page", "ftl.gc_pacing=false",
          "ftl.gc_start_superblocks=2", "ftl.over_provisioning=0.6", "nand.program=wordline",
          "nand.blocks_per_plane=16", "nand.region.page=4KiB", "nand.region.blocks_per_plane=6"})
      arguments.insert(arguments.end(), {"--set", set});
    arguments.insert(arguments.end(), {"--set", std::string("cpu.model=") + cpu});
    const CommandResult r = wordline(arguments);
    EXPECT_EQ(r.exit_code, 0) << r.output;
    EXPECT_NE(r.output.find("every promise was kept"), std::string::npos) << cpu << r.output;
    EXPECT_EQ(r.output.find(" 0 mounts from a checkpoint"), std::string::npos) << cpu << r.output;
  }
}

constexpr const char* kShortJob =
    "[global]\nioengine=libaio\nnorandommap\n[w]\nrw=randwrite\nbs=4k\niodepth=8\nfsync=16\nnumber_ios=48\n";

std::vector<std::string> chosen_cuts(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"crash-test", kDrive, "-w", scratch_file("short.fio", kShortJob)};
  Sets sets = recovering({});
  sets.insert(sets.end(), kByPage.begin(), kByPage.end());
  for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(Recovery, EveryBeginAndEndOfAProgramIsCutAndThoseOfTheMountsBehind) {
  const CommandResult r = wordline(chosen_cuts({"--every", "--nested", "1"}));
  EXPECT_EQ(r.exit_code, 0) << r.output;
  std::istringstream in(r.output);
  unsigned cuts = 0, nested = 0;
  std::string word;
  in >> cuts;
  while (in >> word && word != "drive,") {
  }
  in >> nested;
  EXPECT_GT(cuts, 12U) << r.output;
  EXPECT_GT(nested, cuts) << r.output;
  EXPECT_NE(r.output.find("every promise was kept"), std::string::npos) << r.output;
}

TEST(Recovery, AChosenCutIsRepeatedByItsLine) {
  const CommandResult r = wordline(chosen_cuts({"--every", "--nested", "0", "-j", "1", "--set",
                                                "nand.faults.unreadable_pages=0.2", "--set", "host.on_error=count"}));
  EXPECT_EQ(r.exit_code, 1) << r.output;
  const std::size_t at = r.output.find(" --at ");
  ASSERT_NE(at, std::string::npos) << r.output;
  const std::string instant = r.output.substr(at + 6, r.output.find(' ', at + 6) - at - 6);
  const CommandResult again = wordline(chosen_cuts(
      {"--at", instant, "-j", "1", "--set", "nand.faults.unreadable_pages=0.2", "--set", "host.on_error=count"}));
  EXPECT_EQ(again.exit_code, 1) << again.output;
  EXPECT_NE(again.output.find(" --at " + instant), std::string::npos) << again.output;
  EXPECT_EQ(wordline(chosen_cuts({"--at", instant})).exit_code, 0) << "without the faults";
}

/// Pages that cannot be read lose data without any fault of the protocol.
TEST(Recovery, CrashTestSaysWhatIsLostAndHowToRepeatIt) {
  const CommandResult r = wordline(crash_test({"--cuts", "8", "--seed", "1", "-j", "1", "--set",
                                               "nand.faults.unreadable_pages=0.05", "--set", "host.on_error=count"}));
  EXPECT_EQ(r.exit_code, 1) << r.output;
  // Whichever page the cut hits first: one that was promised, or one of which the mount has not found the newest copy.
  const bool promised = r.output.find("a promise is broken: LBA ") != std::string::npos;
  EXPECT_TRUE(promised || r.output.find("the mount is wrong: logical page ") != std::string::npos) << r.output;
  EXPECT_NE(r.output.find("again: wordline crash-test " + std::string(kDrive)), std::string::npos) << r.output;
}

/// A drive that was cut nine times fails as well after three of these cuts; they repeat it, and leave a waveform.
TEST(Recovery, CrashTestLeavesOutTheCutsThatAreNotNeeded) {
  const Sets faults{"nand.faults.unreadable_pages=0.003", "host.on_error=count"};
  const std::string job = scratch_file(
      "job.fio",
      "[global]\nioengine=libaio\nnorandommap\n[w]\nrw=randwrite\nbs=4k\niodepth=8\nfsync=16\nnumber_ios=400\n");
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"crash-test", kDrive, "-w", job, "-j", "1", "--seed", "2"};
    for (const std::string& set : recovering(faults)) arguments.insert(arguments.end(), {"--set", set});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return wordline(arguments);
  };
  const std::string out = scratch_folder() + "/out";
  const CommandResult r = run({"--cuts", "40", "--life", "12", "--nested", "2", "--out", out});
  EXPECT_EQ(r.exit_code, 1) << r.output;
  const std::size_t at = r.output.find("  shorter, ");
  ASSERT_NE(at, std::string::npos) << r.output;
  std::istringstream line(r.output.substr(at, r.output.find('\n', at) - at));
  std::vector<std::string> cuts;
  std::string word;
  unsigned few = 0, all = 0;
  line >> word >> few >> word >> all;
  while (line >> word)
    if (word == "--at") cuts.insert(cuts.end(), {word, (line >> word, word)});
  EXPECT_LT(few, all);
  EXPECT_EQ(cuts.size(), 2 * few);
  EXPECT_EQ(run(cuts).exit_code, 1);
  for (std::size_t i = 0; few > 1 && i != cuts.size(); i += 2) {
    std::vector<std::string> fewer = cuts;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i), fewer.begin() + static_cast<std::ptrdiff_t>(i) + 2);
    EXPECT_NE(run(fewer).exit_code, 1) << "cut " << i / 2 << " is not needed";
  }
  EXPECT_NE(r.output.find("see it: wordline view " + out + "/shortest/failure"), std::string::npos) << r.output;
  EXPECT_TRUE(std::filesystem::exists(out + "/shortest/failure/waves.fst"));
}

constexpr const char* kOverwrite =
    "[global]\nioengine=libaio\nnorandommap\n[w]\nrw=randwrite\nbs=4k\niodepth=16\nnumber_ios=3000\n";

/// The host does not wait until GC has made up for what the superblocks that are open have left.
TEST(Recovery, ASteadyDriveGoesOnInItsOpenSuperblocks) {
  for (const char* program : {"nand.program=page", "nand.program=wordline"}) {
    const auto longest = [&](const std::string& recovery) {
      const Sets sets{program,
                      recovery,
                      "ftl.power_safe=false",
                      "cpu.model=native",
                      "precondition.fill=steady",
                      "nand.layers=128",
                      "nand.blocks_per_plane=48",
                      "ftl.over_provisioning=0.3",
                      "ftl.gc_buffer=8MiB"};
      return run_drive({kDrive, kOverwrite, sets, {}}).result["ios"]["write"]["lat_ps"]["max"].get<double>();
    };
    EXPECT_LT(longest("ftl.recovery=scan"), 3 * longest("ftl.recovery=none")) << program;
  }
}

/// A cut of a drive that begins with open superblocks, and the drive behind it.
void goes_on_and_mounts(const Sets& shape, const std::string& begin) {
  const auto sets = [&](const std::string& from) {
    Sets all = shape;
    all.insert(all.end(), {from, "ftl.recovery=scan", "ftl.power_safe=false", "cpu.model=native"});
    return all;
  };
  const std::string image = scratch_folder() + "/cut.flash";
  const RunResult first = run_drive({kDrive, kOverwrite, sets(begin), {"--cut-power", "100ms", "--image", image}});
  expect_nothing_broken(nlohmann::json::parse(std::ifstream(first.folder + "/power_cut.json")));
  const RunResult after = run_drive({kDrive, kOverwrite, sets("precondition.flash=" + image), {"--verify-all"}});
  EXPECT_EQ(after.result["status"], "completed");
  EXPECT_EQ(after.result["check"]["mismatches"], 0);
}

/// In the first five a superblock is full up to the row of word lines that begins in another die, for its record.
TEST(Recovery, SteadyDrivesOfManyShapesGoOnAndMount) {
  const Sets shapes[] = {
      {"nand.layers=2", "channels.packages=3", "ftl.over_provisioning=0.25", "precondition.seed=4"},
      {"nand.layers=3", "channels.packages=2", "ftl.over_provisioning=0.25", "precondition.seed=4"},
      {"nand.layers=3", "channels.packages=3", "ftl.over_provisioning=0.15", "precondition.seed=2"},
      {"nand.layers=8", "channels.packages=3", "ftl.over_provisioning=0.15", "precondition.seed=1"},
      {"nand.layers=8", "channels.packages=3", "ftl.over_provisioning=0.15", "precondition.seed=3"},
      {"nand.program=page", "nand.layers=3", "channels.packages=3", "ftl.over_provisioning=0.15"},
      {"nand.program=page", "nand.layers=5", "channels.packages=1", "ftl.over_provisioning=0.4"},
  };
  for (const Sets& shape : shapes) {
    SCOPED_TRACE(shape[0] + " " + shape[1]);
    goes_on_and_mounts(shape, "precondition.fill=steady");
  }
}

/// Its open superblocks are full up to any program.
TEST(Recovery, TheStateOfADriveWithoutRecoveryGoesOn) {
  for (const char* program : {"nand.program=page", "nand.program=wordline"})
    for (const char* seed : {"precondition.seed=1", "precondition.seed=2", "precondition.seed=3"}) {
      const std::string file = scratch_folder() + "/steady.state";
      const CommandResult made = wordline(
          {"snapshot", kDrive, "--set", "precondition.fill=steady", "--set", program, "--set", seed, "--out", file});
      ASSERT_EQ(made.exit_code, 0) << made.output;
      SCOPED_TRACE(std::string(program) + " " + seed);
      goes_on_and_mounts({program}, "precondition.file=" + file);
    }
}

TEST(Recovery, CheckSaysWhatRecordsTakeAndWhatGcMakesUseOf) {
  const auto check = [](const Sets& sets) {
    std::vector<std::string> arguments{"check", kDrive};
    for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
    return wordline(arguments).output;
  };
  EXPECT_EQ(check({"ftl.recovery=none"}).find("  recovery  "), std::string::npos);
  // A word line of 32, in each of four dies eight of them; all programs of it where each page is one.
  EXPECT_NE(check(recovering({})).find("a closing record takes 3.1 % of each superblock\n"), std::string::npos);
  // Units of 32 KiB: one for records, and of the other fifteen three for a word line. Two a die, and that unit, are 25.
  EXPECT_NE(
      check(recovering({"nand.program=page", "ftl.gc_buffer=512KiB"}))
          .find("takes 3.1 % of each superblock; GC has room for 5 word lines that are not complete, and makes use "
                "of 8: ftl.gc_buffer = 800KiB\n"),
      std::string::npos);
  EXPECT_NE(check(recovering({"nand.program=page", "ftl.gc_buffer=800KiB"}))
                .find("; GC has room for 8 word lines that are not complete\n"),
            std::string::npos);
}

TEST(Recovery, IsRefusedWhereItWouldNotHold) {
  const auto refused = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"check", kDrive, "--set", "ftl.recovery=scan", "--set", "ftl.power_safe=false"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult r = wordline(arguments);
    EXPECT_EQ(r.exit_code, 2) << r.output;
    return r.output;
  };
  for (const char* set : {"ftl.power_safe=true", "ftl.write_back=false", "ftl.spare_blocks=2",
                          "ftl.word_line_order=vertical", "engines.l2p=on"})
    EXPECT_NE(refused({"--set", set}).find("ftl.recovery = scan with "), std::string::npos) << set;
  EXPECT_NE(refused({"--set", "ftl.policy=mpnfm", "--set", "ftl.map=page", "--set", "ftl.gc_pacing=false", "--set",
                     "nand.region.page=4KiB", "--set", "nand.region.blocks_per_plane=6", "--set",
                     "nand.program=wordline", "--set", "ftl.checkpoint_after=2"})
                .find("begins with a checkpoint of a shutdown, or with records alone"),
            std::string::npos);
  EXPECT_NE(refused({"--set", "ftl.map=page", "--set", "ftl.checkpoint_after=2"}).find("with a map by pages a mount"),
            std::string::npos);
  EXPECT_NE(refused({"--set", "precondition.flash=x.flash", "--set", "precondition.fill=sequential"})
                .find("precondition.flash with another state"),
            std::string::npos);
  EXPECT_NE(
      refused({"--set", "ftl.policy=page_hot_cold", "--set", "nand.program=page"}).find("nand.program = wordline"),
      std::string::npos);
  EXPECT_NE(wordline({"check", kDrive, "--set", "precondition.flash=x.flash"}).output.find("expected scan"),
            std::string::npos);
  EXPECT_NE(refused({"--set", "ftl.policy=cube", "--set", "nand.program_order=mixed", "--set", "nand.wls_per_layer=33"})
                .find("at most 32 word lines in an h-layer"),
            std::string::npos);
  const std::string job = scratch_file("job.fio", kJob);
  EXPECT_NE(wordline({"run", kDrive, "-w", job, "--image", "x.flash"}).output.find("--cut-power T"), std::string::npos);
  EXPECT_NE(wordline({"crash-test", kDrive, "-w", job}).output.find("add --set ftl.recovery=scan"), std::string::npos);
  const CommandResult direct = wordline(crash_test({"--clean", "30", "--set", "host.model=direct"}));
  EXPECT_EQ(direct.exit_code, 2);
  EXPECT_NE(direct.output.find("--clean needs host.model = nvme"), std::string::npos) << direct.output;
}

}  // namespace
}  // namespace wordline::testing::recovery_test
