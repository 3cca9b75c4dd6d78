// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace wordline {

/// The logarithm of the gamma function, for x > 0. std::lgamma() leaves the sign in a variable of the C library, which
/// drives on threads of their own would share.
inline double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

}  // namespace wordline
