// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/workload/distribution.h"
#include "models/workload/source.h"

namespace wordline::workload {

/// A byte count or a share of the drive, as fio's `size` takes both.
struct Extent {
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> percent;
};

/// One [job] of a fio job file, options as written and fio's defaults for the rest.
struct FioJob {
  std::string name;
  std::size_t line = 0;  // of the section header
  bool random = false;
  std::vector<Op> ops{Op::kRead};                              // one, or read and write
  std::array<std::uint32_t, 3> block_bytes{4096, 4096, 4096};  // by Op
  std::uint32_t iodepth = 1;
  std::uint32_t numjobs = 1;
  std::optional<Extent> size;
  std::optional<Extent> io_size;
  Extent offset;
  std::uint64_t offset_increment = 0;
  std::optional<std::uint64_t> number_ios;
  std::optional<Picoseconds> runtime;
  Picoseconds ramp_time{};  // not measured; runtime counts from its end
  bool time_based = false;
  bool norandommap = false;
  std::uint32_t read_percent = 50;
  Distribution distribution = Distribution::kRandom;
  double distribution_parameter = 0;
  std::uint64_t randseed = 0;

  [[nodiscard]] bool mixed() const { return ops.size() == 2; }
};

struct FioFile {
  std::vector<FioJob> jobs;
  std::vector<std::string> notices;
};

/// Parses fio 3.33 job file syntax. Every option is one of three kinds: implemented; accepted without effect in a
/// simulated drive (collected into one notice); anything else, an error with a suggestion. Throws WorkloadError with
/// all errors of the file.
[[nodiscard]] FioFile parse_fio(const std::string& path, std::string_view content);

/// Closed-loop source of parsed jobs; checks regions against the drive. Throws WorkloadError.
///
/// As fio 3.33: a job ends at number_ios, at its amount of I/O (io_size, else size) or at runtime, whichever comes
/// first; with time_based only at runtime. Beyond fio, io_size may be more than 100 %. Random jobs of uniform
/// distribution touch every block once before any twice, unless norandommap. In mixed sequential jobs reads and writes
/// keep positions of their own. numjobs clones work on the same region with other random numbers. Known gaps: with
/// different block sizes for reads and writes each direction covers the region by itself; fio keeps one map. Section
/// order has no meaning: all jobs start together (stonewall is an error).
[[nodiscard]] std::unique_ptr<Source> make_fio_source(const std::string& path, FioFile file,
                                                      const LoadOptions& options);

}  // namespace wordline::workload
