// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/run_report.h"

#include <cmath>

#include "models/engines/engine_table.h"
#include "tlm/observe/stage_clock.h"

namespace wordline::platform {
namespace {

std::vector<results::StageName> stage_names() {
  std::vector<results::StageName> names;
  for (std::size_t i = 0; i < static_cast<std::size_t>(tlm_if::Stage::kCount); ++i) {
    const auto stage = static_cast<tlm_if::Stage>(i);
    names.push_back({std::string(observe::stage_name(stage)), observe::stage_is_wait(stage)});
  }
  return names;
}

void register_run(results::Registry& registry, const RunDescription& run) {
  registry.add("wordline.version", "name", "Version of the program.", [] { return std::string(WORDLINE_VERSION); });
  registry.add("wordline.seed", "number", "The key run.seed.", [seed = run.seed] { return seed; });
  registry.add("wordline.config_sha256", "hash",
               "SHA-256 of all effective keys but those of [observe]: the same for the same drive, wherever its values "
               "come from and whatever is recorded.",
               [hash = run.config_sha256] { return hash; });
  registry.add("wordline.workload", "name", "Workload file and what it asks for.",
               [workload = run.workload] { return workload; });
  registry.add(
      "simulated_ps", "ps",
      "Simulated time from power-on to the end of the run: the boot of the firmware, the workload and the reads of "
      "--verify-all.",
      [] { return tlm_if::now(); });
}

void register_cores(results::Registry& registry, const SsdTop& ssd) {
  registry.add("utilisation.cores", "shares",
               "By core, in order: time in which it was awake, waits for the bus included.", [&ssd] {
                 std::vector<double> shares;
                 for (const auto& core : ssd.cores) shares.push_back(tlm_if::share_of_run(core->statistics().busy));
                 return shares;
               });
  for (const auto& core : ssd.cores) core->register_statistics(registry);
}

/// What the firmware counted in wl_firmware_statistics.
void register_firmware(results::Registry& registry, const SsdTop& ssd) {
  registry
      .add("flash.waf", "ratio",
           "Write amplification, as the firmware counted it: logical pages programmed (host data, copies of GC, "
           "padding) over logical pages taken from the host. Data in the write buffer at the end are in the second "
           "number only.",
           [&ssd]() -> results::Value {
             const struct wl_firmware_statistics firmware = ssd.firmware_statistics();
             if (firmware.host_sectors_written == 0) return {};
             return static_cast<double>(firmware.sectors_programmed) /
                    static_cast<double>(firmware.host_sectors_written);
           })
      .after("flash.sectors_programmed")
      .null_when("nothing written")
      .in_summary(1, "write amplification");
}

/// The engines that the drive has.
void register_engines(results::Registry& registry, const SsdTop& ssd) {
  const auto add = [&](const engines::EngineRow& row, const engines::Pipeline& engine) {
    if (!engine.on()) return;
    const std::string name(row.name);
    registry.add({"engines.NAME.operations", {name}}, "operations", "Operations that the engine has begun.",
                 [&engine] { return engine.operations(); });
    registry.add(
        {"engines.NAME.busy", {name}}, "share",
        "Share of the simulated time in which the engine could take no other operation, because of its interval.",
        [&engine] { return tlm_if::share_of_run(engine.busy()); });
  };
  for (const engines::EngineRow& row : engines::kEngines) {
    if (row.home == engines::Home::kNvmeController) add(row, ssd.host->drive().parser());
    if (row.home == engines::Home::kEngineBlock && ssd.engines != nullptr) add(row, ssd.engines->pipeline(row.id));
  }
}

/// The sum of the consumers, which are those that the summary shows: rounded as they are, so that the file adds up.
void register_energy_total(results::Registry& registry) {
  registry
      .add("energy_pj.total", "pJ", "Sum of the consumers above.",
           [&registry] {
             std::int64_t total = 0;
             for (const results::Statistic* consumer : registry.in_section("energy_pj")) {
               if (consumer->summary_line() == 0) continue;
               total += std::llround(std::get<Picojoules>(consumer->read()).count());
             }
             return Picojoules(static_cast<double>(total));
           })
      .after("energy_pj.nand_bus");
}

}  // namespace

std::uint64_t queue_depth_of(const workload::Source& source) {
  std::uint64_t depth = 0;
  if (source.open_loop()) return depth;
  for (unsigned job = 0; job < source.jobs(); ++job) depth += source.depth(job);
  return depth;
}

void register_statistics(results::Registry& registry, const SsdTop& ssd, const results::Collector& collector,
                         const workload::Source& source, const RunDescription& run) {
  register_run(registry, run);
  collector.register_statistics(registry, stage_names());
  ssd.link.register_statistics(registry);
  register_cores(registry, ssd);
  ssd.dram.register_statistics(registry);
  ssd.flash.register_statistics(registry);
  register_firmware(registry, ssd);
  results::register_bottleneck(registry, queue_depth_of(source));
  register_energy_total(registry);
  register_engines(registry, ssd);
  ssd.oracle.register_statistics(registry);
}

}  // namespace wordline::platform
