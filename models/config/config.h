// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/config/nand.h"
#include "models/config/policy_keys.h"
#include "models/config/region_age.h"
#include "models/data/block_tuple.h"
#include "models/engines/table/engine_table.h"
#include "models/units/lpage_size.h"
#include "models/units/quantity.h"

/// The validated configuration of a drive. Structs only: every default, unit, range and explanation is written once,
/// in schema.cpp, and reaches these fields from there. Modules receive their part by const reference.
namespace wordline::config {

enum class HostModel : std::uint8_t {
#define HOST_MODEL(id, name, entries, text) id,
#include "models/config/host_models.def"
#undef HOST_MODEL
};
/// What a media error does to the run.
enum class OnError : std::uint8_t { kCount, kStop };
enum class CpuModel : std::uint8_t { kIss, kNative };
enum class OnException : std::uint8_t { kStop, kHandler };
enum class Misaligned : std::uint8_t { kSplit, kTrap };
enum class EccModel : std::uint8_t { kCalibrated, kRtl };
enum class EngineModel : std::uint8_t { kModel, kRtl };
enum class EngineGates : std::uint8_t { kAll, kParse, kL2p, kVictim, kParity, kCompletion };
enum class Ort : std::uint8_t { kOff, kRetry, kFirst };
enum class OrtScope : std::uint8_t { kDie, kBlock };
enum class DataMode : std::uint8_t { kStamp };
enum class WordLineOrder : std::uint8_t { kHorizontal, kVertical, kMixed };  // as wl_word_line_order
enum class WearLevelling : std::uint8_t { kFifo, kDynamic, kStatic };
enum class PreconditionFill : std::uint8_t { kNone, kSequential, kRandom, kSteady };

/// Data interface of a flash bus, and one of its timing modes.
enum class BusInterface : std::uint8_t { kNvDdr3, kNvDdr2, kNvLpddr4, kSdr };
struct BusMode {
  BusInterface interface;
  std::uint32_t number;
  friend constexpr bool operator==(BusMode a, BusMode b) { return a.interface == b.interface && a.number == b.number; }
  friend constexpr bool operator!=(BusMode a, BusMode b) { return !(a == b); }
};

/// [run]
struct Run {
  std::uint64_t seed;
  Picoseconds ramp_time;         // ramp time from the first request, not measured
  std::string until;             // parse_run_until()
  double until_percentile;       // until percentile that must be as narrow as `until` says, too; 0: none
  std::uint64_t until_requests;  // gives up after so many; 0: never
};

/// [host] and [link]
enum class HostCompletion : std::uint8_t { kInterrupt, kPolling };
/// How the controller chooses among submission queues, and the classes among which it does.
enum class Arbitration : std::uint8_t { kRoundRobin, kWeighted };
enum class QueuePriority : std::uint8_t { kUrgent, kHigh, kMedium, kLow };

/// How a command of the host names its buffers, and where in host memory these lie.
enum class DataPointers : std::uint8_t { kPrp, kSgl };
enum class Buffers : std::uint8_t { kScattered, kContiguous };
/// Where submission queues lie.
enum class QueueMemory : std::uint8_t { kHost, kController };

/// LBA formats of Identify Namespace, by their index.
enum class LbaSize : std::uint8_t { k512, k4096 };
/// Where the host has the metadata of its blocks: in a buffer of their own, or each behind its block.
enum class BlockMetadata : std::uint8_t { kNone, kSeparate, kInterleaved };
/// Who makes and drops the protection information of a run's host: the host, or the controller (PRACT).
enum class HostProtection : std::uint8_t { kPass, kInsert };

struct Host {
  HostModel model;
  std::uint32_t queue_entries;      // entries of one I/O submission and completion queue, 2..65536
  std::uint32_t cores;              // jobs are distributed over them
  std::uint32_t queue_pairs;        // 0: one for each core
  std::uint32_t completion_queues;  // 0: one for each pair
  HostCompletion completion;        // how the host learns of completion entries
  Picoseconds polling_period;       // from one look to the next
  Picoseconds turnaround;           // host software between an interrupt and the next submission
  Picoseconds submission_cost, interrupt_cost, completion_cost;  // of a core: for each
  Arbitration arbitration;                                       // what the controller is asked for
  std::uint32_t arbitration_burst;                               // as a power of two; 7: no limit
  std::vector<std::uint32_t> weights;                            // low, medium, high; none: 1 each
  std::vector<QueuePriority> priorities;                         // of queue pairs; none: medium
  std::uint32_t coalescing_entries;                              // of an interrupt; 1: no coalescing
  Picoseconds coalescing_time;                                   // whole 100 us; 0: no coalescing
  DataPointers data_pointers;
  Buffers buffers;
  QueueMemory submission_queues;
  Bytes hmb;  // host memory that a drive gets at most
  HostProtection protection;
  OnError on_error;  // what is done with a request that the flash is the reason for
};
struct Link {
  BytesPerSecond bandwidth;  // raw, one direction, after line coding
  Picoseconds latency;       // one way, first bit to last module
  Bytes max_payload;         // TLP data bytes
  Bytes tlp_overhead;        // header, framing, LCRC and DLLP share of one TLP
  Picoseconds dma_setup;     // set-up of a transfer of data, one at a time in each direction
  bool requests_first;       // read requests go between the TLPs of data
};

/// [nvme]: the controller's own hardware times
struct Nvme {
  std::uint32_t tags;                 // commands in flight inside the controller
  std::uint32_t queue_tags;           // of them, of one submission queue; 0: all
  std::uint32_t fetch_burst;          // SQEs fetched by one read request
  std::uint32_t max_transfer_lpages;  // MDTS in logical pages
  Picoseconds write_latency;          // from a write's data in the buffer until they count as written
  Picoseconds ready_time;             // from CC.EN to CSTS.RDY, at least
  Picoseconds ready_timeout;          // CAP.TO: whole 500 ms
  bool never_ready;                   // CSTS.RDY stays 0
  bool coalescing_ticks;              // coalescing times end at multiples of 100 us
  Picoseconds completion_time;        // of a completion entry in the controller
  std::uint64_t cmb;                  // bytes of the controller memory buffer; 0: none
  Picoseconds cmb_latency;            // of a read of it by the controller
  Bytes hmb;                          // host memory that the drive asks for; 0: none
  LbaSize lba_size;                   // LBA format at power on, with the next two
  BlockMetadata metadata;             // kNone: the drive offers no format with metadata
  data::ProtectionType protection;
  std::vector<double> namespaces;  // shares of the exported capacity, 1 together; none: one of everything
};

/// A block of a user's own behind the registers (docs/own_rtl.md).
struct ApbBlock {
  std::string block;  // shared object; empty: none
  Hertz clock;
};

/// [cpu]
struct Cpu {
  CpuModel model;
  std::uint32_t cores;
  Hertz clock;
  Picoseconds quantum;                     // how far a core may run ahead; 0 = synchronise on every access
  std::array<std::uint32_t, 3> task_core;  // core of the host, ftl and flash task
  std::uint32_t load_tcm_cycles;
  std::uint32_t load_dram_cycles;   // load from DRAM: stalls the core
  std::uint32_t store_dram_cycles;  // posted store to DRAM
  std::uint32_t mul_cycles, div_cycles;
  std::uint32_t branch_cycles, branch_taken_cycles, jump_cycles, jump_register_cycles;
  std::uint32_t csr_cycles, atomic_cycles, trap_cycles;
  std::uint32_t load_use_cycles;  // cycles on top of a load whose register the next instruction reads
  Misaligned misaligned;          // loads and stores in memory
  bool translate;                 // firmware into code of the host
  Picoseconds watchdog;           // busy so long without sleep or a register write: the run ends; 0 = never
  OnException on_exception;       // what a synchronous exception of the firmware does
  std::string native_costs;       // cycles per firmware tag, file; empty: the built-in calibrated table
  ApbBlock apb;
};

/// [dram]
struct Dram {
  BytesPerSecond bandwidth;
  Picoseconds latency;
};

/// What one entry of the map stands for: a logical page, or the page of a plane.
enum class MapUnit : std::uint8_t { kLpage, kPage };
enum class MapAccess : std::uint8_t { kFlat, kPort };  // loads and stores of the cores | registers
/// What the drive takes as one: by itself what lpage_size_of() says.
enum class LogicalPageSize : std::uint8_t { kAuto, k4KiB, k8KiB, k16KiB };
/// Of kPage: the page of a plane, or so much of the page of all planes.
enum class MapUnitSize : std::uint8_t { kOfPlane, k4KiB, k8KiB, k16KiB, k32KiB, k64KiB };

/// How the rest of a page that is written in part comes along.
enum class ReadModify : std::uint8_t { kController, kDie };

/// What the firmware does so that a drive comes back after a power cut.
enum class Recovery : std::uint8_t { kNone, kScan };

/// What of each row of program units over all dies is parity: nothing, or the last die's unit.
enum class Parity : std::uint8_t { kNone, kDies };

/// How long the data of a placement handle are kept apart from those of others: until GC moves them, or always.
enum class Isolation : std::uint8_t { kInitially, kPersistently };

/// [ftl.fdp]: Flexible Data Placement.
struct Placement {
  std::uint32_t handles;  // 0: none
  Isolation isolation;
};

/// What waits when the write buffer takes no more.
enum class WhoWaits : std::uint8_t { kWrites, kBoth };

/// When writes are taken up: as soon as there is room, or at the mean rate of flash.
enum class Admission : std::uint8_t { kFree, kMeanRate };

/// How the host's writes, its reads and GC keep step.
struct Pacing {
  bool gc;  // host writes and GC keep step
  double gain, lead;
  WhoWaits who_waits;
  Admission admission;
};

/// What of [ftl] says which losses data outlive.
struct Durability {
  Recovery recovery;  // a power cut
  Parity parity;      // pages that cannot be read, a die
};

/// Whether the host's data go to superblocks in SLC mode first, and whether space is kept free for these.
enum class SlcCache : std::uint8_t { kOff, kStatic, kDynamic };
struct SlcCaching {
  SlcCache cache;
  std::uint32_t superblocks;  // in SLC mode at most
};

/// What the map of [ftl] names, and where it lies; all but the first two are of MapUnit::kPage.
struct MapRules {
  LogicalPageSize logical_page;
  MapUnit map;
  MapUnitSize map_unit;
  MapAccess map_access;
  Bytes map_cache;  // DRAM for map pages; 0: for all of the map
};

/// [ftl]
struct Ftl : PolicyKeys, Durability, MapRules {
  std::uint32_t policy;  // number in models/firmware/policy/policies.def
  ReadModify read_modify;
  bool packing;                          // logical pages of different commands share pages
  bool write_back;                       // a write completes on the buffer; false: after its program
  double over_provisioning;              // T/U - 1, over usable logical pages
  std::uint32_t gc_start_superblocks;    // collect while no more than this many free superblocks are left
  std::uint32_t gc_reserve_superblocks;  // superblocks only GC may open
  Pacing pace;
  WordLineOrder word_line_order;
  Picoseconds idle_after;               // 0: no idle work
  std::uint32_t idle_free_superblocks;  // while idle, collect until so many superblocks are free
  Bytes write_buffer;
  bool power_safe;                 // completed once buffered, also for FLUSH; false: volatile cache that FLUSH drains
  std::uint32_t checkpoint_after;  // superblocks closed between checkpoints of a drive at work; 0: none
  Bytes read_buffer;
  Bytes gc_buffer;             // data buffer of GC
  std::uint32_t spare_blocks;  // spare blocks of each plane, to take the place of bad ones
  WearLevelling wear_levelling;
  std::uint32_t wear_levelling_gap;  // erases between superblocks beyond which data at rest are moved
  std::uint32_t read_reclaim;        // reads of a superblock after which it is moved; 0: never
  std::uint32_t reclaim_errors;      // corrected bits of a codeword with which it is; 0: never
  double refresh_after;              // days; 0: never
  double patrol;                     // days in which it reads of all superblocks; 0: it does not
  SlcCaching slc;
  Placement fdp;

  /// The firmware of its cores is the image for maps that do not lie flat in DRAM.
  [[nodiscard]] bool has_large_map() const { return map_access == MapAccess::kPort || map_cache.count() != 0; }
  [[nodiscard]] bool has_slc_cache() const { return slc.cache != SlcCache::kOff; }
};

/// [power]
struct Power {
  double hold_up;                             // joules that the drive has when the host's power fails
  double controller;                          // watts, of everything but flash, meanwhile
  double capacitor_charged, capacitor_empty;  // volts, between which a capacitor gives them
};

/// [precondition]
struct Precondition {
  PreconditionFill fill;
  double overwrites;            // times the exported capacity, at random, after the fill
  std::uint64_t seed;           // of both
  std::string file;             // a state to load instead; empty: none
  std::string flash;            // what a power cut has left on flash, to be mounted; empty: nothing
  bool wear;                    // the erases that made the state count
  std::vector<RegionAge> ages;  // ages of its data, where they are not nand.aging.retention_days old

  /// The drive begins with tables; without them it is fresh, or filled in order by rule (contract/geometry.h).
  [[nodiscard]] bool begins_with_state() const {
    return !file.empty() || overwrites > 0 || fill == PreconditionFill::kRandom || fill == PreconditionFill::kSteady;
  }
};

/// What carries the segments of a channel: the model alone, or the flash interface in gates as well.
enum class ChannelModel : std::uint8_t { kTlm, kRtl };

/// What a host read may suspend.
enum class SuspendPolicy : std::uint8_t { kNever, kProgram, kErase, kBoth };
enum class SuspendedBy : std::uint8_t { kReads, kAll };

/// Times of the wires, ONFI 5.0 tables 4-73..80.
struct BusTimes {
  Picoseconds t_rc;             // SDR: a byte out
  std::uint32_t warmup_cycles;  // DQS cycles before a data burst
  Picoseconds t_wc, t_cs, t_cals, t_adl, t_ccs, t_whr, t_rhw, t_wb, t_rr;
  Picoseconds t_rpre, t_dqsre, t_rpst, t_wpre, t_wpst, t_wpsth;
};

/// How long a die is busy without its array being at work on a page.
struct BusyTimes {
  Picoseconds t_feat, t_dbsy;
  Picoseconds t_rcbsy, t_pcbsy;  // page register to cache register and back
  Picoseconds t_rst, t_rst_read, t_rst_program, t_rst_erase;
  Picoseconds t_suspend_program, t_suspend_erase;  // from the end of the micro-operation to ready
};

/// Which of the jobs that are no host reads goes first.
enum class QueueOrder : std::uint8_t { kArrival, kAlternate, kKind };

/// In which order a channel serves the jobs of its dies.
struct ChannelPolicy {
  std::uint32_t starvation_bound;  // reads served ahead of a waiting program or erase of the same die
  QueueOrder queue_order;          // of programs, erases and GC reads of a die
  bool pair_planes;                // reads of one page that wait together are carried out together
  bool register_hits;              // a page that a die still holds since its last read is not sensed again
  bool cache_read;                 // the array reads the next page while data go out
  bool cache_program;              // the next program unit comes in while the array programs
  SuspendPolicy suspend;           // what a host read may suspend
  SuspendedBy suspended_by;        // whether programs and GC may suspend an erase, too
  std::uint32_t suspend_depth;     // operations of a die that are suspended at a time: 1 or 2
  bool cut_erase_pulse;            // a suspend does not wait for the end of an erase pulse
  std::uint32_t suspend_limit;     // times that one program or erase is suspended
};

/// What the channels share on the way of read data.
struct ReadPath {
  Bytes read_ahead;                // how far ahead of a sequential host pages are read; 0: never
  std::uint32_t read_ahead_after;  // reads that follow each other before it begins
  Picoseconds hand_over;           // of a die, from one job to the next
  bool split_data_out;             // commands to other packages go between the logical pages of a page
  Picoseconds page_latency;        // of a logical page, between decoder and data buffer, many at once
  Picoseconds page_engine;         // page engine for a logical page, those of several planes side by side; 0: none
};

/// A shared object with a flash interface of the user's own (docs/own_rtl.md). Empty: the shipped one.
struct ChannelRtl {
  std::string flash_sequencer;
  bool flash_sequencer_exact;  // it has to be the shipped one clock by clock
};

/// [channels]
struct Channels : BusTimes, BusyTimes, ChannelPolicy, ReadPath {
  std::uint32_t count;
  std::uint32_t packages;          // packages (chip enables) per channel
  std::uint32_t dies_per_package;  // LUNs behind one chip enable
  BusMode mode;                    // what the times follow from, unless they were set
  TransfersPerSecond rate;         // 8-bit bus with DQS; SDR goes by t_rc and t_wc
  ChannelModel model;
  std::uint32_t rtl_channel;  // kRtl: the channel that is in gates
  ChannelRtl rtl;
};

/// Shared objects with blocks at places of the data path (docs/own_rtl.md). Empty: the shipped block, or none.
struct RtlBlocks {
  std::string tier1, tier2, encoder, tap, read_retry;
  bool read_retry_check;  // the block is held against the reference in every read
};

/// [ecc]
struct Ecc {
  EccModel model;
  Hertz clock;
  std::uint32_t max_retries;  // re-reads with shifted references
  std::uint32_t max_soft;     // highest soft level: 0 none, 1 three reads, 2 seven reads
  Ort ort;                    // what the table of optimal references is used for
  OrtScope ort_scope;         // what one entry of it speaks of
  std::uint32_t rtl_every;    // rtl: one codeword in so many goes through the gates
  std::uint32_t rtl_threads;  // rtl: threads of the host that decode
  bool rtl_encoder;           // rtl: and its parity is made by the encoder in gates
  RtlBlocks rtl;              // rtl: blocks of a user's own
  std::string table;          // calibrated table; empty: the built-in one
};

/// [engines]: steps of the data path in hardware, by their rows in the table of engines
struct Engine {
  static constexpr std::uint32_t kAnyDepth = 0;  // the interval alone limits

  bool on;
  Picoseconds latency;   // latency of one operation, memory apart
  Picoseconds interval;  // interval between the beginnings of two operations
  std::uint32_t depth;   // operations under way at once
};
/// Shared objects with engines of a user's own (docs/own_rtl.md). Empty: the shipped one.
struct EngineBlocks {
  std::string parse, l2p, victim;
};
struct Engines {
  EngineModel model;
  EngineGates gates;  // with kRtl
  EngineBlocks rtl;   // rtl: blocks of a user's own
  std::array<Engine, engines::kEngineCount> by_row;

  Engine& operator[](engines::EngineId id) { return by_row[static_cast<std::size_t>(id)]; }
  constexpr const Engine& operator[](engines::EngineId id) const { return by_row[static_cast<std::size_t>(id)]; }
  [[nodiscard]] constexpr bool on(engines::EngineId id) const { return (*this)[id].on; }
  /// Any of those of tlm/device/engines.
  [[nodiscard]] constexpr bool any() const {
    for (const engines::EngineRow& row : engines::kEngines) {
      if (row.home == engines::Home::kEngineBlock && on(row.id)) return true;
    }
    return false;
  }
};

/// [data]
struct Data {
  DataMode mode;
};

/// [observe]
struct Observe {
  bool waves;
  Picoseconds waves_from, waves_to;     // to = 0: until the end
  bool nand_microops;                   // observe.nand = "microop" | "op"
  std::vector<std::uint32_t> channels;  // empty: all
  std::vector<std::uint32_t> dies;      // empty: all
  bool timeline;
  Bytes timeline_limit;
  std::string trigger;  // latency_trigger.h; empty: none
  Picoseconds trigger_before, trigger_after;
  std::uint32_t trigger_limit;  // windows
};

struct Config {
  Run run;
  Host host;
  Link link;
  Nvme nvme;
  Cpu cpu;
  Dram dram;
  Ftl ftl;
  Power power;
  Precondition precondition;
  Channels channels;
  Nand nand;
  Ecc ecc;
  Engines engines;
  Data data;
  Observe observe;

  [[nodiscard]] std::uint32_t dies() const { return channels.count * channels.packages * channels.dies_per_package; }
};

/// What the drive takes as a logical page: by itself 2 KiB on a drive with pages of 2 KiB, else 4 KiB.
[[nodiscard]] inline LpageSize lpage_size_of(const Config& config) {
  const auto set = static_cast<unsigned>(config.ftl.logical_page);
  if (set != 0) return LpageSize::of(Bytes(2048U << set));
  const Nand& nand = config.nand;
  const Bytes smallest = nand.region.blocks_per_plane == 0 ? nand.geometry.page : nand.region.page;
  return smallest == Bytes(LpageSize::kCodewordUserBytes) ? LpageSize::of(smallest) : LpageSize();
}

/// The blocks of a die that are alike.
struct BlockKind {
  std::uint32_t pages;            // pages of a block
  std::uint32_t lpages_per_page;  // logical pages in one plane's page
  Bytes page;                     // data bytes
};

/// What follows from the geometry, computed once. Pages and logical pages are those of the blocks of the geometry,
/// where it is not said that they are those of nand.region.
struct Layout {
  std::uint32_t dies;
  std::uint32_t page_types;  // bits per cell
  std::uint32_t wls_per_block;
  std::uint32_t pages_per_block;  // pages per block of one plane
  LpageSize lpage;
  std::uint32_t lpages_per_page;     // logical pages in one plane's page
  std::uint32_t lpages_per_mpage;    // logical pages in the page of all planes
  std::uint32_t pages_per_program;   // 1, or page_types when a word line is programmed in one shot
  std::uint32_t map_page;            // logical pages of a map unit that has a bit for each; 0: it is the logical page
  std::uint32_t lpages_per_program;  // logical pages written by one (multi-plane) program operation
  std::uint32_t programs_per_block;  // program operations per multi-plane block
  std::uint32_t tuple_bytes;         // metadata of a logical page's blocks, at most; 0: the drive offers no format
  std::uint32_t codeword_extra;      // bytes by which they make a codeword longer
  BlockKind small;                   // small pages, of nand.region; all 0: there are none
  std::uint32_t superblocks;         // blocks of a plane of both kinds, without the spares
  std::uint64_t raw_lpages;          // logical pages of all blocks
  std::uint64_t user_lpages;         // exported: of the superblocks, after over-provisioning
  std::uint64_t map_pages;           // with ftl.map_cache: logical pages of the map, stored behind these
};
[[nodiscard]] Layout layout_of(const Config& config);
/// With nvme.metadata the drive offers blocks of 512 bytes with metadata if its pages have room for them: so many
/// spare bytes for each codeword. Those of blocks of 4 KiB have it anyway.
[[nodiscard]] bool has_room_for_small_blocks(const NandGeometry& geometry);
[[nodiscard]] std::uint32_t spare_of_small_blocks();
/// Carries out nand.scale_down on the blocks as they were written, once.
void scale_blocks(Config& config);

/// The two kinds of blocks of a die, by the number of a block.
class BlockKinds {
 public:
  BlockKinds(const Nand& nand, const Layout& layout)
      : small_from_(nand.geometry.blocks_per_plane),
        large_{layout.pages_per_block, layout.lpages_per_page, nand.geometry.page},
        small_(layout.small) {}

  [[nodiscard]] bool is_small(std::uint32_t block) const { return block >= small_from_; }
  [[nodiscard]] const BlockKind& of(std::uint32_t block) const { return is_small(block) ? small_ : large_; }
  [[nodiscard]] const BlockKind& large() const { return large_; }

 private:
  std::uint32_t small_from_;
  BlockKind large_, small_;
};

}  // namespace wordline::config
