// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/results/request_statistics.h"
#include "tlm/device/drive.h"

namespace wordline::platform {

/// Where the cores' cycles went, from reset to the end of the run. Idle (WFI) cycles are apart.
struct Profile {
  struct Row {
    unsigned core;
    std::string task;  // name of the cost tag
    std::string function;
    std::uint64_t cycles, instructions;
  };
  struct Core {
    std::uint64_t cycles, idle, instructions;  // cycles as the hart counts them; cycles without idle ones
  };
  struct Stack {
    unsigned core;
    std::string task;
    std::string functions;  // the outermost first, with ';' between
    std::uint64_t cycles;
  };
  struct Command {
    std::string type;  // read, write, trim, flush, gc; "none": looking for work, boot
    std::string task;
    std::uint64_t cycles, instructions;
  };
  std::vector<Row> rows;          // the costliest first, core by core
  std::vector<Stack> stacks;      // core by core
  std::vector<Command> commands;  // all cores together
  std::vector<Core> cores;
  Picoseconds width{};  // width of an interval of `busy`
  std::vector<std::vector<Picoseconds>>
      busy;  // busy time by interval of time, then core; up to the last one in which any is busy
};

/// Before the simulation starts. The cores must be instruction-set models.
void enable_profile(device::Drive& drive);
/// After the run.
[[nodiscard]] Profile profile_of(device::Drive& drive);

/// For flame graphs: lines "core0;host_read;_start;wl_main;wl_host_poll 1234", cycles; core and task, then the call
/// stack.
[[nodiscard]] std::string profile_folded(const Profile& profile);
/// Utilisation of the cores over time: a line of names, then for each interval its begin in microseconds and a share of
/// 1 for each core.
[[nodiscard]] std::string profile_utilisation(const Profile& profile);
/// Cycles of each core, by type of command per request of the type, by task per request of any, and by function; the
/// first `top` functions, 0: all, and then the tasks of each type of command, too.
[[nodiscard]] std::string profile_table(const Profile& profile, const results::RequestStatistics& requests,
                                        std::size_t top);

}  // namespace wordline::platform
