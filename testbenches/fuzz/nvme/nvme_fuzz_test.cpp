// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/nvme/nvme_fuzz.h"

#include <gtest/gtest.h>

#include "models/checks/load.h"

namespace wordline::fuzz {
namespace {

/// `more`: classes that not every drive has.
void expect_no_failure(const std::vector<std::string>& sets, std::uint64_t commands,
                       const std::vector<const char*>& more = {}) {
  const Tally tally = fuzz_nvme(WORDLINE_SMALL_DRIVE, sets, commands, 1);
  for (const std::string& message : tally.messages()) ADD_FAILURE() << message;
  EXPECT_GE(tally.total().accepted, commands / 3);
  EXPECT_GE(tally.total().refused, commands / 3);
  // Each of these has its turn in a run of this length.
  for (const char* input_class : {"read, checked",
                                  "write, checked",
                                  "PRP outside of memory",
                                  "PRP list that loops",
                                  "hostile SGL",
                                  "write, in part outside of memory",
                                  "queue of any bits",
                                  "controller reset under load",
                                  "subsystem reset under load",
                                  "function reset under load",
                                  "asynchronous event request",
                                  "unwritten blocks are errors",
                                  "verify, guarded",
                                  "compare",
                                  "write uncorrectable",
                                  "copy",
                                  "copy, hostile range",
                                  "copy, hostile destination",
                                  "admin: abort",
                                  "admin: format, refused",
                                  "format"}) {
    EXPECT_EQ(tally.rows().count(input_class), 1U) << input_class;
  }
  for (const char* input_class : more) EXPECT_EQ(tally.rows().count(input_class), 1U) << input_class;
}

const std::vector<const char*> kNamespaces = {"namespace deletion", "namespace creation", "namespace attachment",
                                              "admin: namespace, refused", "admin: attachment, refused"};

TEST(NvmeFuzzTest, NativeCores) { expect_no_failure({"cpu.model=native"}, 15000, kNamespaces); }
TEST(NvmeFuzzTest, MapOfPages) { expect_no_failure({"cpu.model=native", "ftl.map=page"}, 12000); }
TEST(NvmeFuzzTest, LogicalPagesOf16KiB) { expect_no_failure({"cpu.model=native", "ftl.logical_page=16KiB"}, 15000); }
TEST(NvmeFuzzTest, MapOfPagesWritesThrough) {
  expect_no_failure({"cpu.model=native", "ftl.map=page", "ftl.write_back=false"}, 9000);
}
TEST(NvmeFuzzTest, HardwareServesReads) {
  expect_no_failure(
      {"cpu.model=native", "engines.l2p=on", "engines.buffer=on", "engines.job=on", "engines.completion=on"}, 12000);
}
TEST(NvmeFuzzTest, FirmwareParses) { expect_no_failure({"cpu.model=native", "engines.parse=off"}, 9000); }
TEST(NvmeFuzzTest, ControllerMemory) {
  expect_no_failure({"cpu.model=native", "nvme.cmb=1MiB"}, 20000, {"data in the controller's memory"});
}
TEST(NvmeFuzzTest, ProtectionInformation) {
  expect_no_failure({"cpu.model=native", "nvme.metadata=separate", "nvme.protection=type1", "nand.spare=2400B"}, 9000);
}
TEST(NvmeFuzzTest, ControllerMemoryAndFirmwareParses) {
  expect_no_failure({"cpu.model=native", "nvme.cmb=1MiB", "engines.parse=off"}, 9000,
                    {"data in the controller's memory"});
}
TEST(NvmeFuzzTest, PlacementHandles) {
  expect_no_failure({"cpu.model=native", "ftl.fdp.handles=3", "ftl.over_provisioning=0.3"}, 12000);
}
TEST(NvmeFuzzTest, HostMemoryBuffer) {
  expect_no_failure({"cpu.model=native", "nvme.hmb=128KiB", "ftl.map_cache=192KiB", "nand.blocks_per_plane=128",
                     "ftl.over_provisioning=0.3", "ftl.gc_buffer=2MiB"},
                    18000,
                    {"host memory lent", "host memory taken back", "host memory, a list that is no good",
                     "copies of map pages fetched", "copies of map pages spoiled"});
}
TEST(NvmeFuzzTest, OtherBlocksAreRefused) {
  EXPECT_THROW((void)fuzz_nvme(WORDLINE_SMALL_DRIVE, {"nvme.lba_size=4KiB"}, 10, 1), config::ConfigError);
  EXPECT_THROW((void)fuzz_nvme(WORDLINE_SMALL_DRIVE, {"nvme.namespaces=[0.5, 0.5]"}, 10, 1), config::ConfigError);
}
TEST(NvmeFuzzTest, InstructionSetModel) { expect_no_failure({"cpu.model=iss"}, 12000); }

}  // namespace
}  // namespace wordline::fuzz
