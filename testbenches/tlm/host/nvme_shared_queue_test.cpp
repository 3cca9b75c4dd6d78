// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Submission queues that complete in one queue (Base 2.0, 3.3), and completion queues without interrupts.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_shared_queue_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

nvme::SubmissionEntry flush() { return io(nvme::kFlush, 0, 1, 0); }
void complete(NvmeBench& bench, const wl_host_event& event) { bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0)); }

nvme::SubmissionEntry of_queue(std::uint8_t opcode, std::uint16_t qid) {
  nvme::SubmissionEntry sqe{};
  sqe.opcode = opcode;
  sqe.cdw10 = qid;
  return sqe;
}

/// Submission queues 1 to 3 of four entries each, all in completion queue 1.
void share(NvmeBench& bench, std::uint32_t cq_entries) {
  bench.bring_up(4, cq_entries);
  for (const std::uint16_t qid : {2, 3}) {
    ASSERT_EQ(nvme::status_of(bench.create_submission_queue(qid, 4, 1)), nvme::kSuccess);
  }
  pass(10_us);
  bench.interrupts.clear();
}

/// Submission queue, what it says of its head, and the command.
using Seen = std::array<std::uint16_t, 3>;
Seen seen(const nvme::CompletionEntry& entry) { return {entry.sq_id, entry.sq_head, entry.cid}; }

TEST(NvmeSharedQueue, EntriesLieInTheOrderOfTheirEndWithTheirQueueAndItsHead) {
  NvmeBench bench;
  play([&] {
    share(bench, 16);
    std::vector<std::uint16_t> cids;
    std::vector<wl_host_event> events;
    for (const std::uint16_t qid : {1, 2, 3, 2, 2, 1}) {
      cids.push_back(bench.submit(qid, flush()));
      events.push_back(bench.event());
    }
    for (const std::size_t i : {4, 0, 2, 5, 1, 3}) complete(bench, events[i]);
    pass(10_us);
    // Heads are how many entries have been read of the queue that is named, whichever has ended.
    const std::vector<Seen> expected{{2, 3, cids[4]}, {1, 2, cids[0]}, {3, 1, cids[2]},
                                     {1, 2, cids[5]}, {2, 3, cids[1]}, {2, 3, cids[3]}};
    for (const Seen& entry : expected) EXPECT_EQ(seen(bench.completion(1)), entry);
    EXPECT_FALSE(bench.has_completion(1));
    ASSERT_EQ(bench.interrupts.size(), 6U);
    for (const NvmeBench::Interrupt& interrupt : bench.interrupts) EXPECT_EQ(interrupt.vector, 1U);
  });
}

// Room for two entries, nine commands that have ended: each head doorbell makes room for the next, whosever it is.
TEST(NvmeSharedQueue, AFullQueueHoldsEveryoneBackAndNoneForEver) {
  config::Config config = nvme_bench_config();
  config.nvme.tags = 16;
  NvmeBench bench(config);
  play([&] {
    share(bench, 3);
    std::map<std::uint16_t, std::vector<std::uint16_t>> sent, back;
    for (int i = 0; i < 3; ++i) {
      for (const std::uint16_t qid : {1, 2, 3}) sent[qid].push_back(bench.submit(qid, flush()));
    }
    for (int i = 0; i < 9; ++i) complete(bench, bench.event());
    pass(50_us);
    EXPECT_EQ(bench.controller.tags_in_use(), 7U) << "two have a slot";
    EXPECT_EQ(bench.interrupts.size(), 2U);
    for (int i = 0; i < 9; ++i) {
      const nvme::CompletionEntry entry = bench.completion(1);
      back[entry.sq_id].push_back(entry.cid);
    }
    EXPECT_EQ(back, sent);
    pass(1_us);
    EXPECT_EQ(bench.controller.tags_in_use(), 0U);
    EXPECT_EQ(bench.interrupts.size(), 9U);
    // It goes on behind that.
    for (const std::uint16_t qid : {3, 1}) {
      bench.submit(qid, flush());
      complete(bench, bench.event());
      EXPECT_EQ(bench.completion(1).sq_id, qid);
    }
  });
}

// A vector counts what arrives in its completion queue, of whatever submission queue.
TEST(NvmeSharedQueue, AnInterruptTellsOfEntriesOfSeveralQueues) {
  NvmeBench bench;
  play([&] {
    share(bench, 16);
    nvme::SubmissionEntry coalesce{};
    coalesce.opcode = nvme::kSetFeatures;
    coalesce.cdw10 = nvme::kFeatureInterruptCoalescing;
    coalesce.cdw11 = 1U << 8 | 2U;  // 100 us, three entries
    bench.admin(coalesce);
    bench.interrupts.clear();
    for (const std::uint16_t qid : {1, 2, 3}) {
      EXPECT_TRUE(bench.interrupts.empty());
      bench.submit(qid, flush());
      complete(bench, bench.event());
      pass(5_us);
    }
    ASSERT_EQ(bench.interrupts.size(), 1U);
    EXPECT_EQ(bench.interrupts[0].vector, 1U);
    for (const std::uint16_t qid : {1, 2, 3}) EXPECT_EQ(bench.completion(1).sq_id, qid);
  });
}

TEST(NvmeSharedQueue, StaysUntilTheLastOfItsQueuesIsDeleted) {
  NvmeBench bench;
  play([&] {
    share(bench, 3);
    // Of a queue that is deleted, and waits for room beside the entries of another.
    std::vector<std::uint16_t> cids;
    for (const std::uint16_t qid : {1, 1, 2}) cids.push_back(bench.submit(qid, flush()));
    for (int i = 0; i < 3; ++i) complete(bench, bench.event());
    pass(10_us);
    bench.submit(0, of_queue(nvme::kDeleteIoSq, 2));
    pass(10_us);
    EXPECT_FALSE(bench.has_completion(0)) << "its command has not left";
    for (const std::uint16_t cid : cids) EXPECT_EQ(bench.completion(1).cid, cid);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    EXPECT_EQ(nvme::status_of(bench.admin(of_queue(nvme::kDeleteIoCq, 1))), nvme::kInvalidQueueDeletion | nvme::kDnr);
    EXPECT_EQ(nvme::status_of(bench.admin(of_queue(nvme::kDeleteIoSq, 3))), nvme::kSuccess);
    bench.submit(1, flush());
    complete(bench, bench.event());
    EXPECT_EQ(bench.completion(1).sq_id, 1);
    EXPECT_EQ(nvme::status_of(bench.admin(of_queue(nvme::kDeleteIoSq, 1))), nvme::kSuccess);
    EXPECT_EQ(nvme::status_of(bench.admin(of_queue(nvme::kDeleteIoCq, 1))), nvme::kSuccess);
  });
}

// IEN = 0: the entry is in host memory a message earlier, and no message comes; coalescing has nothing to count.
TEST(NvmePolledQueue, HasItsEntryWithoutAMessage) {
  NvmeBench bench;
  bench.with_interrupts = false;
  play([&] {
    bench.bring_up();
    for (const std::uint32_t coalescing : {0U, 1U << 8 | 1U}) {
      nvme::SubmissionEntry feature{};
      feature.opcode = nvme::kSetFeatures;
      feature.cdw10 = nvme::kFeatureInterruptCoalescing;
      feature.cdw11 = coalescing;
      bench.admin(feature);
      pass(10_us);
      bench.interrupts.clear();
      bench.submit(1, flush());
      complete(bench, bench.event());
      pass(40_ns + 100_ns - 1_ps);  // 16 and 24 bytes, latency
      EXPECT_FALSE(bench.has_completion(1));
      pass(2_ps);
      EXPECT_TRUE(bench.has_completion(1));
      bench.completion(1);
      pass(300_us);
      EXPECT_TRUE(bench.interrupts.empty());
    }
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_shared_queue_test
