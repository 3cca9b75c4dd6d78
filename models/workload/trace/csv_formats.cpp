// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Formats with commas: MSR Cambridge, SPC, Alibaba, SYSTOR '17, Tencent CBS.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "models/workload/text.h"
#include "models/workload/trace/formats.h"

namespace wordline::workload {
namespace {

/// Takes a line apart from its front.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}

  /// A number and the comma behind it, or the end of the line.
  bool number(std::uint64_t& value) {
    if (at_end()) return false;
    const auto [behind, error] = std::from_chars(at_, end_, value);
    if (error != std::errc()) return false;
    return comma(behind);
  }
  /// What lies before the next comma.
  bool field(std::string_view& value) {
    if (at_end()) return false;
    const char* const comma_at = std::find(at_, end_, ',');
    value = std::string_view(at_, static_cast<std::size_t>(comma_at - at_));
    return comma(comma_at);
  }
  [[nodiscard]] bool at_end() const { return at_ == nullptr; }
  [[nodiscard]] const char* at() const { return at_; }

 private:
  bool comma(const char* at) {
    if (at != end_ && *at != ',') return false;
    at_ = at == end_ ? nullptr : at + 1;
    return true;
  }

  const char* at_;  // nullptr: the last field was taken
  const char* end_;
};

/// Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime: Windows FILETIME (100 ns), bytes. Response times are
/// checked and not used.
class MsrParser final : public LineParser {
 public:
  std::uint64_t ps_per_tick() const override { return 100'000; }
  Verdict parse(std::string_view line, TraceRecord& out) override {
    const bool first = std::exchange(first_, false);
    if (parse_common(line, out)) return Verdict::kRequest;
    if (first && text::lower(line.substr(0, 10)) == "timestamp,") return Verdict::kNone;  // some mirrors add a header
    fields_.split(line, ',');
    if (fields_.count != 7) {
      return wrong(fmt::format(
          "expected 7 fields Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime, found {}", fields_.count));
    }
    std::uint64_t disk = 0, offset = 0, size = 0, response = 0;
    if (!number(fields_[0], "Timestamp (100 ns ticks)", out.ticks) || !number(fields_[2], "DiskNumber", disk)) {
      return Verdict::kWrong;
    }
    if (fields_[3] == "Read" || fields_[3] == "read" || fields_[3] == "READ") {
      out.op = Op::kRead;
    } else if (fields_[3] == "Write" || fields_[3] == "write" || fields_[3] == "WRITE") {
      out.op = Op::kWrite;
    } else {
      return wrong(fmt::format("expected Type Read or Write, found '{}'", fields_[3].substr(0, 40)));
    }
    if (!number(fields_[4], "Offset (bytes)", offset) || !number(fields_[5], "Size (bytes)", size) ||
        !number(fields_[6], "ResponseTime (100 ns ticks)", response)) {
      return Verdict::kWrong;
    }
    if (size == 0) return leave_out(kNoBytes);
    if (!whole_lbas(offset, size, out)) return Verdict::kWrong;
    const char* const host = fields_[1].data();
    const char* const end = fields_[2].data() + fields_[2].size();
    const std::string_view name(host, static_cast<std::size_t>(end - host));
    return device(name, out.device) ? Verdict::kRequest : Verdict::kWrong;
  }

 private:
  /// A line as nearly all are, in one go, for traces have hundreds of millions of them. False: look closer.
  bool parse_common(std::string_view line, TraceRecord& out) {
    Cursor cursor(line);
    std::string_view host, type;
    std::uint64_t disk = 0, offset = 0, size = 0, response = 0;
    if (!cursor.number(out.ticks)) return false;
    const char* const name = cursor.at();
    if (!cursor.field(host) || !cursor.number(disk) || cursor.at_end()) return false;
    const auto name_size = static_cast<std::size_t>(cursor.at() - 1 - name);
    if (!cursor.field(type) || !cursor.number(offset) || !cursor.number(size) || !cursor.number(response)) return false;
    if (!cursor.at_end() || size == 0 || (offset | size) % kLbaBytes != 0) return false;
    if (type != "Read" && type != "Write") return false;
    out.op = type == "Read" ? Op::kRead : Op::kWrite;
    out.lba = offset / kLbaBytes;
    out.nlb = size / kLbaBytes;
    return device(std::string_view(name, name_size), out.device);
  }

  Fields fields_;
  bool first_ = true;
};

/// ASU,LBA,Size,Opcode,Timestamp and anything behind: LBA in blocks of 512 bytes, size in bytes, time in seconds. The
/// format allows sizes of 0 and sizes that are not a multiple of a block.
class SpcParser final : public LineParser {
 public:
  std::uint64_t ps_per_tick() const override { return 1; }
  Verdict parse(std::string_view line, TraceRecord& out) override {
    fields_.split(line, ',');
    if (fields_.count < 5) {
      return wrong(fmt::format("expected at least 5 fields ASU,LBA,Size,Opcode,Timestamp, found {}", fields_.count));
    }
    std::uint64_t asu = 0, size = 0;
    if (!number(fields_[0], "ASU", asu) || !number(fields_[1], "LBA (512-byte blocks)", out.lba) ||
        !number(fields_[2], "Size (bytes)", size)) {
      return Verdict::kWrong;
    }
    if (fields_[3] == "R" || fields_[3] == "r") {
      out.op = Op::kRead;
    } else if (fields_[3] == "W" || fields_[3] == "w") {
      out.op = Op::kWrite;
    } else {
      return wrong(fmt::format("expected Opcode R or W, found '{}'", fields_[3].substr(0, 40)));
    }
    if (!fixed(fields_[4], "Timestamp (seconds)", 12, out.ticks)) return Verdict::kWrong;
    if (!device(fields_[0], out.device)) return Verdict::kWrong;
    if (size == 0) return leave_out(kNoBytes);
    out.nlb = size / kLbaBytes + (size % kLbaBytes != 0 ? 1 : 0);
    return Verdict::kRequest;
  }

 private:
  Fields fields_;
};

/// device,opcode,offset,length,timestamp: bytes, microseconds.
class AlibabaParser final : public LineParser {
 public:
  std::uint64_t ps_per_tick() const override { return 1'000'000; }
  Verdict parse(std::string_view line, TraceRecord& out) override {
    const bool first = std::exchange(first_, false);
    if (first && line.substr(0, 10) == "device_id,") return Verdict::kNone;
    fields_.split(line, ',');
    if (fields_.count != 5) {
      return wrong(fmt::format("expected 5 fields device,opcode,offset,length,timestamp, found {}", fields_.count));
    }
    std::uint64_t id = 0, offset = 0, length = 0;
    if (!number(fields_[0], "the device", id)) return Verdict::kWrong;
    if (fields_[1] == "R") {
      out.op = Op::kRead;
    } else if (fields_[1] == "W") {
      out.op = Op::kWrite;
    } else {
      return wrong(fmt::format("expected opcode R or W, found '{}'", fields_[1].substr(0, 40)));
    }
    if (!number(fields_[2], "the offset (bytes)", offset) || !number(fields_[3], "the length (bytes)", length) ||
        !number(fields_[4], "the timestamp (microseconds)", out.ticks)) {
      return Verdict::kWrong;
    }
    if (length == 0) return leave_out(kNoBytes);
    if (!whole_lbas(offset, length, out)) return Verdict::kWrong;
    return device(fields_[0], out.device) ? Verdict::kRequest : Verdict::kWrong;
  }

 private:
  Fields fields_;
  bool first_ = true;
};

/// Timestamp,Response,IOType,LUN,Offset,Size: seconds with a fraction of which microseconds count, bytes (README of the
/// distribution at SNIA, Lee et al., SYSTOR '17). An empty IOType stands for a request whose answer was not seen.
class SystorParser final : public LineParser {
 public:
  std::uint64_t ps_per_tick() const override { return 1'000'000; }
  Verdict parse(std::string_view line, TraceRecord& out) override {
    const bool first = std::exchange(first_, false);
    if (first && line.substr(0, 10) == "Timestamp,") return Verdict::kNone;
    fields_.split(line, ',');
    if (fields_.count != 6) {
      return wrong(fmt::format("expected 6 fields Timestamp,Response,IOType,LUN,Offset,Size, found {}", fields_.count));
    }
    if (!fixed(fields_[0], "Timestamp (seconds)", 6, out.ticks)) return Verdict::kWrong;
    if (fields_[2].empty()) return leave_out("requests without a type");
    if (fields_[2] != "R" && fields_[2] != "W") {
      return wrong(fmt::format("expected IOType R or W, found '{}'", fields_[2].substr(0, 40)));
    }
    out.op = fields_[2] == "R" ? Op::kRead : Op::kWrite;
    std::uint64_t lun = 0, offset = 0, size = 0;
    if (!number(fields_[3], "LUN", lun) || !number(fields_[4], "Offset (bytes)", offset) ||
        !number(fields_[5], "Size (bytes)", size)) {
      return Verdict::kWrong;
    }
    if (size == 0) return leave_out(kNoBytes);
    if (!whole_lbas(offset, size, out)) return Verdict::kWrong;
    return device(fields_[3], out.device) ? Verdict::kRequest : Verdict::kWrong;
  }

 private:
  Fields fields_;
  bool first_ = true;
};

/// Timestamp,Offset,Size,IOType,VolumeID: whole seconds, blocks of 512 bytes, 0 = read and 1 = write (README of the
/// distribution at SNIA, Zhang et al., ATC '20). Requests of one second arrive at its begin.
class TencentParser final : public LineParser {
 public:
  std::uint64_t ps_per_tick() const override { return 1'000'000'000'000; }
  Verdict parse(std::string_view line, TraceRecord& out) override {
    fields_.split(line, ',');
    if (fields_.count != 5) {
      return wrong(fmt::format("expected 5 fields Timestamp,Offset,Size,IOType,VolumeID, found {}", fields_.count));
    }
    std::uint64_t volume = 0;
    if (!number(fields_[0], "Timestamp (seconds)", out.ticks) ||
        !number(fields_[1], "Offset (512-byte blocks)", out.lba) ||
        !number(fields_[2], "Size (512-byte blocks)", out.nlb) || !number(fields_[4], "VolumeID", volume)) {
      return Verdict::kWrong;
    }
    if (fields_[3] != "0" && fields_[3] != "1") {
      return wrong(fmt::format("expected IOType 0 (read) or 1 (write), found '{}'", fields_[3].substr(0, 40)));
    }
    if (out.nlb == 0) return leave_out(kNoBytes);
    out.op = fields_[3] == "0" ? Op::kRead : Op::kWrite;
    return device(fields_[4], out.device) ? Verdict::kRequest : Verdict::kWrong;
  }

 private:
  Fields fields_;
};

}  // namespace

std::unique_ptr<LineParser> make_msr_parser() { return std::make_unique<MsrParser>(); }
std::unique_ptr<LineParser> make_spc_parser() { return std::make_unique<SpcParser>(); }
std::unique_ptr<LineParser> make_alibaba_parser() { return std::make_unique<AlibabaParser>(); }
std::unique_ptr<LineParser> make_systor_parser() { return std::make_unique<SystorParser>(); }
std::unique_ptr<LineParser> make_tencent_parser() { return std::make_unique<TencentParser>(); }

}  // namespace wordline::workload
