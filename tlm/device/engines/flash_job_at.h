// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/firmware/contract/contract.h"

namespace wordline::engines {

/// A flash job that has an address and no more: the divisions of a PPA by the geometry, which are one step here.
[[nodiscard]] inline wl_flash_job flash_job_at(const wl_geometry& geometry, std::uint32_t ppa) {
  const wl_location at = wl_locate(&geometry, ppa);
  wl_flash_job job{};
  job.die = static_cast<std::uint16_t>(at.die);
  job.block = at.block;
  job.page = at.page;
  job.lpage = static_cast<std::uint16_t>(at.lpage);
  return job;
}

}  // namespace wordline::engines
