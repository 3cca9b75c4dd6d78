// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "rtl/slot/block_recording.h"

namespace wordline::platform {

/// Slots that `wordline new rtl-block` has a start for.
[[nodiscard]] std::vector<std::string> slots_with_a_start();

/// `wordline new rtl-block SLOT FOLDER`: writes a block that works, its bench and its CMake project (rtl/slot/start,
/// docs/own_rtl.md). Throws std::runtime_error when the folder holds something already or a file is missing.
int new_rtl_block(const std::string& slot, const std::string& folder, bool cocotb);

/// For `wordline check`: the blocks of a user's own that a configuration names, a line each. Throws config::ConfigError
/// when one cannot be loaded or does not fit.
[[nodiscard]] std::string check_rtl_blocks(const std::string& config, const std::vector<std::string>& sets);

/// The files of `wordline run --record-block SLOT=FILE`. Throws std::runtime_error for what is no such text, and
/// config::ConfigError where nothing could come.
[[nodiscard]] std::unique_ptr<rtl::BlockRecordings> open_recordings(const std::vector<std::string>& texts,
                                                                    const config::Config& config);

}  // namespace wordline::platform
