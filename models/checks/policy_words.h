// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/config/config.h"
#include "models/firmware/contract/boot_info.h"

namespace wordline::config {

/// What the words of a policy follow from beside its keys (models/firmware/policy/keys.def).
struct PolicyDrive {
  std::uint32_t lpage_bytes;
  std::uint32_t map_units;  // exported
  Bytes small_page;         // nand.region.page
  Millivolts ispp_step;

  /// An ISPP step that is a multiple of the device's own, in whole millivolts.
  [[nodiscard]] Millivolts step(double times) const;
};

/// The values of the keys of all policies as the firmware has them (models/firmware/policy/keys.h).
void set_policy_words(wl_boot_info& info, const Config& config, const Layout& layout);

}  // namespace wordline::config
