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
      if (set && (sqe.cdw11 & 0xffffU) != 0) return kFeatureNotChangeable;
      return kSuccess;
    case kFeatureInterruptVector:
      if ((sqe.cdw11 & 0xffffU) > kMaxIoQueues) return kInvalidField;
      dw0 = set ? 0 : (sqe.cdw11 & 0xffffU) | 1U << 16;  // coalescing disabled
      return kSuccess;
    case kFeaturePowerManagement:
      if (set && (sqe.cdw11 & 0x1fU) != 0) return kInvalidField;  // power state 0 only
      return kSuccess;
    case kFeatureArbitration:
    case kFeatureTemperatureThreshold:
    case kFeatureErrorRecovery:
    case kFeatureWriteAtomicity:
    case kFeatureAsyncEvents:
      if (set) kept_[id] = sqe.cdw11;
      dw0 = set ? 0 : kept_[id];
      return kSuccess;
    default:
      return kInvalidField;
  }
}

}  // namespace wordline::host::nvme
