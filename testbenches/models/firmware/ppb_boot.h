// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The drive that tests of the policy ppb begin with.
#pragma once

#include "workload.h"

extern "C" {
#include "models/firmware/policy/policy.h"
}

namespace wordline::testing {

/// 300 superblocks of 8 h-layers over 4 dies, 32 units of two sectors each.
inline wl_boot_info ppb_boot(std::uint8_t half_full_blocks, std::uint8_t virtual_blocks = 2) {
  wl_boot_info boot = boot_of({"ppb", 1, 1, 1, {0, 0, 0}, true, false});
  boot.ftl.policy = WL_POLICY_ppb;
  boot.blocks = 300;
  boot.pages = 8;
  boot.user_lpages = 255 * 64;
  boot.dram_bytes = 4 << 20;
  boot.layers.count = 8;
  boot.layers.pages = 1;
  boot.gc_slots = 12;
  boot.write_slots = 16;
  policy_keys(boot).ppb = {
      virtual_blocks, half_full_blocks, 8, boot.user_lpages / 4, boot.user_lpages / 4, 0, 128, 4, 1000};
  boot.gc_start_superblocks = 3;
  return boot;
}

}  // namespace wordline::testing
