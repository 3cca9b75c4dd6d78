// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/run_report.h"

#include <algorithm>

#include "models/engines/engine_table.h"
#include "tlm/observe/stage_clock.h"

namespace wordline::platform {
namespace {

/// A core may have run ahead of the end by its quantum, a transfer may be reserved beyond it.
double share(Picoseconds busy, Picoseconds of) {
  if (of.count() <= 0) return 0;
  return std::min(1.0, static_cast<double>(busy.count()) / static_cast<double>(of.count()));
}

results::Utilisation utilisation_of(const SsdTop& ssd, const config::Config& config, Picoseconds total) {
  results::Utilisation use;
  use.link = std::max(share(ssd.link.busy(host::Direction::kDownstream).busy, total),
                      share(ssd.link.busy(host::Direction::kUpstream).busy, total));
  for (const auto& core : ssd.cores) use.cores.push_back(share(core->statistics().busy, total));
  use.dram = share(ssd.dram.busy().busy, total);
  for (unsigned i = 0; i < config.channels.count; ++i) {
    use.channels.push_back(share(ssd.flash.channel_busy(i), total));
  }
  for (unsigned i = 0; i < ssd.flash.dies(); ++i) {
    use.dies.push_back(share(ssd.flash.die_busy(DieId(static_cast<std::uint16_t>(i))), total));
  }
  return use;
}

results::FlashReport flash_of(const SsdTop& ssd, const results::Collector& collector) {
  const auto statistics = ssd.flash.statistics();
  results::FlashReport flash;
  flash.host_bytes_written = collector.bytes(results::Op::kWrite);
  flash.sectors_programmed = statistics.sectors_programmed;
  const struct wl_firmware_statistics firmware = ssd.firmware_statistics();
  if (firmware.host_sectors_written != 0) {
    flash.waf = static_cast<double>(firmware.sectors_programmed) / static_cast<double>(firmware.host_sectors_written);
  }
  flash.programs = statistics.programs;
  flash.reads = statistics.page_reads;
  flash.erases = statistics.erases;
  flash.sectors_programmed = statistics.sectors_programmed;
  flash.retries = statistics.retries;
  flash.soft_reads = statistics.soft_reads;
  flash.uncorrectable = statistics.uncorrectable;
  flash.failures = statistics.failures;
  return flash;
}

/// Arrays at work, above standby; standby of every die from the first to the last picosecond, once; interfaces while the bus
/// is taken. V * A * ps = pJ.
std::vector<std::pair<std::string, Picojoules>> energy_of(const SsdTop& ssd, const config::Config& config,
                                                          Picoseconds total) {
  const auto& nand = config.nand.energy;
  Picoseconds bus{};
  for (unsigned i = 0; i < config.channels.count; ++i) bus += ssd.flash.channel_busy(i);
  const auto over = [&](double amperes, Picoseconds t) {
    return Picojoules(nand.vcc * amperes * static_cast<double>(t.count()));
  };
  return {{"nand_array", ssd.flash.statistics().energy},
          {"nand_standby", over(nand.icc_standby, total) * static_cast<double>(ssd.flash.dies())},
          {"nand_bus", over(nand.icc_burst, bus)}};
}

std::vector<std::pair<std::string, std::uint64_t>> firmware_cycles_of(const SsdTop& ssd) {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  for (std::uint32_t tag = 0; tag < WL_COST_COUNT; ++tag) {
    std::uint64_t cycles = 0;
    for (const auto& core : ssd.cores) cycles += core->statistics().cycles[tag];
    if (cycles != 0) out.emplace_back(cpu::cost_tag_name(tag), cycles);
  }
  return out;
}

std::vector<results::EngineReport> engines_of(const SsdTop& ssd, Picoseconds total) {
  std::vector<results::EngineReport> out;
  const auto add = [&](const engines::EngineRow& row, const engines::Pipeline& engine) {
    if (engine.on()) out.push_back({std::string(row.name), engine.operations(), share(engine.busy(), total)});
  };
  for (const engines::EngineRow& row : engines::kEngines) {
    if (row.home == engines::Home::kNvmeController) add(row, ssd.nvme.parser());
    if (row.home == engines::Home::kEngineBlock && ssd.engines != nullptr) add(row, ssd.engines->pipeline(row.id));
  }
  return out;
}

}  // namespace

results::Report report_of(const SsdTop& ssd, const config::Config& config, const results::Collector& collector,
                          const workload::Source& source) {
  results::Report report;
  report.version = WORDLINE_VERSION;
  report.seed = config.run.seed;
  report.simulated = tlm_if::now();
  std::vector<results::StageName> names;
  for (std::size_t i = 0; i < static_cast<std::size_t>(tlm_if::Stage::kCount); ++i) {
    const auto stage = static_cast<tlm_if::Stage>(i);
    names.push_back({std::string(observe::stage_name(stage)), observe::stage_is_wait(stage)});
  }
  results::add_requests(collector, names, report);
  report.flash = flash_of(ssd, collector);
  report.utilisation = utilisation_of(ssd, config, report.simulated);
  if (!source.open_loop()) {
    for (unsigned job = 0; job < source.jobs(); ++job) report.queue_depth += source.depth(job);
  }
  report.firmware_cycles = firmware_cycles_of(ssd);
  report.engines = engines_of(ssd, report.simulated);
  report.energy = energy_of(ssd, config, report.simulated);
  const flash::FlashBackend::Statistics arrays = ssd.flash.statistics();
  report.array_energy = {{"read", arrays.read_energy}, {"program", arrays.program_energy}, {"erase", arrays.erase_energy}};
  report.reads_checked = ssd.oracle.reads_checked();
  report.mismatches = ssd.oracle.mismatches();
  report.notices = source.notices();
  return report;
}

}  // namespace wordline::platform
