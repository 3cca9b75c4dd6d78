// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/nvme/sgl.h"

#include <algorithm>
#include <cstring>

#include "testbenches/fuzz/nvme/checked_commands.h"

namespace wordline::fuzz {

namespace nvme = host::nvme;
using nvme::SglDescriptor;

namespace {

constexpr std::size_t kPerPage = 4096 / sizeof(SglDescriptor);

void set_first(nvme::SubmissionEntry& entry, const SglDescriptor& first, Draws& draws) {
  entry.flags |= draws.once_in(2) ? nvme::kPsdtSgl : nvme::kPsdtSglMptr;
  std::memcpy(&entry.prp1, &first, sizeof first);
}

}  // namespace

void set_sgl(nvme::SubmissionEntry& entry, const std::vector<Stretch>& stretches, std::uint32_t unit, bool to_host,
             std::uint64_t list, HostileHost& host, Draws& draws) {
  std::vector<SglDescriptor> all;
  for (Stretch left : stretches) {
    while (left.bytes != 0) {
      // Long pieces, when there are many already: all are to lie in one page, with the segments between them.
      const bool cut = draws.once_in(2) && all.size() < 120;
      const std::uint64_t bytes = cut ? std::min(left.bytes, unit * draws.between(1, 8)) : left.bytes;
      all.push_back({left.address, static_cast<std::uint32_t>(bytes), {}, nvme::kSglDataBlock});
      left.address += bytes;
      left.bytes -= bytes;
      if (all.size() > 120 || !draws.once_in(8)) continue;
      const std::uint32_t ignored = to_host ? 0 : static_cast<std::uint32_t>(draws.bits());
      all.push_back(draws.once_in(2) ? SglDescriptor{0, 0, {}, nvme::kSglDataBlock}
                                     : SglDescriptor{draws.bits(), ignored, {}, nvme::kSglBitBucket});
    }
  }
  if (all.size() == 1 && draws.once_in(2)) {
    set_first(entry, all.front(), draws);
    return;
  }
  std::vector<SglDescriptor> page;
  std::size_t next = 0, names = 0;
  SglDescriptor first{};
  const auto name = [&](std::size_t from, bool is_last) {
    const SglDescriptor d{list + from * sizeof first,
                          static_cast<std::uint32_t>((page.size() - from) * sizeof first),
                          {},
                          is_last ? nvme::kSglLastSegment : nvme::kSglSegment};
    (from == 0 ? first : page[names]) = d;
  };
  std::size_t begin = 0;
  while (next != all.size()) {
    page.push_back(all[next++]);
    if (next == all.size() || page.size() + (all.size() - next) + 2 > kPerPage || !draws.once_in(4)) continue;
    page.push_back({});  // names the next segment
    const std::size_t at = page.size() - 1;
    name(begin, false);
    names = at;
    begin = page.size();
  }
  name(begin, true);
  host.store(list, page.data(), page.size() * sizeof page[0]);
  set_first(entry, first, draws);
}

void set_hostile_sgl(nvme::SubmissionEntry& entry, std::uint64_t data, std::uint64_t list, HostileHost& host,
                     Draws& draws) {
  const auto descriptor = [&] {
    SglDescriptor d{data + draws.below(8) * 512,
                    static_cast<std::uint32_t>(draws.between(1, 8)) * 512,
                    {},
                    draws.one_of<std::uint8_t>({nvme::kSglDataBlock, nvme::kSglDataBlock, nvme::kSglBitBucket,
                                                nvme::kSglSegment, nvme::kSglLastSegment})};
    if (draws.once_in(12)) d.identifier = static_cast<std::uint8_t>(draws.bits());
    if (draws.once_in(12)) d.address = draws.once_in(2) ? nowhere(draws) : draws.extreme();
    if (draws.once_in(12)) d.length = static_cast<std::uint32_t>(draws.extreme());
    if (d.identifier == nvme::kSglSegment || d.identifier == nvme::kSglLastSegment) {
      d.address = draws.once_in(12) ? nowhere(draws) : list + draws.below(250) * sizeof d;
      if (!draws.once_in(6)) d.length = static_cast<std::uint32_t>(draws.between(1, 6) * sizeof d);
    }
    return d;
  };
  std::vector<SglDescriptor> all(kPerPage);
  for (SglDescriptor& d : all) d = descriptor();
  if (draws.once_in(8)) {  // an endless way
    for (SglDescriptor& d : all) d = {list, sizeof d, {}, nvme::kSglSegment};
  }
  host.store(list, all.data(), all.size() * sizeof all[0]);
  set_first(entry, draws.once_in(3) ? descriptor() : all[draws.below(all.size())], draws);
}

}  // namespace wordline::fuzz
