// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace wordline::platform {

struct CalibrateOptions {
  std::string config;
  std::vector<std::string> sets;
  std::string workload;
  std::string out;
};

/// `wordline calibrate firmware`: runs the workload with cpu.model = iss and writes the mean cycles of every firmware tag, for
/// cpu.native_costs.
int calibrate_firmware(const CalibrateOptions& options);

}  // namespace wordline::platform
