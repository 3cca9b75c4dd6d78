// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/config/config.h"
#include "models/results/law.h"
#include "tlm/device/flash/flash_backend.h"

namespace wordline::platform {

/// What holds of dies, flash buses and decoders at any time (laws.h):
///
/// - the utilisation law: a die's array is busy as long as its operations take, and a suspend until it has stopped; a
///   bus as long as its cycles and bytes take; a decoder at least as long as it loads codewords;
/// - the bytes of programs have been on the buses;
/// - energy: of reads, programs and erases, what their currents give in the time that they take.
///
/// Known gaps: a bus in gates, or of a package that has left channels.mode, has no law; nor has what reads bring, of
/// which retries transfer a part.
void add_flash_laws(const flash::FlashBackend& flash, const config::Config& config, std::vector<results::Law>& laws);

}  // namespace wordline::platform
