// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace wordline {

/// A position in one kind of sequence. A die index cannot be used where a block index is meant.
template <class Tag, class Rep = std::uint32_t>
class Index {
 public:
  using rep = Rep;
  constexpr Index() = default;
  constexpr explicit Index(Rep value) : value_(value) {}

  [[nodiscard]] constexpr Rep value() const { return value_; }
  constexpr Index& operator++() {
    ++value_;
    return *this;
  }
  friend constexpr bool operator==(Index a, Index b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Index a, Index b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(Index a, Index b) { return a.value_ < b.value_; }

 private:
  Rep value_{};
};

/// Logical block of the namespace: 512 bytes, the NVMe LBA.
using Lba = Index<struct LbaTag, std::uint64_t>;
/// Logical logical page (LpageSize), the FTL's mapping unit.
using Lpn = Index<struct LpnTag, std::uint32_t>;
/// A die (LUN) of the drive, numbered over all channels: channel = die % channels.
using DieId = Index<struct DieTag, std::uint16_t>;
using ChannelId = Index<struct ChannelTag, std::uint16_t>;
using PlaneId = Index<struct PlaneTag, std::uint8_t>;
/// Block inside a plane.
using BlockId = Index<struct BlockTag, std::uint32_t>;
/// Word line inside a block.
using WlId = Index<struct WlTag, std::uint32_t>;
/// Page inside a block of one plane.
using PageId = Index<struct PageTag, std::uint32_t>;
/// Slot of the controller's data buffer in DRAM; holds a logical page.
using SlotId = Index<struct SlotTag, std::uint32_t>;

inline constexpr std::uint32_t kLbaBytes = 512;
/// Page of host memory (NVMe CC.MPS = 0).
inline constexpr std::uint32_t kHostPageBytes = 4096;
inline constexpr std::uint32_t kLbasPerHostPage = kHostPageBytes / kLbaBytes;

}  // namespace wordline

template <class Tag, class Rep>
struct std::hash<wordline::Index<Tag, Rep>> {
  std::size_t operator()(wordline::Index<Tag, Rep> i) const noexcept { return std::hash<Rep>{}(i.value()); }
};
