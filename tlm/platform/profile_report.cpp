// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/profile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "tlm/cpu/iss_core.h"

namespace wordline::platform {
namespace {

struct Sum {
  std::uint64_t cycles = 0, instructions = 0;
};

cpu::IssCore& iss_core(cpu::Core& core) {
  auto* iss = dynamic_cast<cpu::IssCore*>(&core);
  if (iss == nullptr) throw std::logic_error("a profile needs cores with cpu.model = iss");
  return *iss;
}

/// The costliest first; by name where they are equal, so that two runs give the same text.
std::vector<std::pair<std::string, Sum>> ranked(const std::map<std::string, Sum>& sums) {
  std::vector<std::pair<std::string, Sum>> out(sums.begin(), sums.end());
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.second.cycles > b.second.cycles; });
  return out;
}

double ratio(std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

}  // namespace

void enable_profile(SsdTop& ssd) {
  for (const auto& core : ssd.cores) iss_core(*core).enable_profile();
}

Profile profile_of(SsdTop& ssd) {
  Profile out;
  for (const auto& core : ssd.cores) {
    cpu::IssCore& iss = iss_core(*core);
    const riscv::CycleProfile* counted = iss.profile();
    if (counted == nullptr) throw std::logic_error("the profile was not enabled before the run");
    for (const auto& entry : counted->entries()) {
      const std::string task = entry.tag < WL_COST_COUNT ? std::string(cpu::cost_tag_name(entry.tag)) : "unknown";
      out.rows.push_back({iss.index(), task, counted->name(entry.function), entry.cycles, entry.instructions});
    }
    const riscv::Hart& hart = std::as_const(iss).hart();
    out.cores.push_back({hart.cycles() - hart.idle_cycles(), hart.idle_cycles(), hart.instructions()});
  }
  return out;
}

std::string profile_folded(const Profile& profile) {
  std::string out;
  for (const auto& row : profile.rows) {
    if (row.cycles != 0) out += fmt::format("core{};{};{} {}\n", row.core, row.task, row.function, row.cycles);
  }
  return out;
}

std::string profile_table(const Profile& profile, std::uint64_t requests, std::size_t top) {
  std::map<std::string, Sum> tasks, functions;
  for (const auto& row : profile.rows) {
    for (Sum* sum : {&tasks[row.task], &functions[row.function]}) {
      sum->cycles += row.cycles;
      sum->instructions += row.instructions;
    }
  }
  std::uint64_t all = 0;
  std::string out = fmt::format("Firmware profile, boot included\n{:<8} {:>15} {:>15} {:>15} {:>7}\n", "core",
                                "busy cycles", "instructions", "asleep cycles", "CPI");
  for (std::size_t i = 0; i < profile.cores.size(); ++i) {
    const auto& core = profile.cores[i];
    all += core.cycles;
    out += fmt::format("core{:<4} {:>15} {:>15} {:>15} {:>7.2f}\n", i, core.cycles, core.instructions, core.idle,
                       ratio(core.cycles, core.instructions));
  }
  out += fmt::format("\n{:<22} {:>15} {:>8} {:>15}\n", "task", "cycles", "share", "cycles/request");
  for (const auto& [name, sum] : ranked(tasks)) {
    out += fmt::format("{:<22} {:>15} {:>7.2f}% {:>15.1f}\n", name, sum.cycles, 100 * ratio(sum.cycles, all),
                       ratio(sum.cycles, requests));
  }
  out += fmt::format("{:<22} {:>15} {:>7.2f}% {:>15.1f}\n", "total", all, 100.0, ratio(all, requests));
  out += fmt::format("\n{:<36} {:>15} {:>8} {:>15} {:>15} {:>7}\n", "function", "cycles", "share", "cycles/request",
                     "instructions", "CPI");
  std::size_t shown = 0;
  const auto ranking = ranked(functions);
  for (const auto& [name, sum] : ranking) {
    if (top != 0 && shown++ == top) {
      out += fmt::format("... and {} more\n", ranking.size() - top);
      break;
    }
    out += fmt::format("{:<36} {:>15} {:>7.2f}% {:>15.1f} {:>15} {:>7.2f}\n", name, sum.cycles,
                       100 * ratio(sum.cycles, all), ratio(sum.cycles, requests), sum.instructions,
                       ratio(sum.cycles, sum.instructions));
  }
  return out;
}

}  // namespace wordline::platform
