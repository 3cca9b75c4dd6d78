// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Settings of the read-retry controller as words of the ECC registers (models/registers/wordline.rdl), and back: one
/// place for the TLM registers and for the wrapper of the RTL. Errors made on purpose, counters and status have no
/// words here.
#pragma once

#include <cstdint>
#include <vector>

#include "models/ecc/retry/read_retry.h"

namespace wordline::ecc {

/// The registers of the ECC block that hold the settings of a read-retry controller, errors made on purpose left out.
[[nodiscard]] const std::vector<std::uint32_t>& setting_registers();

/// Value of the one at `offset`; false: it is none of them.
bool read_setting(const RetrySettings& settings, std::uint32_t offset, std::uint32_t& value);
/// Fields take what fits them; false: it is none of them.
bool write_setting(RetrySettings& settings, std::uint32_t offset, std::uint32_t value);

/// Element of the register array of `count` words from `first` that lies at `offset`; false: none does.
bool register_element(std::uint32_t offset, std::uint32_t first, std::uint32_t count, std::uint32_t& index);

}  // namespace wordline::ecc
