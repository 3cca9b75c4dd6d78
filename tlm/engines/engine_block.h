// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/engines/engine_table.h"
#include "models/engines/grace.h"
#include "models/engines/slot_rows.h"
#include "models/firmware/contract/contract.h"
#include "registers/wordline_regs.hpp"
#include "tlm/engines/pipeline.h"
#include "tlm/protocol/engine_if.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/register_target.h"

namespace wordline::engines {

/// The hardware engines of the data path, each optional and each a Pipeline (latency, interval, depth):
///   l2p         reads the map in DRAM for a read command: one burst of 64 bytes per 16 map entries, over the DRAM port;
///   buffer      sectors whose map entries name slots of the write buffer go from there to the host;
///   job         makes a flash job from a place, for the firmware's ring (ENGINES.JOB_DOORBELL) and for the engines;
///   completion  data to the host, of a flash read that has succeeded, of the buffer, or zeros; then the completion entry;
///   gc          lists the valid sectors of a stretch of places: an entry of the inverse map for each (a burst per 16), and
///               the map entry of its sector (a burst);
///   copy        copies a unit of the collector: makes the flash reads of its runs, and the program once all have succeeded; an
///               operation is a run or a program. With gc too, the scan fills the units: no core between scan and program;
///   victim      searches the line table for the line to collect; an operation is a line.
/// A read is cut into runs: sectors of one page that follow each other (one flash job), slots that follow each other, zeros. One
/// operation of job, buffer and completion per run. Runs go to the host as they become ready; the last one completes the command.
/// With l2p and completion reads of sectors that hold nothing are served without a core, with buffer also those of the write
/// buffer, with job those of flash, and mixed ones. A command goes to the firmware whole, with what was looked up, before any
/// of it is begun, when an engine for a part of it is not there; a sector has a write under way or was lost; it has more than
/// WL_LOOKUP_SECTORS sectors; or there are no slots for it. When a run fails, the others are waited for, then the command is
/// handed to the firmware whole, which reads again; data that went to the host before go there twice. What the
/// firmware must do for all that is in contract.h.
///
/// Slots of the read buffer: those of a run follow each other and lie in one row of SlotRows, which is a page long, or less
/// where the slots would not make eight rows. Nothing waits for slots in hardware: so host commands cannot starve.
///
/// Pages are copied through the data buffer: what a unit gathers comes from any die, and a copy within a die (copyback) would
/// carry bit errors along uncorrected.
///
/// No process but the end of a grace period and the firmware's job doorbell: an engine's times are reservations, and what
/// it does takes effect when the next block acts. A map entry is taken when its lookup is given to the engine, an
/// instant within the access. A chained read takes no timed event of its own.
///
/// Accuracy: times by configuration, assumed; divisions by geometry are one step. The tables in tightly coupled memory
/// are read within the latency. Commands are in order of arrival. Source: our design.
/// Known gaps: a lookup of many sectors is one operation, its bursts of DRAM apart; a free slot is found in the latency of the
/// job engine however full the rows are.
class EngineBlock final : public sc_core::sc_module, public tlm_if::HostEngineIf, public tlm_if::FlashSinkIf {
 public:
  /// `map_memory`: the bytes behind WL_DRAM_BASE.
  EngineBlock(const sc_core::sc_module_name& name, const config::Config& config, const std::byte* map_memory);

  /// ENGINES.
  tlm_utils::simple_target_socket<EngineBlock> socket{"socket"};
  sc_core::sc_port<tlm_if::SharedMemoryIf> memory{"memory"};
  sc_core::sc_port<tlm_if::DramIf> dram{"dram"};
  sc_core::sc_port<tlm_if::InterruptIf> interrupt{"interrupt"};
  sc_core::sc_port<tlm_if::StageClockIf> stages{"stages"};
  sc_core::sc_port<tlm_if::HostCommandIf> host{"host"};
  sc_core::sc_port<tlm_if::FlashJobIf> flash{"flash"};

  bool take_read(std::uint16_t tag, std::uint32_t lpn, std::uint32_t sectors) override;
  void write_begins(std::uint32_t lpn, std::uint32_t sectors) override;
  bool completed(const wl_flash_job& job, const wl_flash_completion& completion) override;
  bool copy_read(const wl_flash_job& job, wl_flash_completion& completion) override;

  struct Counters {
    std::uint64_t looked_up = 0;     // map entries
    std::uint64_t buffer_reads = 0;  // commands begun by engines: from the write buffer, nothing from flash
    std::uint64_t flash_reads = 0;   // at least a part from flash
    std::uint64_t zero_reads = 0;    // nothing but zeros
    std::uint64_t handed_over = 0;   // taken up and then given to the firmware
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// Of an engine in this block.
  [[nodiscard]] const Pipeline& pipeline(EngineId id) const;

 private:
  // registers that only keep their value, by word
  static constexpr std::size_t kMapBaseWord = registers::engines::map_base / 4;
  static constexpr std::size_t kMapSectorsWord = registers::engines::map_sectors / 4;
  static constexpr std::size_t kMapInitialWord = registers::engines::map_initial / 4;
  static constexpr std::size_t kSlotFirstWord = registers::engines::slot_first / 4;
  static constexpr std::size_t kOwnersBaseWord = registers::engines::owners_base / 4;
  static constexpr std::size_t kScanEndWord = registers::engines::scan_end / 4;
  static constexpr std::size_t kJobRingSizeWord = registers::engines::job_ring_size / 4;
  static constexpr std::size_t kCopyRingSizeWord = registers::engines::copy_ring_size / 4;
  static constexpr std::size_t kCopySlotFirstWord = registers::engines::copy_slot_first / 4;
  static constexpr std::size_t kCopySlotCountWord = registers::engines::copy_slot_count / 4;
  static constexpr std::size_t kLineStrideWord = registers::engines::line_stride / 4;
  static constexpr std::size_t kLinesWord = registers::engines::lines / 4;

  static constexpr std::uint64_t kBurstBytes = 64;  // of a DRAM access; LPDDR4: 16 beats of 32 bits
  static constexpr std::uint32_t kEntriesPerBurst = kBurstBytes / sizeof(std::uint32_t);

  static constexpr std::uint32_t kMaxSlots = 65536;  // wl_flash_job.id is the first slot

  /// A run of a read: sectors of one source.
  struct Run {
    wl_host_job_op op;       // WL_JOB_ZERO_OUT; WL_JOB_DMA_OUT
    bool flash;
    std::uint16_t sector;    // first one, within the command
    std::uint16_t count;
    std::uint32_t place;     // flash
    std::uint32_t slot;      // buffer: in the data buffer; flash: among the engines' slots
  };
  /// A command under way.
  struct Chain {
    std::uint16_t waiting = 0;  // flash jobs that are not back
    bool failed = false;        // one of them
    Grace::Group group = 0;
  };
  struct SlotsFreed {
    Picoseconds at;
    std::uint32_t slot;
    std::uint32_t count;
    static bool later(const SlotsFreed& a, const SlotsFreed& b) { return a.at > b.at; }  // the heap's first is the earliest
  };
  struct Doorbell {
    Picoseconds at;
    std::uint32_t produced;
  };
  enum class CopyState {
    kFilling,  // by the scan
    kReading,
    kHeld,     // reads have failed: with the firmware
  };
  struct CopyUnit {
    wl_copy_job job;
    std::uint32_t filled;
    std::uint32_t reads;  // under way
    bool failed;          // one of them
    CopyState state;
  };

  // engine_registers.cpp
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { target_.b_transport(payload, delay); }
  bool read_register(std::uint32_t offset, std::uint32_t& value) const;
  bool write_register(std::uint32_t offset, std::uint32_t value, Picoseconds at);
  void enable(std::uint32_t set);
  bool enable_copy();
  std::byte* table(std::uint32_t base, std::size_t bytes, const char* name);
  void error(const std::string& text) const;
  [[nodiscard]] wl_geometry geometry() const;

  [[nodiscard]] bool has(std::uint32_t engines) const { return (enabled_ & engines) == engines; }
  [[nodiscard]] std::uint32_t map_entry(std::uint32_t lpn) const;
  [[nodiscard]] wl_sector_state& state(std::uint32_t lpn) { return states_[lpn % WL_SECTOR_STATES]; }
  wl_flash_job build(std::uint32_t place) const;
  void begin_grace(wl_grace kind, Picoseconds at);
  void end_grace(wl_grace kind, Picoseconds at);
  void act();
  void take_jobs(const Doorbell& doorbell);

  // engine_reads.cpp
  Picoseconds look_up(std::uint16_t tag, std::uint32_t lpn, std::uint32_t sectors);
  bool plan(const wl_lookup& answer, std::uint32_t lpn, std::uint32_t sectors);
  bool add_run(std::uint32_t value, std::uint16_t sector);
  bool take_slots();
  void begin_runs(std::uint16_t tag, Picoseconds known);
  Picoseconds send(std::uint16_t tag, const Run& run, Picoseconds ready, bool last);

  // engine_gc.cpp
  void begin_scan(std::uint32_t place, Picoseconds at);
  void finish_scan();
  void end_scan();
  void collect();
  [[nodiscard]] bool scan_goes_on() { return collecting_ && (!scan_waits_ || unit_to_fill() != nullptr); }
  void begin_search(std::uint32_t line, Picoseconds at);
  void end_search();
  std::uint32_t examine(Picoseconds at);
  [[nodiscard]] std::uint32_t owner(std::uint32_t place) const;

  // engine_copy.cpp
  void take_copies(const Doorbell& doorbell);
  void take_copy(const wl_copy_job& posted);
  void read_unit(CopyUnit& unit, Picoseconds from);
  void program_unit(CopyUnit& unit);
  [[nodiscard]] CopyUnit* unit_to_fill();
  [[nodiscard]] wl_gc_source& source(std::uint32_t slot);
  [[nodiscard]] std::uint32_t unit_sectors() const { return geometry_.unit_sectors; }

  const std::uint32_t present_;
  const std::uint32_t tags_;
  const std::byte* const map_memory_;
  tlm_if::RegisterTarget target_;
  Pipeline l2p_, buffer_, job_, completion_, gc_, copy_, victim_;
  std::array<std::uint32_t, registers::engines::kStride / 4> words_{};
  std::uint32_t enabled_ = 0;

  wl_sector_state* states_ = nullptr;
  wl_lookup* lookups_ = nullptr;
  wl_grace_state* grace_ = nullptr;
  wl_ring* job_ring_ = nullptr;
  wl_gc_list* gc_list_ = nullptr;
  wl_ring* copy_ring_ = nullptr;
  wl_gc_source* sources_ = nullptr;
  std::uint32_t* copy_places_ = nullptr;
  wl_slot_info* slot_table_ = nullptr;
  const std::byte* line_table_ = nullptr;
  wl_victim* victim_answer_ = nullptr;
  wl_geometry geometry_{};

  SlotRows slots_;                            // from SLOT_FIRST on
  std::vector<SlotsFreed> freed_;             // slots that become free later, heap by time
  std::vector<std::uint16_t> run_sector_;     // first sector within its command, of the flash run that begins in each slot
  std::vector<Chain> chains_;                 // by tag
  std::vector<Run> plan_;                     // of the command that is taken up
  Grace places_;
  Picoseconds slots_until_{};                 // no chained read uses a slot of the write buffer after that
  std::array<Picoseconds, WL_GRACES> grace_end_{Picoseconds(-1), Picoseconds(-1)};
  Picoseconds places_asked_{};                // arrival of the request that runs
  std::vector<Doorbell> doorbells_;           // in order of time
  Picoseconds scan_end_{-1};                  // of the scan that runs
  std::uint32_t scan_count_ = 0, scan_next_ = 0;
  std::uint32_t scan_burst_ = 0;              // place at which this stretch began: its owner's burst is read
  Picoseconds scan_owners_{}, scan_known_{}, scan_last_{};  // the burst is there, the last place is known, all are
  bool collecting_ = false;                   // a scan fills units
  bool scan_waits_ = false;                   // ... and has found something for the next one
  Picoseconds scan_resume_{};                 // ... and may go on then
  std::uint64_t scanned_ = 0;
  std::vector<Doorbell> copy_doorbells_;      // in order of time
  std::vector<CopyUnit> copies_;              // in the order in which they were posted; as many as the collector has units
  std::deque<std::uint32_t> copy_places_left_;
  std::uint64_t copied_ = 0, copies_handed_over_ = 0;  // units
  Picoseconds search_end_{-1};                // of the search that runs
  std::uint32_t search_line_ = 0;
  std::uint64_t searches_ = 0;
  sc_core::sc_event wake_{"wake"};
  Counters counters_;
};

}  // namespace wordline::engines
