// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <systemc>
#include <vector>

#include "models/data/stamp.h"
#include "models/results/wait_causes.h"
#include "models/units/quantity.h"
#include "tlm/protocol/calendar.h"

/// The connections of modules beside their TLM sockets: small interfaces, bound with sc_port / sc_export.
namespace wordline::tlm_if {

/// Ticks of the kernel (sc_set_time_resolution) in a picosecond, in which the drive counts: 1, or 1,000 for a host that
/// has femtoseconds. From the first call on the resolution cannot change, as after any sc_time. Throws
/// std::runtime_error when a tick is longer than a picosecond: the drive's times would be rounded, on each of its
/// buses.
[[nodiscard]] inline std::int64_t ticks_of_a_picosecond() {
  static const std::int64_t ticks = [] {
    const sc_core::sc_time tick = sc_core::sc_get_time_resolution();
    const std::int64_t found = std::llround(1e-12 / tick.to_seconds());
    if (found < 1) {
      throw std::runtime_error(
          "the time resolution of this simulation is " + tick.to_string() +
          ", expected 1 ps, SystemC's default, or finer (sc_set_time_resolution): the drive counts in "
          "picoseconds");
    }
    return found;
  }();
  return ticks;
}

[[nodiscard]] inline sc_core::sc_time to_sc_time(Picoseconds t) {
  return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(t.count() * ticks_of_a_picosecond()));
}
/// The picosecond that `t` is in.
[[nodiscard]] inline Picoseconds to_picoseconds(const sc_core::sc_time& t) {
  return Picoseconds(static_cast<std::int64_t>(t.value()) / ticks_of_a_picosecond());
}
[[nodiscard]] inline Picoseconds kernel_time() {
  static const sc_core::sc_time& stamp = sc_core::sc_time_stamp();  // the kernel's own variable
  return to_picoseconds(stamp);
}
/// Tightly coupled memory as hardware blocks see it: a port of its own, no waiting.
class SharedMemoryIf : virtual public sc_core::sc_interface {
 public:
  /// Host pointer to `bytes` bytes at bus address `address`. Reports an error (SC_ERROR) and returns a null pointer
  /// when the range is not inside tightly coupled memory or not 4-byte aligned.
  virtual std::byte* at(std::uint32_t address, std::size_t bytes) = 0;
};

/// Raises interrupt sources (WL_IRQ_* of contract.h) at the cores that enabled them.
class InterruptIf : virtual public sc_core::sc_interface {
 public:
  virtual void raise(unsigned source) = 0;
};

/// The DRAM port: first come, first served. Returns the time at which the transfer ends, not before `earliest`.
class DramIf : virtual public sc_core::sc_interface {
 public:
  virtual Picoseconds reserve(Picoseconds earliest, std::uint64_t bytes) = 0;
  /// As many calls of reserve(), in the order of the list.
  virtual void reserve_each(std::vector<Transfer>& transfers) = 0;
  /// The time of a transfer that meets no other: the port is taken so long, and latency() comes behind it.
  [[nodiscard]] virtual Picoseconds occupancy(std::uint64_t bytes) = 0;
  [[nodiscard]] virtual Picoseconds latency() const = 0;
  /// What lies from WL_DRAM_BASE on; looking takes no time, the transfer is reserved.
  [[nodiscard]] virtual std::byte* data() = 0;
};

/// The data buffer in DRAM: one token per slot. Content only; time is charged through DramIf.
class DataBufferIf : virtual public sc_core::sc_interface {
 public:
  virtual data::LpageToken& slot(std::uint32_t index) = 0;
  virtual data::TokenPool& pool() = 0;
};

/// Stages of a command, in the order in which a read passes them. `kQueue...` is waiting, the rest service.
enum class Stage : std::uint8_t {
  kSubmit,        // doorbell on its way to the controller
  kFetch,         // queue entry read over the link, parsed
  kQueueCore,     // firmware has it, and no core works for it
  kQueueBuffer,   // firmware has it, and it waits for a place in a buffer or a job id (PoolWaits)
  kQueueOrder,    // firmware has it, and it waits for commands that write the same logical pages
  kQueueMap,      // firmware has it, and it waits for a map page from flash (ftl.map_cache)
  kFirmware,      // a core works for it, until the doorbell of its flash job or DMA
  kEngine,        // instead of these: hardware engines, until their flash job arrives
  kQueueFlash,    // job waits for its die and for the bus
  kBusCommand,    // command, address (and for programs data) cycles
  kArray,         // tR
  kQueueBus,      // page in the register, waits for the bus
  kBusData,       // data out
  kQueueEcc,      // data wait for the decoder
  kEcc,           // decoder, and the logical page on its way into the buffer
  kQueueStore,    // decoded logical page waits for the DRAM port on its way into the buffer
  kRetry,         // after the first decoding failed: every further reading and decoding
  kQueueResume,   // firmware has the completion, and no core works for it
  kFirmwareDone,  // a core works for it, until the doorbell of its DMA or completion
  kEngineDone,    // instead of these two: the completion engine
  kQueueDma,      // data wait for the DMA engine, the DRAM port or the link
  kDmaSetup,      // link.dma_setup
  kDma,           // data over DRAM and link
  kSettle,        // nvme.write_latency: data in the buffer, until they count as there
  kProgram,       // FLUSH, or write that completes after its program: data in the buffer, until they are on flash
  kComplete,      // completion entry and interrupt on their way
  kCount
};

/// Duration of every stage of one finished command; unused stages are 0; the sum is the latency, exactly.
using StageTimes = std::array<Picoseconds, static_cast<std::size_t>(Stage::kCount)>;

/// What a die was at work on while a read waited for it.
enum class DieWork : std::uint8_t { kReads, kGcReads, kProgram, kGcProgram, kErase, kCount };
using DieWorkTimes = std::array<Picoseconds, static_cast<std::size_t>(DieWork::kCount)>;

/// When the stages of one flash job that read began. `retry`: negative when there was none. `store`: so long before its
/// end as the last logical page waited for the DRAM port; negative when none went there.
struct ReadMarks {
  Picoseconds arrived, command, array, ready, data, decode_wait, decode, store, retry;
  DieWorkTimes behind{};      // from `arrived` to `command`: the work of the die; what is missing, its bus
  std::uint32_t retries = 0;  // steps of read retry; of an attempt by firmware 0
};

/// A finished command.
struct Finished {
  static constexpr std::uint16_t kNoDie = 0xffff;
  StageTimes times{};
  std::uint16_t die = kNoDie;  // die of the flash job that delivered its marks last; kNoDie: none of them read
  results::WaitTimes waits{};  // behind what it waited: as long as its waiting stages
  std::uint32_t retries = 0;   // steps of read retry of all its flash jobs
  const std::vector<std::uint16_t>* dies = nullptr;  // of its flash reads, until its identifier is used again
};

/// Stage clock of commands in flight. A mark is the time at which a stage begins; the last mark of a stage wins (a
/// command with several flash jobs shows the one that finished last, because a job delivers its marks when it
/// completes). At the end the marks are put in order of time, and each stage lasts until the next one begins: so the
/// stages sum to the latency by construction. Stages may appear in any order (a write's DMA comes before its firmware
/// resumes).
///
/// kQueueCore and kQueueResume are marked when firmware gets the command, or its completed flash job. What lies between
/// such a mark and the next one is divided: time in which a core worked for the command (work()) is kFirmware or
/// kFirmwareDone, time in which it was held (held()) is kQueueOrder or kQueueMap, time in which commands of its kind
/// waited for a pool (pool()) is kQueueBuffer, the rest is waiting for a core. Those are never marked.
class StageClockIf : virtual public sc_core::sc_interface {
 public:
  /// Host driver: command `cid` of queue `qid` submitted; starts kSubmit.
  virtual void submitted(std::uint16_t qid, std::uint16_t cid, Picoseconds at) = 0;
  /// Controller: the command got internal tag `tag`; its doorbell had arrived at `arrived`, which starts kFetch.
  virtual void begin(std::uint16_t tag, std::uint16_t qid, std::uint16_t cid, Picoseconds arrived) = 0;
  /// Stage `stage` of the command begins at `at` (may lie in the future of sc_time_stamp()). WL_NO_TAG is ignored.
  virtual void mark(std::uint16_t tag, Stage stage, Picoseconds at) = 0;
  /// A flash job of the command, a read, has ended. `attempt`: it was one of a read retry that firmware controls.
  virtual void flash_read(std::uint16_t tag, std::uint16_t die, const ReadMarks& marks, bool attempt) = 0;
  /// A core worked for the command. Of a tag that is not in use: left out, firmware cleans up behind it.
  virtual void work(std::uint16_t tag, Picoseconds from, Picoseconds to) = 0;
  /// The command waits from `at` on, until a core works for it again; `stage`: kQueueOrder or kQueueMap.
  virtual void held(std::uint16_t tag, Stage stage, Picoseconds at) = 0;
  /// The data of the write, or before the FLUSH, are in the buffer at `at`; it waits for them to be on flash.
  virtual void programs(std::uint16_t tag, Picoseconds at) = 0;
  /// Commands of kind `waiter` (wl_waiter) wait for `pool` (wl_pool) from `at` on; WL_POOL_NONE: they go on.
  virtual void pool(unsigned waiter, unsigned pool, Picoseconds at) = 0;
  /// Controller: the completion entry is on its way, the tag may be used again; starts kComplete at `at`.
  virtual void release(std::uint16_t tag, Picoseconds at) = 0;
  /// Host driver: the interrupt has been taken. `waiter`: whose waits for pools were the command's (wl_waiter).
  virtual Finished finish(std::uint16_t qid, std::uint16_t cid, Picoseconds at, unsigned waiter) = 0;
};

/// Counts busy time of a resource; overlapping reservations must not be added twice by the caller.
struct BusyCounter {
  Picoseconds busy{};
  std::uint64_t uses = 0;
  void add(Picoseconds d) {
    busy += d;
    ++uses;
  }
};

}  // namespace wordline::tlm_if
