// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace wordline::config {

/// SHA-256 (FIPS 180-4) of `data`, 64 lower-case hexadecimal digits. Calculated by OpenSSL's libcrypto; throws
/// std::runtime_error when that has no SHA-256.
[[nodiscard]] std::string sha256(std::string_view data);

}  // namespace wordline::config
