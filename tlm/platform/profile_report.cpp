// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/profile_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "tlm/device/cpu/iss_core.h"

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
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second.cycles > b.second.cycles; });
  return out;
}

/// Brings the cores' traces to one width.
void add_busy(device::Drive& drive, Profile& out) {
  std::vector<cpu::BusyTrace> traces;
  for (const auto& core : drive.cores) traces.push_back(*iss_core(*core).busy_trace());
  for (const auto& trace : traces) out.width = std::max(out.width, trace.width());
  for (std::size_t core = 0; core < traces.size(); ++core) {
    traces[core].widen(out.width);
    const auto& busy = traces[core].busy();
    if (out.busy.size() < busy.size()) out.busy.resize(busy.size(), std::vector<Picoseconds>(traces.size()));
    for (std::size_t i = 0; i < busy.size(); ++i) out.busy[i][core] = busy[i];
  }
}

const char* command_name(std::uint32_t command) {
  switch (command) {
    case 0x00:
      return "flush";
    case 0x01:
      return "write";
    case 0x02:
      return "read";
    case 0x08:  // write zeroes
    case 0x09:  // deallocate
      return "trim";
    case WL_COMMAND_ADMIN:
      return "admin";
    case WL_COMMAND_GC:
      return "gc";
    case WL_COMMAND_NONE:
      return "none";
    default:
      return "other";
  }
}

/// Finished requests of the host.
std::uint64_t requests_of(const results::RequestStatistics& requests, const std::string& type) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < workload::kOpCount; ++i) {
    const auto op = static_cast<workload::Op>(i);
    if (type.empty() || type == workload::op_name(op)) count += requests.count(op);
  }
  return count;
}

double ratio(std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

}  // namespace

void enable_profile(device::Drive& drive) {
  for (const auto& core : drive.cores) iss_core(*core).enable_profile();
}

Profile profile_of(device::Drive& drive) {
  Profile out;
  for (const auto& core : drive.cores) {
    cpu::IssCore& iss = iss_core(*core);
    const riscv::CycleProfile* counted = iss.profile();
    if (counted == nullptr) throw std::logic_error("the profile was not enabled before the run");
    for (const auto& entry : counted->entries()) {
      const std::string task = entry.tag < WL_COST_COUNT ? std::string(cpu::cost_tag_name(entry.tag)) : "unknown";
      out.rows.push_back({iss.index(), task, counted->name(entry.function), entry.cycles, entry.instructions});
    }
    for (const auto& stack : counted->stacks()) {
      if (stack.cycles == 0) continue;
      const std::string task = stack.tag < WL_COST_COUNT ? std::string(cpu::cost_tag_name(stack.tag)) : "unknown";
      std::string functions;
      for (const std::uint32_t f : stack.functions) functions += (functions.empty() ? "" : ";") + counted->name(f);
      out.stacks.push_back({iss.index(), task, functions, stack.cycles});
    }
    for (const auto& share : counted->contexts()) {
      const std::string task = share.tag < WL_COST_COUNT ? std::string(cpu::cost_tag_name(share.tag)) : "unknown";
      out.commands.push_back({command_name(share.context), task, share.cycles, share.instructions});
    }
    const riscv::Hart& hart = std::as_const(iss).hart();
    out.cores.push_back({hart.cycles() - hart.idle_cycles(), hart.idle_cycles(), hart.instructions()});
  }
  add_busy(drive, out);
  return out;
}

std::string profile_folded(const Profile& profile) {
  std::string out;
  for (const auto& stack : profile.stacks)
    out += fmt::format("core{};{};{} {}\n", stack.core, stack.task, stack.functions, stack.cycles);
  return out;
}

std::string profile_utilisation(const Profile& profile) {
  std::string out = "time_us";
  for (std::size_t core = 0; core < profile.cores.size(); ++core) out += fmt::format(",core{}", core);
  out += '\n';
  for (std::size_t i = 0; i < profile.busy.size(); ++i) {
    out += fmt::format("{}", static_cast<std::int64_t>(i) * profile.width.count() / 1'000'000);
    for (const Picoseconds busy : profile.busy[i])
      out += fmt::format(",{:.6f}", static_cast<double>(busy.count()) / static_cast<double>(profile.width.count()));
    out += '\n';
  }
  return out;
}

std::string profile_table(const Profile& profile, const results::RequestStatistics& requests, std::size_t top) {
  const std::uint64_t all_requests = requests_of(requests, {});
  std::map<std::string, Sum> tasks, functions, types;
  std::map<std::string, std::map<std::string, Sum>> by_type;
  for (const auto& row : profile.commands) {
    for (Sum* sum : {&types[row.type], &by_type[row.type][row.task]}) {
      sum->cycles += row.cycles;
      sum->instructions += row.instructions;
    }
  }
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
  out +=
      fmt::format("\n{:<22} {:>15} {:>8} {:>15} {:>15}\n", "command", "cycles", "share", "requests", "cycles/request");
  for (const auto& [name, sum] : ranked(types)) {
    const std::uint64_t count = requests_of(requests, name);
    out += fmt::format("{:<22} {:>15} {:>7.2f}%", name, sum.cycles, 100 * ratio(sum.cycles, all));
    out += count == 0 ? "\n" : fmt::format(" {:>15} {:>15.1f}\n", count, ratio(sum.cycles, count));
  }
  out += fmt::format("\n{:<22} {:>15} {:>8} {:>15}\n", "task", "cycles", "share", "cycles/request");
  for (const auto& [name, sum] : ranked(tasks)) {
    out += fmt::format("{:<22} {:>15} {:>7.2f}% {:>15.1f}\n", name, sum.cycles, 100 * ratio(sum.cycles, all),
                       ratio(sum.cycles, all_requests));
  }
  out += fmt::format("{:<22} {:>15} {:>7.2f}% {:>15.1f}\n", "total", all, 100.0, ratio(all, all_requests));
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
                       100 * ratio(sum.cycles, all), ratio(sum.cycles, all_requests), sum.instructions,
                       ratio(sum.cycles, sum.instructions));
  }
  if (top != 0) return out;
  for (const auto& [type, rows] : by_type) {
    const std::uint64_t count = requests_of(requests, type);
    out += fmt::format("\n{:<22} {:>15} {:>8} {:>15}\n", fmt::format("task, command {}", type), "cycles", "share",
                       count == 0 ? "" : "cycles/request");
    for (const auto& [name, sum] : ranked(rows)) {
      out += fmt::format("{:<22} {:>15} {:>7.2f}%", name, sum.cycles, 100 * ratio(sum.cycles, types[type].cycles));
      out += count == 0 ? "\n" : fmt::format(" {:>15.1f}\n", ratio(sum.cycles, count));
    }
  }
  return out;
}

}  // namespace wordline::platform
