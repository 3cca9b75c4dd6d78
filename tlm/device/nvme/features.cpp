// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/features.h"

namespace wordline::host::nvme {

Status Features::run(const SubmissionEntry& sqe, std::uint32_t& dw0) {
  const auto id = static_cast<std::uint8_t>(sqe.cdw10);
  const bool set = sqe.opcode == kSetFeatures;
  if (set && (sqe.cdw10 & 1U << 31) != 0) return kFeatureNotSaveable;
  if (!set && (sqe.cdw10 & 0x700U) != 0) return kInvalidField;  // current values only
  switch (id) {
    case kFeatureNumberOfQueues: {
      if (set && queues_.any_io_cq()) return kCommandSequenceError;
      if (set && ((sqe.cdw11 & 0xffffU) == 0xffffU || sqe.cdw11 >> 16 == 0xffffU)) return kInvalidField;
      dw0 = (kMaxIoQueues - 1) << 16 | (kMaxIoQueues - 1);  // granted, 0-based, whatever was asked for
      return kSuccess;
    }
    case kFeatureVolatileWriteCache:
      if (power_safe_) return kInvalidField;  // Identify VWC: there is none
      if (set && (sqe.cdw11 & 1U) == 0) return kFeatureNotChangeable;
      dw0 = set ? 0 : 1;
      return kSuccess;
    case kFeatureInterruptCoalescing:
      if (set) interrupts_.coalesce(sqe.cdw11 & 0xffffU);
      dw0 = set ? 0 : interrupts_.coalescing();
      return kSuccess;
    case kFeatureInterruptVector:
      return interrupt_vector(set, sqe.cdw11, dw0);
    case kFeaturePowerManagement:
      if (set && (sqe.cdw11 & 0x1fU) != 0) return kInvalidField;  // power state 0 only
      return kSuccess;
    case kFeatureArbitration:
      if (set) queues_.arbiter().set_feature(sqe.cdw11);
      dw0 = set ? 0 : queues_.arbiter().feature();
      return kSuccess;
    case kFeatureErrorRecovery:
      return error_recovery(sqe, set, dw0);
    case kFeatureSanitizeConfig:
      if (!erases_) return kInvalidField;
      if (set) no_deallocate_response_ = (sqe.cdw11 & kNoDeallocateResponse) != 0;
      dw0 = set || !no_deallocate_response_ ? 0 : kNoDeallocateResponse;
      return kSuccess;
    case kFeatureWriteAtomicity:
      if (set) kept_[id] = sqe.cdw11;
      dw0 = set ? 0 : kept_[id];
      return kSuccess;
    default:
      return kInvalidField;
  }
}

/// Of a namespace, or when it is set of all (NVM Command Set 4.1.3.2).
Status Features::error_recovery(const SubmissionEntry& sqe, bool set, std::uint32_t& dw0) {
  const bool all = set && sqe.nsid == kAllNamespaces;
  if (!all && !namespaces_.has(sqe.nsid)) return namespaces_.refusal(sqe.nsid);
  if (all) {
    recovery_.assign(recovery_.size(), sqe.cdw11);
  } else if (set) {
    recovery_[sqe.nsid - 1] = sqe.cdw11;
  }
  dw0 = set ? 0 : recovery_[sqe.nsid - 1];
  return kSuccess;
}

std::uint32_t Features::unwritten_errors() const {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < recovery_.size(); ++i) {
    if ((recovery_[i] & kUnwrittenErrors) != 0) bits |= 1U << i;
  }
  return bits;
}

/// Interrupt Vector Configuration (Base 5.27.1.7): bit 16 disables coalescing of a vector. Messages of the admin queue
/// are never held.
Status Features::interrupt_vector(bool set, std::uint32_t value, std::uint32_t& dw0) {
  const std::uint32_t vector = value & 0xffffU;
  const bool disables = (value >> 16 & 1U) != 0;
  if (vector > kMaxIoQueues) return kInvalidField;
  if (set && vector == 0 && !disables) return kFeatureNotChangeable;
  if (set) interrupts_.disable_coalescing(vector, disables);
  dw0 = set ? 0 : vector | (interrupts_.coalescing_disabled(vector) ? 1U << 16 : 0U);
  return kSuccess;
}

}  // namespace wordline::host::nvme
