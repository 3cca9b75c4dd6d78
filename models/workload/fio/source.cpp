// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/fio/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "models/units/index.h"
#include "models/workload/fio/clone.h"
#include "models/workload/fio/job_run.h"
#include "models/workload/fio/scaled.h"
#include "models/workload/fio/steady_window.h"
#include "models/workload/text.h"

namespace wordline::workload::fio {
namespace {

/// Simulated time of a workload ends well before 64 bits do.
constexpr Picoseconds kEndOfTime{100LL * 86'400 * 1'000'000'000'000};

/// A region that lacks less than this part of the drive is all of it.
constexpr std::uint64_t kSmallPart = 20;

/// What the drive has: the identifiers of a job that names none are all of them.
void choose_handles(Job& job, std::uint32_t handles, text::Errors& errors) {
  if (!job.placement.on) return;
  if (handles == 0) {
    errors.add(job.line,
               fmt::format("job '{}': fdp needs a drive with placement handles: set ftl.fdp.handles", job.name));
    return;
  }
  for (const std::uint16_t index : job.placement.indices) {
    if (index < handles) continue;
    errors.add(job.line, fmt::format("job '{}': plids names {}, expected less than ftl.fdp.handles = {}", job.name,
                                     index, handles));
    return;
  }
  for (std::uint16_t i = 0; i < handles && job.placement.indices.size() < handles; ++i) {
    if (i == 0 && !job.placement.indices.empty()) return;
    job.placement.indices.push_back(i);
  }
}

class FioSource final : public Source {
 public:
  FioSource(const std::string& path, File file, const LoadOptions& options)
      : file_(std::move(file)), drive_lbas_(options.drive_lbas) {
    notices_ = file_.notices;
    text::Errors errors(path);
    for (Job& job : file_.jobs) choose_handles(job, options.placement_handles, errors);
    clones_ = clones_of(path, file_, options, errors, notices_);
    if (options.endless) make_endless(errors);
    errors.check();
    const auto slash = path.find_last_of('/');
    describe_ = fmt::format("fio job {}:", slash == std::string::npos ? path : path.substr(slash + 1));
    for (std::size_t i = 0; i < file_.jobs.size(); ++i) {
      describe_ += fmt::format("{} {}", i == 0 ? "" : ";", in_short(file_.jobs[i]));
    }
    runs_.reserve(clones_.size());
    for (const Clone& clone : clones_) {
      Flow* flow = clone.job->pacing.flow != 0 ? &flows_[clone.job->pacing.flow_id] : nullptr;
      runs_.push_back(std::make_unique<JobRun>(clone, options.seed, flow));
      if (clone.job->steady) {
        const std::size_t window = clone.job->group_reporting ? clone.group : file_.jobs.size() + clone.number;
        steady_of_[clone.number] = window;
        steady_.try_emplace(window, *clone.job->steady);
      }
      const Picoseconds ramp = clone.job->amount.ramp_time;
      if (clone.wall == 0 && clone.waits_for.empty() && ramp.count() != 0) {
        ramp_time_ = std::max(ramp_time_, clone.job->order.start_delay.second + ramp);
      }
    }
    begin_jobs(Picoseconds(0));
    count();
  }

  unsigned jobs() const override { return static_cast<unsigned>(clones_.size()); }
  unsigned depth(unsigned job) const override { return clones_.at(job).job->depth(); }
  bool open_loop() const override { return false; }
  bool paced() const override { return std::any_of(file_.jobs.begin(), file_.jobs.end(), is_paced); }
  bool next(unsigned job, Picoseconds now, Request& out) override;
  double offered_iops() const override;
  WriteKind write_kind(std::uint64_t map_unit) const override;
  Picoseconds resume(unsigned job) const override { return runs_.at(job)->resume(); }
  bool completed(const Request& request, Picoseconds submitted, Picoseconds at) override;
  std::uint64_t total_requests() const override { return total_requests_; }
  std::uint64_t total_bytes() const override { return total_bytes_; }
  bool ends() const override;
  std::string describe() const override { return describe_; }
  std::string job_name(unsigned job) const override { return clones_.at(job).name; }
  Picoseconds ramp_time() const override { return ramp_time_; }
  std::vector<std::string> plan() const override;
  OptionList global_options() const override { return file_.globals; }
  JobOrigin job_origin(unsigned job) const override;

 private:
  void begin_jobs(Picoseconds now);
  void job_over(unsigned job, Picoseconds now);
  void make_endless(text::Errors& errors);
  void count();

  File file_;
  std::uint64_t drive_lbas_;
  std::vector<Clone> clones_;
  std::map<std::uint64_t, Flow> flows_;
  std::vector<std::unique_ptr<JobRun>> runs_;
  std::map<std::size_t, SteadyWindow> steady_;  // steady by reporting group, or by job behind those
  std::map<unsigned, std::size_t> steady_of_;   // job to window
  std::uint64_t total_requests_ = 0;
  std::uint64_t total_bytes_ = 0;
  std::string describe_;
  Picoseconds ramp_time_{};
};

/// Begins the jobs whose turn has come.
void FioSource::begin_jobs(Picoseconds now) {
  unsigned wall = UINT32_MAX;  // wall of the lowest job that is not over
  for (const Clone& clone : clones_) {
    if (!runs_[clone.number]->over()) wall = std::min(wall, clone.wall);
  }
  for (const Clone& clone : clones_) {
    JobRun& run = *runs_[clone.number];
    if (run.begun() || clone.wall > wall) continue;
    const auto is_over = [this](std::uint16_t other) { return runs_[other]->over(); };
    if (std::all_of(clone.waits_for.begin(), clone.waits_for.end(), is_over)) run.begin(now);
  }
}

bool FioSource::next(unsigned job, Picoseconds now, Request& out) {
  if (now > kEndOfTime) throw WorkloadError({describe_ + ": error: goes on beyond 100 days of simulated time"});
  JobRun& run = *runs_[job];
  const bool was_over = run.over();
  // As fio, a job's steady state is looked at from its first request.
  if (run.next(now, out)) {
    const auto window = steady_of_.find(job);
    if (window != steady_of_.end()) steady_.at(window->second).begin(now);
    return true;
  }
  if (run.over() && !was_over) job_over(job, now);
  return false;
}

void FioSource::job_over(unsigned job, Picoseconds now) {
  const Clone& clone = clones_[job];
  const Order& order = clone.job->order;
  if (order.exitall) {
    for (const Clone& other : clones_) {
      const bool ends = order.exit_what == ExitWhat::kAll ||
                        (order.exit_what == ExitWhat::kGroup && other.group == clone.group) ||
                        (order.exit_what == ExitWhat::kStonewall && runs_[other.number]->begun());
      if (ends) runs_[other.number]->end();
    }
  }
  begin_jobs(now);
}

bool FioSource::completed(const Request& request, Picoseconds submitted, Picoseconds at) {
  JobRun& run = *runs_[request.job];
  const bool was_slow = run.too_slow();
  const bool was_over = run.over();
  run.completed(request, at);
  const Clone& clone = clones_[request.job];
  bool others = clone.job->pacing.flow != 0;
  if (run.over() && !was_over) {
    job_over(request.job, at);
    others = true;
  }
  if (run.too_slow() && !was_slow) {
    notices_.push_back(
        fmt::format("job '{}' ended after {}: less than its minimum rate", clone.name, text::duration(at.count())));
  }
  const auto window = steady_of_.find(request.job);
  if (window == steady_of_.end() || request.op == Op::kFlush) return others;
  SteadyWindow& steady = steady_.at(window->second);
  if (!steady.completed(std::uint64_t{request.nlb} * kLbaBytes, at - submitted, at)) return others;
  for (const auto& [number, of] : steady_of_) {
    if (of == window->second) runs_[number]->end();
  }
  notices_.push_back(fmt::format("job '{}' is steady after {} and ends (ss)", clone.name, text::duration(at.count())));
  return true;
}

std::vector<std::string> FioSource::plan() const {
  std::vector<std::string> lines;
  constexpr std::uint32_t kShown = 4;  // clones of a job; more say the same
  std::uint32_t of_job = 0;
  const Job* last = nullptr;
  for (const Clone& clone : clones_) {
    of_job = clone.job == last ? of_job + 1 : 0;
    last = clone.job;
    if (of_job == kShown)
      lines.push_back(fmt::format("and {} more clones of [{}]", clone.job->numjobs - kShown, clone.job->name));
    if (of_job >= kShown) continue;
    lines.push_back(fmt::format("[{}]", clone.name));
    for (const std::string& line : in_detail(*clone.job, clone, clones_)) lines.push_back("  " + line);
  }
  return lines;
}

JobOrigin FioSource::job_origin(unsigned job) const {
  const Clone& clone = clones_.at(job);
  const Job& origin = *clone.job;
  return {origin.name,           origin.description,          clone.group, origin.group_reporting, origin.options,
          origin.reporting.logs, origin.reporting.percentiles};
}

/// Jobs that follow each other, and jobs of phases, have no state that a longer run would only tell more closely.
void FioSource::make_endless(text::Errors& errors) {
  for (Clone& clone : clones_) {
    const Job& job = *clone.job;
    const bool in_turn = clone.wall != 0 || !clone.waits_for.empty();
    if (in_turn || job.verify.on || job.amount.create_only || job.steady) {
      errors.add(fmt::format("job [{}] {}, which has no end at a steady state: leave run.until = end", job.name,
                             in_turn         ? "waits for another one"
                             : job.verify.on ? "reads back what it has written (verify)"
                             : job.steady    ? "has a criterion of its own (steadystate)"
                                             : "writes nothing but its files (create_only)"));
      return;
    }
    clone.number_ios = UINT64_MAX;
  }
  for (Job& job : file_.jobs) job.amount.time_based = true;
}

WriteKind FioSource::write_kind(std::uint64_t map_unit) const {
  WriteKind all = WriteKind::kUniform;
  for (const Clone& clone : clones_) {
    const Pattern& pattern = clone.job->pattern;
    if (!pattern.uses(Op::kWrite)) continue;
    const bool everywhere = clone.region.first == 0 && clone.region.nlb >= drive_lbas_ - drive_lbas_ / kSmallPart;
    const bool scattered = pattern.random && pattern.distribution != Distribution::kNormal && pattern.zone_size == 0;
    const bool single = clone.job->blocks[static_cast<std::size_t>(Op::kWrite)].max <= map_unit;
    if (!everywhere || !scattered || !single || pattern.trim_write) return WriteKind::kOther;
    if (pattern.distribution != Distribution::kRandom) all = WriteKind::kSkewed;
  }
  return all;
}

bool FioSource::ends() const {
  return std::all_of(clones_.begin(), clones_.end(), [](const Clone& clone) {
    const Amount& amount = clone.job->amount;
    // As large as the drive is as good as endless where only the time was meant to end it.
    const bool sized = amount.filesize || (amount.size && !amount.size->percent);
    return clone.number_ios != UINT64_MAX || (!amount.time_based && (!amount.runtime || sized));
  });
}

double FioSource::offered_iops() const {
  double all = 0;
  for (const Clone& clone : clones_) {
    const Job& job = *clone.job;
    double of_job = 0;
    if (job.pacing.thinktime.count() != 0 || job.pacing.flow != 0 || job.pattern.trim_write) return 0;
    for (const Op op : job.pattern.ops) {
      const auto i = static_cast<std::size_t>(op);
      const double by_bytes =
          job.blocks[i].min == job.blocks[i].max ? static_cast<double>(job.pacing.rate[i]) / job.blocks[i].min : 0;
      const auto by_count = static_cast<double>(job.pacing.rate_iops[i]);
      const double limit = by_count > 0 ? by_count : by_bytes;
      if (limit <= 0) return 0;
      of_job += limit;
    }
    all += of_job;
  }
  return all;
}

void FioSource::count() {
  for (const Clone& clone : clones_) {
    const Job& job = *clone.job;
    const BlockSizes& blocks = job.blocks[static_cast<std::size_t>(job.pattern.ops.front())];
    bool one_size = true;
    for (const Op op : job.pattern.ops) {
      const BlockSizes& other = job.blocks[static_cast<std::size_t>(op)];
      one_size = one_size && other.min == other.max && other.min == blocks.min;
    }
    const Durability& durability = job.durability;
    const bool flushes =
        durability.fsync + durability.fdatasync != 0 || durability.end_fsync || durability.fsync_on_close;
    if (job.amount.runtime || !one_size || job.verify.on || flushes || job.pattern.trim_write || job.steady ||
        job.amount.create_only || job.order.exitall || job.pattern.skip_bytes != 0) {
      total_requests_ = total_bytes_ = 0;
      return;
    }
    // A pass covers whole blocks, unless the job draws with replacement.
    const std::uint64_t region = clone.region.nlb * kLbaBytes;
    const bool once = clone.amount <= region && (!job.pattern.random || !job.pattern.norandommap);
    const std::uint64_t most = once ? std::min(clone.amount, region / blocks.min * blocks.min) : clone.amount;
    std::uint64_t requests = (most + blocks.min - 1) / blocks.min;
    if (once && job.pattern.random) requests = most / blocks.min;
    // The last request of a sequence may reach beyond the region.
    const std::uint64_t whole = (clone.amount + blocks.min - 1) / blocks.min;
    if (once && !job.pattern.random && whole * blocks.min <= clone.region.room * kLbaBytes) requests = whole;
    requests = std::min(clone.number_ios, requests * job.amount.loops);
    total_requests_ += requests;
    total_bytes_ += requests * blocks.min;
  }
}

}  // namespace

std::unique_ptr<Source> make_source(const std::string& path, File file, const LoadOptions& options) {
  return std::make_unique<FioSource>(path, std::move(file), options);
}

}  // namespace wordline::workload::fio
