// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/die/array_statistics.h"

namespace wordline::flash {

void register_array_statistics(const nand::Die::Counters& counters, results::Registry& registry) {
  registry
      .add_to_sum("flash.programs", "operations",
                  "Program operations that ended, failed ones included: one for all pages and planes of a program "
                  "unit. Host data, copies of GC and padding alike; operations cut short are left out.",
                  [&counters] { return counters.programs; })
      .in_summary(1, "programs");
  registry
      .add_to_sum("flash.reads", "operations",
                  "Array reads that ended, by whatever caused them (host, GC, read retry, soft reads); the planes of a "
                  "multi-plane read count once.",
                  [&counters] { return counters.page_reads; })
      .in_summary(1, "reads");
  registry
      .add_to_sum("flash.erases", "operations",
                  "Block erases that ended, failed ones included; the planes of a multi-plane erase count once.",
                  [&counters] { return counters.erases; })
      .in_summary(1, "erases");
  registry.add_to_sum(
      "flash.sectors_programmed", "logical pages",
      "Logical pages that the dies programmed: host data, copies of GC and padding. Planes in which the "
      "program failed are left out.",
      [&counters] { return counters.lpages_programmed; });
  registry
      .add_to_sum("flash.failures", "operations", "Programs and erases that a die ended with FAIL.",
                  [&counters] { return counters.failures; })
      .in_summary_if_nonzero(3, "programs and erases failed");
  registry
      .add_to_sum("energy_pj.nand_array", "pJ",
                  "Operations of the arrays, the part done of interrupted ones included: Vcc x Icc x time of each "
                  "micro-operation, above standby, for each plane (nand.energy.further_planes).",
                  [&counters] { return counters.energy; })
      .in_summary(1, "nand_array");
  const auto add_energy = [&](const char* operation, const Picojoules& energy) {
    registry.add_to_sum({"energy_pj.nand_array_by_operation.OPERATION", {operation}}, "pJ",
                        "The part of nand_array that reads, programs and erases took.", [&energy] { return energy; });
  };
  add_energy("read", counters.read_energy);
  add_energy("program", counters.program_energy);
  add_energy("erase", counters.erase_energy);
}

}  // namespace wordline::flash
