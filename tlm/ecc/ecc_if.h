// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/units/quantity.h"

namespace wordline::ecc {

/// The decoder as a channel controller sees it. Content is not handed over: the number of bit errors stands for it.
class EccIf : virtual public sc_core::sc_interface {
 public:
  struct Result {
    Picoseconds done;     // verdict known and, when good, the data out of the decoder
    unsigned failed = 0;  // codewords that could not be decoded
  };

  /// Decodes `codewords` codewords whose last bit comes in at `arrive`; calls in rising order of `arrive`. `key` names
  /// the read (place, count): the outcome is a function of it.
  virtual Result decode(Picoseconds arrive, const unsigned* bit_errors, unsigned codewords, std::uint64_t key) = 0;
};

}  // namespace wordline::ecc
