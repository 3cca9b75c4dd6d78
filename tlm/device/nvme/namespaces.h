// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/config/namespaces.h"
#include "models/data/protection.h"
#include "models/firmware/contract/contract.h"
#include "models/units/quantity.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// What Format NVM chooses, for all namespaces: an LBA format by its index, what its metadata are and where.
struct LbaFormat {
  unsigned index = 0;
  bool interleaved = false;  // metadata lie behind their block, else in a buffer of their own
  bool first = false;        // protection information is the first eight bytes of the metadata, which are eight
  data::ProtectionType protection = data::ProtectionType::kNone;

  friend bool operator==(const LbaFormat& a, const LbaFormat& b) {
    return a.index == b.index && a.interleaved == b.interleaved && a.first == b.first && a.protection == b.protection;
  }
  friend bool operator!=(const LbaFormat& a, const LbaFormat& b) { return !(a == b); }
};

/// The namespaces of the controller and their common LBA format: where a logical block of one of them lies among the
/// blocks of 512 bytes that the rest of the drive knows. The drive is made with some (nvme.namespaces); the host
/// creates and deletes them, attaches and detaches them (Base 8.11), where that is there (managed()).
///
/// A namespace is one piece of the drive's blocks, in whole config::kNamespaceGrain: the smallest gap that takes it. So
/// a command has one extent, and nothing is looked up for it but where its namespace begins.
///
/// All namespaces have the same format, since Format NVM concerns all of them (FNA bit 0). Known gaps: they are thick,
/// private, and known to the one controller; a gap that takes a new one only in parts is not used.
class Namespaces {
 public:
  static constexpr unsigned kWithoutMetadata = 2;  // 512 bytes and 4 KiB; then 4 KiB with metadata, and 512 bytes
  static constexpr std::uint32_t kMost = WL_NAMESPACES;

  struct Namespace : config::Namespace {
    std::uint64_t room = 0;  // blocks that it keeps from others; 0: there is no such namespace
    bool attached = false;
    std::uint64_t serial = 0;  // no other one has had it, of this identifier or another
  };

  /// `user_lbas`: exported, 512 bytes each.
  Namespaces(const config::Config& config, std::uint64_t user_lbas);

  /// Namespace Management and Attachment are there. Not where what they do would have to outlive a power cut, nor with
  /// placement handles, whose configuration is for one namespace.
  [[nodiscard]] bool managed() const { return managed_; }
  /// Identifiers are 1 to last(), allocated or not.
  [[nodiscard]] std::uint32_t last() const { return last_; }
  [[nodiscard]] bool is_valid(std::uint32_t nsid) const { return nsid - 1U < last_; }
  [[nodiscard]] bool is_allocated(std::uint32_t nsid) const { return is_valid(nsid) && at(nsid).room != 0; }
  /// Active: commands may name it.
  [[nodiscard]] bool has(std::uint32_t nsid) const { return is_valid(nsid) && at(nsid).attached; }
  /// How a command ends that names this identifier, if has() is false (Base 3.2.1.2).
  [[nodiscard]] Status refusal(std::uint32_t nsid) const { return is_valid(nsid) ? kInvalidField : kInvalidNamespace; }
  /// In blocks of 512 bytes. The identifier is a valid one.
  [[nodiscard]] const Namespace& at(std::uint32_t nsid) const { return all_[nsid - 1U]; }
  /// All of the drive, and what no namespace keeps, in blocks of 512 bytes.
  [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
  [[nodiscard]] std::uint64_t unallocated() const;

  /// LBA formats that there are.
  [[nodiscard]] unsigned formats() const { return formats_; }
  [[nodiscard]] bool offers_metadata() const { return formats_ > kWithoutMetadata; }
  [[nodiscard]] const LbaFormat& format() const { return format_; }
  void set_format(const LbaFormat& format);
  [[nodiscard]] static bool has_metadata(unsigned index) { return index >= kWithoutMetadata; }
  [[nodiscard]] bool has_metadata() const { return has_metadata(format_.index); }
  /// The logical block as a power of two of bytes (LBADS) of a format, and of 512 bytes of the present one.
  [[nodiscard]] static unsigned lbads(unsigned index) { return index == 0 || index == kWithoutMetadata + 1 ? 9U : 12U; }
  [[nodiscard]] unsigned shift() const { return lbads(format_.index) - 9U; }
  /// Tuples as the host of a run makes them.
  [[nodiscard]] data::TupleRule tuple_rule() const;

  /// Where `nlb` logical blocks of namespace `nsid` begin, in blocks of 512 bytes of the drive. False: they end beyond
  /// the namespace.
  [[nodiscard]] bool place(std::uint32_t nsid, std::uint64_t slba, std::uint64_t nlb, std::uint64_t& first) const {
    const Namespace& own = at(nsid);
    const std::uint64_t blocks = own.lbas >> shift();
    if (slba > blocks || nlb > blocks - slba) return false;
    first = own.first + (slba << shift());
    return true;
  }

  /// One of `lbas` blocks of 512 bytes, attached to nothing.
  Status create(std::uint64_t lbas, std::uint32_t& nsid);
  void attach(std::uint32_t nsid);

  /// These, a bit each (the first is bit 0), are to go: what names one of them is refused from now on, and the last
  /// command under way is waited for.
  void begin_leaving(std::uint32_t bits) { leaving_ |= bits; }
  [[nodiscard]] std::uint32_t leaving() const { return leaving_; }
  [[nodiscard]] bool leaves(std::uint32_t nsid) const { return is_valid(nsid) && (leaving_ >> (nsid - 1U) & 1U) != 0; }
  /// No others than these go after all.
  void stay_but(std::uint32_t bits) { leaving_ &= bits; }
  /// They have gone: are no longer attached; no longer there.
  void detach(std::uint32_t bits);
  void remove(std::uint32_t bits);

  /// Changed Namespace List: a bit for each whose Identify data or attachment is another one since changes_read().
  [[nodiscard]] std::uint32_t changed() const { return changed_; }
  void changes_read() { changed_ = 0; }

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

  [[nodiscard]] std::uint64_t end_of_gap(std::uint64_t begin) const;

  std::array<Namespace, kMost> all_{};  // by identifier - 1
  const std::uint64_t capacity_;
  const bool managed_;
  std::uint32_t last_;
  const unsigned formats_;
  LbaFormat format_;
  std::uint32_t leaving_ = 0, changed_ = 0;
  std::uint64_t serials_ = kMost;  // below are those of the namespaces that the drive is made with
};

}  // namespace wordline::host::nvme
