// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the dies of one drive share, and that drives on threads of their own share nothing.
#include "models/nand/device.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <memory>
#include <vector>

#include "models/nand/die.h"
#include "testbenches/models/nand/devices.h"

namespace wordline::nand::device_test {
namespace {

constexpr unsigned kCodewordBits = 2324 * 8;
constexpr std::uint32_t kBlocks = 4;

/// In every other block a loop less.
ProgramParameters faster(std::uint32_t block) {
  ProgramParameters parameters;
  parameters.final_cut = Millivolts(block % 2 * 180);
  return parameters;
}

/// What the reads of two dies of one drive come to: layers, retry steps, soft senses and numbers of errors.
std::vector<double> reads_of_a_drive(double pe_cycles) {
  testing::Device d = testing::tlc();
  d.nand.aging.pe_cycles = pe_cycles;
  const auto device = std::make_shared<const Device>(d.nand, d.layout);
  std::vector<double> reads;
  for (std::uint16_t number = 0; number < 2; ++number) {
    Die die(device, d.nand, d.layout, DieId(number), 1, {});
    const std::vector<StoredLpage> unit(d.layout.lpages_per_program);
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
      for (std::uint32_t page = 0; page < d.layout.pages_per_block; page += d.layout.pages_per_program) {
        (void)die.commit_program(3, BlockId(block), PageId(page), unit.data(), faster(block));
      }
      for (std::uint32_t page = 0; page < d.layout.pages_per_block; page += 7) {
        for (unsigned step = 0; step < 3; ++step) {
          reads.push_back(die.bit_errors(PlaneId(1), BlockId(block), PageId(page), page % 8, kCodewordBits, step));
        }
        ReadParameters soft;
        soft.senses = 3;
        soft.delta = 4;
        reads.push_back(die.soft_channel(PlaneId(1), BlockId(block), PageId(page), soft).wrong[0]);
      }
    }
  }
  return reads;
}

TEST(NandDevice, DrivesOnThreadsOfTheirOwnReadWhatTheyReadOneAfterTheOther) {
  const std::vector<double> young = reads_of_a_drive(1000), old = reads_of_a_drive(3000);
  EXPECT_NE(young, old);
  std::vector<std::future<std::vector<double>>> drives;
  for (unsigned i = 0; i < 6; ++i) {
    drives.push_back(std::async(std::launch::async, reads_of_a_drive, i % 2 == 0 ? 1000 : 3000));
  }
  for (unsigned i = 0; i < 6; ++i) EXPECT_EQ(drives[i].get(), i % 2 == 0 ? young : old) << i;
}

TEST(NandDevice, DrivesShareNothing) {
  const testing::Device d = testing::tlc();
  const Device a(d.nand, d.layout), b(d.nand, d.layout);
  EXPECT_NE(a.rates.get(), b.rates.get());
  EXPECT_NE(&a.cells.cells(3, 0), &b.cells.cells(3, 0));
  EXPECT_EQ(&a.cells.cells(3, 0), &a.cells.cells(3, 0));
  EXPECT_NE(&a.draws->of(kCodewordBits), &b.draws->of(kCodewordBits));
  ProgramParameters parameters = faster(1);
  EXPECT_EQ(a.rates->number(parameters), 1U);
  parameters.final_cut = Millivolts(40);
  EXPECT_EQ(a.rates->number(parameters), 2U);
  EXPECT_EQ(b.rates->number(parameters), 1U) << "numbered in the order of the other drive's programs";
}

}  // namespace
}  // namespace wordline::nand::device_test
