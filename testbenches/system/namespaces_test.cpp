// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whole drives with several namespaces and both LBA formats.
#include <gtest/gtest.h>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::namespaces_test {
namespace {

/// Each namespace has its jobs; one job crosses their borders, with reads of 300 KiB and trims, which the host splits.
constexpr const char* kJobs =
    "[global]\nnorandommap\n"
    "[a]\nfilename=/dev/nvme0n1\nrw=randrw\nbs=4k\niodepth=16\nnumber_ios=1500\n"
    "[b]\nfilename=/dev/nvme0n2\nrw=randtrim\nbs=64k\nnumber_ios=100\n"
    "[c]\nfilename=/dev/nvme0n3\nrw=randwrite\nbs=128k\nfsync=20\nnumber_ios=150\n"
    "[across]\nrw=randrw\nbs=300k\niodepth=4\nnumber_ios=200\n"
    "[trims]\nrw=randtrim\nbs=8m\nnumber_ios=10\n";

class Namespaces : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  [[nodiscard]] static RunResult run(const std::string& lba_size) {
    return run_drive({"configs/ssds/small.toml",
                      kJobs,
                      {std::string("cpu.model=") + std::get<0>(GetParam()),
                       std::string("engines.parse=") + std::get<1>(GetParam()), "nvme.namespaces=[0.3, 0.5, 0.2]",
                       "nvme.lba_size=" + lba_size, "ftl.power_safe=false", "precondition.fill=sequential"},
                      {"--verify-all"}});
  }
};

TEST_P(Namespaces, KeepTheirDataAndTheFormatCostsNothing) {
  const RunResult small = run("512B"), large = run("4KiB");
  for (const RunResult* each : {&small, &large}) {
    EXPECT_EQ(each->result["check"]["mismatches"], 0);
    EXPECT_GT(each->result["check"]["reads_checked"].get<int>(), 900);
    EXPECT_EQ(each->result["ios"]["trim"]["count"], 110);
  }
  for (const char* op : {"read", "write", "trim"}) {
    EXPECT_EQ(small.result["ios"][op], large.result["ios"][op]) << op;
  }
}
INSTANTIATE_TEST_SUITE_P(Drives, Namespaces,
                         ::testing::Combine(::testing::Values("native", "iss"), ::testing::Values("on", "off")),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)) + "_parse_" + std::get<1>(info.param);
                         });

TEST(NamespacesOfARun, ARequestInsideOfABlockIsNamed) {
  const CommandResult run = wordline({"run", "configs/ssds/small.toml", "--workload",
                                      scratch_file("job.fio", "[a]\nrw=randwrite\nbs=512\nnumber_ios=9\n"), "--set",
                                      "nvme.lba_size=4KiB", "--out", scratch_folder() + "/out"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.output.find("begins or ends inside of a logical block of 4096 bytes: use nvme.lba_size = 512B"),
            std::string::npos)
      << run.output;
}

}  // namespace
}  // namespace wordline::testing::namespaces_test
