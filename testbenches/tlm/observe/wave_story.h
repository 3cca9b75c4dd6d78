// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tlm/protocol/recorder_if.h"

namespace wordline::testing {

/// Records some reads and a program of a drive with one channel and two dies: what the modules of a drive would record,
/// with every kind of signal. All values are given ahead of time, out of order between the blocks. Returns the story's
/// end.
Picoseconds tell_story(tlm_if::RecorderIf& recorder);

}  // namespace wordline::testing
