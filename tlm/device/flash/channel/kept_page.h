// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/nand/die.h"
#include "tlm/device/flash/channel/read_group.h"

namespace wordline::flash {

/// Which pages the registers of a die's planes hold since their last reads (channels.register_hits): reads of them need
/// a column selection and no sense. A page is held until its plane is sensed again or the array does anything but read;
/// whoever commands that calls forget(). Only reads with the default references are kept: a page that needed a retry is
/// sensed again.
class KeptPage {
 public:
  explicit KeptPage(bool enabled) : enabled_(enabled) {}

  /// The planes of `group` have been sensed, with `retries` on behalf of its retry.
  void keep(const ReadGroup& group, bool retries) {
    if (!enabled_) return;
    planes_ &= ~group.sensed;
    if (retries || group.any().control != 0) return;
    planes_ |= group.sensed;
    for (std::uint32_t p = 0; p < held_.size(); ++p) {
      if ((group.sensed >> p & 1U) != 0) held_[p] = {group.block(p), group.any().page};
    }
  }
  void forget() { planes_ = 0; }

  /// Planes, as bits, that hold the page of `group`, when all that it wants is there; else 0, and `group` is sensed.
  [[nodiscard]] std::uint32_t serve(const ReadGroup& group) {
    serving_ = 0;
    const std::uint32_t wanted = group.wanted_planes();
    if (group.any().control != 0 || (wanted & ~planes_) != 0) return 0;
    std::uint32_t same = 0;
    for (std::uint32_t p = 0; p < held_.size(); ++p) {
      if ((planes_ >> p & 1U) == 0 || held_[p].page != group.any().page) continue;
      if ((wanted >> p & 1U) == 0 || held_[p].block == group.block(p)) same |= 1U << p;
    }
    return serving_ = (wanted & ~same) == 0 ? same : 0;
  }
  /// Whether a read of `block` may join the group: what is served holds no other block in the plane.
  [[nodiscard]] bool may_join(std::uint32_t plane, BlockId block) const {
    return serving_ == 0 || ((serving_ >> plane & 1U) != 0 && held_[plane].block == block);
  }

 private:
  struct Held {
    BlockId block{};
    std::uint32_t page = 0;
  };

  const bool enabled_;
  std::uint32_t planes_ = 0;   // that hold a page, as bits
  std::uint32_t serving_ = 0;  // of these, those of the group that is read without a sense
  std::array<Held, nand::kMaxPlanes> held_{};
};

}  // namespace wordline::flash
