// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// nvme.metadata: which drives can have it, and where it goes on flash.
#include <gtest/gtest.h>

#include "models/checks/load.h"
#include "models/ecc/code/codeword.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::metadata_test {
namespace {

class BlockMetadata : public DriveFile {
 protected:
  void expect(const std::vector<std::string>& sets, const std::string& part) {
    const std::string found = with(sets);
    EXPECT_NE(found.find(part), std::string::npos) << found;
  }
};

TEST_F(BlockMetadata, SmallBlocksNeedRoomInTheSpareArea) {
  const std::string metadata = "nvme.metadata=separate";
  EXPECT_EQ(with({metadata, "nand.spare=2400B"}), "");
  EXPECT_EQ(with({metadata, "nvme.lba_size=4KiB"}), "") << "the codeword has eight bytes for them";
  EXPECT_EQ(with({"nand.spare=2399B", metadata}),
            "--set nvme.metadata=separate: error: nvme.metadata with nvme.lba_size = 512B and nand.spare = 2399B, "
            "expected nand.spare >= 2400B: 300 bytes of CRC, parity and metadata per 2 KiB of nand.page; or "
            "nvme.lba_size = 4KiB");
}

TEST_F(BlockMetadata, IsRefusedWhereNothingCarriesIt) {
  const std::string metadata = "nvme.metadata=interleaved", large = "nvme.lba_size=4KiB";
  expect({metadata, large, "engines.parse=off"},
         "expected engines.parse = on: the firmware's parser knows no metadata");
  expect({metadata, large, "ftl.recovery=scan"}, "expected ftl.recovery = none: what a mount finds on flash");
  expect({metadata, large, "ecc.model=rtl"}, "expected ecc.model = calibrated");
  expect({metadata, large, "nand.page=2KiB"}, "expected pages of 4 KiB or more");
  expect({metadata, large, "host.model=direct"}, "host.model = nvme");
}

TEST_F(BlockMetadata, ProtectionNeedsMetadataAndTheHostsPartProtection) {
  expect({"nvme.protection=type1"},
         "has no effect with nvme.metadata = none, expected nvme.metadata = separate or "
         "interleaved");
  expect({"nvme.lba_size=4KiB", "nvme.metadata=separate", "host.protection=insert"},
         "has no effect with nvme.protection = none");
  EXPECT_EQ(with({"nvme.lba_size=4KiB", "nvme.metadata=separate", "nvme.protection=type3", "host.protection=insert"}),
            "");
}

TEST_F(BlockMetadata, MakesCodewordsLongerOnlyForSmallBlocks) {
  const auto layout = [](const std::vector<std::string>& sets) {
    return config::layout_of(config::load("", sets).config);
  };
  EXPECT_EQ(layout({"nand.spare=2400B"}).tuple_bytes, 0U);
  EXPECT_EQ(layout({"nvme.lba_size=4KiB", "nvme.metadata=separate"}).tuple_bytes, 8U);
  EXPECT_EQ(layout({"nvme.lba_size=4KiB", "nvme.metadata=separate"}).codeword_extra, 0U);
  const config::Layout small = layout({"nand.spare=2400B", "nvme.metadata=separate"});
  EXPECT_EQ(small.tuple_bytes, 64U);
  EXPECT_EQ(small.codeword_extra, 24U);
  EXPECT_EQ(ecc::lpage_bytes_on_bus(small.lpage, small.codeword_extra), 2 * (2324U + 24));
}

}  // namespace
}  // namespace wordline::testing::metadata_test
