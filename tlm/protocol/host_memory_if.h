// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <systemc>

#include "models/data/stamp.h"
#include "tlm/protocol/host_dma_if.h"

namespace wordline::host {

/// Host memory as the drive reaches it. Addresses are the host's physical ones. Bytes are queue entries, PRP lists,
/// ranges and pages of information; user data are stamps, one for each 512 bytes (models/data/stamp.h).
///
/// Content only: an access takes no time, the caller reserves it on the link. A memory that takes time of its own, or
/// may wait, has dma(), too, and the drive reaches it by that alone. An access fails (false) where the host has no
/// memory; the implementation warns. It reads zeros from there on, and writes nothing from there on.
class HostMemoryIf : virtual public sc_core::sc_interface {
 public:
  [[nodiscard]] virtual bool read(std::uint64_t address, void* to, std::size_t bytes) = 0;
  [[nodiscard]] virtual bool write(std::uint64_t address, const void* from, std::size_t bytes) = 0;
  /// `nlb` LBAs from `address` (a multiple of 512) on, within one 4 KiB page. LBAs whose bytes were written
  /// later than their stamp hold no user data that this drive could take: the access fails.
  [[nodiscard]] virtual bool read_stamps(std::uint64_t address, data::LbaStamp* to, std::uint32_t nlb) = 0;
  [[nodiscard]] virtual bool write_stamps(std::uint64_t address, const data::LbaStamp* from, std::uint32_t nlb) = 0;
  /// Data of the command with this tag, for the block `lba` and those behind it: as read_stamps(), for a memory that
  /// holds bytes and has to say which write they belong to.
  [[nodiscard]] virtual bool take_data(std::uint32_t /*tag*/, std::uint64_t /*lba*/, std::uint64_t address,
                                       data::LbaStamp* to, std::uint32_t nlb) {
    return read_stamps(address, to, nlb);
  }
  /// As write_stamps(), of the block `lba` and those behind it, for the command with this tag.
  [[nodiscard]] virtual bool give_data(std::uint32_t /*tag*/, std::uint64_t /*lba*/, std::uint64_t address,
                                       const data::LbaStamp* from, std::uint32_t nlb) {
    return write_stamps(address, from, nlb);
  }
  /// Whether this memory holds what `stamps` stand for. False: as read_stamps().
  [[nodiscard]] virtual bool compare_data(std::uint64_t address, const data::LbaStamp* stamps, std::uint32_t nlb,
                                          bool& equal) {
    data::HostPageStamps here{};
    if (!read_stamps(address, here.data(), nlb)) return false;
    equal = std::equal(stamps, stamps + nlb, here.begin());
    return true;
  }
  // For a memory of bytes, which keeps them as long as blocks hold them:
  /// The command with this tag reads, until command_ended().
  virtual void read_begins(std::uint32_t /*tag*/) {}
  /// The command with this tag leaves zeros in these blocks, or nothing that can be read.
  virtual void clears(std::uint32_t /*tag*/, std::uint64_t /*lba*/, std::uint64_t /*nlb*/) {}
  /// The drive copies these data by itself to the block `lba` and those behind it, and takes what `stamps` are then.
  virtual void copies(std::uint32_t /*tag*/, std::uint64_t /*lba*/, data::LbaStamp* /*stamps*/, std::uint32_t /*nlb*/) {
  }
  /// The command with this tag, or the half of a Copy, has ended, and the next with it is another. `durable`: it is a
  /// Flush, or was to be on the medium. False: the host has not kept what it would promise, and the command fails.
  [[nodiscard]] virtual bool command_ended(std::uint32_t /*tag*/, bool /*good*/, bool /*durable*/) { return true; }
  /// An admin command has left nothing in these blocks.
  virtual void erased(std::uint64_t /*lba*/, std::uint64_t /*nlb*/) {}
  /// Null: this memory answers at once.
  [[nodiscard]] virtual HostDmaIf* dma() { return nullptr; }
};

}  // namespace wordline::host
