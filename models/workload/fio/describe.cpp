// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "models/units/index.h"
#include "models/workload/fio/clone.h"

namespace wordline::workload::fio {
namespace {

std::string pattern_name(const Pattern& pattern) {
  const char* const prefix = pattern.random ? "rand" : "";
  std::string name = fmt::format("{}{}", prefix, op_name(pattern.ops[0]));
  if (pattern.trim_write) {
    name = fmt::format("{}trimwrite", prefix);
  } else if (pattern.mixed()) {
    name = fmt::format("{}rw {}/{}", prefix, pattern.read_percent, 100 - pattern.read_percent);
  }
  if (pattern.every > 1) {
    name += fmt::format(", {} {}", pattern.every, pattern.identical ? "at one place" : "in sequence");
  }
  if (pattern.skip_bytes != 0) {
    const auto bytes = static_cast<std::uint64_t>(std::abs(pattern.skip_bytes));
    name += fmt::format(", {}{} between", pattern.skip_bytes < 0 ? "-" : "", text::short_bytes(bytes));
  }
  return name;
}

std::string sizes_name(const BlockSizes& blocks) {
  if (blocks.min == blocks.max) return text::short_bytes(blocks.min);
  return fmt::format("{}-{}{}", text::short_bytes(blocks.min), text::short_bytes(blocks.max),
                     blocks.split.empty() ? "" : " split");
}

std::string distribution_name(const Pattern& pattern) {
  const auto zoned = [](const auto& zones) { return !zones.empty(); };
  if (std::any_of(pattern.zones.begin(), pattern.zones.end(), zoned)) return ", zoned";
  const char* name = "";
  switch (pattern.distribution) {
    case Distribution::kRandom:
      return "";
    case Distribution::kZipf:
      name = "zipf";
      break;
    case Distribution::kPareto:
      name = "pareto";
      break;
    case Distribution::kNormal:
      name = "normal";
      break;
  }
  const std::string center = pattern.distribution_center < 0 ? "" : ':' + text::plain(pattern.distribution_center);
  return fmt::format(", {}:{}{}", name, text::plain(pattern.distribution_parameter), center);
}

std::string time_name(Picoseconds time) { return text::duration(time.count()); }

/// "1m of reads, 2m of writes".
std::string by_op(const Job& job, const ByOp<std::uint64_t>& values, const char* unit, bool bytes) {
  std::string line;
  for (const Op op : job.pattern.ops) {
    const std::uint64_t value = values[static_cast<std::size_t>(op)];
    if (value == 0) continue;
    line += fmt::format("{}{}{} of {}s", line.empty() ? "" : ", ",
                        bytes ? text::short_bytes(value) : text::grouped(value), unit, op_name(op));
  }
  return line;
}

std::string begin_of(const Job& job, const Clone& clone, const std::vector<Clone>& all) {
  std::string line = "begins ";
  if (!job.order.wait_for.empty()) {
    line += fmt::format("when [{}] is over", job.order.wait_for);
  } else if (clone.wall != 0) {
    const auto before = std::count_if(all.begin(), all.end(), [&](const Clone& c) { return c.wall < clone.wall; });
    line += fmt::format("when all {} above it are over", before);
  } else {
    line += "at once";
  }
  const auto& [least, most] = job.order.start_delay;
  if (most > Picoseconds(0)) {
    line += least == most ? fmt::format(", after {}", time_name(least))
                          : fmt::format(", after {} to {}", time_name(least), time_name(most));
  }
  return line;
}

/// How much, where it is known beforehand.
std::string amount_of(const Job& job, const Clone& clone) {
  std::string line;
  const std::uint64_t loops = job.amount.loops;
  if (job.amount.create_only) return "no I/O (create_only)";
  if (!job.amount.time_based) {
    line = text::long_bytes(clone.amount);
    if (loops > 1) line += fmt::format(" in each of {} loops", text::grouped(loops));
    const BlockSizes& blocks = job.blocks[static_cast<std::size_t>(job.pattern.ops.front())];
    if (blocks.min == blocks.max && job.pattern.ops.size() == 1) {
      const std::uint64_t requests = std::min((clone.amount + blocks.min - 1) / blocks.min, clone.number_ios);
      line += fmt::format(", {} requests", text::grouped(requests));
    } else if (clone.number_ios != UINT64_MAX) {
      line += fmt::format(", {} requests at most", text::grouped(clone.number_ios));
    }
  } else if (clone.number_ios != UINT64_MAX) {
    line = fmt::format("{} requests at most", text::grouped(clone.number_ios));
  }
  if (job.amount.runtime) {
    line += fmt::format("{}{}{}", line.empty() ? "" : ", ", job.amount.time_based ? "for " : "at most ",
                        time_name(*job.amount.runtime));
  }
  if (job.amount.ramp_time > Picoseconds(0))
    line += fmt::format(", not measured: the first {}", time_name(job.amount.ramp_time));
  return line;
}

void add_pacing(const Job& job, std::vector<std::string>& lines) {
  const Pacing& pacing = job.pacing;
  const std::string bytes = by_op(job, pacing.rate, "B/s", true);
  const std::string iops = by_op(job, pacing.rate_iops, " IOPS", false);
  if (!bytes.empty()) lines.push_back("at most " + bytes);
  if (!iops.empty()) lines.push_back("at most " + iops + (pacing.poisson ? ", as a Poisson process" : ""));
  const std::string least_bytes = by_op(job, pacing.rate_min, "B/s", true);
  const std::string least_iops = by_op(job, pacing.rate_iops_min, " IOPS", false);
  if (!least_bytes.empty()) lines.push_back("ends when it gets less than " + least_bytes);
  if (!least_iops.empty()) lines.push_back("ends when it gets less than " + least_iops);
  if (pacing.thinktime > Picoseconds(0)) {
    const std::uint64_t blocks = pacing.thinktime_blocks != 0 ? pacing.thinktime_blocks : 1;
    const bool by_time = pacing.thinktime_iotime.count() != 0 && pacing.thinktime_blocks == 0;
    lines.push_back(fmt::format("pauses for {} after {}", time_name(pacing.thinktime),
                                by_time ? time_name(pacing.thinktime_iotime) + " of I/O"
                                        : text::grouped(blocks) + (blocks == 1 ? " request" : " requests")));
  }
  if (pacing.flow != 0)
    lines.push_back(fmt::format("keeps to weight {} among the jobs of flow {}", pacing.flow, pacing.flow_id));
}

void add_durability(const Job& job, std::vector<std::string>& lines) {
  const Durability& durability = job.durability;
  if (!job.pattern.uses(Op::kWrite)) return;
  for (const std::uint32_t every : {durability.fsync, durability.fdatasync}) {
    if (every != 0) lines.push_back(fmt::format("a FLUSH after every {} writes", text::grouped(every)));
  }
  if (durability.end_fsync || durability.fsync_on_close) lines.emplace_back("a FLUSH at the end of each loop");
  if (durability.write_fua) lines.emplace_back("writes with FUA");
  if (job.placement.on) {
    const char* by = job.placement.by == PlacementChoice::By::kRandom ? "at random" : "in turn";
    lines.push_back(fmt::format("writes name placement handles {}, {}", fmt::join(job.placement.indices, " "), by));
  }
  if (!job.verify.on || !job.verify.after_writing) return;
  lines.push_back(job.verify.backlog == 0 ? std::string("reads back what it has written at the end of each loop")
                                          : fmt::format("reads back what it has written after every {} writes",
                                                        text::grouped(job.verify.backlog)));
}

}  // namespace

std::string in_short(const Job& job) {
  const auto first = static_cast<std::size_t>(job.pattern.ops.front());
  std::string line = fmt::format("[{}] {}, bs {}", job.name, pattern_name(job.pattern), sizes_name(job.blocks[first]));
  if (job.pattern.mixed()) {
    const std::string other = sizes_name(job.blocks[static_cast<std::size_t>(job.pattern.ops[1])]);
    if (other != sizes_name(job.blocks[first])) line += fmt::format(",{}", other);
  }
  line += fmt::format(", iodepth {}", job.depth());
  if (job.numjobs > 1) line += fmt::format(", {} clones", job.numjobs);
  if (job.amount.size) {
    const Extent& size = *job.amount.size;
    line += fmt::format(", size {}", size.percent ? fmt::format("{} %", *size.percent) : text::short_bytes(size.bytes));
  }
  if (job.amount.loops > 1) line += fmt::format(", {} loops", text::grouped(job.amount.loops));
  if (job.amount.number_ios) line += fmt::format(", {} requests", text::grouped(*job.amount.number_ios));
  if (job.amount.ramp_time > Picoseconds(0)) line += fmt::format(", ramp {}", time_name(job.amount.ramp_time));
  if (job.amount.runtime) line += fmt::format(", {}", time_name(*job.amount.runtime));
  if (job.pattern.random) line += distribution_name(job.pattern);
  return line;
}

std::vector<std::string> in_detail(const Job& job, const Clone& clone, const std::vector<Clone>& all) {
  std::vector<std::string> lines;
  const auto first = static_cast<std::size_t>(job.pattern.ops.front());
  std::string sizes = sizes_name(job.blocks[first]);
  if (job.pattern.mixed()) {
    const std::string other = sizes_name(job.blocks[static_cast<std::size_t>(job.pattern.ops[1])]);
    if (other != sizes) sizes += fmt::format(" and {}", other);
  }
  lines.push_back(fmt::format("{}{}, blocks of {}, {} in flight", pattern_name(job.pattern),
                              job.pattern.random ? distribution_name(job.pattern) : "", sizes, job.depth()));
  lines.push_back(begin_of(job, clone, all));
  if (job.amount.create_only) {
    lines.push_back(amount_of(job, clone));
    return lines;
  }
  lines.push_back(fmt::format("addresses {} to {}", clone.region.first * kLbaBytes,
                              (clone.region.first + clone.region.nlb) * kLbaBytes));
  lines.push_back(amount_of(job, clone));
  add_pacing(job, lines);
  add_durability(job, lines);
  if (job.steady) lines.emplace_back("ends when it is steady (ss)");
  if (job.order.exitall) lines.emplace_back("ends the other jobs when it is over (exitall)");
  return lines;
}

}  // namespace wordline::workload::fio
