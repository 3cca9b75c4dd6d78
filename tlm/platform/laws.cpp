// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "models/firmware/contract/closing.h"
#include "models/firmware/contract/contract.h"
#include "models/firmware/firmware.h"
#include "tlm/device/flash/bus/onfi_bus.h"
#include "tlm/platform/flash_laws.h"

namespace wordline::platform {
namespace {

using results::Law;

wl_boot_info boot_of(const device::Drive& drive) {
  wl_boot_info boot;
  std::memcpy(&boot, drive.tcm.data(), sizeof(boot));
  return boot;
}

/// The DMA engine against the host: what commands moved that failed counts on one side alone, and a read that the
/// firmware takes over from the engines may send some of it twice.
void bytes_of_host(const device::Drive& drive, const host::Testbed& testbed, std::vector<Law>& laws) {
  const auto& host = testbed.driver.counters();
  const auto& moved = drive.host->mover.data_counters();
  const std::string from = "the blocks of its commands that succeeded";
  const std::uint64_t twice = drive.engines == nullptr ? 0 : drive.engines->reads().returned() * host.longest;
  const auto add = [&](const char* what, std::uint64_t counted, std::uint64_t least, std::uint64_t most) {
    laws.push_back({what, counted, from, least, host.io_errors == 0 ? most : UINT64_MAX, "blocks of 512 bytes"});
  };
  add("what the DMA engine has sent to the host", moved.lbas_read, host.lbas_read, host.lbas_read + twice);
  add("what the DMA engine has taken from the host", moved.lbas_written, host.lbas_written, host.lbas_written);
}

struct Bounds {
  std::uint64_t least = 0, most = 0;
};

/// Logical pages in programs of what ftl.recovery keeps: the padding of a mount, closing records, checkpoints. The
/// firmware counts what of them has content, and sends whole units.
Bounds kept_by_recovery(const struct wl_firmware_statistics& firmware, const wl_boot_info& boot) {
  const std::uint64_t unit = std::uint64_t{boot.planes} * boot.lpages_per_page * boot.pages_per_program;
  const std::uint32_t units = boot.dies * (boot.pages / boot.pages_per_program);  // of a superblock
  const auto in_units = [unit](std::uint64_t lpages) { return (lpages + unit - 1) / unit; };
  const std::uint64_t record = wl_closing_lpages(&boot, static_cast<std::uint32_t>(units * unit));
  const std::uint64_t whole = wl_closing_units(&boot, units, static_cast<std::uint32_t>(unit));
  const std::uint64_t closed = firmware.recovery.closing_lpages;
  Bounds sum;
  sum.most = closed / record * whole + in_units(closed % record);
  sum.least = sum.most - (closed < record ? 0 : whole - in_units(record));  // the end of the last one is padding
  // The root and the map, at least. The end completes a word line, and the mark comes when the drive goes on.
  const std::uint64_t written = firmware.recovery.checkpoint_lpages;
  const std::uint64_t lpage_bytes = std::uint64_t{512} << boot.ftl.lpage_shift;
  const std::uint64_t smallest = 2 + std::uint64_t{boot.user_lpages} * sizeof(std::uint32_t) / lpage_bytes;
  const std::uint64_t shared = std::max<std::uint64_t>(1, boot.ftl.word_line_programs);
  sum.least += written / unit;
  sum.most += in_units(written) + (written + smallest - 1) / smallest * (shared + 2);
  const std::uint64_t padded = firmware.recovery.padded_units;
  return {(sum.least + (boot.ftl.small.blocks == 0 ? padded : 0)) * unit, (sum.most + padded) * unit};
}

/// The firmware against the DMA engine, and the dies against the firmware. What is on its way when the host is done
/// counts on one side alone: two programs of each die at most.
void bytes_of_flash(const device::Drive& drive, const host::Testbed& testbed, std::vector<Law>& laws) {
  const struct wl_firmware_statistics firmware = drive.firmware_statistics();
  const wl_boot_info boot = boot_of(drive);
  const std::uint64_t accepted = wl_host_blocks(&firmware, drive.lpage_size().shift());
  const std::uint64_t moved = drive.host->mover.data_counters().lbas_written;
  const auto& host = testbed.driver.counters();
  const std::uint64_t last = std::uint64_t{host.most_in_flight} * host.longest;  // of which it has not heard yet
  // A core may stand between the two counts of a logical page that is written in part: all of it, and what is not.
  const std::uint64_t edges = std::uint64_t{host.most_in_flight} * 2 * (drive.lpage_size().lbas() - 1);
  if (host.io_errors == 0)
    laws.push_back({"what the firmware has written into its buffer", accepted,
                    "what the DMA engine has taken, but for commands that ended last", moved - std::min(moved, last),
                    moved + edges, "blocks of 512 bytes"});
  std::uint64_t programmed = 0;
  for (unsigned die = 0; die < drive.flash.dies(); ++die)
    programmed += drive.flash.die(DieId(static_cast<std::uint16_t>(die))).counters().lpages_programmed;
  const std::uint64_t unit = std::uint64_t{boot.planes} * boot.lpages_per_page * boot.pages_per_program;
  const std::uint64_t accepted_programs = firmware.lpages_programmed + firmware.programs.repeated_lpages;
  const std::uint64_t under_way = 2 * boot.dies * unit;
  Bounds kept;
  std::uint64_t waiting = 0;  // for the rest of their word line: one of each write point
  if (boot.ftl.recovery != 0) {
    const wl_declared declared = wl_policy_declares(boot.ftl.policy);
    const std::uint64_t points = declared.host_streams + declared.move_streams + 2 * boot.ftl.placement.handles;
    if (boot.ftl.word_line_programs > 1) waiting = points * boot.ftl.word_line_programs * unit;
    kept = kept_by_recovery(firmware, boot);
    const bool failed =
        firmware.failed_lpages + firmware.blocks.failed_blocks + firmware.blocks.retired_superblocks != 0;
    const std::uint64_t sent = under_way + boot.gc_slots;  // not ended yet
    kept.least = failed ? 0 : kept.least - std::min(kept.least, sent);
  }
  laws.push_back({"what dies have programmed", programmed, "the programs of the firmware, and those on their way",
                  accepted_programs + kept.least,
                  accepted_programs + kept.most + firmware.failed_lpages + under_way + waiting, "logical pages"});
  std::uint64_t carried = 0;
  for (unsigned channel = 0; channel < drive.flash.channels(); ++channel)
    carried += drive.flash.bus(channel).carried(onfi::SegmentKind::kDataIn).bytes;
  const std::uint64_t lpage = drive.flash.bus(0).codec().lpage_bytes();
  const bool in_the_die = boot.ftl.modify_in_die != 0;
  laws.push_back({"what buses have brought to the dies", carried, "what the dies have programmed",
                  in_the_die ? 0 : programmed * lpage,
                  (programmed + firmware.failed_lpages + firmware.programs.repeated_lpages + under_way) * lpage,
                  "bytes"});
}

/// Little's law: the driver's requests in flight over time against the latencies that the statistics have recorded.
void in_flight(const host::Testbed& testbed, std::vector<Law>& laws) {
  const host::HostDriver& driver = testbed.driver;
  for (std::size_t op = 0; op < results::kOpCount; ++op) {
    const auto which = static_cast<results::Op>(op);
    const std::uint64_t ended = driver.counters().ended[op];
    if (ended == 0) continue;
    const results::Histogram& latencies = driver.request_statistics().latency(which);
    const std::uint64_t sum = results::saturated(latencies.sum());
    laws.push_back({fmt::format("{} requests in flight, over time,", workload::op_name(which)),
                    driver.counters().time_in_flight[op], fmt::format("the latencies of {}", latencies.count()), sum,
                    latencies.count() == ended ? sum : UINT64_MAX, "ps"});
  }
}

/// Each transfer is rounded up to a picosecond.
Law utilisation(const std::string& what, const tlm_if::BusyCounter& busy, std::uint64_t bytes,
                BytesPerSecond bandwidth) {
  const auto time = static_cast<std::uint64_t>(transfer_time(bytes, bandwidth).count());
  return {"the time in which " + what + " was busy",
          static_cast<std::uint64_t>(busy.busy.count()),
          fmt::format("its {} bytes in {} transfers", bytes, busy.uses),
          time,
          time + busy.uses,
          "ps"};
}

void utilisations(const device::Drive& drive, std::vector<Law>& laws) {
  laws.push_back(utilisation("the DRAM port", drive.dram.busy(), drive.dram.bytes(), drive.dram.bandwidth()));
  for (const host::Direction direction : {host::Direction::kDownstream, host::Direction::kUpstream}) {
    const std::string what = direction == host::Direction::kUpstream ? "the link to the host" : "the link to the drive";
    laws.push_back(utilisation(what, drive.link.busy(direction), drive.link.bytes(direction), drive.link.bandwidth()));
  }
}

/// Tasks and their costs against the time awake. Natively costs are no whole cycles: their sum is, by task, and each
/// stretch is a whole picosecond.
void cycles(const device::Drive& drive, std::vector<Law>& laws) {
  for (std::size_t i = 0; i < drive.cores.size(); ++i) {
    const cpu::CoreStatistics core = drive.cores[i]->statistics();
    const std::uint64_t cycles = std::accumulate(core.cycles.begin(), core.cycles.end(), std::uint64_t{0});
    const std::uint64_t entries = std::accumulate(core.entries.begin(), core.entries.end(), std::uint64_t{0});
    const auto time = static_cast<std::uint64_t>(cycles_time(cycles, core.clock).count());
    const bool native = core.instructions == 0;
    const auto half = static_cast<std::uint64_t>(cycles_time(1, core.clock).count() + 1) / 2;
    const std::uint64_t rounded = native ? entries + half * core.cycles.size() : 1;
    laws.push_back({fmt::format("the time in which core {} was awake", i),
                    static_cast<std::uint64_t>(core.busy.count()), fmt::format("its {} cycles, by task", cycles),
                    time - std::min(time, rounded), time + rounded, "ps"});
  }
}

}  // namespace

std::vector<Law> laws_of(const device::Drive& drive, const host::Testbed& testbed, const config::Config& config) {
  std::vector<Law> laws;
  bytes_of_host(drive, testbed, laws);
  bytes_of_flash(drive, testbed, laws);
  utilisations(drive, laws);
  cycles(drive, laws);
  in_flight(testbed, laws);
  add_flash_laws(drive.flash, config, laws);
  return laws;
}

}  // namespace wordline::platform
