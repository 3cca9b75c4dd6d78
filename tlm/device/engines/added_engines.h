// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "models/config/config.h"
#include "tlm/device/engines/block_context.h"
#include "tlm/device/engines/engine.h"

/// Engines that need none of the others: an EngineBlock makes them from its configuration, and they act after its own
/// parts. A new engine is named in the list below (docs/extending.md); one that works with others is a member of
/// EngineBlock.
namespace wordline::engines {

using AddedEngine = std::unique_ptr<Engine>;

/// Classes of engines, each with a constructor (const config::Config&, BlockContext&).
template <class... EngineClass>
struct EngineList {
  [[nodiscard]] static std::vector<AddedEngine> make([[maybe_unused]] const config::Config& config,
                                                     [[maybe_unused]] BlockContext& block) {
    std::vector<AddedEngine> all;
    (all.push_back(std::make_unique<EngineClass>(config, block)), ...);
    return all;
  }
};

using AddedEngines = EngineList<>;

}  // namespace wordline::engines
