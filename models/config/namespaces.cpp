// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/namespaces.h"

#include <algorithm>
#include <utility>

namespace wordline::config {

std::vector<Namespace> namespaces_of(const Config& config, std::uint64_t user_lbas) {
  if (config.nvme.namespaces.empty()) return {{0, user_lbas}};
  std::vector<Namespace> all;
  double share = 0;
  std::uint64_t first = 0;
  for (const double own : config.nvme.namespaces) {
    share += own;
    const auto end = static_cast<std::uint64_t>(static_cast<double>(user_lbas) * std::min(share, 1.0));
    const bool last = all.size() + 1 == config.nvme.namespaces.size();
    const std::uint64_t whole = last ? user_lbas : end / kNamespaceGrain * kNamespaceGrain;
    all.push_back({first, whole - first});
    first = whole;
  }
  return all;
}

data::TupleRule tuple_rule_of(const Config& config, std::uint64_t user_lbas) {
  std::vector<std::uint64_t> firsts;
  for (const Namespace& own : namespaces_of(config, user_lbas)) firsts.push_back(own.first);
  return {lba_shift_of(config.nvme.lba_size), std::move(firsts), config.nvme.protection};
}

unsigned lba_shift_of(LbaSize size) { return size == LbaSize::k4096 ? 3 : 0; }

}  // namespace wordline::config
