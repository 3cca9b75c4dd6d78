// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of the FTL: map, GC, buffers, recovery, wear.
#include "models/config/assign.h"
#include "models/config/policy_names.h"
#include "models/config/schema.h"

namespace wordline::config {
namespace {

Key names_policies(Key key) {
  key.spelling = policy_spelling;
  key.why_not = why_no_policy;
  return key;
}

}  // namespace

void add_ftl_keys(std::vector<Key>& keys) {
  const Key table[] = {
      names_policies(
          choice("ftl.policy", "page_greedy",
                 {
#define WL_POLICY(identifier, name, text) name,
#include "models/firmware/policy/policies.def"
#undef WL_POLICY
                 },
                 "The policy of the FTL: where data are written, and which superblock GC empties next."
#define WL_POLICY(identifier, name, text) " " name " = " text "."
#include "models/firmware/policy/policies.def"
#undef WL_POLICY
                 " page_hot_cold has two open superblocks for the host's data and two for copies, ppb up to four (more "
                 "with ftl.ppb.half_full_blocks), agcr three, sepbit two and four, cube two and one, mpnfm two (one of "
                 "them with small pages) "
                 "and one, two combined as many as ppb or agcr among them, the others one.",
                 "", FIELD(ftl.policy))),
      choice("ftl.logical_page", "auto", {"auto", "4KiB", "8KiB", "16KiB"},
             "The logical page: what the drive maps, buffers, moves and corrects as one, 2 KiB to a codeword. auto = "
             "4 KiB, or 2 KiB with nand.page = 2KiB. Larger: a smaller map, smaller tables and a larger drive by the "
             "same numbers; a write of a part reads and writes all of it (docs/large_drives.md). It divides nand.page.",
             "4 KiB: block of file systems", FIELD(ftl.logical_page)),
      choice("ftl.map", "sector", {"sector", "page"},
             "Map unit of the FTL. sector = a logical page: logical pages of any commands share "
             "pages. page = the page of one plane: "
             "it is written and moved whole, a write of a part first gets the rest (read and modify), and what a page "
             "does not hold is false capacity (docs/map_units.md).",
             "", FIELD(ftl.map)),
      needing("ftl.map = page: with ftl.map = sector each logical page is mapped by itself",
              choice("ftl.map_unit", "page", {"page", "4KiB", "8KiB", "16KiB", "32KiB", "64KiB"},
                     "With ftl.map = page, the size of a map unit (indirection unit). page = nand.page; else so many "
                     "bytes: several to a page of one plane, or one over the planes of a die. Larger: a smaller map, "
                     "so more capacity by the same DRAM; more read-modify-write by writes that are smaller "
                     "(docs/map_units.md).",
                     "", FIELD(ftl.map_unit))),
      needing(
          "ftl.map = page: what is compiled for logical pages alone loads and stores entries of the map",
          choice("ftl.map_access", "flat", {"flat", "port"},
                 "Where the map lies. flat = in the 2 GiB of DRAM that the cores address; port = in DRAM of any size "
                 "behind a port of registers (MAP), which costs accesses of the bus and waits for DRAM: for drives "
                 "of up to 15.97 TiB, or 63.8 TiB with ftl.logical_page = 16KiB (docs/large_drives.md).",
                 "", FIELD(ftl.map_access))),
      needing("ftl.map = sector: pages of the map are cached by its logical pages",
              {"ftl.map_cache", Kind::kBytes, "", "0B", "0B", "1GiB",
               "With ftl.map = sector, DRAM for the map. 0B = it holds all of it; else the map lies on flash, in map "
               "pages of a logical page each, and so much DRAM caches them, as in DRAM-less drives and DFTL: look-ups "
               "that miss wait for a read of flash, changed map pages are written (docs/map_cache.md).",
               "", FIELD(ftl.map_cache)}),
      choice("ftl.read_modify", "controller", {"controller", "die"},
             "With ftl.map = page, how the rest of a page that is written in part comes along: controller = it is "
             "read, corrected and written again; die = copyback with data in, its raw bit errors are programmed again "
             "(docs/map_units.md). die is for drives of one die with one plane and nand.program = page, and for "
             "ftl.write_back = false.",
             "", FIELD(ftl.read_modify)),
      needing("ftl.map = sector: pages of the map begin at pages of flash anyway",
              {"ftl.packing", Kind::kBool, "", "true", "", "",
               "With ftl.map = sector. true: logical pages of different commands share a page; false: every write "
               "begins at a page of one plane, the rest of its last page is padded.",
               "", FIELD(ftl.packing)}),
      {"ftl.write_back", Kind::kBool, "", "true", "", "",
       "true: a write completes when its data are in the write buffer; false: when they are programmed. A program unit "
       "that is not full is then closed as soon as all data of the writes in the drive have arrived.",
       "", FIELD(ftl.write_back)},
      {"ftl.over_provisioning", Kind::kReal, "", "0.07", "0.001", "10.0",
       "Spare capacity T/U - 1: T all usable logical pages, U exported ones. More: less write amplification, less "
       "capacity.",
       "MQSim: 7 %", FIELD(ftl.over_provisioning)},
      {"ftl.gc_start_superblocks", Kind::kInteger, "superblocks", "3", "2", "65535",
       "GC (garbage collection) works while no more than this many superblocks are free. With ftl.gc_pacing it holds "
       "as "
       "much room at any load: free superblocks, the rest of open ones, what is copied of the victim "
       "(docs/firmware.md). More: the host rides over longer pauses; less data in the others, so more write "
       "amplification.",
       "small, as GC copies against a reserve; measured", FIELD(ftl.gc_start_superblocks)},
      {"ftl.gc_reserve_superblocks", Kind::kInteger, "superblocks", "2", "2", "65535",
       "Free superblocks that only GC may open; host writes wait. With ftl.gc_pacing the host's open "
       "superblock is one of them: pacing keeps the host from using it up, and GC goes on in it when "
       "nothing else is left.",
       "two: with less GC cannot be sure of going on", FIELD(ftl.gc_reserve_superblocks)},
      {"ftl.gc_pacing", Kind::kBool, "", "true", "", "",
       "true: when space is short, host writes and GC keep step, so many copies for each page written; "
       "false: the host writes at full speed until it waits for a whole superblock.",
       "", FIELD(ftl.pace.gc)},
      choice(
          "ftl.who_waits", "writes", {"writes", "both"},
          "What waits when the write buffer takes no more. writes = reads pass writes that wait; both = commands are "
          "taken up in one order, and a read waits behind the writes that came before it.",
          "drives of both kinds were measured: docs/measurements/firmware.md", FIELD(ftl.pace.who_waits)),
      needing(
          "ftl.write_back = true: writes that wait for their programs are paced by these",
          choice("ftl.admission", "free", {"free", "mean_rate"},
                 "When writes are taken up. free = as soon as the write buffer has room; mean_rate = while it is more "
                 "than "
                 "half full, at the mean rate at which flash takes their data, so that all wait equally long and the "
                 "buffer evens out the pauses of flash (docs/firmware.md).",
                 "drives of both kinds were measured: docs/measurements/firmware.md", FIELD(ftl.pace.admission))),
      choice("ftl.word_line_order", "horizontal", {"horizontal", "vertical", "mixed"},
             "Order in which the word lines of a superblock are written: horizontal = h-layer by h-layer; vertical = "
             "v-layer by v-layer; mixed = the first word line of every h-layer, then the others h-layer by h-layer. "
             "Other orders than horizontal need nand.program_order = mixed.",
             "Shim, SNU 2020, section 4.2", FIELD(ftl.word_line_order)),
      {"ftl.idle_after", Kind::kTime, "", "0ps", "0ps", "1000s",
       "Idle work of the FTL begins when the host has been silent for so long (up to twice as long: a timer polls at "
       "it, "
       "not every command), and ends with its next command. 0s: never.",
       "", FIELD(ftl.idle_after)},
      {"ftl.idle_free_superblocks", Kind::kInteger, "superblocks", "0", "0", "65535",
       "While the host is silent, GC goes on until so many superblocks are free, or nothing is to be "
       "won. More: bursts find free space; fewer logical pages become invalid before they are copied.",
       "", FIELD(ftl.idle_free_superblocks)},
      {"ftl.write_buffer", Kind::kBytes, "", "16MiB", "4KiB", "4GiB",
       "Data buffer for host writes. Larger: longer bursts at buffer latency.", "REF-TLC32: 16 MiB",
       FIELD(ftl.write_buffer)},
      {"ftl.power_safe", Kind::kBool, "", "true", "", "",
       "true: a write is safe once buffered and FLUSH has nothing to do, by the energy of power.hold_up, or taken at "
       "its word; false: a volatile cache that FLUSH drains.",
       "", FIELD(ftl.power_safe)},
      choice("ftl.recovery", "none", {"none", "scan"},
             "What outlives a power cut. none: the firmware cannot mount what is on flash. scan: at any instant flash "
             "has all that was promised, deallocations too, and a mount finds it in spare records, closing records or "
             "a checkpoint; needs ftl.power_safe = false, or power.hold_up. GC copies what is valid on flash until "
             "newer data are programmed, a deallocated logical page takes one on flash, and DRAM has 8 bytes more for "
             "each logical page, with ftl.map_cache 12; with ftl.map = page 12 for each map unit (8 behind the port), "
             "and with two page sizes 12 for each logical page, too (docs/power_loss.md).",
             "", FIELD(ftl.recovery)),
      choice("ftl.parity", "none", {"none", "dies"},
             "Parity over dies (RAIN). dies: of each row of program units, one on each die of a superblock, the last "
             "is the XOR of the others. What cannot be read is rebuilt from the rest of its row, also all of a die "
             "that has died. Costs the capacity of a die and a program in as many as there are dies "
             "(docs/parity.md).",
             "", FIELD(ftl.parity)),
      {"ftl.checkpoint_after", Kind::kInteger, "superblocks", "0", "0", "65535",
       "With ftl.recovery = scan: a checkpoint of the map each time that so many superblocks have been closed, by the "
       "host and by GC, so that a mount after a power cut reads records of younger ones alone. It takes the place of "
       "the one before; two superblocks are kept for them, and writes wait while it is written. 0: a clean shutdown "
       "alone leaves one.",
       "", FIELD(ftl.checkpoint_after)},
      {"ftl.read_buffer", Kind::kBytes, "", "16MiB", "4KiB", "4GiB",
       "Data buffer for reads. Bounds the reads in flight.", "as many logical pages as 4,096 commands",
       FIELD(ftl.read_buffer)},
      {"ftl.gc_buffer", Kind::kBytes, "", "4MiB", "4KiB", "4GiB",
       "Data buffer of GC. Larger: more dies copy at once, up to two program operations a die; what is "
       "beyond stays unused, since superblocks on their way through the buffer cost over-provisioning.",
       "assumed", FIELD(ftl.gc_buffer)},
      {"ftl.spare_blocks", Kind::kInteger, "blocks", "0", "0", "65535",
       "Blocks of each plane, behind the others, that take the place of bad ones: factory-bad, or of which a program "
       "or "
       "an erase has failed. Where the planes must address the same block (nand.plane_blocks = same) a bad block costs "
       "a "
       "spare of every plane of its die. A bad block without a spare costs its superblock. More: less capacity.",
       "0: as before there were spares; nand.faults.bad_blocks and a few more suit a drive with bad blocks",
       FIELD(ftl.spare_blocks)},
      choice("ftl.wear_levelling", "fifo", {"fifo", "dynamic", "static"},
             "Which free superblock is used next. fifo: the one that has been free longest; dynamic: the one that was "
             "erased least. Data that are never written again stay where they are with both. static: as dynamic for "
             "the host's data; moved data go to the one that was erased most, and data at rest are moved "
             "(ftl.wear_levelling_gap).",
             "", FIELD(ftl.wear_levelling)),
      needing("ftl.wear_levelling = static: only then are data at rest moved",
              {"ftl.wear_levelling_gap", Kind::kInteger, "erases", "16", "1", "65535",
               "The superblock with data that was erased least is emptied when another one was erased so many times "
               "more. Less: erases lie closer together, and more is moved.",
               "assumed: docs/wear.md has what it costs", FIELD(ftl.wear_levelling_gap)}),
      {"ftl.read_reclaim", Kind::kInteger, "reads", "0", "0", "4294967295",
       "Read reclaim: flash reads of a superblock since it was opened, after which its data are moved. They are "
       "counted "
       "as if all went to one block, by what the firmware sends: retries are not counted. 0: never.",
       "0: as before; a block of 3D TLC survives 518,420 reads spread over it, 54,560 of one page (STRAW, ASPLOS'26)",
       FIELD(ftl.read_reclaim)},
      {"ftl.reclaim_errors", Kind::kInteger, "bits", "0", "0", "65535",
       "Bits corrected in one codeword by a read, of the host or of the patrol (ftl.patrol), with which the data of "
       "its "
       "superblock are moved. 0: never.",
       "0: as before", FIELD(ftl.reclaim_errors)},
      {"ftl.refresh_after", Kind::kReal, "days", "0.0", "0.0", "36500.0",
       "Refresh: age of data at which they are moved, by the drive's own clock, to a sixteenth of it. What the drive "
       "begins with is nand.aging.retention_days old; after a mount all ages begin anew. 0: never.",
       "0: as before", FIELD(ftl.refresh_after)},
      {"ftl.patrol", Kind::kReal, "days", "0.0", "0.0", "36500.0",
       "Time in which the patrol reads a page of every superblock with data, another one in each round; with "
       "ftl.reclaim_errors those with many errors are moved. 0: no patrol.",
       "0: as before", FIELD(ftl.patrol)},
      choice("ftl.slc_cache", "off", {"off", "static", "dynamic"},
             "SLC cache: the host's data go to superblocks that are programmed with one bit a cell first, which takes "
             "nand.slc_mode.t_prog and holds a part of what they could. static: GC keeps ftl.slc_superblocks free for "
             "it; dynamic: it takes superblocks that are free beyond what GC keeps, so that it shrinks as the drive "
             "fills. When it is full the host's data go where they go without it. While the host is silent "
             "(ftl.idle_after) what it holds is folded into superblocks with all bits a cell (docs/slc_cache.md).",
             "", FIELD(ftl.slc.cache)),
      needing("ftl.slc_cache = static or dynamic: else no superblock is in SLC mode",
              {"ftl.slc_superblocks", Kind::kInteger, "superblocks", "8", "1", "65535",
               "Superblocks that are in SLC mode at a time, at most. More: longer bursts at the speed of the cache. "
               "static ones are taken off the space that over-provisioning gives.",
               "assumed", FIELD(ftl.slc.superblocks)}),
  };
  keys.insert(keys.end(), std::begin(table), std::end(table));
}

}  // namespace wordline::config
