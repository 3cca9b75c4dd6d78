// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::data_integrity_test {
namespace {

// The drive is overwritten three times at random, then read: nothing is lost, and WAF is what the dies say.
TEST(Overwrite, ThreeTimesWithCollection) {
  const auto run = run_drive({"configs/ssds/small.toml",
                              "[global]\nrw=randwrite\nbs=4k\niodepth=32\nnorandommap\nio_size=300%\n[overwrite]\n",
                              {"cpu.model=native", "precondition.fill=sequential"},
                              {"--verify-all"}});
  const auto& flash = run.result["flash"];
  EXPECT_GT(flash["erases"].get<std::uint64_t>(), 0U);
  const double host_lpages = flash["host_bytes_written"].get<double>() / 4096;
  const double programmed = flash["sectors_programmed"].get<double>();
  EXPECT_GT(programmed, host_lpages);
  // WAF is reported from the firmware's side; the dies counted their programs on their own.
  EXPECT_NEAR(flash["waf"].get<double>(), programmed / host_lpages, 1e-3);
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GE(run.result["check"]["reads_checked"].get<std::uint64_t>(), 1U);
}

// Without bad blocks a superblock is the blocks of one number, and both sides count its erases, also those before the
// run: the firmware when it asks for one, the dies when they have done it.
TEST(WearMap, TheDiesCountTheErasesOfTheFirmware) {
  const auto run = run_drive({"configs/ssds/small.toml",
                              "[overwrite]\nrw=randwrite\nbs=4k\niodepth=32\nnorandommap\nio_size=100%\n",
                              {"cpu.model=native", "precondition.fill=sequential", "precondition.overwrites=1"},
                              {}});
  const auto& blocks = run.result["blocks"];
  const auto erases = blocks["erases_by_block"].get<std::vector<std::uint64_t>>();
  ASSERT_GT(erases.size(), 10U);
  EXPECT_NEAR(*std::max_element(erases.begin(), erases.end()), blocks["erases_max"].get<double>(), 1);
  EXPECT_NEAR(*std::min_element(erases.begin(), erases.end()), blocks["erases_min"].get<double>(), 1);
  const double sum = std::accumulate(erases.begin(), erases.end(), 0.0);
  EXPECT_NEAR(sum, blocks["superblock_erases"].get<double>(), 2);
  EXPECT_GT(sum, 1.2 * run.result["flash"]["erases"].get<double>() / 4) << "erases before the run, on four dies";
}

TEST(Misaligned, TraceIsReadBackBlockByBlock) {
  const auto run = run_drive(
      {"configs/ssds/small.toml", "testbenches/system/data/misaligned.csv", {"cpu.model=native"}, {"--verify-all"}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GT(run.result["ios"]["write"]["count"].get<int>(), 100);
}

double sum_of_parts(const nlohmann::json& flash) {
  double sum = 0;
  for (const auto& part : flash["waf_parts"]) sum += part.get<double>();
  return sum;
}

// Blocks of 512 bytes, far apart: each one programs 4 KiB, seven eighths of which were there before.
TEST(WriteAmplification, OfBlocksIsWhatTheDiesProgram) {
  const auto run = run_drive({"configs/ssds/small.toml",
                              "[blocks]\nrw=randwrite\nbs=512\nnorandommap\niodepth=8\nnumber_ios=6000\n",
                              {"cpu.model=native", "precondition.fill=sequential", "ftl.over_provisioning=1.0"},
                              {}});
  const auto& flash = run.result["flash"];
  const double host_lpages = flash["host_bytes_written"].get<double>() / 4096;
  EXPECT_EQ(flash["waf_parts"]["gc"], 0.0);
  EXPECT_NEAR(flash["waf"].get<double>(), sum_of_parts(flash), 1e-4);
  // Of what has left the buffer. A block now and then meets its logical page in the buffer.
  const double left = flash["sectors_programmed"].get<double>() / (6000 - flash["buffered_sectors"].get<double>());
  EXPECT_NEAR(left, 1.0, 0.02);
  EXPECT_NEAR((flash["waf"].get<double>() + flash["buffered_sectors"].get<double>() / host_lpages) / 8, 1.0, 0.01);
  EXPECT_NEAR(flash["waf_parts"]["merge"].get<double>() / flash["waf_parts"]["host"].get<double>(), 7.0, 0.01);
}

// Short, and the firmware is behind the host: commands that are completed count, whether it has looked at them or not.
TEST(WriteAmplification, CountsTheBytesThatTheHostHasWritten) {
  const auto run = run_drive({"configs/ssds/default.toml",
                              "[short]\nrw=randwrite\nbs=4k\niodepth=64\nnumber_ios=3000\n",
                              {"cpu.model=native"},
                              {}});
  const auto& flash = run.result["flash"];
  const double bytes = flash["host_bytes_written"].get<double>();
  EXPECT_EQ(bytes, 3000 * 4096);
  const double units = 4 * 24 * 4096 / bytes;  // that the dies have ended and the firmware has not seen
  EXPECT_NEAR(flash["waf"].get<double>(), flash["sectors_programmed"].get<double>() * 4096 / bytes, units);
  EXPECT_NEAR(flash["waf"].get<double>(), sum_of_parts(flash), 1e-4);
}

// Requests that begin and end within logical pages.
TEST(WriteAmplification, OfAMisalignedTraceIsBytesOfTheDiesOverBytesOfTheTrace) {
  const auto run = run_drive({"configs/ssds/small.toml",
                              "testbenches/system/data/misaligned.csv",
                              {"cpu.model=native", "ftl.write_buffer=192KiB"},
                              {}});
  const auto& flash = run.result["flash"];
  const double bytes = flash["host_bytes_written"].get<double>();
  EXPECT_NEAR(flash["waf"].get<double>(), flash["sectors_programmed"].get<double>() * 4096 / bytes, 1e-4);
  EXPECT_NEAR(flash["waf"].get<double>(), sum_of_parts(flash), 1e-4);
  EXPECT_GT(flash["waf"].get<double>() + flash["buffered_sectors"].get<double>() * 4096 / bytes, 1.05);
  EXPECT_GT(flash["waf_parts"]["merge"].get<double>(), 0.05);
}

// Whole logical pages are deallocated; of those that a request covers in part, nothing changes.
TEST(Deallocate, PartsOfLogicalPages) {
  const auto run =
      run_drive({"configs/ssds/small.toml",
                 "[global]\nnorandommap\niodepth=4\n[trim]\nrw=randtrim\nbs=6k\nnumber_ios=2000\n"
                 "[nothing]\nrw=randtrim\nbs=2k\nnumber_ios=500\n"
                 "[read]\nrw=randread\nbs=4k\nnumber_ios=4000\n[write]\nrw=randwrite\nbs=3k\nnumber_ios=500\n",
                 {"cpu.model=native", "precondition.fill=sequential"},
                 {"--verify-all"}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_EQ(run.result["ios"]["trim"]["count"], 2500) << "those that cover no logical page end, too";
}

// Read commands of many pieces and a read buffer of a few pages: one that waits for room is always woken.
TEST(FewReadSlots, LongReadsEnd) {
  for (const char* size : {"24KiB", "32KiB"}) {
    const auto run =
        run_drive({"configs/ssds/small.toml",
                   "[global]\nnorandommap\n[mixed]\nrw=randrw\nbs=4k\niodepth=4\nnumber_ios=50\n"
                   "[overwrite]\nrw=randwrite\nbs=16k\niodepth=64\nio_size=30%\n",
                   {"cpu.model=native", "channels.dies_per_package=2", "nand.blocks_per_plane=20", "nand.layers=2",
                    "nand.wls_per_layer=1", "nand.page=4KiB", "host.model=direct", "cpu.clock=50MHz",
                    "ftl.over_provisioning=1.958", "ftl.write_buffer=512KiB", "engines.l2p=on", "engines.job=on",
                    "engines.completion=on", "run.seed=15", std::string("ftl.read_buffer=") + size},
                   {"--verify-all"}});
    EXPECT_EQ(run.result["check"]["mismatches"], 0) << size;
  }
}

// Blocks that were bad from the start and blocks that wear out: the firmware repeats what failed elsewhere.
TEST(FailingFlash, LosesNothing) {
  const auto run =
      run_drive({"configs/ssds/small.toml",
                 "[global]\nrw=randwrite\nbs=4k\niodepth=16\nnorandommap\nio_size=200%\n[overwrite]\n",
                 {"cpu.model=native", "nand.aging.pe_cycles=3000", "nand.faults.erase_failures=0.0005",
                  "nand.faults.program_failures=0.0005", "nand.faults.bad_blocks=0.01", "ftl.over_provisioning=0.6"},
                 {"--verify-all"}});
  EXPECT_GT(run.result["flash"]["failures"].get<std::uint64_t>(), 5U);
  EXPECT_GT(run.result["flash"]["erases"].get<std::uint64_t>(), 0U);
  EXPECT_EQ(run.result["flash"]["uncorrectable"], 0);
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GE(run.result["check"]["reads_checked"].get<std::uint64_t>(), 1U);
}

// Arrays by operation sum to the arrays, and the consumers to the total.
TEST(Energy, PartsSumToTheTotal) {
  const auto run = run_drive({"configs/ssds/small.toml",
                              "[global]\nrw=randrw\nbs=4k\niodepth=8\nnorandommap\nio_size=20%\n[mix]\n",
                              {"cpu.model=native", "precondition.fill=sequential"},
                              {}});
  const auto& energy = run.result["energy_pj"];
  const auto& parts = energy["nand_array_by_operation"];
  const auto value = [](const nlohmann::json& j) { return j.get<double>(); };
  EXPECT_NEAR(value(parts["read"]) + value(parts["program"]) + value(parts["erase"]), value(energy["nand_array"]), 2);
  EXPECT_NEAR(value(energy["nand_array"]) + value(energy["nand_standby"]) + value(energy["nand_bus"]),
              value(energy["total"]), 2);
  // 3.3 V, 25 mA: reads of 37, 46 and 37 us, one-shot programs of 700.2 us in two planes; standby of 4 dies at 10 uA,
  // once.
  const double reads = run.result["flash"]["reads"].get<double>();
  const double programs = run.result["flash"]["programs"].get<double>();
  EXPECT_NEAR(value(parts["program"]), 2 * programs * 3.3 * 0.025 * 700.2e6, 1e-6 * value(parts["program"]));
  EXPECT_GE(value(parts["read"]), reads * 3.3 * 0.025 * 37e6 * (1 - 1e-9));
  EXPECT_LE(value(parts["read"]), reads * 3.3 * 0.025 * 46e6 * (1 + 1e-9));
  EXPECT_NEAR(value(energy["nand_standby"]), 4 * 3.3 * 10e-6 * run.result["simulated_ps"].get<double>(), 2);
}

// A write of more logical pages than one round looks at holds slots before its piece is complete. Writes that had
// waited for a logical page used to be taken up in front of it, and waited for these slots for ever: the drive stood
// still with seed 104.
TEST(SmallWriteBuffer, AWriteThatHoldsAPartOfItsPieceIsNotOvertaken) {
  const std::string job =
      "[global]\nnorandommap\n[job0]\nrw=read\nbs=16k\niodepth=1\nnumber_ios=44\n[job1]\nrw=randrw\nbs=128k\n"
      "iodepth=1\nnumber_ios=46\n[job2]\nrw=randread\nbs=4k\niodepth=32\nnumber_ios=44\n[overwrite]\nrw=randwrite\n"
      "bs=16k\niodepth=64\nio_size=30%\n[hot0]\nrw=randrw\nbs=4k\niodepth=8\nnumber_ios=345\nsize=16k\n"
      "io_size=100000%\n[hot1]\nrw=randrw\nbs=512\niodepth=8\nnumber_ios=216\nsize=16k\nio_size=100000%\nfsync=8\n";
  for (int seed = 100; seed <= 107; ++seed) {
    const auto run = run_drive(
        {"configs/ssds/small.toml",
         job,
         {"cpu.model=native", "cpu.clock=50MHz", "nand.cell=qlc", "nand.timing.senses_per_page=[]",
          "nand.ispp.step=90mV", "nand.ispp.window=2900mV", "nand.page=2KiB", "nand.planes=4", "nand.layers=1",
          "ftl.over_provisioning=0.668", "ftl.gc_reserve_superblocks=3", "ftl.write_buffer=96KiB",
          "ftl.gc_buffer=36KiB", "precondition.fill=steady", "engines.copy=on", "channels.pair_planes=false",
          "link.bandwidth=20MB/s", "host.model=direct", "run.seed=" + std::to_string(seed)},
         {"--verify-all"}});
    EXPECT_EQ(run.result["status"], "completed") << seed;
  }
}

}  // namespace
}  // namespace wordline::testing::data_integrity_test
