// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/config/namespaces.h"
#include "models/data/protection.h"
#include "models/units/quantity.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// What Format NVM chooses, for all namespaces: an LBA format by its index, what its metadata are and where.
struct LbaFormat {
  unsigned index = 0;
  bool interleaved = false;  // metadata lie behind their block, else in a buffer of their own
  bool first = false;        // protection information is the first eight bytes of the metadata, which are eight
  data::ProtectionType protection = data::ProtectionType::kNone;
};

/// The namespaces of the controller and their common LBA format: where a logical block of one of them lies among the
/// blocks of 512 bytes that the rest of the drive knows.
///
/// All namespaces have the same format, since Format NVM concerns all of them (FNA bit 0). Known gaps: they are made
/// when the drive is (no Namespace Management), thick, and belong to the one controller.
class Namespaces {
 public:
  static constexpr unsigned kWithoutMetadata = 2;  // 512 bytes and 4 KiB; then 4 KiB with metadata, and 512 bytes

  /// `user_lbas`: exported, 512 bytes each.
  Namespaces(const config::Config& config, std::uint64_t user_lbas)
      : all_(config::namespaces_of(config, user_lbas)), formats_(formats_of(config)), format_(begin(config)) {}

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(all_.size()); }
  [[nodiscard]] bool has(std::uint32_t nsid) const { return nsid - 1U < count(); }
  /// In blocks of 512 bytes. There is one of this identifier.
  [[nodiscard]] const config::Namespace& at(std::uint32_t nsid) const { return all_.at(nsid - 1U); }
  /// All of them together, in blocks of 512 bytes.
  [[nodiscard]] std::uint64_t capacity() const { return all_.back().end(); }

  /// LBA formats that there are.
  [[nodiscard]] unsigned formats() const { return formats_; }
  [[nodiscard]] bool offers_metadata() const { return formats_ > kWithoutMetadata; }
  [[nodiscard]] const LbaFormat& format() const { return format_; }
  void set_format(const LbaFormat& format) { format_ = format; }
  [[nodiscard]] static bool has_metadata(unsigned index) { return index >= kWithoutMetadata; }
  [[nodiscard]] bool has_metadata() const { return has_metadata(format_.index); }
  /// The logical block as a power of two of bytes (LBADS) of a format, and of 512 bytes of the present one.
  [[nodiscard]] static unsigned lbads(unsigned index) { return index == 0 || index == kWithoutMetadata + 1 ? 9U : 12U; }
  [[nodiscard]] unsigned shift() const { return lbads(format_.index) - 9U; }
  /// Tuples as the host of a run makes them.
  [[nodiscard]] data::TupleRule tuple_rule() const {
    std::vector<std::uint64_t> firsts;
    for (const config::Namespace& own : all_) firsts.push_back(own.first);
    return {shift(), std::move(firsts), format_.protection};
  }

  /// Where `nlb` logical blocks of namespace `nsid` begin, in blocks of 512 bytes of the drive. False: they end beyond
  /// the namespace.
  [[nodiscard]] bool place(std::uint32_t nsid, std::uint64_t slba, std::uint64_t nlb, std::uint64_t& first) const {
    const config::Namespace& own = at(nsid);
    const std::uint64_t blocks = own.lbas >> shift();
    if (slba > blocks || nlb > blocks - slba) return false;
    first = own.first + (slba << shift());
    return true;
  }

 private:
  [[nodiscard]] static unsigned formats_of(const config::Config& config) {
    if (config.nvme.metadata == config::BlockMetadata::kNone) return kWithoutMetadata;
    return kWithoutMetadata + (config::has_room_for_small_blocks(config.nand.geometry) ? 2 : 1);
  }
  [[nodiscard]] static LbaFormat begin(const config::Config& config) {
    const auto size = static_cast<unsigned>(config.nvme.lba_size);
    if (config.nvme.metadata == config::BlockMetadata::kNone) return {size};
    return {kWithoutMetadata + 1 - size, config.nvme.metadata == config::BlockMetadata::kInterleaved, false,
            config.nvme.protection};
  }

  std::vector<config::Namespace> all_;
  unsigned formats_;
  LbaFormat format_;
};

}  // namespace wordline::host::nvme
