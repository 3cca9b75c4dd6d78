// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A small drive whose dies measure what a test says, for the policy cube, alone and combined.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "drive.h"
#include "workload.h"

extern "C" {
#include "models/firmware/policy/cube_parameters.h"
#include "models/firmware/policy/policy.h"
}

namespace wordline::testing {

inline constexpr std::uint32_t kUnit = 300'000;  // 1e-9 errors a cell: margin 1

inline wl_cube_rules cube_rules() {  // as the defaults of the keys
  wl_cube_rules r{};
  r.by_demand = 1;
  r.active_superblocks = 2;
  r.skips = 1;
  r.narrows = 1;
  r.demand_permille = 900;
  r.bad_percent = 150;
  r.margin_mv = 188;
  r.most_mv = 320;
  r.full_margin = kUnit * 320 / 188;
  r.most_ber_ep1 = 27 * (kUnit / 10);
  r.ber_ep1_unit = kUnit;
  return r;
}

/// Of a TLC word line whose states pass in [s, s + 2], as the thesis' Fig. 12(b) has P7 in [7, 9].
inline wl_program_report report_of(std::uint32_t ber_ep1, unsigned shift = 0) {
  wl_program_report r{};
  r.states = 7;
  r.loops = 9;
  r.ber_ep1 = ber_ep1;
  for (unsigned s = 1; s <= 7; ++s) {
    r.l_min[s] = static_cast<std::uint8_t>(s + shift);
    r.l_max[s] = static_cast<std::uint8_t>(s + 2);
  }
  return r;
}

/// 4 h-layers of 4 word lines, a word line a unit; 4 dies.
inline wl_boot_info cube_boot() {
  wl_boot_info b = boot_of({"cube", 1, 3, 1, {0, 0, 0}, true, false});
  b.pages = 3 * 16;
  b.layers.count = 4;
  b.layers.pages = 3 * 4;
  const std::uint32_t superblock = b.dies * b.pages * b.planes * b.lpages_per_page;
  b.user_lpages = 14 * superblock - 5;
  b.ftl.policy = WL_POLICY_cube;
  policy_keys(b).cube = cube_rules();
  b.dram_bytes = 8 << 20;
  return b;
}

struct Program {
  std::uint32_t die, block, layer, word_line;
  bool own;  // the device's parameters
  wl_program_set set;
  std::uint32_t control;  // of its job
};

/// A drive that keeps every program that ended well, and measures `ber(program)`.
class CubeDrive {
 public:
  explicit CubeDrive(const wl_boot_info& boot, std::uint64_t seed = 7) : boot_(boot), drive(boot, seed) {
    drive.nand().mixed = true;
    drive.measure = [this](const wl_flash_job& job, const wl_program_set* set) {
      const std::uint32_t word_line = job.page / boot_.pages_per_program;
      log.push_back({job.die, job.block, word_line / 4, word_line % 4, set == nullptr,
                     set == nullptr ? wl_program_set{} : *set, job.control});
      return report_of(ber ? ber(log.back()) : kUnit, 0);
    };
  }

 private:
  wl_boot_info boot_;

 public:
  Drive drive;
  std::vector<Program> log;
  std::function<std::uint32_t(const Program&)> ber;
};

inline bool same(const wl_program_set& a, const wl_program_set& b) {
  return a.start_raise_mv == b.start_raise_mv && a.final_cut_mv == b.final_cut_mv &&
         std::equal(std::begin(a.skip), std::end(a.skip), std::begin(b.skip));
}

}  // namespace wordline::testing
