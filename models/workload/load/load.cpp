// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "models/workload/fio/parse.h"
#include "models/workload/fio/scaled.h"
#include "models/workload/fio/source.h"
#include "models/workload/profile/profile.h"
#include "models/workload/source.h"
#include "models/workload/text.h"
#include "models/workload/trace/byte_input.h"
#include "models/workload/trace/trace_source.h"

namespace wordline::workload {
namespace {

/// The bytes of a file that show what it is.
constexpr std::size_t kSampleBytes = 65536;

std::string_view first_row(std::string_view content) {
  while (!content.empty()) {
    const auto end = content.find('\n');
    const auto row = text::trimmed(content.substr(0, end));
    if (!row.empty() && !text::is_remark(row)) return row;
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
  }
  return {};
}

/// What a file is packed by, with the command that unpacks it. A file of gzip is read as it is.
struct Packing {
  std::string_view begin;
  std::size_t at;
  const char* name;
  const char* unpack;
};
constexpr Packing kPackings[] = {{"\x28\xb5\x2f\xfd", 0, "packed by zstd", "zstd -d"},
                                 {"\xfd"
                                  "7zXZ",
                                  0, "packed by xz", "xz -d"},
                                 {"BZh", 0, "packed by bzip2", "bzip2 -d"},
                                 {"\x04\x22\x4d\x18", 0, "packed by lz4", "lz4 -d"},
                                 {"PK\x03\x04", 0, "an archive (zip)", "unzip"},
                                 {"7z\xbc\xaf\x27\x1c", 0, "an archive (7z)", "7z x"},
                                 {"Rar!", 0, "an archive (rar)", "unrar x"},
                                 {"ustar", 257, "an archive (tar)", "tar -xf"},
                                 {"PAR1", 0, "a table of Parquet", "a program that writes CSV, for example pandas"},
                                 {"SQLite format 3", 0, "a database of SQLite", "sqlite3 -csv"},
                                 {"<!DOCTYPE", 0, "a page of the web", "the link to the file itself, not to its page"},
                                 {"<html", 0, "a page of the web", "the link to the file itself, not to its page"}};

void check_packing(std::string_view sample, text::Errors& errors) {
  for (const Packing& packing : kPackings) {
    if (sample.size() < packing.at || sample.substr(packing.at, packing.begin.size()) != packing.begin) continue;
    errors.add(fmt::format("{}, which is not read: unpack it first ({})", packing.name, packing.unpack));
  }
  errors.check();
}

bool ends_with(std::string_view s, std::string_view end) {
  return s.size() >= end.size() && s.substr(s.size() - end.size()) == end;
}

bool is_fio_job(const std::string& path, std::string_view row) {
  if (ends_with(path, ".fio") || ends_with(path, ".fio.gz")) return true;
  return row.front() == '[';
}

bool is_profile(const std::string& path) { return ends_with(path, ".toml") || ends_with(path, ".toml.gz"); }

/// A job file is small; what is not is something else.
std::string read_job_file(const std::string& path, text::Errors& errors) {
  constexpr std::size_t kLargest = std::size_t{1} << 24U;
  std::string content = read_whole(path, kLargest);
  if (content.size() == kLargest) errors.add("larger than 16 MiB, so no fio job file");
  errors.check();
  return content;
}

void check_profile_options(const LoadOptions& options, text::Errors& errors) {
  if (options.beyond_end != BeyondEnd::kWrap || !options.trace.format.empty() || !options.trace.columns.empty() ||
      options.trace.loops != 1) {
    errors.add(
        "--trace-format, --columns, --loop and --addresses are for traces; a profile takes --requests, "
        "--footprint, --speedup and --queue-depth");
    errors.check();
  }
}

bool has_trace_options(const LoadOptions& options) {
  return options.beyond_end != BeyondEnd::kWrap || !options.trace.format.empty() || !options.trace.columns.empty() ||
         options.trace.loops != 1 || options.trace.queue_depth != 0;
}

void check_columns(const TraceOptions& options, text::Errors& errors) {
  const std::string columns = name_of(TraceFormat::kColumns).key;
  if (!options.columns.empty() && !options.format.empty() && options.format != columns) {
    errors.add(fmt::format("--columns says the format, and --trace-format {} another one", options.format));
  }
  if (options.columns.empty() && options.format == columns) {
    errors.add("--trace-format columns needs --columns, which says what they are");
  }
  errors.check();
}

/// The format that the options name, or that the content shows.
TraceFormat format_of(const std::string& path, std::string_view sample, std::string_view row,
                      const TraceOptions& options, text::Errors& errors) {
  if (!options.columns.empty()) return TraceFormat::kColumns;
  std::vector<std::string_view> keys;
  for (const FormatName& format : trace_formats()) {
    if (options.format == format.key) return format.format;
    keys.emplace_back(format.key);
  }
  if (!options.format.empty()) {
    errors.add(fmt::format("no trace format is called '{}'; there are: {}", options.format, fmt::join(keys, " ")));
    errors.check();
  }
  if (const auto guessed = guess_format(path, sample)) return *guessed;
  if (sample.find('\0') != std::string_view::npos) {
    errors.add(
        "a binary file of no format that is read; expected text, or what blktrace writes: convert it, and say by "
        "--columns what its columns are");
    errors.check();
  }
  errors.add(1, fmt::format("not a workload that can be read: expected a fio job file (name.fio), a profile "
                            "(name.toml) or a trace ({}; of other text --columns says what its columns are), found "
                            "'{}'",
                            fmt::join(keys, ", "), row.substr(0, 60)));
  errors.check();
  return TraceFormat::kColumns;  // not reached: check() throws
}

}  // namespace

std::unique_ptr<Source> load_workload(const std::string& path, const LoadOptions& options) {
  text::Errors errors(path);
  const std::string sample = read_whole(path, kSampleBytes);
  check_packing(sample, errors);
  const auto row = first_row(sample);
  if (row.empty()) {
    errors.add("the workload file is empty");
  } else if (options.drive_lbas == 0) {
    errors.add("the drive has no capacity");
  }
  errors.check();
  if (is_profile(path)) {
    check_profile_options(options, errors);
    return make_profile_source(path, parse_profile(path, read_whole(path)), options);
  }
  if (options.requests != 0 || options.footprint != 1.0) {
    errors.add(
        "--requests and --footprint are for profiles (name.toml): a job file says itself how much and where, a "
        "trace is as long as it is");
    errors.check();
  }
  if (options.trace.format.empty() && options.trace.columns.empty() && is_fio_job(path, row)) {
    if (has_trace_options(options)) {
      errors.add(
          "a fio job says itself how long it is, where it goes and how many requests it keeps in flight; these options "
          "are for traces");
      errors.check();
    }
    fio::File file = fio::parse(path, read_job_file(path, errors));
    if (options.speedup != 1.0 && std::none_of(file.jobs.begin(), file.jobs.end(), fio::is_paced)) {
      errors.add("no job has a rate or a think time, so there is no time between requests that --speedup could divide");
      errors.check();
    }
    fio::scale(file, options.deeper, options.speedup);
    return fio::make_source(path, std::move(file), options);
  }
  check_columns(options.trace, errors);
  return make_trace_source(path, format_of(path, sample, row, options.trace, errors), options);
}

}  // namespace wordline::workload
