// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/data/stamp.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace wordline::data {

LpageToken TokenPool::intern(const LpageStamps& stamps) {
  const LbaStamp first = stamps[0];
  bool zero = true;
  bool uniform = !first.is_zero() && size_.lba_offset(first.lba().value()) == 0;
  for (unsigned i = 0; i < size_.lbas(); ++i) {
    zero = zero && stamps[i].is_zero();
    uniform = uniform && stamps[i] == LbaStamp(Lba(first.lba().value() + i), first.version());
  }
  if (zero) return {};
  if (uniform) {
    return LpageToken::uniform(Lpn(static_cast<std::uint32_t>(size_.lpage_of(first.lba().value()))), first.version());
  }
  return keep_mixed(stamps);
}

LpageToken TokenPool::intern(const LpageStamps& stamps, const LpageTuples& tuples) {
  const LpageToken token = keep_mixed(stamps);
  tuples_.emplace(token.index(), tuples);
  return token;
}

LpageToken TokenPool::keep_mixed(const LpageStamps& stamps) {
  const auto* const end = stamps.begin() + size_.lbas();
  has_marks_ = has_marks_ || std::find(stamps.begin(), end, kMarked) != end;
  mixed_.insert(mixed_.end(), stamps.begin(), end);
  return LpageToken::mixed(mixed_count() - 1);
}

bool TokenPool::marked(LpageToken token, unsigned first, unsigned count) const {
  if (!has_marks_ || !token.is_mixed()) return false;
  const LbaStamp* const begin = mixed(token) + first;
  return std::find(begin, begin + count, kMarked) != begin + count;
}

LbaStamp TokenPool::stamp(LpageToken token, unsigned i) const {
  if (token.is_mixed()) return mixed(token)[i];
  if (token.is_zero() || token.is_metadata()) return {};
  return {Lba(size_.first_lba(token.lpn().value()) + i), token.version()};
}

LpageToken TokenPool::keep(const std::byte* bytes) {
  std::vector<std::byte> copy(bytes, bytes + size_.bytes());
  if (dropped_.empty()) {
    metadata_.push_back(std::move(copy));
    return LpageToken::metadata(metadata_.size() - 1);
  }
  const std::uint64_t index = dropped_.back();
  dropped_.pop_back();
  metadata_[index] = std::move(copy);
  return LpageToken::metadata(index);
}

void TokenPool::drop(LpageToken token) {
  std::vector<std::byte>& bytes = metadata_.at(token.index());
  if (bytes.empty()) throw std::logic_error("metadata dropped twice");
  bytes = {};
  dropped_.push_back(token.index());
}

}  // namespace wordline::data
