// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "models/config/config.h"
#include "tlm/device/mover/host_interface.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/simulation_context.h"

/// The drive's ends of the host interfaces that host.model can name: a row of models/config/host_models.def, a folder
/// here and one in tlm/host (host_ends.h). See CONTRIBUTING.md.
namespace wordline::host {

#define HOST_MODEL(id, name, entries, text)                                                                          \
  std::unique_ptr<HostInterface> make_host_interface_##name(tlm_if::SimulationContext& context,                      \
                                                            const config::Config& config, std::uint64_t user_lpages, \
                                                            tlm_if::RecorderIf* recorder);
#include "models/config/host_models.def"
#undef HOST_MODEL

/// The one that host.model names. Inside a module's constructor: it becomes a part of that module. `user_lpages`:
/// exported. A null recorder: no waves.
std::unique_ptr<HostInterface> make_host_interface(tlm_if::SimulationContext& context, const config::Config& config,
                                                   std::uint64_t user_lpages, tlm_if::RecorderIf* recorder);

}  // namespace wordline::host
