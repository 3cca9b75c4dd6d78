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
      : all_(config::namespaces_of(config, user_lbas)),
        shift_(config::lba_shift_of(config.nvme.lba_size)),
        metadata_(config.nvme.metadata),
        protection_(config.nvme.protection),
        inserts_(protection_ != data::ProtectionType::kNone &&
                 config.host.protection == config::HostProtection::kInsert) {}

  [[nodiscard]] const std::vector<config::Namespace>& all() const { return all_; }
  /// A logical block is 512 bytes << shift().
  [[nodiscard]] unsigned shift() const { return shift_; }

  [[nodiscard]] config::BlockMetadata metadata() const { return metadata_; }
  [[nodiscard]] data::ProtectionType protection() const { return protection_; }
  /// The controller makes and drops protection information.
  [[nodiscard]] bool inserts() const { return inserts_; }
  /// Bytes of metadata that lie among the data of `nlb` blocks of 512 bytes.
  [[nodiscard]] std::uint64_t among(std::uint64_t nlb) const {
    const bool there = metadata_ == config::BlockMetadata::kInterleaved && !inserts_;
    return there ? (nlb >> shift_) * data::BlockTuple::kBytes : 0;
  }

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
  config::BlockMetadata metadata_;
  data::ProtectionType protection_;
  bool inserts_;
};

}  // namespace wordline::host
