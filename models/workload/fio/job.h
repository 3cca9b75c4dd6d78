// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/units/quantity.h"
#include "models/workload/distribution.h"
#include "models/workload/request.h"
#include "models/workload/source.h"

namespace wordline::workload::fio {

/// Operations that options distinguish: read, write, trim, in the order of Op.
inline constexpr std::size_t kOps = 3;
template <class T>
using ByOp = std::array<T, kOps>;

/// A byte count or a share of the drive, as fio's `size` takes both.
struct Extent {
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> percent;
};

/// What blocks a direction uses: min = max is `bs`, else `bsrange`; with shares `bssplit`.
struct BlockSizes {
  struct Share {
    std::uint32_t bytes = 0;
    double percent = 0;
  };
  std::uint32_t min = 4096, max = 4096;
  std::vector<Share> split;
  std::uint32_t align = 0;  // alignment of random offsets; 0: min
};

/// Part of the region that gets a share of the accesses, for `random_distribution=zoned`.
struct AccessZone {
  double access_percent = 0;
  Extent size;
};

/// Where requests go, and which they are.
struct Pattern {
  bool random = false;
  std::vector<Op> ops{Op::kRead};  // one; read and write; with trim_write trim and write
  bool trim_write = false;
  std::int64_t skip_bytes = 0;  // rw=write:8k: added between sequential requests
  std::uint32_t every = 1;      // rw=randread:8: so many requests for one random offset
  bool identical = false;       // rw_sequencer=identical: all of these at that offset, else one after the other
  std::uint32_t read_percent = 50;
  ByOp<std::uint32_t> percent_random{100, 100, 100};
  Distribution distribution = Distribution::kRandom;
  double distribution_parameter = 0;
  double distribution_center = -1;      // share of the region where the first rank is; below 0: anywhere
  ByOp<std::vector<AccessZone>> zones;  // random_distribution=zoned
  bool norandommap = false;
  bool lfsr = false;  // random_generator: touches every block once even without a map
  std::uint64_t randseed = 0;
  std::uint64_t zone_size = 0, zone_range = 0, zone_skip = 0;  // zonemode=strided
  bool zbd = false;                                            // zonemode=zbd, which is refused

  [[nodiscard]] bool mixed() const { return ops.size() == 2; }
  [[nodiscard]] bool uses(Op op) const;
};

/// How much, and for how long.
struct Amount {
  std::optional<Extent> size;
  std::optional<Extent> io_size;
  std::optional<std::uint64_t> filesize;
  std::uint32_t files = 1;
  Extent offset;
  Extent offset_increment;
  std::optional<std::uint64_t> number_ios;
  std::uint32_t loops = 1;
  std::optional<Picoseconds> runtime;
  Picoseconds ramp_time{};  // not measured; runtime counts from its end
  bool time_based = false;
  bool create_only = false;
  bool fill_device = false;
};

/// When requests are allowed.
struct Pacing {
  ByOp<std::uint64_t> rate{}, rate_min{};            // bytes a second; 0: none
  ByOp<std::uint64_t> rate_iops{}, rate_iops_min{};  // requests a second; 0: none
  Picoseconds rate_cycle{1'000'000'000'000};
  bool poisson = false;
  bool ignore_thinktime = false;
  Picoseconds thinktime{}, thinktime_iotime{};
  std::uint64_t thinktime_blocks = 0;  // 0: not given
  bool thinktime_by_issue = false;
  std::uint32_t flow = 0;  // weight among the jobs of flow_id; 0: none
  std::uint64_t flow_id = 0;
  Picoseconds flow_sleep{};
};

enum class ExitWhat : std::uint8_t { kGroup, kStonewall, kAll };

/// Which jobs run after or with which.
struct Order {
  std::pair<Picoseconds, Picoseconds> start_delay{};  // a range of which one is drawn
  bool stonewall = false;
  std::string wait_for;
  bool new_group = false;
  bool exitall = false;
  ExitWhat exit_what = ExitWhat::kGroup;
};

/// What makes data durable.
struct Durability {
  std::uint32_t fsync = 0, fdatasync = 0;  // FLUSH after so many writes
  bool end_fsync = false, fsync_on_close = false;
  bool write_fua = false, read_fua = false;
};

struct Verify {
  bool on = false;
  bool after_writing = true;  // do_verify
  std::uint64_t backlog = 0, batch = 0;
};

/// Flexible Data Placement: which placement identifiers the writes of a job name.
struct PlacementChoice {
  enum class By : std::uint8_t { kRoundRobin, kRandom };
  bool on = false;                     // fdp=1 or dataplacement=fdp
  By by = By::kRoundRobin;             // of those below
  std::vector<std::uint16_t> indices;  // plids; empty: all that the drive has
};

/// `ss=iops:10%`: the job ends when a rate is steady.
struct SteadyState {
  enum class Of : std::uint8_t { kIops, kBandwidth, kLatency };
  Of of = Of::kIops;
  bool slope = false;
  bool percent = false;
  double limit = 0;
  Picoseconds duration{}, ramp{}, interval{1'000'000'000'000};
};

/// What filename names, or where a job without it has its files.
struct DeviceName {
  std::uint32_t nsid = 0;  // namespace that filename names; 0: none
  std::string filename, directory, filename_format;
  /// Each clone has a file, whose name says which clones share it.
  [[nodiscard]] bool has_files() const { return filename.empty() && !(directory.empty() && filename_format.empty()); }
};

/// What a job's results are to have.
struct Reporting {
  LogChoice logs;
  PercentileChoice percentiles;
};

/// One [job] of a job file: its options as written, fio's defaults for the rest.
struct Job {
  std::string name;
  std::size_t line = 0;  // line of the section header
  std::string description;
  static constexpr std::uint32_t kSeveralNamespaces = UINT32_MAX;
  DeviceName device;
  Pattern pattern;
  ByOp<BlockSizes> blocks;
  bool blocks_by_kind = false;  // bs_is_seq_rand: the first sizes are of sequential requests, the second of random ones
  std::uint32_t iodepth = 1;
  std::uint32_t iodepth_low = 0;  // 0: iodepth
  std::uint32_t batch_complete =
      1;               // batch complete at the full depth, so many have to complete before the next is submitted
  std::string engine;  // empty: not given
  bool synchronous = false;
  bool offload = false;  // io_submit_mode: threads submit, so that an engine that waits still keeps iodepth
  bool serialize_overlap = false;
  std::uint32_t numjobs = 1;
  bool group_reporting = false;
  Amount amount;
  Pacing pacing;
  Order order;
  Durability durability;
  Verify verify;
  PlacementChoice placement;
  std::optional<SteadyState> steady;
  Reporting reporting;
  std::vector<std::pair<std::string, std::string>> options;  // options as written, for fio's JSON

  /// Requests that the job keeps in flight.
  [[nodiscard]] std::uint32_t depth() const { return synchronous && !offload ? 1 : iodepth; }
};

struct File {
  std::vector<Job> jobs;
  std::vector<std::pair<std::string, std::string>> globals;  // options of [global], for fio's JSON
  std::vector<std::string> notices;
};

}  // namespace wordline::workload::fio
