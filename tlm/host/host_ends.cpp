// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/host_ends.h"

#include <array>

namespace wordline::host {

std::unique_ptr<HostEnd> make_host_end(const EndContext& context) {
  static constexpr std::array kMakers{
#define HOST_MODEL(id, name, entries, text) &make_host_end_##name,
#include "models/config/host_models.def"
#undef HOST_MODEL
  };
  return kMakers.at(static_cast<std::size_t>(context.config.host.model))(context);
}

}  // namespace wordline::host
