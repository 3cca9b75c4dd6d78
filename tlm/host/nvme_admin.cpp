// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Admin commands, one at a time (Base 5): queues, features, abort. Pages of information are in nvme_identify.cpp.
#include <algorithm>

#include "tlm/host/nvme_controller.h"

namespace wordline::host {
namespace {

constexpr std::uint32_t kMaxAsyncRequests = 4;  // Identify AERL + 1

}  // namespace

void NvmeController::fetch_admin() {
  SubmissionQueue& sq = sq_[0];
  if (admin_busy_ || !sq.exists || sq.pending() == 0) return;
  admin_busy_ = true;
  const Picoseconds entry_at = link_.read(tlm_if::now(), sizeof admin_sqe_);
  host_.read(sq.base + sq.fetch * sizeof admin_sqe_, &admin_sqe_, sizeof admin_sqe_);
  sq.fetch = sq.fetch + 1 == sq.size ? 0 : sq.fetch + 1;
  schedule(parser_.run(tlm_if::now(), entry_at), Kind::kAdmin, 0, epoch_);
}

void NvmeController::admin() {
  const nvme::SubmissionEntry& sqe = admin_sqe_;
  ++sq_[0].parsed;
  nvme::Status status = nvme::kSuccess;
  std::uint32_t dw0 = 0;
  Picoseconds ready = tlm_if::now();
  if ((sqe.flags & 0xc3U) != 0) {
    admin_done(nvme::kInvalidField, 0, ready);
    return;
  }
  switch (sqe.opcode) {
    case nvme::kCreateIoCq: status = create_cq(sqe); break;
    case nvme::kCreateIoSq: status = create_sq(sqe); break;
    case nvme::kDeleteIoCq: status = delete_cq(sqe); break;
    case nvme::kDeleteIoSq:
      status = delete_sq(sqe);
      if (admin_deletes_) return;  // completed with the queue's last command
      break;
    case nvme::kIdentify: status = identify(sqe, ready); break;
    case nvme::kGetLogPage: status = log_page(sqe, ready); break;
    case nvme::kSetFeatures:
    case nvme::kGetFeatures: status = features(sqe, dw0); break;
    case nvme::kAbort: dw0 = 1; break;  // "not aborted": a legal answer for every command
    case nvme::kAsyncEventRequest:
      if (async_requests_ < kMaxAsyncRequests) {  // outstanding for good: the model has no events to tell
        ++async_requests_;
        admin_busy_ = false;
        fetch_admin();
        return;
      }
      status = nvme::kAsyncEventLimitExceeded;
      break;
    default: status = nvme::kInvalidOpcode;
  }
  admin_done(status, dw0, ready);
}

void NvmeController::admin_done(nvme::Status status, std::uint32_t dw0, Picoseconds ready) {
  if (status != nvme::kSuccess) {
    ++counters_.errors;
    status |= nvme::kDnr;
  }
  const std::uint32_t index = take_completion();
  Completion& completion = completions_[index];
  completion.cid = admin_sqe_.cid;
  completion.status = status;
  completion.dw0 = dw0;
  completion.ready = ready;
  post(index);
  admin_busy_ = false;
  fetch_admin();
}

nvme::Status NvmeController::create_cq(const nvme::SubmissionEntry& sqe) {
  const std::uint32_t qid = sqe.cdw10 & 0xffffU;
  const std::uint32_t entries = (sqe.cdw10 >> 16) + 1;
  const std::uint32_t vector = sqe.cdw11 >> 16;
  if (qid == 0 || qid > kMaxIoQueues || cq_[qid].exists) return nvme::kInvalidQueueIdentifier;
  if (entries < 2 || (cc_ >> nvme::kCcIocqesShift & 0xfU) != 4) return nvme::kInvalidQueueSize;
  if ((sqe.cdw11 & 1U) == 0) return nvme::kInvalidField;  // CAP.CQR: contiguous only
  if (vector > kMaxIoQueues) return nvme::kInvalidInterruptVector;
  if (sqe.prp1 % nvme::kPageBytes != 0) return nvme::kPrpOffsetInvalid;
  CompletionQueue& cq = cq_[qid];
  cq = {};
  cq.exists = true;
  cq.interrupts = (sqe.cdw11 & 2U) != 0;
  cq.vector = static_cast<std::uint16_t>(vector);
  cq.size = entries;
  cq.base = sqe.prp1;
  return nvme::kSuccess;
}

nvme::Status NvmeController::create_sq(const nvme::SubmissionEntry& sqe) {
  const std::uint32_t qid = sqe.cdw10 & 0xffffU;
  const std::uint32_t entries = (sqe.cdw10 >> 16) + 1;
  const std::uint32_t cqid = sqe.cdw11 >> 16;
  if (qid == 0 || qid > kMaxIoQueues || sq_[qid].exists) return nvme::kInvalidQueueIdentifier;
  if (cqid == 0 || cqid > kMaxIoQueues || !cq_[cqid].exists) return nvme::kCompletionQueueInvalid;
  if (entries < 2 || (cc_ >> nvme::kCcIosqesShift & 0xfU) != 6) return nvme::kInvalidQueueSize;
  if ((sqe.cdw11 & 1U) == 0) return nvme::kInvalidField;
  if (sqe.prp1 % nvme::kPageBytes != 0) return nvme::kPrpOffsetInvalid;
  SubmissionQueue& sq = sq_[qid];
  sq = {};
  sq.exists = true;
  sq.cq = static_cast<std::uint16_t>(cqid);
  sq.size = entries;
  sq.base = sqe.prp1;
  sq.arrived.resize(entries);
  ++cq_[cqid].users;
  return nvme::kSuccess;
}

nvme::Status NvmeController::delete_cq(const nvme::SubmissionEntry& sqe) {
  const std::uint32_t qid = sqe.cdw10 & 0xffffU;
  if (qid == 0 || qid > kMaxIoQueues || !cq_[qid].exists) return nvme::kInvalidQueueIdentifier;
  if (cq_[qid].users != 0) return nvme::kInvalidQueueDeletion;
  cq_[qid] = {};
  return nvme::kSuccess;
}

// Entries not yet fetched are dropped; the command completes after all that were.
nvme::Status NvmeController::delete_sq(const nvme::SubmissionEntry& sqe) {
  const std::uint32_t qid = sqe.cdw10 & 0xffffU;
  if (qid == 0 || qid > kMaxIoQueues || !sq_[qid].exists) return nvme::kInvalidQueueIdentifier;
  pending_queues_ &= ~(1ULL << qid);
  if (sq_[qid].in_flight != 0) {
    sq_[qid].deleting = true;
    admin_deletes_ = true;
  } else {
    remove_sq(sq_[qid]);
  }
  return nvme::kSuccess;
}

void NvmeController::remove_sq(SubmissionQueue& sq) {
  --cq_[sq.cq].users;
  sq = {};
}

nvme::Status NvmeController::features(const nvme::SubmissionEntry& sqe, std::uint32_t& dw0) {
  const auto id = static_cast<std::uint8_t>(sqe.cdw10);
  const bool set = sqe.opcode == nvme::kSetFeatures;
  if (set && (sqe.cdw10 & 1U << 31) != 0) return nvme::kFeatureNotSaveable;
  if (!set && (sqe.cdw10 & 0x700U) != 0) return nvme::kInvalidField;  // current values only
  switch (id) {
    case nvme::kFeatureNumberOfQueues: {
      const bool any = std::any_of(cq_.begin() + 1, cq_.end(), [](const CompletionQueue& cq) { return cq.exists; });
      if (set && any) return nvme::kCommandSequenceError;
      if (set && ((sqe.cdw11 & 0xffffU) == 0xffffU || sqe.cdw11 >> 16 == 0xffffU)) return nvme::kInvalidField;
      dw0 = (kMaxIoQueues - 1) << 16 | (kMaxIoQueues - 1);  // granted, 0-based, whatever was asked for
      return nvme::kSuccess;
    }
    case nvme::kFeatureVolatileWriteCache:
      if (config_.ftl.power_safe) return nvme::kInvalidField;  // Identify VWC: there is none
      if (set && (sqe.cdw11 & 1U) == 0) return nvme::kFeatureNotChangeable;
      dw0 = set ? 0 : 1;
      return nvme::kSuccess;
    case nvme::kFeatureInterruptCoalescing:
      if (set && (sqe.cdw11 & 0xffffU) != 0) return nvme::kFeatureNotChangeable;
      return nvme::kSuccess;
    case nvme::kFeatureInterruptVector:
      if ((sqe.cdw11 & 0xffffU) > kMaxIoQueues) return nvme::kInvalidField;
      dw0 = set ? 0 : (sqe.cdw11 & 0xffffU) | 1U << 16;  // coalescing disabled
      return nvme::kSuccess;
    case nvme::kFeaturePowerManagement:
      if (set && (sqe.cdw11 & 0x1fU) != 0) return nvme::kInvalidField;  // power state 0 only
      return nvme::kSuccess;
    case nvme::kFeatureArbitration:
    case nvme::kFeatureTemperatureThreshold:
    case nvme::kFeatureErrorRecovery:
    case nvme::kFeatureWriteAtomicity:
    case nvme::kFeatureAsyncEvents:  // kept, without effect
      if (set) features_[id] = sqe.cdw11;
      dw0 = set ? 0 : features_[id];
      return nvme::kSuccess;
    default: return nvme::kInvalidField;
  }
}

}  // namespace wordline::host
