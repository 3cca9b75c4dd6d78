// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fio/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/workload/fio/lines.h"
#include "models/workload/fio/options.h"
#include "models/workload/text.h"

namespace wordline::workload::fio {
namespace {

/// Text of a file on a terminal: what no terminal shows is a question mark.
std::string shown(std::string_view s) {
  constexpr std::size_t kLongest = 120;
  std::string result(s.substr(0, kLongest));
  for (char& c : result) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20 || code == 0x7f) c = '?';
  }
  return s.size() > kLongest ? result + "..." : result;
}

/// One option of a section.
struct Written {
  std::size_t line = 0;
  std::string name;
  std::string value;
  bool given = false;
};

class Parser {
 public:
  explicit Parser(const std::string& path) : errors_(path), path_(path) {}

  File parse(std::string_view content) {
    for_each_line(path_, content, errors_, [this](const Line& line) {
      if (line.text.front() == '[') {
        end_section();
        begin_section(line.number, line.text);
      } else {
        option(line.number, line.text);
      }
    });
    end_section();
    if (file_.jobs.empty() && errors_.empty()) errors_.add("no [job] section: nothing to run");
    for (std::size_t i = 0; i < file_.jobs.size(); ++i) check(i);
    errors_.check();
    if (!without_effect_.empty()) {
      file_.notices.insert(file_.notices.begin(), fmt::format("{}: no effect in a simulated drive: {}", path_,
                                                              fmt::join(without_effect_, " ")));
    }
    return std::move(file_);
  }

 private:
  void begin_section(std::size_t line, std::string_view row) {
    if (row.back() != ']' || row.size() < 3) {
      errors_.add(line, fmt::format("expected a section [name], found '{}'", shown(row)));
      return;
    }
    section_name_ = row.substr(1, row.size() - 2);
    section_line_ = line;
    in_section_ = true;
  }

  void option(std::size_t line, std::string_view row) {
    const auto equals = row.find('=');
    Written written;
    written.line = line;
    written.name = text::trimmed(row.substr(0, equals));
    written.given = equals != std::string_view::npos;
    if (written.given) written.value = text::trimmed(row.substr(equals + 1));
    if (!in_section_) {
      errors_.add(line,
                  fmt::format("option '{}' before the first section; put [global] above it", shown(written.name)));
    }
    section_.push_back(std::move(written));
  }

  /// The options of the section are known: kb_base holds for all of them, also for those above it.
  void end_section() {
    const std::vector<Written> options = std::exchange(section_, {});
    // fio: every section whose name begins so.
    const bool global = !in_section_ || section_name_.rfind("global", 0) == 0;
    if (in_section_ && !global) {
      file_.jobs.push_back(global_);
      file_.jobs.back().name = section_name_;
      file_.jobs.back().line = section_line_;
      file_.jobs.back().options.clear();
    }
    Job& job = global ? global_ : file_.jobs.back();
    unsigned kilo = global_kilo_;
    for (const Written& option : options) {
      if (option.name == "kb_base") kilo = kilo_of(option);
    }
    if (global) global_kilo_ = kilo;
    for (const Written& option : options) {
      // A job has the name of its section, unless it names itself: fio forgets the name of [global].
      if (global && option.name == "name") {
        no_effect(option);
      } else {
        apply(option, kilo, job);
      }
      (global ? file_.globals : job.options).emplace_back(option.name, option.given ? option.value : "1");
    }
  }

  unsigned kilo_of(const Written& option) {
    if (option.value == "1000" || option.value == "1024") return option.value == "1000" ? 1000 : 1024;
    errors_.add(option.line, fmt::format("kb_base: expected 1000 or 1024, found '{}'", shown(option.value)));
    return 1024;
  }

  void apply(const Written& option, unsigned kilo, Job& job) {
    const Option known = option_of(option.name);
    switch (known.kind) {
      case Option::Kind::kUnknown: {
        const auto nearest = nearest_option(option.name);
        errors_.add(option.line, fmt::format("unknown option '{}'{}", shown(option.name),
                                             nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest)));
        break;
      }
      case Option::Kind::kRefused:
        // A switch that is off asks for nothing.
        if (option.value != "0" && option.value != "none") refuse(option, std::string(known.reason));
        break;
      case Option::Kind::kNoted:
        no_effect(option);
        break;
      case Option::Kind::kObeyed:
        obey(option, known, kilo, job);
        break;
    }
  }

  void no_effect(const Written& option) {
    if (std::find(without_effect_.begin(), without_effect_.end(), option.name) == without_effect_.end()) {
      without_effect_.push_back(option.name);
    }
  }

  void obey(const Written& option, const Option& known, unsigned kilo, Job& job) {
    try {
      if (option.given && option.value.empty() && !is_any_folder(option.name)) throw Bad{"a value"};
      if (!option.given && !is_flag(option.name)) throw Bad{"a value"};
      known.apply({option.value, option.given, kilo}, job);
    } catch (const Bad& bad) {
      errors_.add(option.line,
                  fmt::format("{}: expected {}, found '{}'", option.name, bad.expected, shown(option.value)));
    } catch (const Refused& refused) {
      refuse(option, refused.reason);
    }
  }

  /// Options that stand alone.
  static bool is_flag(std::string_view name) {
    static constexpr std::string_view kFlags[] = {"stonewall",
                                                  "wait_for_previous",
                                                  "new_group",
                                                  "exitall",
                                                  "time_based",
                                                  "norandommap",
                                                  "create_only",
                                                  "group_reporting",
                                                  "end_fsync",
                                                  "sync",
                                                  "fsync_on_close",
                                                  "do_verify",
                                                  "end_syncfs",
                                                  "fill_device",
                                                  "bs_is_seq_rand",
                                                  "fdp",
                                                  "fill_fs",
                                                  "serialize_overlap",
                                                  "readfua",
                                                  "writefua",
                                                  "rate_ignore_thinktime",
                                                  "log_offset",
                                                  "write_lat_log",
                                                  "write_bw_log",
                                                  "per_job_logs",
                                                  "write_iops_log",
                                                  "write_hist_log",
                                                  "log_max_value",
                                                  "log_prio",
                                                  "clat_percentiles",
                                                  "lat_percentiles"};
    return std::find(std::begin(kFlags), std::end(kFlags), name) != std::end(kFlags);
  }

  void refuse(const Written& option, const std::string& reason) {
    errors_.add(option.line, fmt::format("fio option '{}{}{}' is refused: {}", option.name, option.given ? "=" : "",
                                         shown(option.value), reason));
  }

  void check(std::size_t index) {
    Job& job = file_.jobs[index];
    const auto note = [&](const std::string& text) {
      file_.notices.push_back(fmt::format("{}: job '{}': {}", path_, job.name, text));
    };
    if (job.amount.time_based && !job.amount.runtime) {
      note("time_based without runtime has no effect");
      job.amount.time_based = false;
    }
    if (job.iodepth > 1 && job.synchronous && !job.offload) {
      note(fmt::format("{} keeps one request in flight, whatever iodepth says", job.engine));
    }
    if (job.engine == "external") {
      note(fmt::format("the library of its ioengine is not loaded: {} requests are kept in flight, as with libaio",
                       job.iodepth));
    }
    if (job.iodepth > 1 && job.engine.empty()) {
      note(
          fmt::format("no ioengine is given: iodepth {} is kept, as with libaio; fio's own default, psync, would keep "
                      "one request in flight",
                      job.iodepth));
    }
    if (job.steady && job.steady->limit < 0) {
      note("ss_dur, ss_ramp and ss_interval have no effect without ss");
      job.steady.reset();
    }
    if (job.steady && job.steady->duration.count() == 0) {
      errors_.add(job.line, fmt::format("job '{}': ss needs ss_dur", job.name));
    }
    constexpr std::int64_t kMostSamples = 100'000;
    if (job.steady && job.steady->duration.count() / job.steady->interval.count() > kMostSamples) {
      errors_.add(job.line, fmt::format("job '{}': ss_dur is more than {} times ss_interval", job.name, kMostSamples));
    }
    if (job.pattern.zbd) return;  // what its zones lack is of no interest
    if (job.pattern.zone_size == 0 && job.pattern.zone_skip + job.pattern.zone_range != 0) {
      errors_.add(job.line, fmt::format("job '{}': zonerange and zoneskip need zonesize", job.name));
    }
    if (job.pattern.zone_size != 0 && job.pattern.random) {
      errors_.add(job.line,
                  fmt::format("job '{}': zonemode=strided of a random job is refused: give each zone a job of "
                              "its own, with offset and size",
                              job.name));
    }
    if (!job.placement.on && !job.placement.indices.empty()) {
      note("plids has no effect without fdp=1 or dataplacement=fdp");
      job.placement.indices.clear();
    }
    check_rates(job);
    const auto named = [&](const Job& other) { return other.name == job.order.wait_for; };
    const auto here = file_.jobs.begin() + static_cast<std::ptrdiff_t>(index);
    if (!job.order.wait_for.empty() && std::none_of(file_.jobs.begin(), here, named)) {
      errors_.add(job.line, fmt::format("job '{}': wait_for={}: no job above it has this name", job.name,
                                        shown(job.order.wait_for)));
    }
  }

  void check_rates(const Job& job) {
    const Pacing& pacing = job.pacing;
    const auto any = [](const ByOp<std::uint64_t>& rates) { return rates != ByOp<std::uint64_t>{}; };
    if (any(pacing.rate) && any(pacing.rate_iops)) {
      errors_.add(job.line, fmt::format("job '{}': rate and rate_iops exclude each other", job.name));
    }
    for (std::size_t op = 0; op < kOps; ++op) {
      const bool bytes = pacing.rate[op] != 0 && pacing.rate_min[op] > pacing.rate[op];
      const bool iops = pacing.rate_iops[op] != 0 && pacing.rate_iops_min[op] > pacing.rate_iops[op];
      if (bytes || iops) {
        errors_.add(job.line, fmt::format("job '{}': the minimum of {}s is more than their rate", job.name,
                                          op_name(static_cast<Op>(op))));
        return;
      }
    }
  }

  text::Errors errors_;
  std::string path_;
  Job global_;
  unsigned global_kilo_ = 1024;
  File file_;
  std::vector<Written> section_;  // options of the section that is being read
  std::string section_name_;
  std::size_t section_line_ = 0;
  bool in_section_ = false;
  std::vector<std::string> without_effect_;
};

}  // namespace

File parse(const std::string& path, std::string_view content) { return Parser(path).parse(content); }

}  // namespace wordline::workload::fio
