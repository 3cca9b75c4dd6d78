// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The default text of blkparse (blkparse(1), "%D %2c %8s %5T.%9t %5p %2a %3d" and what each action adds).
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "models/workload/trace/formats.h"

namespace wordline::workload {
namespace {

constexpr std::array<std::string_view, 19> kActions{"Q",  "M", "F", "G", "S", "R", "D", "C", "P", "U",
                                                    "UT", "I", "X", "B", "A", "m", "T", "d", "r"};
/// How the lines of the summary at the end begin, each with a colon behind; those of records begin with a digit.
constexpr std::array<std::string_view, 10> kSummary{
    "CPU", "Total (", "Reads ", "Read ", "PC Read", "IO u", "Timer u", "Events (", "Throughput (R/W)", "Skips"};

bool is_summary(std::string_view line) {
  const auto begins_line = [line](std::string_view word) { return line.substr(0, word.size()) == word; };
  if (begins_line("Input file ")) return true;
  return line.find(':') != std::string_view::npos && std::any_of(kSummary.begin(), kSummary.end(), begins_line);
}

/// Requests are what the block layer was given: action Q, with the time at which it came; of a trace without any, what
/// the device was given: action D. All other actions are of the same requests elsewhere. Concatenated files begin anew,
/// each with its summary at the end.
class BlkparseParser final : public LineParser {
 public:
  explicit BlkparseParser(bool issued) : action_(issued ? "D" : "Q") {}
  std::uint64_t ps_per_tick() const override { return 1'000; }
  Verdict parse(std::string_view line, TraceRecord& out) override {
    if (is_summary(line)) return Verdict::kNone;
    fields_.split_blanks(line);
    if (fields_.count < 7) {
      return wrong(fmt::format("expected device cpu sequence time pid action RWBS, found {} fields", fields_.count));
    }
    std::uint64_t major = 0, minor = 0, cpu = 0, sequence = 0, pid = 0;
    const auto comma = std::min(fields_[0].find(','), fields_[0].size() - 1);
    if (!number(fields_[0].substr(0, comma), "the device's major number", major) ||
        !number(fields_[0].substr(comma + 1), "the device's minor number", minor) ||
        !number(fields_[1], "the CPU", cpu) || !number(fields_[2], "the sequence number", sequence) ||
        !fixed(fields_[3], "the time (seconds)", 9, out.ticks) || !number(fields_[4], "the PID", pid)) {
      return Verdict::kWrong;
    }
    const std::string_view action = fields_[5];
    if (std::find(kActions.begin(), kActions.end(), action) == kActions.end()) {
      return wrong(fmt::format("expected an action of blkparse, found '{}'", action.substr(0, 40)));
    }
    if (action != action_) return leave_out(fmt::format("action {}", action));
    return queued(out);
  }

 private:
  Verdict queued(TraceRecord& out) {
    const std::string_view rwbs = fields_[6];
    const std::string kind(rwbs.substr(0, 40));
    if (rwbs.find_first_not_of("RWDNFASMBPVEU") != std::string_view::npos) {
      return wrong(fmt::format("expected RWBS, found '{}'", kind));
    }
    const bool known = take_rwbs(rwbs, out);
    const bool flush = rwbs.front() == 'F';
    const bool has_extent = fields_.count >= 10 && fields_[8] == "+";
    if (!has_extent) {
      if (rwbs.find('N') != std::string_view::npos) return leave_out(of_kind(kind));  // no read or write
      if (!flush) return wrong("expected sector + blocks behind RWBS");
      only_flush(out);
      return device(fields_[0], out.device) ? Verdict::kRequest : Verdict::kWrong;
    }
    if (!number(fields_[7], "the sector", out.lba) || !number(fields_[9], "the blocks", out.nlb)) {
      return Verdict::kWrong;
    }
    if (out.nlb == 0 && flush) {
      only_flush(out);
    } else if (!known || out.op == Op::kFlush) {
      return leave_out(of_kind(kind));
    } else if (out.nlb == 0) {
      return leave_out(kNoBytes);
    }
    return device(fields_[0], out.device) ? Verdict::kRequest : Verdict::kWrong;
  }

  [[nodiscard]] std::string of_kind(const std::string& kind) const {
    return fmt::format("action {} of kind {}", action_, kind);
  }
  static void only_flush(TraceRecord& out) {
    out.op = Op::kFlush;
    out.lba = out.nlb = 0;
    out.fua = out.preflush = false;
  }

  const std::string_view action_;  // of requests
  Fields fields_;
};

}  // namespace

std::unique_ptr<LineParser> make_blkparse_parser() { return std::make_unique<BlkparseParser>(false); }
std::unique_ptr<LineParser> make_issued_blkparse_parser() { return std::make_unique<BlkparseParser>(true); }

}  // namespace wordline::workload
