// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <map>
#include <utility>
#include <vector>

#include "models/workload/text.h"

namespace wordline::workload {
namespace {

struct Record {
  std::int64_t arrival_ps;
  std::uint64_t lba;
  std::uint32_t blocks;
  Op op;
  std::uint16_t device;
};

/// One line, before it is fitted to the drive.
struct Raw {
  std::uint64_t time;  // in the format's ticks
  std::uint64_t lba;
  std::uint64_t blocks;
  Op op;
  std::uint16_t device;
};

class Reader {
 public:
  Reader(TraceFormat format, std::string path, const LoadOptions& options)
      : format_(format), path_(std::move(path)), options_(options), errors_(path_) {}

  void read(std::string_view content);

  TraceFormat format_;
  std::string path_;
  const LoadOptions& options_;
  text::Errors errors_;
  std::vector<Record> records_;
  std::vector<std::string> notices_;
  std::uint64_t bytes_ = 0;
  std::uint64_t writes_ = 0;

 private:
  bool parse_msr(std::size_t line, Raw& raw);
  bool parse_mqsim(std::size_t line, Raw& raw);
  bool number(std::size_t line, const char* what, std::string_view field, std::uint64_t& value);
  std::uint16_t device_number(std::string_view name);
  void append(std::size_t line, const Raw& raw);
  void say_what_was_changed();

  std::vector<std::string_view> fields_;
  std::map<std::string, std::uint16_t, std::less<>> devices_;
  std::optional<std::uint64_t> first_time_;
  std::uint64_t out_of_order_ = 0;
  std::uint64_t wrapped_ = 0;
  std::uint64_t moved_ = 0;
};

bool Reader::number(std::size_t line, const char* what, std::string_view field, std::uint64_t& value) {
  const auto parsed = text::to_unsigned(field);
  if (!parsed) {
    errors_.add(line, fmt::format("expected {} as a whole number, found '{}'", what, field));
    return false;
  }
  value = *parsed;
  return true;
}

std::uint16_t Reader::device_number(std::string_view name) {
  const auto known = devices_.find(name);
  if (known != devices_.end()) return known->second;
  return devices_.emplace(name, static_cast<std::uint16_t>(devices_.size())).first->second;
}

bool Reader::parse_msr(std::size_t line, Raw& raw) {
  if (fields_.size() != 7) {
    errors_.add(line, fmt::format("expected 7 fields Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime, "
                                  "found {}",
                                  fields_.size()));
    return false;
  }
  std::uint64_t disk = 0, offset = 0, size = 0, response = 0;
  bool good = number(line, "Timestamp (100 ns ticks)", fields_[0], raw.time);
  good &= number(line, "DiskNumber", fields_[2], disk);
  const auto type = text::lower(fields_[3]);
  if (type == "read") {
    raw.op = Op::kRead;
  } else if (type == "write") {
    raw.op = Op::kWrite;
  } else {
    errors_.add(line, fmt::format("expected Type Read or Write, found '{}'", fields_[3]));
    good = false;
  }
  good &= number(line, "Offset (bytes)", fields_[4], offset);
  good &= number(line, "Size (bytes)", fields_[5], size);
  good &= number(line, "ResponseTime (100 ns ticks)", fields_[6], response);
  if (!good) return false;
  for (const auto& [what, value] : {std::pair("Offset", offset), std::pair("Size", size)}) {
    if (value % kLbaBytes != 0) {
      errors_.add(line, fmt::format("expected {} in whole 512-byte blocks, found {}", what, value));
      good = false;
    }
  }
  raw.lba = offset / kLbaBytes;
  raw.blocks = size / kLbaBytes;
  // The host and disk of a record, with one look-up and no copy for the devices already seen.
  const std::string_view device(fields_[1].data(),
                                static_cast<std::size_t>(fields_[2].data() + fields_[2].size() - fields_[1].data()));
  raw.device = device_number(device);
  return good;
}

bool Reader::parse_mqsim(std::size_t line, Raw& raw) {
  if (fields_.size() != 5) {
    errors_.add(line, fmt::format("expected 5 fields: arrival in ns, device, first LBA, blocks, type (0 = write, 1 = "
                                  "read), found {}",
                                  fields_.size()));
    return false;
  }
  std::uint64_t device = 0;
  bool good = number(line, "the arrival (ns)", fields_[0], raw.time);
  good &= number(line, "the device", fields_[1], device);
  good &= number(line, "the first LBA (512-byte blocks)", fields_[2], raw.lba);
  good &= number(line, "the size (512-byte blocks)", fields_[3], raw.blocks);
  if (fields_[4] == "0") {
    raw.op = Op::kWrite;
  } else if (fields_[4] == "1") {
    raw.op = Op::kRead;
  } else {
    errors_.add(line, fmt::format("expected type 0 (write) or 1 (read), found '{}'", fields_[4]));
    good = false;
  }
  raw.device = device_number(fields_[1]);
  return good;
}

void Reader::append(std::size_t line, const Raw& raw) {
  if (raw.blocks == 0) {
    errors_.add(line, "expected a size of at least one 512-byte block, found 0");
    return;
  }
  const std::uint64_t capacity = options_.drive_lbas;
  if (raw.blocks > capacity || raw.blocks > UINT32_MAX) {
    errors_.add(line, fmt::format("request of {} blocks is larger than the drive ({} blocks) or than 2 TiB",
                                  text::grouped(raw.blocks), text::grouped(capacity)));
    return;
  }
  std::uint64_t lba = raw.lba;
  if (lba >= capacity || raw.blocks > capacity - lba) {
    if (options_.beyond_end == BeyondEnd::kError) {
      errors_.add(line, fmt::format("LBA {} with {} blocks ends beyond the drive's {} blocks; use a larger drive, or "
                                    "wrap addresses around",
                                    lba, raw.blocks, text::grouped(capacity)));
      return;
    }
    if (lba >= capacity) {
      lba %= capacity;
      ++wrapped_;
    }
    if (raw.blocks > capacity - lba) {
      lba = capacity - raw.blocks;
      ++moved_;
    }
  }

  if (!first_time_) first_time_ = raw.time;
  std::int64_t arrival = 0;
  if (raw.time > *first_time_) {
    const std::uint64_t ticks = raw.time - *first_time_;
    const std::uint64_t ps_per_tick = format_ == TraceFormat::kMsr ? 100'000 : 1'000;
    // Speed-up in millionths: all-integer, so that a week keeps its picoseconds.
    const auto millionths = static_cast<std::uint64_t>(std::llround(options_.speedup * 1e6));
    const unsigned __int128 exact = static_cast<unsigned __int128>(ticks) * ps_per_tick * 1'000'000 / millionths;
    if (exact > static_cast<unsigned __int128>(INT64_MAX)) {
      errors_.add(line, "time is more than 106 days after the first record's; check the column, or use --speedup");
      return;
    }
    arrival = static_cast<std::int64_t>(exact);
  }
  const bool backwards = raw.time < *first_time_ || (!records_.empty() && arrival < records_.back().arrival_ps);
  if (backwards) {
    ++out_of_order_;
    arrival = records_.empty() ? 0 : records_.back().arrival_ps;
  }
  records_.push_back({arrival, lba, static_cast<std::uint32_t>(raw.blocks), raw.op, raw.device});
  bytes_ += raw.blocks * kLbaBytes;
  writes_ += raw.op == Op::kWrite ? 1 : 0;
}

void Reader::say_what_was_changed() {
  const std::string requests = text::grouped(records_.size());
  if (devices_.size() > 1) {
    notices_.push_back(fmt::format("{}: {} devices in the trace share one namespace here, at the same addresses", path_,
                                   text::grouped(devices_.size())));
  }
  if (out_of_order_ != 0) {
    notices_.push_back(fmt::format("{}: {} records out of order: file order kept, each arrives with its predecessor",
                                   path_, text::grouped(out_of_order_)));
  }
  if (wrapped_ != 0) {
    notices_.push_back(fmt::format("{}: {} of {} requests lie beyond the drive's {}: addresses wrapped around", path_,
                                   text::grouped(wrapped_), requests,
                                   text::long_bytes(options_.drive_lbas * kLbaBytes)));
  }
  if (moved_ != 0) {
    notices_.push_back(fmt::format("{}: {} of {} requests crossed the end of the drive: moved back to fit", path_,
                                   text::grouped(moved_), requests));
  }
}

void Reader::read(std::string_view content) {
  if (!(options_.speedup >= 1e-6 && options_.speedup <= 1e12)) {
    errors_.add(fmt::format("speed-up {} is not between 0.000001 and 1e12", text::plain(options_.speedup)));
    errors_.check();
  }
  std::size_t line = 0;
  while (!content.empty()) {
    const auto end = content.find('\n');
    const auto row = text::trimmed(content.substr(0, end));
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
    ++line;
    if (row.empty()) continue;
    Raw raw{};
    if (format_ == TraceFormat::kMsr) {
      if (line == 1 && text::lower(row.substr(0, 10)) == "timestamp,") continue;  // some mirrors add a header
      text::split(row, ',', fields_);
      if (parse_msr(line, raw)) append(line, raw);
    } else {
      text::split_blanks(row, fields_);
      if (parse_mqsim(line, raw)) append(line, raw);
    }
  }
  if (records_.empty() && errors_.empty()) errors_.add("no records in the trace");
  errors_.check();
  say_what_was_changed();
}

class TraceSource final : public Source {
 public:
  explicit TraceSource(Reader&& reader, double speedup) : records_(std::move(reader.records_)), bytes_(reader.bytes_) {
    notices_ = std::move(reader.notices_);
    const auto slash = reader.path_.find_last_of('/');
    name_ = slash == std::string::npos ? reader.path_ : reader.path_.substr(slash + 1);
    const auto writes = static_cast<double>(reader.writes_) / static_cast<double>(records_.size());
    describe_ =
        fmt::format("{} trace {}: {} requests, {} % writes, {}, span {}",
                    reader.format_ == TraceFormat::kMsr ? "MSR" : "MQSim", name_, text::grouped(records_.size()),
                    std::lround(100 * writes), text::long_bytes(bytes_), text::duration(records_.back().arrival_ps));
    if (speedup != 1.0) describe_ += fmt::format(" (time divided by {})", text::plain(speedup));
  }

  unsigned jobs() const override { return 1; }
  unsigned depth(unsigned /*job*/) const override { return 0; }
  bool open_loop() const override { return true; }
  bool next(unsigned /*job*/, Picoseconds /*now*/, Request& out) override {
    if (position_ == records_.size()) return false;
    const Record& record = records_[position_++];
    out.op = record.op;
    out.lba = Lba(record.lba);
    out.blocks = record.blocks;
    out.arrival = Picoseconds(record.arrival_ps);
    out.job = 0;
    out.device = record.device;
    return true;
  }
  std::uint64_t total_requests() const override { return records_.size(); }
  std::uint64_t total_bytes() const override { return bytes_; }
  std::string describe() const override { return describe_; }
  std::string job_name(unsigned) const override { return name_; }

 private:
  std::vector<Record> records_;
  std::size_t position_ = 0;
  std::uint64_t bytes_;
  std::string name_, describe_;
};

}  // namespace

std::unique_ptr<Source> read_trace(TraceFormat format, const std::string& path, std::string_view content,
                                   const LoadOptions& options) {
  Reader reader(format, path, options);
  reader.read(content);
  return std::make_unique<TraceSource>(std::move(reader), options.speedup);
}

}  // namespace wordline::workload
