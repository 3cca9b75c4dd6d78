// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/workload/fio.h"
#include "models/workload/fio_options.h"
#include "models/workload/text.h"

namespace wordline::workload {
namespace {

struct Bad {
  std::string expected;
};

/// Digits and what follows them, in lower case.
std::pair<std::uint64_t, std::string> number_and_suffix(std::string_view value, const char* expected) {
  const auto end = std::min(value.find_first_not_of("0123456789"), value.size());
  const auto number = text::to_unsigned(value.substr(0, end));
  if (!number) throw Bad{expected};
  return {*number, text::lower(value.substr(end))};
}

std::uint64_t times(std::uint64_t a, std::uint64_t b, std::uint64_t limit) {
  if (b != 0 && a > limit / b) throw Bad{"a smaller number"};
  return a * b;
}

std::uint64_t parse_bytes(std::string_view value) {
  static constexpr const char* kExpected = "bytes with an optional suffix k, m, g or t (powers of 1024)";
  auto [number, suffix] = number_and_suffix(value, kExpected);
  // fio reads KiB as 1000 bytes and K as 1024 unless kb_base says otherwise: nobody who writes it means that.
  if (suffix.size() == 3 || (suffix.size() == 2 && suffix[1] == 'i')) {
    throw Bad{"suffix k, m, g or t (fio takes 'KiB' for 1000 and 'k' for 1024)"};
  }
  if (suffix.size() == 2 && suffix[1] == 'b') suffix.pop_back();
  static constexpr std::string_view kOrder = "kmgtp";
  std::uint64_t factor = 1;
  if (suffix == "b") suffix.clear();
  if (!suffix.empty()) {
    const auto at = kOrder.find(suffix);
    if (suffix.size() != 1 || at == std::string_view::npos) throw Bad{kExpected};
    factor = std::uint64_t{1} << (10 * (at + 1));
  }
  return times(number, factor, INT64_MAX);
}

/// At most `most` percent: a region is part of the drive, an amount of I/O may go around it many times.
Extent parse_extent(std::string_view value, std::uint64_t most = 100) {
  Extent extent;
  if (!value.empty() && value.back() == '%') {
    const auto percent = text::to_unsigned(value.substr(0, value.size() - 1));
    if (!percent || *percent > most) throw Bad{fmt::format("a percentage from 0% to {}%", most)};
    extent.percent = *percent;
  } else {
    extent.bytes = parse_bytes(value);
    if (extent.bytes % kLbaBytes != 0) throw Bad{"a multiple of 512 bytes"};
  }
  return extent;
}

Picoseconds parse_time(std::string_view value) {
  static constexpr const char* kExpected = "a whole number with suffix d, h, m, s (default), ms or us";
  const auto [number, suffix] = number_and_suffix(value, kExpected);
  static constexpr std::pair<std::string_view, std::uint64_t> kUnits[] = {
      {"", 1'000'000'000'000},   {"s", 1'000'000'000'000},     {"ms", 1'000'000'000},        {"us", 1'000'000},
      {"m", 60'000'000'000'000}, {"h", 3'600'000'000'000'000}, {"d", 86'400'000'000'000'000}};
  for (const auto& [unit, ps] : kUnits) {
    if (suffix == unit) return Picoseconds(static_cast<std::int64_t>(times(number, ps, INT64_MAX)));
  }
  throw Bad{kExpected};
}

std::uint64_t parse_number(std::string_view value, std::uint64_t low, std::uint64_t high) {
  const auto number = text::to_unsigned(value);
  if (!number || *number < low || *number > high) {
    throw Bad{fmt::format("a whole number from {} to {}", low, high)};
  }
  return *number;
}

bool parse_bool(std::string_view value, bool has_value) {
  if (!has_value || value == "1" || value == "true") return true;
  if (value == "0" || value == "false") return false;
  throw Bad{"0 or 1"};
}

void parse_rw(std::string_view value, FioJob& job) {
  struct Pattern {
    std::string_view name;
    bool random;
    std::vector<Op> ops;
  };
  static const Pattern kPatterns[] = {{"read", false, {Op::kRead}},
                                      {"write", false, {Op::kWrite}},
                                      {"trim", false, {Op::kTrim}},
                                      {"randread", true, {Op::kRead}},
                                      {"randwrite", true, {Op::kWrite}},
                                      {"randtrim", true, {Op::kTrim}},
                                      {"rw", false, {Op::kRead, Op::kWrite}},
                                      {"readwrite", false, {Op::kRead, Op::kWrite}},
                                      {"randrw", true, {Op::kRead, Op::kWrite}}};
  for (const auto& pattern : kPatterns) {
    if (pattern.name == value) {
      job.random = pattern.random;
      job.ops = pattern.ops;
      return;
    }
  }
  throw Bad{"read, write, trim, randread, randwrite, randtrim, rw, readwrite or randrw (without ':' modifiers)"};
}

/// "8k": all; "8k,32k": reads, then writes and trims; ",8k": reads keep the default; "8k,": the rest keep it.
void parse_block_sizes(std::string_view value, FioJob& job) {
  std::vector<std::string_view> parts;
  text::split(value, ',', parts);
  if (parts.size() > 3) throw Bad{"at most three sizes: read,write,trim"};
  std::array<std::uint32_t, 3> sizes{4096, 4096, 4096};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) {
      if (parts.size() == 1) throw Bad{"a block size"};
      continue;
    }
    const auto bytes = parse_bytes(parts[i]);
    if (bytes == 0 || bytes % kLbaBytes != 0 || bytes > (1U << 30)) {
      throw Bad{"a multiple of 512 bytes, at most 1g"};
    }
    // The last size given holds for the directions after it.
    const std::size_t last = i + 1 == parts.size() ? 3 : i + 1;
    for (std::size_t op = i; op < last; ++op) sizes[op] = static_cast<std::uint32_t>(bytes);
  }
  job.block_bytes = sizes;
}

void parse_distribution(std::string_view value, FioJob& job) {
  std::vector<std::string_view> parts;
  text::split(value, ':', parts);
  if (parts.size() > 2) throw Bad{"name:parameter (a centre is not supported)"};
  const auto parameter = [&](double fallback) {
    if (parts.size() == 1) return fallback;
    const auto number = text::to_double(parts[1]);
    if (!number) throw Bad{"a number after ':'"};
    return *number;
  };
  if (parts[0] == "random" && parts.size() == 1) {
    job.distribution = Distribution::kRandom;
  } else if (parts[0] == "zipf") {
    const double theta = parameter(1.1);  // fio's default
    if (!(theta > 0 && theta <= 10) || theta == 1.0) throw Bad{"zipf:theta with theta above 0, at most 10 and not 1"};
    job.distribution = Distribution::kZipf;
    job.distribution_parameter = theta;
  } else if (parts[0] == "pareto") {
    const double h = parameter(0.2);  // fio's default
    if (!(h > 0 && h < 1)) throw Bad{"pareto:h with 0 < h < 1"};
    job.distribution = Distribution::kPareto;
    job.distribution_parameter = h;
  } else if (parts[0] == "normal") {
    const double deviation = parameter(0);
    if (!(deviation > 0 && deviation <= 100)) throw Bad{"normal:deviation in percent, above 0 and at most 100"};
    job.distribution = Distribution::kNormal;
    job.distribution_parameter = deviation;
  } else {
    throw Bad{"random, zipf:theta, pareto:h or normal:deviation"};
  }
}

/// Sets what an implemented option says. Throws Bad.
void apply(FioOption option, std::string_view value, bool has_value, FioJob& job) {
  const bool flag = option == FioOption::kTimeBased || option == FioOption::kNorandommap;
  if (!flag && option != FioOption::kName && value.empty()) throw Bad{"a value"};
  switch (option) {
    case FioOption::kRw:
      parse_rw(value, job);
      break;
    case FioOption::kBs:
      parse_block_sizes(value, job);
      break;
    case FioOption::kIodepth:
      job.iodepth = static_cast<std::uint32_t>(parse_number(value, 1, 65535));
      break;
    case FioOption::kNumjobs:
      job.numjobs = static_cast<std::uint32_t>(parse_number(value, 1, 65535));
      break;
    case FioOption::kSize:
      job.size = parse_extent(value);
      break;
    case FioOption::kIoSize:
      job.io_size = parse_extent(value, 100'000);
      break;
    case FioOption::kOffset:
      job.offset = parse_extent(value);
      break;
    case FioOption::kOffsetIncrement:
      job.offset_increment = parse_bytes(value);
      if (job.offset_increment % kLbaBytes != 0) throw Bad{"a multiple of 512 bytes"};
      break;
    case FioOption::kNumberIos:
      job.number_ios = parse_number(value, 1, INT64_MAX);
      break;
    case FioOption::kRuntime:
      job.runtime = parse_time(value);
      if (job.runtime->count() == 0) job.runtime.reset();  // fio: 0 = no limit
      break;
    case FioOption::kRampTime:
      job.ramp_time = parse_time(value);
      break;
    case FioOption::kTimeBased:
      job.time_based = parse_bool(value, has_value);
      break;
    case FioOption::kNorandommap:
      job.norandommap = parse_bool(value, has_value);
      break;
    case FioOption::kRwmixread:
      job.read_percent = static_cast<std::uint32_t>(parse_number(value, 0, 100));
      break;
    case FioOption::kRwmixwrite:
      job.read_percent = static_cast<std::uint32_t>(100 - parse_number(value, 0, 100));
      break;
    case FioOption::kRandomDistribution:
      parse_distribution(value, job);
      break;
    case FioOption::kRandseed:
      job.randseed = parse_number(value, 0, UINT64_MAX);
      break;
    case FioOption::kName:
    case FioOption::kNoEffect:
    case FioOption::kUnsupported:
    case FioOption::kUnknown:
      break;
  }
}

class Parser {
 public:
  explicit Parser(const std::string& path) : errors_(path), path_(path) {}

  FioFile parse(std::string_view content) {
    for (std::size_t line = 1; !content.empty(); ++line) {
      const auto end = content.find('\n');
      auto row = content.substr(0, end);
      content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
      row = text::trimmed(row.substr(0, row.find_first_of(";#")));
      if (row.empty()) continue;
      if (row.front() == '[') {
        section(line, row);
      } else {
        option(line, row);
      }
    }
    if (file_.jobs.empty() && errors_.empty()) errors_.add("no [job] section: nothing to run");
    for (const auto& job : file_.jobs) {
      if (job.time_based && !job.runtime) {
        errors_.add(job.line, fmt::format("job '{}': time_based needs runtime", job.name));
      }
    }
    errors_.check();
    if (!without_effect_.empty()) {
      file_.notices.push_back(
          fmt::format("{}: no effect in a simulated drive: {}", path_, fmt::join(without_effect_, " ")));
    }
    return std::move(file_);
  }

 private:
  void section(std::size_t line, std::string_view row) {
    if (row.back() != ']' || row.size() < 3) {
      errors_.add(line, fmt::format("expected a section [name], found '{}'", row));
      return;
    }
    const auto name = row.substr(1, row.size() - 2);
    in_section_ = true;
    in_global_ = name == "global";
    if (in_global_) return;
    file_.jobs.push_back(global_);
    file_.jobs.back().name = name;
    file_.jobs.back().line = line;
  }

  void option(std::size_t line, std::string_view row) {
    const auto equals = row.find('=');
    const auto name = text::trimmed(row.substr(0, equals));
    const bool has_value = equals != std::string_view::npos;
    const auto value = has_value ? text::trimmed(row.substr(equals + 1)) : std::string_view();
    if (name.substr(0, 8) == "include ") {
      errors_.add(line, "include is not supported; copy the file's options here");
      return;
    }
    if (!in_section_) {
      errors_.add(line, fmt::format("option '{}' before the first section; put [global] above it", name));
    }
    if (value.find("${") != std::string_view::npos) {
      errors_.add(line, fmt::format("environment variables are not supported; write the value of '{}'", name));
      return;
    }
    const auto kind = fio_option(name);
    if (kind == FioOption::kUnknown) {
      const auto nearest = nearest_fio_option(name);
      errors_.add(line, fmt::format("unknown option '{}'{}", name,
                                    nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest)));
    } else if (kind == FioOption::kUnsupported) {
      // A switch that is off asks for nothing.
      if (!(has_value && value == "0")) {
        errors_.add(line, fmt::format("fio option '{}' is not supported; remove it", name));
      }
    } else if (kind == FioOption::kNoEffect) {
      if (std::find(without_effect_.begin(), without_effect_.end(), name) == without_effect_.end()) {
        without_effect_.emplace_back(name);
      }
    } else {
      FioJob& job = in_global_ || file_.jobs.empty() ? global_ : file_.jobs.back();
      try {
        apply(kind, value, has_value, job);
      } catch (const Bad& bad) {
        errors_.add(line, fmt::format("{}: expected {}, found '{}'", name, bad.expected, value));
      }
    }
  }

  text::Errors errors_;
  std::string path_;
  FioJob global_;
  FioFile file_;
  bool in_section_ = false;
  bool in_global_ = false;
  std::vector<std::string> without_effect_;
};

}  // namespace

FioFile parse_fio(const std::string& path, std::string_view content) { return Parser(path).parse(content); }

}  // namespace wordline::workload
