// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "models/workload/profile/profile.h"

namespace wordline::workload {

/// Varies the parameters of profile.fits until their statistics are met to a quarter of the tolerance: one after the
/// other by secant steps, in turns, for what one parameter sets moves the others' statistics a little. `step` hears of
/// every workload streamed. Returns the parameters with the least deviation found.
[[nodiscard]] GeneratorParameters fitted(const std::string& path, const Profile& profile, const LoadOptions& options,
                                         const std::function<void(const std::string&)>& step);

/// The text of a profile with these parameters for the keys of profile.fits; all else of it stays as it is. A key that
/// the text does not have is an error. Throws WorkloadError.
[[nodiscard]] std::string with_parameters(const std::string& path, const std::string& content, const Profile& profile,
                                          GeneratorParameters parameters);

}  // namespace wordline::workload
