// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/data/stamp.h"

namespace wordline::fuzz {

/// The blocks at the begin of the drive that only well-formed commands change, and what a read of them may return. A
/// command that a reset or the end of its queue has cut off leaves a block as it was or as it was to become.
class GuardedBlocks {
 public:
  explicit GuardedBlocks(std::uint64_t blocks) : blocks_(blocks) {}

  [[nodiscard]] std::uint64_t count() const { return blocks_.size(); }
  /// No command for one of these blocks is in flight.
  [[nodiscard]] bool idle(std::uint64_t lba, std::uint64_t blocks) const {
    for (std::uint64_t i = 0; i < blocks; ++i) {
      if (blocks_[lba + i].busy) return false;
    }
    return true;
  }
  void begin(std::uint64_t lba, std::uint64_t blocks) {
    for (std::uint64_t i = 0; i < blocks; ++i) blocks_[lba + i].busy = true;
  }
  void end(std::uint64_t lba, std::uint64_t blocks) {
    for (std::uint64_t i = 0; i < blocks; ++i) blocks_[lba + i].busy = false;
  }
  /// The block holds `stamp` now.
  void wrote(std::uint64_t lba, data::BlockStamp stamp) { blocks_[lba].either = blocks_[lba].stamp = stamp; }
  /// The block may hold `stamp`, by a command that was cut off.
  void may_hold(std::uint64_t lba, data::BlockStamp stamp) { blocks_[lba].either = stamp; }
  /// Whether a read may have returned `stamp`. It holds that from now on.
  bool read(std::uint64_t lba, data::BlockStamp stamp) {
    Block& block = blocks_[lba];
    if (stamp != block.stamp && stamp != block.either) return false;
    block.stamp = block.either = stamp;
    return true;
  }
  /// Neither of two contents is known to be there: a second cut-off write of the block is not to begin before a read.
  [[nodiscard]] bool known(std::uint64_t lba, std::uint64_t blocks) const {
    for (std::uint64_t i = 0; i < blocks; ++i) {
      if (blocks_[lba + i].stamp != blocks_[lba + i].either) return false;
    }
    return true;
  }
  [[nodiscard]] data::BlockStamp expected(std::uint64_t lba) const { return blocks_[lba].stamp; }

 private:
  struct Block {
    data::BlockStamp stamp{};   // a drive begins with zeros
    data::BlockStamp either{};  // or this
    bool busy = false;
  };
  std::vector<Block> blocks_;
};

}  // namespace wordline::fuzz
