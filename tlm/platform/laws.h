// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/config/config.h"
#include "models/results/law.h"
#include "tlm/device/drive.h"
#include "tlm/host/testbed.h"

namespace wordline::platform {

/// What holds once a run has ended with all its requests done, each side counted by a part that shares no counter with
/// the other:
///
/// - bytes: the host's commands, the DMA engine, the firmware, the programs of the dies;
/// - the utilisation law: of the DRAM port and of either direction of the link, busy time is what its bytes take;
/// - cycles: a core is as long awake as its work takes, task by task;
/// - Little's law: requests in flight over time are their latencies, by operation;
/// - dies, flash buses, decoders and their energy: flash_laws.h.
///
/// A violation is an error of the model, not of the drive: the run fails with its numbers. Latencies by stage are
/// checked for every request (RequestStatistics::record()).
/// Known gaps: programs of what ftl.recovery keeps have room for their padding, and for failures; bytes and requests in
/// flight are compared from below alone once a command has failed, and the latter where not all requests are measured.
[[nodiscard]] std::vector<results::Law> laws_of(const device::Drive& drive, const host::Testbed& testbed,
                                                const config::Config& config);

}  // namespace wordline::platform
