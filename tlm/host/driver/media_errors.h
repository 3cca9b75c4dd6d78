// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/results/registry.h"
#include "models/workload/request.h"
#include "tlm/device/mover/host_command.h"

namespace wordline::host {

/// Requests that the drive ended with an error of its flash: counted by operation and kind. A drive may answer so; any
/// other error of a command is a defect of the model, because the driver sends commands that are legal.
class MediaErrors {
 public:
  /// The drive's flash is the reason, not the command.
  [[nodiscard]] static bool is_one(CommandStatus status);

  /// A request of `op` has failed with `status`, one of the above. `verify`: a read of --verify-all.
  void count(workload::Op op, bool verify, CommandStatus status);
  [[nodiscard]] std::uint64_t total() const;

  /// Registers errors.OP.KIND.
  void register_statistics(results::Registry& registry) const;
  /// For the summary: a sentence for each operation and kind that occurred.
  [[nodiscard]] std::vector<std::string> notices() const;

 private:
  static constexpr std::size_t kKinds = 4;
  static constexpr std::size_t kRows = workload::kOpCount + 1;  // the last row: reads of --verify-all

  static std::size_t kind_of(CommandStatus status);  // kKinds: none

  std::array<std::array<std::uint64_t, kKinds>, kRows> counts_{};
};

}  // namespace wordline::host
