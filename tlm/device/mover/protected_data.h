// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <utility>
#include <vector>

#include "models/data/protection.h"
#include "models/firmware/contract/contract.h"
#include "tlm/device/mover/data_path.h"
#include "tlm/device/mover/host_command.h"
#include "tlm/protocol/host_memory_if.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::host {

/// Content of jobs of commands whose blocks have metadata (CommandMetadata), whatever becomes of their data (DataWay):
/// what DataPath and InnerData do for others. Protection information is made, checked and dropped here. Time is
/// DataPath's and InnerData's.
///
/// A tuple lies with its block in the buffer and on flash: tokens of the TokenPool bring it along, so copies and GC
/// need not know. Interleaved blocks are bytes of host memory, those for which their stamps stand (data::expand()):
/// bytes that stand for none do not fit their guard, or end with Data Transfer Error where nobody looks at it.
///
/// Accuracy: data reach host memory though their check fails, as NVM Command Set 5.2.2 permits; of a write the logical
/// pages of the job without a fault are written. Known gap: host memory answers at once (HostMemoryIf::dma()).
class ProtectedData {
 public:
  ProtectedData(sc_core::sc_port<HostMemoryIf>& host_memory, sc_core::sc_port<tlm_if::DataBufferIf>& buffer)
      : host_memory_(host_memory), buffer_(buffer) {}

  /// The tuples of blocks of which nobody has said any: of the LBA format from now on.
  void follow(data::TupleRule rule) { rule_ = std::move(rule); }

  /// Slots, or zeros, to where the command has them go. 0, or what the data have shown; kTransferFailed: host memory
  /// did not take or give some.
  [[nodiscard]] CommandStatus out(const wl_host_job& job, const HostCommand& command);
  /// Into slots; as out(). Slots of logical pages with a fault keep what they held.
  [[nodiscard]] CommandStatus in(const wl_host_job& job, const HostCommand& command);

 private:
  struct Content {
    data::LpageStamps stamps{};
    data::LpageTuples tuples{};
  };

  [[nodiscard]] Content of_slot(const wl_host_job& job, std::uint32_t i) const;
  [[nodiscard]] CommandStatus check(const HostCommand& command, const LbaRun& run, const Content& content) const;
  [[nodiscard]] CommandStatus compare(const HostCommand& command, const LbaRun& run, const Content& content);
  void make(const HostCommand& command, const LbaRun& run, Content& content) const;
  void mark(const HostCommand& command, const LbaRun& run, Content& content) const;
  /// The host's blocks of `run`; 0, or why they cannot be had.
  [[nodiscard]] CommandStatus fetch(const HostCommand& command, const LbaRun& run, Content& content);
  [[nodiscard]] CommandStatus fetch_extended(const HostCommand& command, const LbaRun& run, Content& content);
  [[nodiscard]] bool put(const HostCommand& command, const LbaRun& run, const Content& content);
  [[nodiscard]] bool put_extended(const HostCommand& command, const LbaRun& run, const Content& content);
  /// part(LBA of the command, its place in the logical page, number of its block) of each block of `run`.
  template <class Part>
  static void for_each_block(const HostCommand& command, const LbaRun& run, Part&& part);

  sc_core::sc_port<HostMemoryIf>& host_memory_;
  sc_core::sc_port<tlm_if::DataBufferIf>& buffer_;
  data::TupleRule rule_;
  std::vector<std::byte> bytes_;
  std::vector<std::pair<data::LbaStamp, data::BlockTuple>> copied_;  // the copy buffer, by LBA
};

}  // namespace wordline::host
