// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The completion engine in gates, in lock-step with its reference, and a host that reads its queues by phase tag as a
// driver does: every entry comes, once and in order, with its interrupt.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <unordered_map>
#include <vector>

#include "models/engines/gate_times.h"
#include "rtl/verilated/simulation_stopped.h"
#include "testbenches/rtl/engines/completion_reference.h"
#include "testbenches/rtl/engines/lock_step.h"

namespace wordline::testing::engines {
namespace {

using rtl::Completion;
using Op = Completion::Op;

struct HostWrite {
  std::uint64_t address = 0;
  std::array<std::uint32_t, 4> data{};
};

/// The host's side of the queues.
class Host {
 public:
  struct Queue {
    bool exists = false, interrupts = false;
    std::uint64_t base = 0;
    std::uint32_t size = 0, head = 0, rung = 0;
    bool phase = true;
    std::uint8_t vector = 0;
    std::deque<Completion::Post> expected;  // posted, and not seen yet
  };
  std::array<Queue, Completion::kQueues> queues;
  std::array<std::uint64_t, Completion::kQueues> untold{};  // entries written since the last message of the vector
  std::uint64_t seen = 0;

  void create(const Completion::Command& command) {
    Queue& queue = queues[command.queue];
    queue = {};
    queue.exists = true;
    queue.interrupts = (command.value >> 16 & 1U) != 0;
    queue.base = command.base;
    queue.size = (command.value & 0xffffU) + 1;
    queue.vector = command.vector;
    for (std::uint32_t i = 0; i < queue.size; ++i) memory_[queue.base + i * 16] = {};
  }
  void write(const HostWrite& write) {
    const auto found = memory_.find(write.address);
    if (found == memory_.end()) throw std::runtime_error(fmt::format("a write at {:x}", write.address));
    found->second = write.data;
    for (const Queue& queue : queues) {
      if (!queue.exists || write.address < queue.base || write.address >= queue.base + queue.size * 16) continue;
      if (queue.interrupts) ++untold[queue.vector];
    }
  }
  /// As a driver looks for entries: by their phase. False: one is not what is expected.
  bool look(Queue& queue) {
    for (;;) {
      host::nvme::CompletionEntry entry;
      std::memcpy(&entry, memory_.at(queue.base + queue.head * 16).data(), sizeof entry);
      if (host::nvme::phase_of(entry) != queue.phase) return true;
      if (queue.expected.empty()) return false;
      const Completion::Post post = queue.expected.front();
      queue.expected.pop_front();
      if (entry.dw0 != post.result || entry.cid != post.cid || entry.sq_id != post.sq ||
          entry.sq_head != post.sq_head || host::nvme::status_of(entry) != post.status) {
        return false;
      }
      ++seen;
      if (++queue.head == queue.size) {
        queue.head = 0;
        queue.phase = !queue.phase;
      }
    }
  }

 private:
  std::unordered_map<std::uint64_t, std::array<std::uint32_t, 4>> memory_;
};

bool same(const Completion::Outputs& a, const Completion::Outputs& b) {
  return a.command_ready == b.command_ready && a.refused == b.refused && a.post_ready == b.post_ready &&
         a.dropped == b.dropped && a.host_valid == b.host_valid &&
         (!a.host_valid || (a.host_address == b.host_address && a.host_data == b.host_data)) && a.fatal == b.fatal &&
         a.message_valid == b.message_valid && (!a.message_valid || a.message_vector == b.message_vector) &&
         a.busy == b.busy;
}

/// A controller and a host around block and reference, from reset on.
class LockStep {
 public:
  LockStep(Tally& tally, Random& random, Pace pace) : tally_(tally), random_(random), memory_(random, pace) {}

  Host host;
  std::uint64_t messages = 0, refused = 0, dropped = 0, clocks = 0;
  std::uint32_t message_ready = 256;
  std::uint32_t ticks = 0;  // in 65,536 clocks

  /// Until it is taken.
  void command(const Completion::Command& command) {
    in_.command_valid = true;
    in_.command = command;
    while (!clock().command_ready) {
    }
    in_.command_valid = false;
    if (command.op == Op::kCreate) host.create(command);
    if (command.op == Op::kDelete) host.queues[command.queue].exists = false;
  }
  void ring(std::uint8_t queue, std::uint32_t head) { command({Op::kHead, queue, 0, 0, head}); }
  /// Offers it; clock() until can_post().
  void post(const Completion::Post& post) {
    in_.post_valid = true;
    in_.post = post;
    Host::Queue& queue = host.queues[post.queue];
    if (queue.exists) queue.expected.push_back(post);
    ++tally_.requests;
  }
  [[nodiscard]] bool can_post() const { return !in_.post_valid; }
  void tick() {
    in_.tick = true;
    clock();
    in_.tick = false;
  }

  Completion::Outputs clock() {
    if (clocks++ > 50'000'000) throw std::runtime_error("the completion engine hangs");
    memory_.begin_clock();
    in_.host_ready = memory_.ready();
    in_.host_written = memory_.answers();
    in_.host_error = memory_.fails();
    in_.message_ready = random_.chance(message_ready);
    if (ticks != 0) in_.tick = (random_.word() & 0xffffU) < ticks;
    if (in_.host_written) host.write(memory_.answered());
    block_.clock(in_);
    ++tally_.clocks;
    const Completion::Outputs expected = before_;
    reference_.clock(in_);
    const HostWrite write{expected.host_address, expected.host_data};
    memory_.end_clock(expected.host_valid, write);
    if (expected.post_ready) in_.post_valid = false;
    if (expected.message_valid && in_.message_ready) {
      ++messages;
      host.untold[expected.message_vector] = 0;
    }
    refused += expected.refused ? 1 : 0;
    dropped += expected.dropped ? 1 : 0;
    if (ticks != 0) in_.tick = false;
    before_ = block_.outputs();
    if (!same(before_, reference_.outputs(in_)) && ++tally_.differences < 5) {
      ADD_FAILURE() << "clock " << clocks << ", request " << tally_.requests;
    }
    return expected;
  }
  void until_idle() {
    while (before_.busy || in_.post_valid) clock();
  }
  [[nodiscard]] bool fatal() const { return before_.fatal; }

 private:
  Tally& tally_;
  Random& random_;
  LateMemory<HostWrite> memory_;
  Completion block_;
  CompletionReference reference_;
  Completion::Inputs in_;
  Completion::Outputs before_;
};

Completion::Post random_post(Random& random, std::uint8_t queue) {
  Completion::Post post;
  post.queue = queue;
  post.sq = static_cast<std::uint16_t>(random.word());
  post.sq_head = static_cast<std::uint16_t>(random.word());
  post.cid = static_cast<std::uint16_t>(random.word());
  post.status = static_cast<std::uint16_t>(random.word() & 0x7fffU);
  post.result = random.word();
  return post;
}

Completion::Command create(Random& random, std::uint8_t queue) {
  Completion::Command command;
  command.op = Op::kCreate;
  command.queue = queue;
  command.vector = static_cast<std::uint8_t>(random.below(Completion::kQueues));
  command.base = (std::uint64_t{queue} + 1) << 40 | std::uint64_t{random.word()} << 4;
  command.value = (1 + random.below(random.chance(128) ? 3 : 40)) | (random.chance(220) ? 1U << 16 : 0U);
  return command;
}

/// One drive from reset: some queues, posts, doorbells, changes of the settings.
void run_drive(Tally& tally, Random& random, std::uint32_t posts) {
  Pace pace = Pace::random(random);
  if (pace.errors != 0) pace.errors = 50;
  LockStep both(tally, random, pace);
  both.message_ready = random.chance(128) ? 256 : 20 + random.below(230);
  both.ticks = random.chance(100) ? 0 : 1 + random.below(600);
  std::vector<std::uint8_t> queues;
  for (std::uint32_t i = 1 + random.below(6); i != 0; --i) {
    const auto queue = static_cast<std::uint8_t>(random.below(Completion::kQueues));
    if (both.host.queues[queue].exists) continue;
    queues.push_back(queue);
    both.command(create(random, queue));
  }
  if (random.chance(128)) both.command({Op::kCoalesce, 0, 0, 0, random.below(6) | random.below(6) << 8});
  std::uint32_t left = posts;
  while (left != 0) {
    if (both.can_post() && random.chance(200)) {
      both.post(random_post(random, queues[random.below(static_cast<std::uint32_t>(queues.size()))]));
      --left;
    }
    both.clock();
    if (random.chance(40)) {
      const std::uint8_t queue = queues[random.below(static_cast<std::uint32_t>(queues.size()))];
      Host::Queue& of = both.host.queues[queue];
      ASSERT_TRUE(both.host.look(of));
      if (of.rung != of.head) both.ring(queue, of.head);
      of.rung = of.head;
    }
    if (random.below(400) == 0) {  // a doorbell beyond what was posted, or of no queue
      const auto queue = static_cast<std::uint8_t>(random.below(Completion::kQueues));
      if (!both.host.queues[queue].exists) {
        both.ring(queue, random.below(8));
      } else {
        both.ring(queue, both.host.queues[queue].size + random.below(3));
      }
    }
    if (random.below(300) == 0) both.command({Op::kMask, 0, 0, 0, random.word() & random.word()});
    if (random.below(200) == 0) both.command({Op::kUnmask, 0, 0, 0, random.word() | random.word()});
    if (random.below(500) == 0) both.command({Op::kCoalesce, 0, 0, 0, random.below(6) | random.below(6) << 8});
    if (random.below(300) == 0) {
      both.command({Op::kVector, 0, both.host.queues[queues[0]].vector, 0, random.below(2)});
    }
  }
  for (unsigned round = 0; round < 100 && !both.can_post(); ++round) {  // what is for a full queue
    for (const std::uint8_t queue : queues) {
      ASSERT_TRUE(both.host.look(both.host.queues[queue]));
      both.ring(queue, both.host.queues[queue].head);
    }
    for (unsigned i = 0; i < 200; ++i) both.clock();
  }
  both.until_idle();
  both.command({Op::kUnmask, 0, 0, 0, ~0U});
  both.command({Op::kCoalesce, 0, 0, 0, 0});
  both.ticks = 0;
  both.until_idle();
  for (const std::uint8_t queue : queues) {
    ASSERT_TRUE(both.host.look(both.host.queues[queue]));
    EXPECT_TRUE(both.host.queues[queue].expected.empty());
    EXPECT_EQ(both.host.untold[both.host.queues[queue].vector], 0U);
  }
}

TEST(RtlCompletion, IsInLockStepWithItsReference) {
  Tally tally("completion");
  Random random(0x636d70);
  const std::uint64_t requests = lock_step_requests(20'000);
  while (tally.requests < requests && tally.differences == 0 && !::testing::Test::HasFailure())
    run_drive(tally, random, 50 + random.below(2000));
  EXPECT_EQ(tally.differences, 0U);
}

/// The modelled entries have this number: 7 clocks.
TEST(RtlCompletion, TakesItsClocks) {
  Tally tally("completion");
  Random random(1);
  LockStep both(tally, random, {});
  both.command({Op::kCreate, 3, 3, 0x10000, 999 | 1U << 16});
  both.until_idle();
  const std::uint64_t begin = both.clocks;
  for (unsigned i = 0; i < 900; ++i) {
    both.post(random_post(random, 3));
    while (!both.can_post()) both.clock();
  }
  both.until_idle();
  EXPECT_EQ(both.messages, 900U);
  EXPECT_EQ(both.clocks - begin, 900U * wordline::engines::kCompletionClocks);
}

/// THR + 1 entries, or TIME ticks and a part of one.
TEST(RtlCompletion, Coalesces) {
  Tally tally("completion");
  Random random(1);
  LockStep both(tally, random, {});
  both.command({Op::kCreate, 3, 3, 0x10000, 99 | 1U << 16});
  both.command({Op::kCoalesce, 0, 0, 0, 2 | 3U << 8});
  const auto post = [&] {
    both.post(random_post(random, 3));
    both.until_idle();
  };
  post();
  post();
  EXPECT_EQ(both.messages, 0U);
  post();
  EXPECT_EQ(both.messages, 1U);
  post();
  for (unsigned i = 0; i < 3; ++i) {
    both.tick();
    both.until_idle();
  }
  EXPECT_EQ(both.messages, 1U);
  both.tick();
  both.until_idle();
  EXPECT_EQ(both.messages, 2U);
  both.command({Op::kVector, 0, 3, 0, 0});
  post();
  EXPECT_EQ(both.messages, 3U);
}

TEST(RtlCompletion, AMaskedVectorIsPending) {
  Tally tally("completion");
  Random random(1);
  LockStep both(tally, random, {});
  both.command({Op::kCreate, 3, 5, 0x10000, 99 | 1U << 16});
  both.command({Op::kMask, 0, 0, 0, 1U << 5});
  for (unsigned i = 0; i < 3; ++i) {
    both.post(random_post(random, 3));
    both.until_idle();
  }
  EXPECT_EQ(both.messages, 0U);
  both.command({Op::kUnmask, 0, 0, 0, 1U << 5});
  both.until_idle();
  EXPECT_EQ(both.messages, 1U);
}

TEST(RtlCompletion, RefusesAndDrops) {
  Tally tally("completion");
  Random random(1);
  LockStep both(tally, random, {});
  both.ring(7, 0);
  both.clock();
  EXPECT_EQ(both.refused, 1U);
  both.command({Op::kCreate, 7, 0, 0x10000, 3});
  both.ring(7, 1);
  both.clock();
  EXPECT_EQ(both.refused, 2U);
  both.command({Op::kDelete, 7, 0, 0, 0});
  both.post(random_post(random, 7));
  both.until_idle();
  EXPECT_EQ(both.dropped, 1U);
  both.host.queues[7].expected.clear();
}

TEST(RtlCompletion, AnEntryThatHostMemoryDoesNotTakeIsFatal) {
  Tally tally("completion");
  Random random(1);
  LockStep both(tally, random, {256, 1, 0, 0x10000});
  both.command({Op::kCreate, 0, 0, 0x10000, 3});
  both.post(random_post(random, 0));
  EXPECT_FALSE(both.fatal());
  both.until_idle();
  EXPECT_TRUE(both.fatal());
}

TEST(RtlCompletion, APostThatChangesBeforeItIsTakenStopsIt) {
  Completion block;
  Completion::Inputs in;
  in.post_valid = true;
  block.clock(in);
  in.post.cid = 1;
  EXPECT_THROW(block.clock(in), rtl::SimulationStopped);
}

}  // namespace
}  // namespace wordline::testing::engines
