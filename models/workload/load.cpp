// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "models/workload/fio.h"
#include "models/workload/profile/profile.h"
#include "models/workload/source.h"
#include "models/workload/text.h"
#include "models/workload/trace.h"

namespace wordline::workload {
namespace {

enum class Format : std::uint8_t { kFio, kProfile, kMsr, kMqsim, kUnknown };

std::string_view first_row(std::string_view content) {
  while (!content.empty()) {
    const auto end = content.find('\n');
    const auto row = text::trimmed(content.substr(0, end));
    if (!row.empty()) return row;
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
  }
  return {};
}

bool ends_with(std::string_view s, std::string_view end) {
  return s.size() >= end.size() && s.substr(s.size() - end.size()) == end;
}

Format tell_format(const std::string& path, std::string_view row) {
  if (ends_with(path, ".fio")) return Format::kFio;
  if (ends_with(path, ".toml")) return Format::kProfile;
  std::vector<std::string_view> fields;
  text::split(row, ',', fields);
  if (fields.size() == 7) return Format::kMsr;
  text::split_blanks(row, fields);
  if (fields.size() == 5 && text::to_unsigned(fields[0]) && text::to_unsigned(fields[1])) return Format::kMqsim;
  if (row.front() == '[' || row.front() == ';' || row.front() == '#') return Format::kFio;
  // The first record is damaged: the extension says which reader is to complain about it.
  if (ends_with(path, ".mqsim")) return Format::kMqsim;
  return Format::kUnknown;
}

}  // namespace

std::unique_ptr<Source> load_workload(const std::string& path, const LoadOptions& options) {
  text::Errors errors(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    errors.add("cannot open the workload file");
    errors.check();
  }
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto row = first_row(content);
  if (file.bad() || row.empty()) {
    errors.add("the workload file is empty or not a file");
  } else if (options.drive_lbas == 0) {
    errors.add("the drive has no capacity");
  }
  errors.check();
  const Format format = tell_format(path, row);
  if (format != Format::kProfile && (options.requests != 0 || options.footprint != 1.0)) {
    errors.add("--requests and --footprint are for profiles (name.toml): a job file says itself how much, a trace is as "
               "long as it is");
    errors.check();
  }
  switch (format) {
    case Format::kFio:
      if (options.speedup != 1.0) {
        errors.add("a fio job has no time between its requests that --speedup could divide; it is for traces");
        errors.check();
      }
      return make_fio_source(path, parse_fio(path, content), options);
    case Format::kProfile:
      return make_profile_source(path, parse_profile(path, content), options);
    case Format::kMsr:
      return read_trace(TraceFormat::kMsr, path, content, options);
    case Format::kMqsim:
      return read_trace(TraceFormat::kMqsim, path, content, options);
    case Format::kUnknown:
      break;
  }
  errors.add(1, fmt::format("not a workload that can be read: expected a fio job file (name.fio), a profile (name.toml), MSR "
                            "Cambridge CSV (7 fields) or an MQSim ASCII trace (5 fields), found '{}'",
                            row.substr(0, 60)));
  errors.check();
  return nullptr;  // not reached: check() throws
}

}  // namespace wordline::workload
