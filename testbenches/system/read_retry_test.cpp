// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Worn drives whose firmware controls the read retry (engines.retry = off) against the same with the controller in
// hardware.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::read_retry_test {
namespace {

using Sets = std::vector<std::string>;

Sets worn(const std::string& retry, Sets more = {}) {
  Sets sets{"engines.retry=" + retry, "precondition.fill=sequential", "nand.aging.pe_cycles=2000",
            "nand.aging.retention_days=365"};
  sets.insert(sets.end(), more.begin(), more.end());
  return sets;
}

double mean_latency(const nlohmann::json& result) { return result["ios"]["read"]["lat_ps"]["mean"].get<double>(); }

void expect_same_flash(const nlohmann::json& a, const nlohmann::json& b) {
  for (const char* what : {"retries", "retries_by_layer", "soft_reads", "uncorrectable", "reads"}) {
    EXPECT_EQ(a["flash"][what], b["flash"][what]) << what;
  }
}

class RetryPlaces : public ::testing::TestWithParam<const char*> {};

// One read after the other: the die sees the same, sense by sense.
TEST_P(RetryPlaces, TakeTheSameStepsOneReadAfterTheOther) {
  const std::string ecc = GetParam();
  const auto run = [&](const std::string& retry) {
    return run_drive(
               {"configs/ssds/retry.toml",
                "[a]\nrw=randread\nbs=4k\niodepth=1\nnumber_ios=" + std::string(ecc == "rtl" ? "12" : "400") + "\n",
                {"ecc.model=" + ecc, "engines.retry=" + retry, "cpu.model=native"},
                {}})
        .result;
  };
  const auto hardware = run("on");
  const auto firmware = run("off");
  EXPECT_GT(hardware["flash"]["retries"].get<int>(), 10);
  EXPECT_GE(hardware["flash"]["soft_reads"].get<int>(), 3);
  expect_same_flash(hardware, firmware);
  EXPECT_GT(mean_latency(firmware), mean_latency(hardware)) << "the turn through the firmware";
  EXPECT_LT(mean_latency(firmware), mean_latency(hardware) * 1.05) << "and nothing else";
  EXPECT_FALSE(hardware["firmware_cycles"].contains("ftl_retry"));
  EXPECT_TRUE(firmware["firmware_cycles"].contains("ftl_retry"));
}
INSTANTIATE_TEST_SUITE_P(Models, RetryPlaces, ::testing::Values("calibrated", "rtl"));

// Of every retry, the layer is known, wherever the read begins: steps that the table of optimal references saved are
// none.
TEST(RetriesByLayer, AddUpToTheRetries) {
  for (const char* retry : {"on", "off"}) {
    for (const char* ort : {"retry", "first"}) {
      SCOPED_TRACE(retry + std::string(", ORT ") + ort);
      const auto result = run_drive({"configs/ssds/small.toml",
                                     "[a]\nrw=randread\nbs=4k\niodepth=8\nnumber_ios=600\n",
                                     worn(retry, {"cpu.model=native", "ecc.ort=" + std::string(ort)}),
                                     {}})
                              .result;
      const auto by_layer = result["flash"]["retries_by_layer"].get<std::vector<std::uint64_t>>();
      const std::uint64_t retries = result["flash"]["retries"];
      EXPECT_GT(retries, 20U);
      EXPECT_EQ(std::accumulate(by_layer.begin(), by_layer.end(), std::uint64_t{0}), retries);
      EXPECT_LT(std::count(by_layer.begin(), by_layer.end(), 0U), 3) << "two layers of four at least";
    }
  }
}

// The vertical program order puts other pages into an h-layer, and a read of a page has many logical pages.
TEST(RetryByFirmware, KnowsTheLayersAndTheLogicalPagesThatAreLeft) {
  const auto run = [](const std::string& retry) {
    return run_drive({"configs/ssds/small.toml",
                      "[a]\nrw=randread\nbs=32k\niodepth=1\nnumber_ios=300\n",
                      worn(retry, {"nand.program_order=vertical", "cpu.model=native", "ecc.max_retries=2"}),
                      {}})
        .result;
  };
  const auto hardware = run("on");
  EXPECT_GT(hardware["flash"]["retries"].get<int>(), 50);
  expect_same_flash(hardware, run("off"));
}

// With many reads at once the die is free between attempts, so reads meet another state of the table: equal in the mean
// only.
TEST(RetryByFirmware, TakesAboutAsManyStepsWhenReadsOverlap) {
  for (const char* engines : {"", "engines.completion=on", "engines.job=on", "all"}) {
    SCOPED_TRACE(engines);
    const auto run = [&](const std::string& retry) {
      Sets sets{"cpu.model=native"};
      if (engines == std::string("all")) {
        for (const char* name : {"l2p", "buffer", "job", "completion", "gc"})
          sets.push_back("engines." + std::string(name) + "=on");
      } else if (engines[0] != '\0') {
        sets.emplace_back(engines);
      }
      return run_drive({"configs/ssds/default.toml",
                        "[a]\nrw=randread\nbs=4k\niodepth=32\nnumber_ios=8000\n",
                        worn(retry, sets),
                        {}})
          .result;
    };
    const auto hardware = run("on");
    const auto firmware = run("off");
    EXPECT_GT(hardware["flash"]["retries"].get<int>(), 2000);
    EXPECT_NEAR(firmware["flash"]["retries"].get<double>() / hardware["flash"]["retries"].get<double>(), 1.0, 0.04);
    EXPECT_EQ(firmware["flash"]["uncorrectable"], 0);
    EXPECT_EQ(firmware["check"]["mismatches"], 0);
  }
}

TEST(RetryByFirmware, NativeMeansWhatIssMeasures) {
  const auto run = [](const std::string& cpu) {
    return run_drive({"configs/ssds/default.toml",
                      "[a]\nrw=randread\nbs=4k\niodepth=32\nnumber_ios=6000\n",
                      worn("off", {"cpu.model=" + cpu, "cpu.cores=1", "cpu.task_core=[0,0,0]"}),
                      {}})
        .result;
  };
  const auto iss = run("iss");
  const auto native = run("native");
  EXPECT_GT(iss["flash"]["retries"].get<int>(), 1000);
  EXPECT_NEAR(mean_latency(native) / mean_latency(iss), 1.0, 0.03);
}

// Reads, parts of logical pages and GC on a drive whose pages fail, of which some are lost.
TEST(RetryByFirmware, CollectsAndWritesPartsOfPagesThatFail) {
  for (const Sets& sets : {Sets{"cpu.model=native"}, Sets{"cpu.model=iss", "engines.completion=on"}}) {
    Sets all = worn("off", {"nand.aging.pe_cycles=3000"});
    all.insert(all.end(), sets.begin(), sets.end());
    const auto run = run_drive({"configs/ssds/small.toml",
                                "[a]\nrw=randrw\nrwmixread=25\nbs=4k\nnorandommap\niodepth=32\nio_size=25%\n"
                                "[b]\nrw=randrw\nbs=2560\niodepth=4\nnumber_ios=200\n",
                                all,
                                {}});
    EXPECT_EQ(run.result["check"]["mismatches"], 0);
    EXPECT_GT(run.result["flash"]["erases"].get<int>(), 0);
    EXPECT_GT(run.result["flash"]["retries"].get<int>(), 500);
  }
}

// cube.first_read, cube.read.reuse: with entries by block the first read of each h-layer of a block pays, and no other.
// nand.faults.moved_references: each h-layer of a block is read at one step only. Retries find it from any other.
TEST(MovedReferences, AreFoundByHardwareAndFirmwareWithEachTableOfReferences) {
  constexpr int kReads = 6000;
  constexpr double kGroups = 4 * 64 / 1.15 * 4;  // h-layers of blocks that hold data
  const auto run = [](const std::string& retry, const Sets& ort) {
    Sets sets{"cpu.model=native", "precondition.fill=sequential", "nand.faults.moved_references=1.0",
              "engines.retry=" + retry};
    sets.insert(sets.end(), ort.begin(), ort.end());
    const std::string job =
        "[a]\nrw=randread\nbs=4k\niodepth=1\nnorandommap\nnumber_ios=" + std::to_string(kReads) + "\n";
    const auto result = run_drive({"configs/ssds/small.toml", job, sets, {}}).result;
    EXPECT_EQ(result["flash"]["uncorrectable"], 0);
    EXPECT_EQ(result["flash"]["soft_reads"], 0);
    EXPECT_EQ(result["check"]["mismatches"], 0);
    return result;
  };
  const auto retries = [&](const Sets& ort) {
    const auto hardware = run("on", ort);
    expect_same_flash(hardware, run("off", ort));
    return hardware["flash"]["retries"].get<int>();
  };
  const int off = retries({"ecc.ort=off"});
  EXPECT_NEAR(off, 2 * kReads, 0.1 * kReads) << "one, two or three steps, each as often";
  const int by_die = retries({"ecc.ort=first", "ecc.max_retries=7"});
  EXPECT_NEAR(by_die, off, 0.1 * off) << "blocks of a die have nothing in common";
  const int by_block = retries({"ecc.ort=first", "ecc.ort_scope=block"});
  EXPECT_NEAR(by_block, 2 * kGroups, 0.1 * kGroups) << "the first read of each pays";
  EXPECT_NEAR(retries({"ecc.ort=retry", "ecc.ort_scope=block"}), by_block + kReads - kGroups, 0.02 * kReads)
      << "every other read takes one";
}

TEST(MovedReferences, AShareOfTheReadsNeedsRetriesWhenAllIsOverwritten) {
  const auto run = run_drive({"configs/ssds/small.toml",
                              "[a]\nrw=randrw\nrwmixread=30\nbs=16k\nnorandommap\niodepth=8\nio_size=150%\n",
                              {"cpu.model=native", "precondition.fill=sequential", "nand.faults.moved_references=0.3",
                               "nand.faults.moved_steps=1", "ecc.ort=off"},
                              {}});
  EXPECT_EQ(run.result["check"]["mismatches"], 0);
  EXPECT_EQ(run.result["flash"]["uncorrectable"], 0);
  EXPECT_GT(run.result["blocks"]["superblock_erases"].get<int>(), 20);
  const double share = run.result["flash"]["retries"].get<double>() / run.result["flash"]["reads"].get<double>();
  EXPECT_NEAR(share, 0.3 / 1.3, 0.03) << "flash.reads has the repeated ones, too";
}

/// The line that says which command failed and how.
std::string failure(const std::string& retry, const std::string& steps) {
  const auto folder = scratch_folder();
  const auto job = scratch_file("job.fio", "[a]\nrw=randread\nbs=4k\niodepth=1\nnumber_ios=200\n");
  const CommandResult run =
      wordline({"run", "configs/ssds/retry.toml", "--workload", job, "--set", "engines.retry=" + retry, "--set",
                "ecc.model=calibrated", "--set", "cpu.model=native", "--set", "ecc.max_soft=0", "--set",
                "ecc.max_retries=" + steps, "--set", "host.on_error=stop", "--out", folder + "/out"});
  EXPECT_NE(run.exit_code, 0);
  const std::size_t at = run.output.find("failed: ");
  if (at == std::string::npos) return "nothing failed";
  const std::size_t begin = run.output.rfind('\n', at) + 1;
  return run.output.substr(begin, run.output.find(" (at ", at) - begin);
}

// Without soft reads and with one step or none, pages are lost: the same ones, and the host hears of it in the same
// way.
TEST(RetryByFirmware, LosesWhatHardwareLoses) {
  for (const char* steps : {"1", "0"}) {
    const std::string line = failure("on", steps);
    EXPECT_NE(line.find("status type 2 code 81h"), std::string::npos) << line;
    EXPECT_EQ(failure("off", steps), line);
  }
}

}  // namespace
}  // namespace wordline::testing::read_retry_test
