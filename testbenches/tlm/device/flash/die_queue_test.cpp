// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/die_queue.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <tuple>
#include <utility>

#include "tlm/device/flash/channel/ready_map.h"

namespace wordline::flash {
namespace {

class DieQueueTest : public ::testing::Test {
 protected:
  DieQueue make(std::uint32_t bound, bool pair = false) { return DieQueue(pool_, 16, bound, pair); }
  DieQueue make(config::QueueOrder order, std::uint32_t bound = 100) {
    return DieQueue(pool_, 64, bound, false, 1, 0, order);
  }

  void push(DieQueue& queue, char name, wl_flash_op op, std::uint32_t block,
            wl_flash_priority priority = WL_PRIORITY_HOST, std::uint32_t page = 0) {
    const JobIndex index = pool_.acquire({});
    pool_[index].job.id = static_cast<std::uint16_t>(name);
    pool_[index].job.op = static_cast<std::uint8_t>(op);
    pool_[index].job.block = block;
    pool_[index].job.page = page;
    pool_[index].job.priority = static_cast<std::uint8_t>(priority);
    pool_[index].arrived = Picoseconds(++pushed_);
    queue.push(index);
  }
  char pop(DieQueue& queue) {
    const JobIndex next = queue.next();
    const JobIndex index = queue.pop();
    EXPECT_EQ(next, index) << "next() must say what pop() takes";
    const char name = static_cast<char>(pool_[index].job.id);
    if (pool_[index].job.op != WL_FLASH_READ) queue.done(index);
    pool_.release(index);
    return name;
  }
  /// The job and its mates.
  std::string pop_group(DieQueue& queue) {
    std::string names;
    for (JobIndex index = queue.pop(); index != kNoJob;) {
      const JobIndex mate = pool_[index].mate;
      names += static_cast<char>(pool_[index].job.id);
      if (pool_[index].job.op != WL_FLASH_READ) queue.done(index);
      pool_.release(index);
      index = mate;
    }
    return names;
  }
  std::string drain_groups(DieQueue& queue) {
    std::string order;
    while (!queue.empty()) order += (order.empty() ? "" : " ") + pop_group(queue);
    return order;
  }
  std::string drain(DieQueue& queue) {
    std::string order;
    while (!queue.empty()) order += pop(queue);
    return order;
  }

  std::int64_t pushed_ = 0;
  JobPool pool_;
};

TEST_F(DieQueueTest, ReadsOfWhatIsBeingWrittenWaitBehindIt) {
  DieQueue queue(pool_, 16, 100, false, 3);
  push(queue, 'P', WL_FLASH_PROGRAM, 1, WL_PRIORITY_HOST, 6);
  const JobIndex under_way = queue.pop();
  push(queue, 'Q', WL_FLASH_PROGRAM, 2);
  push(queue, 'a', WL_FLASH_READ, 1, WL_PRIORITY_HOST, 8);  // of the unit
  push(queue, 'b', WL_FLASH_READ, 1, WL_PRIORITY_HOST, 5);
  EXPECT_TRUE(queue.takes_read());
  EXPECT_EQ(pop(queue), 'b');
  EXPECT_FALSE(queue.takes_read()) << "neither Q nor a may interrupt P";
  queue.done(under_way);
  pool_.release(under_way);
  push(queue, 'c', WL_FLASH_READ, 1, WL_PRIORITY_HOST, 8);
  EXPECT_EQ(drain(queue), "cQa");
}

// An erase has no page: reads of every page of its block wait behind it, whatever unit they are of.
TEST_F(DieQueueTest, ReadsOfABlockThatIsBeingErasedWaitBehindIt) {
  DieQueue queue(pool_, 16, 100, false, 3);
  push(queue, 'E', WL_FLASH_ERASE, 1);
  const JobIndex under_way = queue.pop();
  push(queue, 'Q', WL_FLASH_PROGRAM, 2);
  push(queue, 'a', WL_FLASH_READ, 1, WL_PRIORITY_HOST, 2);   // of the first unit
  push(queue, 'b', WL_FLASH_READ, 1, WL_PRIORITY_HOST, 30);  // of the eleventh
  EXPECT_FALSE(queue.takes_read());
  wl_flash_job read{};
  read.block = 1;
  read.page = 30;
  EXPECT_FALSE(queue.pass(read));
  push(queue, 'c', WL_FLASH_READ, 2, WL_PRIORITY_HOST, 30);  // behind Q
  push(queue, 'd', WL_FLASH_READ, 3, WL_PRIORITY_HOST, 30);
  EXPECT_EQ(pop(queue), 'd');
  EXPECT_FALSE(queue.takes_read());
  queue.done(under_way);
  pool_.release(under_way);
  EXPECT_EQ(drain(queue), "Qabc");
}

TEST_F(DieQueueTest, ReadsOfOnePageGoTogether) {
  DieQueue queue = make(100, true);
  for (const auto& [name, block, page] : {std::tuple('a', 1, 5), std::tuple('b', 1, 6), std::tuple('c', 2, 5),
                                          std::tuple('d', 1, 5), std::tuple('e', 1, 6), std::tuple('f', 1, 5)}) {
    push(queue, name, WL_FLASH_READ, static_cast<std::uint32_t>(block), WL_PRIORITY_HOST,
         static_cast<std::uint32_t>(page));
  }
  EXPECT_EQ(drain_groups(queue), "adf be c");
  push(queue, 'g', WL_FLASH_READ, 1, WL_PRIORITY_HOST, 5);
  EXPECT_EQ(drain_groups(queue), "g") << "nothing is left of those that have gone";
}

TEST_F(DieQueueTest, ReadsOfAnyBlocksGoTogetherWhenTheirPlanesDiffer) {
  DieQueue queue(pool_, 16, 100, true, 1, 4);
  const auto push_read = [&](char name, std::uint32_t block, std::uint32_t page, std::uint16_t lpage,
                             std::uint16_t count) {
    const JobIndex index = pool_.acquire({});
    wl_flash_job& job = pool_[index].job;
    job.id = static_cast<std::uint16_t>(name);
    job.op = WL_FLASH_READ;
    job.priority = WL_PRIORITY_HOST;
    job.block = block;
    job.page = page;
    job.lpage = lpage;
    job.count = count;
    queue.push(index);
  };
  push_read('a', 1, 7, 0, 1);
  push_read('b', 2, 7, 4, 4);  // the other plane
  push_read('c', 3, 7, 3, 1);  // plane 0 of another block
  push_read('d', 1, 7, 3, 1);  // plane 0 of the block that it addresses
  push_read('e', 3, 8, 4, 1);  // another page number
  push_read('f', 3, 7, 0, 8);  // both planes
  push_read('g', 2, 7, 5, 1);
  EXPECT_EQ(drain_groups(queue), "abdg cf e");
}

TEST_F(DieQueueTest, ReadsOfOnePageStayApartWithoutPairing) {
  DieQueue queue = make(100);
  for (const char name : {'a', 'b', 'c'}) push(queue, name, WL_FLASH_READ, 1);
  EXPECT_EQ(drain_groups(queue), "a b c");
}

TEST_F(DieQueueTest, PairingKeepsReadsBehindAWriterOfTheirBlock) {
  DieQueue queue = make(100, true);
  push(queue, 'a', WL_FLASH_READ, 1);
  push(queue, 'P', WL_FLASH_PROGRAM, 1);
  push(queue, 'b', WL_FLASH_READ, 1);
  push(queue, 'c', WL_FLASH_READ, 1);
  push(queue, 'd', WL_FLASH_READ, 2);
  EXPECT_EQ(drain_groups(queue), "a d P bc") << "those behind a writer follow each other and go together";
}

TEST_F(DieQueueTest, TheBoundCutsAGroup) {
  DieQueue queue = make(3, true);
  push(queue, 'P', WL_FLASH_PROGRAM, 1);
  push(queue, 'Q', WL_FLASH_PROGRAM, 1);
  for (const char name : {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}) push(queue, name, WL_FLASH_READ, 2);
  push(queue, 'x', WL_FLASH_READ, 3);
  push(queue, 'i', WL_FLASH_READ, 2);
  EXPECT_EQ(drain_groups(queue), "abc P def Q ghi x");
}

// What is left of a group that was cut takes more reads, whether two or one are left.
TEST_F(DieQueueTest, AGroupThatWasCutGrowsOnAtItsEnd) {
  for (const std::string& joined : {std::string("abcd"), std::string("abcde"), std::string("abcdef")}) {
    SCOPED_TRACE(joined);
    DieQueue queue = make(3, true);
    push(queue, 'P', WL_FLASH_PROGRAM, 1);
    for (const char name : joined) push(queue, name, WL_FLASH_READ, 2);
    EXPECT_EQ(pop_group(queue), "abc");
    push(queue, 'x', WL_FLASH_READ, 2);
    push(queue, 'y', WL_FLASH_READ, 2);
    EXPECT_EQ(drain_groups(queue), "P " + joined.substr(3) + "xy");
  }
}

TEST_F(DieQueueTest, GcReadsOfOnePageThatFollowEachOtherGoTogether) {
  DieQueue queue = make(100, true);
  for (const auto& [name, page] : {std::pair('a', 1), std::pair('b', 1), std::pair('c', 2), std::pair('d', 1)}) {
    push(queue, name, WL_FLASH_READ, 4, WL_PRIORITY_GC, static_cast<std::uint32_t>(page));
  }
  push(queue, 'E', WL_FLASH_ERASE, 4);
  push(queue, 'e', WL_FLASH_READ, 4, WL_PRIORITY_GC, 1);
  EXPECT_EQ(drain_groups(queue), "ab c d E e");
}

TEST_F(DieQueueTest, HostReadsGoBeforeTheRestInOrder) {
  DieQueue queue = make(100);
  push(queue, 'P', WL_FLASH_PROGRAM, 1);
  push(queue, 'E', WL_FLASH_ERASE, 2);
  push(queue, 'g', WL_FLASH_READ, 3, WL_PRIORITY_GC);
  push(queue, 'a', WL_FLASH_READ, 4);
  push(queue, 'b', WL_FLASH_READ, 5);
  EXPECT_EQ(drain(queue), "abPEg");
}

/// Of the host P, Q, R; of GC reads f, g, programs X, Y and an erase E, in this order.
void push_both(const std::function<void(char, wl_flash_op, std::uint32_t, wl_flash_priority)>& push) {
  push('f', WL_FLASH_READ, 10, WL_PRIORITY_GC);
  push('g', WL_FLASH_READ, 11, WL_PRIORITY_GC);
  push('X', WL_FLASH_PROGRAM, 12, WL_PRIORITY_GC);
  push('Y', WL_FLASH_PROGRAM, 13, WL_PRIORITY_GC);
  push('P', WL_FLASH_PROGRAM, 1, WL_PRIORITY_HOST);
  push('Q', WL_FLASH_PROGRAM, 2, WL_PRIORITY_HOST);
  push('E', WL_FLASH_ERASE, 14, WL_PRIORITY_GC);
  push('R', WL_FLASH_PROGRAM, 3, WL_PRIORITY_HOST);
}

TEST_F(DieQueueTest, TheHostAndGcTakeTurns) {
  const std::pair<config::QueueOrder, const char*> orders[] = {{config::QueueOrder::kArrival, "fgXYPQER"},
                                                               {config::QueueOrder::kAlternate, "PfQgRXYE"},
                                                               {config::QueueOrder::kKind, "PEQfRgXY"}};
  for (const auto& [order, expected] : orders) {
    DieQueue queue = make(order);
    push_both([&](char name, wl_flash_op op, std::uint32_t block, wl_flash_priority priority) {
      push(queue, name, op, block, priority);
    });
    EXPECT_EQ(drain(queue), expected);
  }
}

// Erases that keep coming pass what has waited longest of GC `starvation_bound` times, and no more.
TEST_F(DieQueueTest, NoKindOfGcStarves) {
  DieQueue queue = make(config::QueueOrder::kKind, 3);
  push(queue, 'X', WL_FLASH_PROGRAM, 12, WL_PRIORITY_GC);
  push(queue, 'f', WL_FLASH_READ, 10, WL_PRIORITY_GC);
  std::string order;
  for (std::uint32_t i = 0; i != 8; ++i) {
    push(queue, static_cast<char>('1' + i), WL_FLASH_ERASE, 20 + i);
    order += pop(queue);
  }
  EXPECT_EQ(order, "123X456f");
  EXPECT_EQ(drain(queue), "78");
}

// Whatever the order is, a block sees its jobs as they came.
TEST_F(DieQueueTest, TheOrderOfABlockIsKept) {
  DieQueue queue = make(config::QueueOrder::kKind);
  push(queue, 'f', WL_FLASH_READ, 5, WL_PRIORITY_GC);
  push(queue, 'E', WL_FLASH_ERASE, 5);
  push(queue, 'P', WL_FLASH_PROGRAM, 5);
  push(queue, 'a', WL_FLASH_READ, 5);
  push(queue, 'Q', WL_FLASH_PROGRAM, 6);
  push(queue, 'F', WL_FLASH_ERASE, 7);
  EXPECT_EQ(drain(queue), "QFfEPa");
}

TEST_F(DieQueueTest, ReadDoesNotOvertakeWriterOfItsBlock) {
  DieQueue queue = make(100);
  push(queue, 'P', WL_FLASH_PROGRAM, 1);
  push(queue, 'a', WL_FLASH_READ, 1);
  push(queue, 'Q', WL_FLASH_PROGRAM, 1);
  push(queue, 'b', WL_FLASH_READ, 1);
  push(queue, 'c', WL_FLASH_READ, 2);
  EXPECT_EQ(drain(queue), "cPaQb");
  push(queue, 'd', WL_FLASH_READ, 1);  // no writer waits any more
  push(queue, 'E', WL_FLASH_ERASE, 3);
  push(queue, 'e', WL_FLASH_READ, 1);
  EXPECT_EQ(drain(queue), "deE");
}

TEST_F(DieQueueTest, WaitingJobIsPassedByTheBoundAtMost) {
  DieQueue queue = make(2);
  push(queue, 'P', WL_FLASH_PROGRAM, 1);
  push(queue, 'Q', WL_FLASH_PROGRAM, 1);
  for (char name = 'a'; name <= 'f'; ++name) push(queue, name, WL_FLASH_READ, 2);
  EXPECT_EQ(drain(queue), "abPcdQef");
}

TEST_F(DieQueueTest, ReadsThatJoinASenseCountAsHavingPassed) {
  DieQueue queue = make(3);
  wl_flash_job read{};
  read.op = WL_FLASH_READ;
  read.block = 2;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(queue.pass(read)) << "nothing waits";
  push(queue, 'P', WL_FLASH_PROGRAM, 1);
  push(queue, 'a', WL_FLASH_READ, 2);
  EXPECT_TRUE(queue.pass(read));
  EXPECT_EQ(pop(queue), 'a');
  EXPECT_TRUE(queue.pass(read));
  EXPECT_FALSE(queue.pass(read)) << "three have passed P";
  push(queue, 'b', WL_FLASH_READ, 2);
  EXPECT_EQ(pop(queue), 'P');
  EXPECT_EQ(pop(queue), 'b');
  push(queue, 'Q', WL_FLASH_PROGRAM, 2);
  EXPECT_FALSE(queue.pass(read)) << "Q is of its block";
  read.block = 3;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.pass(read)) << "the bound is Q's own";
  EXPECT_FALSE(queue.pass(read));
}

TEST_F(DieQueueTest, BoundOfZeroLeavesReadsInTheirOrderOfArrival) {
  DieQueue queue = make(0, true);
  push(queue, 'P', WL_FLASH_PROGRAM, 1);
  push(queue, 'a', WL_FLASH_READ, 2);
  push(queue, 'b', WL_FLASH_READ, 2, WL_PRIORITY_HOST, 1);
  push(queue, 'Q', WL_FLASH_PROGRAM, 1);
  push(queue, 'c', WL_FLASH_READ, 2);
  EXPECT_EQ(drain_groups(queue), "P ac b Q") << "a sense takes all that it serves";
}

// Moves for refresh can keep a die busy for good.
TEST_F(DieQueueTest, BoundOfZeroStarvesNoRead) {
  DieQueue queue = make(0);
  push(queue, 'P', WL_FLASH_PROGRAM, 1, WL_PRIORITY_GC);
  push(queue, 'a', WL_FLASH_READ, 2);
  for (int i = 0; i < 2; ++i) {
    push(queue, 'P', WL_FLASH_PROGRAM, 1, WL_PRIORITY_GC);
    EXPECT_EQ(pop(queue), i == 0 ? 'P' : 'a');
  }
}

TEST_F(DieQueueTest, EraseWaitsForEarlierReadsOfItsBlockBeyondTheBound) {
  DieQueue queue = make(1);
  push(queue, 'a', WL_FLASH_READ, 7);
  push(queue, 'b', WL_FLASH_READ, 7);
  push(queue, 'c', WL_FLASH_READ, 7);
  push(queue, 'E', WL_FLASH_ERASE, 7);
  push(queue, 'd', WL_FLASH_READ, 7);
  push(queue, 'x', WL_FLASH_READ, 8);
  EXPECT_EQ(drain(queue), "abcExd")
      << "E may not pass a, b, c; the bound is spent, so it goes before x; d had queued behind E";
}

TEST(ReadyMap, RoundRobinOverPackagesThenLuns) {
  ReadyMap map(4, 2);
  for (const unsigned die : {0U, 1U, 3U, 4U}) map.set(die);  // die 4 is LUN 1 of package 0
  std::string order;
  for (int i = 0; i < 6; ++i) order += static_cast<char>('0' + map.pick(0));
  EXPECT_EQ(order, "013413");
  map.clear(0);
  EXPECT_EQ(map.pick(0), 4U);
  map.clear(4);
  EXPECT_EQ(map.pick(0), 1U);
  EXPECT_FALSE(map.any(0b1010)) << "packages 1 and 3 are locked, the others have nothing";
  EXPECT_TRUE(map.any(0b1000));
  EXPECT_EQ(map.pick(0b1000), 1U);
}

TEST(ReadyMap, SixtyFourPackages) {
  ReadyMap map(64, 1);
  map.set(63);
  map.set(0);
  EXPECT_EQ(map.pick(0), 0U);
  EXPECT_EQ(map.pick(0), 63U);
  EXPECT_EQ(map.pick(0), 0U);
}

}  // namespace
}  // namespace wordline::flash
