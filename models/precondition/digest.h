// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>

struct SHA256state_st;  // OpenSSL's

namespace wordline::precondition {

/// SHA-256 of bytes that come piece by piece.
class Digest {
 public:
  using Value = std::array<unsigned char, 32>;

  /// Throws std::runtime_error when OpenSSL has no SHA-256.
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  void add(const void* data, std::size_t bytes);
  /// Of all that was added, once.
  [[nodiscard]] Value value();

 private:
  std::unique_ptr<SHA256state_st> context_;
};

}  // namespace wordline::precondition
