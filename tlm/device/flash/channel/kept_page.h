// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/nand/die.h"
#include "tlm/device/flash/channel/read_group.h"

namespace wordline::flash {

/// Which page a die's registers hold since its last read (channels.register_hits): reads of it need a column selection
/// and no sense. The page is held until the array does anything else; whoever commands it calls forget(). Only reads
/// with the default references are kept: a page that needed a retry is sensed again.
class KeptPage {
 public:
  explicit KeptPage(bool enabled) : enabled_(enabled) {}

  /// The planes of `group` have been sensed.
  void keep(const ReadGroup& group) {
    if (!enabled_ || group.any().control != 0) return;
    page_ = group.any().page;
    planes_ = group.sensed;
    for (std::uint32_t p = 0; p < blocks_.size(); ++p) {
      if ((planes_ >> p & 1U) != 0) blocks_[p] = group.block(p);
    }
  }
  void forget() { planes_ = 0; }

  /// Whether all that `group` wants is there.
  [[nodiscard]] bool serves(const ReadGroup& group) const {
    const std::uint32_t wanted = group.wanted_planes();
    if (planes_ == 0 || group.any().control != 0 || group.any().page != page_ || (wanted & ~planes_) != 0) return false;
    for (std::uint32_t p = 0; p < blocks_.size(); ++p) {
      if ((wanted >> p & 1U) != 0 && blocks_[p] != group.block(p)) return false;
    }
    return true;
  }
  [[nodiscard]] std::uint32_t planes() const { return planes_; }
  /// Whether a page of this block is held in the plane, or nothing is known of any.
  [[nodiscard]] bool may_hold(std::uint32_t plane, BlockId block) const {
    return planes_ == 0 || ((planes_ >> plane & 1U) != 0 && blocks_[plane] == block);
  }

 private:
  const bool enabled_;
  std::uint32_t page_ = 0;
  std::uint32_t planes_ = 0;  // as bits; 0: none is held
  nand::BlockByPlane blocks_;
};

}  // namespace wordline::flash
