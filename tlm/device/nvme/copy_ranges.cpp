// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/copy_ranges.h"

#include "models/firmware/contract/contract.h"
#include "tlm/device/nvme/protection.h"

namespace wordline::host::nvme {

static_assert(sizeof(CopyRange) == sizeof(wl_copy_range));
static_assert(WL_COPY_RANGES * kEntriesOfCopyRange <= WL_DSM_RANGES, "they are read as ranges of DSM are");

Status check_copy(const SubmissionEntry& sqe) {
  if ((sqe.cdw12 & kCopyFormatMask) != 0) return kInvalidField;
  return copy_ranges(sqe) > WL_COPY_RANGES ? kCommandSizeLimitExceeded : kSuccess;
}

Status plan_copy(const SubmissionEntry& sqe, const CopyRange* ranges, const Namespaces& namespaces, CopyPlan& plan) {
  const unsigned shift = namespaces.shift();
  std::uint32_t all = 0;
  plan.sources.clear();
  for (std::uint32_t i = 0; i < copy_ranges(sqe); ++i) {
    const std::uint32_t nlb = ranges[i].nlb + 1U;
    if (nlb << shift > WL_COPY_SOURCE_BLOCKS) return kCommandSizeLimitExceeded;
    CopySequence::Source source{0, nlb << shift, {}};
    if (!namespaces.place(sqe.nsid, ranges[i].slba, nlb, source.slba)) return kLbaOutOfRange;
    const Status status = take_source(sqe, ranges[i], namespaces, source.metadata);
    if (status != kSuccess) return status;
    plan.sources.push_back(source);
    all += nlb;
  }
  if (all << shift > WL_COPY_BLOCKS) return kCommandSizeLimitExceeded;
  const std::uint64_t sdlba = static_cast<std::uint64_t>(sqe.cdw11) << 32 | sqe.cdw10;
  if (!namespaces.place(sqe.nsid, sdlba, all, plan.destination)) return kLbaOutOfRange;
  return take_destination(sqe, namespaces, plan.metadata);
}

}  // namespace wordline::host::nvme
