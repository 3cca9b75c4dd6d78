// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Formats of five columns between blanks: MQSim and DiskSim. Both give arrival, device, first LBA, blocks of 512 bytes
// and the operation; they differ in the unit of time.
#include <fmt/core.h>

#include "models/workload/trace/formats.h"

namespace wordline::workload {
namespace {

class MqsimParser final : public LineParser {
 public:
  std::uint64_t ps_per_tick() const override { return 1'000; }
  Verdict parse(std::string_view line, TraceRecord& out) override {
    fields_.split_blanks(line);
    if (fields_.count != 5) {
      return wrong(fmt::format(
          "expected 5 fields: arrival in ns, device, first LBA, blocks, type (0 = write, 1 = read), found {}",
          fields_.count));
    }
    std::uint64_t id = 0;
    if (!number(fields_[0], "the arrival (ns)", out.ticks) || !number(fields_[1], "the device", id) ||
        !number(fields_[2], "the first LBA (512-byte blocks)", out.lba) ||
        !number(fields_[3], "the size (512-byte blocks)", out.nlb)) {
      return Verdict::kWrong;
    }
    if (fields_[4] != "0" && fields_[4] != "1") {
      return wrong(fmt::format("expected type 0 (write) or 1 (read), found '{}'", fields_[4].substr(0, 40)));
    }
    out.op = fields_[4] == "1" ? Op::kRead : Op::kWrite;
    if (out.nlb == 0) return leave_out(kNoBytes);
    return device(fields_[1], out.device) ? Verdict::kRequest : Verdict::kWrong;
  }

 private:
  Fields fields_;
};

class DisksimParser final : public LineParser {
 public:
  std::uint64_t ps_per_tick() const override { return 1; }
  Verdict parse(std::string_view line, TraceRecord& out) override {
    fields_.split_blanks(line);
    if (fields_.count != 5) {
      return wrong(
          fmt::format("expected 5 fields: arrival in ms, device, first LBA, blocks, flags (bit 0: 1 = read), found {}",
                      fields_.count));
    }
    std::uint64_t id = 0, flags = 0;
    if (!fixed(fields_[0], "the arrival (ms)", 9, out.ticks) || !number(fields_[1], "the device", id) ||
        !number(fields_[2], "the first LBA (512-byte blocks)", out.lba) ||
        !number(fields_[3], "the size (512-byte blocks)", out.nlb) || !number(fields_[4], "the flags", flags)) {
      return Verdict::kWrong;
    }
    out.op = flags % 2 == 1 ? Op::kRead : Op::kWrite;
    if (out.nlb == 0) return leave_out(kNoBytes);
    return device(fields_[1], out.device) ? Verdict::kRequest : Verdict::kWrong;
  }

 private:
  Fields fields_;
};

}  // namespace

std::unique_ptr<LineParser> make_mqsim_parser() { return std::make_unique<MqsimParser>(); }
std::unique_ptr<LineParser> make_disksim_parser() { return std::make_unique<DisksimParser>(); }

}  // namespace wordline::workload
