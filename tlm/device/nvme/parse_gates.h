// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "rtl/verilated/parse.h"
#include "tlm/device/mover/controller_memory.h"
#include "tlm/device/mover/host_command.h"
#include "tlm/device/nvme/namespaces.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// The command parser in gates (engines.model = rtl): an entry from its offer to its answer, against the namespaces as
/// they are then. The memory that has their table answers in the next clock.
class ParseGates {
 public:
  /// `own`: the controller memory buffer, null: none.
  ParseGates(const Namespaces& namespaces, const HostLimits& limits, const ControllerMemory* own)
      : namespaces_(namespaces), limits_(limits), own_(own) {}

  /// Empty: the gates say of the entry what the model has said: it ends with `status`, or is `command`, with so many
  /// host pages from its PRPs (any number above two: a list). Else where they differ.
  [[nodiscard]] std::string difference(std::uint32_t tag, const SubmissionEntry& sqe, Status status,
                                       const HostCommand& command, std::uint32_t pages);
  /// Of the entry before.
  [[nodiscard]] std::uint64_t clocks() const { return clocks_; }

 private:
  rtl::Parse::Answer parse(std::uint32_t tag, const SubmissionEntry& sqe, std::uint32_t lpage_shift);
  [[nodiscard]] std::uint64_t table_word(std::uint32_t offset) const;

  const Namespaces& namespaces_;
  const HostLimits& limits_;
  const ControllerMemory* const own_;
  rtl::Parse gates_;
  std::uint64_t clocks_ = 0;
};

}  // namespace wordline::host::nvme
