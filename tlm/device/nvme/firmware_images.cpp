// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/nvme/firmware_images.h"

#include <algorithm>
#include <cstring>

#include "models/ecc/code/crc32c.h"

namespace wordline::host::nvme {
namespace {

constexpr std::size_t kRevisionAt = 8, kLengthAt = 16, kCrcAt = 20, kReservedAt = 24;
enum Action : std::uint32_t { kReplace = 0, kReplaceAndActivate = 1, kActivate = 2, kActivateNow = 3 };

std::uint64_t begin_of(const SubmissionEntry& sqe) { return std::uint64_t{sqe.cdw11} * 4; }

std::uint32_t word_at(const std::vector<std::byte>& image, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, image.data() + at, sizeof word);
  return word;
}

}  // namespace

Status FirmwareImages::check(const SubmissionEntry& sqe) const {
  const std::uint64_t begin = begin_of(sqe), end = begin + bytes_of(sqe);
  if (bytes_of(sqe) > kPageBytes || end > kMostBytes) return kInvalidField;
  const auto behind = pieces_.lower_bound(begin);
  const bool meets_next = behind != pieces_.end() && behind->first < end;
  const bool meets_last = behind != pieces_.begin() && std::prev(behind)->second > begin;
  return meets_next || meets_last ? kOverlappingRange : kSuccess;
}

void FirmwareImages::take(const SubmissionEntry& sqe, const std::byte* data) {
  const std::uint64_t begin = begin_of(sqe), bytes = bytes_of(sqe);
  image_.resize(std::max<std::size_t>(image_.size(), begin + bytes));
  std::copy_n(data, bytes, image_.begin() + static_cast<std::ptrdiff_t>(begin));
  pieces_[begin] = begin + bytes;
}

// Without a gap, and what its header says.
bool FirmwareImages::good(std::string& revision) const {
  std::uint64_t there = 0;
  for (const auto& [begin, end] : pieces_) {
    if (begin != there) return false;
    there = end;
  }
  if (there < kHeaderBytes || std::memcmp(image_.data(), kMagic, kRevisionAt) != 0) return false;
  if (word_at(image_, kLengthAt) != there) return false;
  const auto reserved = image_.begin() + kReservedAt;
  if (std::any_of(reserved, image_.begin() + kHeaderBytes, [](std::byte b) { return b != std::byte{0}; })) return false;
  if (word_at(image_, kCrcAt) != ecc::crc32c(image_.data() + kHeaderBytes, there - kHeaderBytes)) return false;
  revision.assign(reinterpret_cast<const char*>(image_.data() + kRevisionAt), kRevisionBytes);
  return std::all_of(revision.begin(), revision.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// The controller chooses: the first empty one that may be written, else the first that is not active.
std::uint32_t FirmwareImages::slot_for(std::uint32_t named) const {
  if (named != 0) return named;
  for (std::uint32_t slot = 2; slot <= kSlots; ++slot) {
    if (revisions_[slot - 1].empty()) return slot;
  }
  return active_ == 2 ? 3 : 2;
}

Status FirmwareImages::commit(const SubmissionEntry& sqe) {
  const std::uint32_t named = sqe.cdw10 & 7U, action = sqe.cdw10 >> 3 & 7U;
  const bool replaces =
      action == kReplace || action == kReplaceAndActivate || (action == kActivateNow && !pieces_.empty());
  committed_ = 0;
  if (action > kActivateNow) return kInvalidField;  // boot partitions
  if (named > kSlots || (!replaces && named == 0)) return kInvalidFirmwareSlot;
  const std::uint32_t slot = slot_for(named);
  committed_ = slot;
  if (replaces) {
    if (slot == 1) return kInvalidFirmwareSlot;
    std::string revision;
    const bool taken = good(revision);
    image_.clear();
    pieces_.clear();
    if (!taken) return kInvalidFirmwareImage;
    revisions_[slot - 1] = revision;
  }
  if (revisions_[slot - 1].empty()) return kInvalidFirmwareImage;
  if (action == kActivateNow) {
    active_ = slot;
    next_ = 0;
  } else if (action != kReplace) {
    next_ = slot;
  }
  return kSuccess;
}

void FirmwareImages::reset() {
  image_.clear();
  pieces_.clear();
  if (next_ != 0) active_ = next_;
  next_ = 0;
}

void FirmwareImages::fill_log(std::byte* page) const {
  page[0] = static_cast<std::byte>(active_ | next_ << 4);
  for (std::uint32_t i = 0; i != kSlots; ++i) {
    std::memcpy(page + 8 + i * kRevisionBytes, revisions_[i].data(), revisions_[i].size());
  }
}

}  // namespace wordline::host::nvme
