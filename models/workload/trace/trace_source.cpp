// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/trace/trace_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "models/workload/text.h"
#include "models/workload/trace/address_fit.h"
#include "models/workload/trace/arrival_clock.h"
#include "models/workload/trace/record_reader.h"

namespace wordline::workload {
namespace {

/// What one look at the whole trace says.
struct Summary {
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  std::uint64_t writes = 0;
  std::uint64_t forced = 0;  // with FUA
  std::uint64_t end_lba = 0;
  Picoseconds span{};
  bool has_times = true;
};

void check_options(const std::string& path, const LoadOptions& options) {
  text::Errors errors(path);
  if (!(options.speedup >= 1e-6 && options.speedup <= 1e12)) {
    errors.add(fmt::format("speed-up {} is not between 0.000001 and 1e12", text::plain(options.speedup)));
  }
  if (options.trace.loops == 0) errors.add("--loop 0 would run nothing; 1 runs the trace once");
  if (options.trace.queue_depth != 0 && options.speedup != 1.0) {
    errors.add("--speedup divides the times of requests, which --queue-depth does not look at; give one of them");
  }
  errors.check();
}

std::string too_large(const TraceRecord& record, std::uint64_t drive_lbas) {
  if (record.nlb > drive_lbas || record.nlb > UINT32_MAX) {
    return fmt::format("request of {} blocks is larger than the drive ({} blocks) or than 2 TiB",
                       text::grouped(record.nlb), text::grouped(drive_lbas));
  }
  return fmt::format(
      "LBA {} with {} blocks ends beyond the drive's {} blocks; use a larger drive, or wrap or scale "
      "the addresses",
      record.lba, record.nlb, text::grouped(drive_lbas));
}

/// Reads the whole trace, collects its errors, and notes what the user should know.
class Inspection {
 public:
  Inspection(const std::string& path, TraceFormat format, const LoadOptions& options)
      : path_(path), options_(options), reader_(open_trace(path, format, options.trace.columns)) {}

  Summary run();
  [[nodiscard]] std::vector<std::string> notices() const;

 private:
  /// Why there are no requests.
  [[nodiscard]] std::string nothing() const;

  const std::string& path_;
  const LoadOptions& options_;
  std::unique_ptr<RecordReader> reader_;
  Summary summary_;
  std::uint64_t out_of_order_ = 0, moved_ = 0, pushed_back_ = 0;
};

std::string Inspection::nothing() const {
  std::vector<std::string> others;
  for (const auto& [what, times] : reader_->left_out())
    others.push_back(fmt::format("{} x {}", text::grouped(times), what));
  if (others.empty()) return "no records in the trace";
  return fmt::format("no requests in the trace, only {}", fmt::join(others, ", "));
}

Summary Inspection::run() {
  text::Errors errors(path_);
  ArrivalClock clock(reader_->ps_per_tick(), options_.speedup);
  // How far scaling moves requests is known at the end; until then only what cannot fit at all is of interest.
  const bool scales = options_.beyond_end == BeyondEnd::kScale;
  AddressFit fit(options_.drive_lbas, scales ? BeyondEnd::kWrap : options_.beyond_end, 0);
  TraceRecord record;
  while (reader_->next(record, errors)) {
    summary_.end_lba = std::max(summary_.end_lba, record.lba + std::min(record.nlb, UINT64_MAX - record.lba));
    if (!fit.fit(record)) {
      errors.add(reader_->place(), too_large(record, options_.drive_lbas));
      continue;
    }
    if (!clock.arrival(record.ticks)) {
      errors.add(reader_->place(),
                 "time is more than 106 days after the first record's; check the column, or use --speedup");
      continue;
    }
    ++summary_.requests;
    summary_.bytes += record.nlb * kLbaBytes;
    summary_.writes += record.op == Op::kWrite ? 1 : 0;
    summary_.forced += record.fua ? 1 : 0;
  }
  if (summary_.requests == 0 && errors.empty()) errors.add(nothing());
  errors.check();
  summary_.span = clock.last();
  summary_.has_times = reader_->has_times();
  out_of_order_ = clock.out_of_order();
  moved_ = fit.moved();
  pushed_back_ = fit.pushed_back();
  return summary_;
}

std::vector<std::string> Inspection::notices() const {
  std::vector<std::string> notices;
  const std::string drive = text::long_bytes(options_.drive_lbas * kLbaBytes);
  const std::string requests = text::grouped(summary_.requests);
  const auto add = [&](const std::string& text) { notices.push_back(fmt::format("{}: {}", path_, text)); };
  for (const auto& [what, times] : reader_->left_out()) {
    add(fmt::format("left out, not requests: {} x {}", text::grouped(times), what));
  }
  if (!reader_->note().empty()) add(reader_->note());
  if (summary_.forced != 0) add(fmt::format("{} of {} requests with FUA", text::grouped(summary_.forced), requests));
  if (reader_->devices() > 1) {
    add(fmt::format("{} devices in the trace share one namespace here, at the same addresses",
                    text::grouped(reader_->devices())));
  }
  if (out_of_order_ != 0) {
    add(fmt::format("{} records out of order: file order kept, each arrives with its predecessor",
                    text::grouped(out_of_order_)));
  }
  if (options_.beyond_end == BeyondEnd::kScale) {
    if (summary_.end_lba > options_.drive_lbas) {
      add(fmt::format("addresses up to {} scaled to the drive's {}",
                      text::long_bytes(std::min(summary_.end_lba, UINT64_MAX / kLbaBytes) * kLbaBytes), drive));
    }
    return notices;
  }
  if (moved_ > pushed_back_) {
    add(fmt::format("{} of {} requests lie beyond the drive's {}: addresses wrapped around",
                    text::grouped(moved_ - pushed_back_), requests, drive));
  }
  if (pushed_back_ != 0) {
    add(fmt::format("{} of {} requests crossed the end of the drive: moved back to fit", text::grouped(pushed_back_),
                    requests));
  }
  return notices;
}

class TraceSource final : public Source {
 public:
  TraceSource(const std::string& path, TraceFormat format, const LoadOptions& options)
      : path_(path), format_(format), options_(options), errors_(path) {
    Inspection inspection(path, format, options);
    summary_ = inspection.run();
    notices_ = inspection.notices();
    queue_depth_ = options.trace.queue_depth * options.deeper;
    if (!summary_.has_times) take_no_times();
    check_length();
    begin_round();
  }

  unsigned jobs() const override { return 1; }
  unsigned depth(unsigned /*job*/) const override { return queue_depth_; }
  bool open_loop() const override { return queue_depth_ == 0; }
  std::uint64_t total_requests() const override { return summary_.requests * options_.trace.loops; }
  std::uint64_t total_bytes() const override { return summary_.bytes * options_.trace.loops; }
  std::string job_name(unsigned) const override {
    const auto slash = path_.find_last_of('/');
    return slash == std::string::npos ? path_ : path_.substr(slash + 1);
  }
  std::string describe() const override;
  bool next(unsigned job, Picoseconds now, Request& out) override;

 private:
  void take_no_times();
  void check_length() const;
  void begin_round();
  [[noreturn]] void changed() const {
    throw WorkloadError({fmt::format("{}: error: the file changed while it was read", path_)});
  }

  std::string path_;
  TraceFormat format_;
  LoadOptions options_;
  text::Errors errors_;  // none: the first look found them
  Summary summary_;
  unsigned queue_depth_ = 0;
  Picoseconds round_{};  // round from the begin of one repetition to that of the next

  std::unique_ptr<RecordReader> reader_;
  std::unique_ptr<ArrivalClock> clock_;
  std::unique_ptr<AddressFit> fit_;
  std::uint64_t rounds_begun_ = 0;
  std::uint64_t given_in_round_ = 0;
};

void TraceSource::take_no_times() {
  if (options_.speedup != 1.0) {
    throw WorkloadError(
        {fmt::format("{}: error: --speedup divides the time between requests, and this trace has none", path_)});
  }
  if (queue_depth_ != 0) return;
  queue_depth_ = options_.deeper;
  notices_.push_back(
      fmt::format("{}: no times in the trace: each request follows the one before; --queue-depth keeps "
                  "more in flight",
                  path_));
}

void TraceSource::check_length() const {
  const auto rounds = static_cast<unsigned __int128>(options_.trace.loops);
  const auto gap = summary_.requests > 1 ? summary_.span.count() / static_cast<std::int64_t>(summary_.requests - 1) : 0;
  const auto round = static_cast<unsigned __int128>(summary_.span.count()) + static_cast<unsigned __int128>(gap);
  // Nothing follows the last round, so the time to the next one is not part of it.
  const auto all = rounds * round - static_cast<unsigned __int128>(gap);
  if (open_loop() && all > static_cast<unsigned __int128>(INT64_MAX)) {
    throw WorkloadError(
        {fmt::format("{}: error: {} times the trace's {} is more than 106 days; use a smaller --loop, "
                     "--speedup or --queue-depth",
                     path_, options_.trace.loops, text::duration(summary_.span.count()))});
  }
}

void TraceSource::begin_round() {
  const auto gaps = static_cast<std::int64_t>(std::max<std::uint64_t>(1, summary_.requests - 1));
  round_ = summary_.span;
  if (options_.trace.loops > 1) round_ += Picoseconds(summary_.span.count() / gaps);
  reader_ = open_trace(path_, format_, options_.trace.columns);
  clock_ = std::make_unique<ArrivalClock>(reader_->ps_per_tick(), options_.speedup);
  fit_ = std::make_unique<AddressFit>(options_.drive_lbas, options_.beyond_end, summary_.end_lba);
  ++rounds_begun_;
  given_in_round_ = 0;
}

bool TraceSource::next(unsigned /*job*/, Picoseconds now, Request& out) {
  if (given_in_round_ == summary_.requests) {
    if (rounds_begun_ >= options_.trace.loops) return false;
    begin_round();
  }
  TraceRecord record;
  if (!reader_->next(record, errors_) || !errors_.empty() || !fit_->fit(record)) changed();
  const auto arrival = clock_->arrival(record.ticks);
  if (!arrival) changed();
  ++given_in_round_;
  out.op = record.op;
  out.fua = record.fua;
  out.lba = Lba(record.lba);
  out.nlb = static_cast<std::uint32_t>(record.nlb);
  out.arrival = open_loop() ? *arrival + round_ * static_cast<std::int64_t>(rounds_begun_ - 1) : now;
  out.job = 0;
  out.device = record.device;
  return true;
}

std::string TraceSource::describe() const {
  const auto writes = static_cast<double>(summary_.writes) / static_cast<double>(summary_.requests);
  std::string text =
      fmt::format("{} trace {}: {} requests, {} % writes, {}", name_of(format_).text, job_name(0),
                  text::grouped(summary_.requests), std::lround(100 * writes), text::long_bytes(summary_.bytes));
  if (summary_.has_times) text += fmt::format(", span {}", text::duration(summary_.span.count()));
  if (options_.speedup != 1.0) text += fmt::format(" (time divided by {})", text::plain(options_.speedup));
  if (options_.trace.loops != 1) text += fmt::format(", {} times", text::grouped(options_.trace.loops));
  if (queue_depth_ != 0) text += fmt::format(", {} in flight", text::grouped(queue_depth_));
  return text;
}

}  // namespace

std::unique_ptr<Source> make_trace_source(const std::string& path, TraceFormat format, const LoadOptions& options) {
  check_options(path, options);
  return std::make_unique<TraceSource>(path, format, options);
}

}  // namespace wordline::workload
