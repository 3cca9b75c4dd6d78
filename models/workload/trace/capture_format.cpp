// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What `wordline serve --capture` writes (models/served/capture.h): requests of clients, with answers between them.
#include <fmt/core.h>

#include "models/workload/trace/formats.h"

namespace wordline::workload {
namespace {

/// WRITE_ZEROES is a deallocation, unless the client wanted no hole: then it is a write. Clients are not devices: they
/// share one.
class CaptureParser final : public LineParser {
 public:
  std::uint64_t ps_per_tick() const override { return 1; }
  Verdict parse(std::string_view line, TraceRecord& out) override {
    fields_.split_blanks(line);
    const std::string_view kind = fields_[0];
    if (kind == "wordline" || kind == "drive" || kind == "r" || kind == "a" || kind == "e") return Verdict::kNone;
    if (kind != "q") return wrong(fmt::format("expected a line of q, r, a or e, found '{}'", kind.substr(0, 40)));
    if (fields_.count < 7 || fields_.count > 9) {
      return wrong(
          fmt::format("expected q, time in ps, number, client, operation, offset, length and flags, found {} fields",
                      fields_.count));
    }
    std::uint64_t ignored = 0, offset = 0, length = 0;
    if (!number(fields_[1], "the time (ps)", out.ticks) || !number(fields_[2], "the number", ignored) ||
        !number(fields_[3], "the client", ignored) || !number(fields_[5], "the offset (bytes)", offset) ||
        !number(fields_[6], "the length (bytes)", length)) {
      return Verdict::kWrong;
    }
    out.fua = false;
    bool no_hole = false;
    for (std::size_t i = 7; i != fields_.count; ++i) {
      if (fields_[i] != "fua" && fields_[i] != "nohole")
        return wrong(fmt::format("expected the flag fua or nohole, found '{}'", fields_[i].substr(0, 40)));
      (fields_[i] == "fua" ? out.fua : no_hole) = true;
    }
    return request(fields_[4], no_hole, offset, length, out);
  }

 private:
  Verdict request(std::string_view operation, bool no_hole, std::uint64_t offset, std::uint64_t length,
                  TraceRecord& out) {
    if (operation == "flush") {
      out.op = Op::kFlush;
      out.lba = out.nlb = 0;
      return Verdict::kRequest;
    }
    if (operation == "read") {
      out.op = Op::kRead;
    } else if (operation == "write" || (operation == "zeroes" && no_hole)) {
      out.op = Op::kWrite;
    } else if (operation == "trim" || operation == "zeroes") {
      out.op = Op::kTrim;
      out.fua = false;
    } else {
      return wrong(fmt::format("expected read, write, flush, trim or zeroes, found '{}'", operation.substr(0, 40)));
    }
    if (length == 0) return leave_out(kNoBytes);
    return whole_lbas(offset, length, out) ? Verdict::kRequest : Verdict::kWrong;
  }

  Fields fields_;
};

}  // namespace

std::unique_ptr<LineParser> make_capture_parser() { return std::make_unique<CaptureParser>(); }

}  // namespace wordline::workload
