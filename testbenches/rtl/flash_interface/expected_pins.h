// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/onfi/interface_clocks.h"
#include "models/onfi/pin_reader.h"

namespace wordline::testing {

/// The pins of every clock of a segment, written down from the waveforms of ONFI: what comes after what, with no state
/// machine. `data`: page data in.
[[nodiscard]] std::vector<onfi::ChannelPins> expected_pins(const onfi::InterfaceSegment& segment,
                                                           const config::ChannelClocks& times,
                                                           const std::vector<std::uint8_t>& data);

}  // namespace wordline::testing
