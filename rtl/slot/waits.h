// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Whether a neighbour of a block keeps a port waiting: never, or in a quarter of the clocks, so that its handshakes
/// are put to the test. The same in every run.
#pragma once

#include <cstdint>

namespace wordline::rtl {

class Waits {
 public:
  /// `seed` 0: never.
  explicit Waits(std::uint64_t seed = 0) : state_(seed) {}

  bool pass() {
    if (state_ == 0) return true;
    state_ ^= state_ << 13;  // xorshift64
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return (state_ >> 33 & 3U) != 0;
  }

 private:
  std::uint64_t state_;
};

}  // namespace wordline::rtl
