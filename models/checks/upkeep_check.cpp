// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/upkeep_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "models/engines/table/engine_table.h"
#include "models/firmware/firmware.h"

namespace wordline::config {
namespace {

using engines::EngineId;

// A round visits all superblocks. Data are due within a sixteenth of their age; the timer's interrupt costs a core some
// hundred cycles, and it counts 31 bits of microseconds.
constexpr double kRoundsInAge = 16;
constexpr double kLeastRound = 1000, kLeastTick = 100, kMostTick = 1e9;  // microseconds
constexpr double kMostTicks = 1e9;

double microseconds(double days, const Config& config) { return days * 86'400e6 / config.nand.aging.acceleration; }

/// 0: nothing is visited.
double round_of(const Config& config) {
  double days = config.ftl.patrol;
  if (config.ftl.refresh_after > 0) {
    const double aged = config.ftl.refresh_after / kRoundsInAge;
    days = days > 0 ? std::min(days, aged) : aged;
  }
  return microseconds(days, config);
}

/// The first key that moves data, and its value; else empty.
struct InUse {
  std::string_view key;
  std::string value;
};
InUse in_use(const Ftl& ftl) {
  if (ftl.wear_levelling == WearLevelling::kStatic) return {"ftl.wear_levelling", "static"};
  if (ftl.read_reclaim != 0) return {"ftl.read_reclaim", std::to_string(ftl.read_reclaim)};
  if (ftl.reclaim_errors != 0) return {"ftl.reclaim_errors", std::to_string(ftl.reclaim_errors)};
  if (ftl.refresh_after > 0) return {"ftl.refresh_after", fmt::format("{}", ftl.refresh_after)};
  return {};
}

}  // namespace

std::vector<Conflict> upkeep_conflicts(const Config& config, std::string_view policy) {
  std::vector<Conflict> found;
  const Ftl& ftl = config.ftl;
  if (ftl.patrol > 0 && ftl.reclaim_errors == 0) {
    found.push_back({{"ftl.patrol", "ftl.reclaim_errors"},
                     fmt::format("ftl.patrol = {} has no effect with ftl.reclaim_errors = 0, expected at least 1: what "
                                 "the patrol reads is judged by it",
                                 ftl.patrol)});
  }
  const InUse used = in_use(ftl);
  if (used.key.empty()) return found;
  const auto refuse = [&](bool wrong, std::string_view other, const std::string& has, const std::string& expected) {
    if (!wrong) return;
    found.push_back(
        {{used.key, other}, fmt::format("{} = {} with {}, expected {}", used.key, used.value, has, expected)});
  };
  const wl_declared declared = wl_policy_declares(ftl.policy);
  const bool one_class = declared.move_streams == 1;
  refuse(!one_class, "ftl.policy", fmt::format("ftl.policy = {}", policy),
         "a policy with one class of moved data, as page_greedy: what is moved for each class could need a free "
         "superblock of its own");
  refuse(ftl.fdp.handles != 0, "ftl.fdp.handles", fmt::format("ftl.fdp.handles = {}", ftl.fdp.handles),
         "ftl.fdp.handles = 0: data of several handles lie in superblocks of their own");
  refuse(config.nand.region.blocks_per_plane != 0, "nand.region.blocks_per_plane",
         fmt::format("nand.region.blocks_per_plane = {}", config.nand.region.blocks_per_plane),
         "one page size: superblocks of two page sizes do not take each other's data");
  refuse(ftl.wear_levelling == WearLevelling::kStatic && config.engines.on(EngineId::kCopy), "engines.copy",
         "engines.copy = on",
         "engines.copy = off: the engine writes moved data to one superblock, and data at rest have one of their own");
  const bool by_hardware = config.engines.on(EngineId::kL2p) && config.engines.on(EngineId::kJob) &&
                           config.engines.on(EngineId::kCompletion);
  if (ftl.read_reclaim != 0 && by_hardware) {
    found.push_back({{"ftl.read_reclaim", "engines.l2p", "engines.job", "engines.completion"},
                     fmt::format("ftl.read_reclaim = {} with engines.l2p, engines.job and engines.completion on, "
                                 "expected one of them off: reads that no core sees are not counted",
                                 ftl.read_reclaim)});
  }
  if (ftl.reclaim_errors != 0 && ftl.patrol == 0 && config.engines.on(EngineId::kCompletion)) {
    found.push_back(
        {{"ftl.reclaim_errors", "engines.completion", "ftl.patrol"},
         fmt::format("ftl.reclaim_errors = {} with engines.completion = on and ftl.patrol = 0, expected "
                     "engines.completion = off or a patrol: the firmware is not told of reads that hardware "
                     "ends",
                     ftl.reclaim_errors)});
  }
  if (ftl.refresh_after > 0 && !config.nand.aging.page_age) {
    found.push_back(
        {{"ftl.refresh_after", "nand.aging.page_age"},
         fmt::format("ftl.refresh_after = {} with nand.aging.page_age = false, expected true: else data that "
                     "are moved are as old as before",
                     ftl.refresh_after)});
  }
  const double round = round_of(config);
  if (round > 0 && round < kLeastRound) {
    found.push_back(
        {{"ftl.refresh_after", "ftl.patrol", "nand.aging.acceleration"},
         fmt::format("the patrol would go round all superblocks every {:.0f} us, expected at least {:.0f}: a longer "
                     "ftl.patrol or ftl.refresh_after (a sixteenth of it counts), or less nand.aging.acceleration",
                     round, kLeastRound)});
  }
  return found;
}

wl_upkeep_rules upkeep_rules(const Config& config, std::uint32_t superblocks) {
  wl_upkeep_rules rules{};
  const Ftl& ftl = config.ftl;
  if (ftl.wear_levelling == WearLevelling::kStatic) rules.wear_gap = ftl.wear_levelling_gap;
  rules.reads = ftl.read_reclaim;
  rules.errors = ftl.reclaim_errors;
  rules.any = rules.wear_gap != 0 || rules.reads != 0 || rules.errors != 0 || ftl.refresh_after > 0 ? 1 : 0;
  const double round = round_of(config);
  if (!(round > 0)) return rules;
  const double each = round / superblocks;
  rules.visits = static_cast<std::uint32_t>(std::clamp(std::ceil(kLeastTick / each), 1.0, double(superblocks)));
  const double tick = std::clamp(std::floor(each * rules.visits), 1.0, kMostTick);
  rules.tick_us = static_cast<std::uint32_t>(tick);
  rules.patrol = ftl.patrol > 0 ? 1 : 0;
  const auto ticks = [&](double days) {
    return static_cast<std::uint32_t>(std::min(microseconds(days, config) / tick, kMostTicks));
  };
  if (ftl.refresh_after > 0) rules.age = std::max(1U, ticks(ftl.refresh_after));
  const bool begins_with_data =
      config.precondition.fill != PreconditionFill::kNone || !config.precondition.file.empty();
  if (begins_with_data) rules.age_at_boot = ticks(config.nand.aging.retention_days);
  return rules;
}

}  // namespace wordline::config
