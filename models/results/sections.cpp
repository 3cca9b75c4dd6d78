// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/registry.h"

namespace wordline::results {

const std::vector<Section>& sections() {
  static const std::vector<Section> kSections{
      {"wordline", "", "What was run."},
      {"status", "", "How the run ended."},
      {"status_reason", "", "Why it ended so."},
      {"simulated_ps", "", "The length of the run."},
      {"window", "",
       "What was measured: from the first request, or the end of the ramp time, to the last completion of the "
       "workload. Boot, ramp time and the reads of `--verify-all` are outside."},
      {"drive", "",
       "What a drive did for a host that is not its own (DriveEndpoint, docs/install.md), from power-on on."},
      {"ios", "",
       "Requests of the workload by operation (OP: read, write, trim, flush), as the host sees them. A request that "
       "the host driver splits into several commands counts once. The reads of `--verify-all` are left out."},
      {"steady", "",
       "Whether a longer run would have the same numbers, and since when this one has them (docs/steady.md)."},
      {"errors", "",
       "Requests that the drive ended with an error of its flash, by operation (OP as in `ios`; `verify`: reads of "
       "`--verify-all`). A request counts once, with the first of its commands that failed. What "
       "reads and writes usually meet is always there, the rest only when it occurred."},
      {"jobs", "",
       "The same by job of the workload, in the order of the job file; `numjobs` clones are rows of their own. A trace "
       "is one job."},
      {"queues", "",
       "Commands by queue pair of the host, in the measurement. Present only with more than one (`host.cores`, "
       "docs/host_queues.md). The reads of `--verify-all` are left out."},
      {"placement", "",
       "What became of the data of each placement handle, from power-on to the end of the run; the last row are "
       "superblocks in which GC puts data of any handle. Present only with `ftl.fdp.handles` (docs/fdp.md)."},
      {"series", "",
       "Requests over time, by operation (OP as in `ios`): the same windows for all lists. What the drive itself did "
       "over time is in `over_time`."},
      {"over_time", "",
       "What the drive did over time: lists by window of the measurement. Requests over time are in `series`, in "
       "windows of their own."},
      {"flash", "Flash", "What the flash did, from power-on to the end of the run, sums over all channels and dies."},
      {"ecc", "", "What the decoders did, from power-on to the end of the run, sums over all channels."},
      {"utilisation", "",
       "Busy shares, from 0 to 1, of the measurement (`window`). Link, DRAM and decoders may include a little that was "
       "reserved ahead, beyond its end; no share exceeds 1."},
      {"gc", "", "What GC (garbage collection) did, from power-on to the end of the run unless said otherwise."},
      {"blocks", "",
       "Bad blocks, the spares that take their place (ftl.spare_blocks), and wear, from power-on to the end of the "
       "run."},
      {"pages", "",
       "Pages of one plane, and what writes of a part of one cost (docs/map_units.md), from power-on to the end of the "
       "run."},
      {"programs", "",
       "Programs by word line and by parameters, where the policy chooses them (ftl.policy), from power-on to the end "
       "of the run."},
      {"small_pages", "",
       "Where a die has two page sizes (`nand.region`), the smaller one. From power-on to the end of the run."},
      {"steps", "",
       "How data were programmed (STEP: `default` = by the device's own ISPP step, `coarse`, `fine`), and how well "
       "classes of pages said what would be done with them, from power-on to the end of the run. Present only with "
       "`ftl.policy` = agcr, what is combined with it, or agcr_li (docs/agcr.md)."},
      {"upkeep", "Upkeep",
       "Superblocks that were emptied for another reason than GC's, and the patrol (docs/wear.md), from power-on to "
       "the "
       "end of the run. Present only for what was done."},
      {"slc_cache", "SLC cache",
       "The host's data in superblocks with one bit a cell (docs/slc_cache.md), from power-on to the end of the run. "
       "Present only with `ftl.slc_cache` = static or dynamic, for what was done."},
      {"map", "Cached map",
       "The map on flash and its cache in DRAM (docs/map_cache.md), from power-on to the end of the run. Present only "
       "with "
       "`ftl.map_cache`, for what was done."},
      {"parity", "Parity",
       "Parity over dies, and what was rebuilt with it (docs/parity.md), from power-on to the end of the run. Present "
       "only with `ftl.parity` = dies, for what was done."},
      {"recovery", "",
       "With `ftl.recovery = scan` (docs/power_loss.md): the mount, and what deallocation has put on flash, from "
       "power-on "
       "to the end of the run."},
      {"buffer", "", "What was short: how much of the measurement requests waited for it."},
      {"bottleneck", "", "What limits the throughput, found from `utilisation`, `buffer` and `stages`."},
      {"what_if", "",
       "This run again with each resource improved, a row each, the greatest gain first. Present only with --what-if."},
      {"stages", "",
       "Where the time of a request goes (OP as in `ios`). A stage begins where the one before it ended, so that the "
       "stages of a request sum to its latency exactly. docs/latency.md goes through the stages of one read."},
      {"waits", "",
       "What requests waited behind (OP as in `ios`): CAUSE is `reads`, `gc_reads`, `program`, `gc_program` or `erase` "
       "of the die, the bus of its `channel`, `read_buffer`, `write_buffer`, `free_space` or `flash_jobs` that the "
       "firmware had none of, the `order` of writes of the same logical pages, a `core`, the `decoder`, the `dram` "
       "port, or the `transfer` to or from the host (docs/latency.md)."},
      {"slowest", "",
       "The 16 requests with the greatest latencies, the slowest first: what they were, when, and where their time "
       "went."},
      {"slowest_of", "", "The 8 slowest of each operation that there was (OP as in `ios`), as in `slowest`."},
      {"energy_pj", "Energy", "Energy of the flash in whole picojoules. Controller, DRAM and link are not in it."},
      {"firmware_cycles", "Cycles",
       "Busy cycles of the firmware, boot included, sums over all cores. TAG is the piece of work, a cost tag "
       "(`WL_COST_...`) of models/firmware/contract. Present only for tags that used cycles."},
      {"firmware_instructions", "", "What the cores executed."},
      {"apb", "",
       "A block of your own that firmware reaches as registers (docs/own_rtl.md), from power-on to the end of the run. "
       "Present only with `cpu.apb.block`."},
      {"engines", "Engine",
       "The hardware engines that the configuration switches on (NAME: `parse`, `l2p` and the others of "
       "docs/partitioning.md). Present only when there is one."},
      {"check", "", "The check of the data that the host read: the driver keeps what each block may hold."},
      {"provenance", "",
       "Where the file is from. Nothing else in it depends on the revision's name or on how the command was written: "
       "leave this object out to compare two results."},
  };
  return kSections;
}

}  // namespace wordline::results
