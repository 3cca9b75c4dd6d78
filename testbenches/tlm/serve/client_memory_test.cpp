// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/serve/client_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace wordline::serve::client_memory_test {
namespace {

using data::LbaStamp;
using served::Descriptor;
using served::vfio::DmaMap;

constexpr std::uint64_t kPage = 4096;

struct NoMessages final : ClientMessagesIf {
  bool read_memory(std::uint64_t, std::byte* to, std::size_t bytes) override {
    std::memset(to, 'm', bytes);
    return true;
  }
  bool write_memory(std::uint64_t, const std::byte*, std::size_t) override { return false; }
};

/// Two windows that touch: a file that cannot shrink, and one that can.
struct Windows {
  NoMessages messages;
  ClientMemory memory{messages};
  int sealed = memfd_create("sealed", MFD_ALLOW_SEALING), open = memfd_create("open", MFD_ALLOW_SEALING);

  Windows() {
    EXPECT_EQ(ftruncate(sealed, 4 * kPage) + ftruncate(open, 4 * kPage), 0);
    EXPECT_EQ(fcntl(sealed, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    EXPECT_EQ(memory.map({32, 3, 0, 0x10000, 4 * kPage}, Descriptor(dup(sealed))), 0);
    EXPECT_EQ(memory.map({32, 3, 0, 0x10000 + 4 * kPage, 4 * kPage}, Descriptor(dup(open))), 0);
  }
  ~Windows() {
    close(sealed);
    close(open);
  }
};

TEST(ClientMemory, AccessesPassTheBordersOfWindows) {
  Windows windows;
  const std::string text(3 * kPage, 'x');
  ASSERT_TRUE(windows.memory.write(0x10000 + 3 * kPage, text.data(), text.size()));
  std::string back(text.size(), ' ');
  ASSERT_TRUE(windows.memory.read(0x10000 + 3 * kPage, back.data(), back.size()));
  EXPECT_EQ(back, text);
  EXPECT_FALSE(windows.memory.read(0x10000 + 7 * kPage, back.data(), 2 * kPage));
  EXPECT_FALSE(windows.memory.read(UINT64_MAX - 4, back.data(), 64));
  EXPECT_EQ(windows.memory.refused(), 2U);
}

TEST(ClientMemory, WhatIsOnlyReadIsNotWritten) {
  Windows windows;
  ASSERT_EQ(windows.memory.map({32, 1, 0, 0x90000, kPage}, Descriptor(dup(windows.sealed))), 0);
  ASSERT_EQ(windows.memory.map({32, 3, 0, 0xa0000, 100}, Descriptor()), 0);
  char byte = 'x';
  EXPECT_TRUE(windows.memory.read(0x90000, &byte, 1));
  EXPECT_FALSE(windows.memory.write(0x90000, &byte, 1));
  EXPECT_TRUE(windows.memory.read(0xa0000 + 99, &byte, 1));
  EXPECT_EQ(byte, 'm');
  EXPECT_FALSE(windows.memory.read(0xa0000 + 100, &byte, 1));
}

TEST(ClientMemory, BytesOfAWriteComeBackByTheirStamps) {
  Windows windows;
  const auto write = [&](char of, LbaStamp* stamps) {
    const std::string page(kPage, of);
    EXPECT_TRUE(windows.memory.write(0x10000, page.data(), page.size()));
    EXPECT_TRUE(windows.memory.take_data(5, 800, 0x10000, stamps, 8));
  };
  LbaStamp first[8], second[8];
  write('a', first);
  EXPECT_TRUE(windows.memory.command_ended(5, true, false));
  write('b', second);
  EXPECT_TRUE(windows.memory.command_ended(5, true, false));
  EXPECT_EQ(first[3].lba(), Lba(803));
  EXPECT_NE(first[0].version(), second[0].version());
  std::string page(kPage, ' ');
  ASSERT_TRUE(windows.memory.write_stamps(0x10000, first, 8));
  ASSERT_TRUE(windows.memory.read(0x10000, page.data(), page.size()));
  EXPECT_EQ(page, std::string(kPage, 'a'));
  bool equal = false;
  EXPECT_TRUE(windows.memory.compare_data(0x10000, first, 8, equal));
  EXPECT_TRUE(equal);
  EXPECT_TRUE(windows.memory.compare_data(0x10000, second, 8, equal));
  EXPECT_FALSE(equal);
}

TEST(ClientMemory, CopiedBlocksKeepTheirBytes) {
  Windows windows;
  LbaStamp first[8], copied[8], next[8];
  std::string page(kPage, 'a');
  for (unsigned i = 0; i != 6'000; ++i) {
    std::memcpy(page.data(), &i, sizeof i);
    ASSERT_TRUE(windows.memory.write(0x10000, page.data(), page.size()));
    ASSERT_TRUE(windows.memory.take_data(1, 0, 0x10000, i == 0 ? first : next, 8));
    ASSERT_TRUE(windows.memory.command_ended(1, true, false));
    if (i == 0) {
      std::copy_n(first, 8, copied);
      copied[7] = {};
      windows.memory.copies(2, 88, copied, 8);
      ASSERT_TRUE(windows.memory.command_ended(2, true, false));
      EXPECT_EQ(copied[0].lba(), Lba(88));
      EXPECT_TRUE(copied[7].is_zero());
    }
    if (i % 1000 == 999) {
      ASSERT_TRUE(windows.memory.write_stamps(0x10000, copied, 8));
      EXPECT_EQ(windows.memory.forgotten(), 0U);
    }
  }
}

/// What a keeper has heard, as text.
struct Keeper final : BlockKeeperIf {
  std::string heard;
  bool good = true;
  void append(const served::ClientRequest& request) override {
    heard += request.op == served::ClientOp::kWrite ? "w" : "z";
    heard += std::to_string(request.offset / 512) + "+" + std::to_string(request.length / 512);
    if (!request.data.empty()) heard += std::string("=") + request.data.front() + request.data.back();
    heard += ' ';
  }
  bool commit(bool on_disk) override {
    heard += on_disk ? "! " : ". ";
    return good;
  }
};

TEST(ClientMemory, TheKeeperHearsWhatHasEndedWell) {
  Windows windows;
  Keeper keeper;
  windows.memory.keep_in(keeper, false);
  LbaStamp stamps[8];
  const auto write = [&](std::uint32_t tag, std::uint64_t lba, char of) {
    const std::string page(kPage, of);
    EXPECT_TRUE(windows.memory.write(0x10000, page.data(), page.size()));
    EXPECT_TRUE(windows.memory.take_data(tag, lba, 0x10000, stamps, 8));
  };
  write(1, 0, 'a');
  write(2, 100, 'x');
  write(1, 8, 'b');
  windows.memory.clears(3, 40, 1ULL << 22U);
  windows.memory.read_begins(4);
  EXPECT_EQ(keeper.heard, "");
  EXPECT_TRUE(windows.memory.command_ended(1, true, false));
  EXPECT_TRUE(windows.memory.command_ended(2, false, true));
  EXPECT_TRUE(windows.memory.command_ended(3, true, false));
  EXPECT_TRUE(windows.memory.command_ended(4, true, false));
  EXPECT_EQ(keeper.heard, "w0+16=ab z40+2097152 z2097192+2097152 ");
  EXPECT_EQ(windows.memory.pieces_of(3).size(), 1U);
  keeper.heard.clear();
  EXPECT_TRUE(windows.memory.command_ended(5, true, true));  // a Flush
  EXPECT_EQ(keeper.heard, "! ");
  keeper.good = false;
  EXPECT_FALSE(windows.memory.command_ended(5, true, true));
  EXPECT_TRUE(windows.memory.command_ended(4, true, false));
}

TEST(ClientMemory, WithoutAVolatileCacheAllIsSafeAtOnce) {
  Windows windows;
  Keeper keeper;
  windows.memory.keep_in(keeper, true);
  windows.memory.clears(3, 40, 8);
  windows.memory.read_begins(4);
  EXPECT_TRUE(windows.memory.command_ended(4, true, false));
  EXPECT_TRUE(windows.memory.command_ended(3, true, false));
  windows.memory.erased(0, 16);
  EXPECT_EQ(keeper.heard, "z40+8 . z0+16 ! ");
}

TEST(ClientMemory, OfWritesTogetherARememberedReadDecides) {
  Windows windows;
  LbaStamp stamps[2][8];
  for (std::uint32_t tag = 0; tag != 2; ++tag) {
    const std::string page(kPage, tag == 0 ? 'a' : 'b');
    EXPECT_TRUE(windows.memory.write(0x10000, page.data(), page.size()));
    EXPECT_TRUE(windows.memory.take_data(tag, 0, 0x10000, stamps[tag], 8));
  }
  for (std::uint32_t tag = 0; tag != 2; ++tag) EXPECT_TRUE(windows.memory.command_ended(tag, true, false));
  EXPECT_EQ(windows.memory.store().unsettled().size(), 8U);
  windows.memory.read_begins(7);
  EXPECT_TRUE(windows.memory.give_data(7, 0, 0x10000, stamps[0], 8));
  EXPECT_TRUE(windows.memory.command_ended(7, true, false));
  EXPECT_TRUE(windows.memory.store().unsettled().empty());
  windows.memory.store().for_each([](std::uint64_t, std::uint32_t, const char* bytes) { EXPECT_EQ(*bytes, 'a'); });
}

TEST(ClientMemory, AFileThatShrinksIsAnError) {
  Windows windows;
  ASSERT_EQ(ftruncate(windows.open, 0), 0);
  char byte = 'x';
  EXPECT_FALSE(windows.memory.read(0x10000 + 4 * kPage, &byte, 1));
  EXPECT_FALSE(windows.memory.write(0x10000 + 4 * kPage, &byte, 1));
  EXPECT_EQ(lseek(windows.open, 0, SEEK_END), 0);
  EXPECT_EQ(fcntl(windows.sealed, F_GET_SEALS) & F_SEAL_SHRINK, F_SEAL_SHRINK);
}

TEST(ClientMemory, WindowsGoWhole) {
  Windows windows;
  EXPECT_EQ(windows.memory.unmap({24, 0, 0x10000, kPage}), EINVAL);
  EXPECT_EQ(windows.memory.unmap({24, 0, 0x10000 + kPage, 7 * kPage}), EINVAL);
  EXPECT_EQ(windows.memory.unmap({24, 0, 0x90000, kPage}), ENOENT);
  EXPECT_EQ(windows.memory.unmap({24, 0, 0x10000, 8 * kPage}), 0);
  EXPECT_EQ(windows.memory.windows(), 0U);
  EXPECT_EQ(windows.memory.map({32, 3, 0, UINT64_MAX - 4095, kPage}, Descriptor(dup(windows.sealed))), 0);
  EXPECT_EQ(windows.memory.map({32, 3, 0, 0, UINT64_MAX}, Descriptor()), EEXIST);
}

}  // namespace
}  // namespace wordline::serve::client_memory_test
