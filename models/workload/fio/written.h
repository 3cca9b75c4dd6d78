// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

#include "models/workload/fio/address_stream.h"

namespace wordline::workload::fio {

/// What a verifying job has written and not read back yet, by address, as requests: what is written again counts once.
class Written {
 public:
  using Extent = AddressStream::Extent;

  void write(const Extent& extent) {
    forget(extent);
    pieces_[extent.first] = extent.nlb;
  }
  /// Trimmed, or written by a later request.
  void forget(const Extent& extent) {
    const std::uint64_t end = extent.first + extent.nlb;
    auto piece = pieces_.lower_bound(extent.first);
    if (piece != pieces_.begin()) {
      const auto before = std::prev(piece);
      const std::uint64_t before_end = before->first + before->second;
      if (before_end > extent.first) {
        before->second = static_cast<std::uint32_t>(extent.first - before->first);
        if (before_end > end) pieces_[end] = static_cast<std::uint32_t>(before_end - end);
      }
    }
    while (piece != pieces_.end() && piece->first < end) {
      const std::uint64_t piece_end = piece->first + piece->second;
      piece = pieces_.erase(piece);
      if (piece_end > end) {
        pieces_[end] = static_cast<std::uint32_t>(piece_end - end);
        break;
      }
    }
  }
  [[nodiscard]] std::uint64_t size() const { return pieces_.size(); }
  /// The lowest; there is one.
  [[nodiscard]] Extent take() {
    const auto piece = pieces_.begin();
    const Extent extent{piece->first, piece->second};
    pieces_.erase(piece);
    return extent;
  }

 private:
  std::map<std::uint64_t, std::uint32_t> pieces_;
};

}  // namespace wordline::workload::fio
