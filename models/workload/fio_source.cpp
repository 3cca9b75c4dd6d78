// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "models/workload/fio.h"
#include "models/workload/text.h"

namespace wordline::workload {
namespace {

// Purposes of keyed draws.
constexpr std::uint64_t kDrawOffset = 0x6f66667365740001;
constexpr std::uint64_t kDrawDirection = 0x6f66667365740002;
constexpr std::uint64_t kDrawPermutation = 0x6f66667365740003;

/// One running clone of a job.
struct Running {
  std::uint16_t number = 0;
  std::string name;
  std::uint32_t depth = 1;
  bool random = false;
  bool mixed = false;
  bool permuted = false;  // fio's random map
  bool shared = true;     // both directions have one block size, and so one map
  Op first_op = Op::kRead;
  std::uint32_t read_percent = 50;
  std::uint64_t seed = 0;
  std::uint64_t offset_lba = 0;
  std::array<std::uint32_t, 3> blocks{};  // request length by Op
  std::array<std::uint64_t, 3> places{};  // requests that fit into the region, by Op
  std::array<Permutation, 3> map;
  std::array<BlockDraw, 3> draw;
  std::uint64_t amount_bytes = UINT64_MAX;
  std::uint64_t number_ios = UINT64_MAX;
  std::optional<Picoseconds> runtime;

  // State.
  std::optional<Picoseconds> started;
  bool ended = false;
  std::uint64_t issued = 0;
  std::uint64_t issued_bytes = 0;
  std::array<std::uint64_t, 3> position{};  // next index of the map or the sequence
  std::array<std::uint64_t, 3> pass{};

  bool next(Picoseconds now, Request& out);
  [[nodiscard]] Op direction() const;
  [[nodiscard]] std::uint64_t place(Op op);
};

Op Running::direction() const {
  if (!mixed) return first_op;
  const std::uint64_t percent = keyed_hash(seed, kDrawDirection, number, issued) % 100;
  return percent < read_percent ? Op::kRead : Op::kWrite;
}

std::uint64_t Running::place(Op op) {
  const auto op_index = static_cast<std::size_t>(op);
  // A map of its own for each direction only when block sizes differ.
  const std::size_t map_index = random && mixed && shared ? 0 : op_index;
  if (random && !permuted) return draw[map_index](keyed_hash(seed, kDrawOffset, number, issued));
  const std::uint64_t index = position[map_index];
  const std::uint64_t result = random ? map[map_index](index, pass[map_index]) : index;
  if (++position[map_index] == places[map_index]) {
    position[map_index] = 0;
    ++pass[map_index];
  }
  return result;
}

bool Running::next(Picoseconds now, Request& out) {
  if (ended) return false;
  if (!started) started = now;
  const Op op = direction();
  const auto length = blocks[static_cast<std::size_t>(op)];
  const std::uint64_t bytes = std::uint64_t{length} * kLbaBytes;
  const bool over = runtime && now - *started >= *runtime;
  if (over || issued >= number_ios || bytes > amount_bytes - issued_bytes) {
    ended = true;
    return false;
  }
  out.op = op;
  out.lba = Lba(offset_lba + place(op) * length);
  out.blocks = length;
  out.arrival = now;
  out.job = number;
  ++issued;
  issued_bytes += bytes;
  return true;
}

std::uint64_t resolve(const Extent& extent, std::uint64_t drive_bytes) {
  if (!extent.percent) return extent.bytes;
  // fio rounds a percentage down; to whole blocks here.
  const auto share = static_cast<unsigned __int128>(drive_bytes) * *extent.percent / 100;
  return static_cast<std::uint64_t>(share) / kLbaBytes * kLbaBytes;
}

std::string pattern_name(const FioJob& job) {
  const char* const prefix = job.random ? "rand" : "";
  if (job.mixed()) return fmt::format("{}rw {}/{}", prefix, job.read_percent, 100 - job.read_percent);
  return fmt::format("{}{}", prefix, op_name(job.ops[0]));
}

std::string distribution_name(const FioJob& job) {
  switch (job.distribution) {
    case Distribution::kRandom:
      break;
    case Distribution::kZipf:
      return fmt::format(", zipf:{}", text::plain(job.distribution_parameter));
    case Distribution::kPareto:
      return fmt::format(", pareto:{}", text::plain(job.distribution_parameter));
    case Distribution::kNormal:
      return fmt::format(", normal:{}", text::plain(job.distribution_parameter));
  }
  return "";
}

class FioSource final : public Source {
 public:
  FioSource(const std::string& path, FioFile file, const LoadOptions& options) {
    notices_ = std::move(file.notices);
    text::Errors errors(path);
    std::uint64_t clones = 0;
    for (const auto& job : file.jobs) clones += job.numjobs;
    if (clones > UINT16_MAX) errors.add("more than 65,535 jobs");
    errors.check();
    const auto slash = path.find_last_of('/');
    describe_ = fmt::format("fio job {}:", slash == std::string::npos ? path : path.substr(slash + 1));
    for (std::size_t i = 0; i < file.jobs.size(); ++i) {
      add(file.jobs[i], options, errors);
      describe_ += fmt::format("{} {}", i == 0 ? "" : ";", said(file.jobs[i]));
    }
    errors.check();
    count();
  }

  unsigned jobs() const override { return static_cast<unsigned>(jobs_.size()); }
  unsigned depth(unsigned job) const override { return jobs_.at(job).depth; }
  bool open_loop() const override { return false; }
  bool next(unsigned job, Picoseconds now, Request& out) override { return jobs_[job].next(now, out); }
  std::uint64_t total_requests() const override { return total_requests_; }
  std::uint64_t total_bytes() const override { return total_bytes_; }
  std::string describe() const override { return describe_; }
  std::string job_name(unsigned job) const override { return jobs_.at(job).name; }
  Picoseconds ramp_time() const override { return ramp_time_; }

 private:
  void add(const FioJob& job, const LoadOptions& options, text::Errors& errors);
  static std::string said(const FioJob& job);
  void count();

  std::vector<Running> jobs_;
  std::uint64_t total_requests_ = 0;
  std::uint64_t total_bytes_ = 0;
  std::string describe_;
  Picoseconds ramp_time_{};
};

std::string FioSource::said(const FioJob& job) {
  const auto bs = [&](Op op) { return text::short_bytes(job.block_bytes[static_cast<std::size_t>(op)]); };
  std::string line = fmt::format("[{}] {}, bs {}", job.name, pattern_name(job), bs(job.ops.front()));
  if (job.mixed() && bs(job.ops[0]) != bs(job.ops[1])) line += fmt::format(",{}", bs(job.ops[1]));
  line += fmt::format(", iodepth {}", job.iodepth);
  if (job.numjobs > 1) line += fmt::format(", {} clones", job.numjobs);
  if (job.size) {
    line += fmt::format(
        ", size {}", job.size->percent ? fmt::format("{} %", *job.size->percent) : text::short_bytes(job.size->bytes));
  }
  if (job.number_ios) line += fmt::format(", {} requests", text::grouped(*job.number_ios));
  if (job.ramp_time > Picoseconds(0)) line += fmt::format(", ramp {}", text::duration(job.ramp_time.count()));
  if (job.runtime) line += fmt::format(", {}", text::duration(job.runtime->count()));
  if (job.random) line += distribution_name(job);
  return line;
}

void FioSource::add(const FioJob& job, const LoadOptions& options, text::Errors& errors) {
  const std::uint64_t drive_bytes = options.drive_lbas * kLbaBytes;
  for (std::uint32_t clone = 0; clone < job.numjobs; ++clone) {
    const std::uint64_t first = resolve(job.offset, drive_bytes);
    const unsigned __int128 wide = static_cast<unsigned __int128>(job.offset_increment) * clone + first;
    if (wide >= drive_bytes) {
      errors.add(job.line,
                 fmt::format("job '{}': offset is beyond the drive's {}", job.name, text::long_bytes(drive_bytes)));
      return;
    }
    const auto offset = static_cast<std::uint64_t>(wide);
    std::uint64_t size = job.size ? resolve(*job.size, drive_bytes) : 0;
    if (size == 0) size = drive_bytes - offset;  // fio: size 0 or none is the whole device
    if (size > drive_bytes - offset) {
      // A percentage is of the whole drive, so with an offset it means what is left at most.
      if (!job.size->percent) {
        errors.add(job.line, fmt::format("job '{}': size {} from offset {} ends beyond the drive's {}; use a smaller "
                                         "size, or size=100%",
                                         job.name, text::short_bytes(size), text::short_bytes(offset),
                                         text::long_bytes(drive_bytes)));
        return;
      }
      size = drive_bytes - offset;
    }

    Running running;
    running.number = static_cast<std::uint16_t>(jobs_.size());
    running.name = job.numjobs == 1 ? job.name : fmt::format("{}.{}", job.name, clone + 1);
    ramp_time_ = std::max(ramp_time_, job.ramp_time);
    running.depth = job.iodepth;
    running.random = job.random;
    running.mixed = job.mixed();
    running.permuted = job.random && !job.norandommap && job.distribution == Distribution::kRandom;
    running.first_op = job.ops[0];
    running.read_percent = job.read_percent;
    running.seed = keyed_hash(options.seed, job.randseed);
    running.offset_lba = offset / kLbaBytes;
    running.shared = job.block_bytes[0] == job.block_bytes[1];
    for (const Op op : job.ops) {
      const auto i = static_cast<std::size_t>(op);
      running.blocks[i] = job.block_bytes[i] / kLbaBytes;
      running.places[i] = size / job.block_bytes[i];
      if (running.places[i] == 0) {
        errors.add(job.line, fmt::format("job '{}': region of {} is smaller than a block of {}", job.name,
                                         text::short_bytes(size), text::short_bytes(job.block_bytes[i])));
        return;
      }
      const std::uint64_t key = keyed_hash(running.seed, kDrawPermutation, running.number, running.shared ? 0 : i);
      running.map[i] = Permutation(running.places[i], key);
      if (job.random) {
        running.draw[i] = BlockDraw(job.distribution, job.distribution_parameter, running.places[i], key);
      }
    }
    if (!job.time_based) {
      running.amount_bytes = job.io_size ? resolve(*job.io_size, drive_bytes) : size;
      if (running.amount_bytes == 0) running.amount_bytes = size;
    }
    if (job.number_ios) running.number_ios = *job.number_ios;
    if (job.runtime) running.runtime = *job.runtime + job.ramp_time;
    jobs_.push_back(std::move(running));
  }
}

void FioSource::count() {
  for (const auto& job : jobs_) {
    const bool one_length = !job.mixed || job.shared;
    const bool endless = job.amount_bytes == UINT64_MAX && job.number_ios == UINT64_MAX;
    if (job.runtime || !one_length || endless) {
      total_requests_ = total_bytes_ = 0;
      return;
    }
    const std::uint64_t bytes = std::uint64_t{job.blocks[static_cast<std::size_t>(job.first_op)]} * kLbaBytes;
    const std::uint64_t requests = std::min(job.number_ios, job.amount_bytes / bytes);
    total_requests_ += requests;
    total_bytes_ += requests * bytes;
  }
}

}  // namespace

std::unique_ptr<Source> make_fio_source(const std::string& path, FioFile file, const LoadOptions& options) {
  return std::make_unique<FioSource>(path, std::move(file), options);
}

}  // namespace wordline::workload
