// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/config/value.h"
#include "models/workload/profile/parameters.h"
#include "models/workload/source.h"

namespace wordline::workload {

/// A number of the [generator] part of a profile.
struct ParameterKey {
  std::string_view name;  // writes.theta
  config::Kind kind;      // kReal, kInteger, kBytes or kTime
  double min;
  double max;
  double& (*at)(GeneratorParameters&);
  std::string_view text;  // one line for the documentation
};

/// All of them, in the order of the documentation. The modes of the sizes are not numbers and not among them.
[[nodiscard]] const std::vector<ParameterKey>& parameter_keys();

/// Reads a profile: TOML with [profile], [targets] and [generator]. Throws WorkloadError with all errors of the file,
/// each with file, line and key.
[[nodiscard]] Profile parse_profile(const std::string& path, std::string_view content);

/// The generator: requests by the profile's parameters, constant memory and time per request, the same seed the same
/// requests. Throws WorkloadError when the parameters contradict each other or the drive is too small.
///
/// options.footprint scales the pages, and with them the requests of one edition, so that the statistics stay those of
/// the profile on a smaller drive; options.requests ends the workload earlier or goes on into further editions;
/// options.trace.queue_depth keeps so many requests in flight instead of their arrivals.
///
/// Known gaps: the regions of the three kinds of pages lie one after the other from the drive's first block; sizes do
/// not depend on places; the order of reads and writes has no bursts of one direction.
[[nodiscard]] std::unique_ptr<Source> make_profile_source(const std::string& path, const Profile& profile,
                                                          const LoadOptions& options);

}  // namespace wordline::workload
