// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/data/protection.h"
#include "models/units/index.h"
#include "models/units/lpage_size.h"
#include "models/units/quantity.h"
#include "tlm/protocol/host_operation.h"

/// A command of the host as every host interface gives it to the drive: what to do, where, and the pages of host
/// memory. It is not a queue entry: how the command came in is a matter of the interface.
namespace wordline::host {

inline constexpr std::uint64_t kHostPageMask = kHostPageBytes - 1;

/// LBAs of a command that lie in one logical page, [first, last), in LBAs.
struct LbaRun {
  std::uint64_t first, last;
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(last - first); }
  [[nodiscard]] std::uint64_t bytes() const { return (last - first) * kLbaBytes; }
};

/// Host memory that data go to or come from: what a descriptor of an SGL names.
struct HostStretch {
  std::uint64_t address;
  std::uint64_t bytes;
  bool bucket;  // of a read: nowhere; the address says nothing
};

/// What becomes of the data of a command that is a read or a write for the firmware and the engines.
enum class DataWay : std::uint8_t {
  kHost,           // they go to host memory, or come from there
  kVerify,         // a read: nowhere
  kCompare,        // a read: compared with what is in host memory
  kCopyOut,        // a read: half of a Copy, into the copy buffer
  kCopyIn,         // a write: the other half, from there
  kUncorrectable,  // a write: no data, but marks of Write Uncorrectable
  kZeroes,         // a Write Zeroes, or a write: no data, but zeros, for the logical pages that the firmware writes
};
[[nodiscard]] constexpr bool is_copy(DataWay way) { return way == DataWay::kCopyOut || way == DataWay::kCopyIn; }
/// They pass over the link.
[[nodiscard]] constexpr bool uses_link(DataWay way) { return way == DataWay::kHost || way == DataWay::kCompare; }

/// What becomes of the metadata of a command's blocks, where these have some: a tuple each.
struct CommandMetadata {
  enum class Place : std::uint8_t { kNone, kSeparate, kInterleaved };

  Place place = Place::kNone;
  unsigned shift = 0;        // a logical block is 512 bytes << shift
  bool passes = false;       // with the data they go to the host, or come from there; else ...
  bool inserts = false;      // ... the controller makes those of a write, and drops those of a read
  std::uint64_t buffer = 0;  // of kSeparate, in host memory
  data::ProtectionTags tags;

  [[nodiscard]] bool on() const { return place != Place::kNone; }
  [[nodiscard]] bool interleaved() const { return place == Place::kInterleaved && passes; }
  [[nodiscard]] bool separate() const { return place == Place::kSeparate && passes; }
  [[nodiscard]] std::uint64_t bytes(std::uint64_t nlb) const {
    return on() ? (nlb >> shift) * data::BlockTuple::kBytes : 0;
  }
};

/// A command in flight; its index in the command table is the tag.
struct HostCommand {
  enum class State : std::uint8_t { kFree, kFetched, kFirmware, kCompleting };
  LpageSize lpage_size;  // lpage size of the drive
  State state = State::kFree;
  Operation op = Operation::kFlush;
  DataWay way = DataWay::kHost;
  bool fua = false;
  bool unwritten_is_error = false;     // a read of blocks that hold no data
  std::uint8_t placement = 0;          // placement handle of a write
  std::uint16_t queue = 0, id = 0;     // the host's name for it: stage clock, waveform
  std::uint32_t epoch = 0;             // epoch of the table when the tag was taken: see CommandTable::lost()
  std::uint64_t slba = 0;              // 512-byte LBAs
  std::uint32_t nlb = 0;               // 0 for a flush and a deallocation
  std::uint32_t ranges = 0;            // of 16 bytes: deallocation, and copy, which has two for each of its own
  std::vector<std::uint64_t> pages;    // host pages of the data; only the first may have an offset
  std::vector<HostStretch> stretches;  // instead of pages, of a command with an SGL: all of its bytes, in order
  Picoseconds taken{};                 // the tag, when its entry was asked for
  Picoseconds data_end{};              // all data jobs so far have ended by then
  std::uint32_t jobs_running = 0;      // data jobs that end with an action
  bool transfer_failed = false;        // host memory did not take or give some of the data
  bool complete_then = false;          // complete with `status` when none is left
  bool ended = true;                   // or the tag has not been used: nothing is done for it any more
  CommandStatus status = 0;
  CommandStatus found = 0;   // an error that the data have shown
  std::uint32_t result = 0;  // command specific, of the completion
  CommandMetadata metadata;

  /// The firmware has let go of it: the last of its data jobs completes it.
  void complete_after_jobs(CommandStatus with) {
    state = State::kCompleting;
    complete_then = true;
    status = with;
  }
  /// What the data of a job have shown.
  void take(CommandStatus shown) {
    if (shown == kTransferFailed) {
      transfer_failed = true;
    } else if (found == 0) {
      found = shown;
    }
  }
  [[nodiscard]] std::uint64_t first_lpage() const { return lpage_size.lpage_of(slba); }
  [[nodiscard]] std::uint32_t lpages() const {
    return static_cast<std::uint32_t>(lpage_size.lpage_of(slba + nlb + lpage_size.lbas() - 1) - first_lpage());
  }
  /// LBAs in the command's logical page `k`.
  [[nodiscard]] LbaRun lbas_of(std::uint32_t k) const {
    const std::uint64_t lpage = first_lpage() + k;
    return {std::max(slba, lpage_size.first_lba(lpage)), std::min(slba + nlb, lpage_size.first_lba(lpage + 1))};
  }
  /// The command has all LBAs of its logical page `k`.
  [[nodiscard]] bool covers(std::uint32_t k) const { return lbas_of(k).count() == lpage_size.lbas(); }
  /// Bytes of its logical page `k` that pass the link: those of a bit bucket do not.
  [[nodiscard]] std::uint64_t link_bytes(std::uint32_t k) const {
    if (metadata.interleaved()) return extended_link_bytes(lbas_of(k));
    const std::uint64_t bytes = lbas_of(k).bytes();
    return stretches.empty() ? bytes : bytes - bucket_bytes(lbas_of(k));
  }
  [[nodiscard]] std::uint64_t bucket_bytes(const LbaRun& run) const;
  /// Of metadata with the blocks of its logical page `k`.
  [[nodiscard]] std::uint64_t tuple_bytes(std::uint32_t k) const {
    return metadata.on() ? metadata.bytes(lbas_of(k).count()) : 0;
  }
  /// Where `lba` is in data whose blocks have their metadata behind them.
  [[nodiscard]] std::uint64_t extended_offset(std::uint64_t lba) const {
    return (lba - slba) * kLbaBytes + metadata.bytes(lba - slba);
  }
  [[nodiscard]] std::uint64_t extended_link_bytes(const LbaRun& run) const;
  /// Where in host memory the LBA `lba` is.
  [[nodiscard]] std::uint64_t host_address(std::uint64_t lba) const {
    const std::uint64_t offset = (pages[0] & kHostPageMask) + (lba - slba) * kLbaBytes;
    return (pages[offset / kHostPageBytes] & ~kHostPageMask) + offset % kHostPageBytes;
  }
};

/// Calls part(stretch, first LBA, LBAs, address) for each part of `run` that lies in one stretch of an SGL. A logical
/// block of 512 bytes lies in one of them.
template <class Part>
void for_each_part(const HostCommand& command, const LbaRun& run, Part&& part) {
  std::uint64_t from = command.slba;
  for (const HostStretch& stretch : command.stretches) {
    const std::uint64_t to = from + stretch.bytes / kLbaBytes;
    const std::uint64_t first = std::max(from, run.first), last = std::min(to, run.last);
    if (first < last) part(stretch, first, last - first, stretch.address + (first - from) * kLbaBytes);
    if (to >= run.last) return;
    from = to;
  }
}

inline std::uint64_t HostCommand::bucket_bytes(const LbaRun& run) const {
  std::uint64_t bytes = 0;
  for_each_part(*this, run, [&](const HostStretch& stretch, std::uint64_t, std::uint64_t nlb, std::uint64_t) {
    if (stretch.bucket) bytes += nlb * kLbaBytes;
  });
  return bytes;
}

/// Calls piece(address, bytes) for each stretch of the `bytes` bytes of host memory from `from` on; of a bit bucket
/// too, whose address is 0.
template <class Piece>
void for_each_stretch(const HostCommand& command, std::uint64_t from, std::uint64_t bytes, Piece&& piece) {
  if (command.stretches.empty()) {
    while (bytes != 0) {
      const std::uint64_t offset = (command.pages[0] & kHostPageMask) + from;
      const std::uint64_t part = std::min(bytes, kHostPageBytes - offset % kHostPageBytes);
      piece((command.pages[offset / kHostPageBytes] & ~kHostPageMask) + offset % kHostPageBytes, part);
      from += part;
      bytes -= part;
    }
    return;
  }
  for (const HostStretch& stretch : command.stretches) {
    if (bytes == 0) return;
    if (from >= stretch.bytes) {
      from -= stretch.bytes;
      continue;
    }
    const std::uint64_t part = std::min(bytes, stretch.bytes - from);
    piece(stretch.bucket ? 0 : stretch.address + from, part);
    from = 0;
    bytes -= part;
  }
}

inline std::uint64_t HostCommand::extended_link_bytes(const LbaRun& run) const {
  std::uint64_t moved = 0;
  for_each_stretch(*this, extended_offset(run.first), run.bytes() + metadata.bytes(run.count()),
                   [&](std::uint64_t address, std::uint64_t bytes) { moved += address == 0 ? 0 : bytes; });
  return moved;
}

/// Calls piece(address, first LBA of the logical page, LBAs) for each stretch of `run` that lies in one host page.
template <class Piece>
void for_each_piece(const HostCommand& command, const LbaRun& run, Piece&& piece) {
  const auto in_pages = [&](std::uint64_t lba, std::uint64_t last, auto&& address_of) {
    while (lba != last) {
      const std::uint64_t address = address_of(lba);
      const std::uint64_t room = (kHostPageBytes - (address & kHostPageMask)) / kLbaBytes;
      const auto nlb = static_cast<std::uint32_t>(std::min(last - lba, room));
      piece(address, command.lpage_size.lba_offset(lba), nlb);
      lba += nlb;
    }
  };
  if (command.stretches.empty()) {
    in_pages(run.first, run.last, [&](std::uint64_t lba) { return command.host_address(lba); });
    return;
  }
  for_each_part(command, run,
                [&](const HostStretch& stretch, std::uint64_t first, std::uint64_t nlb, std::uint64_t address) {
                  if (stretch.bucket) return;
                  in_pages(first, first + nlb, [&](std::uint64_t lba) { return address + (lba - first) * kLbaBytes; });
                });
}

/// What the drive offers to any host.
struct HostLimits {
  std::uint64_t user_lbas;  // 512 bytes each
  std::uint32_t max_nlb;    // LBAs of one read or write, at most: a power of two of 4 KiB

  /// The largest power of two of host pages that nvme.max_transfer_lpages allows, as exponent (MDTS).
  [[nodiscard]] static constexpr std::uint32_t transfer_exponent(std::uint32_t lpages, LpageSize size) {
    const std::uint32_t pages = lpages * size.lbas() / kLbasPerHostPage;
    std::uint32_t power = 0;
    while ((2U << power) <= pages) ++power;
    return power;
  }
  [[nodiscard]] bool holds(std::uint64_t slba, std::uint64_t nlb) const {
    return slba <= user_lbas && nlb <= user_lbas - slba;
  }
};

}  // namespace wordline::host
