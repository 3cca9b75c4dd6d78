// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/data/content_store.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace wordline::data {
namespace {

std::uint8_t bits_of(unsigned first, unsigned count) {
  return static_cast<std::uint8_t>(((1U << count) - 1U) << first);
}

bool all_zero(const char* bytes, std::size_t count) {
  return count == 0 || (bytes[0] == 0 && std::memcmp(bytes, bytes + 1, count - 1) == 0);
}

}  // namespace

/// What of the blocks lies in the page.
ContentStore::Part ContentStore::part_of(std::uint32_t version, std::uint64_t page, std::uint64_t lba,
                                         std::uint64_t nlb) {
  const std::uint64_t first = std::max(lba, page * kPage), end = std::min(lba + nlb, (page + 1) * kPage);
  Part part;
  part.version = version;
  part.first = static_cast<std::uint8_t>(first - page * kPage);
  part.count = static_cast<std::uint8_t>(end - first);
  part.live = bits_of(part.first, part.count);
  return part;
}

/// In order.
std::vector<std::uint64_t> ContentStore::pages_with_content(std::uint64_t lba, std::uint64_t nlb) const {
  std::vector<std::uint64_t> found;
  if (nlb == 0) return found;
  const std::uint64_t first = lba / kPage, last = (lba + nlb - 1) / kPage;
  if (last - first < pages_.size()) {
    for (std::uint64_t page = first; page <= last; ++page)
      if (pages_.count(page) != 0) found.push_back(page);
    return found;
  }
  for (const auto& [page, parts] : pages_)
    if (first <= page && page <= last) found.push_back(page);
  std::sort(found.begin(), found.end());
  return found;
}

void ContentStore::begin_write(std::uint32_t version, std::uint64_t lba, std::uint64_t nlb, const char* bytes) {
  const std::uint64_t now = ++clock_;
  for (std::uint64_t page = lba / kPage; page * kPage < lba + nlb; ++page) {
    Part part = part_of(version, page, lba, nlb);
    part.begun = now;
    const std::size_t size = std::size_t{part.count} * kLbaBytes;
    if (bytes != nullptr) {
      if (!all_zero(bytes, size)) {
        part.bytes.reset(new char[size]);
        std::memcpy(part.bytes.get(), bytes, size);
        live_bytes_ += size;
      }
      bytes += size;
    }
    pages_[page].push_back(std::move(part));
  }
}

void ContentStore::begin_trim(std::uint32_t version, std::uint64_t lba, std::uint64_t nlb) {
  const std::uint64_t now = ++clock_;
  for (const std::uint64_t page : pages_with_content(lba, nlb)) {
    Part part = part_of(version, page, lba, nlb);
    part.trim = true;
    part.begun = now;
    pages_[page].push_back(std::move(part));
  }
}

void ContentStore::begin_with(std::uint64_t lba, std::uint64_t nlb, const char* bytes) {
  begin_write(kVersionPrecondition, lba, nlb, bytes);
  end(kVersionPrecondition, lba, nlb, true);
}

void ContentStore::end(std::uint32_t version, std::uint64_t lba, std::uint64_t nlb, bool succeeded) {
  ++clock_;
  for (const std::uint64_t page : pages_with_content(lba, nlb))
    end_in_page(page, version, static_cast<std::uint8_t>(std::max(lba, page * kPage) - page * kPage), succeeded);
  forget();
}

void ContentStore::end_in_page(std::uint64_t page, std::uint32_t version, std::uint8_t first, bool succeeded) {
  Page& parts = pages_[page];
  const auto ended = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
    return part.version == version && part.first == first && part.ended == kNever;
  });
  if (ended == parts.end()) return;
  ended->ended = clock_;
  if (succeeded) {
    // What was acknowledged before this write began cannot be read any more. Of writes that were under way together
    // either may have come last.
    for (Part& other : parts)
      if (other.ended < ended->begun) take_off(page, other, bits_of(ended->first, ended->count));
  }
  drop_dead(page);
}

void ContentStore::take_off(std::uint64_t page, Part& part, std::uint8_t blocks) {
  if (part.live == 0) return;
  part.live &= static_cast<std::uint8_t>(~blocks);
  if (part.live != 0 || part.trim) return;
  live_bytes_ -= part.size();
  history_bytes_ += part.size();
  old_.push_back({page, clock_, part.version, part.first});
}

/// A deallocation leaves nothing, once it is the only content of its blocks.
void ContentStore::drop_dead(std::uint64_t page) {
  Page& parts = pages_[page];
  const auto alone = [&](const Part& trim) {
    return std::none_of(parts.begin(), parts.end(),
                        [&](const Part& other) { return &other != &trim && (other.live & trim.live) != 0; });
  };
  for (auto part = parts.begin(); part != parts.end();) {
    const bool gone = part->trim && part->ended != kNever && (part->live == 0 || alone(*part));
    part = gone ? parts.erase(part) : part + 1;
  }
  if (parts.empty()) pages_.erase(page);
}

/// The oldest go, but those that a read under way may return.
void ContentStore::forget() {
  const std::uint64_t oldest = reads_.empty() ? kNever : *reads_.begin();
  while (!old_.empty() && old_.front().since < oldest) {
    const Old& old = old_.front();
    const auto found = pages_.find(old.page);
    if (found == pages_.end()) {
      old_.pop_front();
      continue;
    }
    Page& parts = found->second;
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const Part& each) {
      return each.version == old.version && each.first == old.first && each.live == 0;
    });
    if (part == parts.end()) {
      old_.pop_front();
      continue;
    }
    if (history_bytes_ <= history_ && part->size() != 0) return;
    history_bytes_ -= part->size();
    parts.erase(part);
    if (parts.empty()) pages_.erase(found);
    old_.pop_front();
  }
}

std::uint64_t ContentStore::begin_read() {
  const std::uint64_t now = ++clock_;
  reads_.insert(now);
  return now;
}

void ContentStore::end_read(std::uint64_t read) {
  const auto found = reads_.find(read);
  if (found != reads_.end()) reads_.erase(found);
  forget();
}

ContentStore::Found ContentStore::get(LbaStamp stamp, char* to) const {
  std::memset(to, 0, kLbaBytes);
  if (stamp.is_zero()) return Found::kZeros;
  const std::uint64_t lba = stamp.lba().value();
  const std::uint8_t bit = bits_of(lba % kPage, 1);
  if (const auto page = pages_.find(lba / kPage); page != pages_.end()) {
    for (const Part& part : page->second) {
      if (part.version != stamp.version() || part.trim || (bits_of(part.first, part.count) & bit) == 0) continue;
      if (part.bytes) std::memcpy(to, part.bytes.get() + (lba % kPage - part.first) * kLbaBytes, kLbaBytes);
      return Found::kBytes;
    }
  }
  if (stamp.version() == kVersionPrecondition) return Found::kBytes;
  std::snprintf(to, kLbaBytes, "wordline: the drive has returned version %u of LBA %llu, whose bytes are forgotten\n",
                stamp.version(), static_cast<unsigned long long>(lba));
  return Found::kForgotten;
}

ContentStore::Holds ContentStore::holds(std::uint64_t lba) const {
  const auto page = pages_.find(lba / kPage);
  if (page == pages_.end()) return Holds::kNothing;
  Holds most = Holds::kNothing;
  for (const Part& part : page->second) {
    if (part.trim || (part.live & bits_of(lba % kPage, 1)) == 0) continue;
    if (part.bytes) return Holds::kBytes;
    most = Holds::kZeros;
  }
  return most;
}

void ContentStore::settle(std::uint64_t read, std::uint64_t lba, LbaStamp found) {
  const auto page = pages_.find(lba / kPage);
  if (page == pages_.end() || page->second.size() < 2) return;
  const std::uint8_t bit = bits_of(lba % kPage, 1);
  const auto is_found = [&](const Part& part) {
    return (part.live & bit) != 0 && (found.is_zero() ? part.trim : part.version == found.version() && !part.trim);
  };
  // A content that the LBA may not hold says nothing about those that it may.
  if (std::none_of(page->second.begin(), page->second.end(), is_found)) return;
  for (Part& part : page->second)
    if (part.ended < read && !is_found(part)) take_off(lba / kPage, part, bit);
  drop_dead(lba / kPage);
}

void ContentStore::for_each(
    const std::function<void(std::uint64_t lba, std::uint32_t nlb, const char* bytes)>& use) const {
  for (const auto& [page, parts] : pages_) {
    for (const Part& part : parts) {
      if (part.trim) continue;
      for (unsigned i = part.first; i != part.first + part.count; ++i) {
        if ((part.live & bits_of(i, 1)) == 0) continue;
        unsigned end = i + 1;
        while (end != part.first + part.count && (part.live & bits_of(end, 1)) != 0) ++end;
        use(page * kPage + i, end - i, part.bytes ? part.bytes.get() + (i - part.first) * kLbaBytes : nullptr);
        i = end - 1;
      }
    }
  }
}

std::vector<std::uint64_t> ContentStore::unsettled() const {
  std::vector<std::uint64_t> lbas;
  for (const auto& [page, parts] : pages_) {
    std::uint8_t once = 0, twice = 0;
    for (const Part& part : parts) {
      twice |= static_cast<std::uint8_t>(once & part.live);
      once |= part.live;
    }
    for (unsigned i = 0; i != kPage; ++i)
      if ((twice & bits_of(i, 1)) != 0) lbas.push_back(page * kPage + i);
  }
  std::sort(lbas.begin(), lbas.end());
  return lbas;
}

}  // namespace wordline::data
