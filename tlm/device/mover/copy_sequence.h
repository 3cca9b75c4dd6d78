// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tlm/device/mover/host_command.h"

namespace wordline::host {

/// One Copy of the host as reads and writes under its tag: piece by piece, at most as large as the copy buffer, each
/// read into the buffer and then written from it, in the order of the source ranges.
///
/// Accuracy: one half is under way at a time, so a Copy does not read ahead of its writes.
class CopySequence {
 public:
  struct Source {
    std::uint64_t slba;  // 512 bytes each, of the drive
    std::uint32_t nlb;
    CommandMetadata metadata;  // that its blocks should have
  };

  explicit CopySequence(std::uint32_t most) : most_(most) {}

  /// To `destination` on; the writes have FUA and placement handle of `command`, and `metadata`.
  void begin(const HostCommand& command, std::vector<Source> sources, std::uint64_t destination,
             const CommandMetadata& metadata) {
    sources_ = std::move(sources);
    source_ = 0;
    done_ = 0;
    destination_ = destination;
    metadata_ = metadata;
    fua_ = command.fua;
    placement_ = command.placement;
  }
  /// Something is left after the half that `command` is.
  [[nodiscard]] bool goes_on(const HostCommand& command) const {
    return command.way == DataWay::kCopyOut || source_ + 1 < sources_.size() ||
           done_ + command.nlb < sources_[source_].nlb;
  }
  /// Makes `command` the first half, or the one after that which it is.
  void next(HostCommand& command) {
    if (command.way == DataWay::kCopyOut) {
      command.op = Operation::kWrite;
      command.way = DataWay::kCopyIn;
      command.slba = destination_;
      command.metadata = metadata_;
      command.fua = fua_;
      command.placement = placement_;
      return;
    }
    if (command.way == DataWay::kCopyIn) written(command.nlb);
    const Source& source = sources_[source_];
    command.op = Operation::kRead;
    command.way = DataWay::kCopyOut;
    command.slba = source.slba + done_;
    command.metadata = behind(source.metadata, done_);
    command.nlb = std::min(most_, source.nlb - done_);
    command.fua = false;
    command.placement = 0;
  }
  /// The source range, from 0, of which a piece is under way.
  [[nodiscard]] std::uint32_t source() const { return static_cast<std::uint32_t>(source_); }

 private:
  /// Of the blocks from `nlb` LBAs further on.
  [[nodiscard]] static CommandMetadata behind(CommandMetadata metadata, std::uint32_t nlb) {
    metadata.tags.reference = metadata.tags.reference_of(nlb >> metadata.shift);
    return metadata;
  }
  void written(std::uint32_t nlb) {
    destination_ += nlb;
    metadata_ = behind(metadata_, nlb);
    done_ += nlb;
    if (done_ < sources_[source_].nlb) return;
    ++source_;
    done_ = 0;
  }

  const std::uint32_t most_;
  std::vector<Source> sources_;
  std::size_t source_ = 0;
  std::uint32_t done_ = 0;  // LBAs of the source that are copied
  std::uint64_t destination_ = 0;
  CommandMetadata metadata_;
  bool fua_ = false;
  std::uint8_t placement_ = 0;
};

}  // namespace wordline::host
