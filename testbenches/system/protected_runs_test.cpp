// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// `wordline run` on drives whose blocks have metadata: the host makes them, or has the controller make them, and every
// read is checked; and what they cost, to the picosecond.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "models/checks/load.h"
#include "models/units/quantity.h"
#include "testbenches/system/run_drive.h"

namespace wordline::testing::protected_runs_test {
namespace {

constexpr const char* kJobs =
    "[a]\nfilename=/dev/nvme0n1\nrw=randrw\nbs=4k\niodepth=16\nnumber_ios=3000\n"
    "[b]\nfilename=/dev/nvme0n2\nrw=randtrim\nbs=64k\nnumber_ios=100\n"
    "[c]\nfilename=/dev/nvme0n3\nrw=randwrite\nbs=128k\nfsync=20\nnumber_ios=150\n"
    "[across]\nrw=randrw\nbs=300k\niodepth=4\nnumber_ios=200\n"
    "[trims]\nrw=randtrim\nbs=8m\nnumber_ios=10\n";

class ProtectedRuns : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(ProtectedRuns, KeepTheirData) {
  std::vector<std::string> sets = {"nvme.namespaces=[0.3, 0.5, 0.2]", "ftl.power_safe=false",
                                   "precondition.fill=sequential"};
  sets.insert(sets.end(), GetParam().begin(), GetParam().end());
  const RunResult run = run_drive({"configs/ssds/small.toml", kJobs, sets, {"--verify-all"}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_GT(run.result["check"]["reads_checked"].get<int>(), 900);
  EXPECT_GT(run.result["flash"]["erases"].get<int>(), 0) << "GC moves tuples";
}
INSTANTIATE_TEST_SUITE_P(
    Drives, ProtectedRuns,
    ::testing::Values(std::vector<std::string>{"cpu.model=native", "nvme.lba_size=4KiB", "nvme.metadata=separate"},
                      std::vector<std::string>{"cpu.model=iss", "nvme.lba_size=4KiB", "nvme.metadata=separate",
                                               "nvme.protection=type1"},
                      std::vector<std::string>{"cpu.model=native", "nand.spare=2400B", "nvme.metadata=interleaved",
                                               "nvme.protection=type1"},
                      std::vector<std::string>{"cpu.model=native", "nand.spare=2400B", "nvme.metadata=separate",
                                               "nvme.protection=type2", "host.data_pointers=sgl"},
                      std::vector<std::string>{"cpu.model=native", "nand.spare=2400B", "nvme.metadata=interleaved",
                                               "nvme.protection=type3", "host.data_pointers=sgl",
                                               "host.buffers=contiguous"},
                      std::vector<std::string>{"cpu.model=iss", "nand.spare=2400B", "nvme.metadata=interleaved",
                                               "nvme.protection=type3", "host.protection=insert"},
                      std::vector<std::string>{"cpu.model=native", "nvme.lba_size=4KiB", "nvme.metadata=separate",
                                               "nvme.protection=type1", "host.protection=insert", "ftl.map=page"},
                      std::vector<std::string>{"cpu.model=native", "nand.spare=2400B", "nvme.metadata=separate",
                                               "nvme.protection=type1", "engines.l2p=on", "engines.buffer=on",
                                               "engines.job=on", "engines.completion=on", "engines.gc=on"}));

/// The sum of the latencies of reads one at a time, of the same logical pages on the same flash.
Picoseconds sum_of(std::vector<std::string> sets) {
  sets.insert(sets.end(), {"cpu.model=native", "precondition.fill=sequential"});
  const RunResult run = run_drive({"configs/ssds/small.toml", "[a]\nrw=randread\nbs=4k\nnumber_ios=200\n", sets, {}});
  EXPECT_EQ(run.result["ios"]["read"]["count"], 200);
  return Picoseconds(run.result["ios"]["read"]["lat_ps"]["sum"].get<std::int64_t>());
}

TEST(ProtectedReads, TakeTheTimeOfTheirBytes) {
  const config::Config config = config::load(WORDLINE_SOURCE "/configs/ssds/small.toml", {}).config;
  const auto dram = [&](std::uint64_t bytes) { return transfer_time(bytes, config.dram.bandwidth); };
  const auto link = [&](std::uint64_t bytes) {
    const std::uint64_t packets = (bytes + config.link.max_payload.count() - 1) / config.link.max_payload.count();
    return transfer_time(bytes + packets * config.link.tlp_overhead.count(), config.link.bandwidth);
  };
  const std::string large = "nvme.lba_size=4KiB", separate = "nvme.metadata=separate",
                    interleaved = "nvme.metadata=interleaved", protects = "nvme.protection=type1",
                    inserts = "host.protection=insert", room = "nand.spare=2400B";
  const Picoseconds without = sum_of({});
  EXPECT_EQ(sum_of({room}), without) << "room alone costs nothing";
  const auto more = [&](std::vector<std::string> sets) { return (sum_of(std::move(sets)) - without) / 200; };
  // Eight bytes with 4 KiB: into the data buffer, out of it, and over the link.
  const Picoseconds pass8 = dram(4104) - dram(4096), among8 = link(4104) - link(4096);
  EXPECT_EQ(more({large, separate}), pass8 + link(8)) << "a transfer of their own; out of the buffer behind the data";
  EXPECT_EQ(more({large, separate, protects}), pass8 + link(8)) << "checks are free";
  EXPECT_EQ(more({large, interleaved, protects}), pass8 + pass8 + among8);
  EXPECT_EQ(more({large, interleaved, protects, inserts}), pass8 + pass8) << "the controller drops them";
  // 64 bytes with eight blocks of 512; 48 of them, 24 to a codeword, make the page on the bus longer: 800 MT/s.
  const Picoseconds pass64 = dram(4160) - dram(4096), among64 = link(4160) - link(4096), bus{48 * 1250};
  EXPECT_EQ(more({room, separate, protects}), bus + pass64 + link(64));
  EXPECT_EQ(more({room, interleaved, protects}), bus + pass64 + pass64 + among64);
  EXPECT_EQ(more({room, separate, protects, inserts}), bus + pass64 + pass64);
}

}  // namespace
}  // namespace wordline::testing::protected_runs_test
