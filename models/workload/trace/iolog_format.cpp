// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// fio's I/O log, versions 2 and 3 (fio HOWTO, "Trace file format").
#include <fmt/core.h>

#include "models/workload/trace/formats.h"

namespace wordline::workload {
namespace {

/// Version 2 has a file and an action on each line, and lines `wait` with microseconds since the last wait. Version 3
/// puts the microseconds since the begin of the run in front. Each file is a device. Offsets of files need not be whole
/// blocks: a request is then widened to the blocks it touches.
class IologParser final : public LineParser {
 public:
  std::uint64_t ps_per_tick() const override { return 1'000'000; }
  bool has_times() const override { return version_ == 3 || waited_; }
  Verdict parse(std::string_view line, TraceRecord& out) override {
    if (version_ == 0) return parse_header(line);
    fields_.split_blanks(line);
    const std::size_t skip = version_ == 3 ? 1 : 0;
    std::uint64_t stamp = 0;
    if (version_ == 3 && !number(fields_.count != 0 ? fields_[0] : "", "the time (microseconds)", stamp)) {
      return Verdict::kWrong;
    }
    const std::size_t count = fields_.count - skip;
    if (count != 2 && count != 4) {
      return wrong(fmt::format("expected {}file action, or {}file action offset length, found {} fields",
                               skip == 1 ? "time " : "", skip == 1 ? "time " : "", fields_.count));
    }
    const std::string_view action = fields_[skip + 1];
    if (count == 2) {
      if (action == "add" || action == "open" || action == "close") return Verdict::kNone;
      return wrong(fmt::format("expected action add, open or close, or an offset and a length behind it, found '{}'",
                               action.substr(0, 40)));
    }
    std::uint64_t offset = 0, length = 0;
    if (!number(fields_[skip + 2], "the offset (bytes)", offset) ||
        !number(fields_[skip + 3], "the length (bytes)", length)) {
      return Verdict::kWrong;
    }
    if (action == "wait") return wait(offset);
    out.ticks = version_ == 3 ? stamp : time_;
    return request(fields_[skip], action, offset, length, out);
  }

 private:
  Verdict parse_header(std::string_view line) {
    if (line == "fio version 2 iolog") {
      version_ = 2;
    } else if (line == "fio version 3 iolog") {
      version_ = 3;
    } else {
      return wrong(
          fmt::format("expected 'fio version 2 iolog' or 'fio version 3 iolog', found '{}'", line.substr(0, 40)));
    }
    return Verdict::kNone;
  }

  Verdict wait(std::uint64_t microseconds) {
    if (version_ == 3) return wrong("wait has no meaning in version 3, whose lines have a time");
    constexpr std::uint64_t kLeast = 100;  // fio leaves out shorter ones
    if (microseconds < kLeast) return leave_out("waits of less than 100 us");
    if (microseconds > UINT64_MAX - time_) return wrong("the waits add up to more than a 64-bit number");
    time_ += microseconds;
    waited_ = true;
    return Verdict::kNone;
  }

  Verdict request(std::string_view file, std::string_view action, std::uint64_t offset, std::uint64_t length,
                  TraceRecord& out) {
    if (!device(file, out.device)) return Verdict::kWrong;
    if (action == "sync" || action == "datasync") {
      out.op = Op::kFlush;
      out.lba = out.nlb = 0;
      return Verdict::kRequest;
    }
    if (action == "read") {
      out.op = Op::kRead;
    } else if (action == "write") {
      out.op = Op::kWrite;
    } else if (action == "trim") {
      out.op = Op::kTrim;
    } else {
      return wrong(
          fmt::format("expected action read, write, trim, sync, datasync or wait, found '{}'", action.substr(0, 40)));
    }
    if (length == 0) return leave_out(kNoBytes);
    if (offset > UINT64_MAX - kLbaBytes || length > UINT64_MAX - kLbaBytes - offset) {
      return wrong("offset and length add up to more than a 64-bit number");
    }
    out.lba = offset / kLbaBytes;
    out.nlb = (offset + length + kLbaBytes - 1) / kLbaBytes - out.lba;
    return Verdict::kRequest;
  }

  Fields fields_;
  unsigned version_ = 0;
  std::uint64_t time_ = 0;
  bool waited_ = false;
};

}  // namespace

std::unique_ptr<LineParser> make_iolog_parser() { return std::make_unique<IologParser>(); }

}  // namespace wordline::workload
