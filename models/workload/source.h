// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/workload/request.h"

namespace wordline::workload {

/// Options as written: name and value.
using OptionList = std::vector<std::pair<std::string, std::string>>;

/// Which of fio's logs a job writes, and how.
struct LogChoice {
  // The name that their files begin with; empty: the job's.
  std::optional<std::string> latency, bandwidth, iops, histogram;
  std::uint32_t average_ms = 0;            // a line for each window; 0: for each request
  bool greatest = false;                   // of a window the greatest value in place of the mean
  bool offset = false, priority = false;   // columns
  bool per_job = true;                     // the number of the job in the file's name
  std::uint32_t histogram_ms = 0;          // a line of the histogram each; 0: none
  std::uint32_t histogram_coarseness = 0;  // 2 to the power of this: fio's bins in one of a line

  [[nodiscard]] bool any() const { return latency || bandwidth || iops || histogram; }
};

/// Which percentiles of latencies a job asks for.
struct PercentileChoice {
  std::vector<double> list;       // percentile list, rising; empty: fio's own
  bool clat = true, lat = false;  // of which latencies
};

/// What a job file says of a job, for results in fio's format.
struct JobOrigin {
  std::string name;  // name without the number of a clone
  std::string description;
  unsigned group = 0;
  bool grouped = false;  // reported as one with the others of its group
  OptionList options;
  LogChoice logs{};
  PercentileChoice percentiles{};
};

/// What writes do to the state of a drive, the farthest from uniform last.
enum class WriteKind : std::uint8_t {
  kUniform,  // at random over the whole drive, a map unit each: they make the state of precondition.fill = steady
  kSkewed,   // so, but some units more often than others
  kOther,    // longer, so that what is written together becomes stale together, or in a part of the drive, or in order
};

/// Where requests come from. The host driver pulls; nothing is allocated per request.
///
/// Closed loop (fio jobs): the driver keeps depth(job) requests of every job in flight and calls next() whenever one of
/// the job's places is free; a request that arrives later than `now` is a pause of the whole workload. A job that has
/// no request at present says by resume() when to ask again, and hears of completions. Open loop (traces): one job of
/// depth 0; the driver calls next() to look one request ahead and submits it at its arrival, however many are in
/// flight.
///
/// Accuracy: the host's own CPU time is not part of a source.
class Source {
 public:
  static constexpr Picoseconds kNever{INT64_MAX};
  static constexpr Picoseconds kOnCompletion{INT64_MAX - 1};
  static constexpr Picoseconds kFromOutside{INT64_MAX - 2};

  virtual ~Source() = default;

  [[nodiscard]] virtual unsigned jobs() const = 0;
  /// Requests that `job` keeps in flight; 0 = open loop.
  [[nodiscard]] virtual unsigned depth(unsigned job) const = 0;
  [[nodiscard]] virtual bool open_loop() const = 0;
  /// Requests come from outside of the simulation: depth() is how many can be in flight, not how many are kept so.
  [[nodiscard]] virtual bool from_outside() const { return false; }
  /// The next request of `job`. False: there is none at present, or ever.
  virtual bool next(unsigned job, Picoseconds now, Request& out) = 0;
  /// After next() gave none: when to ask the job again. kNever: it is over. kOnCompletion: when a request of the job
  /// has completed, another job is over, or completed() says so. kFromOutside: when somebody outside of the simulation
  /// has brought one, of which the driver is told; until then the workload is not over.
  [[nodiscard]] virtual Picoseconds resume(unsigned /*job*/) const { return kNever; }
  /// A request is complete, at `at`. True: jobs that wait are to be asked again.
  virtual bool completed(const Request& /*request*/, Picoseconds /*submitted*/, Picoseconds /*at*/) { return false; }

  /// The job's name in results.
  [[nodiscard]] virtual std::string job_name(unsigned job) const { return std::to_string(job); }
  [[nodiscard]] virtual JobOrigin job_origin(unsigned job) const { return {job_name(job), {}, 0, false, {}, {}, {}}; }
  /// Options that hold for all jobs, as written.
  [[nodiscard]] virtual OptionList global_options() const { return {}; }
  /// Whether a faster host would make more requests: it has rates, pauses or times of arrival.
  [[nodiscard]] virtual bool paced() const { return open_loop(); }
  /// Time from the begin of the workload that is not measured.
  [[nodiscard]] virtual Picoseconds ramp_time() const { return Picoseconds(0); }
  /// Requests/s that all jobs together may ask for, where each has a limit; 0: as fast as they are served.
  [[nodiscard]] virtual double offered_iops() const { return 0; }
  /// What the writes do to the state of a drive whose map has units of `map_unit` bytes.
  [[nodiscard]] virtual WriteKind write_kind(std::uint64_t map_unit) const {
    (void)map_unit;
    return WriteKind::kOther;
  }
  /// For progress; 0 = not known beforehand (limited by time, or block sizes mixed).
  [[nodiscard]] virtual std::uint64_t total_requests() const = 0;
  [[nodiscard]] virtual std::uint64_t total_bytes() const = 0;
  /// Ends by itself on a drive that takes no time, even where how many requests it has is not known beforehand.
  [[nodiscard]] virtual bool ends() const { return open_loop() || total_requests() != 0; }

  /// One line for the summary.
  [[nodiscard]] virtual std::string describe() const = 0;
  /// What it will do, line by line: jobs, order, addresses, amounts, rates.
  [[nodiscard]] virtual std::vector<std::string> plan() const { return {}; }
  /// What the user should know: options without effect, addresses wrapped, devices merged. Complete after loading.
  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }

 protected:
  std::vector<std::string> notices_;
};

/// The workload cannot be run as written. what() has one line per problem: "file:line: error: what, and what to do".
/// The program prints it and exits with 2.
class WorkloadError : public std::runtime_error {
 public:
  explicit WorkloadError(std::vector<std::string> errors);
  [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }

 private:
  std::vector<std::string> errors_;
};

/// What becomes of addresses that the drive does not have: wrapped around, scaled with all others so that they fit, or
/// an error.
enum class BeyondEnd : std::uint8_t { kWrap, kScale, kError };

struct TraceOptions {
  std::string format;             // a key of trace_formats(); empty: as the content shows
  std::string columns;            // what the columns of a text are that is of no format: "time_us,op,offset_bytes,..."
  std::uint64_t loops = 1;        // how often the trace is repeated, at least once
  std::uint32_t queue_depth = 0;  // requests in flight, in a closed loop; 0: requests arrive at the trace's times
};

/// A namespace of the drive, in 512-byte blocks of all of it.
struct DriveNamespace {
  std::uint64_t first = 0;
  std::uint64_t lbas = 0;
};

struct LoadOptions {
  std::uint64_t drive_lbas = 0;  // user capacity in 512-byte blocks; must be set
  std::vector<DriveNamespace>
      namespaces{};  // fio jobs only: those that filename may name, from 1 on; none: it names none
  std::uint64_t seed = 1;
  double speedup = 1.0;                     // divides the time between requests, of fio jobs rates and think times
  BeyondEnd beyond_end = BeyondEnd::kWrap;  // traces only: addresses the drive does not have
  std::uint64_t requests = 0;               // profiles only: how many; 0: as many as the profile says
  double footprint = 1.0;                   // profiles only: factor of the pages, and of the requests unless given
  TraceOptions trace{};                     // a profile takes queue_depth of these
  std::uint32_t deeper = 1;                 // so many times the requests in flight of a closed loop
  /// Jobs of fio go on beyond their number of requests and their size, as with time_based: something else ends the run.
  bool endless = false;
  std::uint32_t placement_handles = 0;  // that writes may name; 0: the drive has no FDP
};

/// Opens a fio job file, a profile (name.toml) or a trace, also one that gzip compressed. The content shows
/// the format of a trace; the extension decides only where that could be of several. Throws WorkloadError.
[[nodiscard]] std::unique_ptr<Source> load_workload(const std::string& path, const LoadOptions& options);

}  // namespace wordline::workload
