// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/config/config.h"
#include "models/data/protection.h"

namespace wordline::config {

/// Where a namespace lies among the blocks of 512 bytes that a drive exports; its identifier is its place in the list,
/// from 1 on.
struct Namespace {
  std::uint64_t first = 0;
  std::uint64_t lbas = 0;
  [[nodiscard]] std::uint64_t end() const { return first + lbas; }
};

/// Namespaces begin and end at multiples of this, in blocks of 512 bytes: of 64 KiB, so that none shares a page of
/// flash or a preferred write with another.
inline constexpr std::uint64_t kNamespaceGrain = 128;

/// One behind the other, by nvme.namespaces; one of all `user_lbas` where that is empty.
[[nodiscard]] std::vector<Namespace> namespaces_of(const Config& config, std::uint64_t user_lbas);
/// The tuples of blocks that the host of a run makes, in the LBA format at power on.
[[nodiscard]] data::TupleRule tuple_rule_of(const Config& config, std::uint64_t user_lbas);
/// nvme.lba_size as a power of two of 512 bytes.
[[nodiscard]] unsigned lba_shift_of(LbaSize size);

}  // namespace wordline::config
