// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/over_time.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace wordline::platform {

OverTime::OverTime(const device::Drive& drive, results::Resources& resources) : resources_(resources) {
  numbers_[kWritten] = resources.count([&drive] { return drive.host->mover.data_counters().lbas_written * kLbaBytes; });
  numbers_[kProgrammed] = resources.count([&drive, size = drive.lpage_size()] {
    const auto counters = drive.firmware_statistics();
    return size.first_lba(counters.lpages_programmed + counters.failed_lpages + counters.programs.repeated_lpages) *
           kLbaBytes;
  });
  numbers_[kCopied] = resources.count([&drive] { return std::uint64_t{drive.firmware_statistics().gc_lpages_copied}; });
  numbers_[kSuperblocks] =
      resources.count([&drive] { return std::uint64_t{drive.firmware_statistics().gc_superblocks}; });
  std::vector<const nand::Die::Counters*> dies;
  for (unsigned die = 0; die < drive.flash.dies(); ++die) dies.push_back(&drive.flash.die(DieId(die)).counters());
  numbers_[kErases] = resources.count([dies = std::move(dies)] {
    std::uint64_t erases = 0;
    for (const nand::Die::Counters* die : dies) erases += die->erases;
    return erases;
  });
}

void OverTime::register_statistics(results::Registry& registry) const {
  registry.add("over_time.end_ps", "ps",
               "Where each window of the lists below ends, from the begin of the measurement. At most 64 windows of "
               "one length, but for the first and the last: they grow with the run.",
               [this] { return resources_.window_ends(); });
  const auto add = [&](const char* path, const char* unit, const char* text, Counter counter) {
    registry.add(path, unit, text, [this, counter] { return resources_.counted(numbers_[counter]); });
  };
  add("over_time.bytes_written", "bytes", "Data that the drive has taken from its host in each window.", kWritten);
  add("over_time.bytes_programmed", "bytes",
      "Data of the programs that ended in each window, as in `flash.waf`: of the host, of GC, padding.", kProgrammed);
  registry.add(
      "over_time.waf", "ratio",
      "The one over the other, the write amplification of each window; 0: the host wrote nothing. Data come to "
      "flash later than to the drive, so a short window may have more or less than the drive's.",
      [this] {
        const auto written = resources_.counted(numbers_[kWritten]);
        const auto programmed = resources_.counted(numbers_[kProgrammed]);
        std::vector<double> waf;
        for (std::size_t i = 0; i < written.size(); ++i) {
          waf.push_back(written[i] == 0 ? 0.0 : static_cast<double>(programmed[i]) / static_cast<double>(written[i]));
        }
        return waf;
      });
  add("over_time.gc_copied", "logical pages", "Copied by GC in each window.", kCopied);
  add("over_time.gc_superblocks", "superblocks", "Taken up by GC in each window.", kSuperblocks);
  add("over_time.erases", "operations", "Block erases that ended in each window.", kErases);
  for (const std::string& key : resources_.keys()) {
    registry.add({"over_time.busy.NAME", {key}}, "shares",
                 "Busy share in each window, the mean of the members: NAME is a member of `utilisation`, or a buffer "
                 "and other pools of `bottleneck`, of which it is the share of time in which something waited.",
                 [this, key] { return resources_.busy(key); });
  }
}

}  // namespace wordline::platform
