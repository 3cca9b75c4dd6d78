// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "tlm/device/mover/host_command.h"
#include "tlm/device/mover/host_dma.h"

namespace wordline::host {

/// The ranges of one deallocation (or of a copy, two entries each), as they lie in host memory: 16 bytes each, which is
/// also what the firmware reads (models/firmware/contract/host_ring.h). Content only, no time.
class RangeList {
 public:
  /// `command.ranges` entries from its first page on, over one page border at most; or from the stretches of its SGL.
  void read(HostDma& dma, Picoseconds earliest, const HostCommand& command, const DmaAccess& access) {
    const std::vector<HostDma::Piece> pieces = pieces_of(command);
    dma.read(earliest, pieces.data(), static_cast<unsigned>(pieces.size()), access);
  }
  /// As read(), without time. False: the host has no memory there.
  [[nodiscard]] bool read(HostMemoryIf& memory, const HostCommand& command) {
    const std::vector<HostDma::Piece> pieces = pieces_of(command);
    return std::all_of(pieces.begin(), pieces.end(),
                       [&](const HostDma::Piece& piece) { return memory.read(piece.address, piece.at, piece.bytes); });
  }
  /// All lie inside the drive.
  [[nodiscard]] bool inside(const HostLimits& limits) const {
    return std::all_of(ranges_.begin(), ranges_.begin() + count_,
                       [&](const wl_dsm_range& range) { return limits.holds(slba_of(range), range.blocks); });
  }
  /// Each range anew, by place(first LBA, LBAs): false ends it, and is the answer.
  template <class Place>
  [[nodiscard]] bool place_each(Place place) {
    return std::all_of(ranges_.begin(), ranges_.begin() + count_, [&](wl_dsm_range& range) {
      std::uint64_t slba = slba_of(range), nlb = range.blocks;
      if (!place(slba, nlb)) return false;
      range.slba_low = static_cast<std::uint32_t>(slba);
      range.slba_high = static_cast<std::uint32_t>(slba >> 32);
      range.blocks = static_cast<std::uint32_t>(nlb);
      return true;
    });
  }
  void drop_empty() {
    const auto end = std::remove_if(ranges_.begin(), ranges_.begin() + count_,
                                    [](const wl_dsm_range& range) { return range.blocks == 0; });
    count_ = static_cast<std::uint32_t>(end - ranges_.begin());
  }

  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(wl_dsm_range); }
  [[nodiscard]] const wl_dsm_range* data() const { return ranges_.data(); }
  [[nodiscard]] std::uint64_t slba(std::uint32_t i) const { return slba_of(ranges_[i]); }
  [[nodiscard]] std::uint32_t nlb(std::uint32_t i) const { return ranges_[i].blocks; }

 private:
  [[nodiscard]] std::vector<HostDma::Piece> pieces_of(const HostCommand& command) {
    count_ = std::min<std::uint32_t>(command.ranges, WL_DSM_RANGES);
    auto* to = reinterpret_cast<std::byte*>(ranges_.data());
    std::vector<HostDma::Piece> pieces;
    for (const HostStretch& stretch : command.stretches) {
      pieces.push_back({stretch.address, to, stretch.bytes});
      to += stretch.bytes;
    }
    if (!pieces.empty()) return pieces;
    const std::size_t first = std::min<std::size_t>(bytes(), kHostPageBytes - (command.pages[0] & kHostPageMask));
    pieces.push_back({command.pages[0], to, first});
    if (first != bytes()) pieces.push_back({command.pages[1], to + first, bytes() - first});
    return pieces;
  }
  static std::uint64_t slba_of(const wl_dsm_range& range) {
    return static_cast<std::uint64_t>(range.slba_high) << 32 | range.slba_low;
  }

  std::array<wl_dsm_range, WL_DSM_RANGES> ranges_{};
  std::uint32_t count_ = 0;
};

}  // namespace wordline::host
