// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/config/namespaces.h"

namespace wordline::host {

/// What the host expects of the namespaces, and how it names a block of 512 bytes of the drive in one of them: workload
/// and oracle know the drive as one row of blocks, in which the namespaces lie one behind the other.
class HostNamespaces {
 public:
  /// `user_lbas`: 512 bytes each.
  HostNamespaces(const config::Config& config, std::uint64_t user_lbas)
      : all_(config::namespaces_of(config, user_lbas)), shift_(config::lba_shift_of(config.nvme.lba_size)) {}

  [[nodiscard]] const std::vector<config::Namespace>& all() const { return all_; }
  /// A logical block is 512 bytes << shift().
  [[nodiscard]] unsigned shift() const { return shift_; }

  struct Name {
    std::uint32_t nsid;
    std::uint64_t lba;   // logical block in the namespace
    std::uint64_t room;  // blocks of 512 bytes from there to the end of the namespace
  };
  [[nodiscard]] Name name_of(std::uint64_t block) const {
    std::uint32_t nsid = 1;
    while (nsid < all_.size() && block >= all_[nsid - 1].end()) ++nsid;
    const config::Namespace& own = all_[nsid - 1];
    return {nsid, (block - own.first) >> shift_, own.end() - block};
  }

 private:
  std::vector<config::Namespace> all_;
  unsigned shift_;
};

}  // namespace wordline::host
