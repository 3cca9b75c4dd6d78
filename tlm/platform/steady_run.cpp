// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/steady_run.h"

#include <algorithm>
#include <utility>

#include "models/checks/run_until.h"

namespace wordline::platform {
namespace {

/// Superblocks that are collected before a drive that writes is warm. Of eight the rate was still off by 4 %, of
/// sixteen within 1 % (docs/steady.md); a drive that begins at work needs those in which its GC falls into step.
constexpr std::uint64_t kWarmUp = 16, kWarmUpAtWork = 4;
/// Skewed writes make their own state: after one turn of the drive its write amplification was still off by 10 %, after
/// three no more than the interval said.
constexpr std::uint64_t kTurns = 3;
/// With other writes GC does not gather what is written together, the host does: what it has not written again lies as
/// the state had it, a share of exp(-n) after n capacities. Turns tell nothing of that, since the more GC copies, the
/// less of one is the host's: at a write amplification of 5 three are 0.7 capacities, and it was still off by 12 %.
constexpr std::uint64_t kCapacities = 3;

results::DriveCounts counts_of(const device::Drive& drive) {
  const struct wl_firmware_statistics counters = drive.firmware_statistics();
  results::DriveCounts counts;
  counts.written = counters.host_lpages_written;
  counts.programmed = counters.lpages_programmed;
  counts.copied = counters.gc_lpages_copied;
  counts.collected = counters.blocks.superblock_erases;
  counts.buffered = wl_buffered_lpages(&counters);
  counts.superblocks = counters.free_superblocks;
  counts.learned = drive.flash.learned_references();
  return counts;
}

}  // namespace

bool ends_by_itself(const config::Config& config) {
  return config::parse_run_until(config.run.until)->rule != config::RunUntil::Rule::kEnd;
}

results::SteadyMeter steady_meter(const config::Config& config, const config::Layout& layout,
                                  const device::Drive& drive, const workload::Source& source,
                                  const precondition::InitialState* state) {
  using Rule = results::SteadyGoal::Rule;
  const config::RunUntil until = *config::parse_run_until(config.run.until);
  results::SteadyGoal goal;
  goal.rule = until.rule == config::RunUntil::Rule::kInterval ? Rule::kInterval
              : until.rule == config::RunUntil::Rule::kSnia   ? Rule::kSnia
                                                              : Rule::kNone;
  goal.width = until.width;
  goal.percentile = config.run.until_percentile;
  goal.most_requests = config.run.until_requests;
  results::SteadyDrive steady;
  steady.superblock_pages = std::uint64_t{layout.dies} * layout.programs_per_block * layout.lpages_per_program;
  steady.buffer_pages = static_cast<std::uint64_t>(config.ftl.write_buffer.count()) / layout.lpage.bytes();
  steady.superblocks_warm_up = state != nullptr && state->at_work() ? kWarmUpAtWork : kWarmUp;
  steady.superblocks_otherwise = kTurns * layout.superblocks;
  steady.waf_of_state = state == nullptr ? 0 : state->waf_thousandths() / 1000.0;
  steady.gc_start = std::max(config.ftl.gc_start_superblocks, config.ftl.gc_reserve_superblocks);
  const std::uint64_t lpages = std::max(layout.map_page, 1U);
  const workload::WriteKind kind = source.write_kind(lpages * layout.lpage.bytes());
  steady.other_writes = kind != workload::WriteKind::kUniform;
  if (kind == workload::WriteKind::kOther) steady.pages_otherwise = kCapacities * layout.user_lpages;
  steady.open_loop = source.open_loop();
  steady.offered = source.offered_iops();
  steady.counts = [&drive] { return counts_of(drive); };
  return {goal, std::move(steady)};
}

}  // namespace wordline::platform
