// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/device/mover/copy_sequence.h"
#include "tlm/device/nvme/namespaces.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

inline constexpr std::uint32_t kEntriesOfCopyRange = sizeof(CopyRange) / sizeof(DsmRange);

/// Source ranges of a Copy.
[[nodiscard]] inline std::uint32_t copy_ranges(const SubmissionEntry& sqe) { return (sqe.cdw12 & 0xffU) + 1; }

/// Where a Copy reads and writes, in blocks of 512 bytes of the drive.
struct CopyPlan {
  std::vector<CopySequence::Source> sources;
  std::uint64_t destination = 0;
  CommandMetadata metadata;  // of what is written
};

/// What can be said of a Copy (NVM Command Set 3.2.2) before its ranges are read.
[[nodiscard]] Status check_copy(const SubmissionEntry& sqe);
/// `ranges`: copy_ranges() of them.
[[nodiscard]] Status plan_copy(const SubmissionEntry& sqe, const CopyRange* ranges, const Namespaces& namespaces,
                               CopyPlan& plan);

}  // namespace wordline::host::nvme
