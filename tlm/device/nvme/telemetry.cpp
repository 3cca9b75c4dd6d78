// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/telemetry.h"

#include <cstring>

namespace wordline::host::nvme {
namespace {

// Of the header.
constexpr std::size_t kLog = 0, kLastBlocks = 8, kAreas = 3, kGeneration = 381, kReason = 384;
// Of data area 1: block 1, and from block 2 on an entry for each queue.
constexpr std::size_t kState = Telemetry::kBlock, kQueues = 2 * Telemetry::kBlock;

struct State {
  std::uint32_t version;
  std::uint32_t cc, csts;
  std::uint32_t resets;
  std::uint64_t milliseconds;  // since power on
  std::uint64_t reads, writes, flushes, write_zeroes, deallocations;
  std::uint64_t errors, media_errors;
  std::uint64_t lbas_read, lbas_written;
  std::uint32_t tags, tags_in_use;
};
static_assert(sizeof(State) == 104 && sizeof(State) <= Telemetry::kBlock);

/// Of submission queue and completion queue of one identifier; sizes of 0: there is none.
struct Queue {
  std::uint32_t sq_entries, sq_tail, sq_fetched_up_to, in_flight;
  std::uint64_t fetched;
  std::uint32_t cq_entries, cq_head, cq_tail, completes_in;
  std::uint32_t arrived_not_taken, vector;
};
static_assert(sizeof(Queue) == 48 && kQueues + (kMaxIoQueues + 1) * sizeof(Queue) == Telemetry::kBytes);

constexpr std::uint32_t kLayoutVersion = 1;

}  // namespace

Telemetry::Page Telemetry::header(std::uint8_t log, std::uint16_t last_block) {
  Page page{};
  std::memcpy(&page[kLog], &log, sizeof log);
  for (std::size_t area = 0; area < kAreas; ++area)
    std::memcpy(&page[kLastBlocks + area * sizeof last_block], &last_block, sizeof last_block);
  return page;
}

void Telemetry::fill_controller_initiated(Page& page) const { page = header(kLogTelemetryController, 0); }

void Telemetry::capture(const QueueSet& queues, const ControllerStatus& status, const HostDataMover& mover,
                        Picoseconds now) {
  constexpr std::uint16_t kLast = kBytes / kBlock - 1;
  host_initiated_ = header(kLogTelemetryHost, kLast);
  ++generation_;
  std::memcpy(&host_initiated_[kGeneration], &generation_, sizeof generation_);
  constexpr char kText[] = "host-initiated";
  std::memcpy(&host_initiated_[kReason], kText, sizeof kText - 1);
  const auto& c = mover.counters();
  const auto& d = mover.data_counters();
  const State state{kLayoutVersion,
                    status.cc(),
                    status.csts(),
                    mover.commands().epoch(),
                    static_cast<std::uint64_t>(now.count() / 1'000'000'000),
                    c.reads,
                    c.writes,
                    c.flushes,
                    c.write_zeroes,
                    c.deallocates,
                    c.errors,
                    c.media_errors,
                    d.lbas_read,
                    d.lbas_written,
                    mover.commands().size(),
                    mover.commands().in_use(now)};
  std::memcpy(&host_initiated_[kState], &state, sizeof state);
  for (std::uint32_t qid = 0; qid <= kMaxIoQueues; ++qid) {
    const SubmissionQueue& sq = queues.sq(qid);
    const CompletionQueue& cq = queues.cq(qid);
    const Queue queue{sq.exists ? sq.size : 0,
                      sq.tail,
                      sq.fetch,
                      sq.in_flight,
                      sq.fetched,
                      cq.exists ? cq.size : 0,
                      cq.head,
                      cq.tail,
                      sq.cq,
                      cq.exists ? cq.posted(cq.tail) : 0,
                      cq.vector};
    std::memcpy(&host_initiated_[kQueues + qid * sizeof queue], &queue, sizeof queue);
  }
}

}  // namespace wordline::host::nvme
