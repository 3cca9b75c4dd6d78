// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/engines/grace.h"
#include "models/engines/place.h"
#include "models/firmware/contract.h"
#include "registers/wordline_regs.hpp"
#include "tlm/engines/pipeline.h"
#include "tlm/protocol/engine_if.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/register_target.h"

namespace wordline::engines {

/// Engines of a configuration as bits of wl_engine.
[[nodiscard]] std::uint32_t engine_set(const config::Engines& config);
/// Slots of the read buffer that belong to the engines: one per command, at most half of the buffer.
[[nodiscard]] std::uint32_t engine_slots(const config::Engines& config, std::uint32_t tags, std::uint32_t read_slots);

/// The hardware engines of the data path, each optional and each a Pipeline (latency, interval, depth):
///   l2p         reads the map in DRAM for a read command: one burst of 64 bytes per 16 map entries, over the DRAM port;
///   buffer      a read of one sector whose map entry names a slot of the write buffer goes from there to the host;
///   job         makes a flash job from a place, for the firmware's ring (ENGINES.JOB_DOORBELL) and for the engines;
///   completion  a flash read that has succeeded: data to the host, then the completion entry;
///   gc          lists the valid sectors of a stretch of places: an entry of the inverse map for each (a burst per 16), and
///               the map entry of its sector (a burst).
/// With l2p, job and completion a read of one sector that lies in flash is served without a core; with l2p alone, or when
/// it cannot go on, a command goes to the firmware with what was looked up. What the firmware must do for that is in
/// contract.h. A failed read is handed to the firmware, which reads again.
///
/// No process but the end of a grace period and the firmware's job doorbell: an engine's times are reservations, and what
/// it does takes effect when the next block acts. A map entry is taken when its lookup is given to the engine, an
/// instant within the access. A chained read takes no timed event of its own.
///
/// Accuracy: times by configuration, assumed; divisions by geometry are one step. The tables in tightly coupled memory
/// are read within the latency. Commands are in order of arrival. Source: our design.
/// Known gaps: reads of several sectors are looked up, but not chained; reads of deallocated sectors go to the firmware.
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

  struct Counters {
    std::uint64_t looked_up = 0;     // map entries
    std::uint64_t buffer_reads = 0;  // commands served by engines alone
    std::uint64_t flash_reads = 0;
    std::uint64_t handed_over = 0;   // taken up and then given to the firmware
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const Pipeline& l2p() const { return l2p_; }
  [[nodiscard]] const Pipeline& buffer() const { return buffer_; }
  [[nodiscard]] const Pipeline& job() const { return job_; }
  [[nodiscard]] const Pipeline& completion() const { return completion_; }
  [[nodiscard]] const Pipeline& gc() const { return gc_; }

 private:
  // registers that only keep their value, by word
  static constexpr std::size_t kMapBaseWord = registers::engines::map_base / 4;
  static constexpr std::size_t kMapSectorsWord = registers::engines::map_sectors / 4;
  static constexpr std::size_t kMapInitialWord = registers::engines::map_initial / 4;
  static constexpr std::size_t kSlotFirstWord = registers::engines::slot_first / 4;
  static constexpr std::size_t kOwnersBaseWord = registers::engines::owners_base / 4;
  static constexpr std::size_t kScanEndWord = registers::engines::scan_end / 4;
  static constexpr std::size_t kJobRingSizeWord = registers::engines::job_ring_size / 4;

  static constexpr std::uint64_t kBurstBytes = 64;  // of a DRAM access; LPDDR4: 16 beats of 32 bits
  static constexpr std::uint32_t kEntriesPerBurst = kBurstBytes / sizeof(std::uint32_t);
  static constexpr std::uint32_t kMapInitial = 0, kMapDeallocated = 1, kMapPlace0 = 3, kMapBuffer = 0x80000000U;

  struct SlotFreed {
    Picoseconds at;
    std::uint32_t slot;
    static bool later(const SlotFreed& a, const SlotFreed& b) { return a.at > b.at; }  // the heap's first is the earliest
  };
  struct Doorbell {
    Picoseconds at;
    std::uint32_t produced;
  };

  // engine_registers.cpp
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { target_.b_transport(payload, delay); }
  bool read_register(std::uint32_t offset, std::uint32_t& value) const;
  bool write_register(std::uint32_t offset, std::uint32_t value, Picoseconds at);
  void enable(std::uint32_t set);
  std::byte* table(std::uint32_t base, std::size_t bytes, const char* name);
  void error(const std::string& text) const;
  [[nodiscard]] PlaceGeometry geometry() const;

  [[nodiscard]] bool has(std::uint32_t engines) const { return (enabled_ & engines) == engines; }
  [[nodiscard]] std::uint32_t map_entry(std::uint32_t lpn) const;
  [[nodiscard]] wl_sector_state& state(std::uint32_t lpn) { return states_[lpn % WL_SECTOR_STATES]; }
  Picoseconds look_up(std::uint16_t tag, std::uint32_t lpn, std::uint32_t sectors);
  void read_flash(std::uint16_t tag, std::uint32_t place, std::uint32_t slot, Picoseconds from);
  void read_buffer(std::uint16_t tag, std::uint32_t slot, Picoseconds from);
  bool take_slot(std::uint32_t& slot);
  void free_slot(std::uint32_t slot, Picoseconds at);
  wl_flash_job build(std::uint32_t place) const;
  void begin_grace(wl_grace kind, Picoseconds at);
  void end_grace(wl_grace kind, Picoseconds at);
  void act();
  void take_jobs(const Doorbell& doorbell);

  // engine_gc.cpp
  void begin_scan(std::uint32_t place, Picoseconds at);
  void end_scan();
  [[nodiscard]] std::uint32_t owner(std::uint32_t place) const;

  const std::uint32_t present_;
  const std::uint32_t tags_;
  const std::byte* const map_memory_;
  tlm_if::RegisterTarget target_;
  Pipeline l2p_, buffer_, job_, completion_, gc_;
  std::array<std::uint32_t, registers::engines::kStride / 4> words_{};
  std::uint32_t enabled_ = 0;

  wl_sector_state* states_ = nullptr;
  wl_lookup* lookups_ = nullptr;
  wl_grace_state* grace_ = nullptr;
  wl_ring* job_ring_ = nullptr;
  wl_gc_list* gc_list_ = nullptr;
  PlaceGeometry geometry_;

  std::vector<std::uint32_t> free_slots_;
  std::vector<SlotFreed> freed_;              // slots that become free later, heap by time
  std::vector<Grace::Group> group_;           // of the chained read in each slot, from SLOT_FIRST on
  Grace places_;
  Picoseconds slots_until_{};                 // no chained read uses a slot of the write buffer after that
  std::array<Picoseconds, WL_GRACES> grace_end_{Picoseconds(-1), Picoseconds(-1)};
  Picoseconds places_asked_{};                // arrival of the request that runs
  std::vector<Doorbell> doorbells_;           // in order of time
  Picoseconds scan_end_{-1};                  // of the scan that runs
  std::uint32_t scan_count_ = 0, scan_next_ = 0;
  std::uint64_t scanned_ = 0;
  sc_core::sc_event wake_{"wake"};
  Counters counters_;
};

}  // namespace wordline::engines
