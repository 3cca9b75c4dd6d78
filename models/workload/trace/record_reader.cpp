// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/trace/record_reader.h"

#include <string>
#include <utility>

#include "models/workload/trace/blktrace_reader.h"
#include "models/workload/trace/byte_input.h"

namespace wordline::workload {
namespace {

class TextRecords final : public RecordReader {
 public:
  TextRecords(const std::string& path, std::unique_ptr<LineParser> parser) : lines_(path), parser_(std::move(parser)) {}

  bool next(TraceRecord& out, text::Errors& errors) override {
    std::string_view line;
    while (lines_.next(line)) {
      line = text::trimmed(line);
      if (line.empty() || text::is_remark(line)) continue;
      switch (parser_->parse(line, out)) {
        case LineParser::Verdict::kRequest:
          return true;
        case LineParser::Verdict::kNone:
          break;
        case LineParser::Verdict::kWrong:
          errors.add(lines_.number(), parser_->problem());
          break;
      }
    }
    return false;
  }
  std::size_t place() const override { return lines_.number(); }
  std::uint64_t ps_per_tick() const override { return parser_->ps_per_tick(); }
  bool has_times() const override { return parser_->has_times(); }
  std::size_t devices() const override { return parser_->devices(); }
  const LeftOut& left_out() const override { return parser_->left_out(); }

 private:
  LineReader lines_;
  std::unique_ptr<LineParser> parser_;
};

/// Of traces with flags (RWBS): flushes before requests become requests.
class FlushesFirst final : public RecordReader {
 public:
  FlushesFirst(std::unique_ptr<RecordReader> records, bool issued) : records_(std::move(records)), issued_(issued) {}

  bool next(TraceRecord& out, text::Errors& errors) override {
    if (waits_) {
      out = waiting_;
      waits_ = false;
      return true;
    }
    if (!records_->next(out, errors)) return false;
    if (!out.preflush) return true;
    out.preflush = false;
    waiting_ = out;
    waits_ = true;
    out.op = Op::kFlush;
    out.lba = out.nlb = 0;
    out.fua = false;
    return true;
  }
  std::size_t place() const override { return records_->place(); }
  std::uint64_t ps_per_tick() const override { return records_->ps_per_tick(); }
  bool has_times() const override { return records_->has_times(); }
  std::size_t devices() const override { return records_->devices(); }
  const LeftOut& left_out() const override { return records_->left_out(); }
  std::string note() const override {
    return issued_ ? "no request was queued in the trace: taken as the device was given them (action D)"
                   : records_->note();
  }

 private:
  std::unique_ptr<RecordReader> records_;
  const bool issued_;
  TraceRecord waiting_;
  bool waits_ = false;
};

std::unique_ptr<RecordReader> open_flagged(const std::string& path, TraceFormat format, bool issued) {
  if (format == TraceFormat::kBlktrace) return std::make_unique<BlktraceReader>(path, issued);
  return std::make_unique<TextRecords>(path, issued ? make_issued_blkparse_parser() : make_blkparse_parser());
}

bool has_requests(RecordReader& records) {
  text::Errors ignored({});  // who reads the trace tells them
  TraceRecord record;
  return records.next(record, ignored);
}

}  // namespace

std::unique_ptr<RecordReader> open_trace(const std::string& path, TraceFormat format, const std::string& columns) {
  if (format == TraceFormat::kColumns)
    return std::make_unique<FlushesFirst>(std::make_unique<TextRecords>(path, make_line_parser(format, columns)),
                                          false);
  if (format != TraceFormat::kBlktrace && format != TraceFormat::kBlkparse)
    return std::make_unique<TextRecords>(path, make_line_parser(format, columns));
  const bool issued =
      !has_requests(*open_flagged(path, format, false)) && has_requests(*open_flagged(path, format, true));
  return std::make_unique<FlushesFirst>(open_flagged(path, format, issued), issued);
}

}  // namespace wordline::workload
