// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "models/onfi/address.h"
#include "models/onfi/timing.h"
#include "models/results/registry.h"
#include "tlm/ecc/ecc_if.h"
#include "tlm/ecc/ecc_registers.h"
#include "tlm/flash/bus/onfi_transaction.h"
#include "tlm/flash/channel/completion_ring.h"
#include "tlm/flash/channel/die_queue.h"
#include "tlm/flash/channel/die_retry.h"
#include "tlm/flash/channel/read_group.h"
#include "tlm/flash/channel/ready_map.h"
#include "tlm/flash/die/nand_die.h"
#include "tlm/protocol/arrivals.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/register_target.h"
#include "tlm/protocol/ring.h"

namespace wordline::flash {

/// Runs the flash jobs of one channel: takes them from the firmware's ring when the doorbell arrives, keeps a queue per
/// die (DieQueue: the order rules), and shares the bus among the dies.
///
/// Who gets the bus, round robin over packages and their LUNs within each class:
///   1. data out whose column was selected (06h): so that a package is not held longer than tCCS;
///   2. short segments: read and erase commands, status, SET FEATURES: they keep all dies at work;
///   3. data out of finished reads, or its column selection when the page is not in front of the wires: planes of a
///      multi-plane read, LUNs when another of the package was addressed since. A die that has begun goes on first;
///   4. data in of programs, units that have begun before new ones: dies do not wait for each other's last page; after
///      `starvation_bound` segments of class 3 it goes before them.
/// A page of a program (80h ADDR, tADL, data, 10h/11h/1Ah) holds the bus as a whole; so does every other segment. tCCS,
/// tDBSY, tFEAT and array times leave it to other packages. A segment may be announced up to max(tRR, tRHW) ahead when
/// nothing else can use the bus.
/// Programs likewise: a unit begins in the gaps of another (tDBSY) only when two wait.
/// While the data that wait would not fill the bus for a tR, dies must not finish together: they would sense together
/// too, and the bus would idle. So one die streams all its planes before the next one begins, and data wait for a command
/// that is due within tRHW, or tWB + tDBSY between the planes of a read.
///
/// Read: command (by plane when the run crosses planes), tR, data out by plane, decoding sector by sector as the last
/// bit of each comes in, 4096 bytes of DRAM per sector, completion when the last is there. When codewords fail, the die
/// is held until the verdict; then the die's read-retry controller (models/ecc/retry/read_retry.h) says what to do: SET FEATURES
/// 89h with other references, sense the planes of the failed sectors again and stream out only these, decode; at the end
/// the references are set back: every job starts from the default references. Sectors that are complete are handed over
/// at once. Sectors given up leave token zero without owner in their slots, and their completion carries the history.
/// An erased page is recognised (no ECC failure, token zero).
/// Retry led by firmware (engines.retry off): the first reading ends the job, and the die is free at the end of the data. What
/// the slots lack is remembered; a job with wl_flash_job::retry sets its references, reads and decodes that (models/ecc/
/// retry_attempt.h carries it out), and is done. It shares its sense with no other job and is no part of a READ CACHE sequence.
/// Program: each page of each plane is fetched from DRAM one page ahead of the bus, the first while the die still works. Program and erase end with one
/// status read (70h/78h) when R/B_n rises: no polling.
///
/// READ CACHE (channels.cache_read): when a read waits while a page is ready, the array reads its page behind the data of
/// the first (31h for the next page, else 00h ADDR 31h, any plane), and so on; 3Fh ends the sequence. Reads that fail in
/// it are read again by themselves when it has ended, which it does once the first failure is known, and retried then.
/// CACHE PROGRAM (channels.cache_program): when a program is next while one is loaded, the loaded one ends with 15h, and
/// the next one comes in while the array programs. A status read after each 15h tells about the unit before (FAILC). The
/// last one ends with 10h, and its status tells about both.
/// Suspend (channels.suspend): a host read that comes while the die programs or erases stops it; a status read tells
/// whether it has stopped or ended. Then host reads go, at most `starvation_bound` of them, and the operation goes on. It
/// is suspended at most `suspend_limit` times.
///
/// Timed events of a 4 KiB read: doorbell, end of tR (the die's), end of data, completion; one more at the end of the
/// command when the bus is contended.
/// Gaps: a die whose read decodes at once takes its next job at the end of data, before
/// the verdict is out; the DRAM port is asked for a sector when the data of its plane have ended. Decoder outcomes are
/// keyed by place, P/E count and reference step.
class ChannelController final : public sc_core::sc_module, public ReadyBusyIf {
 public:
  /// What the channels share.
  struct Shared {
    ecc::EccRegisters& ecc_registers;
    CompletionRing& completions;
    const std::uint32_t& slot_table;  // FLASH.SLOT_TABLE
  };

  /// `dies`: the dies of this channel by index, bound to the same bus as `bus`. They outlive the controller. `retry`: the
  /// read-retry controller of each.
  ChannelController(const sc_core::sc_module_name& name, const config::Config& config, const config::Layout& layout,
                    ChannelId channel, std::vector<const NandDie*> dies, ecc::EccIf& decoder,
                    std::vector<std::unique_ptr<ecc::RetryIf>> retry, const Shared& shared);

  /// CHANNEL[i].
  tlm_utils::simple_target_socket<ChannelController> registers{"registers"};
  OnfiInitiatorSocket bus{"bus"};
  sc_core::sc_port<tlm_if::SharedMemoryIf> memory{"memory"};
  sc_core::sc_port<tlm_if::DramIf> dram{"dram"};
  sc_core::sc_port<tlm_if::DataBufferIf> buffer{"buffer"};

  /// A job from hardware beside the ring; it arrives at `at`.
  void submit(Picoseconds at, const wl_flash_job& job);

  /// From the dies.
  void ready(unsigned die, Picoseconds at) override;

  [[nodiscard]] std::uint32_t outstanding() const { return outstanding_; }
  [[nodiscard]] std::uint64_t soft_reads() const { return soft_reads_; }
  /// As parts of the sums over all channels.
  void register_statistics(results::Registry& registry) const;

 private:
  /// What a die needs next.
  enum class Step : std::uint8_t {
    kIdle,          // a job
    kReadCommand,   // bus: next plane's read command
    kCacheCommand,  // bus: next plane's READ CACHE, or its end
    kArray,         // R/B_n to rise
    kDataOut,       // bus: select the column, or the data
    kStreaming,     // its data are on the bus
    kReferences,    // bus: SET FEATURES, references of the retry command
    kDataIn,        // bus: next page of a program
    kEraseCommand,  // bus: next plane's erase command
    kStatus,        // bus: status read
    kCacheStatus,   // bus: status read of the unit before, within CACHE PROGRAM
    kStopping,      // R/B_n to rise: suspend has been sent
  };
  enum BusClass : std::uint8_t { kSelectedOut, kShort, kMoreOut, kOut, kIn, kNewIn, kBusClasses };
  static constexpr std::uint8_t kNoClass = 0xff;
  static constexpr unsigned kSelectCycles = 8;  // 06h, at most six address cycles, E0h
  static constexpr std::uint32_t kNoPlane = ReadGroup::kNoPlane;
  /// Places in JobMarks, the order of kJobStages.
  enum Mark : std::size_t { kQueueFlash, kBusCommand, kArrayTime, kQueueBus, kBusData, kEcc };

  struct Die {
    Die(DieQueue jobs, const ReadGroup& group, DieRetry retry_state)
        : queue(std::move(jobs)), reads(group), behind(group), retry(std::move(retry_state)) {}
    DieQueue queue;
    ReadGroup reads;        // under way
    ReadGroup behind;       // READ CACHE: in the array while the data of `reads` go out
    std::vector<ReadGroup> deferred;  // failed within a sequence; read again when it has ended
    DieRetry retry;
    JobIndex job = kNoJob;  // program or erase under way
    // CACHE PROGRAM: the unit before `job`, and the one before that until its status has been read.
    JobIndex in_array = kNoJob;
    JobIndex before = kNoJob;
    bool suspended = false;      // it is; reads go on
    std::uint32_t suspends = 0;  // times that it was
    std::uint32_t served = 0;    // reads since it was suspended
    Step step = Step::kIdle;
    std::uint8_t bus_class = kNoClass;
    bool selected = false;     // the column of the next data was selected by 06h, tCCS apart
    bool in_place = false;     // read command of one plane has set the column of the next data
    bool streamed = false;     // some data of this attempt are out
    Picoseconds eligible{};    // not on the bus before
    Picoseconds timer{-1};     // of its entry in the timers; -1: none
    Picoseconds data_after{};  // R/B_n rise + tRR
    std::uint32_t plane = 0;   // program: page of the unit times planes plus plane; erase: plane
  };
  struct Timer {
    Picoseconds at;
    std::uint32_t die;
    friend bool operator<(const Timer& a, const Timer& b) {  // the heap's top is the earliest
      return a.at != b.at ? b.at < a.at : b.die < a.die;
    }
  };

  // channel_controller.cpp: registers, doorbells, the bus
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { target_.b_transport(payload, delay); }
  bool read_register(std::uint32_t offset, std::uint32_t& value) const;
  bool write_register(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& delay);
  void ring_doorbell(Picoseconds at, std::uint32_t produced);
  void take_jobs(Picoseconds at, std::uint32_t produced);
  void accept(const wl_flash_job& job, Picoseconds at);
  [[nodiscard]] bool ring_ready();
  [[nodiscard]] std::string fault(const wl_flash_job& job) const;
  void on_wake();
  void schedule(Picoseconds now);
  void evaluate(std::uint32_t die, Picoseconds at);
  void set_class(std::uint32_t die, std::uint8_t bus_class);
  void set_timer(std::uint32_t die, Picoseconds at);
  void expire_timers(Picoseconds until);
  [[nodiscard]] bool any_eligible() const;
  [[nodiscard]] bool any_out() const {
    return ready_[kMoreOut].any(locked_) || (ready_[kOut].any(locked_) && (turn_ == kNoJob || !data_is_scarce()));
  }
  [[nodiscard]] bool any_in() const {
    return ready_[kIn].any(locked_) || (ready_[kNewIn].any(locked_) && (loading_ == 0 || two_units_wait()));
  }
  [[nodiscard]] bool two_units_wait() const { return ready_[kNewIn].packages(locked_) > 1; }
  [[nodiscard]] bool command_is_near(Picoseconds now) const;
  [[nodiscard]] bool data_is_scarce() const;
  [[nodiscard]] std::uint32_t pick();
  [[nodiscard]] bool needs_selection(std::uint32_t die) const;
  void arm(Picoseconds now);

  // channel_jobs.cpp: what all jobs share
  void grant(std::uint32_t die, Picoseconds at);
  void start_job(std::uint32_t die, Picoseconds at);
  void finish(JobIndex index, Picoseconds at, wl_flash_status status, std::uint32_t retries, const JobMarks& marks,
              std::uint32_t history = 0);
  [[nodiscard]] onfi::Address address(std::uint32_t die, const wl_flash_job& job, std::uint32_t plane) const;
  [[nodiscard]] wl_slot_info* owner(std::uint32_t slot);
  /// Announces transaction_ for `at`; returns its end.
  Picoseconds send(std::uint32_t die, onfi::SegmentKind kind, const onfi::Cycles& cycles, Picoseconds at);
  Picoseconds send_data(std::uint32_t die, onfi::SegmentKind kind, std::uint32_t sectors, Picoseconds at);
  Picoseconds transport(std::uint32_t die, Picoseconds at);
  [[nodiscard]] unsigned package(std::uint32_t die) const { return die % packages_; }
  [[nodiscard]] Picoseconds command_after(std::uint32_t die, Picoseconds at) const;

  // channel_reads.cpp
  void read_command(std::uint32_t die, Picoseconds at);
  void data_out(std::uint32_t die, Picoseconds at);
  void end_of_data(std::uint32_t die);
  bool join(std::uint32_t die, JobIndex index);
  void finish_read(std::uint32_t die, JobIndex index, wl_flash_status status, std::uint32_t retries,
                   std::uint32_t history);
  void deliver(const wl_flash_job& job, std::uint32_t sector, const nand::StoredSector& stored, unsigned lacks = 0);

  // channel_retry.cpp
  void decode_run(std::uint32_t die);
  void conclude(std::uint32_t die, std::uint32_t s, const ecc::EccIf::Result& result, bool soft);
  void finish_complete(std::uint32_t die);
  void end_of_attempt(std::uint32_t die, Picoseconds at);
  [[nodiscard]] bool starts_from_ort(std::uint32_t die) const;
  void start_retry(std::uint32_t die, bool sensed, Picoseconds at);
  void run_retry(std::uint32_t die, Picoseconds at);
  [[nodiscard]] bool start_flash_command(std::uint32_t die);
  [[nodiscard]] nand::ReadParameters references(const ecc::FlashCommand& command) const;
  void set_references(std::uint32_t die, Picoseconds at);
  [[nodiscard]] Picoseconds retry_decode(std::uint32_t die, Picoseconds at);
  void decode_soft(std::uint32_t die, const ecc::DecodeCommand& command, Picoseconds at);
  void end_retry(std::uint32_t die, ecc::RetryResult result, Picoseconds at);
  [[nodiscard]] std::uint16_t layer_of(std::uint32_t page) const;

  // channel_attempts.cpp: retry led by firmware
  void start_firmware_read(std::uint32_t die, Picoseconds at);
  void start_attempt(std::uint32_t die, Picoseconds at);
  void hand_back(std::uint32_t die);
  void end_attempt(std::uint32_t die, const ecc::RetryResult& result, Picoseconds at);
  [[nodiscard]] unsigned give_back(std::uint32_t die, const wl_flash_job& job);

  // channel_cache.cpp
  [[nodiscard]] bool caches_next(const Die& die, Picoseconds at) const;
  void begin_sequence(std::uint32_t die, Picoseconds at);
  void continue_sequence(std::uint32_t die, Picoseconds at);
  void cache_command(std::uint32_t die, Picoseconds at);
  void resume_deferred(std::uint32_t die);
  [[nodiscard]] bool is_next_page(std::uint32_t die) const;
  void begin_output(std::uint32_t die, Picoseconds at);

  // channel_programs.cpp
  void data_in(std::uint32_t die, Picoseconds at);
  void erase_command(std::uint32_t die, Picoseconds at);
  void read_status(std::uint32_t die, Picoseconds at);
  void read_cache_status(std::uint32_t die, Picoseconds at);
  [[nodiscard]] std::uint8_t status_of(std::uint32_t die, Picoseconds at);
  void finish_write(std::uint32_t die, JobIndex index, bool failed);
  [[nodiscard]] bool caches_program(const Die& die) const;
  [[nodiscard]] bool wants_suspend(const Die& die) const;
  [[nodiscard]] bool wants_resume(const Die& die) const;
  void suspend(std::uint32_t die, Picoseconds at);
  void resume(std::uint32_t die, Picoseconds at);
  [[nodiscard]] Picoseconds fetch_page(Picoseconds earliest);
  void fetch_next(std::uint32_t die, Picoseconds earliest);

  const config::Channels rules_;
  const ChannelId channel_;
  const std::uint32_t channels_, packages_, planes_, blocks_, pages_, pages_per_program_, sectors_per_page_;
  const unsigned states_;  // of a cell
  const bool retry_by_firmware_;
  const std::uint64_t seed_;
  const Picoseconds lookahead_, command_lookahead_;
  const Picoseconds shortest_read_;
  const onfi::BusTiming timing_;
  const onfi::AddressCodec codec_;
  const std::vector<const NandDie*> arrays_;
  ecc::EccIf& decoder_;
  const Shared shared_;
  tlm_if::RegisterTarget target_;

  std::uint32_t ring_base_ = 0;
  std::uint32_t ring_size_ = 0;
  tlm_if::RingConsumer<wl_flash_job> ring_;
  tlm_if::Arrivals<std::uint32_t> doorbells_;
  tlm_if::Arrivals<wl_flash_job> submitted_;  // from hardware

  JobPool pool_;
  std::vector<Die> dies_;
  std::vector<ReadyMap> ready_;           // by bus class
  std::vector<Timer> timers_;             // heap; a die may have stale entries
  std::uint64_t locked_ = 0;              // packages between 06h and their data
  std::vector<std::uint32_t> addressed_;  // by package: die addressed last
  std::vector<Picoseconds> output_end_;   // by package: end of the last data or status output
  Picoseconds bus_free_{};
  std::uint32_t streaming_ = kNoJob;  // die whose data are on the bus until bus_free_
  std::uint32_t loading_ = 0;         // dies with a unit loaded in part
  std::uint32_t turn_ = kNoJob;       // die that streams and has more to stream
  Picoseconds burst_{};               // length of the last data
  std::uint32_t data_in_passed_ = 0;
  OnfiTransaction transaction_;
  std::vector<nand::StoredSector> page_;  // of the plane on the bus
  sc_core::sc_event wake_{"wake"};
  Picoseconds wake_at_{-1};  // of the pending notification; -1: none

  // Retry led by firmware: codewords that a slot lacks after a read that failed, by slot.
  std::vector<std::uint8_t> lacking_;

  std::uint32_t outstanding_ = 0;
  std::uint64_t soft_reads_ = 0;
};

}  // namespace wordline::flash
