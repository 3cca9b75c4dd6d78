// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/onfi/address.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "models/onfi/sequence_table.h"
#include "testbenches/tlm/device/flash/reference_config.h"

namespace wordline::onfi::address_test {
namespace {

using namespace wordline::literals;

AddressCodec codec(const config::Config& c) { return {c, config::layout_of(c)}; }

TEST(AddressCodec, RowBitsFromTheLeastSignificant) {
  // 24 pages: 5 bits; 2 planes: 1; 8 blocks: 3; 2 LUNs: 1.
  config::Config c = testing::reference_config();
  c.channels.dies_per_package = 2;
  const AddressCodec address = codec(c);
  EXPECT_EQ(address.row({1, PlaneId(1), BlockId(5), PageId(23), 0}), 0b1'101'1'10111U);
  const Cycles read = address.read({1, PlaneId(1), BlockId(5), PageId(23), 2 * 4648});
  EXPECT_EQ(read.opcode, 0x00);
  EXPECT_EQ(read.confirm, 0x30);
  EXPECT_EQ(read.count(), 7U);
  EXPECT_EQ(read.address_count, 5);
  EXPECT_EQ(read.address[0], 9296 & 0xff);
  EXPECT_EQ(read.address[1], 9296 >> 8);
  EXPECT_EQ(read.address[2], 0b0111'0111);
  EXPECT_EQ(read.address[3], 0b11);
  EXPECT_EQ(read.address[4], 0);
}

TEST(AddressCodec, RoundTripOfEveryAddress) {
  config::Config c = testing::reference_config();
  c.channels.dies_per_package = 3;
  c.nand.geometry.planes = 4;
  const config::Layout layout = config::layout_of(c);
  const AddressCodec address(c, layout);
  std::set<std::uint32_t> rows;
  for (std::uint32_t lun = 0; lun < 3; ++lun) {
    for (std::uint8_t plane = 0; plane < 4; ++plane) {
      for (std::uint32_t block = 0; block < c.nand.geometry.blocks_per_plane; ++block) {
        for (std::uint32_t page = 0; page < layout.pages_per_block; ++page) {
          const Address at{lun, PlaneId(plane), BlockId(block), PageId(page), address.column_of(page % 4)};
          ASSERT_TRUE(rows.insert(address.row(at)).second);
          const Address back = address.decode(address.read(at), AddressKind::kColumnRow);
          ASSERT_EQ(back.lun, lun);
          ASSERT_EQ(back.plane, at.plane);
          ASSERT_EQ(back.block, at.block);
          ASSERT_EQ(back.page, at.page);
          ASSERT_EQ(back.column, at.column);
          const Address erased = address.decode(address.erase(at), AddressKind::kRow);
          ASSERT_EQ(erased.block, at.block);
          ASSERT_EQ(erased.plane, at.plane);
          ASSERT_EQ(erased.lun, lun);
          ASSERT_EQ(erased.column, 0U);
        }
      }
    }
  }
}

TEST(AddressCodec, LargeDevicesHaveAFourthRowCycle) {
  config::Config c = testing::reference_config();
  c.nand.geometry.layers = 48;
  c.nand.geometry.wls_per_layer = 4;  // 576 pages: 10 bits
  c.nand.geometry.planes = 4;
  c.nand.geometry.blocks_per_plane = 4096;
  EXPECT_EQ(codec(c).cycles(), 5U);
  c.nand.geometry.blocks_per_plane = 4097;
  const AddressCodec address = codec(c);
  EXPECT_EQ(address.cycles(), 6U);
  const Address at{0, PlaneId(3), BlockId(4096), PageId(575), 4648};
  const Cycles cycles = address.change_read_column(at);
  EXPECT_EQ(cycles.count(), 8U);
  EXPECT_EQ(address.decode(cycles, AddressKind::kColumnRow).block, at.block);
}

TEST(AddressCodec, SeveralLunsUseTheCommandsOfOneLun) {
  config::Config c = testing::reference_config();
  EXPECT_EQ(codec(c).read_status({}).opcode, 0x70);
  EXPECT_EQ(codec(c).set_features(0, 0x89).count(), 2U);
  EXPECT_EQ(codec(c).reset({}).opcode, 0xfc);
  EXPECT_EQ(codec(c).resume_erase({}).count(), 1U);
  c.channels.dies_per_package = 2;
  EXPECT_EQ(codec(c).read_status({1, {}, {}, {}, 0}).opcode, 0x78);
  EXPECT_EQ(codec(c).read_status({1, {}, {}, {}, 0}).count(), 4U);
  const Cycles set = codec(c).set_features(1, 0x89);
  EXPECT_EQ(set.opcode, 0xd5);
  EXPECT_EQ(set.address_count, 2);
  EXPECT_EQ(set.address[0], 1);
  EXPECT_EQ(set.address[1], 0x89);
  EXPECT_EQ(codec(c).get_features(1, 0x89).opcode, 0xd4);
  EXPECT_EQ(codec(c).reset({1, {}, {}, {}, 0}).opcode, 0xfa);
  EXPECT_EQ(codec(c).resume_erase({1, {}, {}, {}, 0}).count(), 4U);
}

TEST(AddressCodec, WhatDoesNotFitIsRefused) {
  config::Config c = testing::reference_config();
  c.nand.geometry.spare = Bytes(2207);  // a logical page has 4648 bytes on the bus
  EXPECT_THROW(codec(c), std::invalid_argument);
}

// Column 69,720 of a page of 64 KiB does not fit two cycles.
TEST(AddressCodec, PagesBeyond65536BytesHaveAThirdColumnCycle) {
  config::Config c = testing::reference_config();
  EXPECT_EQ(codec(c).column_cycles(), 2U);
  c.nand.geometry.page = 64_KiB;
  c.nand.geometry.spare = Bytes(16 * 552);
  const AddressCodec large = codec(c);
  EXPECT_EQ(large.column_cycles(), 3U);
  EXPECT_EQ(large.cycles(), 6U);
  const Address at{0, PlaneId(1), BlockId(5), PageId(9), large.column_of(15)};
  for (const Cycles& cycles : {large.read(at), large.change_read_column(at), large.change_write_column(at.column)}) {
    const Sequence* sequence = find_sequence(cycles, large.row_cycles(), large.column_cycles());
    ASSERT_NE(sequence, nullptr);
    const Address back = large.decode(cycles, sequence->address);
    EXPECT_EQ(back.column, 69'720U);
    if (!sequence->has_row()) continue;
    EXPECT_EQ(back.plane, at.plane);
    EXPECT_EQ(back.block, at.block);
    EXPECT_EQ(back.page, at.page);
  }
}

TEST(Commands, EverySequenceOfTheCodecIsKnown) {
  for (const std::uint32_t luns : {1U, 2U}) {
    config::Config c = testing::reference_config();
    c.channels.dies_per_package = luns;
    const AddressCodec address = codec(c);
    const Address at{0, PlaneId(1), BlockId(2), PageId(3), 4648};
    const Cycles all[] = {address.read(at),
                          address.read(at, kReadNextPlane),
                          address.change_read_column(at),
                          address.program(at),
                          address.erase(at),
                          address.erase(at, kEraseNextPlane),
                          address.read(at, kReadCopyback),
                          address.read(at, kReadCache),
                          AddressCodec::select_soft_plane(1),
                          address.copyback_program(at),
                          address.change_write_column(4648),
                          address.suspend_program(at),
                          address.resume_program(at),
                          address.suspend_erase(at),
                          address.resume_erase(at),
                          address.read_status(at),
                          address.set_features(0, 0x89),
                          address.get_features(0, 0x89),
                          address.reset(at),
                          AddressCodec::command(kProgramConfirm),
                          AddressCodec::command(kProgramNextPlane),
                          AddressCodec::command(kProgramNextPage),
                          AddressCodec::command(kProgramCache),
                          AddressCodec::command(kReadCache),
                          AddressCodec::command(kReadCacheEnd),
                          AddressCodec::command(kRead)};
    for (const Cycles& cycles : all) {
      EXPECT_NE(find_sequence(cycles, address.row_cycles()), nullptr) << unsigned{cycles.opcode};
    }
  }
}

TEST(Commands, WrongSequencesAreUnknown) {
  EXPECT_EQ(find_sequence({kRead, kReadConfirm, 4, {}}, 3), nullptr);     // a cycle short
  EXPECT_EQ(find_sequence({kRead, kEraseConfirm, 5, {}}, 3), nullptr);    // another command's confirm
  EXPECT_EQ(find_sequence({kReadCache, kNoConfirm, 5, {}}, 3), nullptr);  // the address comes with 00h
  EXPECT_EQ(find_sequence({kRead, kReadConfirm, 5, {}}, 4), nullptr);     // a device with four row cycles
  EXPECT_NE(find_sequence({kRead, kReadConfirm, 6, {}}, 4), nullptr);
}

}  // namespace
}  // namespace wordline::onfi::address_test
