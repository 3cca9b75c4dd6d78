// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "models/config/config.h"
#include "tlm/device/link/pcie_link.h"
#include "tlm/device/mover/host_interface.h"
#include "tlm/host/driver/host_cores.h"
#include "tlm/host/memory/host_memory.h"
#include "tlm/protocol/host_path_if.h"
#include "tlm/protocol/simulation_context.h"

/// The host's ends of the host interfaces that host.model can name; the drive's are in tlm/device/host_interfaces.h.
namespace wordline::host {

/// The host's end of a host interface, connected with a drive.
class HostEnd {
 public:
  virtual ~HostEnd() = default;
  virtual HostPathIf& path() = 0;
};

/// What it is made from. Everything outlives it.
struct EndContext {
  tlm_if::SimulationContext& context;
  const config::Config& config;
  std::uint64_t user_lpages;  // exported
  HostMemory& memory;
  HostCores& cores;
  PcieLink& link;
  HostInterface& drive;  // what host.model names
};

#define HOST_MODEL(id, name, entries, text) std::unique_ptr<HostEnd> make_host_end_##name(const EndContext& context);
#include "models/config/host_models.def"
#undef HOST_MODEL

/// The one that host.model names. Inside a module's constructor: it becomes a part of that module.
std::unique_ptr<HostEnd> make_host_end(const EndContext& context);

}  // namespace wordline::host
