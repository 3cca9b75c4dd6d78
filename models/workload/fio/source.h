// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "models/workload/fio/job.h"
#include "models/workload/source.h"

namespace wordline::workload::fio {

/// Closed-loop source of parsed jobs; checks regions against the drive. Throws WorkloadError.
///
/// As fio 3.33: a job ends at number_ios, at its amount of I/O (io_size, else size) or at runtime, whichever comes
/// first; with time_based only at runtime. Random jobs of uniform distribution touch every block once before any twice,
/// unless norandommap. In mixed sequential jobs reads and writes keep positions of their own. numjobs clones work on
/// the same region with other random numbers. All jobs of a file begin together but those behind a stonewall or a
/// wait_for. Beyond fio, io_size may be more than 100 %. Known gaps: files of one job are one region; serialize_overlap
/// is of one job; a rate does not make a job wait for its requests in flight, as fio's inline submission does.
[[nodiscard]] std::unique_ptr<Source> make_source(const std::string& path, File file, const LoadOptions& options);

}  // namespace wordline::workload::fio
