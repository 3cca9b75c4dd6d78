// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/config/config.h"
#include "models/data/protection.h"
#include "tlm/host/memory/host_memory.h"

namespace wordline::host {

/// Metadata of blocks as the host of a run has them in its memory: made for what it writes, checked in what it reads.
/// They are TupleRule's, with protection information and without. With host.protection = insert the host has none.
///
/// Interleaved blocks are bytes of host memory, not stamps: 512 for each, as data::expand() has them.
class HostMetadata {
 public:
  HostMetadata(const config::Config& config, std::uint64_t user_lbas, HostMemory& memory);

  [[nodiscard]] bool on() const { return place_ != config::BlockMetadata::kNone; }
  [[nodiscard]] bool interleaved() const { return place_ == config::BlockMetadata::kInterleaved; }
  /// Pages of a command's data.
  [[nodiscard]] std::uint32_t pages(std::uint32_t nlb) const;
  /// A buffer for the metadata of `nlb` LBAs; 0 where it needs none.
  [[nodiscard]] std::uint64_t acquire(std::uint32_t nlb);
  void release(std::uint64_t buffer, std::uint32_t nlb);

  /// The host writes; `pages` are those of the data.
  void put(std::uint64_t slba, std::uint32_t nlb, std::uint32_t version, const std::vector<std::uint64_t>& pages,
           std::uint64_t buffer);
  /// Fills what a read is to overwrite.
  void poison(std::uint32_t nlb, const std::vector<std::uint64_t>& pages, std::uint64_t buffer);
  /// What a read has brought: its stamps, of blocks that stand for none kMarked. False: a block's metadata are not
  /// those of its data; lba() is the first of these, 512 bytes each.
  [[nodiscard]] bool take(std::uint64_t slba, std::uint32_t nlb, const std::vector<std::uint64_t>& pages,
                          std::uint64_t buffer);
  [[nodiscard]] const std::vector<data::LbaStamp>& stamps() const { return stamps_; }
  [[nodiscard]] std::uint64_t lba() const { return wrong_; }

 private:
  [[nodiscard]] std::size_t tuple_bytes(std::uint32_t nlb) const;
  void read_stamps(std::uint32_t nlb, const std::vector<std::uint64_t>& pages, std::uint64_t buffer);
  void read_blocks(std::uint32_t nlb, const std::vector<std::uint64_t>& pages);

  const config::BlockMetadata place_;
  const data::TupleRule rule_;
  HostMemory& memory_;
  std::vector<std::byte> bytes_;
  std::vector<data::LbaStamp> stamps_;
  std::vector<data::BlockTuple> tuples_;
  std::uint64_t wrong_ = 0;
};

}  // namespace wordline::host
