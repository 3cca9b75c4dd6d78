// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/config/config.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// What the pages of the SMART log count.
struct SmartCounts {
  std::uint64_t lbas_read = 0, lbas_written = 0;  // 512 bytes
  std::uint64_t reads = 0, writes = 0;
  std::uint64_t media_errors = 0;
};

/// Content of Identify (Base 5.17; NVM 4.1.5) and of log pages (Base 5.16). It makes one page at a time; bringing it to
/// the host is a matter of AdminCommands. Known gaps: error log and firmware slot log are constant.
class InformationPages {
 public:
  /// `transfer_exponent`: MDTS.
  InformationPages(const config::Config& config, std::uint64_t user_lbas, std::uint32_t transfer_exponent)
      : config_(config), user_lbas_(user_lbas), mdts_(static_cast<std::uint8_t>(transfer_exponent)) {}

  /// On success page() is the answer, all of it.
  Status identify(const SubmissionEntry& sqe);
  /// On success the first `bytes` of page() are the answer.
  Status log(const SubmissionEntry& sqe, const SmartCounts& counts, std::size_t& bytes);
  [[nodiscard]] const std::byte* page() const { return page_.data(); }

 private:
  const config::Config& config_;
  const std::uint64_t user_lbas_;
  const std::uint8_t mdts_;
  std::array<std::byte, kPageBytes> page_{};
};

}  // namespace wordline::host::nvme
