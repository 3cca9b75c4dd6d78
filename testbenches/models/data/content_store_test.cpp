// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/data/content_store.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace wordline::data::content_store_test {
namespace {

constexpr std::size_t kBlock = 512;

std::string block(char fill, std::uint64_t count = 1) { return std::string(kBlock * count, fill); }

void write(ContentStore& store, std::uint32_t version, std::uint64_t lba, const std::string& bytes) {
  store.begin_write(version, lba, bytes.size() / kBlock, bytes.data());
  store.end(version, lba, bytes.size() / kBlock, true);
}

std::string bytes_of(const ContentStore& store, std::uint64_t lba, std::uint32_t version) {
  std::string bytes(kBlock, '?');
  store.get(LbaStamp(Lba(lba), version), bytes.data());
  return bytes;
}

TEST(ContentStore, GivesTheBytesOfTheStamp) {
  ContentStore store;
  write(store, 2, 5, block('a', 20));
  write(store, 3, 7, block('b', 2));
  EXPECT_EQ(bytes_of(store, 5, 2), block('a'));
  EXPECT_EQ(bytes_of(store, 7, 3), block('b'));
  EXPECT_EQ(bytes_of(store, 24, 2), block('a'));
}

TEST(ContentStore, OldStampsAreOldBytes) {
  ContentStore store;
  write(store, 2, 0, block('a', 8));
  write(store, 3, 0, block('b', 8));
  EXPECT_EQ(bytes_of(store, 3, 2), block('a'));
  EXPECT_EQ(bytes_of(store, 3, 3), block('b'));
  EXPECT_EQ(store.live_bytes(), 8 * kBlock);
  EXPECT_EQ(store.history_bytes(), 8 * kBlock);
}

TEST(ContentStore, WhatIsForgottenSaysSo) {
  ContentStore store(16 * kBlock);
  for (std::uint32_t version = 2; version != 12; ++version) write(store, version, 0, block('a', 8));
  EXPECT_EQ(store.live_bytes(), 8 * kBlock);
  EXPECT_LE(store.history_bytes(), 16 * kBlock);
  std::string bytes(kBlock, '?');
  EXPECT_EQ(store.get(LbaStamp(Lba(1), 2), bytes.data()), ContentStore::Found::kForgotten);
  EXPECT_NE(bytes.find("version 2 of LBA 1"), std::string::npos);
  EXPECT_EQ(store.get(LbaStamp(Lba(1), 11), bytes.data()), ContentStore::Found::kBytes);
}

TEST(ContentStore, KeepsWhatAReadUnderWayMayReturn) {
  ContentStore store(0);
  write(store, 2, 0, block('a', 8));
  const std::uint64_t read = store.begin_read();
  write(store, 3, 0, block('b', 8));
  EXPECT_EQ(bytes_of(store, 0, 2), block('a'));
  store.end_read(read);
  EXPECT_NE(bytes_of(store, 0, 2), block('a'));
  EXPECT_EQ(bytes_of(store, 0, 3), block('b'));
}

TEST(ContentStore, OfWritesTogetherEitherMayBeTheLast) {
  ContentStore store(0);
  store.begin_write(2, 0, 1, block('a').data());
  store.begin_write(3, 0, 1, block('b').data());
  store.end(3, 0, 1, true);
  store.end(2, 0, 1, true);
  EXPECT_EQ(bytes_of(store, 0, 2), block('a'));
  EXPECT_EQ(bytes_of(store, 0, 3), block('b'));
  EXPECT_EQ(store.unsettled(), std::vector<std::uint64_t>{0});
  const std::uint64_t read = store.begin_read();
  store.settle(read, 0, LbaStamp(Lba(0), 9));  // a content that it cannot have says nothing
  EXPECT_EQ(store.unsettled().size(), 1U);
  store.settle(read, 0, LbaStamp(Lba(0), 2));
  store.end_read(read);
  EXPECT_TRUE(store.unsettled().empty());
  EXPECT_EQ(bytes_of(store, 0, 2), block('a'));
  EXPECT_EQ(store.live_bytes(), kBlock);
}

TEST(ContentStore, AFailedWriteMayHaveHappened) {
  ContentStore store(0);
  write(store, 2, 0, block('a'));
  store.begin_write(3, 0, 1, block('b').data());
  store.end(3, 0, 1, false);
  EXPECT_EQ(bytes_of(store, 0, 2), block('a'));
  EXPECT_EQ(bytes_of(store, 0, 3), block('b'));
  write(store, 4, 0, block('c'));
  EXPECT_EQ(store.live_bytes(), kBlock);
}

TEST(ContentStore, TrimsAndZerosTakeNoBytes) {
  ContentStore store(0);
  write(store, 2, 0, block('a', 16));
  store.begin_trim(3, 0, 8);
  store.end(3, 0, 8, true);
  EXPECT_EQ(store.live_bytes(), 8 * kBlock);
  write(store, 4, 8, block('\0', 8));
  EXPECT_EQ(store.live_bytes(), 0U);
  EXPECT_EQ(bytes_of(store, 9, 4), block('\0'));
  EXPECT_EQ(bytes_of(store, 0, kVersionZero), block('\0'));
  EXPECT_EQ(bytes_of(store, 500, kVersionPrecondition), block('\0'));
  // A trim that is under way together with a write leaves either.
  write(store, 7, 16, block('x', 8));
  store.begin_trim(5, 16, 8);
  store.begin_write(6, 16, 8, block('b', 8).data());
  store.end(5, 16, 8, true);
  store.end(6, 16, 8, true);
  EXPECT_EQ(store.unsettled().size(), 8U);
  for (std::uint64_t lba = 16; lba != 24; ++lba) store.settle(store.begin_read(), lba, LbaStamp());
  EXPECT_EQ(store.live_bytes(), 0U);
}

TEST(ContentStore, TheTrimOfALargeDriveLooksAtWhatIsThere) {
  ContentStore store;
  write(store, 2, 1'000'000'000'001, block('a', 15));
  write(store, 3, 5, block('b'));
  const std::uint64_t all = 1ULL << 60U;
  store.begin_trim(4, 6, all);
  write(store, 5, 1'000'000'000'010, block('c'));
  store.end(4, 6, all, true);
  EXPECT_EQ(store.live_bytes(), 2 * kBlock);
  EXPECT_EQ(store.holds(5), ContentStore::Holds::kBytes);
  EXPECT_EQ(store.holds(1'000'000'000'002), ContentStore::Holds::kNothing);
  EXPECT_EQ(store.holds(1'000'000'000'010), ContentStore::Holds::kBytes);
}

TEST(ContentStore, BeginsWithWhatWasThereBefore) {
  ContentStore store;
  store.begin_with(3, 10, block('o', 10).data());
  EXPECT_EQ(bytes_of(store, 12, kVersionPrecondition), block('o'));
  EXPECT_EQ(bytes_of(store, 13, kVersionPrecondition), block('\0'));
  write(store, 2, 3, block('n', 1));
  std::map<std::uint64_t, char> held;
  store.for_each([&](std::uint64_t lba, std::uint32_t nlb, const char* bytes) {
    for (std::uint32_t i = 0; i != nlb; ++i) held[lba + i] = bytes[i * kBlock];
  });
  EXPECT_EQ(held.size(), 10U);
  EXPECT_EQ(held[3], 'n');
  EXPECT_EQ(held[4], 'o');
}

/// Against a map of what each block holds, with one command at a time.
TEST(ContentStore, IsWhatAMapWouldBe) {
  std::mt19937 random(3);
  ContentStore store(8 * kBlock);
  std::map<std::uint64_t, std::pair<std::uint32_t, char>> expected;
  std::uint32_t version = 2;
  for (int i = 0; i != 5000; ++i, ++version) {
    const std::uint64_t lba = random() % 100, nlb = 1 + random() % 20;
    const char fill = static_cast<char>('a' + random() % 26);
    if (random() % 4 == 0) {
      store.begin_trim(version, lba, nlb);
      for (std::uint64_t b = lba; b != lba + nlb; ++b) expected.erase(b);
    } else {
      store.begin_write(version, lba, nlb, block(fill, nlb).data());
      for (std::uint64_t b = lba; b != lba + nlb; ++b) expected[b] = {version, fill};
    }
    store.end(version, lba, nlb, true);
  }
  std::map<std::uint64_t, char> held;
  store.for_each([&](std::uint64_t lba, std::uint32_t nlb, const char* bytes) {
    for (std::uint32_t i = 0; i != nlb; ++i) held[lba + i] = bytes[i * kBlock];
  });
  ASSERT_EQ(held.size(), expected.size());
  for (const auto& [lba, content] : expected) {
    EXPECT_EQ(held[lba], content.second);
    EXPECT_EQ(bytes_of(store, lba, content.first), block(content.second));
  }
  EXPECT_TRUE(store.unsettled().empty());
}

}  // namespace
}  // namespace wordline::data::content_store_test
