// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "models/data/stamp.h"
#include "models/firmware/contract/contract.h"
#include "tlm/device/mover/data_path.h"
#include "tlm/device/mover/host_command.h"
#include "tlm/device/mover/incoming_data.h"
#include "tlm/protocol/host_memory_if.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::host {

/// Data of jobs that do not go plainly between host memory and slots (DataWay): Verify, Compare, the halves of a Copy,
/// the marks of Write Uncorrectable. Content, and the time of those that stay inside the drive; that of a Compare is
/// DataPath's.
///
/// Time: data that are copied pass the DRAM port to the copy buffer, and once more from there. What is verified has
/// been decoded on its way into the slots, so nothing is left to do; a mark takes the DRAM port as the data it replaces
/// would. Source: our design.
class InnerData {
 public:
  /// `most`: LBAs of the copy buffer.
  InnerData(sc_core::sc_port<HostMemoryIf>& host_memory, sc_core::sc_port<tlm_if::DramIf>& dram,
            sc_core::sc_port<tlm_if::DataBufferIf>& buffer, std::uint32_t most)
      : host_memory_(host_memory), dram_(dram), buffer_(buffer), copied_(most) {}

  /// Of a command that does not use the link.
  DataPath::Times reserve(const wl_host_job& job, const HostCommand& command, Picoseconds from);
  /// A block of the command that the job has in its slots is marked uncorrectable.
  [[nodiscard]] bool marked(const wl_host_job& job, const HostCommand& command) const;
  /// A block of the command that the job brings is deallocated or was never written.
  [[nodiscard]] bool unwritten(const wl_host_job& job, const HostCommand& command) const;
  /// Slots, or zeros: what the data show, 0 for nothing. A Compare reads host memory here, which answers at once.
  CommandStatus out(const wl_host_job& job, const HostCommand& command);
  /// Into slots. LBAs of a slot that are not the command's are kept, or zeroed with WL_JOB_ZERO_REST.
  void in(const wl_host_job& job, const HostCommand& command);

  /// A Compare with host memory that takes time: remembers what its slots hold, ...
  void expect(std::uint32_t transfer, const wl_host_job& job);
  /// ... and compares with what has come.
  CommandStatus compare(std::uint32_t transfer, const wl_host_job& job, const HostCommand& command,
                        const IncomingData& incoming) const;

 private:
  [[nodiscard]] data::LpageToken token(const wl_host_job& job, std::uint32_t i) const {
    return job.op == WL_JOB_ZERO_OUT ? data::LpageToken{} : buffer_->slot(job.slot + i);
  }
  [[nodiscard]] bool has_written_zeros(const HostCommand& command, const LbaRun& run, data::LpageToken token) const;
  CommandStatus compare_now(const wl_host_job& job, const HostCommand& command) const;

  sc_core::sc_port<HostMemoryIf>& host_memory_;
  sc_core::sc_port<tlm_if::DramIf>& dram_;
  sc_core::sc_port<tlm_if::DataBufferIf>& buffer_;
  std::vector<data::LbaStamp> copied_;                    // the copy buffer
  std::vector<std::vector<data::LpageStamps>> expected_;  // by transfer
};

}  // namespace wordline::host
