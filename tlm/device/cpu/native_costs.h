// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tlm/device/cpu/core_statistics.h"

namespace wordline::cpu {

/// Mean cycles of a stretch of firmware, by cost tag: what native mode charges.
struct NativeCosts {
  std::array<double, WL_COST_COUNT> cycles{};
  /// ... of a core that has had work for many rounds: one of several tasks finds more of it in a round, and looks less
  /// often for what is not there.
  std::array<double, WL_COST_COUNT> busy{};
};

/// The core of the host, the ftl and the flash task (cpu.task_core).
using TaskCores = std::array<std::uint32_t, 3>;

/// The tasks of a core, as rows of a table name them: "host+flash"; empty: it has none. A round of the scheduling loop
/// looks into the queues of each task, and what comes before a task's own first tag is the loop's.
[[nodiscard]] std::string tasks_of(const TaskCores& task_core, std::uint32_t core);

/// Whose costs are asked for.
struct CostsOf {
  std::string_view policy = "page_greedy";
  std::string_view tasks{};  // as tasks_of()
};

/// Costs by tag, as a file has them: one `tag_name = cycles` per line, # begins a comment, every tag exactly once; and
/// at most once `tasks.tag_name = cycles`, which takes the place of the tag's on a core with these tasks,
/// `tasks+busy.tag_name`, which does while it is busy, and `policy.tag_name`, which takes the place of all where
/// `policy` is that of the drive.
class NativeCostTable {
 public:
  /// An empty path gives the built-in table, tlm/device/cpu/native_costs.table. Throws std::runtime_error ("file:line:
  /// what is wrong and how to mend it").
  explicit NativeCostTable(const std::string& path = {});

  [[nodiscard]] NativeCosts of(const CostsOf& wanted = {}) const;

 private:
  using Rows = std::array<std::optional<double>, WL_COST_COUNT>;

  void read(std::istream& in, const std::string& path);
  void put(std::string_view of, std::array<double, WL_COST_COUNT>& costs) const;

  std::map<std::string, Rows, std::less<>> rows_;  // by policy, or tasks; "": of all
};

/// Writes the mean cycles per entry over all cores in that form, and by tasks where several cores have entered a tag. A
/// tag that the run never entered keeps its built-in value and says so in a comment. Throws std::runtime_error when the
/// file cannot be written.
void write_native_costs(const std::string& path, const std::vector<CoreStatistics>& cores, const TaskCores& task_core);

}  // namespace wordline::cpu
