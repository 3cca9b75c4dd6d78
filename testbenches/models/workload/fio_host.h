// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/workload/fio/parse.h"
#include "models/workload/fio/source.h"

// For tests of what options of job files do: jobs at work on a drive that takes the same time for every request.
namespace wordline::workload::fio_host {

using namespace wordline::literals;

inline constexpr std::uint64_t kDriveBytes = 64ULL << 20;

inline std::unique_ptr<Source> source_of(const std::string& file, std::uint64_t seed = 1) {
  LoadOptions load;
  load.drive_lbas = kDriveBytes / kLbaBytes;
  load.seed = seed;
  return fio::make_source("t.fio", fio::parse("t.fio", file), load);
}

struct Done {
  Request request;
  Picoseconds submitted, completed;
};

/// A host with one drive, whose requests take `latency` each. Asks jobs when Source says that they are to be asked.
class Host {
 public:
  Host(Source& source, Picoseconds latency)
      : source_(source), latency_(latency), free_(source.jobs()), wait_(source.jobs()), asleep_(source.jobs()) {
    for (unsigned job = 0; job < source.jobs(); ++job) free_[job] = source.depth(job);
  }

  std::vector<Done> run(std::size_t most = 1'000'000) {
    while (done_.size() < most) {
      issue();
      Picoseconds next = flying_.empty() ? Source::kNever : Picoseconds(flying_.begin()->first);
      for (unsigned job = 0; job < free_.size(); ++job) {
        if (asleep_[job] && wait_[job] < Source::kOnCompletion && free_[job] != 0) next = std::min(next, wait_[job]);
      }
      if (next == Source::kNever) break;
      now_ = next;
      complete();
    }
    return done_;
  }
  [[nodiscard]] unsigned deepest() const { return deepest_; }

 private:
  void issue() {
    for (bool again = true; again;) {
      again = false;
      for (unsigned job = 0; job < free_.size(); ++job) {
        while (free_[job] != 0 && (!asleep_[job] || wait_[job] <= now_)) {
          Request request;
          if (source_.next(job, now_, request)) {
            --free_[job];
            flying_.insert({(now_ + latency_).count(), {request, now_, now_ + latency_}});
            deepest_ = std::max(deepest_, static_cast<unsigned>(flying_.size()));
            asleep_[job] = false;
            continue;
          }
          asleep_[job] = true;
          wait_[job] = source_.resume(job);
          if (wait_[job] == Source::kNever) {
            free_[job] = 0;
            // Another job's end: those that wait for something are asked.
            for (unsigned other = 0; other < free_.size(); ++other) {
              if (free_[other] != 0) asleep_[other] = false;
            }
            again = true;
          }
        }
      }
    }
  }

  void complete() {
    while (!flying_.empty() && flying_.begin()->first <= now_.count()) {
      const Done done = flying_.begin()->second;
      flying_.erase(flying_.begin());
      const unsigned job = done.request.job;
      ++free_[job];
      asleep_[job] = false;
      done_.push_back(done);
      if (source_.completed(done.request, done.submitted, done.completed)) asleep_.assign(asleep_.size(), false);
    }
  }

  Source& source_;
  Picoseconds latency_;
  Picoseconds now_{};
  std::vector<unsigned> free_;
  std::vector<Picoseconds> wait_;
  std::vector<bool> asleep_;
  std::multimap<std::int64_t, Done> flying_;
  std::vector<Done> done_;
  unsigned deepest_ = 0;
};

inline std::vector<Done> run(const std::string& file, Picoseconds latency = 10_us, std::uint64_t seed = 1) {
  const auto source = source_of(file, seed);
  return Host(*source, latency).run();
}

inline std::vector<Done> of(const std::vector<Done>& all, unsigned job) {
  std::vector<Done> result;
  for (const Done& done : all) {
    if (done.request.job == job) result.push_back(done);
  }
  return result;
}

inline std::size_t count(const std::vector<Done>& all, Op op) {
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const Done& done) { return done.request.op == op; }));
}

inline double seconds(Picoseconds time) { return static_cast<double>(time.count()) * 1e-12; }

inline std::string job(const std::string& options) { return "[a]\nioengine=libaio\n" + options + "\n"; }

}  // namespace wordline::workload::fio_host
