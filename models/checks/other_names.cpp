// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/other_names.h"

#include <algorithm>
#include <cctype>

namespace wordline::config {

const std::vector<OtherName>& other_names() {
  static const std::vector<OtherName> kNames{
      {{"raid", "rain", "raid 5", "raid-5", "xor", "xor parity", "die redundancy"},
       "Parity over dies: ftl.parity (docs/parity.md)."},
      {{"wear leveling", "wear-leveling", "wear levelling", "wear-levelling", "static wear leveling"},
       "ftl.wear_levelling and ftl.wear_levelling_gap (docs/wear.md)."},
      {{"scrub", "scrubbing", "media scan", "background scan", "patrol read", "data refresh", "data retention refresh"},
       "ftl.patrol reads, ftl.refresh_after and ftl.read_reclaim move what has aged (docs/wear.md)."},
      {{"read disturb", "disturb", "rowhammer"},
       "Of NAND: ftl.read_reclaim counts reads of a block, nand.faults.program_disturb is that of programs. DRAM has "
       "no "
       "errors."},
      {{"plp", "power loss", "power-loss", "power loss protection", "supercap", "capacitors", "power fail"},
       "ftl.power_safe, power.hold_up and ftl.recovery (docs/power_loss.md)."},
      {{"trim", "discard", "unmap", "deallocate", "dsm"},
       "An operation of the workload: rw=trim of a fio job, and traces that have it (docs/workloads.md)."},
      {{"queue depth", "qd", "iodepth", "outstanding"},
       "Of the workload: iodepth of a fio job, --queue-depth of a trace (docs/workloads.md); host.queue_entries bounds "
       "it."},
      {{"two-pass", "two pass", "two passes", "two-pass programming", "foggy-fine", "foggy fine", "multi-pass"},
       "The die can, by SET FEATURES (docs/nand.md); no FTL policy asks for it, each programs in one pass."},
      {{"op", "overprovisioning", "over-provisioning", "over provisioning", "spare area", "spare capacity"},
       "ftl.over_provisioning."},
      {{"dwpd", "tbw", "endurance", "lifetime", "worn", "end of life", "old", "aged", "used drive"},
       "nand.aging.pe_cycles and nand.aging.retention_days make old NAND, precondition.wear wear that differs by "
       "block, "
       "nand.faults.rated_cycles what fails (docs/wear.md)."},
      {{"write cache", "write buffer", "write-back cache", "volatile write cache", "vwc"},
       "ftl.write_buffer, ftl.write_back and ftl.power_safe (docs/power_loss.md)."},
      {{"mapping table", "l2p", "mapping granularity", "indirection unit", "iu"},
       "ftl.map and ftl.map_unit (docs/map_units.md)."},
      {{"map cache", "mapping cache", "cached mapping table", "cmt", "dftl", "demand paging", "dramless", "dram-less"},
       "ftl.map_cache: a map on flash, with a cache of it in DRAM (docs/map_cache.md)."},
      {{"hmb", "host memory buffer", "hmpre"},
       "nvme.hmb is what the drive asks for, host.hmb what it gets at most: copies of map pages (docs/map_cache.md)."},
      {{"qos", "rate limit", "throttle", "throttling of writes", "write throttling"},
       "ftl.gc_pacing and ftl.pace.gain hold writes back, host.weights divides the drive among queues."},
  };
  return kNames;
}

std::string called_here(const std::string& words) {
  std::string wanted = words;
  for (char& c : wanted) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const OtherName& name : other_names()) {
    const auto same = [&](const char* word) { return wanted == word; };
    if (std::any_of(name.searched.begin(), name.searched.end(), same)) return name.here;
  }
  return {};
}

}  // namespace wordline::config
