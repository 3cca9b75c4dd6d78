// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/driver/checked_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/firmware/contract/contract.h"

namespace wordline::host {
namespace {

using workload::Op;

/// What a buffer holds before the drive has written it: no LBA of any drive.
constexpr data::LbaStamp kPoison{Lba(0xffffffff), 0xffffffff};

struct LbaRange {
  std::uint64_t slba;
  std::uint64_t count;
};

/// The stretches of 4 KiB, or of a larger logical page, that these LBAs cover whole: what is deallocated, because the
/// drive prefers whole ones (Identify Namespace: NPDG, NPDA). As operating systems do; of the rest nothing changes.
/// None: zero LBAs.
LbaRange whole_pages(LpageSize size, std::uint64_t slba, std::uint64_t nlb) {
  const std::uint64_t grain = size.whole_lbas();
  const std::uint64_t first = (slba + grain - 1) / grain * grain;
  const std::uint64_t end = (slba + nlb) / grain * grain;
  if (first >= end) return {slba, 0};
  return {first, end - first};
}

wl_dsm_range range_of(const LbaRange& lbas) {
  return {0, static_cast<std::uint32_t>(lbas.count), static_cast<std::uint32_t>(lbas.slba),
          static_cast<std::uint32_t>(lbas.slba >> 32)};
}

}  // namespace

void CheckedData::begin(Op op, Extent& extent, std::uint64_t request, std::uint32_t& version) {
  switch (op) {
    case Op::kRead:
      extent.read = oracle_.begin_read(request);
      acquire(extent, metadata_.pages(extent.nlb));
      extent.metadata = metadata_.acquire(extent.nlb);
      for (const std::uint64_t page : extent.pages) memory_.page(page).fill(kPoison);
      if (metadata_.on()) metadata_.poison(extent.nlb, extent.pages, extent.metadata);
      break;
    case Op::kWrite:
      if (version == 0) version = oracle_.new_version();
      oracle_.begin_write(version, Lba(extent.slba), extent.nlb);
      promise_begins(extent.slba, extent.nlb, version, false);
      acquire(extent, metadata_.pages(extent.nlb));
      extent.metadata = metadata_.acquire(extent.nlb);
      for (std::uint32_t i = 0; i < extent.nlb; i += kLbasPerHostPage) {
        data::HostPageStamps& page = memory_.page(extent.pages[i / kLbasPerHostPage]);
        for (std::uint32_t b = 0; b < std::min(kLbasPerHostPage, extent.nlb - i); ++b) {
          page[b] = data::LbaStamp(Lba(extent.slba + i + b), version);
        }
      }
      if (metadata_.on()) metadata_.put(extent.slba, extent.nlb, version, extent.pages, extent.metadata);
      break;
    case Op::kTrim: {
      if (version == 0) version = oracle_.new_version();
      const LbaRange whole = whole_pages(size_, extent.slba, extent.nlb);
      if (whole.count != 0) oracle_.begin_trim(version, Lba(whole.slba), whole.count);
      promise_begins(whole.slba, whole.count, version, true);
      acquire(extent, 1);
      const wl_dsm_range range = range_of(whole);
      memory_.write(extent.pages[0], &range, sizeof range);
      break;
    }
    case Op::kFlush:
      extent.flush_began = ++events_;
      break;
  }
  if (client_ != nullptr) tell_begin(op, extent, version);
}

void CheckedData::tell_begin(Op op, const Extent& extent, std::uint32_t version) const {
  const LbaRange lbas =
      op == Op::kTrim ? whole_pages(size_, extent.slba, extent.nlb) : LbaRange{extent.slba, extent.nlb};
  client_->begins(op, extent.tag, lbas.slba, lbas.count, version);
}

void CheckedData::tell_end(Op op, const Extent& extent, std::uint32_t version, bool succeeded) const {
  const LbaRange lbas =
      op == Op::kTrim ? whole_pages(size_, extent.slba, extent.nlb) : LbaRange{extent.slba, extent.nlb};
  client_->ended(op, extent.tag, lbas.slba, lbas.count, version, succeeded);
}

/// What host memory holds for this block of a read, and for those behind it in its page.
const data::LbaStamp* CheckedData::stamps_at(const Extent& extent, std::uint32_t block) {
  return metadata_.interleaved() ? &metadata_.stamps()[block]
                                 : &memory_.page(extent.pages[block / kLbasPerHostPage])[block % kLbasPerHostPage];
}

bool CheckedData::end(Op op, Extent& extent, std::uint32_t version, bool counted) {
  bool legal = true;
  switch (op) {
    case Op::kRead: {
      legal = check(extent);
      oracle_.end_read(extent.read, counted);
      if (client_ == nullptr) break;
      for (std::uint32_t i = 0; i < extent.nlb; i += kLbasPerHostPage)
        client_->found(extent.tag, extent.slba + i, stamps_at(extent, i), std::min(kLbasPerHostPage, extent.nlb - i));
      break;
    }
    case Op::kWrite:
      oracle_.end_write(version, Lba(extent.slba), extent.nlb);
      promise_ends(extent.slba, extent.nlb, version, extent.forced || completed_is_safe());
      break;
    case Op::kTrim: {
      const LbaRange whole = whole_pages(size_, extent.slba, extent.nlb);
      if (whole.count != 0) oracle_.end_write(version, Lba(whole.slba), whole.count);
      promise_ends(whole.slba, whole.count, version, completed_is_safe());
      break;
    }
    case Op::kFlush:
      if (promises_ != nullptr) promises_->flushed(extent.flush_began);
      break;
  }
  if (client_ != nullptr) tell_end(op, extent, version, true);
  return legal;
}

void CheckedData::fail(Op op, Extent& extent, std::uint32_t version) {
  if (client_ != nullptr) tell_end(op, extent, version, false);
  if (op == Op::kRead) oracle_.end_read(extent.read, false);
  if (op == Op::kWrite) {
    oracle_.fail_write(version, Lba(extent.slba), extent.nlb);
    promise_fails(extent.slba, extent.nlb, version);
  }
  if (op != Op::kTrim) return;
  const LbaRange whole = whole_pages(size_, extent.slba, extent.nlb);
  if (whole.count != 0) oracle_.fail_write(version, Lba(whole.slba), whole.count);
  promise_fails(whole.slba, whole.count, version);
}

void CheckedData::promise_begins(std::uint64_t slba, std::uint64_t nlb, std::uint32_t version, bool zero) {
  if (promises_ == nullptr) return;
  const std::uint64_t now = ++events_;
  for (std::uint64_t lba = slba; lba != slba + nlb; ++lba)
    promises_->begin(lba, version, zero ? 0 : data::LbaStamp(Lba(lba), version).bits(), now);
}

void CheckedData::promise_ends(std::uint64_t slba, std::uint64_t nlb, std::uint32_t version, bool forced) {
  if (promises_ == nullptr) return;
  const std::uint64_t now = ++events_;
  for (std::uint64_t lba = slba; lba != slba + nlb; ++lba) promises_->end(lba, version, now, forced);
}

bool CheckedData::check_metadata(const Extent& extent) {
  if (metadata_.take(extent.slba, extent.nlb, extent.pages, extent.metadata)) return true;
  if (metadata_message_.empty()) {
    metadata_message_ =
        fmt::format("the metadata of the block at LBA {} of 512 bytes are not those of its data", metadata_.lba());
  }
  return false;
}

void CheckedData::promise_fails(std::uint64_t slba, std::uint64_t nlb, std::uint32_t version) {
  if (promises_ == nullptr) return;
  const std::uint64_t now = ++events_;
  for (std::uint64_t lba = slba; lba != slba + nlb; ++lba) promises_->fail(lba, version, now);
}

bool CheckedData::check(const Extent& extent) {
  const LpageSize size = size_;
  const bool aligned = size.lba_offset(extent.slba) == 0;
  bool legal = !metadata_.on() || check_metadata(extent);
  std::uint64_t empty = 0;
  data::LpageStamps gathered;  // of several pages of the host
  for (std::uint32_t i = 0; i < extent.nlb;) {
    const data::LbaStamp* found = stamps_at(extent, i);
    if (aligned && extent.nlb - i >= size.lbas()) {
      const Lpn lpn(static_cast<std::uint32_t>(size.lpage_of(extent.slba + i)));
      if (size.lbas() > kLbasPerHostPage) {
        for (std::uint32_t b = 0; b < size.lbas(); b += kLbasPerHostPage)
          std::copy_n(stamps_at(extent, i + b), kLbasPerHostPage, &gathered[b]);
        found = gathered.data();
      }
      legal = oracle_.check_lpage(extent.read, lpn, found) && legal;
      if (found->is_zero()) empty += size.lbas();
      i += size.lbas();
    } else {
      legal = oracle_.check(extent.read, Lba(extent.slba + i), *found) && legal;
      if (found->is_zero()) ++empty;
      ++i;
    }
  }
  if (counts_content_) {
    read_content_.nlb += extent.nlb;
    read_content_.empty += empty;
  }
  return legal;
}

void CheckedData::acquire(Extent& extent, std::uint32_t pages) {
  extent.pages.clear();
  if (contiguous_) {
    const std::uint64_t first = memory_.allocate(pages);
    for (std::uint32_t i = 0; i < pages; ++i) extent.pages.push_back(first + std::uint64_t{i} * kHostPageBytes);
    return;
  }
  for (std::uint32_t i = 0; i < pages; ++i) {
    if (free_pages_.empty()) free_pages_.push_back(memory_.allocate(1));
    extent.pages.push_back(free_pages_.back());
    free_pages_.pop_back();
  }
}

void CheckedData::release(Extent& extent) {
  metadata_.release(extent.metadata, extent.nlb);
  extent.metadata = 0;
  if (contiguous_ && !extent.pages.empty()) {
    memory_.free(extent.pages.front(), static_cast<std::uint32_t>(extent.pages.size()));
    extent.pages.clear();
  }
  free_pages_.insert(free_pages_.end(), extent.pages.begin(), extent.pages.end());
  extent.pages.clear();
}

}  // namespace wordline::host
