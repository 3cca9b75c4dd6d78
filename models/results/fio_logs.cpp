// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/fio_logs.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "models/units/index.h"

namespace wordline::results {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000'000;  // ps

std::uint64_t nanoseconds(Picoseconds time) { return static_cast<std::uint64_t>(time.count() + 500) / 1000; }

/// The last part of what a job file says, or the name of the job: a job file of others writes nowhere else.
std::string base_name(const std::string& name, const std::string& job) {
  std::string base = std::filesystem::path(name).filename().string();
  if (base.empty()) base = job;
  std::replace(base.begin(), base.end(), '/', '_');
  return base;
}

}  // namespace

bool FioLogs::wanted(const workload::Source& source) {
  for (unsigned job = 0; job < source.jobs(); ++job) {
    if (source.job_origin(job).logs.any()) return true;
  }
  return false;
}

FioLogs::FioLogs(const workload::Source& source, const std::string& folder) {
  jobs_.resize(source.jobs());
  for (unsigned i = 0; i < source.jobs(); ++i) {
    const workload::JobOrigin origin = source.job_origin(i);
    Job& job = jobs_[i];
    job.choice = origin.logs;
    const auto file = [&](const std::optional<std::string>& name, const char* kind) -> LogFile* {
      if (!name) return nullptr;
      return open(folder, base_name(*name, origin.name), kind, i, job.choice.per_job);
    };
    job.lat = file(origin.logs.latency, "lat");
    job.slat = file(origin.logs.latency, "slat");
    job.clat = file(origin.logs.latency, "clat");
    job.bandwidth = file(origin.logs.bandwidth, "bw");
    job.iops = file(origin.logs.iops, "iops");
    job.histogram = file(origin.logs.histogram, "clat_hist");
  }
}

LogFile* FioLogs::open(const std::string& folder, const std::string& name, const char* kind, unsigned job,
                       bool per_job) {
  const std::string path = per_job ? fmt::format("{}/{}_{}.{}.log", folder, name, kind, job + 1)
                                   : fmt::format("{}/{}_{}.log", folder, name, kind);
  std::unique_ptr<LogFile>& file = files_[path];
  if (file == nullptr) {
    std::filesystem::remove(path);  // that of an earlier run says nothing of this one
    file = std::make_unique<LogFile>(path, LogFile::Handle::kReopen);
  }
  return file.get();
}

void FioLogs::line(LogFile* file, const Job& job, std::int64_t ms, std::uint64_t value, std::size_t direction,
                   std::uint64_t bytes, std::uint64_t offset) {
  if (file == nullptr) return;
  std::string text = fmt::format("{}, {}, {}, {}", ms, value, direction, bytes);
  if (job.choice.offset) text += fmt::format(", {}", offset);
  text += job.choice.priority ? ", 0x0000\n" : ", 0\n";
  file->write(text);
}

void FioLogs::each_request(const Job& job, const FinishedRequest& request, std::int64_t ms) {
  const auto direction = static_cast<std::size_t>(request.op);
  const std::uint64_t latency = nanoseconds(request.latency());
  const auto log = [&](LogFile* file, std::uint64_t value) {
    line(file, job, ms, value, direction, request.bytes, request.lba * kLbaBytes);
  };
  log(job.lat, latency);
  log(job.clat, latency);
  log(job.slat, 0);
  log(job.bandwidth, latency == 0 ? 0 : request.bytes * 1'000'000 / latency);
  log(job.iops, 1);
}

/// fio's way: a line when the window is over, with the request that is found to be behind it.
void FioLogs::latency_window(Job& job, std::size_t direction, std::int64_t ms) {
  Mean& mean = job.means[direction];
  if (mean.count == 0) return;
  const std::uint64_t value = job.choice.greatest ? mean.greatest : (mean.sum + mean.count / 2) / mean.count;
  line(job.lat, job, ms, value, direction, 0, 0);
  line(job.clat, job, ms, value, direction, 0, 0);
  line(job.slat, job, ms, 0, direction, 0, 0);
  mean = {0, 0, 0, ms - ms % job.choice.average_ms};
}

/// fio's way: the first window begins with the first request, and the request that is found to be behind a window is
/// still in it; the next one begins where this one should have ended.
void FioLogs::histogram(Job& job, const FinishedRequest& request, std::int64_t ms) {
  if (job.histogram == nullptr || job.choice.histogram_ms == 0) return;
  const auto direction = static_cast<std::size_t>(request.op);
  Window& window = job.histograms[direction];
  if (window.bins.empty()) {
    window.bins.resize(kBins);
    window.begin_ms = ms;
  }
  const std::uint32_t bin = Histogram::bucket_of_ns(nanoseconds(request.latency()));
  ++window.bins[std::min<std::size_t>(bin, kBins - 1)];
  if (ms - window.begin_ms < job.choice.histogram_ms) return;
  std::string text = fmt::format("{}, {}, {}", ms, direction, request.bytes);
  const std::size_t together = std::size_t{1} << job.choice.histogram_coarseness;
  for (std::size_t first = 0; first < kBins; first += together) {
    std::uint64_t count = 0;
    for (std::size_t i = first; i < first + together; ++i) count += window.bins[i];
    text += fmt::format(", {}", count);
  }
  job.histogram->write(text + "\n");
  window.begin_ms += job.choice.histogram_ms;
  std::fill(window.bins.begin(), window.bins.end(), 0);
}

/// A window of `length` has ended.
void FioLogs::rate_window(Job& job, Picoseconds length) {
  const std::int64_t end = job.window * job.choice.average_ms * kMillisecond + length.count();
  const double seconds = static_cast<double>(length.count()) * 1e-12;
  for (std::size_t direction = 0; direction < kDirections && seconds > 0; ++direction) {
    if (job.rates.requests[direction] == 0) continue;
    const auto rate = [seconds](std::uint64_t amount) { return static_cast<double>(amount) / seconds; };
    line(job.bandwidth, job, end / kMillisecond, static_cast<std::uint64_t>(rate(job.rates.bytes[direction]) / 1024),
         direction, 0, 0);
    line(job.iops, job, end / kMillisecond, static_cast<std::uint64_t>(rate(job.rates.requests[direction])), direction,
         0, 0);
  }
  job.rates = {};
}

/// Ends the windows of rates that lie before this instant.
void FioLogs::window_to(Job& job, Picoseconds since_begin) {
  const Picoseconds width(job.choice.average_ms * kMillisecond);
  const std::int64_t window = since_begin / width;
  if (window == job.window) return;
  rate_window(job, width);  // those between had no requests
  job.window = window;
}

void FioLogs::finished(const FinishedRequest& request) {
  Job& job = jobs_.at(request.job);
  const auto direction = static_cast<std::size_t>(request.op);
  if (direction >= kDirections || !job.choice.any()) return;
  if (job.begin < Picoseconds(0)) job.begin = request.submitted;
  job.end = request.completed;
  const Picoseconds since = request.completed - job.begin;
  const std::int64_t ms = since.count() / kMillisecond;
  histogram(job, request, ms);
  if (job.choice.average_ms == 0) {
    each_request(job, request, ms);
    return;
  }
  window_to(job, since);
  ++job.rates.requests[direction];
  job.rates.bytes[direction] += request.bytes;
  Mean& mean = job.means[direction];
  const std::uint64_t latency = nanoseconds(request.latency());
  mean.sum += latency;
  ++mean.count;
  mean.greatest = std::max(mean.greatest, latency);
  if (ms - mean.last_ms >= job.choice.average_ms) latency_window(job, direction, ms);
}

void FioLogs::begin_anew() {
  for (const auto& [path, file] : files_) file->restart();
  for (Job& job : jobs_) {
    job.begin = Picoseconds(-1);
    job.means = {};
    job.histograms = {};
    job.window = 0;
    job.rates = {};
  }
}

void FioLogs::close() {
  for (Job& job : jobs_) {
    if (job.choice.average_ms == 0 || job.begin < Picoseconds(0)) continue;
    const Picoseconds since = job.end - job.begin;
    const Picoseconds width(job.choice.average_ms * kMillisecond);
    rate_window(job, since - job.window * width);
    for (std::size_t direction = 0; direction < kDirections; ++direction) {
      latency_window(job, direction, since.count() / kMillisecond);
    }
  }
  for (const auto& [path, file] : files_) file->close();
}

}  // namespace wordline::results
