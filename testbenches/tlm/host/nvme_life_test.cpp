// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Life of the controller and its queues under load, and orders of commands that the specification forbids (NVM Express
// Base Specification 2.0: shutdown 3.6.1, queues 3.3 and 5.4 to 5.7, Number of Queues 5.27.1.5).
#include <gtest/gtest.h>

#include <vector>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_life_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

constexpr std::uint32_t kNormal = 1U << 14, kAbrupt = 2U << 14, kReserved = 3U << 14;

nvme::SubmissionEntry flush() { return io(nvme::kFlush, 0, 1, 0); }
void complete(NvmeBench& bench, const wl_host_event& event) { bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0)); }

/// A normal shutdown has reached the firmware, and is over when that answers.
void end_shutdown(NvmeBench& bench) {
  const wl_host_event event = bench.event();
  EXPECT_EQ(event.type, WL_EVENT_ADMIN);
  EXPECT_EQ(event.flags & WL_ADMIN_SHUTDOWN, WL_ADMIN_SHUTDOWN);
  pass(5_us);
  EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady | nvme::kCstsShutdownBusy);
  bench.answer(event, 0);
  pass(1_us);
  EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady | nvme::kCstsShutdownComplete);
}

// Two commands are in flight, four have no tag. Those that were not fetched are dropped; the others end; another queue
// goes on all the time.
TEST(NvmeLife, AQueueIsDeletedUnderLoad) {
  expect_reports(true);
  config::Config config = nvme_bench_config();
  config.nvme.tags = 3;
  config.nvme.queue_tags = 2;
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    bench.create_queue(2, 16, 16);
    std::vector<std::uint16_t> cids;
    for (int i = 0; i < 6; ++i) cids.push_back(bench.put(1, flush()));
    bench.ring(1);
    const std::vector<wl_host_event> held{bench.event(), bench.event()};
    const std::uint16_t deleting = bench.submit(0, admin_command(nvme::kDeleteIoSq, 1));
    pass(20_us);
    EXPECT_EQ(reports_seen(), 0U);
    bench.submit(1, flush());
    pass(20_us);
    EXPECT_EQ(reports_seen(), 1U) << "a tail doorbell of a queue that is deleted";
    for (int i = 0; i < 3; ++i) {
      bench.submit(2, flush());
      complete(bench, bench.event());
      EXPECT_EQ(nvme::status_of(bench.completion(2)), nvme::kSuccess);
    }
    complete(bench, held[1]);
    EXPECT_EQ(bench.completion(1).cid, cids[1]);
    pass(20_us);
    EXPECT_FALSE(bench.has_completion(0)) << "one is left";
    complete(bench, held[0]);
    EXPECT_EQ(bench.completion(1).cid, cids[0]);
    const nvme::CompletionEntry deleted = bench.completion(0);
    EXPECT_EQ(deleted.cid, deleting);
    EXPECT_EQ(nvme::status_of(deleted), nvme::kSuccess);
    pass(20_us);
    EXPECT_FALSE(bench.has_event());
    EXPECT_FALSE(bench.has_completion(1));
    EXPECT_EQ(bench.controller.tags_in_use(), 0U);
    EXPECT_EQ(nvme::status_of(bench.admin(admin_command(nvme::kDeleteIoCq, 1))), nvme::kSuccess);
    EXPECT_EQ(nvme::status_of(bench.create_queue(1, 4, 4)), nvme::kSuccess);
    bench.submit(1, flush());
    complete(bench, bench.event());
    EXPECT_EQ(bench.completion(1).sq_head, 1) << "begins at its first place";
  });
}

void shut_down_under_load(std::uint32_t how) {
  expect_reports(true);
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.submit(1, flush());
    const wl_host_event held = bench.event();
    bench.submit(1, flush());  // there at 128 ns, its entry at 368 ns
    bench.write32(nvme::kRegCc, nvme::kCcEnabled | how);
    pass(5_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady | nvme::kCstsShutdownBusy);
    complete(bench, held);
    bench.completion(1);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady | nvme::kCstsShutdownBusy) << "the other was on its way";
    complete(bench, bench.event());
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
    if (how == kNormal) end_shutdown(bench);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady | nvme::kCstsShutdownComplete);
    EXPECT_FALSE(bench.has_event());
    EXPECT_EQ(reports_seen(), 0U);
    bench.submit(1, flush());
    pass(20_us);
    EXPECT_FALSE(bench.has_event());
    EXPECT_EQ(reports_seen(), 1U);
    // A reset, and it works again (3.6.1).
    bench.write32(nvme::kRegCc, 0);
    pass(20_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), 0U);
    bench.bring_up();
    bench.submit(1, flush());
    complete(bench, bench.event());
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  });
}
TEST(NvmeLife, ANormalShutdownEndsWhatIsThere) { shut_down_under_load(kNormal); }
TEST(NvmeLife, SoDoesAnAbruptOne) { shut_down_under_load(kAbrupt); }

// The entry is on its way, and no command is in flight yet.
TEST(NvmeLife, AShutdownWaitsForEntriesOnTheirWay) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.submit(1, flush());
    bench.write32(nvme::kRegCc, nvme::kCcEnabled | kNormal);  // there at 156 ns, the entry at 440 ns
    pass(300_ns);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady | nvme::kCstsShutdownBusy);
    complete(bench, bench.event());
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
    end_shutdown(bench);
  });
}

// The answer to a shutdown that a reset has ended is dropped; the next one is asked for anew. Admin commands go
// between.
TEST(NvmeLife, AResetEndsAShutdown) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.write32(nvme::kRegCc, nvme::kCcEnabled | kNormal);
    const wl_host_event first = bench.event();
    bench.write32(nvme::kRegCc, 0);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), 0U);
    bench.bring_up();
    bench.write32(nvme::kRegCc, nvme::kCcEnabled | kNormal);
    pass(5_us);
    EXPECT_FALSE(bench.has_event()) << "the firmware is at the first one";
    bench.answer(first, 0);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady | nvme::kCstsShutdownBusy);
    end_shutdown(bench);
  });
}

TEST(NvmeLife, AResetWaitsForEntriesOnTheirWay) {
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.submit(1, flush());
    bench.write32(nvme::kRegCc, 0);
    pass(300_ns);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), 0U);
    EXPECT_FALSE(bench.has_event());
    EXPECT_EQ(bench.controller.tags_in_use(), 0U);
    bench.bring_up();
  });
}

TEST(NvmeLife, AnAbruptShutdownWithoutCommandsIsOverAtOnceAndAReservedOneIsNone) {
  expect_reports(true);
  NvmeBench bench;
  play([&] {
    bench.bring_up();
    bench.write32(nvme::kRegCc, nvme::kCcEnabled | kReserved);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady);
    EXPECT_EQ(reports_seen(), 1U);
    bench.write32(nvme::kRegCc, nvme::kCcEnabled);
    bench.write32(nvme::kRegCc, nvme::kCcEnabled | kAbrupt);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsReady | nvme::kCstsShutdownComplete);
  });
}

// Without a reset in between, since the controller was not enabled.
TEST(NvmeLife, AControllerThatWasShutDownBeforeItWasEnabledIsEnabled) {
  NvmeBench bench;
  play([&] {
    bench.write32(nvme::kRegCc, kNormal);
    pass(1_us);
    EXPECT_EQ(bench.read32(nvme::kRegCsts), nvme::kCstsShutdownComplete);
    bench.bring_up();
    bench.submit(1, flush());
    complete(bench, bench.event());
    EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
  });
}

struct Illegal {
  const char* what;
  nvme::SubmissionEntry sqe;
  nvme::Status status;
};

// Queue pair 1 exists, and submission queue 2 completes in its completion queue. Nothing of what is refused has an
// effect: everything works behind it as before.
TEST(NvmeLife, EveryIllegalOrderHasItsStatusAndNoEffect) {
  NvmeBench bench;
  play([&] {
    bench.bring_up(4, 4);
    ASSERT_EQ(nvme::status_of(bench.create_submission_queue(2, 4, 1)), nvme::kSuccess);
    const std::uint64_t page = bench.memory.allocate();
    using namespace nvme;
    constexpr std::uint32_t kFour = 3U << 16, kOne = 0U << 16;
    constexpr std::uint32_t kCq = 3, kInCq1 = 1U << 16 | 1, kInCq2 = 2U << 16 | 1;
    const Illegal cases[] = {
        {"5.4: CQ 0", admin_command(kCreateIoCq, kFour | 0, kCq, page), kInvalidQueueIdentifier},
        {"5.4: CQ that exists", admin_command(kCreateIoCq, kFour | 1, kCq, page), kInvalidQueueIdentifier},
        {"5.4: CQ beyond the number of queues", admin_command(kCreateIoCq, kFour | 64, kCq, page),
         kInvalidQueueIdentifier},
        {"5.4: CQ of one entry", admin_command(kCreateIoCq, kOne | 2, kCq, page), kInvalidQueueSize},
        {"5.4: CQ in pieces", admin_command(kCreateIoCq, kFour | 2, 2, page), kInvalidField},
        {"5.4: vector that is none", admin_command(kCreateIoCq, kFour | 2, 64U << 16 | kCq, page),
         kInvalidInterruptVector},
        {"5.4: CQ within a page", admin_command(kCreateIoCq, kFour | 2, kCq, page + 16), kPrpOffsetInvalid},
        {"5.5: SQ 0", admin_command(kCreateIoSq, kFour | 0, kInCq1, page), kInvalidQueueIdentifier},
        {"5.5: SQ that exists", admin_command(kCreateIoSq, kFour | 2, kInCq1, page), kInvalidQueueIdentifier},
        {"5.5: SQ beyond the number of queues", admin_command(kCreateIoSq, kFour | 64, kInCq1, page),
         kInvalidQueueIdentifier},
        {"5.5: SQ before its CQ", admin_command(kCreateIoSq, kFour | 3, kInCq2, page), kCompletionQueueInvalid},
        {"5.5: SQ in the admin CQ", admin_command(kCreateIoSq, kFour | 3, 1, page), kInvalidQueueIdentifier},
        {"5.5: SQ in a CQ out of range", admin_command(kCreateIoSq, kFour | 3, 64U << 16 | 1, page),
         kInvalidQueueIdentifier},
        {"5.5: SQ of one entry", admin_command(kCreateIoSq, kOne | 3, kInCq1, page), kInvalidQueueSize},
        {"5.5: SQ in pieces", admin_command(kCreateIoSq, kFour | 3, 1U << 16, page), kInvalidField},
        {"5.5: SQ within a page", admin_command(kCreateIoSq, kFour | 3, kInCq1, page + 64), kPrpOffsetInvalid},
        {"5.6: CQ 0", admin_command(kDeleteIoCq, 0), kInvalidQueueIdentifier},
        {"5.6: CQ that is none", admin_command(kDeleteIoCq, 2), kInvalidQueueIdentifier},
        {"5.6: CQ before its SQs", admin_command(kDeleteIoCq, 1), kInvalidQueueDeletion},
        {"5.7: SQ 0", admin_command(kDeleteIoSq, 0), kInvalidQueueIdentifier},
        {"5.7: SQ that is none", admin_command(kDeleteIoSq, 3), kInvalidQueueIdentifier},
        {"5.7: SQ out of range", admin_command(kDeleteIoSq, 64), kInvalidQueueIdentifier},
        {"5.27.1.5: number of queues behind a queue", admin_command(kSetFeatures, kFeatureNumberOfQueues, 0),
         kCommandSequenceError},
    };
    for (const Illegal& illegal : cases) {
      EXPECT_EQ(nvme::status_of(bench.admin(illegal.sqe)), illegal.status | kDnr) << illegal.what;
    }
    EXPECT_EQ(bench.controller.errors(), std::size(cases));
    for (const std::uint16_t qid : {1, 2, 1, 2}) {
      bench.submit(qid, flush());
      complete(bench, bench.event());
      const CompletionEntry entry = bench.completion(1);
      EXPECT_EQ(entry.sq_id, qid);
      EXPECT_EQ(nvme::status_of(entry), kSuccess);
    }
    // The legal order, once each.
    EXPECT_EQ(nvme::status_of(bench.admin(admin_command(kDeleteIoSq, 2))), kSuccess);
    EXPECT_EQ(nvme::status_of(bench.admin(admin_command(kDeleteIoSq, 2))), kInvalidQueueIdentifier | kDnr);
    EXPECT_EQ(nvme::status_of(bench.admin(admin_command(kDeleteIoSq, 1))), kSuccess);
    EXPECT_EQ(nvme::status_of(bench.admin(admin_command(kDeleteIoCq, 1))), kSuccess);
    EXPECT_EQ(nvme::status_of(bench.admin(admin_command(kSetFeatures, kFeatureNumberOfQueues, 0))), kSuccess);
  });
}

// Doorbells without a queue, beyond it, and of entries that nobody posted change nothing (3.1.3, 3.3.1).
TEST(NvmeLife, DoorbellsThatNameNothingAreReportedAndIgnored) {
  expect_reports(true);
  NvmeBench bench;
  play([&] {
    bench.bring_up(4, 4);
    const std::pair<std::uint32_t, std::uint32_t> writes[] = {
        {nvme::sq_tail_doorbell(5), 1}, {nvme::cq_head_doorbell(5), 1}, {nvme::sq_tail_doorbell(1), 4},
        {nvme::cq_head_doorbell(1), 4}, {nvme::cq_head_doorbell(1), 1},  // nothing was posted
    };
    for (const auto& [offset, value] : writes) {
      bench.write32(offset, value);
      pass(5_us);
      EXPECT_EQ(reports_seen(), 1U) << offset;
    }
    EXPECT_FALSE(bench.has_event());
    for (int i = 0; i < 6; ++i) {
      bench.submit(1, flush());
      complete(bench, bench.event());
      EXPECT_EQ(nvme::status_of(bench.completion(1)), nvme::kSuccess);
    }
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_life_test
