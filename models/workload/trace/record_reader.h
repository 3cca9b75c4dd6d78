// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/workload/text.h"
#include "models/workload/trace/formats.h"
#include "models/workload/trace/record.h"

namespace wordline::workload {

/// A trace from its first request to its last, in memory that does not grow with it.
class RecordReader {
 public:
  virtual ~RecordReader() = default;
  /// The next request; false at the end. What does not parse goes to `errors` with its place, and reading goes on
  /// behind it. Throws WorkloadError when the file cannot be read.
  virtual bool next(TraceRecord& out, text::Errors& errors) = 0;
  /// The place of the last request, as messages name it: the line, or in a binary file the number of the record. From
  /// 1.
  [[nodiscard]] virtual std::size_t place() const = 0;

  [[nodiscard]] virtual std::uint64_t ps_per_tick() const = 0;
  /// Whether the records read so far have times.
  [[nodiscard]] virtual bool has_times() const = 0;
  [[nodiscard]] virtual std::size_t devices() const = 0;
  [[nodiscard]] virtual const LeftOut& left_out() const = 0;
  /// What the user should know of all records; empty: nothing.
  [[nodiscard]] virtual std::string note() const { return {}; }
};

/// A request with a flush before it comes as two: the FLUSH and, at the same time, the request.
[[nodiscard]] std::unique_ptr<RecordReader> open_trace(const std::string& path, TraceFormat format,
                                                       const std::string& columns);

}  // namespace wordline::workload
