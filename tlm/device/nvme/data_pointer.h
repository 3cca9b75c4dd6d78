// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tlm/device/mover/host_command.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// What the data pointer of a command refers to; `bytes` are whole multiples of `unit`.
struct PointedData {
  std::uint64_t bytes;  // 0: the command has no data in host memory
  std::uint32_t unit;
};
[[nodiscard]] inline PointedData pointed_data(const HostCommand& command) {
  if (has_ranges(command.op)) return {command.ranges * sizeof(DsmRange), 4};
  if (!moves_data(command.op) || !uses_link(command.way)) return {0, kLbaBytes};
  const std::uint64_t bytes = std::uint64_t{command.nlb} * kLbaBytes;
  if (command.metadata.interleaved()) return {bytes + command.metadata.bytes(command.nlb), 4};
  return {bytes, kLbaBytes};
}

/// Its data go to host memory.
[[nodiscard]] inline bool is_data_to_host(const HostCommand& command) {
  return command.op == Operation::kRead && command.way == DataWay::kHost;
}

/// Who waits for what a data pointer refers to: a PRP list, or the segments of an SGL.
class DataPointerUserIf {
 public:
  /// The command's list or segments have been read, or are no good, or the command was lost in a reset
  /// (kAbortedQueueDeleted).
  virtual void list_ended(std::uint32_t tag, Status status) = 0;

 protected:
  ~DataPointerUserIf() = default;
};

}  // namespace wordline::host::nvme
