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
  using Place = AddressStream::Place;

  void write(const Place& place) {
    forget(place);
    pieces_[place.first] = place.blocks;
  }
  /// Trimmed, or written by a later request.
  void forget(const Place& place) {
    const std::uint64_t end = place.first + place.blocks;
    auto piece = pieces_.lower_bound(place.first);
    if (piece != pieces_.begin()) {
      const auto before = std::prev(piece);
      const std::uint64_t before_end = before->first + before->second;
      if (before_end > place.first) {
        before->second = static_cast<std::uint32_t>(place.first - before->first);
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
  [[nodiscard]] Place take() {
    const auto piece = pieces_.begin();
    const Place place{piece->first, piece->second};
    pieces_.erase(piece);
    return place;
  }

 private:
  std::map<std::uint64_t, std::uint32_t> pieces_;
};

}  // namespace wordline::workload::fio
