// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "models/workload/source.h"

namespace wordline::workload {

enum class TraceFormat : std::uint8_t { kMsr, kMqsim };

/// Reads a whole trace; throws WorkloadError. `path` is used in messages only.
///
/// MSR Cambridge CSV: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime; ticks of 100 ns, bytes.
/// MQSim ASCII: arrival in ns, device, LBA, 512-byte blocks, type (0 = write, 1 = read).
///
/// Times are relative to the first record. An arrival before its predecessor's is taken as the predecessor's: the
/// file's order is the order of submission. Addresses keep their 512-byte alignment (whole MSR volumes are misaligned
/// to 4 KiB).
///
/// Known gaps: the trace is held in memory, 24 bytes a record. Recorded response times are checked and not used.
[[nodiscard]] std::unique_ptr<Source> read_trace(TraceFormat format, const std::string& path, std::string_view content,
                                                 const LoadOptions& options);

}  // namespace wordline::workload
