// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/run_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "models/engines/table/engine_table.h"
#include "tlm/observe/stage_clock.h"
#include "tlm/platform/block_report.h"
#include "tlm/platform/counter_report.h"
#include "tlm/platform/page_report.h"
#include "tlm/platform/placement_report.h"
#include "tlm/platform/revision.h"

namespace wordline::platform {
namespace {

/// The group of resources that a request waits for in a stage; empty: none, it is being served.
std::string waits_for(tlm_if::Stage stage, const std::vector<results::GroupShares>& shares) {
  const auto busiest = [&](std::initializer_list<const char*> keys) {
    std::string best = *keys.begin();
    double most = -1;
    for (const results::GroupShares& group : shares) {
      const bool among = std::any_of(keys.begin(), keys.end(), [&](const char* key) { return group.key == key; });
      if (!among || group.greatest() <= most) continue;
      most = group.greatest();
      best = group.key;
    }
    return best;
  };
  switch (stage) {
    case tlm_if::Stage::kQueueCore:
    case tlm_if::Stage::kQueueResume:
      return "cores";
    case tlm_if::Stage::kQueueBuffer:
      return busiest({"write_buffer", "read_buffer", "free_space", "flash_jobs"});
    case tlm_if::Stage::kQueueOrder:
      return "same_sector";
    case tlm_if::Stage::kQueueMap:
      return "map_cache";
    case tlm_if::Stage::kQueueFlash:
      return busiest({"dies", "channels", "retry"});
    case tlm_if::Stage::kQueueBus:
      return "channels";
    case tlm_if::Stage::kQueueEcc:
      return "decoders";
    case tlm_if::Stage::kQueueStore:
      return "dram";
    case tlm_if::Stage::kQueueDma:
      return busiest({"dma", "link", "dram"});
    default:
      return "";
  }
}

/// What a shorter stage is a matter of.
std::string served_by(tlm_if::Stage stage) {
  switch (stage) {
    case tlm_if::Stage::kSubmit:
    case tlm_if::Stage::kFetch:
    case tlm_if::Stage::kComplete:
      return "link_latency";
    case tlm_if::Stage::kFirmware:
    case tlm_if::Stage::kFirmwareDone:
      return "cores";
    case tlm_if::Stage::kEngine:
    case tlm_if::Stage::kEngineDone:
      return "engines";
    case tlm_if::Stage::kBusCommand:
    case tlm_if::Stage::kBusData:
      return "channels";
    case tlm_if::Stage::kArray:
      return "t_r";
    case tlm_if::Stage::kEcc:
      return "decoders";
    case tlm_if::Stage::kRetry:
      return "retry";
    case tlm_if::Stage::kDmaSetup:
      return "dma";
    case tlm_if::Stage::kDma:
      return "link";
    case tlm_if::Stage::kSettle:
      return "write_latency";
    case tlm_if::Stage::kProgram:
      return "t_prog";
    default:
      return "";
  }
}

/// What the firmware counted in wl_firmware_statistics.
using FirmwareCounters = struct wl_firmware_statistics;

/// `blocks` of 512 bytes over the bytes that the host has written. The firmware's own count of these comes a little
/// after the completions of a run's last commands.
results::Value per_host_byte(std::uint64_t bytes_written, std::uint64_t blocks) {
  if (bytes_written == 0) return {};
  return static_cast<double>(blocks * kLbaBytes) / static_cast<double>(bytes_written);
}

struct WafPart {
  const char* path;
  const char* what;
  std::uint64_t (*lpages)(const FirmwareCounters&);
  std::int64_t merged =
      0;  // merged with the blocks that are not the host's in logical pages that it wrote: 1, or -1 without
};
constexpr WafPart kWafParts[] = {
    {"flash.waf_parts.host",
     "what the host wrote; less than 1 by what is still buffered, and what was overwritten in the buffer",
     [](const FirmwareCounters& c) { return c.data_lpages - c.kept_lpages; }, -1},
    {"flash.waf_parts.merge",
     "what completes logical pages, and with `ftl.map` = page pages, that the host wrote in part: read from flash or "
     "the buffer, or zeros",
     [](const FirmwareCounters& c) { return std::uint64_t{c.kept_lpages}; }, 1},
    {"flash.waf_parts.gc", "copies of GC", [](const FirmwareCounters& c) { return std::uint64_t{c.gc_lpages_copied}; }},
    {"flash.waf_parts.padding",
     "padding of programs that were not waited for, and what holds nothing in pages written or moved whole",
     [](const FirmwareCounters& c) { return std::uint64_t{c.pad_lpages}; }},
    {"flash.waf_parts.failed", "programs that failed, or that the policy did not accept",
     [](const FirmwareCounters& c) { return c.failed_lpages + c.programs.repeated_lpages; }},
};

void register_firmware(results::Registry& registry, const device::Drive& drive,
                       const std::function<std::uint64_t()>& bytes_written) {
  const LpageSize size = drive.lpage_size();
  registry
      .add("flash.waf", "ratio",
           "Write amplification: bytes of the programs that have ended over bytes that the host has written, (logical "
           "pages programmed + failed + repeated) x bytes of a logical page / "
           "flash.host_bytes_written. The sum of flash.waf_parts; data in the write buffer at the end are not in it, "
           "see flash.buffered_sectors.",
           [&drive, bytes_written, size] {
             const FirmwareCounters counters = drive.firmware_statistics();
             return per_host_byte(bytes_written(), size.first_lba(counters.lpages_programmed + counters.failed_lpages +
                                                                  counters.programs.repeated_lpages));
           })
      .after("flash.sectors_programmed")
      .null_when("nothing written")
      .in_summary(1, "write amplification");
  std::string last = "flash.waf";
  for (const WafPart& part : kWafParts) {
    registry
        .add(part.path, "ratio", fmt::format("Part of flash.waf: {}.", part.what),
             [&drive, bytes_written, &part, size] {
               const FirmwareCounters counters = drive.firmware_statistics();
               const std::int64_t merged = part.merged * static_cast<std::int64_t>(counters.merged_lbas);
               return per_host_byte(bytes_written(),
                                    size.first_lba(part.lpages(counters)) + static_cast<std::uint64_t>(merged));
             })
        .after(last)
        .null_when("nothing written");
    last = part.path;
  }
  registry
      .add("flash.waf_parts.parity", "ratio", "Part of flash.waf: parity over dies (`ftl.parity` = dies).",
           [&drive, bytes_written, size] {
             const std::uint64_t lpages = drive.parity_statistics().lpages;
             return lpages == 0 ? results::Value(0.0) : per_host_byte(bytes_written(), size.first_lba(lpages));
           })
      .after(last)
      .null_when("nothing written")
      .only_if_nonzero();
  registry
      .add("flash.buffered_sectors", "logical pages", "In the write buffer at the end: accepted, and not on flash.",
           [&drive] {
             const FirmwareCounters counters = drive.firmware_statistics();
             return wl_buffered_lpages(&counters);
           })
      .after(last)
      .in_summary_if_nonzero(1, "pages still in the write buffer");
}

/// `engine` null: for its text alone.
void add_clocks(results::Registry& registry, const std::string& name, const engines::Pipeline* engine) {
  registry.add({"engines.NAME.clocks", {name}}, "clocks", "With engines.model = rtl: clocks of the engine's gates.",
               [engine] { return engine == nullptr ? std::uint64_t{0} : engine->clocks(); });
}

/// The engines that the drive has.
void register_engines(results::Registry& registry, const device::Drive& drive, const DriveMeasurement& measurement) {
  const auto add = [&](std::string_view of, const engines::Pipeline& engine) {
    if (!engine.on()) return;
    const std::string name(of);
    registry.add({"engines.NAME.operations", {name}}, "operations", "Operations that the engine has begun.",
                 [&engine] { return engine.operations(); });
    registry.add({"engines.NAME.busy", {name}}, "share",
                 "Share of the measurement in which the engine could take no other operation, because of its interval.",
                 [&measurement, name] { return measurement.resources().shares_of("engine_" + name).greatest(); });
    if (engine.in_gates()) add_clocks(registry, name, &engine);
  };
  for (const engines::EngineRow& row : engines::kEngines) {
    if (row.home == engines::Home::kNvmeController) add(row.name, drive.host->parser());
    if (row.home == engines::Home::kEngineBlock && drive.engines != nullptr)
      add(row.name, drive.engines->pipeline(row.id));
  }
  add(engines::kCompletionEntries, drive.host->completion_entries());
  for (const engines::OwnEngine* engine : drive.own_engines()) engine->register_statistics(registry);
}

/// What GC did, beside the firmware's own counters.
void register_gc(results::Registry& registry, const device::Drive& drive, const DriveMeasurement& measurement) {
  registry
      .add("gc.copied_per_superblock", "logical pages",
           "Copied pages by superblock taken up, whatever for: what a victim still held.",
           [&drive]() -> results::Value {
             const FirmwareCounters counters = drive.firmware_statistics();
             if (counters.gc_superblocks == 0) return {};
             const auto& upkeep = counters.upkeep;
             const std::uint64_t superblocks = counters.gc_superblocks + upkeep.wear_superblocks +
                                               upkeep.reclaim_superblocks + upkeep.refresh_superblocks;
             return static_cast<double>(counters.gc_lpages_copied) / static_cast<double>(superblocks);
           })
      .after("gc.idle_sectors")
      .null_when("nothing collected");
  registry
      .add("gc.copied_share", "share", "Of the logical pages programmed in the measurement: copies of GC.",
           [&measurement] { return measurement.collected(); })
      .after("gc.copied_per_superblock");
}

/// What requests waited for.
void register_buffers(results::Registry& registry, const DriveMeasurement& measurement) {
  const auto add = [&](const char* path, const char* key, const char* text) {
    registry.add(path, "share", text,
                 [&measurement, key] { return measurement.resources().shares_of(key).greatest(); });
  };
  add("buffer.read_waiting", "read_buffer",
      "Share of the measurement in which the first read in line had no slot of the read buffer (ftl.read_buffer).");
  add("buffer.write_waiting", "write_buffer",
      "Share of the measurement in which the first write in line had no slot of the write buffer (ftl.write_buffer).");
  add("buffer.gc_waiting", "gc_buffer",
      "Share of the measurement in which GC had a victim and no program unit of its buffer (ftl.gc_buffer).");
  add("buffer.space_waiting", "free_space",
      "Share of the measurement in which a full program unit of host data waited for an erased superblock or for GC's "
      "pace, or in which the first write in line did: the greater of the two.");
  add("buffer.job_waiting", "flash_jobs",
      "Share of the measurement in which the first read in line had no flash job id, or in which the first write in "
      "line had none: the greater of the two.");
}

/// The time of a mount, beside the firmware's own counters.
void register_mount(results::Registry& registry, const device::Drive& drive, const host::HostDriver& driver) {
  registry
      .add("recovery.mount_time", "ps",
           "From power-on until the host may send its first command: the mount, and the bring-up by the host.",
           [&drive, &driver] {
             return drive.firmware_statistics().recovery.mount_reads != 0 ? driver.run_start() : Picoseconds(0);
           })
      .only_if_nonzero();
  registry
      .add("recovery.shutdown_time", "ps",
           "With `--shutdown`: from CC.SHN = 01b until the host has read that the shutdown is complete.",
           [&driver] { return std::max(driver.counters().shutdown, Picoseconds(0)); })
      .only_if_nonzero();
}

/// What the workload's reads met.
void register_read_content(results::Registry& registry, const host::HostDriver& driver) {
  registry.add("check.blocks_read", "blocks",
               "Blocks of 512 bytes that reads of the workload returned, ramp time included, those of `--verify-all` "
               "left out.",
               [&driver] { return driver.read_content().nlb; });
  registry.add("check.blocks_without_data", "blocks",
               "Of these: never written, or deallocated. The drive answers with zeros and reads no flash.",
               [&driver] { return driver.read_content().empty; });
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

/// What the parts of a drive count. `bytes_written`: by the host.
void register_parts(results::Registry& registry, const device::Drive& drive, const DriveMeasurement& measurement,
                    const std::function<std::uint64_t()>& bytes_written) {
  measurement.resources().register_statistics(registry);
  measurement.over_time().register_statistics(registry);
  for (const auto& core : drive.cores) core->register_statistics(registry);
  drive.flash.register_statistics(registry);
  if (drive.apb != nullptr) drive.apb->register_statistics(registry);
  register_firmware(registry, drive, bytes_written);
}

/// What the drive did, as sums and shares of that.
void register_work(results::Registry& registry, const device::Drive& drive, const DriveMeasurement& measurement) {
  register_energy_total(registry);
  register_engines(registry, drive, measurement);
  register_buffers(registry, measurement);
  register_counters(registry, drive);
  register_placement(registry, drive);
  register_gc(registry, drive, measurement);
  register_blocks(registry, drive);
  register_pages(registry, drive);
}

}  // namespace

std::vector<results::StageName> stage_names() {
  std::vector<results::StageName> names;
  for (std::size_t i = 0; i < static_cast<std::size_t>(tlm_if::Stage::kCount); ++i) {
    const auto stage = static_cast<tlm_if::Stage>(i);
    names.push_back({std::string(observe::stage_name(stage)), observe::stage_is_wait(stage)});
  }
  return names;
}

std::uint64_t queue_depth_of(const workload::Source& source) {
  std::uint64_t depth = 0;
  if (source.open_loop() || source.from_outside()) return depth;
  for (unsigned job = 0; job < source.jobs(); ++job) depth += source.depth(job);
  return depth;
}

const char* status_name(Ending::Status status) {
  switch (status) {
    case Ending::Status::kCompleted:
      return "completed";
    case Ending::Status::kInterrupted:
      return "interrupted";
    case Ending::Status::kFailed:
      break;
  }
  return "failed";
}

void register_run(results::Registry& registry, const RunDescription& run) {
  registry.add("wordline.version", "name", "Version of the program.", [] { return std::string(WORDLINE_VERSION); });
  registry.add("wordline.seed", "number", "The key run.seed.", [seed = run.seed] { return seed; });
  registry.add(
      "wordline.config_sha256", "hash",
      "SHA-256 of all effective keys but those that change no result (the keys of [observe], cpu.translate): the "
      "same for the same drive, wherever its values come from and whatever is recorded.",
      [hash = run.config_sha256] { return hash; });
  registry.add("wordline.workload", "name", "Workload file and what it asks for.",
               [workload = run.workload] { return workload; });
  registry.add("status", "name",
               "completed: all requests are done; interrupted: the user has ended the run (SIGINT, SIGTERM); failed: "
               "wrong data, a panic of the firmware, an error of the model, or with `host.on_error` = stop a media "
               "error. The other numbers of such a run count until its end.",
               [status = run.ending.status] { return std::string(status_name(status)); });
  registry
      .add("status_reason", "text", "What ended the run, where its status is not completed; null otherwise.",
           [reason = run.ending.reason]() -> results::Value {
             if (reason.empty()) return {};
             return reason;
           })
      .null_when("completed");
  registry.add(
      "simulated_ps", "ps",
      "Simulated time from power-on to the end of the run: the boot of the firmware, the workload and the reads of "
      "--verify-all.",
      [context = run.context] { return context == nullptr ? Picoseconds(0) : context->now(); });
  registry.add("provenance.revision", "name",
               "Revision of the sources that the program was built from, as `git describe --always --dirty` names it; "
               "`unknown` for sources that are neither a clone nor an archive that git made.",
               [] { return std::string(source_revision()); });
  registry.add("provenance.command", "list of words", "The command line as typed, the program first.",
               [command = run.command] { return command; });
}

results::Evidence evidence_of(const MeasuredDrive& measured) {
  constexpr std::size_t kParts = 8;
  results::Evidence evidence;
  const results::RequestStatistics& request_statistics = measured.request_statistics;
  evidence.measured = request_statistics.requests() != 0;
  evidence.shares = measured.measurement.resources().shares();
  evidence.shares_by_part = measured.measurement.resources().shares_by_part(kParts);
  evidence.queue_depth = queue_depth_of(measured.source);
  const bool keeps_depth = !measured.source.open_loop() && !measured.source.from_outside();
  for (unsigned job = 0; job < measured.source.jobs() && keeps_depth; ++job) {
    const results::JobResults::Load load = request_statistics.jobs().load(job);
    evidence.jobs.push_back({load.requests, load.in_flight, measured.source.depth(job)});
  }
  evidence.tags = measured.drive.tags();
  evidence.collected = measured.measurement.of_drive().collected();
  evidence.without_data = measured.testbed.driver.read_content().without_data();
  if (evidence.measured) {
    evidence.reads = static_cast<double>(request_statistics.count(workload::Op::kRead)) /
                     static_cast<double>(request_statistics.requests());
  }
  // Little's law: the time of all requests over the length of the measurement.
  const auto length = static_cast<double>(request_statistics.span().count());
  for (std::size_t i = 0; i < workload::kOpCount && length > 0; ++i) {
    const auto op = static_cast<workload::Op>(i);
    const double time = static_cast<double>(request_statistics.latency(op).mean().count()) *
                        static_cast<double>(request_statistics.count(op));
    (op == workload::Op::kFlush ? evidence.flushing : evidence.in_flight) += time / length;
  }
  const bool for_tags = evidence.tags != 0 && evidence.tags < evidence.queue_depth;
  for (std::size_t i = 0; i < static_cast<std::size_t>(tlm_if::Stage::kCount); ++i) {
    const auto stage = static_cast<tlm_if::Stage>(i);
    results::StageShare share{waits_for(stage, evidence.shares), 0, served_by(stage)};
    // A command that has no tag yet is not fetched.
    if (stage == tlm_if::Stage::kFetch && for_tags) share.wait = "tags";
    for (std::size_t op = 0; op < workload::kOpCount; ++op) {
      share.time += static_cast<double>(request_statistics.stage_total(static_cast<workload::Op>(op), i));
    }
    evidence.stages.push_back(std::move(share));
  }
  return evidence;
}

void register_statistics(results::Registry& registry, const MeasuredDrive& measured, const RunDescription& run) {
  register_run(registry, run);
  std::vector<std::string> jobs;
  for (unsigned job = 0; job < measured.source.jobs(); ++job) jobs.push_back(measured.source.job_name(job));
  measured.request_statistics.register_statistics(registry, stage_names(), jobs);
  measured.testbed.driver.errors().register_statistics(registry);
  measured.testbed.by_queue.register_statistics(registry);
  register_parts(registry, measured.drive, measured.measurement.of_drive(),
                 [&requests = measured.request_statistics] { return requests.bytes_written(); });
  results::register_bottleneck(registry, [measured] { return evidence_of(measured); });
  registry
      .add("bottleneck.next", "name",
           "By the runs of --what-if: the resource apart from it behind the greatest gain, if that is no chance and at "
           "least 1 %.",
           [measured, &run]() -> results::Value {
             std::string next = run.what_if.next(results::find_bottleneck(evidence_of(measured)).resource);
             if (next.empty()) return {};
             return next;
           })
      .null_when("not asked for, or nothing gains");
  register_work(registry, measured.drive, measured.measurement.of_drive());
  measured.testbed.oracle.register_statistics(registry);
  register_read_content(registry, measured.testbed.driver);
  register_mount(registry, measured.drive, measured.testbed.driver);
}

void explain_engine_clocks(results::Registry& registry) { add_clocks(registry, "NAME", nullptr); }

void register_commands(results::Registry& registry, const device::Drive& drive) {
  const auto& data = drive.host->mover.data_counters();
  const auto& commands = drive.host->mover.counters();
  registry.add("drive.commands", "commands", "Commands of the host that the drive has found good.", [&commands] {
    return commands.reads + commands.writes + commands.flushes + commands.write_zeroes + commands.deallocates;
  });
  registry.add("drive.errors", "commands", "Commands that ended with a status other than success.",
               [&commands] { return commands.errors; });
  registry.add("drive.bytes_read", "bytes", "Data that the drive has sent to its host.",
               [&data] { return data.lbas_read * kLbaBytes; });
  registry.add("drive.bytes_written", "bytes", "Data that the drive has taken from its host.",
               [&data] { return data.lbas_written * kLbaBytes; });
}

void register_statistics(results::Registry& registry, const device::Drive& drive, const DriveMeasurement& measurement,
                         const RunDescription& run) {
  register_run(registry, run);
  register_commands(registry, drive);
  const host::DataPath::Counters& data = drive.host->mover.data_counters();
  register_parts(registry, drive, measurement, [&data] { return data.lbas_written * kLbaBytes; });
  register_work(registry, drive, measurement);
}

}  // namespace wordline::platform
