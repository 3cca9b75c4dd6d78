// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <algorithm>

namespace wordline::persist_model {

std::string_view name_of(Failure failure) {
  constexpr std::array<std::string_view, 7> kNames{"none", "lost", "stale", "shorn", "corrupt", "dead", "live"};
  return kNames[static_cast<std::size_t>(failure)];
}

Oracle::Lengths Oracle::lengths() const {
  Lengths n{};
  for (std::size_t l = 0; l != kLpns; ++l) n[l] = history_[l].size();
  return n;
}

void Oracle::arrived(const MapUnit& content) {
  history_[static_cast<std::size_t>(content.lpn)].push_back(content.kind == Kind::kTombstone ? Halves{}
                                                                                             : content.halves);
}

void Oracle::force_unit_access(const MapUnit& content) {
  flushes_.push_back({content.sequence, content.lpn, lengths()});
}

void Oracle::poll(const Ftl& ftl) {
  const auto kept = [&](const Flush& f) {
    if (!ftl.durable(f.sequence)) return true;
    for (std::size_t l = 0; l != kLpns; ++l)
      if (!f.lpn || static_cast<std::size_t>(*f.lpn) == l) promised_[l] = std::max(promised_[l], f.lengths[l] - 1);
    return false;
  };
  std::vector<Flush> left;
  for (const Flush& f : flushes_)
    if (kept(f)) left.push_back(f);
  flushes_ = left;
}

Failure Oracle::check_live(const Ftl& ftl) const {
  for (int l = 0; l != kLpns; ++l)
    if (ftl.read(l) != history_[static_cast<std::size_t>(l)].back()) return Failure::kLive;
  return Failure::kNone;
}

Failure Oracle::check(int lpn, const std::optional<Halves>& value) {
  auto& history = history_[static_cast<std::size_t>(lpn)];
  std::size_t& promised = promised_[static_cast<std::size_t>(lpn)];
  if (!value) return Failure::kLost;
  if ((*value)[0] != (*value)[1]) return Failure::kShorn;
  std::size_t i = history.size();
  while (i != 0 && history[i - 1] != *value) --i;
  if (i == 0) return Failure::kCorrupt;
  if (--i < promised) return *value == Halves{} ? Failure::kLost : Failure::kStale;
  history.resize(i + 1);
  promised = i;
  return Failure::kNone;
}

Failure Oracle::check_mounted(const Ftl& ftl) {
  for (int l = 0; l != kLpns; ++l)
    if (const Failure f = check(l, ftl.read(l)); f != Failure::kNone) return f;
  return Failure::kNone;
}

}  // namespace wordline::persist_model
