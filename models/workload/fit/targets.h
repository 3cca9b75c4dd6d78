// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/workload/profile/profile.h"

namespace wordline::workload {

/// A target and what the generator makes of it.
struct Achieved {
  Target target;
  double wanted = 0;            // the target's value at the scale of the run: a footprint scales, a share does not
  std::optional<double> value;  // nothing: the requests do not define the statistic
  double tolerance = 0;         // tolerance of `wanted`

  /// Relative; 0 where 0 was wanted and is.
  [[nodiscard]] double difference() const;
  [[nodiscard]] bool met() const;
};

/// How far a statistic may be from its target, as a share of it: 2 % where the generator states it (shares and
/// sizes of requests), 10 % where it follows from many draws (footprints, rewrites, skew, alignment, rate).
[[nodiscard]] double tolerance_of(const Target& target);

/// A target's value at a scale of the footprint: counts grow with it, shares and factors do not.
[[nodiscard]] double wanted_at(const Target& target, double footprint);

/// Statistics by name of the whole workload, streamed. Throws WorkloadError.
[[nodiscard]] std::map<std::string, double> statistics_by_name(const std::string& path, const Profile& profile,
                                                               const LoadOptions& options);

/// Streams the whole workload, one edition at `options.footprint`, and compares. Throws WorkloadError.
[[nodiscard]] std::vector<Achieved> achieved(const std::string& path, const Profile& profile,
                                             const LoadOptions& options);

}  // namespace wordline::workload
