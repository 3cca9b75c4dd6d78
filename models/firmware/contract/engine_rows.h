/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The hardware engines, one row each, in the order of a read and then of GC. No include guard: who includes this file
 * defines WL_ENGINE_ROW first. Plain C takes the first three columns (enum wl_engine in engines.h), the register
 * description the third to sixth (models/registers/export.py, which wants them on the row's first line), C++ all of
 * them (models/engines/table/engine_table.h has the types of the other columns).
 *
 * WL_ENGINE_ROW(C++ identifier, C name, bit of wl_engine, "key", "in the text of the registers", where it sits,
 *   Default{on},
 *   "text of the key",
 *   Times{latency, interval, depth, source},   of one operation; Times{}: not a pipeline of its own
 *   Gates{bits of an entry, gates of logic, accesses of tightly coupled memory per operation},   those of the blocks in
 *     rtl/engines that were synthesised (models/engines/synthesised.h), else estimates of ours
 *   Needs{{engine, "why"}, ...})   engines without which it is refused
 *
 * FTL policies that an engine cannot serve name it in their row (models/firmware/policy/policies.def).
 *
 * Bits 0 to 7 are those of ENGINES.PRESENT and ENABLE (WL_ENGINES_BLOCK). */
/* Rows, not calls: */
/* clang-format off */

WL_ENGINE_ROW(kParse, PARSE, 8, "parse", "command parser", Home::kNvmeController, Default{true},
  "on = the NVMe controller checks and splits the submission entry of an I/O command, and hands the firmware what "
  "it means; needed by engines.l2p. Admin commands are the controller's always, and take the same times. off: "
  "firmware does it.",
  Times{"16ns", "18ns", "1",
        "rtl/engines/parse.sv at 500 MHz, one entry after the other: 8 clocks from an entry to its answer, 9 to the next "
        "entry"},
  /* rtl/engines/parse.sv: the bits of an entry of 64 bytes that are read. It writes the event. */
  Gates{330, 5006, 8},
  Needs{})

WL_ENGINE_ROW(kL2p, L2P, 0, "l2p", "L2P lookup", Home::kEngineBlock, Default{false},
  "on = hardware looks up the map for reads, before their event reaches the firmware; the map entry is read from "
  "DRAM over its port. off: firmware does it.",
  Times{"20ns", "12ns", "16",
        "rtl/engines/l2p_lookup.sv at 500 MHz: 10 and 6 clocks of one logical page; those of more take as much longer "
        "as there"},
  /* rtl/engines/l2p_lookup.sv: 370 gates for each request whose map entries are on their way. It reads the state of the
   * logical page (4 words) and writes value and change. This is a read of one page; each further one is six accesses
   * more. */
  Gates{46.25, 3517, 6},
  Needs{{EngineId::kParse, "the lookup begins from a command that hardware has parsed"}})

WL_ENGINE_ROW(kBuffer, BUFFER, 1, "buffer", "write buffer", Home::kEngineBlock, Default{false},
  "on = hardware serves what a read finds in the write buffer; needs engines.l2p and engines.completion. off: "
  "firmware does it.",
  Times{"4ns", "2ns", "4", kAssumed},
  /* Tag, buffer slot, logical page, count. */
  Gates{64, 2000, 0},
  Needs{{EngineId::kL2p, "the lookup finds the hits"}, {EngineId::kCompletion, "the completion engine ends the reads"}})

WL_ENGINE_ROW(kJob, JOB, 2, "job", "flash job", Home::kEngineBlock, Default{false},
  "on = hardware makes the flash job from a PPA and hands it to the channel. With engines.l2p and "
  "engines.completion too, reads of flash are served without a core. off: firmware does it.",
  Times{"12ns", "4ns", "4", kAssumed},
  /* A job of 32 bytes; four divisions by constants; a row of slot bits of 64, six steps of shift and AND. It writes
   * the job to the channel, reads and writes a row of slots, and writes where in the command the run lies. */
  Gates{256, 4 * kMultiplierGates + 6000, 13},
  Needs{})

WL_ENGINE_ROW(kCompletion, COMPLETION, 3, "completion", "completion", Home::kEngineBlock, Default{false},
  "on = hardware moves the data of a finished read to the host and completes the command; of the firmware's reads, "
  "those that are one flash job and succeed. off: firmware does it.",
  Times{"8ns", "4ns", "4", kAssumed},
  /* Tag, slot, logical page, count, host address. It reads where in the command the run lies, counts the command's
   * jobs, and gives its row of slots back. */
  Gates{144, 4000, 7},
  Needs{})

WL_ENGINE_ROW(kGc, GC, 4, "gc", "GC scan", Home::kEngineBlock, Default{false},
  "on = hardware finds the valid logical pages of the superblock that is collected; it reads the map and its inverse from "
  "DRAM over its port. off: firmware does it.",
  Times{"4ns", "2ns", "16", kAssumed},
  /* PPA, logical page, state of two accesses; address adders, comparator. One operation is a PPA; one in two is
   * found and written. */
  Gates{96, 6000, 1},
  Needs{})

WL_ENGINE_ROW(kCopy, COPY, 5, "copy", "page copy", Home::kEngineBlock, Default{false},
  "on = hardware copies a unit of GC: flash reads of its runs of valid logical pages, then the program; an "
  "operation is one of these. With engines.gc too, hardware fills the units with what it finds. off: firmware does "
  "it.",
  Times{"12ns", "4ns", "4", kAssumed},
  /* A job of 32 bytes per operation; four divisions by constants; 32 units of 64 bits with slot, PPA, die, reads and
   * state, and a comparator of dies. An operation is a run, of three pages, or a program: it reads sources and
   * writes the job to the channel. */
  Gates{256, 4 * kMultiplierGates + 32 * 64 * kGatesPerBit + 6000, 11},
  Needs{})

WL_ENGINE_ROW(kVictim, VICTIM, 6, "victim", "victim selector", Home::kEngineBlock, Default{false},
  "on = hardware searches the superblock with the fewest valid logical pages, one superblock per operation; the firmware "
  "keeps no lists of superblocks by valid sectors. off: firmware does it.",
  Times{"22ns", "4ns", "6",
        "rtl/engines/victim_selector.sv at 500 MHz: 11 clocks, the last superblock's with the answer, and 2"},
  /* rtl/engines/victim_selector.sv, where what is under way is a count. An operation is a superblock: two words of the
   * table. */
  Gates{0, 2650, 2},
  Needs{})

WL_ENGINE_ROW(kRetry, RETRY, 9, "retry", "read retry", Home::kChannels, Default{true},
  "on = a hardware controller reads a page that failed again, with other references and soft reads, until it has "
  "the data or gives up. off: firmware decides after each attempt. Times are those of ecc.",
  Times{},
  /* Of the controller of one die, what it has beyond the sequencer of single attempts, which stays when firmware
   * controls the retries: steps tried, best step with its weights, the entry of the table, a mask of codewords,
   * flags; a divider-free comparison of means and the choice of the next step. The table itself is memory, and an
   * attempt more is a few clocks of it. */
  Gates{128 + 16 + 2 * 27 + 16 + 32, 3000, 0, Copies::kPerDie},
  Needs{})

#undef WL_ENGINE_ROW
