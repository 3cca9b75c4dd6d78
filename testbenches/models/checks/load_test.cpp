// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a user sees: the place, what was expected, the nearest known name. Texts are exact.
#include "models/checks/load.h"

#include <gtest/gtest.h>

#include "models/config/schema.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::load_test {
namespace {

using config::load;

class Load : public ::testing::Test {
 protected:
  void SetUp() override { enter_scratch(); }
};

const config::Setting& setting(const config::Loaded& loaded, const char* key) {
  return loaded.settings.at(static_cast<std::size_t>(config::find_key(key)));
}

TEST_F(Load, EmptyFileIsTheDefaultDrive) {
  write_file("drive.toml", "");
  const auto loaded = load("drive.toml", {});
  EXPECT_EQ(loaded.config.channels.count, 8U);
  EXPECT_EQ(loaded.config.channels.t_rpst, Picoseconds(26'250));
  EXPECT_EQ(loaded.config.cpu.task_core, (std::array<std::uint32_t, 3>{0, 1, 2}));
  EXPECT_EQ(loaded.config.nand.geometry.cell, config::CellType::kTlc);
  EXPECT_DOUBLE_EQ(loaded.config.nand.energy.icc_read, 0.025);
  EXPECT_DOUBLE_EQ(loaded.config.nand.energy.vcc, 3.3);
  EXPECT_EQ(setting(loaded, "channels.count").origin, "default");
}

TEST_F(Load, ValuesWithUnits) {
  write_file("drive.toml",
             "[cpu]\nclock = \"1.2GHz\"\nquantum = 0\n[channels]\nrate = \"1.6GT/s\"\n"
             "[nand]\ncell = \"slc\"\ntiming.mode = \"pinned\"\ntiming.t_r = [\"3us\"]\ntiming.t_prog = [\"100us\"]\n"
             "[observe]\nnand = \"op\"\nwaves = true\n[nand.aging]\nretention_days = 30\n");
  const auto c = load("drive.toml", {}).config;
  EXPECT_EQ(c.cpu.clock, Hertz(1'200'000'000));
  EXPECT_EQ(c.cpu.quantum, 0_ps);
  EXPECT_EQ(c.channels.rate, TransfersPerSecond(1'600'000'000));
  EXPECT_EQ(c.nand.geometry.cell, config::CellType::kSlc);
  EXPECT_EQ(c.nand.timing.t_r, std::vector<Picoseconds>{3_us});
  EXPECT_FALSE(c.observe.nand_microops);
  EXPECT_TRUE(c.observe.waves);
  EXPECT_DOUBLE_EQ(c.nand.aging.retention_days, 30);
}

TEST_F(Load, AKeyOfAnEarlierVersionNamesTheOneOfThis) {
  write_file("old.toml", "[ftl]\ngc_start_lines = 6\ngc_reserve_lines = 3\n");
  EXPECT_EQ(problems("old.toml", {"ftl.idle_free_lines=8"}),
            "old.toml:2:1: error: ftl.gc_start_lines is renamed: use ftl.gc_start_superblocks\n"
            "old.toml:3:1: error: ftl.gc_reserve_lines is renamed: use ftl.gc_reserve_superblocks\n"
            "--set ftl.idle_free_lines=8: error: ftl.idle_free_lines is renamed: use ftl.idle_free_superblocks");
  for (const auto* old : {"ftl.gc_start_lines", "ftl.gc_reserve_lines", "ftl.idle_free_lines"}) {
    const std::string_view now = config::what_became_of(old);
    EXPECT_GE(config::find_key(now.substr(now.rfind(' ') + 1)), 0) << now;
    EXPECT_EQ(config::find_key(old), -1) << old;
  }
  EXPECT_EQ(config::what_became_of("ftl.gc_start_superblocks"), "");
}

TEST_F(Load, UnknownKey) {
  write_file("bad.toml", "# a drive\n[channels]\ncuont = 4\n  rtae = \"400MT/s\"\nfrequency = 1\n");
  EXPECT_EQ(problems("bad.toml"),
            "bad.toml:3:1: error: unknown key channels.cuont; did you mean channels.count?\n"
            "bad.toml:4:3: error: unknown key channels.rtae; did you mean channels.rate?\n"
            "bad.toml:5:1: error: unknown key channels.frequency; see: wordline explain channels");
}

TEST_F(Load, UnknownTableAndWrongTable) {
  write_file("bad.toml", "speed = 3\nclock = 1\nhost = 5\n[chanels]\ncount = 4\nrate = 3\n[channels.count]\nx = 1\n");
  EXPECT_EQ(problems("bad.toml"),
            "bad.toml:1:1: error: unknown key speed; see: wordline explain\n"
            "bad.toml:2:1: error: unknown key clock; did you mean ecc.clock?\n"
            "bad.toml:3:1: error: host is 5, expected a table; see: wordline explain host\n"
            "bad.toml:4:2: error: unknown table chanels; did you mean channels?\n"
            "bad.toml:7:1: error: channels.count is a table, expected a whole number from 1 to 64");
}

TEST_F(Load, WrongTypeUnitChoiceRange) {
  write_file("bad.toml",
             "[channels]\ncount = \"8\"\npackages = 0\nt_wc = 25\nrate = \"800MHz\"\n"
             "[cpu]\nmodel = \"naitve\"\ntask_core = [0, 1]\n[ftl]\npower_safe = 1\nover_provisioning = \"7%\"\n"
             "write_buffer = 1979-05-27\n[nand.timing]\nt_r = [\"45us\", 65]\n");
  EXPECT_EQ(
      problems("bad.toml"),
      "bad.toml:2:9: error: channels.count is \"8\", expected a whole number from 1 to 64\n"
      "bad.toml:3:12: error: channels.packages is 0, expected a whole number from 1 to 64\n"
      "bad.toml:4:8: error: channels.t_wc is 25, expected a time: ps, ns, us, ms, s, from 0ps to 1ms\n"
      "bad.toml:5:8: error: channels.rate is \"800MHz\", expected a transfer rate: T/s, kT/s, MT/s, GT/s, "
      "from 10MT/s to 4800MT/s\n"
      "bad.toml:7:9: error: cpu.model is \"naitve\", expected one of: iss, native; did you mean native?\n"
      "bad.toml:8:13: error: cpu.task_core is [0, 1], expected a list of 3, each a whole number from 0 to 7\n"
      "bad.toml:10:14: error: ftl.power_safe is 1, expected true or false\n"
      "bad.toml:11:21: error: ftl.over_provisioning is \"7%\", expected a number from 0.001 to 10.0\n"
      "bad.toml:12:16: error: ftl.write_buffer is a date or time, expected a size: B, KiB, MiB, GiB, TiB, kB, MB, GB, "
      "from 4KiB to 4GiB\n"
      "bad.toml:14:7: error: nand.timing.t_r is [\"45us\", 65], expected a list of 0 to 4, each a time: ps, ns, us, "
      "ms, s, from 1ns to 1s");
}

TEST_F(Load, NotANumberIsOutOfRange) {
  write_file("bad.toml", "[ftl]\nover_provisioning = nan\n");
  EXPECT_EQ(problems("bad.toml"),
            "bad.toml:2:21: error: ftl.over_provisioning is nan, expected a number from 0.001 to 10.0");
}

TEST_F(Load, SyntaxErrorsHaveAPlace) {
  write_file("bad.toml", "[channels]\ncount = \n");
  EXPECT_EQ(problems("bad.toml").find("bad.toml:2:9: error: "), 0U) << problems("bad.toml");
  write_file("twice.toml", "[channels]\ncount = 4\ncount = 5\n");
  EXPECT_EQ(problems("twice.toml").find("twice.toml:3:"), 0U) << problems("twice.toml");
}

TEST_F(Load, MissingFile) {
  EXPECT_EQ(problems("none.toml"), "none.toml: error: cannot be read");
  EXPECT_EQ(problems("."), ".: error: cannot be read");
  write_file("drive.toml", "extends = \"none.toml\"\n");
  EXPECT_EQ(problems("drive.toml"), "drive.toml:1:11: error: extends: none.toml cannot be read");
}

TEST_F(Load, AMissingFileBringsNoConflicts) {
  write_file("drive.toml", "extends = \"device.toml\"\n[nand.timing]\nmode = \"pinned\"\n");
  EXPECT_EQ(problems("drive.toml", {"cpu.cores=1"}), "drive.toml:1:11: error: extends: device.toml cannot be read");
  write_file("device.toml", "[nand\n");
  EXPECT_EQ(problems("drive.toml", {"cpu.cores=1"}).find('\n'), std::string::npos);
}

TEST_F(Load, ExtendsIsRelativeToTheFileAndOverridden) {
  write_file("nand/die.toml", "[nand]\nplanes = 4\nlayers = 64\n[channels]\ncount = 2\n");
  write_file("ssds/base.toml", "extends = \"../nand/die.toml\"\n[channels]\ncount = 4\npackages = 2\n");
  write_file("ssds/top.toml", "extends = \"base.toml\"\n[channels]\npackages = 1\n");
  const auto loaded = load("ssds/top.toml", {});
  EXPECT_EQ(loaded.config.nand.geometry.planes, 4U);
  EXPECT_EQ(loaded.config.channels.count, 4U);
  EXPECT_EQ(loaded.config.channels.packages, 1U);
  EXPECT_EQ(setting(loaded, "nand.planes").origin, "nand/die.toml:2");
  EXPECT_EQ(setting(loaded, "channels.count").origin, "ssds/base.toml:3");
  EXPECT_EQ(setting(loaded, "channels.packages").origin, "ssds/top.toml:3");
}

TEST_F(Load, ExtendsTakesAListAndTheLaterWins) {
  write_file("a.toml", "[channels]\ncount = 2\npackages = 2\n");
  write_file("b.toml", "[channels]\ncount = 16\n");
  write_file("top.toml", "extends = [\"a.toml\", \"b.toml\"]\n");
  const auto c = load("top.toml", {}).config;
  EXPECT_EQ(c.channels.count, 16U);
  EXPECT_EQ(c.channels.packages, 2U);
  write_file("bad.toml", "extends = [\"a.toml\", 3]\n");
  EXPECT_EQ(problems("bad.toml"), "bad.toml:1:22: error: extends is 3, expected a file name or a list of file names");
}

TEST_F(Load, ExtendsCycle) {
  write_file("a.toml", "extends = \"b.toml\"\n");
  write_file("b.toml", "\nextends = \"a.toml\"\n");
  EXPECT_EQ(problems("a.toml"), "b.toml:2:11: error: extends makes a cycle: a.toml -> b.toml -> a.toml");
  write_file("self.toml", "extends = \"self.toml\"\n");
  EXPECT_EQ(problems("self.toml"), "self.toml:1:11: error: extends makes a cycle: self.toml -> self.toml");
}

TEST_F(Load, TheSameFileTwiceIsNoCycle) {
  write_file("die.toml", "[nand]\nplanes = 4\n");
  write_file("a.toml", "extends = \"die.toml\"\n");
  write_file("b.toml", "extends = \"die.toml\"\n");
  write_file("top.toml", "extends = [\"a.toml\", \"b.toml\"]\n");
  EXPECT_EQ(problems("top.toml"), "");
}

TEST_F(Load, ProblemsOfExtendedFilesAreReportedToo) {
  write_file("base.toml", "[channels]\ncount = 0\n");
  write_file("top.toml", "extends = \"base.toml\"\n[channels]\ncount = 4\nrates = 1\n");
  EXPECT_EQ(problems("top.toml"),
            "base.toml:2:9: error: channels.count is 0, expected a whole number from 1 to 64\n"
            "top.toml:4:1: error: unknown key channels.rates; did you mean channels.rate?");
}

TEST_F(Load, SetTakesTomlAndBareWords) {
  write_file("drive.toml", "[channels]\ncount = 4\n");
  const auto loaded =
      load("drive.toml", {"channels.count=2", "dram.latency=45us", "dram.bandwidth=\"1GB/s\"", "cpu.model=native",
                          "cpu.task_core=[0,0,1]", "nand.timing.mode=pinned", "nand.timing.t_r=[45us, 65us, 85us]",
                          "nand.timing.t_prog=['700us']", "ftl.power_safe=false", "nand.aging.temperature_c=-5",
                          "cpu.native_costs=costs of mine.txt", "channels.count=16"});
  const auto& c = loaded.config;
  EXPECT_EQ(c.channels.count, 16U);
  EXPECT_EQ(c.dram.latency, 45_us);
  EXPECT_EQ(c.dram.bandwidth, BytesPerSecond(1'000'000'000));
  EXPECT_EQ(c.cpu.model, config::CpuModel::kNative);
  EXPECT_EQ(c.cpu.task_core, (std::array<std::uint32_t, 3>{0, 0, 1}));
  EXPECT_EQ(c.nand.timing.t_r, (std::vector<Picoseconds>{45_us, 65_us, 85_us}));
  EXPECT_EQ(c.nand.timing.t_prog, (std::vector<Picoseconds>{700_us}));
  EXPECT_FALSE(c.ftl.power_safe);
  EXPECT_DOUBLE_EQ(c.nand.aging.temperature_c, -5);
  EXPECT_EQ(c.cpu.native_costs, "costs of mine.txt");
  EXPECT_EQ(setting(loaded, "channels.count").origin, "--set");
}

TEST_F(Load, SetErrorsNameTheArgument) {
  write_file("drive.toml", "");
  EXPECT_EQ(problems("drive.toml", {"dram.latency=60MHz", "chanels.count=4", "nand=3", "run.seed", "cpu.model="}),
            "--set dram.latency=60MHz: error: dram.latency is \"60MHz\", expected a time: ps, ns, us, ms, s, "
            "from 0ps to 1ms\n"
            "--set chanels.count=4: error: unknown key chanels.count; did you mean channels.count?\n"
            "--set nand=3: error: nand is a table, expected one of its keys; see: wordline explain nand\n"
            "--set run.seed: error: no value, expected key=value\n"
            "--set cpu.model=: error: cpu.model is \"\", expected one of: iss, native");
}

// Each of these ended the program by a full stack, or never.
TEST_F(Load, NestingWithoutAnEnd) {
  std::string dotted = "\na";
  for (int i = 0; i < 500'000; ++i) dotted += ".a";
  write_file("dotted.toml", dotted + " = 1");
  EXPECT_NE(problems("dotted.toml").find("dotted.toml:2: error: more than 1000 dots"), std::string::npos);
  for (int i = 0; i < 60; ++i) {
    const std::string next = std::to_string(i + 1);
    write_file("chain" + std::to_string(i) + ".toml", "extends = \"chain" + next + ".toml\"\n");
    write_file("twice" + std::to_string(i) + ".toml",
               i == 30 ? "" : "extends = [\"twice" + next + ".toml\", \"twice" + next + ".toml\"]\n");
  }
  write_file("chain60.toml", "");
  for (const char* name : {"chain0.toml", "twice0.toml"}) {
    const std::string found = problems(name);
    EXPECT_NE(found.find(": error: extends: more than 50 files in a row, or 1000 in all"), std::string::npos) << found;
    EXPECT_EQ(found.find('\n'), std::string::npos) << "said once: " << found;
  }
  EXPECT_EQ(problems("chain20.toml"), "");
}

TEST_F(Load, LimitsThatOtherToolsRelyOn) {
  write_file("drive.toml", "");
  EXPECT_EQ(problems("drive.toml",
                     {"nvme.tags=2048", "host.queue_entries=65536", "run.seed=9223372036854775807",
                      "link.bandwidth=1000GB/s", "cpu.clock=100GHz", "ecc.clock=100GHz", "channels.rate=133MT/s"}),
            "");
}

}  // namespace
}  // namespace wordline::testing::load_test
