// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/nand/die.h"
#include "models/results/registry.h"
#include "models/results/resources.h"
#include "tlm/protocol/engine_if.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/register_socket.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::ecc {
class Decoder;
class EccRegisters;
}  // namespace wordline::ecc

namespace wordline::rtl {
class BlockRecordings;
}

namespace wordline::flash {

class ChannelController;
class NandDie;
class OnfiBus;

/// Everything behind the flash rings: the channel controllers with their decoders, buses, dies and checkers, the ring
/// of completions and the registers all channels share.
class FlashBackend final : public sc_core::sc_module, public tlm_if::FlashJobIf {
 public:
  /// `fill`: content of pages no operation has touched (a preconditioned drive), may be empty. `recorder`: null, no
  /// waves.
  FlashBackend(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Config& config,
               const config::Layout& layout, nand::Fill fill, tlm_if::RecorderIf* recorder);
  ~FlashBackend() override;

  /// FLASH: completion ring, slot table, tables of programs.
  tlm_if::RegisterSocket registers;
  /// ECC and CHANNEL[i]: targets to bind the interconnect's `ecc` and `channels[i]` to.
  [[nodiscard]] tlm::tlm_target_socket<>& ecc_registers();
  [[nodiscard]] tlm::tlm_target_socket<>& channel_registers(unsigned channel);

  sc_core::sc_port<tlm_if::SharedMemoryIf> memory{"memory"};
  sc_core::sc_port<tlm_if::DramIf> dram{"dram"};
  sc_core::sc_port<tlm_if::DataBufferIf> buffer{"buffer"};
  sc_core::sc_port<tlm_if::InterruptIf> interrupt{"interrupt"};
  sc_core::sc_port<tlm_if::StageClockIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> stages{"stages"};
  sc_core::sc_port<tlm_if::FlashSinkIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> engines{"engines"};

  void submit(Picoseconds at, const wl_flash_job& job) override;
  /// DRAM from WL_DRAM_BASE on, which outlives this object: the table of spare blocks lies there, and metadata.
  void use_dram(std::byte* dram);

  /// What goes into blocks of the decoders, as Decoder::record(), and the segments of the channel in gates.
  void record(const rtl::BlockRecordings& recordings);
  /// After a run that failed: files that decoders leave in the folder, as Decoder::leave_evidence().
  [[nodiscard]] std::vector<std::string> leave_evidence(const std::string& folder) const;
  /// Entries of the table of optimal references that reads have found so far.
  [[nodiscard]] std::uint64_t learned_references() const;
  /// Logical pages that no step and no soft read could decode, as flash.uncorrectable.
  [[nodiscard]] std::uint64_t uncorrectable() const;
  /// To say what a die holds before the run.
  [[nodiscard]] nand::Die& die_at_start(DieId id);

  /// Power fails: the dies stop in their pulses. Nothing can be submitted after that.
  void power_loss();

  [[nodiscard]] unsigned channels() const;
  [[nodiscard]] unsigned dies() const;
  /// The die's model: content, counters, energy.
  [[nodiscard]] const nand::Die& die(DieId id) const;
  /// Energy of all dies so far, operations under way included, and of their buses.
  [[nodiscard]] Picojoules energy() const;
  /// Time in which the die served: its array worked, or its commands and data were on the bus. Waiting for the bus is
  /// not in it.
  [[nodiscard]] Picoseconds die_busy(DieId id) const;
  [[nodiscard]] const NandDie& nand_die(DieId id) const;
  [[nodiscard]] const OnfiBus& bus(unsigned channel) const;
  [[nodiscard]] const ecc::Decoder& decoder(unsigned channel) const;
  /// Time in which the channel's bus was taken.
  [[nodiscard]] Picoseconds channel_busy(unsigned channel) const;

  /// Everything behind the flash rings, sums over channels and dies.
  void register_statistics(results::Registry& registry) const;
  /// Channels, dies, decoders and read-retry controllers.
  void register_resources(results::Resources& resources) const;
  /// Jobs accepted and not completed.
  [[nodiscard]] std::uint32_t outstanding() const;

 private:
  struct State;
  void register_energy(results::Registry& registry) const;
  [[nodiscard]] Picojoules standby_energy() const;
  [[nodiscard]] Picojoules bus_energy() const;

  std::unique_ptr<State> state_;
};

}  // namespace wordline::flash
