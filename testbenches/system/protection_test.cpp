// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Protection information on a whole drive, firmware included: tuples stay with their blocks through the write buffer,
// flash and GC; content that is changed on its way, put elsewhere or out of date is found by the right status; runs of
// `wordline run` with it; and what it costs, to the picosecond.
#include <gtest/gtest.h>
#include <algorithm>

#include <functional>
#include <string>
#include <vector>

#include "models/data/protection.h"
#include "models/units/keyed_random.h"
#include "testbenches/fuzz/nvme/checked_commands.h"
#include "testbenches/system/hosted_drive.h"
#include "testbenches/system/run_drive.h"

namespace wordline::testing::protection_test {
namespace {

namespace nvme = host::nvme;
using data::BlockTuple;
using data::LbaStamp;
using data::LpageStamps;
using data::LpageTuples;
using fuzz::HostileCommand;
using fuzz::HostileHost;

constexpr std::uint32_t kChecks = 7;

/// Blocks of 512 bytes with eight of metadata in a buffer of their own, type 1. Logical page 8 is written and read.
class ProtectionOnADrive : public ::testing::TestWithParam<std::vector<std::string>> {
 protected:
  static constexpr std::uint64_t kLba = 64;

  void with_drive(const std::function<void()>& body) {
    std::vector<std::string> sets = {"nvme.metadata=separate", "nvme.protection=type1", "nand.spare=2400B",
                                     "ftl.power_safe=false"};
    sets.insert(sets.end(), GetParam().begin(), GetParam().end());
    const config::Loaded loaded = config::load(WORDLINE_SMALL_DRIVE, sets);
    dies_ = config::layout_of(loaded.config).dies;
    planes_ = loaded.config.nand.geometry.planes;
    blocks_ = loaded.config.nand.geometry.blocks_per_plane;
    with_hosted_drive(hosted_, loaded, [&] {
      if (!bring_up_one_pair(*host())) return;
      data_ = host()->memory.allocate(2);
      tuples_at_ = host()->memory.allocate();
      body();
    });
  }

  [[nodiscard]] HostileHost* host() const { return hosted_.host; }
  [[nodiscard]] nvme::SubmissionEntry entry(std::uint8_t opcode, std::uint64_t lba, std::uint16_t tag) const {
    nvme::SubmissionEntry sqe = fuzz::entry(opcode, lba, 8);
    sqe.prp1 = data_;
    sqe.mptr = tuples_at_;
    sqe.cdw12 |= kChecks << nvme::kPrinfoShift;
    sqe.cdw14 = static_cast<std::uint32_t>(lba);
    sqe.cdw15 = 0xffff0000U | tag;
    return sqe;
  }
  void run(nvme::Status expected, const nvme::SubmissionEntry& sqe) {
    HostileCommand command;
    command.input_class = "I/O";
    command.entry = sqe;
    command.fits = {expected};
    host()->put(1, command);
    host()->ring_tail(1);
    host()->wait_for([&] { return host()->outstanding() == 0; }, "a command");
  }
  [[nodiscard]] static LpageStamps stamps_of(std::uint64_t lba, std::uint32_t version) {
    LpageStamps stamps{};
    for (std::uint32_t i = 0; i < 8; ++i) stamps[i] = LbaStamp(Lba(lba + i), version);
    return stamps;
  }
  [[nodiscard]] static data::HostPageStamps page_of(std::uint64_t lba, std::uint32_t version) {
    data::HostPageStamps page;
    std::copy_n(stamps_of(lba, version).begin(), page.size(), page.begin());
    return page;
  }
  [[nodiscard]] static LpageTuples tuples_for(const LpageStamps& stamps, std::uint64_t lba, std::uint16_t tag) {
    LpageTuples tuples;
    for (std::uint32_t i = 0; i < 8; ++i) {
      tuples[i] = {guard_of(&stamps[i], 1), tag, static_cast<std::uint32_t>(lba + i)};
    }
    return tuples;
  }
  /// The host writes a logical page, with an application tag of its own.
  void write(std::uint64_t lba, std::uint32_t version, std::uint16_t tag) {
    host()->memory.page(data_) = page_of(lba, version);
    const LpageTuples tuples = tuples_for(stamps_of(lba, version), lba, tag);
    for (std::uint32_t i = 0; i < 8; ++i) {
      std::array<std::byte, 8> bytes{};
      tuples[i].to_bytes(bytes.data());
      host()->memory.write(tuples_at_ + 8 * i, bytes.data(), bytes.size());
    }
    run(nvme::kSuccess, entry(nvme::kWrite, lba, tag));
  }
  void read(nvme::Status expected, std::uint64_t lba, std::uint16_t tag) {
    run(expected, entry(nvme::kRead, lba, tag));
  }
  void expect(std::uint64_t lba, std::uint32_t version, std::uint16_t tag) {
    host()->memory.page(data_).fill({});
    read(nvme::kSuccess, lba, tag);
    EXPECT_EQ(host()->memory.page(data_), page_of(lba, version)) << lba;
    const LpageTuples tuples = tuples_for(stamps_of(lba, version), lba, tag);
    for (std::uint32_t i = 0; i < 8; ++i) {
      std::array<std::byte, 8> bytes{};
      host()->memory.read(tuples_at_ + 8 * i, bytes.data(), bytes.size());
      EXPECT_EQ(BlockTuple::from_bytes(bytes.data()), tuples[i]) << lba + i;
    }
  }
  void flush() { run(nvme::kSuccess, fuzz::entry(nvme::kFlush, 0, 1)); }

  using Change = std::function<void(LpageStamps&, LpageTuples&)>;
  /// Changes a logical page that lies somewhere, and what was put with it. False: it does not lie there.
  bool change(data::LpageToken& token, std::uint64_t lba, std::uint32_t version, const Change& change_it) {
    data::TokenPool& pool = hosted_.drive->buffer.pool();
    if (token.is_metadata() || pool.expand(token) != stamps_of(lba, version)) return false;
    LpageStamps stamps = pool.expand(token);
    const LpageTuples* const own = pool.tuples(token);
    if (own == nullptr) return false;
    LpageTuples tuples = *own;
    change_it(stamps, tuples);
    token = pool.intern(stamps, tuples);
    return true;
  }
  std::uint32_t change_in_buffer(std::uint64_t lba, std::uint32_t version, const Change& change_it) {
    std::uint32_t changed = 0;
    for (std::uint32_t slot = 0; slot < hosted_.drive->buffer.slots(); ++slot) {
      changed += change(hosted_.drive->buffer.slot(slot), lba, version, change_it) ? 1 : 0;
    }
    return changed;
  }
  std::uint32_t change_on_flash(std::uint64_t lba, std::uint32_t version, const Change& change_it) {
    std::uint32_t changed = 0;
    for (std::uint32_t d = 0; d < dies_; ++d) {
      nand::Die& die = hosted_.drive->flash.die_at_start(DieId(static_cast<std::uint16_t>(d)));
      for (std::uint32_t p = 0; p < planes_; ++p) {
        for (std::uint32_t b = 0; b < blocks_; ++b) {
          const PlaneId plane(static_cast<std::uint8_t>(p));
          nand::BlockImage image = die.image(plane, BlockId(b));
          bool here = false;
          for (nand::StoredLpage& lpage : image.lpages) here = change(lpage.token, lba, version, change_it) || here;
          if (!here) continue;
          die.start_as(plane, BlockId(b), image);
          ++changed;
        }
      }
    }
    return changed;
  }
  /// Overwrites much of the drive, as often as it takes to erase superblocks.
  void collect() {
    const std::uint64_t before = hosted_.drive->firmware_statistics().blocks.superblock_erases;
    for (std::uint64_t i = 0; i < 60'000 && hosted_.drive->firmware_statistics().blocks.superblock_erases < before + 40;
         ++i) {
      HostileCommand command;
      command.input_class = "write";
      command.entry = entry(nvme::kWrite, 256 + keyed_hash(3, i) % ((host()->user_lbas - 300) / 16) * 16, 1);
      command.entry.cdw12 |= 15;
      command.entry.prp2 = data_ + 4096;
      command.entry.cdw12 &= ~(kChecks << nvme::kPrinfoShift);
      command.entry.cdw12 |= nvme::kPract << nvme::kPrinfoShift;
      command.fits = {nvme::kSuccess};
      host()->wait_for([&] { return host()->room(1) != 0; }, "room");
      host()->put(1, command);
      host()->ring_tail(1);
    }
    host()->wait_for([&] { return host()->outstanding() == 0; }, "writes");
    EXPECT_GE(hosted_.drive->firmware_statistics().blocks.superblock_erases, before + 40);
  }

  HostedDrive hosted_;
  std::uint32_t dies_ = 0, planes_ = 0, blocks_ = 0;
  std::uint64_t data_ = 0, tuples_at_ = 0;
};

TEST_P(ProtectionOnADrive, TuplesStayWithTheirBlocksThroughGarbageCollection) {
  with_drive([&] {
    for (std::uint16_t i = 0; i < 8; ++i) write(kLba + 8 * i, 5 + i, static_cast<std::uint16_t>(0x100 + i));
    for (std::uint16_t i = 0; i < 8; ++i) expect(kLba + 8 * i, 5 + i, static_cast<std::uint16_t>(0x100 + i));
    flush();
    collect();
    for (std::uint16_t i = 0; i < 8; ++i) {
      expect(kLba + 8 * i, 5 + i, static_cast<std::uint16_t>(0x100 + i));
      read(nvme::kApplicationTagCheckError, kLba + 8 * i, 0x99);
    }
  });
}

TEST_P(ProtectionOnADrive, WhatIsChangedInTheBufferFailsItsGuard) {
  for (const std::string& set : GetParam())
    if (set == "ftl.write_back=false") GTEST_SKIP() << "nothing waits in the buffer";
  with_drive([&] {
    write(kLba, 5, 7);
    EXPECT_GE(
        change_in_buffer(kLba, 5, [](LpageStamps& stamps, LpageTuples&) { stamps[3] = LbaStamp(Lba(kLba + 3), 6); }),
        1U);
    read(nvme::kGuardCheckError, kLba, 7);
    flush();
    read(nvme::kGuardCheckError, kLba, 7);  // it goes to flash as it is
    nvme::SubmissionEntry good = entry(nvme::kRead, kLba + 4, 7);
    good.cdw12 = (good.cdw12 & ~0xffffU) | 3U;
    run(nvme::kSuccess, good);
  });
}

TEST_P(ProtectionOnADrive, WhatIsChangedOnFlashFailsItsGuard) {
  with_drive([&] {
    write(kLba, 5, 7);
    flush();
    expect(kLba, 5, 7);
    EXPECT_EQ(change_on_flash(kLba, 5, [](LpageStamps& stamps, LpageTuples&) { stamps[0] = LbaStamp(Lba(kLba), 4); }),
              1U);
    read(nvme::kGuardCheckError, kLba, 7);
    run(nvme::kGuardCheckError, entry(nvme::kVerify, kLba, 7));
  });
}

/// The data of another block, with all that belongs to them, under this block's address.
TEST_P(ProtectionOnADrive, AMisdirectedWriteFailsTheReferenceTag) {
  with_drive([&] {
    write(kLba, 5, 7);
    write(kLba + 80, 6, 7);
    flush();
    EXPECT_EQ(change_on_flash(kLba, 5,
                              [](LpageStamps& stamps, LpageTuples& tuples) {
                                stamps = stamps_of(kLba + 80, 6);
                                tuples = tuples_for(stamps, kLba + 80, 7);
                              }),
              1U);
    read(nvme::kReferenceTagCheckError, kLba, 7);
    expect(kLba + 80, 6, 7);
  });
}

/// Protection information of an old version fits its data: only a tag of the host's own tells it from the new one. Old
/// data with a new tuple, or the reverse, do not fit.
TEST_P(ProtectionOnADrive, AStaleReadFailsTheHostsTag) {
  with_drive([&] {
    write(kLba, 5, 0x0001);
    write(kLba, 6, 0x0002);
    flush();
    const auto stale = [](LpageStamps& stamps, LpageTuples& tuples) {
      stamps = stamps_of(kLba, 5);
      tuples = tuples_for(stamps, kLba, 0x0001);
    };
    EXPECT_EQ(change_on_flash(kLba, 6, stale), 1U);
    read(nvme::kApplicationTagCheckError, kLba, 0x0002);
    read(nvme::kSuccess, kLba, 0x0001);
    write(kLba + 8, 7, 0x0003);
    flush();
    EXPECT_EQ(change_on_flash(kLba + 8, 7, [](LpageStamps& stamps, LpageTuples&) { stamps = stamps_of(kLba + 8, 6); }),
              1U);
    read(nvme::kGuardCheckError, kLba + 8, 0x0003);
  });
}

INSTANTIATE_TEST_SUITE_P(Drives, ProtectionOnADrive,
                         ::testing::Values(std::vector<std::string>{"cpu.model=native"},
                                           std::vector<std::string>{"cpu.model=iss"},
                                           std::vector<std::string>{"cpu.model=native", "ftl.map=page"},
                                           std::vector<std::string>{"cpu.model=native", "ftl.write_back=false"},
                                           std::vector<std::string>{"cpu.model=native", "engines.l2p=on",
                                                                    "engines.buffer=on", "engines.job=on",
                                                                    "engines.completion=on"}));

}  // namespace
}  // namespace wordline::testing::protection_test
