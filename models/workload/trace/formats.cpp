// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/trace/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/workload/text.h"
#include "models/workload/trace/blktrace_reader.h"

namespace wordline::workload {
namespace {

/// The lines that show the format.
constexpr std::size_t kSampleLines = 100;

bool ends_with(std::string_view s, std::string_view end) {
  return s.size() >= end.size() && s.substr(s.size() - end.size()) == end;
}

/// The maker of a format without columns of the user's.
template <std::unique_ptr<LineParser> (*kMake)()>
std::unique_ptr<LineParser> plain(const std::string&) {
  return kMake();
}

/// Lines of `sample` that are requests of the format; or, of traces of actions, any of its actions, since a trace may
/// have others only.
std::size_t records_of(TraceFormat format, std::string_view sample) {
  const auto parser = make_line_parser(format, "");
  std::size_t records = 0;
  TraceRecord record;
  for (std::size_t i = 0; i < kSampleLines && !sample.empty(); ++i) {
    const auto end = sample.find('\n');
    const std::string_view line = text::trimmed(sample.substr(0, end));
    sample.remove_prefix(end == std::string_view::npos ? sample.size() : end + 1);
    if (!line.empty() && parser->parse(line, record) == LineParser::Verdict::kRequest) ++records;
  }
  if (format != TraceFormat::kBlkparse) return records;
  for (const auto& [what, times] : parser->left_out()) records += times;
  return records;
}

}  // namespace

const std::vector<FormatName>& trace_formats() {
  static const std::vector<FormatName> kFormats{
      {TraceFormat::kMsr, "msr", "MSR", nullptr, plain<make_msr_parser>},
      {TraceFormat::kSpc, "spc", "SPC", ".spc", plain<make_spc_parser>},
      {TraceFormat::kAlibaba, "alibaba", "Alibaba", nullptr, plain<make_alibaba_parser>},
      {TraceFormat::kSystor, "systor", "SYSTOR '17", nullptr, plain<make_systor_parser>},
      {TraceFormat::kTencent, "tencent", "Tencent CBS", nullptr, plain<make_tencent_parser>},
      {TraceFormat::kMqsim, "mqsim", "MQSim", ".mqsim", plain<make_mqsim_parser>},
      {TraceFormat::kDisksim, "disksim", "DiskSim", ".disksim", plain<make_disksim_parser>},
      {TraceFormat::kIolog, "iolog", "fio iolog", ".iolog", plain<make_iolog_parser>},
      {TraceFormat::kBlkparse, "blkparse", "blkparse", ".blkparse", plain<make_blkparse_parser>},
      {TraceFormat::kBlktrace, "blktrace", "blktrace", nullptr, nullptr},
      {TraceFormat::kCapture, "capture", "wordline capture", ".capture", plain<make_capture_parser>},
      {TraceFormat::kColumns, "columns", "column", nullptr, make_columns_parser}};
  return kFormats;
}

const FormatName& name_of(TraceFormat format) { return trace_formats()[static_cast<std::size_t>(format)]; }

std::unique_ptr<LineParser> make_line_parser(TraceFormat format, const std::string& columns) {
  const FormatName& name = name_of(format);
  if (name.make == nullptr) throw std::logic_error("a binary trace has no lines");
  return name.make(columns);
}

std::optional<TraceFormat> guess_format(const std::string& path, std::string_view first_bytes) {
  if (BlktraceReader::begins(first_bytes)) return TraceFormat::kBlktrace;
  const std::string_view name =
      ends_with(path, ".gz") ? std::string_view(path).substr(0, path.size() - 3) : std::string_view(path);
  std::vector<TraceFormat> best;
  std::optional<TraceFormat> by_extension;
  std::size_t most = 0;
  for (const FormatName& format : trace_formats()) {
    if (format.format == TraceFormat::kBlktrace || format.format == TraceFormat::kColumns) continue;
    const bool named = format.extension != nullptr && ends_with(name, format.extension);
    if (named) by_extension = format.format;
    const std::size_t records = records_of(format.format, first_bytes);
    if (records > most) best.clear();
    if (records >= most && records != 0) {
      best.push_back(format.format);
      most = records;
    }
  }
  if (best.empty()) return by_extension;
  if (best.size() == 1) return best.front();
  if (by_extension && std::find(best.begin(), best.end(), *by_extension) != best.end()) return by_extension;
  std::vector<std::string> keys;
  for (const TraceFormat format : best) keys.emplace_back(name_of(format).key);
  throw WorkloadError({fmt::format("{}: error: could be a trace of the format {}; say which by --trace-format", path,
                                   fmt::join(keys, " or "))});
}

}  // namespace wordline::workload
