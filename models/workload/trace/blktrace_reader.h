// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/workload/trace/byte_input.h"
#include "models/workload/trace/record_reader.h"

namespace wordline::workload {

/// The events of blktrace (struct blk_io_trace of linux/blktrace_api.h, version 7, of either byte order): what the
/// block layer was given, action queue; of a trace without any what the device was given, action issue. One file: those
/// of several processors are merged by blkparse -d.
class BlktraceReader final : public RecordReader {
 public:
  BlktraceReader(const std::string& path, bool issued) : input_(path), issued_(issued) {}

  bool next(TraceRecord& out, text::Errors& errors) override;
  std::size_t place() const override { return number_; }
  std::uint64_t ps_per_tick() const override { return 1'000; }
  bool has_times() const override { return true; }
  std::size_t devices() const override { return devices_.count(); }
  const LeftOut& left_out() const override { return left_out_; }

  /// A file of blktrace begins so.
  [[nodiscard]] static bool begins(std::string_view first_bytes);

 private:
  bool skip(std::size_t bytes);

  ByteInput input_;
  const bool issued_;
  DeviceNumbers devices_;
  LeftOut left_out_;
  std::size_t number_ = 0;
  bool ended_ = false;
};

}  // namespace wordline::workload
