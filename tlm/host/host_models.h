// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "models/config/config.h"
#include "tlm/host/driver/host_path_if.h"
#include "tlm/host/link/pcie_link.h"
#include "tlm/host/memory/host_memory.h"
#include "tlm/host/mover/host_interface.h"
#include "tlm/protocol/recorder_if.h"

/// The host interfaces that host.model can name. A row of models/config/host_models.def and a folder here: see
/// docs/extending.md.
namespace wordline::host {

/// Both ends of a host interface, connected with each other. Ports of the mover into the drive are bound by the
/// maker of the model, those for host memory and link too.
class HostModel {
 public:
  virtual ~HostModel() = default;
  /// The drive's end.
  virtual HostInterface& drive() = 0;
  /// The host's end.
  virtual HostPathIf& path() = 0;
};

/// What a host interface is made from. Everything outlives it.
struct HostContext {
  const config::Config& config;
  std::uint64_t user_lpages;  // exported
  HostMemory& memory;
  PcieLink& link;
  tlm_if::RecorderIf* recorder;  // null: no waves
};

#define HOST_MODEL(id, name, entries, text) \
  std::unique_ptr<HostModel> make_host_model_##name(const HostContext& context);
#include "models/config/host_models.def"
#undef HOST_MODEL

/// The one that host.model names. Inside a module's constructor: the model's modules become parts of that module.
std::unique_ptr<HostModel> make_host_model(const HostContext& context);

}  // namespace wordline::host
