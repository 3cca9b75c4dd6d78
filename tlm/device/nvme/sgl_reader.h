// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/host_data_mover.h"
#include "tlm/device/nvme/data_pointer.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// Host memory of commands from the SGL descriptor of the entry and from SGL segments (Base 4.1.2). The stretches are
/// put into the mover's HostCommand.
///
/// Time: a segment is read over the link, one request for up to 256 descriptors; one request after the other. An SGL
/// may be longer than the data of its command: the rest of it is held to the same rules, and not used. Known gaps: data
/// blocks and bit buckets of user data are whole blocks of 512 bytes at multiples of 512 (dwords for ranges); another
/// is SGL Data Block Granularity Invalid, though SGLS says dwords. At most kMostDescriptors, else Invalid Number of SGL
/// Descriptors.
class SglReader final : private Agenda::Client, private DmaAccess::Client {
 public:
  static constexpr std::uint32_t kMostDescriptors = 8192;

  SglReader(HostDataMover& mover, Agenda& agenda, DataPointerUserIf& user)
      : mover_(mover), agenda_(agenda), user_(user), lists_(mover.commands().size()) {}

  /// Stretches of `bytes` bytes, whole multiples of `unit`, from the descriptor in the entry; `to_host`: the command
  /// brings data there, so that bit buckets take some of them. has_segments(): the rest is in segments.
  Status start(std::uint32_t tag, const SubmissionEntry& sqe, std::uint64_t bytes, std::uint32_t unit, bool to_host);
  [[nodiscard]] bool has_segments(std::uint32_t tag) const { return lists_[tag].left != 0; }
  /// The command has no segments, until start() finds one.
  void forget(std::uint32_t tag) { lists_[tag].left = 0; }
  /// Reads the segments; DataPointerUserIf::list_ended() follows.
  void read_segments(std::uint32_t tag);

 private:
  enum class Kind : std::uint32_t { kList };  // index: tag, value: whether host memory had the descriptors
  struct List {
    std::uint64_t address = 0;  // of the descriptor to be read next
    std::uint32_t left = 0;     // descriptors of the segment that have not been read
    bool last = false;          // no segment follows
    bool to_host = false;
    std::uint32_t unit = 0;
    std::uint64_t missing = 0;  // bytes that no descriptor has named so far
    std::uint32_t count = 0;    // descriptors so far
    std::vector<SglDescriptor> read;
  };
  void act(const Agenda::Action& action) override;
  void dma_ended(const DmaAccess& access, bool good, Picoseconds at) override {
    agenda_.schedule(at, *this, Kind::kList, access.index, good ? 1 : 0);
  }
  Status take(std::uint32_t tag, const SglDescriptor& descriptor, bool ends_segment);
  static Status follow(List& list, const SglDescriptor& descriptor);
  Status take_read(std::uint32_t tag);

  HostDataMover& mover_;
  Agenda& agenda_;
  DataPointerUserIf& user_;
  std::vector<List> lists_;  // by tag
};

}  // namespace wordline::host::nvme
