// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/host_interfaces.h"

#include <array>

namespace wordline::host {

std::unique_ptr<HostInterface> make_host_interface(tlm_if::SimulationContext& context, const config::Config& config,
                                                   std::uint64_t user_lpages, tlm_if::RecorderIf* recorder) {
  static constexpr std::array kMakers{
#define HOST_MODEL(id, name, entries, text) &make_host_interface_##name,
#include "models/config/host_models.def"
#undef HOST_MODEL
  };
  return kMakers.at(static_cast<std::size_t>(config.host.model))(context, config, user_lpages, recorder);
}

}  // namespace wordline::host
