// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "models/workload/source.h"
#include "models/workload/trace/formats.h"

namespace wordline::workload {

/// A trace as a workload. The file is read twice: first to the end, so that every line is known to be good and the
/// number of requests, the span and the highest address are known before anything runs; then request by request, in
/// memory that does not grow with the file. Throws WorkloadError with all errors of the file (the first twenty).
///
/// Times are relative to the first request. Addresses keep their 512-byte alignment. With options.trace.queue_depth, or
/// where the format has no times, requests follow each other in a closed loop instead. Repeated traces begin again one
/// mean time between requests after the last one.
///
/// Known gaps: recorded response times are checked and not used; nothing waits for the end of what it depended on when
/// it was recorded.
[[nodiscard]] std::unique_ptr<Source> make_trace_source(const std::string& path, TraceFormat format,
                                                        const LoadOptions& options);

}  // namespace wordline::workload
