// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "tlm/device/mover/host_command.h"
#include "tlm/device/mover/host_dma.h"
#include "tlm/protocol/host_link_if.h"
#include "tlm/protocol/host_memory_if.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::host {

/// Data of one job between host memory and the slots of the data buffer: the time that it takes on link and DRAM port,
/// and the content. It does not decide when a job may start or what follows it.
///
/// Accuracy: data move logical page by logical page: DRAM then link for reads, link then DRAM for writes, all of a
/// job's requests issued at once; the resources queue them. With link.dma_setup the data of a command leave when its
/// direction's engine has set it up, the later jobs of a command when they are ready; the engine of reads sets up the
/// next command when the data of this job have left, that of writes at once. Source: our design. What a job waited is
/// the time beyond that of the same job with nothing else in its way, and counts as before its data, wherever between
/// them it was. Metadata of blocks pass both with their logical page; where the host has them in a buffer of their own,
/// behind the data, those of a job together. Checking them takes no time of its own: the engine that moves the data
/// computes a guard as they pass (assumed).
class DataPath {
 public:
  /// The time of a job: it waits for the engine, the DRAM port or the link, is set up, moves its data, and these count
  /// as there.
  struct Times {
    Picoseconds wait, setup, settle, end;
  };
  struct Counters {
    std::uint64_t lbas_read = 0, lbas_written = 0;  // 512 bytes, moved for the host
  };

  DataPath(sc_core::sc_port<HostLinkIf>& link, sc_core::sc_port<HostMemoryIf>& host_memory,
           sc_core::sc_port<tlm_if::DramIf>& dram, sc_core::sc_port<tlm_if::DataBufferIf>& buffer,
           const config::Config& config)
      : link_(link),
        host_memory_(host_memory),
        dram_(dram),
        buffer_(buffer),
        setup_(config.link.dma_setup),
        write_latency_(config.nvme.write_latency) {}

  /// Reserves the time of the job's data, from `from` on. They end when the last of it has left the drive, or counts as
  /// in DRAM.
  Times reserve(const wl_host_job& job, const HostCommand& command, Picoseconds from);
  /// As reserve(), of data into the drive from host memory that takes time: the engine alone. Returns from when on the
  /// data are asked for; `setup`: a part of that.
  Picoseconds begin_in(const wl_host_job& job, Picoseconds from, Picoseconds& setup);
  /// ... and when a logical page has come over the link at `came`: when it is in DRAM.
  Picoseconds store(Picoseconds came, std::uint64_t bytes) { return dram_->reserve(came, bytes); }
  /// ... and when the last one is there at `end`. What host memory took is a part of the wait.
  Times end_in(const wl_host_job& job, const HostCommand& command, Picoseconds from, Picoseconds setup,
               Picoseconds end);
  /// What the host gets of logical page `i` of the job: of blocks that are marked uncorrectable, zeros.
  [[nodiscard]] data::LpageStamps content(const wl_host_job& job, std::uint32_t i) const {
    const data::LpageToken token = job.op == WL_JOB_DMA_OUT ? buffer_->slot(job.slot + i) : data::LpageToken{};
    const data::TokenPool& pool = buffer_->pool();
    data::LpageStamps stamps = pool.expand(token);
    if (token.is_mixed() && pool.has_marks()) std::replace(stamps.begin(), stamps.end(), data::kMarked, {});
    return stamps;
  }
  /// Slots, or zeros, into host memory. False: the host has no memory there for some of it.
  [[nodiscard]] bool move_out(const wl_host_job& job, const HostCommand& command);
  /// As move_out(), into host memory that takes time: the data of the job that reserve() had last. `name`: of the
  /// command for HostDma; `access` is that of each stretch.
  void send(const wl_host_job& job, const HostCommand& command, HostDma& dma, std::uint32_t name,
            const DmaAccess& access);
  /// Host memory into slots. LBAs of a slot that are not the command's are kept, or zeroed with WL_JOB_ZERO_REST.
  /// False: as move_out(); slots whose data did not all come keep what they held.
  [[nodiscard]] bool move_in(const wl_host_job& job, const HostCommand& command);
  /// As move_in(), of one logical page of the job, `i`, whose content has come.
  void take(const wl_host_job& job, const HostCommand& command, std::uint32_t i, const data::LpageStamps& content);
  /// job.count slots from job.sector on into those from job.slot on, from `from` on. Returns when the copy is in DRAM.
  Picoseconds copy(const wl_host_job& job, const HostCommand& command, Picoseconds from);

  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// Marks the stages of a job that began at `from`.
  void mark(tlm_if::StageClockIf& stages, std::uint16_t tag, Picoseconds from, const Times& times) const;
  [[nodiscard]] bool sets_up() const { return setup_ > Picoseconds(0); }
  /// The engines of link.dma_setup: that of writes sets up, that of reads sets up and moves data.
  [[nodiscard]] Picoseconds engine_busy(bool in) const { return engines_[in ? 1 : 0].busy; }

 private:
  [[nodiscard]] static std::uint64_t separate_bytes(const wl_host_job& job, const HostCommand& command);
  void with_tuples(const wl_host_job& job, const HostCommand& command, bool with);

  sc_core::sc_port<HostLinkIf>& link_;
  sc_core::sc_port<HostMemoryIf>& host_memory_;
  sc_core::sc_port<tlm_if::DramIf>& dram_;
  sc_core::sc_port<tlm_if::DataBufferIf>& buffer_;
  const Picoseconds setup_, write_latency_;
  struct Engine {
    Picoseconds free{};  // it can set up the next command then
    Picoseconds busy{};
  };
  std::array<Engine, 2> engines_{};          // data out, data in
  std::vector<tlm_if::Transfer> transfers_;  // of the logical pages that reserve() had last: when each is there
  Counters counters_;
};

}  // namespace wordline::host
