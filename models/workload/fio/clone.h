// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/workload/fio/address_stream.h"
#include "models/workload/fio/job.h"
#include "models/workload/source.h"
#include "models/workload/text.h"

namespace wordline::workload::fio {

/// One of a job's numjobs clones, on a drive of known size.
struct Clone {
  const Job* job = nullptr;
  std::string name;
  std::uint16_t number = 0;
  Region region;
  std::uint64_t amount = 0;      // bytes of one loop
  std::uint32_t smallest = 0;    // bytes of a request
  std::uint64_t number_ios = 0;  // requests at most, all loops together
  unsigned wall = 0;             // begins when all of lower walls are over
  unsigned group = 0;            // group of the report, and of exitall
  std::vector<std::uint16_t> waits_for;
};

/// The clones of a file's jobs, in order. Sizes beyond the drive are the drive's, as for fio on a block device, which
/// goes to `notices`; what cannot be is an error.
[[nodiscard]] std::vector<Clone> clones_of(const std::string& path, const File& file, const LoadOptions& options,
                                           text::Errors& errors, std::vector<std::string>& notices);

/// The job in one line, for summaries; and in several for `workload check`.
[[nodiscard]] std::string in_short(const Job& job);
[[nodiscard]] std::vector<std::string> in_detail(const Job& job, const Clone& clone, const std::vector<Clone>& all);

}  // namespace wordline::workload::fio
