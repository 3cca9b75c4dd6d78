// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Boot information of drives with two page sizes.
#pragma once

#include <algorithm>

#include "drive.h"
#include "workload.h"

extern "C" {
#include "models/firmware/policy/policy.h"
}

namespace wordline::testing {

/// `large`: sectors of a large page; small ones have one.
inline wl_boot_info two_sizes(const Shape& shape, std::uint32_t large) {
  wl_boot_info b = boot_of(shape);
  const std::uint32_t unit = b.planes * large * b.pages_per_program;
  const std::uint32_t superblock = b.dies * b.pages * b.planes * large;
  b.lpages_per_page = large;
  b.ftl.small = {8, b.pages, 1};
  b.blocks += b.ftl.small.blocks;
  b.user_lpages = 14 * superblock - (large > 1 ? 1 : 0);
  b.write_slots = 8 * unit + 1;
  b.read_slots = std::max<std::uint32_t>(24, 8 * large);
  b.gc_slots = 3 * unit;
  b.dram_bytes = b.tcm_bytes = 4 << 20;
  b.ftl.map_page = large;
  b.ftl.gc_pacing = 0;
  b.ftl.policy = WL_POLICY_mpnfm;
  policy_keys(b).mpnfm = {8, 1};
  return b;
}

}  // namespace wordline::testing
