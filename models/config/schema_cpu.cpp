// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of the cores that run the firmware.
#include "models/config/assign.h"
#include "models/config/schema.h"

#define COST(name, cycles, text) \
  { "cpu." #name "_cycles", Kind::kInteger, "cycles", cycles, "1", "1000", text, kInOrder, FIELD(cpu.name##_cycles) }

namespace wordline::config {

void add_cpu_keys(std::vector<Key>& keys) {
  constexpr std::string_view kInOrder = "assumed: a small in-order core of two or three stages";
  const Key table[] = {
      choice("cpu.model", "iss", {"iss", "native"},
             "iss = the firmware's ELF on the RV32IMAC model; native = the same C on the host with calibrated cost per "
             "tag, faster.",
             "", FIELD(cpu.model)),
      {"cpu.cores", Kind::kInteger, "cores", "3", "1", "8", "Cores that run firmware.",
       "SimpleSSD 2.0: a core each for host, cache and FTL layer", FIELD(cpu.cores)},
      {"cpu.clock", Kind::kFrequency, "", "500MHz", "1MHz", "1000GHz",
       "Clock of the cores. Firmware time, and so the IOPS bound of a core, scales with it.",
       "assumed; SimpleSSD 2.0 takes 400 MHz", FIELD(cpu.clock)},
      {"cpu.quantum", Kind::kTime, "", "1us", "0ps", "1ms",
       "How far a core may run ahead of simulated time between accesses to hardware; 0 = synchronise on every access, "
       "the reference.",
       "measured: 1 us keeps 3/4 of the speed of a free-running core", FIELD(cpu.quantum)},
      {"cpu.task_core",
       Kind::kInteger,
       "",
       "[0, 1, 2]",
       "0",
       "7",
       "Core of the host, the ftl and the flash task. Tasks on one core wait for each other.",
       "one core each",
       FIELD(cpu.task_core),
       {},
       3,
       3},
      {"cpu.load_tcm_cycles", Kind::kInteger, "cycles", "1", "1", "1000", "A load from tightly coupled memory.",
       "one cycle by definition", FIELD(cpu.load_tcm_cycles)},
      {"cpu.load_dram_cycles", Kind::kInteger, "cycles", "40", "1", "10000",
       "A load from DRAM: the core stalls. A map lookup pays it.", "assumed: 80 ns at 500 MHz, uncached",
       FIELD(cpu.load_dram_cycles)},
      {"cpu.store_dram_cycles", Kind::kInteger, "cycles", "2", "1", "10000", "A posted store to DRAM.", "assumed",
       FIELD(cpu.store_dram_cycles)},
      COST(mul, "2", "A multiplication."),
      COST(div, "18", "A division or remainder, whatever its operands."),
      COST(branch, "1", "A branch that is not taken."),
      COST(branch_taken, "3", "A branch that is taken: two cycles of fetching anew."),
      COST(jump, "2", "A jump to a fixed address, a call."),
      COST(jump_register, "3", "A jump to an address in a register, a return."),
      COST(csr, "1", "An access to a control and status register."),
      COST(atomic, "1", "LR, SC or AMO, on top of its load and store."),
      COST(trap, "4", "Entry of an interrupt or exception; MRET takes as long."),
      {"cpu.load_use_cycles", Kind::kInteger, "cycles", "0", "0", "1000",
       "A load whose register the next instruction reads, on top. 0: the core forwards it, or waits for each load.",
       "a load from tightly coupled memory takes one cycle by definition", FIELD(cpu.load_use_cycles)},
      needing("cpu.model = iss: native firmware has no instructions",
              choice("cpu.misaligned", "split", {"split", "trap"},
                     "Loads and stores at addresses that are no multiple of their size: split = memory carries them "
                     "out, at the "
                     "cost of aligned ones; trap = an exception. Registers of the hardware always trap.",
                     "", FIELD(cpu.misaligned))),
      needing("cpu.model = iss: native firmware has no instructions",
              only_observes(
                  {"cpu.translate", Kind::kBool, "", "true", "", "",
                   "cpu.model = iss: firmware that runs often becomes code of the host (x86-64): the same results, "
                   "sooner. false = "
                   "every instruction is interpreted, as with gdb and --profile.",
                   "", FIELD(cpu.translate)})),
      {"cpu.watchdog", Kind::kTime, "", "100ms", "0ps", "1000s",
       "cpu.model = iss: a core that runs so long without sleeping (WFI), without writing a register other than the "
       "log's and without deallocating a logical page ends the run: an endless loop. 0 = never, for firmware that "
       "polls "
       "without sleeping.",
       "longer than any pass of the firmware, boot included", FIELD(cpu.watchdog)},
      choice(
          "cpu.on_exception", "stop", {"stop", "handler"},
          "cpu.model = iss, an illegal instruction, a bad access, ebreak or ecall: stop = the run ends and says where; "
          "handler = the firmware's trap handler (mtvec) runs, as on hardware.",
          "", FIELD(cpu.on_exception)),
      {"cpu.native_costs", Kind::kString, "", "\"\"", "", "",
       "File with cycles per firmware tag for cpu.model = native (made by: wordline calibrate firmware), relative to "
       "the working directory; empty: the built-in table.",
       "", FIELD(cpu.native_costs)},
      {"cpu.apb.block", Kind::kString, "", "\"\"", "", "",
       "A shared object with a block of your own that firmware reaches as registers, made by wordline_rtl_block() of "
       "CMake (docs/own_rtl.md), relative to the working directory. Its port is checked in every clock.",
       "empty: no block is there", FIELD(cpu.apb.block)},
      {"cpu.apb.clock", Kind::kFrequency, "", "250MHz", "1MHz", "1000GHz", "Clock of the block of cpu.apb.block.",
       "assumed", FIELD(cpu.apb.clock)},
  };
  keys.insert(keys.end(), std::begin(table), std::end(table));
}

}  // namespace wordline::config

#undef COST
