// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/config/config.h"
#include "tlm/device/nvme/namespaces.h"

/// What the controller knows of a Device Self-test (Base 5.9, 5.16.1.7): the test is the firmware's
/// (models/firmware/admin/self_test.h).
namespace wordline::host::nvme {

/// Nominal time of an extended self-test, in minutes (Identify EDSTT): eight reads of a logical page at a time, each
/// with the mean tR of the page types, rounded up. `lbas`: of 512 bytes.
[[nodiscard]] std::uint16_t extended_self_test_minutes(const config::Config& config, std::uint64_t lbas);
/// Whether there is such a Device Self-test, of the controller, of a namespace or of all; its blocks go to the firmware
/// in the entry: see host_ring.h.
Status place_self_test(SubmissionEntry& sqe, const Namespaces& namespaces);
/// Blocks that the firmware's log of self-tests names become LBAs of the namespace in which they lie now.
void name_blocks_of_self_tests(std::byte* log, const Namespaces& namespaces);

}  // namespace wordline::host::nvme
