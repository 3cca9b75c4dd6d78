// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>

#include "models/config/config.h"
#include "models/nand/die.h"
#include "models/onfi/address.h"
#include "models/onfi/sequence_table.h"
#include "models/results/registry.h"
#include "models/units/index.h"
#include "tlm/device/flash/bus/onfi_transaction.h"
#include "tlm/device/flash/die/array_results.h"
#include "tlm/device/flash/die/array_work.h"
#include "tlm/device/flash/die/copied_errors.h"
#include "tlm/device/flash/die/data_output.h"
#include "tlm/device/flash/die/die_constants.h"
#include "tlm/device/flash/die/die_features.h"
#include "tlm/device/flash/die/die_waves.h"
#include "tlm/device/flash/die/page_load.h"
#include "tlm/device/flash/die/page_registers.h"
#include "tlm/device/flash/die/ready_busy_pin.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::flash {

/// One die (LUN) behind its pins: decodes bus segments by the rows of models/onfi/sequence_table.h and has its parts
/// act on them. What the array holds and how long it takes is nand::Die's; the sequences with their times are in
/// docs/onfi.md.
///
///   PageLoad        units that come in               PageRegisters, DataOutput   pages that go out
///   ArrayWork       operations in time, suspended    ArrayResults                what they leave
///   DieFeatures     features and timing mode         ReadyBusyPin, DieWaves      what others see of it
///
/// Time: the effect of a segment is that of its end, known when it is announced. An array operation ends by one event
/// and ready(); what a row is busy for otherwise (tDBSY, tFEAT, tRST) has neither, only the transaction's `ready_at`.
/// All dies work in parallel, LUNs of one package too.
///
/// All planes of a multi-plane operation address the same page number and the same block, or in a read any blocks
/// (nand.plane_blocks). A program or an erase ends the validity of data that were read before. Copyback carries raw
/// bit errors on: see CopiedErrors.
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
/// Known gaps: those of the parts; a suspend while a unit waits in the cache register or is being loaded is an error;
/// moving a page between registers takes the same time whatever the array does.
class NandDie final : public sc_core::sc_module, public DieIf, private tlm_if::AlarmQueue::Client {
 public:
  /// What the dies of a drive share. `constants`: made of the configuration of the die. `snoop` and `recorder` may be
  /// null.
  struct Shared {
    std::shared_ptr<const DieConstants> constants;
    BusSnoopIf* snoop;
    tlm_if::RecorderIf* recorder;
  };

  /// Called at the end of every array operation; need not be bound.
  sc_core::sc_port<ReadyBusyIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> ready{"ready"};

  /// Die `index` of channel `channel`: DieId = index * channels + channel.
  NandDie(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Config& config,
          const config::Layout& layout, ChannelId channel, unsigned index, nand::Fill fill, Shared shared);

  void segment(OnfiTransaction& transaction) override;

  /// To say what it holds before the run.
  [[nodiscard]] nand::Die& array_at_start() { return array_; }
  /// Supply gone: the array stops now, as with RESET, and what the die had in hand is lost. Not over the bus.
  void power_loss();

  [[nodiscard]] DieId id() const { return id_; }
  [[nodiscard]] const nand::Die& array() const { return array_; }
  /// What was read and can go out, for observers; the bus carries it with a data out.
  [[nodiscard]] const PageRegisters& registers() const { return registers_; }
  /// What the array works on.
  [[nodiscard]] const ArrayWork& work() const { return work_; }
  /// Time on the bus for this die, status left out: the array stands still meanwhile.
  [[nodiscard]] Picoseconds transfers() const { return transfers_; }
  /// Operations of the array and their energy, as parts of the sums over all dies.
  void register_statistics(results::Registry& registry) const;
  /// Operations that end with ready() and have not ended.
  [[nodiscard]] bool operating() const { return pin_.rise_pending(); }
  /// What the features say, for the reads and programs that follow.
  [[nodiscard]] const onfi::FeatureRegisters& features() const { return features_.registers(); }

 private:
  // What acts on a segment returns what is wrong, "" if nothing.
  std::string act(OnfiTransaction& t);
  std::string command(OnfiTransaction& t, const onfi::Sequence* sequence);
  std::string obey(OnfiTransaction& t, const onfi::Sequence& sequence, const onfi::Address& at);
  std::string gather(OnfiTransaction& t, const onfi::Sequence& sequence, const onfi::Address& at);
  std::string read_ahead(OnfiTransaction& t, const onfi::Sequence& sequence, const Selection* next);
  std::string load(const onfi::Sequence& sequence, const onfi::Address& at);
  std::string end_load(OnfiTransaction& t, const onfi::Sequence& sequence);
  std::string resume(const OnfiTransaction& t, const onfi::Sequence& sequence);
  std::string status(OnfiTransaction& t, const onfi::Sequence* sequence);
  std::string feature_command(OnfiTransaction& t, const onfi::Sequence* sequence);
  std::string reset(OnfiTransaction& t);

  [[nodiscard]] const onfi::Sequence* sequence_of(const OnfiTransaction& t) const;
  /// The pages of the shortest of the blocks that `what` addresses.
  [[nodiscard]] std::uint32_t pages_of(const Selection& what) const;
  [[nodiscard]] std::string check_mode(const onfi::Cycles& cycles, const onfi::Sequence& sequence,
                                       const onfi::Address& at) const;
  [[nodiscard]] std::string check_address(const onfi::Address& at) const;
  [[nodiscard]] std::string check_background(const OnfiTransaction& t, const onfi::Sequence& sequence) const;
  void busy_for(OnfiTransaction& t, Picoseconds duration, const onfi::Sequence& sequence);
  void busy_as_listed(OnfiTransaction& t, const onfi::Sequence& sequence);
  void abandon(Picoseconds at);
  void alarm() override;  // R/B_n rises

  const DieId id_;
  const unsigned index_, lun_;
  const std::uint32_t planes_, blocks_;
  const bool has_slc_mode_;
  const bool any_block_;  // nand.plane_blocks
  const std::shared_ptr<const DieConstants> constants_;
  const PageShapes& shapes_;  // of these, as the two that follow
  const config::Channels& times_;
  const onfi::AddressCodec& codec_;
  nand::Die array_;
  CopiedErrors copied_;
  PageRegisters registers_;
  DataOutput output_;
  PageLoad loads_;
  DieFeatures features_;
  ReadyBusyPin pin_;
  DieWaves waves_;
  ArrayResults results_;
  ArrayWork work_;
  Selection gathered_;  // multi-plane read or erase that waits for its last plane
  Picoseconds transfers_{};
};

}  // namespace wordline::flash
