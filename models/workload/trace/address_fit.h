// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/workload/source.h"
#include "models/workload/trace/record.h"

namespace wordline::workload {

/// The addresses of a trace on a drive that may be smaller than the recorded one. Places in a page of 4 KiB stay: whole
/// volumes are misaligned to it.
///
/// kWrap: addresses modulo the drive. kScale: extents of 1 MiB closer together, so that the trace's whole range becomes
/// the drive's; within an extent addresses stay, and with them sequences. Either way what does not fit shares blocks
/// with something else. A trace that fits stays as it is.
class AddressFit {
 public:
  /// `trace_blocks`: the end of the highest request, for kScale.
  AddressFit(std::uint64_t drive_lbas, BeyondEnd mode, std::uint64_t trace_lbas);

  /// False: the request ends beyond the drive and may not be moved, or is larger than the drive.
  [[nodiscard]] bool fit(TraceRecord& record);
  [[nodiscard]] std::uint64_t moved() const { return moved_; }              // requests at other addresses
  [[nodiscard]] std::uint64_t pushed_back() const { return pushed_back_; }  // requests that crossed the end

 private:
  [[nodiscard]] std::uint64_t scaled(std::uint64_t lba) const;

  std::uint64_t drive_lbas_;
  std::uint64_t trace_lbas_;
  BeyondEnd mode_;
  std::uint64_t moved_ = 0;
  std::uint64_t pushed_back_ = 0;
};

}  // namespace wordline::workload
