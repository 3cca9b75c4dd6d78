// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace wordline::precondition {

/// Which map pages a cache of them has to write, as entries change: CLOCK, as models/firmware/map/cache.h.
///
/// Accuracy: a changed page is written when it leaves; the firmware writes some before, a program unit of them at a
/// time, which may change again in the cache.
class LogicalMapCache {
 public:
  struct Shape {
    std::uint32_t pages = 0;    // of the map; 0: it is in DRAM
    std::uint32_t entries = 1;  // of a map page
    std::uint32_t frames = 0;   // of the cache
  };
  explicit LogicalMapCache(const Shape& shape)
      : shape_(shape), frames_(shape.pages == 0 ? 0 : shape.frames), frame_of_(shape.pages, kNone) {}

  [[nodiscard]] std::uint32_t pages() const { return shape_.pages; }
  /// The entry of a logical page changes. A changed map page may have to leave for its own, and is to be written.
  void change(std::uint32_t lpn) {
    const std::uint32_t page = lpn / shape_.entries;
    if (frame_of_[page] == kNone)
      load(page);
    else
      frames_[frame_of_[page]].used = true;
  }
  /// The next map page that is to be written.
  std::optional<std::uint32_t> take_changed() {
    if (changed_.empty()) return std::nullopt;
    const std::uint32_t page = changed_.back();
    changed_.pop_back();
    return page;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Frame {
    std::uint32_t page = kNone;
    bool used = false;  // since the hand has passed it
  };

  /// All that are there have changed: nothing else brings a page in.
  void load(std::uint32_t page) {
    while (frames_[hand_].used) {
      frames_[hand_].used = false;
      hand_ = next(hand_);
    }
    const std::uint32_t leaves = frames_[hand_].page;
    if (leaves != kNone) {
      frame_of_[leaves] = kNone;
      changed_.push_back(leaves);
    }
    frames_[hand_] = {page, true};
    frame_of_[page] = hand_;
    hand_ = next(hand_);
  }
  [[nodiscard]] std::uint32_t next(std::uint32_t hand) const { return hand + 1 == frames_.size() ? 0 : hand + 1; }

  Shape shape_;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> frame_of_;  // by map page
  std::vector<std::uint32_t> changed_;   // map pages that have left, and are to be written
  std::uint32_t hand_ = 0;
};

}  // namespace wordline::precondition
