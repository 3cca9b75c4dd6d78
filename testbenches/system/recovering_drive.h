// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace wordline::testing {

/// A small drive whose firmware mounts what power has left.
inline constexpr const char* kRecoveringDrive = "configs/ssds/small.toml";
[[nodiscard]] inline std::vector<std::string> recovering(std::vector<std::string> more,
                                                         const std::string& model = "native") {
  more.insert(more.end(), {"ftl.recovery=scan", "ftl.power_safe=false", "cpu.model=" + model,
                           "nand.blocks_per_plane=24", "ftl.over_provisioning=0.5"});
  return more;
}

}  // namespace wordline::testing
