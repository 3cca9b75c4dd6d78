// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "models/results/registry.h"
#include "tlm/device/ecc/ecc_if.h"
#include "tlm/device/ecc/ecc_registers.h"
#include "tlm/device/flash/bus/onfi_transaction.h"
#include "tlm/device/flash/channel/die_sequencer.h"
#include "tlm/device/flash/channel/job_check.h"
#include "tlm/device/flash/channel/job_ring.h"
#include "tlm/device/flash/channel/page_engine.h"
#include "tlm/device/flash/channel/program_tables.h"
#include "tlm/device/flash/channel/read_ahead.h"
#include "tlm/device/flash/channel/round_robin_arbiter.h"
#include "tlm/protocol/alarm_queue.h"
#include "tlm/protocol/arrivals.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/register_socket.h"

namespace wordline::flash {

/// Runs the flash jobs of one channel: takes them from the firmware's ring when the doorbell arrives, gives each to the
/// sequencer of its die, and the bus to the die that the arbiter picks. This class has the ports and the time; the
/// parts do the work, each in its own file:
///
///   JobRing, JobCheck     registers, the ring, what is wrong with a job
///   ChannelJobs           jobs from arrival to completion        DieQueue    which job a die does next
///   DieSequencer          one die: its step, and ...
///     ReadSequence, CacheReadSequence, ProgramSequence, EraseSequence, Suspension     ... the segments of its jobs
///     ProgramFeatures     parameters of programs, what they measured
///     PageDecoder         what becomes of logical pages off the bus
///     RetryConductor      retries: HardwareRetry, FirmwareRetry
///   BusArbiterIf          who gets the bus                       ChannelBus  segments on the wires
///   BufferSlots           data buffer and DRAM port            ProgramTables  parameter sets, reports
///   XorUnit               sums of parity
///   ReadAhead             pages before the host asks           PageEngine     what all read data pass; both of all
///   channels
///
/// A page of a program (80h ADDR, tADL, data, 10h/11h/1Ah) holds the bus as a whole; so does every other segment. tCCS,
/// tDBSY, tFEAT and array times leave it to other packages. Programs and erases end with one status read (70h/78h) when
/// R/B_n rises: no polling.
///
/// Timed events of a 4 KiB read: doorbell, end of tR (the die's), end of data, completion; one more at the end of the
/// command when the bus is contended. Decoder outcomes are keyed by flash address, P/E count and reference step.
class ChannelController final : public sc_core::sc_module,
                                public ReadyBusyIf,
                                public ReadAhead::Channel,
                                private tlm_if::AlarmQueue::Client {
 public:
  /// What the channels share.
  struct Shared {
    ecc::EccRegisters& ecc_registers;
    CompletionRing& completions;
    const std::uint32_t& slot_table;  // FLASH.SLOT_TABLE
    const ProgramTableRegisters& program_tables;
    const SpareTable* spares = nullptr;
    ReadAhead* ahead = nullptr;
    PageEngine* engine = nullptr;
    const MetadataSlots* metadata = nullptr;
  };

  /// `retry`: the read-retry controller of each die of the channel, by index.
  ChannelController(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context,
                    const config::Config& config, const config::Layout& layout, ChannelId channel, ecc::EccIf& decoder,
                    std::vector<std::unique_ptr<ecc::RetryIf>> retry, const Shared& shared);

  /// CHANNEL[i].
  tlm_if::RegisterSocket registers;
  OnfiInitiatorSocket bus{"bus"};
  sc_core::sc_port<tlm_if::SharedMemoryIf> memory{"memory"};
  sc_core::sc_port<tlm_if::DramIf> dram{"dram"};
  sc_core::sc_port<tlm_if::DataBufferIf> buffer{"buffer"};

  /// A job from hardware beside the ring; it arrives at `at`.
  void submit(Picoseconds at, const wl_flash_job& job);

  // From the read-ahead.
  void read_ahead(Picoseconds at, const wl_flash_job& job) override;
  void deliver(JobIndex job, const nand::StoredLpage* lpages, Picoseconds ready) override;
  void read_anyway(Picoseconds at, JobIndex job) override;

  /// From the dies.
  void ready(unsigned die, Picoseconds at) override;

  [[nodiscard]] std::uint32_t outstanding() const { return jobs_.outstanding(); }
  /// Time since the start in which the read-retry controller of a die was at work.
  [[nodiscard]] Picoseconds retry_busy(unsigned die) const { return dies_[die]->retry().busy(); }
  /// As ChannelBus::activity().
  [[nodiscard]] std::uint32_t activity(unsigned die) const { return wires_.activity(die); }
  /// Time since the start in which the bus was idle for tRHW.
  [[nodiscard]] Picoseconds turnaround() const { return wires_.turnaround(); }
  /// Reads made for soft decoding since the start.
  [[nodiscard]] std::uint64_t soft_reads() const;
  [[nodiscard]] std::uint64_t register_hits() const;
  /// As parts of the sums over all channels.
  void register_statistics(results::Registry& registry) const;

 private:
  bool write_register(std::uint32_t offset, std::uint32_t value, Picoseconds delay);
  void accept(const wl_flash_job& job, Picoseconds at);
  void accept_ahead(const wl_flash_job& job, Picoseconds at);
  void alarm() override;
  void schedule(Picoseconds now);
  void sleep(Picoseconds now);

  const ChannelRules rules_;
  const JobCheck check_;
  JobRing ring_;
  ReadAhead* const ahead_;
  tlm_if::Arrivals<wl_flash_job> submitted_;  // submitted from hardware
  tlm_if::Arrivals<wl_flash_job> reads_ahead_;
  tlm_if::Arrivals<JobIndex> returned_;  // reads that the read-ahead could not serve after all
  ChannelJobs jobs_;
  XorUnit xor_unit_;
  BufferSlots slots_;
  ProgramTables tables_;
  ChannelBus wires_;
  RoundRobinArbiter arbiter_;
  std::vector<std::unique_ptr<DieSequencer>> dies_;
  DieSequencer* streaming_ = nullptr;  // its data are on the bus
  tlm_if::Alarm wake_;
};

}  // namespace wordline::flash
