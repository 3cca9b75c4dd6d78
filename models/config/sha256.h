// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct SHA256state_st;  // OpenSSL's

namespace wordline::config {

/// SHA-256 (FIPS 180-4) of bytes that come piece by piece, calculated by OpenSSL's libcrypto.
class Digest {
 public:
  using Value = std::array<unsigned char, 32>;

  /// Throws std::runtime_error when OpenSSL has no SHA-256.
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  void add(const void* data, std::size_t bytes);
  /// The hash of all that was added, once.
  [[nodiscard]] Value value();

 private:
  std::unique_ptr<SHA256state_st> context_;
};

/// The hash of `data`, 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view data);

}  // namespace wordline::config
