// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/units/keyed_random.h"
#include "testbenches/fuzz/nvme/checked_commands.h"
#include "testbenches/system/hosted_drive.h"

/// Verify, Compare, Write Uncorrectable and Copy on a whole drive, firmware included, whose content the host knows.
namespace wordline::testing::inner_commands_test {
namespace {

namespace nvme = host::nvme;
using data::LbaStamp;
using fuzz::HostileCommand;
using fuzz::HostileHost;

class InnerCommandsOnADrive : public ::testing::TestWithParam<std::vector<std::string>> {
 protected:
  void with_drive(const std::function<void()>& body) {
    with_hosted_drive(hosted_, config::load(WORDLINE_SMALL_DRIVE, GetParam()), [&] {
      if (!bring_up_one_pair(*host())) return;
      data_ = host()->memory.allocate(2);
      list_ = host()->memory.allocate();
      body();
    });
  }

  [[nodiscard]] HostileHost* host() const { return hosted_.host; }

  /// One command, which must end with `expected`.
  void run(nvme::Status expected, nvme::SubmissionEntry entry) {
    if (entry.opcode != nvme::kCopy) {
      entry.prp1 = data_;
      entry.prp2 = data_ + 4096;
    }
    HostileCommand command;
    command.input_class = "I/O";
    command.entry = entry;
    command.fits = {expected};
    host()->put(1, command);
    host()->ring_tail(1);
    host()->wait_for([&] { return host()->outstanding() == 0; }, "a command");
  }
  void run(nvme::Status expected, std::uint8_t opcode, std::uint64_t lba, std::uint32_t nlb) {
    run(expected, fuzz::entry(opcode, lba, nlb));
  }
  void write(std::uint64_t lba, std::uint32_t nlb) {
    ++version_;
    for (std::uint32_t i = 0; i < nlb; ++i) {
      content_[lba + i] = host()->memory.stamp(data_ + i * 512ULL) = LbaStamp(Lba(lba + i), version_);
    }
    run(nvme::kSuccess, nvme::kWrite, lba, nlb);
  }
  void expect_content(std::uint64_t lba, std::uint32_t nlb) {
    for (std::uint32_t i = 0; i < nlb; ++i) host()->memory.stamp(data_ + i * 512ULL) = LbaStamp(Lba(1), 1);
    run(nvme::kSuccess, nvme::kRead, lba, nlb);
    for (std::uint32_t i = 0; i < nlb; ++i) {
      EXPECT_EQ(host()->memory.stamp(data_ + i * 512ULL).bits(), content_[lba + i].bits()) << lba + i;
    }
    run(nvme::kSuccess, nvme::kCompare, lba, nlb);
    run(nvme::kSuccess, nvme::kVerify, lba, nlb);
    host()->memory.stamp(data_ + (nlb - 1) * 512ULL) = LbaStamp(Lba(lba), 77'777'777);
    run(nvme::kCompareFailure, nvme::kCompare, lba, nlb);
  }
  struct Range {
    std::uint64_t lba;
    std::uint32_t nlb;
  };
  void copy(nvme::Status expected, const std::vector<Range>& ranges, std::uint64_t destination) {
    std::uint64_t to = destination;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      nvme::CopyRange range{};
      range.slba = ranges[i].lba;
      range.nlb = static_cast<std::uint16_t>(ranges[i].nlb - 1);
      host()->memory.write(list_ + i * sizeof range, &range, sizeof range);
      for (std::uint32_t k = 0; k < ranges[i].nlb && expected == nvme::kSuccess; ++k)
        content_[to++] = content_[ranges[i].lba + k];
    }
    nvme::SubmissionEntry entry = fuzz::entry(nvme::kCopy, destination, static_cast<std::uint32_t>(ranges.size()));
    entry.prp1 = list_;
    run(expected, entry);
  }

  HostedDrive hosted_;
  std::uint64_t data_ = 0, list_ = 0;
  std::uint32_t version_ = 1;
  std::map<std::uint64_t, LbaStamp> content_;
};

TEST_P(InnerCommandsOnADrive, CopiesAreWhatTheySay) {
  with_drive([&] {
    write(0, 16);
    write(21, 7);
    run(nvme::kSuccess, nvme::kFlush, 0, 1);
    copy(nvme::kSuccess, {{0, 16}, {21, 3}, {24, 4}}, 803);
    expect_content(803, 16);
    expect_content(812, 14);
    expect_content(800, 3);                  // never written
    copy(nvme::kSuccess, {{803, 8}}, 2000);  // out of the write buffer
    expect_content(2000, 8);
    // Chains of copies and writes, so that GC moves what was copied.
    for (std::uint64_t i = 0; i < 150; ++i) {
      const std::uint64_t from = keyed_hash(7, i) % 3000, to = keyed_hash(8, i) % 3000;
      write(from, 1 + static_cast<std::uint32_t>(keyed_hash(9, i) % 16));
      if (to + 16 <= from || from + 16 <= to) copy(nvme::kSuccess, {{from, 12}}, to);
    }
    for (std::uint64_t lba = 0; lba + 16 <= 3000; lba += 16) expect_content(lba, 16);
  });
}

TEST_P(InnerCommandsOnADrive, MarksSurviveGarbageCollection) {
  with_drive([&] {
    write(64, 16);
    run(nvme::kSuccess, nvme::kWriteUncorrectable, 66, 3);
    run(nvme::kSuccess, nvme::kFlush, 0, 1);
    run(nvme::kUnrecoveredRead, nvme::kRead, 64, 8);
    const std::uint64_t before = hosted_.drive->firmware_statistics().blocks.superblock_erases;
    // Until GC has moved all that was there, some times.
    const std::uint64_t lbas = host()->user_lbas;
    const auto writes_more = [&] {
      return hosted_.drive->firmware_statistics().blocks.superblock_erases < before + 40;
    };
    for (std::uint64_t i = 0; i < 200'000 && writes_more(); ++i) {
      HostileCommand command;
      command.input_class = "write";
      command.entry = fuzz::entry(nvme::kWrite, 128 + keyed_hash(3, i) % ((lbas - 160) / 16) * 16, 16);
      command.entry.prp1 = data_;
      command.entry.prp2 = data_ + 4096;
      command.fits = {nvme::kSuccess};
      host()->wait_for([&] { return host()->room(1) != 0; }, "room");
      host()->put(1, command);
      host()->ring_tail(1);
    }
    host()->wait_for([&] { return host()->outstanding() == 0; }, "writes");
    EXPECT_GE(hosted_.drive->firmware_statistics().blocks.superblock_erases, before + 40);
    for (std::uint64_t lba = 64; lba < 80; ++lba) {
      const bool marked = lba >= 66 && lba < 69;
      run(marked ? nvme::kUnrecoveredRead : nvme::kSuccess, nvme::kRead, lba, 1);
      run(marked ? nvme::kUnrecoveredRead : nvme::kSuccess, nvme::kVerify, lba, 1);
    }
    copy(nvme::kUnrecoveredRead, {{64, 16}}, 0);
    write(66, 3);
    expect_content(64, 16);
    run(nvme::kSuccess, nvme::kWriteUncorrectable, 64, 16);
    run(nvme::kUnrecoveredRead, nvme::kRead, 79, 1);
    nvme::SubmissionEntry zeroes = fuzz::entry(nvme::kWriteZeroes, 64, 16);
    run(nvme::kSuccess, zeroes);
    for (std::uint64_t lba = 64; lba < 80; ++lba) content_[lba] = {};
    expect_content(64, 16);
  });
}

INSTANTIATE_TEST_SUITE_P(Drives, InnerCommandsOnADrive,
                         ::testing::Values(std::vector<std::string>{"cpu.model=native"},
                                           std::vector<std::string>{"cpu.model=native", "engines.parse=off"},
                                           std::vector<std::string>{"cpu.model=iss", "engines.parse=off"},
                                           std::vector<std::string>{"cpu.model=native", "ftl.map=page"},
                                           std::vector<std::string>{"cpu.model=native", "ftl.write_back=false"},
                                           std::vector<std::string>{"cpu.model=native", "engines.l2p=on",
                                                                    "engines.buffer=on", "engines.job=on",
                                                                    "engines.completion=on"}));

}  // namespace
}  // namespace wordline::testing::inner_commands_test
