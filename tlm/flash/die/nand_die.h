// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/nand/die.h"
#include "models/onfi/address.h"
#include "models/onfi/features.h"
#include "models/onfi/sequence_table.h"
#include "models/onfi/timing.h"
#include "models/results/registry.h"
#include "models/units/index.h"
#include "tlm/flash/bus/onfi_transaction.h"
#include "tlm/flash/die/copied_errors.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::flash {

/// One die (LUN) behind its pins: takes bus segments, lets the time of array operations pass, keeps the registers and
/// the status. What the array holds and how long it takes is nand::Die's. docs/onfi.md shows the sequences with their
/// times.
///
/// Time: a confirm cycle ends at t; R/B_n falls at t + tWB, the plan's total passes, R/B_n rises and ready() is called.
/// One event per array operation. tDBSY, tFEAT and tRST pass the same way but without event or callback: the
/// transaction's `ready_at` tells. All dies work in parallel, LUNs of one package too.
///
/// Registers: the array reads into the page register, data go out of the cache register. 30h fills both. READ CACHE
/// (31h, 00h ADDR 31h) waits for the array, moves page register to cache register in tRCBSY and lets the array read the
/// next page; 3Fh moves the last one. CACHE PROGRAM (15h) waits for the array, moves the unit out of the cache register
/// in tPCBSY and lets the array program it, while the next unit comes in; the last one ends with 10h. These spend no
/// event (`ready_at`, `array_ready_at`), the last 10h one. While the array works behind a ready die, the die takes what
/// continues the sequence, data out, status, RESET and suspend.
///
/// Suspend (84h a program, 61h an erase, to a busy die too): tWB after the command the micro-operation under way is the
/// last one; `t_suspend_program` or `t_suspend_erase` after its end R/B_n rises, ready() is called and SR[2] is set.
/// When it was the operation's last micro-operation, the operation ends as usual, with ready() and SR[2] clear; to a
/// die whose array rests the command does nothing. Resume (13h, D2h) goes on with the micro-operations that remain: the
/// same pulses, none twice. So an operation ends however often it is suspended. One operation at a time is suspended;
/// meanwhile the die reads (not READ CACHE): during a program every page but those of its unit, during an erase every
/// other block, which it also programs. Resuming ends the validity of data that were read.
///
/// All planes of a multi-plane operation address the same block and page of their plane. A program or an erase ends the
/// validity of data that were read before. Copyback carries raw bit errors on: see CopiedErrors.
///
/// Features (models/onfi/features.h) set how the reads and programs that follow are done and tell what the last program
/// measured. A soft read senses every reference several times; the bins are data beside the page, one bit plane each
/// (onfi::soft_planes), and C0h N turns the next data out to plane N: as many bytes, another transfer. What the bins
/// are worth is soft_channel(); tokens stand for the page in every plane.
///
/// RESET (at the end of its cycle) stops the array: a program or erase under way or suspended leaves its word line or
/// block torn (nand::Die), units that wait or are being loaded are dropped, the registers are empty, ready() is not
/// called; the features stay, but FFh goes back to the interface after power-on (onfi::mode_after_reset). tRST is that
/// of what was stopped.
///
/// A segment that breaks the rules (command to a busy die, output without data, unit not complete, program of a
/// programmed page, address outside the die) is an SC_ERROR naming the die, sets FAIL where an operation was asked for,
/// and answers ok = false.
///
/// Waveform (scope "ssd.channelN.dieM", M the index within the channel): `state`, `suspended`; with observe.nand =
/// "microop" also `microop` and `voltage` (word line, volts).
/// Known gaps: an erase pulse is not cut at a suspend, some devices do; a suspend while a unit waits in the cache
/// register or is being loaded is an error; moving a page between registers takes the same time whatever the array
/// does.
class NandDie final : public sc_core::sc_module, public DieIf {
 public:
  /// Called at the end of every array operation; need not be bound.
  sc_core::sc_port<ReadyBusyIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> ready{"ready"};

  /// Die `index` of channel `channel`: DieId = index * channels + channel. `snoop` and `recorder` may be null.
  NandDie(const sc_core::sc_module_name& name, const config::Config& config, const config::Layout& layout,
          ChannelId channel, unsigned index, nand::Fill fill, BusSnoopIf* snoop, tlm_if::RecorderIf* recorder);

  void segment(OnfiTransaction& transaction) override;

  /// Supply gone: the array stops now, as with RESET, and what the die had in hand is lost. Not over the bus.
  void power_loss();

  /// Raw bit errors of codeword 0 or 1 of a sector in the cache register of `plane`, with the references with which it
  /// was sensed. Ask while the register holds the page (from ready() to the next operation of the die).
  [[nodiscard]] unsigned bit_errors(PlaneId plane, std::uint32_t sector, unsigned codeword) const;
  /// Of that page: the bins of its senses. One bin after a hard read.
  [[nodiscard]] nand::SoftChannel soft_channel(PlaneId plane) const;
  /// The same, had the page been sensed with `parameters`: what several reads of it, one after the other, tell together.
  [[nodiscard]] nand::SoftChannel soft_channel(PlaneId plane, const nand::ReadParameters& parameters) const;

  [[nodiscard]] DieId id() const { return id_; }
  [[nodiscard]] const nand::Die& array() const { return array_; }
  /// Time in which the array was at work; what has begun counts to its end.
  [[nodiscard]] const tlm_if::BusyCounter& busy() const { return busy_; }
  /// Of busy(), what lies after `at`, which is not before the last commit.
  [[nodiscard]] Picoseconds busy_after(Picoseconds at) const;
  /// Time on the bus for this die, status left out: the array stands still meanwhile.
  [[nodiscard]] Picoseconds transfers() const { return transfers_; }
  /// Operations of the array and their energy, as parts of the sums over all dies.
  void register_statistics(results::Registry& registry) const;
  /// Operations that end with ready() and have not ended.
  [[nodiscard]] bool operating() const { return signal_pending_; }
  /// A program or an erase is suspended, or on the way to it.
  [[nodiscard]] bool suspended() const { return suspended_.operation != Operation::kNone; }
  /// Current reference step (feature 89h).
  [[nodiscard]] unsigned reference_step() const { return features_.read().step; }
  /// What the features say, for the reads and programs that follow.
  [[nodiscard]] const onfi::FeatureRegisters& features() const { return features_; }

 private:
  static constexpr const char* kReportId = "/wordline/flash/die";
  enum class Operation : std::uint8_t { kNone, kRead, kProgram, kErase };
  /// As the waveform shows it; operations in their order.
  enum class State : std::uint8_t {
    kIdle,
    kRead,
    kProgram,
    kErase,
    kFeatures,
    kSuspending,
    kCacheBusy,
    kCacheRead,
    kCacheProgram,
    kCopybackRead,
    kReset,
  };
  enum class Output : std::uint8_t { kNone, kData, kStatus, kFeature };
  /// What a sequence addresses.
  struct Selection {
    Operation operation = Operation::kNone;
    std::uint32_t planes = 0;
    BlockId block{};
    PageId page{};
  };
  /// An operation of the array.
  struct Work : Selection {
    State state = State::kIdle;
    nand::ReadParameters read;  // of a read
    Picoseconds begin{};      // of this run
    Picoseconds done{};       // of the plan, in the runs before
    Picoseconds remaining{};  // of the plan, from `begin` on
    nand::Plan plan;          // of program and erase
    nand::ProgramParameters program;
    [[nodiscard]] Picoseconds end() const { return begin + remaining; }
  };
  /// A page register of all planes: `planes` hold the page.
  struct Register {
    std::uint32_t planes = 0;
    BlockId block{};
    PageId page{};
    nand::ReadParameters read;
  };
  /// The sectors of a unit, [page][plane][sector], and what copyback brought with them.
  struct Load {
    std::vector<nand::StoredSector> sectors;
    std::vector<std::uint16_t> errors;  // by codeword; empty unless a page was copied
  };

  // nand_die_commands.cpp
  void command(OnfiTransaction& t);
  bool check_background(OnfiTransaction& t, std::uint8_t opcode, std::uint8_t confirm);
  void read_command(OnfiTransaction& t, const onfi::Address& at);
  void erase_command(OnfiTransaction& t, const onfi::Address& at, bool last);
  void program_command(OnfiTransaction& t, const onfi::Address& at, bool copyback);
  void change_write_column(OnfiTransaction& t, const onfi::Address& at);
  void data_in(OnfiTransaction& t);
  void program_confirm(OnfiTransaction& t, std::uint8_t opcode);
  bool join_planes(OnfiTransaction& t, Selection& selection, const onfi::Address& at, Operation operation);
  // nand_die_cache.cpp
  void read_cache(OnfiTransaction& t, const Selection* next);
  void read_next(OnfiTransaction& t);
  void program_unit(OnfiTransaction& t, const Selection& what, bool more);
  void load_copy(const onfi::Address& at);
  void select_soft_plane(OnfiTransaction& t);
  // nand_die_output.cpp
  void change_read_column(OnfiTransaction& t, const onfi::Address& at, bool whole_address);
  void data_out(OnfiTransaction& t);
  void count_errors(std::uint32_t first, std::uint32_t count, ReadErrors& errors) const;
  void status(OnfiTransaction& t);
  void set_features(OnfiTransaction& t);
  void get_features(OnfiTransaction& t);
  void feature_out(OnfiTransaction& t);
  // nand_die_suspend.cpp
  void suspend(OnfiTransaction& t, Operation wanted);
  void resume(OnfiTransaction& t, Operation wanted);
  bool check_suspended(OnfiTransaction& t, Selection& wanted);
  void reset(OnfiTransaction& t);
  void abandon(Picoseconds at);
  void tear(const Work& work, Picoseconds elapsed);
  // nand_die_waves.cpp
  void add_signals(ChannelId channel);
  void record_state(Picoseconds from, Picoseconds to, State state);
  void record(const Work& work, const nand::Plan& plan);
  void record_stop(Picoseconds at);
  // nand_die.cpp
  bool error(OnfiTransaction& t, const std::string& what);
  bool check_address(OnfiTransaction& t, const onfi::Address& at);
  bool check_lun(OnfiTransaction& t);
  void switch_mode(config::BusMode mode);
  void start(OnfiTransaction& t, const Selection& what, const nand::Plan& plan, State state);
  void begin_program(bool follows);
  void announce(Picoseconds fall, Picoseconds rise);
  void busy_for(OnfiTransaction& t, Picoseconds duration, State state);
  void commit_due(Picoseconds at);
  void commit();
  void commit_program();
  void forget_registers();
  void on_end();

  const DieId id_;
  const unsigned index_;
  const unsigned lun_;
  const std::uint32_t planes_, blocks_, pages_, pages_per_program_, sectors_per_page_;
  const config::Channels channels_;
  Picoseconds t_wb_;
  const Picoseconds t_dbsy_, t_feat_, t_rcbsy_, t_pcbsy_, t_suspend_program_, t_suspend_erase_;
  const Picoseconds t_rst_, t_rst_read_, t_rst_program_, t_rst_erase_;
  onfi::BusTiming timing_;
  const onfi::AddressCodec codec_;
  nand::Die array_;
  const bool page_age_;
  BusSnoopIf* const snoop_;
  tlm_if::RecorderIf* const recorder_;
  const bool record_microops_;
  tlm_if::RecorderIf::Signal state_signal_{}, microop_signal_{}, voltage_signal_{}, suspended_signal_{};

  Selection gathered_;        // multi-plane read or erase that waits for its last plane
  Work work_;                 // in the array, not committed
  Work queued_;               // program that follows it
  Work suspended_;            // stopped, or stopping until busy_until_
  Picoseconds busy_until_{};  // R/B_n low before this (tWB included)
  bool signal_pending_ = false;
  bool failed_ = false;          // FAIL
  bool failed_before_ = false;   // FAILC
  bool cache_sequence_ = false;  // the last program was confirmed with 15h
  sc_core::sc_event end_;

  // The unit that is being loaded.
  Selection unit_;
  Load load_;     // cache register
  Load latched_;  // in the array
  std::vector<std::uint32_t> loaded_planes_;  // by page of the unit
  std::uint32_t loaded_sectors_ = 0;          // bits, of the page on the way
  PlaneId load_plane_{};
  std::uint32_t load_page_ = 0;  // within the unit
  std::uint32_t load_sector_ = 0;
  bool loading_ = false;  // 80h or 85h has been given, its confirm has not

  Register page_register_, cache_register_;
  Output output_ = Output::kNone;
  PlaneId out_plane_{};
  std::uint32_t out_column_ = 0;

  unsigned soft_plane_ = 0;  // of the data out; 0: the page

  onfi::FeatureRegisters features_;
  config::BusMode mode_;
  Selection reported_;  // the program that B0h..B9h tell of
  bool reported_fail_ = false;
  std::uint8_t asked_feature_ = 0;
  CopiedErrors copied_errors_;
  tlm_if::BusyCounter busy_;
  Picoseconds transfers_{};
};

}  // namespace wordline::flash
