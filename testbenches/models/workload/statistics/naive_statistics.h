// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/workload/request.h"

namespace wordline::workload {

/// The definitions of docs/workloads.md once more, as slowly and as literally as they are written: every request is
/// kept, nothing is shared with the class under test.
[[nodiscard]] std::map<std::string, double> naive_statistics(const std::vector<Request>& requests);

}  // namespace wordline::workload
