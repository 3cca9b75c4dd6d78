// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Values that are each good but do not fit together. Every gate is tested at its last good value, too.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/checks/load.h"
#include "models/config/schema.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::conflict_test {
namespace {

class Conflicts : public DriveFile {};

TEST_F(Conflicts, TheKeySetLastIsAtFault) {
  write_file("base.toml", "[cpu]\ncores = 1\ntask_core = [0, 0, 0]\n");
  write_file("top.toml", "extends = \"base.toml\"\n[cpu]\ntask_core = [0, 1, 0]\n");
  EXPECT_EQ(problems("top.toml"),
            "top.toml:3:13: error: cpu.task_core puts the ftl task on core 1, expected a core below cpu.cores = 1");
  EXPECT_EQ(
      with({"cpu.cores=2"}),
      "--set cpu.cores=2: error: cpu.task_core puts the flash task on core 2, expected a core below cpu.cores = 2");
}

TEST_F(Conflicts, AKeyWithAProblemOfItsOwnBringsNoFurtherOnes) {
  EXPECT_EQ(
      with({"cpu.cores=2", "cpu.task_core=[0, 1, x]"}),
      "--set cpu.task_core=[0, 1, x]: error: cpu.task_core is [0, 1, \"x\"], expected a list of 3, each a whole number "
      "from 0 to 7");
}

TEST_F(Conflicts, TheBufferEngineNeedsTwoOthers) {
  EXPECT_EQ(with({"engines.l2p=on", "engines.buffer=on"}),
            "--set engines.buffer=on: error: engines.buffer = on with engines.completion = off, expected "
            "engines.completion = on: the completion engine ends the reads");
  EXPECT_EQ(with({"engines.l2p=on", "engines.buffer=on", "engines.completion=on"}), "");
  EXPECT_EQ(with({"engines.l2p=on", "engines.parse=off"}),
            "--set engines.parse=off: error: engines.l2p = on with engines.parse = off, expected engines.parse = on: "
            "the lookup begins from a command that hardware has parsed");
  EXPECT_EQ(with({"engines.parse=off", "host.model=direct"}),
            "--set host.model=direct: error: engines.parse = off with host.model = direct, expected host.model = nvme: "
            "direct commands have no submission entry that firmware could parse");
  EXPECT_EQ(with({"engines.parse=off", "engines.job=on", "engines.completion=on", "engines.gc=on"}), "");
}

TEST_F(Conflicts, AgesAreOfDataThatAreThereAndOfOneAgeEach) {
  const std::string filled = "precondition.fill=sequential", ages = "precondition.ages=";
  EXPECT_EQ(with({filled, ages + "[0-50%: 90d, 50-100%: 0.5d]"}), "");
  EXPECT_EQ(with({"precondition.file=some.state", ages + "[\"12.5 - 100 %: 365 d\"]"}), "");
  EXPECT_EQ(with({ages + "[0-50%: 90d]"}),
            "--set precondition.ages=[0-50%: 90d]: error: precondition.ages with precondition.fill = none and no "
            "precondition.file, expected a drive that begins with data");
  EXPECT_EQ(with({filled, ages + "[20-60%: 90d, 59.9-70%: 1d]"}),
            "--set precondition.ages=[20-60%: 90d, 59.9-70%: 1d]: error: precondition.ages: 20-60% and 59.9-70% "
            "overlap, expected one age of each logical page");
  EXPECT_NE(with({filled, ages + "[0-0.0000001%: 90d]"}).find("is none of them, expected a larger region"),
            std::string::npos);
  for (const char* wrong : {"50%", "50-100%", "50-100: 9d", "0-101%: 9d", "50-50%: 9d", "60-50%: 9d", "-1-50%: 9d",
                            "0-50%: 9", "0-50%: 9h", "0-50%: 36501d", "0-50%: -1d", "0-50%: nand", "0-50%: 9d x"}) {
    EXPECT_EQ(with({filled, ages + "['" + wrong + "']"}),
              "--set precondition.ages=['" + std::string(wrong) + "']: error: precondition.ages is [\"" + wrong +
                  "\"], expected a list of 0 to 16, each a region of the exported capacity and the age of its data, "
                  "such as \"0-50%: 90d\"");
  }
}

TEST_F(Conflicts, WearOfAStateThatHasNoErases) {
  const std::string off = "precondition.wear=false";
  for (const char* fill : {"random", "steady"}) EXPECT_EQ(with({std::string("precondition.fill=") + fill, off}), "");
  for (const char* fill : {"none", "sequential"}) {
    EXPECT_NE(with({std::string("precondition.fill=") + fill, off}).find("precondition.wear = false has no effect"),
              std::string::npos)
        << fill;
  }
}

TEST_F(Conflicts, FlashThatCannotBeReadWhenFresh) {
  EXPECT_EQ(with({"nand.cell=qlc"}),
            "--set nand.cell=qlc: error: nand.ispp.step = 180mV leaves a fresh page of nand.cell = qlc up to 208 bit "
            "errors in a codeword, expected at most the 168 that the decoder corrects: a finer step, with its window "
            "(configs/nand has parts of every cell: extends = \"FILE\" as the first line takes one)");
  EXPECT_EQ(with({"nand.cell=qlc", "nand.ispp.step=90mV", "nand.ispp.window=2900mV"}), "");
  EXPECT_EQ(with({"nand.cell=mlc"}), "");
  EXPECT_EQ(with({"nand.aging.pe_cycles=100000", "nand.aging.retention_days=3000"}), "") << "wear may be the question";
}

TEST_F(Conflicts, SensesBelongToAGrayCode) {
  EXPECT_EQ(with({"nand.timing.senses_per_page=[5, 1, 1]"}),
            "--set nand.timing.senses_per_page=[5, 1, 1]: error: nand.timing.senses_per_page = 5, 1, 1 belongs to no "
            "Gray code of 3 bits: of two neighbouring states one bit differs, expected such as 2, 3, 2 or 1, 2, 4 for "
            "tlc");
  EXPECT_EQ(with({"nand.timing.senses_per_page=[3, 3, 1]"}), "");
}

TEST_F(Conflicts, EnginesAndFirmwareShareTheReadBuffer) {
  const std::string reason =
      "error: ftl.read_buffer holds 2 logical pages, expected at least 3: engines.l2p, engines.job and "
      "engines.completion take half of them, and the firmware needs two reads";
  EXPECT_EQ(with({"engines.l2p=on", "engines.job=on", "engines.completion=on", "ftl.read_buffer=8KiB"}),
            "--set ftl.read_buffer=8KiB: " + reason);
  EXPECT_EQ(with({"engines.l2p=on", "engines.job=on", "engines.completion=on", "ftl.read_buffer=12KiB"}), "");
  EXPECT_EQ(with({"engines.l2p=on", "engines.completion=on", "ftl.read_buffer=8KiB"}), "");
}

TEST_F(Conflicts, EnginesThatKnowTheMapByLogicalPages) {
  EXPECT_EQ(with({"ftl.map=page"}), "");
  EXPECT_EQ(with({"ftl.map=page", "engines.job=on", "engines.completion=on", "engines.victim=on"}), "");
  for (const char* engine : {"l2p", "gc", "copy"}) {
    const std::string key = std::string("engines.") + engine;
    EXPECT_EQ(with({"ftl.map=page", key + "=on"}),
              "--set " + key + "=on: error: " + key +
                  " = on with ftl.map = page, expected ftl.map = sector: the engine has the map by logical pages");
  }
  EXPECT_EQ(with({"ftl.packing=false"}), "");
  EXPECT_EQ(with({"ftl.map=page", "ftl.packing=false"}),
            "--set ftl.packing=false: error: ftl.packing = false has no effect with ftl.map = page, expected ftl.map = "
            "sector: pages of the map begin at pages of flash anyway");
}

TEST_F(Conflicts, MapUnitsOfASizeOfTheirOwn) {
  for (const char* unit : {"page", "4KiB", "8KiB", "16KiB", "32KiB"})
    EXPECT_EQ(with({"ftl.map=page", std::string("ftl.map_unit=") + unit}), "") << unit;
  EXPECT_EQ(with({"ftl.map=page", "ftl.map_unit=64KiB", "nand.planes=4"}), "");
  EXPECT_EQ(with({"ftl.map_unit=16KiB"}),
            "--set ftl.map_unit=16KiB: error: ftl.map_unit = 16KiB has no effect with ftl.map = sector, expected "
            "ftl.map = page: with ftl.map = sector each logical page is mapped by itself");
  EXPECT_EQ(with({"ftl.map=page", "ftl.map_unit=64KiB"}),
            "--set ftl.map_unit=64KiB: error: ftl.map_unit = 64 KiB with pages of 32 KiB over the 2 planes of a die, "
            "expected a size that divides them (nand.page x nand.planes): a map unit lies in one page of all planes");
  EXPECT_EQ(with({"ftl.map=page", "nand.page=2KiB", "ftl.map_unit=64KiB"}),
            "--set ftl.map_unit=64KiB: error: ftl.map_unit = 64 KiB are 32 logical pages of 2 KiB, expected at most "
            "16, a bit for each of which an entry of the map has");
  EXPECT_EQ(with({"ftl.map=page", "ftl.write_back=false", "channels.count=1", "channels.packages=1", "nand.planes=1",
                  "nand.program=page", "ftl.read_modify=die", "ftl.map_unit=8KiB"}),
            "--set ftl.map_unit=8KiB: error: ftl.read_modify = die with ftl.map_unit other than page, expected "
            "ftl.map_unit = page: the die copies the page of a plane whole");
}

TEST_F(Conflicts, MapsBehindThePort) {
  const auto port_and = [&](std::vector<std::string> sets) {
    sets.insert(sets.begin(), {"ftl.map=page", "ftl.map_unit=4KiB"});
    sets.emplace_back("ftl.map_access=port");
    return with(sets);
  };
  EXPECT_EQ(port_and({}), "");
  EXPECT_EQ(port_and({"nand.blocks_per_plane=14560"}), "") << "8 TiB";
  EXPECT_NE(
      port_and({"nand.blocks_per_plane=29100"})
          .find("error: the superblocks have 4290969600 logical pages, expected at most 4286578684, which an entry "
                "of the map names behind the port (15.97 TiB of 4 KiB): a larger ftl.logical_page. nand.scale_down = 2 "
                "models it by"),
      std::string::npos)
      << port_and({"nand.blocks_per_plane=29100"});
  EXPECT_EQ(with({"ftl.map_access=port"}),
            "--set ftl.map_access=port: error: ftl.map_access = port has no effect with ftl.map = sector, expected "
            "ftl.map = page: what is compiled for logical pages alone loads and stores entries of the map");
  const std::string state =
      "error: ftl.map_access = port with a state to begin with, expected precondition.fill = none or sequential and no "
      "precondition.overwrites or precondition.file: the tables of a state lie in the DRAM that cores address";
  EXPECT_EQ(port_and({"precondition.fill=random"}), "--set ftl.map_access=port: " + state);
  EXPECT_EQ(port_and({"precondition.fill=sequential", "precondition.overwrites=1"}),
            "--set ftl.map_access=port: " + state);
}

TEST_F(Conflicts, ReadAndModifyInTheDie) {
  const std::vector<std::string> one_plane{
      "ftl.map=page",  "ftl.write_back=false", "channels.count=1",           "channels.packages=1",
      "nand.planes=1", "nand.program=page",    "channels.dies_per_package=1"};
  const auto die_and = [&](const std::string& key) {
    std::vector<std::string> sets = one_plane;
    if (!key.empty()) sets.push_back(key);
    sets.push_back("ftl.read_modify=die");
    return with(sets);
  };
  EXPECT_EQ(die_and(""), "");
  for (const auto& [key, expected] : std::vector<std::pair<const char*, const char*>>{
           {"ftl.map=sector", "ftl.map = sector, expected ftl.map = page"},
           {"ftl.write_back=true", "ftl.write_back = true, expected ftl.write_back = false"},
           {"channels.packages=2", "several dies, expected channels.count, packages and dies_per_package = 1"},
           {"nand.planes=2", "several planes, expected nand.planes = 1"},
           {"nand.program=wordline", "nand.program = wordline, expected nand.program = page"},
           {"engines.job=on", "engines.job = on, expected engines.job = off"}}) {
    EXPECT_NE(die_and(key).find(std::string("ftl.read_modify = die with ") + expected), std::string::npos)
        << key << ": " << die_and(key);
  }
}

TEST_F(Conflicts, FirstReadsFromATableThatFirmwareHolds) {
  EXPECT_EQ(with({"engines.retry=off", "ecc.ort=first"}), "");
  EXPECT_EQ(with({"engines.job=on", "ecc.ort=first"}), "");
  EXPECT_EQ(with({"engines.retry=off", "engines.job=on", "ecc.ort=first"}),
            "--set ecc.ort=first: error: engines.retry = off with engines.job = on and ecc.ort = first: hardware "
            "makes the jobs of first reads and firmware holds the table, expected ecc.ort = retry or off, or one of "
            "the two engines the other way");
}

TEST_F(Conflicts, ATableByBlockIsUsedAndItsSoftLevelsNeedAControllerThatStartsSoft) {
  EXPECT_EQ(with({"ecc.ort_scope=block"}), "");
  EXPECT_EQ(
      with({"ecc.ort_scope=block", "ecc.ort=off"}),
      "--set ecc.ort=off: error: ecc.ort_scope = block has no effect with ecc.ort = off, expected ecc.ort = retry "
      "or first");
  EXPECT_EQ(with({"ecc.ort_scope=block", "ecc.ort=first"}), "");
  EXPECT_EQ(with({"ecc.ort_scope=block", "ecc.ort=first", "ecc.model=rtl", "engines.retry=off"}), "");
  EXPECT_EQ(
      with({"ecc.ort_scope=block", "ecc.ort=first", "ecc.model=rtl"}),
      "--set ecc.model=rtl: error: ecc.ort_scope = block with ecc.ort = first and ecc.model = rtl: the read-retry "
      "controller in gates begins every read with one sense, expected ecc.ort = retry, ecc.model = calibrated or "
      "engines.retry = off");
}

TEST_F(Conflicts, IdleWorkHasATimeAndSomethingToDo) {
  EXPECT_EQ(with({"ftl.idle_after=1ms", "ftl.idle_free_superblocks=6", "ftl.gc_start_superblocks=4"}), "");
  EXPECT_EQ(with({"ftl.idle_free_superblocks=6"}),
            "--set ftl.idle_free_superblocks=6: error: ftl.idle_free_superblocks = 6 with ftl.idle_after = 0s, "
            "expected a time: "
            "idle work never begins");
  EXPECT_EQ(
      with({"ftl.gc_start_superblocks=4", "ftl.idle_free_superblocks=5", "ftl.idle_after=1ms"}),
      "--set ftl.idle_after=1ms: error: ftl.idle_after has no effect with ftl.idle_free_superblocks = 5, expected at "
      "least 6: with ftl.gc_start_superblocks = 4 that many superblocks are kept free anyway");
}

TEST_F(Conflicts, ADriveIsFilledBeforeItIsOverwritten) {
  EXPECT_EQ(with({"precondition.overwrites=2"}),
            "--set precondition.overwrites=2: error: precondition.overwrites = 2 with precondition.fill = none, "
            "expected precondition.fill = sequential, random or steady: a drive is filled before it is overwritten");
  EXPECT_EQ(with({"precondition.overwrites=2", "precondition.fill=sequential"}), "");
  EXPECT_EQ(with({"precondition.overwrites=2", "precondition.file=x.state"}), "") << "the file says it all";
}

TEST_F(Conflicts, AStateNeedsAllBlocksOrSpareOnes) {
  const std::string reason =
      "error: nand.faults.bad_blocks is above 0 and precondition.fill or precondition.file puts data into every block, "
      "expected precondition.fill = none without a file, no bad blocks, or ftl.spare_blocks to take their place";
  EXPECT_EQ(with({"nand.faults.bad_blocks=0.01", "precondition.fill=steady"}),
            "--set precondition.fill=steady: " + reason);
  EXPECT_EQ(with({"nand.faults.bad_blocks=0.01", "precondition.file=x.state"}),
            "--set precondition.file=x.state: " + reason);
  EXPECT_EQ(with({"nand.faults.bad_blocks=0.01"}), "");
  EXPECT_EQ(with({"nand.faults.bad_blocks=0.01", "ftl.spare_blocks=16", "precondition.fill=steady"}), "");
  EXPECT_NE(with({"nand.faults.bad_blocks=0.2", "ftl.spare_blocks=1", "precondition.file=x.state"}), "");
}

TEST_F(Conflicts, MovedReferencesAreToBeFoundByTheRetries) {
  EXPECT_EQ(with({"nand.faults.moved_steps=4"}),
            "--set nand.faults.moved_steps=4: error: nand.faults.moved_steps = 4 has no effect with "
            "nand.faults.moved_references = 0, expected nand.faults.moved_references above 0");
  EXPECT_EQ(with({"nand.faults.moved_references=0.3"}),
            "--set nand.faults.moved_references=0.3: error: ecc.max_retries = 4 with nand.faults.moved_references = "
            "0.3: not every h-layer could be read, expected ecc.max_retries of at least 7, or of at least 3 with "
            "ecc.ort = off or ecc.ort_scope = block");
  EXPECT_EQ(with({"nand.faults.moved_references=0.3", "ecc.max_retries=7"}), "");
  EXPECT_EQ(with({"nand.faults.moved_references=0.3", "ecc.ort=off"}), "");
  EXPECT_EQ(with({"nand.faults.moved_references=0.3", "ecc.ort_scope=block"}), "");
  EXPECT_EQ(with({"nand.faults.moved_references=0.3", "ecc.ort=off", "nand.faults.moved_steps=5"}),
            "--set nand.faults.moved_steps=5: error: ecc.max_retries = 4 with nand.faults.moved_references = 0.3: not "
            "every h-layer could be read, expected ecc.max_retries of at least 5");
  EXPECT_NE(with({"nand.faults.moved_references=0.3", "ecc.max_retries=8", "nand.faults.moved_steps=8"}), "");
}

TEST_F(Conflicts, ASampleInGatesNeedsGates) {
  EXPECT_EQ(with({"ecc.rtl_every=100"}),
            "--set ecc.rtl_every=100: error: ecc.rtl_every = 100 has no effect with ecc.model = calibrated, expected "
            "ecc.model = rtl");
  EXPECT_EQ(with({"ecc.rtl_every=100", "ecc.model=rtl"}), "");
  EXPECT_EQ(with({"ecc.rtl_threads=2"}),
            "--set ecc.rtl_threads=2: error: ecc.rtl_threads = 2 has no effect with ecc.model = calibrated, expected "
            "ecc.model = rtl");
  EXPECT_EQ(with({"ecc.rtl_threads=2", "ecc.model=rtl"}), "");
  EXPECT_EQ(with({"ecc.rtl_encoder=true"}),
            "--set ecc.rtl_encoder=true: error: ecc.rtl_encoder = true has no effect with ecc.model = calibrated, "
            "expected ecc.model = rtl");
  EXPECT_EQ(with({"ecc.rtl_encoder=true", "ecc.model=rtl"}), "");
  for (const char* key : {"ecc.rtl.tier1", "ecc.rtl.tier2", "ecc.rtl.encoder", "ecc.rtl.tap", "ecc.rtl.read_retry"}) {
    const std::string set = std::string(key) + "=my.so";
    EXPECT_EQ(with({set}), "--set " + set + ": error: " + key +
                               " = \"my.so\" has no effect with ecc.model = calibrated, expected ecc.model = rtl: the "
                               "statistics decode no bits");
    EXPECT_EQ(with({set, "ecc.model=rtl"}), "");
  }
  EXPECT_EQ(with({"ecc.rtl.read_retry=my.so", "ecc.model=rtl", "engines.retry=off"}),
            "--set engines.retry=off: error: ecc.rtl.read_retry = \"my.so\" has no effect with engines.retry = off, "
            "where firmware retries, expected engines.retry = on");
}

TEST_F(Conflicts, AChannelInGatesIsOneThatTheGatesCanBe) {
  EXPECT_EQ(with({"channels.model=rtl"}), "");
  EXPECT_EQ(with({"channels.model=rtl", "channels.rtl_channel=7"}), "");
  EXPECT_EQ(with({"channels.rtl_channel=7"}),
            "--set channels.rtl_channel=7: error: channels.rtl_channel = 7 has no effect with channels.model = tlm, "
            "expected channels.model = rtl");
  EXPECT_EQ(with({"channels.model=rtl", "channels.rtl_channel=8"}),
            "--set channels.rtl_channel=8: error: channels.rtl_channel is 8, expected a channel below channels.count = "
            "8");
  for (const std::string key : {"channels.cache_read", "channels.cache_program"}) {
    EXPECT_EQ(with({"channels.model=rtl", key + "=true"}),
              "--set " + key + "=true: error: " + key +
                  " = true with channels.model = rtl: a channel in gates has no cache operations, expected " + key +
                  " = false or channels.model = tlm");
  }
  EXPECT_EQ(with({"channels.model=rtl", "channels.suspend=both"}),
            "--set channels.suspend=both: error: channels.suspend with channels.model = rtl: a channel in gates sends "
            "nothing but status to a busy die, expected channels.suspend = never or channels.model = tlm");
  EXPECT_NE(with({"channels.model=rtl", "channels.packages=9"}).find("R/B_n of 8 dies"), std::string::npos);
  EXPECT_NE(with({"channels.model=rtl", "channels.t_ccs=1ms"})
                .find("channels.t_ccs = 1000000000 ps is 800000 clocks of "
                      "1250 ps, expected at most 2047"),
            std::string::npos);
  EXPECT_NE(with({"channels.model=rtl", "channels.mode=sdr-5", "channels.t_rc=19999ps"}).find("have no common clock"),
            std::string::npos);
}

TEST_F(Conflicts, ProgramsAreSuspendedWithinAnEraseIfTheyAreAtAll) {
  const auto depth = [this](const char* suspend) {
    return with({std::string("channels.suspend=") + suspend, "channels.suspended_by=all", "channels.suspend_depth=2"});
  };
  EXPECT_EQ(depth("erase"),
            "--set channels.suspend_depth=2: error: channels.suspend_depth = 2 has no effect with channels.suspend = "
            "erase, expected both: no program is suspended");
  EXPECT_EQ(depth("both"), "");
}

TEST_F(Conflicts, ASequencerOfOnesOwnNeedsAChannelInGates) {
  EXPECT_EQ(
      with({"channels.rtl.flash_sequencer=my.so"}),
      "--set channels.rtl.flash_sequencer=my.so: error: channels.rtl.flash_sequencer = \"my.so\" has no effect with "
      "channels.model = tlm, expected channels.model = rtl: the model has no pins");
  EXPECT_EQ(with({"channels.rtl.flash_sequencer=my.so", "channels.model=rtl"}), "");
  EXPECT_EQ(
      with({"channels.rtl.flash_sequencer_exact=true", "channels.model=rtl"}),
      "--set channels.rtl.flash_sequencer_exact=true: error: channels.rtl.flash_sequencer_exact = true has no effect "
      "without channels.rtl.flash_sequencer, expected channels.rtl.flash_sequencer = the file of a block");
  EXPECT_EQ(
      with({"channels.rtl.flash_sequencer_exact=true", "channels.rtl.flash_sequencer=my.so", "channels.model=rtl"}),
      "");
}

TEST_F(Conflicts, CostsOfInstructionsAreInTheBuiltInTableAlready) {
  EXPECT_EQ(with({"cpu.model=native", "cpu.div_cycles=6"}),
            "--set cpu.div_cycles=6: error: cpu.div_cycles = 6 has no effect with cpu.model = native and its built-in "
            "costs, expected cpu.native_costs = a table that wordline calibrate firmware has made with it");
  EXPECT_EQ(with({"cpu.model=native", "cpu.div_cycles=18"}), "");
  EXPECT_EQ(with({"cpu.model=native", "cpu.misaligned=trap"}),
            "--set cpu.misaligned=trap: error: cpu.misaligned = trap has no effect with cpu.model = native, expected "
            "cpu.model = iss: native firmware has no instructions");
  EXPECT_EQ(with({"cpu.model=native", "cpu.translate=false"}),
            "--set cpu.translate=false: error: cpu.translate = false has no effect with cpu.model = native, expected "
            "cpu.model = iss: native firmware has no instructions");
  EXPECT_EQ(with({"cpu.model=native", "cpu.translate=true"}), "");
  EXPECT_EQ(with({"cpu.translate=false"}), "");
  EXPECT_EQ(with({"cpu.model=native", "cpu.div_cycles=6", "cpu.native_costs=\"mine\""}), "");
  EXPECT_EQ(with({"cpu.div_cycles=6", "cpu.load_use_cycles=1", "cpu.misaligned=trap"}), "");
}

TEST_F(Conflicts, WaveWindow) {
  EXPECT_EQ(with({"observe.waves_from=1ms", "observe.waves_to=1ms"}),
            "--set observe.waves_to=1ms: error: observe.waves_to is not after observe.waves_from, expected a later "
            "time, or 0 "
            "for the end of the run");
  EXPECT_EQ(with({"observe.waves_from=1ms"}), "");
}

TEST_F(Conflicts, WaveTrigger) {
  const auto trigger = [this](const std::string& text) {
    return with({"observe.waves=true", "observe.trigger=" + text});
  };
  for (const char* good : {"latency > 2ms", "read latency > 500us", "write latency>1s", " trim  latency > 0ps "}) {
    EXPECT_EQ(trigger(good), "") << good;
  }
  for (const char* bad : {"latency", "latency >", "latency < 2ms", "latency > 2", "latency > -2ms", "latency > 2ms 3",
                          "discard latency > 2ms", "latency >> 2ms", "latency > 2ms or write latency > 1ms"}) {
    EXPECT_EQ(trigger(bad), std::string("--set observe.trigger=") + bad + ": error: observe.trigger is \"" + bad +
                                "\", expected \"latency > 2ms\" or, of one operation, \"read latency > 500us\" "
                                "(read, write, trim or flush)");
  }
  EXPECT_EQ(with({"observe.trigger=latency > 2ms"}),
            "--set observe.trigger=latency > 2ms: error: observe.trigger = \"latency > 2ms\" has no effect with "
            "observe.waves = false, "
            "expected observe.waves = true");
  EXPECT_EQ(with({"observe.waves=true", "observe.trigger=latency > 2ms", "observe.waves_from=1ms"}),
            "--set observe.waves_from=1ms: error: observe.trigger says by itself what is recorded, expected "
            "observe.waves_from and observe.waves_to = 0");
  for (const char* key : {"observe.trigger_before", "observe.trigger_after", "observe.trigger_limit"}) {
    const std::string value = std::string(key).find("limit") != std::string::npos ? "2" : "3ms";
    EXPECT_EQ(with({"observe.waves=true", key + ("=" + value)}),
              "--set " + (key + ("=" + value)) + ": error: " + key +
                  " has no effect without observe.trigger, expected observe.trigger = \"latency > 2ms\" or the like");
  }
}

TEST_F(Conflicts, RecordedChannels) {
  EXPECT_EQ(with({"observe.waves=true", "observe.channels=[0]"}), "");
  EXPECT_EQ(with({"observe.waves=true", "channels.count=2", "observe.channels=[0, 2]"}),
            "--set observe.channels=[0, 2]: error: observe.channels has channel 2, expected channels below "
            "channels.count = 2");
  EXPECT_EQ(with({"observe.waves=true", "observe.channels=[0, 0]"}),
            "--set observe.channels=[0, 0]: error: observe.channels has channel 0 twice, expected it once");
  EXPECT_EQ(with({"observe.channels=[0]"}),
            "--set observe.channels=[0]: error: observe.channels has no effect with observe.waves = false, expected "
            "observe.waves = true");
  EXPECT_EQ(with({"observe.timeline=true", "observe.channels=[0]"}), "");
}

TEST_F(Conflicts, RecordedDies) {
  const std::string two = "channels.count=2", packages = "channels.packages=2", one = "channels.dies_per_package=1";
  EXPECT_EQ(with({"observe.waves=true", two, packages, one, "observe.dies=[0, 3]"}), "");
  EXPECT_EQ(with({"observe.waves=true", two, packages, one, "observe.dies=[4]"}),
            "--set observe.dies=[4]: error: observe.dies has die 4, expected dies below channels.count x packages x "
            "dies_per_package = 4");
  EXPECT_EQ(with({"observe.waves=true", "observe.dies=[1, 1]"}),
            "--set observe.dies=[1, 1]: error: observe.dies has die 1 twice, expected it once");
  EXPECT_EQ(with({"observe.dies=[1]"}),
            "--set observe.dies=[1]: error: observe.dies has no effect with observe.waves = false, expected "
            "observe.waves = true");
  EXPECT_EQ(with({"observe.waves=true", two, packages, one, "observe.channels=[0]", "observe.dies=[1]"}),
            "--set observe.dies=[1]: error: observe.dies has die 1, which is on channel 1, expected a die of "
            "observe.channels");
}

TEST_F(Conflicts, Timeline) {
  EXPECT_EQ(with({"observe.timeline=true", "observe.timeline_limit=1MiB"}), "");
  EXPECT_EQ(
      with({"observe.timeline_limit=1MiB"}),
      "--set observe.timeline_limit=1MiB: error: observe.timeline_limit = 1MiB has no effect with observe.timeline = "
      "false, expected observe.timeline = true");
  EXPECT_EQ(with({"observe.waves=true", "observe.timeline=true", "observe.trigger=latency > 1ms"}),
            "--set observe.trigger=latency > 1ms: error: observe.trigger keeps windows that are found afterwards, and "
            "observe.timeline is written as the run goes on, expected observe.timeline = false");
}

}  // namespace
}  // namespace wordline::testing::conflict_test
