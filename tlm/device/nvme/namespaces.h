// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/config/namespaces.h"
#include "models/units/quantity.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// The namespaces of the controller and their common LBA format: where a logical block of one of them lies among the
/// blocks of 512 bytes that the rest of the drive knows.
///
/// All namespaces have the same format, since Format NVM concerns all of them (FNA bit 0). Known gaps: they are made
/// when the drive is (no Namespace Management), thick, and belong to the one controller.
class Namespaces {
 public:
  static constexpr unsigned kFormats = 2;  // 512 bytes and 4 KiB, both without metadata

  /// `user_lbas`: exported, 512 bytes each.
  Namespaces(const config::Config& config, std::uint64_t user_lbas)
      : all_(config::namespaces_of(config, user_lbas)), format_(static_cast<unsigned>(config.nvme.lba_size)) {}

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(all_.size()); }
  [[nodiscard]] bool has(std::uint32_t nsid) const { return nsid - 1U < count(); }
  /// In blocks of 512 bytes. There is one of this identifier.
  [[nodiscard]] const config::Namespace& at(std::uint32_t nsid) const { return all_.at(nsid - 1U); }
  /// All of them together, in blocks of 512 bytes.
  [[nodiscard]] std::uint64_t capacity() const { return all_.back().end(); }

  /// Index of the LBA format.
  [[nodiscard]] unsigned format() const { return format_; }
  void set_format(unsigned index) { format_ = index; }
  /// The logical block as a power of two of bytes (LBADS) of a format, and of 512 bytes of the present one.
  [[nodiscard]] static unsigned lbads(unsigned format) {
    return 9U + config::lba_shift_of(static_cast<config::LbaSize>(format));
  }
  [[nodiscard]] unsigned shift() const { return lbads(format_) - 9U; }

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
  std::vector<config::Namespace> all_;
  unsigned format_;
};

}  // namespace wordline::host::nvme
