// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/config/config.h"
#include "models/firmware/contract/engines.h"

namespace wordline::engines {

inline std::uint32_t engine_set(const config::Engines& config) {
  std::uint32_t set = 0;
  if (config.l2p.on) set |= WL_ENGINE_L2P;
  if (config.buffer.on) set |= WL_ENGINE_BUFFER;
  if (config.job.on) set |= WL_ENGINE_JOB;
  if (config.completion.on) set |= WL_ENGINE_COMPLETION;
  if (config.gc.on) set |= WL_ENGINE_GC;
  if (config.parse.on) set |= WL_ENGINE_PARSE;
  if (config.copy.on) set |= WL_ENGINE_COPY;
  if (config.victim.on) set |= WL_ENGINE_VICTIM;
  return set;
}

inline std::uint32_t engine_slots(const config::Engines& config, std::uint32_t tags, std::uint32_t read_slots) {
  return (engine_set(config) & WL_ENGINES_FLASH) == WL_ENGINES_FLASH ? std::min(tags * WL_LOOKUP_SECTORS, read_slots / 2)
                                                                          : 0;
}

}  // namespace wordline::engines
