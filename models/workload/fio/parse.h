// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "models/workload/fio/job.h"

namespace wordline::workload::fio {

/// Parses fio's job file syntax. Every option is obeyed, noted (collected into one notice: it says how a host issues or
/// reports I/O, which a drive does not see) or refused with the reason. Throws WorkloadError with all errors of the
/// file.
[[nodiscard]] File parse(const std::string& path, std::string_view content);

}  // namespace wordline::workload::fio
