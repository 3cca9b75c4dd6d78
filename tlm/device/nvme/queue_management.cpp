// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/queue_management.h"

namespace wordline::host::nvme {
namespace {

bool is_io_queue(std::uint32_t qid) { return qid != 0 && qid <= kMaxIoQueues; }

}  // namespace

Status QueueManagement::create_cq(const SubmissionEntry& sqe) {
  const std::uint32_t qid = sqe.cdw10 & 0xffffU;
  const std::uint32_t entries = (sqe.cdw10 >> 16) + 1;
  const std::uint32_t vector = sqe.cdw11 >> 16;
  if (!is_io_queue(qid) || queues_.cq(qid).exists) return kInvalidQueueIdentifier;
  if (entries < 2 || status_.cq_entry_size() != 4) return kInvalidQueueSize;
  if ((sqe.cdw11 & 1U) == 0) return kInvalidField;  // CAP.CQR: contiguous only
  if (vector > kMaxIoQueues) return kInvalidInterruptVector;
  if (sqe.prp1 % kPageBytes != 0) return kPrpOffsetInvalid;
  if (dma_.has_own(sqe.prp1)) return kInvalidUseOfCmb;  // CMBSZ.CQS = 0
  CompletionQueue cq;
  cq.interrupts = (sqe.cdw11 & 2U) != 0;
  cq.vector = static_cast<std::uint16_t>(vector);
  cq.size = entries;
  cq.base = sqe.prp1;
  queues_.add_cq(qid, cq);
  return kSuccess;
}

Status QueueManagement::create_sq(const SubmissionEntry& sqe) {
  const std::uint32_t qid = sqe.cdw10 & 0xffffU;
  const std::uint32_t entries = (sqe.cdw10 >> 16) + 1;
  const std::uint32_t cqid = sqe.cdw11 >> 16;
  if (!is_io_queue(qid) || queues_.sq(qid).exists) return kInvalidQueueIdentifier;
  if (!is_io_queue(cqid)) return kInvalidQueueIdentifier;
  if (!queues_.cq(cqid).exists) return kCompletionQueueInvalid;
  if (entries < 2 || status_.sq_entry_size() != 6) return kInvalidQueueSize;
  if ((sqe.cdw11 & 1U) == 0) return kInvalidField;
  if (sqe.prp1 % kPageBytes != 0) return kPrpOffsetInvalid;
  // CMBLOC.CQMMS = 0: a queue lies in one memory alone.
  const std::uint64_t last = sqe.prp1 + entries * sizeof(SubmissionEntry) - 1;
  if (dma_.has_own(sqe.prp1) != dma_.has_own(last)) return kInvalidUseOfCmb;
  SubmissionQueue& sq = queues_.sq(qid);
  sq = {};
  sq.exists = true;
  sq.cq = static_cast<std::uint16_t>(cqid);
  sq.size = entries;
  sq.base = sqe.prp1;
  sq.arrived.resize(entries);
  ++queues_.cq(cqid).users;
  queues_.arbiter().set_priority(qid, static_cast<QueuePriority>(sqe.cdw11 >> 1 & 3U));
  return kSuccess;
}

Status QueueManagement::delete_cq(const SubmissionEntry& sqe) {
  const std::uint32_t qid = sqe.cdw10 & 0xffffU;
  if (!is_io_queue(qid) || !queues_.cq(qid).exists) return kInvalidQueueIdentifier;
  if (queues_.cq(qid).users != 0) return kInvalidQueueDeletion;
  queues_.remove_cq(qid);
  return kSuccess;
}

Status QueueManagement::delete_sq(const SubmissionEntry& sqe) {
  const std::uint32_t qid = sqe.cdw10 & 0xffffU;
  if (!is_io_queue(qid) || !queues_.sq(qid).exists) return kInvalidQueueIdentifier;
  queues_.arbiter().set_pending(qid, false);
  if (queues_.sq(qid).in_flight != 0) {
    queues_.sq(qid).deleting = true;
    deletes_ = true;
  } else {
    queues_.remove_sq(qid);
  }
  return kSuccess;
}

bool QueueManagement::command_left(std::uint32_t qid) {
  SubmissionQueue& sq = queues_.sq(qid);
  --sq.in_flight;
  if (!sq.deleting || sq.in_flight != 0 || !deletes_) return false;
  deletes_ = false;
  queues_.remove_sq(qid);
  return true;
}

}  // namespace wordline::host::nvme
