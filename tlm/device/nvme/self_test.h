// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/config/config.h"
#include "tlm/device/nvme/namespaces.h"

namespace wordline::host::nvme {

/// What the controller knows of a Device Self-test (Base 5.9, 5.16.1.7): the test is the firmware's
/// (admin/self_test.h).
class SelfTest {
 public:
  /// Nominal time of an extended one, in minutes (Identify EDSTT): eight reads of a logical page at a time, each with
  /// the mean tR of the pages' levels, rounded up. `lbas`: of 512 bytes.
  [[nodiscard]] static std::uint16_t extended_minutes(const config::Config& config, std::uint64_t lbas);
  /// Blocks that the firmware's log names become LBAs of the namespace in which they lie now.
  static void name_blocks(std::byte* log, const Namespaces& namespaces);
};

}  // namespace wordline::host::nvme
