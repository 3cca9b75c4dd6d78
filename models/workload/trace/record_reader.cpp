// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/trace/record_reader.h"

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
      if (line.empty()) continue;
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

}  // namespace

std::unique_ptr<RecordReader> open_trace(const std::string& path, TraceFormat format, const std::string& columns) {
  if (format == TraceFormat::kBlktrace) return std::make_unique<BlktraceReader>(path);
  return std::make_unique<TextRecords>(path, make_line_parser(format, columns));
}

}  // namespace wordline::workload
