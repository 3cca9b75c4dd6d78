// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/run_report.h"

#include <fmt/core.h>

#include <cmath>
#include <string>

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
               "SHA-256 of all effective keys: the same for the same values, wherever they come from.",
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
using FirmwareCounters = struct wl_firmware_statistics;

/// Bytes that `sectors` of the counters say, over those that the host has written.
results::Value per_host_byte(const FirmwareCounters& counters, double sectors) {
  const std::uint64_t blocks = wl_host_blocks(&counters);
  if (blocks == 0) return {};
  return sectors * 8 / static_cast<double>(blocks);
}

struct WafPart {
  const char* path;
  const char* what;
  double (*sectors)(const FirmwareCounters&);
};
constexpr WafPart kWafParts[] = {
    {"flash.waf_parts.host", "what the host wrote; less than 1 by what is still buffered, and what was overwritten in the buffer",
     [](const FirmwareCounters& c) {
       return static_cast<double>(c.data_sectors) - static_cast<double>(c.merged_blocks) / 8;
     }},
    {"flash.waf_parts.merge", "what completes sectors that the host wrote in part: read from flash or the buffer, or zeros",
     [](const FirmwareCounters& c) { return static_cast<double>(c.merged_blocks) / 8; }},
    {"flash.waf_parts.gc", "copies of GC", [](const FirmwareCounters& c) { return static_cast<double>(c.gc_sectors_copied); }},
    {"flash.waf_parts.padding", "padding of programs that were not waited for",
     [](const FirmwareCounters& c) { return static_cast<double>(c.pad_sectors); }},
    {"flash.waf_parts.failed", "programs that failed", [](const FirmwareCounters& c) { return static_cast<double>(c.failed_sectors); }},
};

void register_firmware(results::Registry& registry, const SsdTop& ssd) {
  registry
      .add("flash.waf", "ratio",
           "Write amplification: bytes of the programs that have ended (logical pages of 4 KiB) over bytes that the "
           "host has written. The sum of flash.waf_parts; data in the write buffer at the end are not in it, see "
           "flash.buffered_sectors.",
           [&ssd] {
             const FirmwareCounters counters = ssd.firmware_statistics();
             return per_host_byte(counters,
                                  static_cast<double>(counters.sectors_programmed + counters.failed_sectors));
           })
      .after("flash.sectors_programmed")
      .null_when("nothing written")
      .in_summary(1, "write amplification");
  std::string last = "flash.waf";
  for (const WafPart& part : kWafParts) {
    registry
        .add(part.path, "ratio", fmt::format("Part of flash.waf: {}.", part.what),
             [&ssd, sectors = part.sectors] {
               const FirmwareCounters counters = ssd.firmware_statistics();
               return per_host_byte(counters, sectors(counters));
             })
        .after(last)
        .null_when("nothing written");
    last = part.path;
  }
  registry
      .add("flash.buffered_sectors", "logical pages", "In the write buffer at the end: accepted, and not on flash.",
           [&ssd] {
             const FirmwareCounters counters = ssd.firmware_statistics();
             return wl_buffered_sectors(&counters);
           })
      .after(last);
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
