// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wordline::observe {

enum class SignalKind : std::uint8_t { kBit, kVector, kEnum, kText, kReal };

/// A signal as it was declared.
struct WaveSignal {
  std::string scope;  // dotted path
  std::string name;
  SignalKind kind = SignalKind::kBit;
  unsigned bits = 1;               // bits of a bit, vector or enum
  std::vector<std::string> names;  // names of an enum: value i is shown as names[i]
};

}  // namespace wordline::observe
