// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Logical pages of 8 and 16 KiB: the host reads what it wrote, whatever handles them; and what they cost, against map
// units of their size, which keep logical pages of 4 KiB, and against the time of a codeword on the bus.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::logical_page_test {
namespace {

using Json = nlohmann::json;
using Keys = std::vector<std::string>;

constexpr const char* kSmall = "configs/ssds/small.toml";

Keys with(Keys keys, const Keys& more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

/// Requests that begin and end anywhere, beside others that are smaller than a logical page, on few of them.
constexpr const char* kAnywhere =
    "[global]\nnorandommap\nrandrepeat=1\n"
    "[few]\nrw=randrw\nbs=4k\nsize=1m\niodepth=16\nnumber_ios=9000\n"
    "[odd]\nrw=randrw\nbssplit=512/30:2560/40:20k/30\nblockalign=512\nsize=64m\niodepth=4\nnumber_ios=6000\n"
    "[trim]\nrw=randtrim\nbs=20k\nblockalign=4k\nsize=64m\niodepth=2\nnumber_ios=200\n";

Json run_of(const Keys& keys, const char* job = kAnywhere, std::vector<std::string> arguments = {"--verify-all"}) {
  return run_drive({kSmall, job, with({"precondition.fill=sequential"}, keys), std::move(arguments)}).result;
}

TEST(LogicalPages, HoldWhatTheHostWrote) {
  for (const char* size : {"8KiB", "16KiB"}) {
    for (const Keys& keys :
         std::vector<Keys>{{"cpu.model=native"},
                           {"cpu.model=iss"},
                           {"cpu.model=iss", "engines.parse=off"},
                           {"cpu.model=native", "engines.model=rtl"},
                           {"cpu.model=native", "ftl.map=page", "ftl.map_unit=32KiB"},
                           {"cpu.model=iss", "ftl.map=page", "ftl.map_access=port"},
                           {"cpu.model=native", "nand.blocks_per_plane=72", "ftl.over_provisioning=0.2",
                            "ftl.gc_buffer=4MiB", "engines.l2p=off", "ftl.map_cache=384KiB"},
                           {"cpu.model=native", "ftl.parity=dies"},
                           {"cpu.model=native", "ftl.write_back=false"},
                           {"cpu.model=native", "nvme.metadata=separate", "nand.spare=2400B"}}) {
      SCOPED_TRACE(std::string(size) + " " + keys.back());
      const Json r = run_of(with(keys, {std::string("ftl.logical_page=") + size}));
      EXPECT_EQ(r["status"], "completed");
      EXPECT_EQ(r["check"]["mismatches"], 0);
      EXPECT_GT(r["check"]["reads_checked"], 2000);
      EXPECT_GT(r["flash"]["erases"], 0);
    }
  }
}

// Codewords of a logical page are decoded by the gates; those behind the second have addresses of their own.
TEST(LogicalPages, PassTheDecodersInGates) {
  const Json r = run_of({"cpu.model=native", "ecc.model=rtl", "ftl.logical_page=16KiB"},
                        "[r]\nrw=randrw\nbs=6k\nblockalign=512\nsize=4m\nnumber_ios=150\n", {});
  EXPECT_EQ(r["status"], "completed");
  EXPECT_EQ(r["check"]["mismatches"], 0);
  EXPECT_EQ(r["ecc"]["rtl"]["decoded"].get<int>() % 8, 0);
  EXPECT_GT(r["ecc"]["rtl"]["decoded"], 8 * 100);
}

// A worn block with errors that need other references and soft reads.
TEST(LogicalPages, AreReadAgainWhole) {
  for (const char* retry : {"engines.retry=on", "engines.retry=off"}) {
    SCOPED_TRACE(retry);
    const Json r = run_of({"cpu.model=native", retry, "ftl.logical_page=16KiB", "nand.faults.moved_references=0.3",
                           "ecc.max_retries=7", "nand.faults.moved_steps=3"},
                          "[r]\nrw=randread\nbs=4k\niodepth=8\nnumber_ios=3000\n", {});
    EXPECT_EQ(r["status"], "completed");
    EXPECT_EQ(r["check"]["mismatches"], 0);
    EXPECT_GT(r["flash"]["retries"], 300);
    EXPECT_EQ(r["flash"]["uncorrectable"], 0);
  }
}

TEST(LogicalPages, KeepEveryPromiseWhenPowerIsCut) {
  for (const Keys& keys : std::vector<Keys>{{"ftl.logical_page=8KiB"},
                                            {"ftl.logical_page=16KiB"},
                                            {"ftl.logical_page=16KiB", "ftl.map=page", "ftl.map_access=port"}}) {
    SCOPED_TRACE(keys.back());
    std::vector<std::string> words{"crash-test", kSmall, "--workload", scratch_file("w.fio", kAnywhere),
                                   "--cuts",     "4",    "--seed",     "3"};
    for (const std::string& key :
         with(keys, {"cpu.model=native", "ftl.recovery=scan", "ftl.power_safe=false", "precondition.fill=none"})) {
      words.insert(words.end(), {"--set", key});
    }
    const CommandResult cut = wordline(words);
    EXPECT_EQ(cut.exit_code, 0) << cut.output;
    EXPECT_NE(cut.output.find("every promise was kept"), std::string::npos) << cut.output;
  }
}

// Both write a whole unit for 4 KiB. They share neither the unit of the map nor that of the buffer.
TEST(LogicalPages, WriteAsMuchAsMapUnitsOfTheirSize) {
  for (const char* size : {"8KiB", "16KiB"}) {
    SCOPED_TRACE(size);
    const auto waf = [&](const Keys& keys) {
      return run_drive({kSmall,
                        "[w]\nrw=randwrite\nbs=4k\niodepth=8\nnorandommap\nnumber_ios=40000\n",
                        with({"cpu.model=native", "precondition.fill=steady"}, keys),
                        {}})
          .result["flash"]["waf"]
          .get<double>();
    };
    const double units = waf({"ftl.map=page", std::string("ftl.map_unit=") + size});
    EXPECT_NEAR(waf({std::string("ftl.logical_page=") + size}), units, 0.02 * units);
  }
}

// A read of 4 KiB waits until the last codeword of the logical page is in and decoded: three times 4,648 bytes more at
// 800 MB/s for 16 KiB, six more codewords of 292 clocks of the decoder's stream behind it, and 12 KiB more of DRAM.
TEST(LogicalPages, CrossTheFlashBusWhole) {
  const auto mean_us = [&](const char* size) {
    return run_of({"cpu.model=native", "engines.parse=on", std::string("ftl.logical_page=") + size},
                  "[r]\nrw=randread\nbs=4k\niodepth=1\nnumber_ios=2000\n", {})["ios"]["read"]["lat_ps"]["mean"]
               .get<double>() *
           1e-6;
  };
  const double small = mean_us("4KiB");
  const double bus_us = 4648 / 800.0;
  for (const auto& [size, more] : {std::pair{"8KiB", 1}, {"16KiB", 3}}) {
    SCOPED_TRACE(size);
    const double longer = mean_us(size) - small;
    EXPECT_GT(longer, more * bus_us);
    EXPECT_LT(longer, more * (bus_us + 2 * 292 / 400.0 + 4096 / 12800.0));
  }
}

// The same drive with logical pages of 4 KiB and of 16: a fourth of the entries.
TEST(LogicalPages, NeedASmallerMap) {
  const CommandResult small = wordline({"check", kSmall});
  const CommandResult large = wordline({"check", kSmall, "--set", "ftl.logical_page=16KiB"});
  EXPECT_NE(small.output.find("logical pages of 4 KiB"), std::string::npos) << small.output;
  EXPECT_NE(large.output.find("logical pages of 16 KiB"), std::string::npos) << large.output;
}

TEST(LogicalPages, AreRefusedWhereTheyDoNotFit) {
  struct Case {
    Keys keys;
    const char* message;
  };
  for (const Case& c : std::vector<Case>{
           {{"nand.page=4KiB", "ftl.logical_page=16KiB"},
            "ftl.logical_page is 16384 bytes with nand.page of 4096, expected a size that divides the page, or auto"},
           {{"ftl.logical_page=16KiB", "ftl.map=page", "ftl.map_unit=8KiB"},
            "ftl.map_unit is smaller than ftl.logical_page = 16 KiB, expected at least one logical page"},
           {{"ftl.logical_page=16KiB", "nvme.max_transfer_sectors=256"},
            "nvme.max_transfer_sectors is 256 logical pages of 16 KiB, expected at most 128"},
           {{"ftl.logical_page=8KiB", "ftl.map_cache=512KiB", "engines.l2p=off", "nvme.hmb=1MiB"},
            "nvme.hmb with ftl.logical_page = 8 KiB, expected 4KiB or auto"},
           {{"ftl.logical_page=4KiB", "ftl.policy=mpnfm", "nand.region.blocks_per_plane=8"},
            "ftl.logical_page with nand.region, expected ftl.logical_page = auto"}}) {
    std::vector<std::string> words{"check", kSmall};
    for (const std::string& key : c.keys) words.insert(words.end(), {"--set", key});
    const CommandResult check = wordline(words);
    EXPECT_EQ(check.exit_code, 2) << c.message;
    EXPECT_NE(check.output.find(c.message), std::string::npos) << check.output;
  }
}

}  // namespace
}  // namespace wordline::testing::logical_page_test
