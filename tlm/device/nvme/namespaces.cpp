// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/namespaces.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace wordline::host::nvme {

Namespaces::Namespaces(const config::Config& config, std::uint64_t user_lbas)
    : capacity_(user_lbas),
      managed_(config.ftl.recovery == config::Recovery::kNone && config.ftl.fdp.handles == 0),
      formats_(formats_of(config)),
      format_(begin(config)) {
  const std::vector<config::Namespace> made = config::namespaces_of(config, user_lbas);
  last_ = managed_ ? kMost : static_cast<std::uint32_t>(made.size());
  for (std::uint32_t i = 0; i < made.size(); ++i) all_[i] = {made[i], made[i].lbas, true, i + 1};
}

void Namespaces::set_format(const LbaFormat& format) {
  if (format == format_) return;
  format_ = format;
  for (std::uint32_t i = 0; i < last_; ++i)
    if (all_[i].attached) changed_ |= 1U << i;
}

data::TupleRule Namespaces::tuple_rule() const {
  std::vector<std::uint64_t> firsts;
  for (const Namespace& each : all_)
    if (each.room != 0) firsts.push_back(each.first);
  std::sort(firsts.begin(), firsts.end());
  return {shift(), std::move(firsts), format_.protection};
}

std::uint64_t Namespaces::unallocated() const {
  std::uint64_t blocks = capacity_;
  for (const Namespace& each : all_) blocks -= each.room;
  return blocks;
}

std::uint64_t Namespaces::end_of_gap(std::uint64_t begin) const {
  std::uint64_t end = capacity_;
  for (const Namespace& each : all_)
    if (each.room != 0 && each.first >= begin) end = std::min(end, each.first);
  return end;
}

// A gap begins where the drive or a namespace does or ends; the best is the smallest that is large enough.
Status Namespaces::create(std::uint64_t lbas, std::uint32_t& nsid) {
  const auto unused = std::find_if(all_.begin(), all_.end(), [](const Namespace& each) { return each.room == 0; });
  if (unused == all_.end()) return kNoNamespaceIdentifier;
  std::vector<std::uint64_t> begins{0};
  for (const Namespace& each : all_)
    if (each.room != 0) begins.push_back(each.first + each.room);
  std::uint64_t first = 0, gap = 0;
  for (const std::uint64_t begin : begins) {
    const std::uint64_t size = end_of_gap(begin) - begin;
    if (size < lbas || (gap != 0 && size >= gap)) continue;
    first = begin;
    gap = size;
  }
  if (gap == 0) return kNoNamespaceCapacity;
  const std::uint64_t whole = (lbas + config::kNamespaceGrain - 1) / config::kNamespaceGrain * config::kNamespaceGrain;
  *unused = {{first, lbas}, std::min(whole, gap), false, ++serials_};
  nsid = static_cast<std::uint32_t>(unused - all_.begin()) + 1;
  return kSuccess;
}

void Namespaces::attach(std::uint32_t nsid) {
  all_[nsid - 1].attached = true;
  changed_ |= 1U << (nsid - 1);
}

void Namespaces::detach(std::uint32_t bits) {
  for (std::uint32_t i = 0; i < last_; ++i) {
    if ((bits >> i & 1U) == 0 || !all_[i].attached) continue;
    all_[i].attached = false;
    changed_ |= 1U << i;
  }
  leaving_ &= ~bits;
}

void Namespaces::remove(std::uint32_t bits) {
  detach(bits);
  for (std::uint32_t i = 0; i < last_; ++i)
    if ((bits >> i & 1U) != 0) all_[i] = {};
}

}  // namespace wordline::host::nvme
