// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/onfi/address.h"
#include "models/onfi/sequence_table.h"
#include "models/onfi/timing.h"
#include "models/units/index.h"
#include "tlm/device/flash/bus/onfi_transaction.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::flash {

class GateWires;

/// The wires of one channel: gives every segment its length, carries it to the die behind chip enable and LUN, counts
/// busy time, records. Spends no event and has no process. Overlapping segments, and data output of a LUN that was not
/// the last one addressed in its package (ONFI 5.0 clause 3.1.2), are errors.
///
/// Every package starts in channels.mode. SET FEATURES 01h and RESET (FFh) switch the mode of the package they go to,
/// from the next segment on.
///
/// Waveform (scope "ssd.channelN.bus"): `segment` (kind, "idle" between), `transaction` ("READ d3 b12 p7 s0+1"),
/// `command` (last command cycle). Accuracy: exact; see onfi::BusTiming.
class OnfiBus final : public sc_core::sc_module, private tlm::tlm_fw_transport_if<OnfiProtocol> {
 public:
  /// Bind the controller's OnfiInitiatorSocket here.
  tlm::tlm_target_socket<8, OnfiProtocol> socket{"socket"};
  /// Bind every die of the channel, in order of its index.
  sc_core::sc_port<DieIf, 0> dies{"dies"};

  /// `snoop` and `recorder` may be null.
  OnfiBus(const sc_core::sc_module_name& name, const tlm_if::SimulationContext& context, const config::Config& config,
          const config::Layout& layout, ChannelId channel, BusSnoopIf* snoop, tlm_if::RecorderIf* recorder);

  /// Segments are carried in gates, which outlive the bus; before the first one.
  void carry_by(GateWires& gates) { gates_ = &gates; }

  [[nodiscard]] const tlm_if::BusyCounter& busy() const { return busy_; }
  /// Segments of a kind, their command and address cycles, and their bytes of data.
  struct Carried {
    std::uint64_t segments = 0, cycles = 0, bytes = 0;
  };
  [[nodiscard]] const Carried& carried(onfi::SegmentKind kind) const {
    return carried_[static_cast<std::size_t>(kind)];
  }
  /// Data, commands, addresses, status and feature parameters that it has carried.
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] bool in_gates() const { return gates_ != nullptr; }
  /// Whether a package has left channels.mode.
  [[nodiscard]] bool has_switched() const { return switched_; }
  /// Time from which on the bus is free.
  [[nodiscard]] Picoseconds free_at() const { return free_at_; }
  /// The timing of the mode that the package is in.
  [[nodiscard]] const onfi::BusTiming& timing(unsigned package = 0) const { return targets_[package].timing.bus(); }
  [[nodiscard]] const onfi::AddressCodec& codec() const { return codec_; }

 private:
  struct Package {
    onfi::TargetTiming timing;
    std::uint16_t selected;  // die that was addressed last
  };
  struct ArrayAddress {
    std::uint32_t block = 0, page = 0, lpage = 0;
  };

  tlm::tlm_sync_enum nb_transport_fw(OnfiTransaction& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(OnfiTransaction& transaction, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(OnfiTransaction&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(OnfiTransaction&) override { return 0; }
  void end_of_elaboration() override;

  void act(OnfiTransaction& transaction, Picoseconds present);
  bool select(const OnfiTransaction& transaction);
  [[nodiscard]] const onfi::Sequence* sequence_of(const OnfiTransaction& transaction) const;
  void follow_mode(const OnfiTransaction& transaction);
  void record(const OnfiTransaction& transaction);

  const tlm_if::SimulationContext& context_;
  const unsigned packages_;
  const unsigned die_count_;
  const onfi::AddressCodec codec_;
  BusSnoopIf* const snoop_;
  GateWires* gates_ = nullptr;
  tlm_if::RecorderIf* const recorder_;
  const std::string scope_;
  Picoseconds free_at_{};
  tlm_if::BusyCounter busy_;
  std::array<Carried, onfi::kSegmentKinds> carried_{};  // by kind
  bool switched_ = false;
  std::vector<Package> targets_;
  std::vector<ArrayAddress> addresses_;  // addresses by die, for the record
  tlm_if::RecorderIf::Signal kind_signal_{}, text_signal_{}, command_signal_{};
};

}  // namespace wordline::flash
