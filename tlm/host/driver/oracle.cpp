// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/driver/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace wordline::host {
namespace {

using data::BlockStamp;

/// Calls f(sector, mask of its blocks) for every sector that the range touches.
template <class F>
void for_each_sector(SectorSize size, std::uint64_t lba, std::uint64_t blocks, F&& f) {
  const std::uint64_t end = lba + blocks;
  while (lba < end) {
    const std::uint64_t sector = size.sector_of(lba);
    const std::uint64_t next = std::min(end, size.first_lba(sector + 1));
    const unsigned first = size.block_of(lba);
    f(sector, static_cast<std::uint8_t>(((1U << (next - lba)) - 1U) << first));
    lba = next;
  }
}

std::string describe(BlockStamp stamp) {
  if (stamp.is_zero()) return "zeros";
  if (stamp.version() == data::kVersionPrecondition) {
    return fmt::format("LBA {} version 1 (preconditioned)", stamp.lba().value());
  }
  if (stamp.version() == data::kVersionStale) {
    return fmt::format("LBA {} in a copy that was out of date before the run", stamp.lba().value());
  }
  return fmt::format("LBA {} version {}", stamp.lba().value(), stamp.version());
}

BlockStamp content(std::uint64_t lba, std::uint32_t version, bool zero) {
  return zero ? BlockStamp() : BlockStamp(Lba(lba), version);
}

}  // namespace

Oracle::Oracle(std::uint64_t user_sectors, bool preconditioned, SectorSize size)
    : user_sectors_(user_sectors),
      size_(size),
      all_blocks_(static_cast<std::uint8_t>((1U << size.lbas()) - 1U)),
      preconditioned_(preconditioned),
      group_count_((user_sectors + kGroup - 1) / kGroup),
      groups_(static_cast<Group**>(std::calloc(std::max<std::size_t>(group_count_, 1), sizeof(Group*)))) {
  if (groups_ == nullptr) throw std::bad_alloc();
}

std::uint32_t Oracle::new_version() {
  if (next_version_ == UINT32_MAX) throw std::overflow_error("oracle: more than 2^32 writes in one run");
  return next_version_++;
}

void Oracle::check_range(Lba lba, std::uint64_t blocks) const {
  const std::uint64_t end = size_.first_lba(user_sectors_);
  if (lba.value() > end || blocks > end - lba.value()) {
    throw std::out_of_range(
        fmt::format("oracle: blocks {} + {} lie beyond the drive's {} blocks", lba.value(), blocks, end));
  }
}

Oracle::Word Oracle::word(std::uint64_t sector) const {
  const Group* const group = groups_[sector / kGroup];
  return group != nullptr ? (*group)[sector % kGroup] : Word();
}

Oracle::Word& Oracle::touch(std::uint64_t sector) {
  Group*& group = groups_[sector / kGroup];
  if (group == nullptr) group = &made_.emplace_back();
  return (*group)[sector % kGroup];
}

/// The sector's list of candidates; made from its settled content when there is none.
Oracle::Detail& Oracle::open(std::uint64_t sector) {
  Word& word = touch(sector);
  if (word.is_detail()) return details_[word.low()];
  Candidate base;
  base.blocks = all_blocks_;
  base.zero = word.untouched() ? begins_with_zeros(sector) : word.zero();
  base.version = word.untouched() ? data::kVersionPrecondition : word.low();
  const std::uint32_t index = details_.acquire();
  details_[index].reserve(4);
  word = Word::detail(index);
  details_[index].push_back(base);
  return details_[index];
}

void Oracle::begin(std::uint32_t version, Lba lba, std::uint64_t blocks, bool zero) {
  check_range(lba, blocks);
  const std::uint64_t at = ++clock_;
  for_each_sector(size_, lba.value(), blocks, [&](std::uint64_t sector, std::uint8_t mask) {
    Candidate write;
    write.version = version;
    write.blocks = mask;
    write.zero = zero;
    write.submitted = at;
    write.acknowledged = kNever;
    open(sector).push_back(write);
  });
}

/// Takes `blocks` of a candidate out of the legal contents, as of now. They are remembered while a read is in flight.
void Oracle::supersede(Detail& detail, std::size_t index, std::uint8_t blocks) {
  Candidate old = detail[index];
  detail[index].blocks = static_cast<std::uint8_t>(old.blocks & ~blocks);
  if (reads_.empty()) return;  // no read may return it any more; an empty candidate is dropped by collapse()
  old.blocks = static_cast<std::uint8_t>(old.blocks & blocks);
  old.superseded = clock_;
  detail.push_back(old);
}

std::size_t Oracle::in_flight(std::uint64_t sector, std::uint32_t version, std::uint8_t blocks) {
  const Word word = this->word(sector);
  if (word.is_detail()) {
    const Detail& detail = details_[word.low()];
    for (std::size_t i = 0; i < detail.size(); ++i) {
      const Candidate& c = detail[i];
      if (c.version == version && c.blocks == blocks && c.acknowledged == kNever) return i;
    }
  }
  throw std::logic_error(
      fmt::format("oracle: version {} of sector {} is acknowledged, but was not submitted", version, sector));
}

void Oracle::fail_write(std::uint32_t version, Lba lba, std::uint64_t blocks, Failure failure) {
  check_range(lba, blocks);
  const std::uint64_t at = ++clock_;
  for_each_sector(size_, lba.value(), blocks, [&](std::uint64_t sector, std::uint8_t mask) {
    // No longer in flight, so that a later write supersedes it; but it supersedes nothing itself.
    const std::size_t self = in_flight(sector, version, mask);
    Detail& detail = details_[word(sector).low()];
    detail[self].acknowledged = at;
    if (failure == Failure::kUnknown) return;
    detail.erase(detail.begin() + static_cast<std::ptrdiff_t>(self));
    collapse(sector, horizon());
  });
}

void Oracle::end_write(std::uint32_t version, Lba lba, std::uint64_t blocks) {
  check_range(lba, blocks);
  const std::uint64_t at = ++clock_;
  for_each_sector(size_, lba.value(), blocks, [&](std::uint64_t sector, std::uint8_t mask) {
    const std::size_t self = in_flight(sector, version, mask);
    Detail& detail = details_[word(sector).low()];
    detail[self].acknowledged = at;
    const std::uint64_t submitted = detail[self].submitted;
    const std::size_t count = detail.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Candidate& other = detail[i];
      if (i == self || other.superseded != kNever || other.acknowledged >= submitted) continue;
      if ((other.blocks & mask) != 0) supersede(detail, i, mask);
    }
    collapse(sector, horizon());
    if (!reads_.empty()) cleanups_.push({sector, at});
  });
}

/// Start of the oldest read in flight: what was superseded until then may be forgotten.
std::uint64_t Oracle::horizon() const { return reads_.empty() ? clock_ : reads_.front().started; }

/// Drops what no read may see any more; a sector with one acknowledged content left needs no list.
void Oracle::collapse(std::uint64_t sector, std::uint64_t horizon) {
  const Word word = this->word(sector);
  if (!word.is_detail()) return;
  Detail& detail = details_[word.low()];
  detail.erase(std::remove_if(detail.begin(), detail.end(),
                              [&](const Candidate& c) { return c.blocks == 0 || c.superseded <= horizon; }),
               detail.end());
  const Candidate& first = detail.front();
  std::uint8_t covered = 0;
  for (const Candidate& c : detail) {
    const bool same = c.zero == first.zero && (c.zero || c.version == first.version);
    if (!same || c.acknowledged == kNever || c.superseded != kNever || (covered & c.blocks) != 0) return;
    covered = static_cast<std::uint8_t>(covered | c.blocks);
  }
  if (covered != all_blocks_) return;
  touch(sector) = Word::settled(first.version, first.zero);
  detail.clear();
  details_.release(word.low());
}

Oracle::Read Oracle::begin_read(std::uint64_t request) {
  Read read;
  read.started = ++clock_;
  read.request = request;
  read.position = reads_.push({read.started, false});
  return read;
}

void Oracle::end_read(const Read& read, bool counted) {
  reads_.at(read.position).finished = true;
  if (counted) ++reads_checked_;
  while (!reads_.empty() && reads_.front().finished) reads_.pop();
  const std::uint64_t until = horizon();
  while (!cleanups_.empty() && cleanups_.front().at <= until) {
    collapse(cleanups_.front().sector, until);
    cleanups_.pop();
  }
}

BlockStamp Oracle::settled_content(std::uint64_t lba, Word word) const {
  if (word.untouched()) {
    return content(lba, data::kVersionPrecondition, begins_with_zeros(size_.sector_of(lba)));
  }
  return content(lba, word.low(), word.zero());
}

bool Oracle::check_sector(const Read& read, Lpn lpn, const BlockStamp* found) {
  const std::uint64_t lba = size_.first_lba(lpn.value());
  check_range(Lba(lba), size_.lbas());
  const Word word = this->word(lpn.value());
  if (!word.is_detail()) {
    const BlockStamp first = settled_content(lba, word);
    // The stamps of a settled sector differ by their LBA alone.
    const std::uint64_t step = first.is_zero() ? 0 : BlockStamp(Lba(1), 0).bits();
    std::uint64_t different = 0;
    for (unsigned i = 0; i < size_.lbas(); ++i) different |= found[i].bits() ^ (first.bits() + i * step);
    if (different == 0) {
      blocks_checked_ += size_.lbas();
      return true;
    }
  }
  bool legal = true;
  for (unsigned i = 0; i < size_.lbas(); ++i) legal = check(read, Lba(lba + i), found[i]) && legal;
  return legal;
}

bool Oracle::check(const Read& read, Lba lba, BlockStamp found) {
  check_range(lba, 1);
  ++blocks_checked_;
  const std::uint64_t sector = size_.sector_of(lba.value());
  const Word word = this->word(sector);
  if (word.is_detail()) return check_detail(read, lba.value(), details_[word.low()], found);
  return found == settled_content(lba.value(), word) || mismatch(read, lba.value(), found);
}

bool Oracle::check_detail(const Read& read, std::uint64_t lba, Detail& detail, BlockStamp found) {
  const auto bit = static_cast<std::uint8_t>(1U << size_.block_of(lba));
  bool legal = false;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < detail.size(); ++i) {
    const Candidate& c = detail[i];
    if ((c.blocks & bit) == 0 || c.superseded <= read.started) continue;
    if (found != content(lba, c.version, c.zero)) continue;
    legal = true;
    seen = i;
    if (c.superseded == kNever) break;
  }
  if (!legal) return mismatch(read, lba, found);
  const Candidate observed = detail[seen];
  if (observed.superseded != kNever || observed.acknowledged >= read.started) return true;
  // Everything acknowledged before this read began has settled on what it saw: later reads must see it too.
  bool pinned = false;
  ++clock_;
  const std::size_t count = detail.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Candidate& c = detail[i];
    if (i == seen || (c.blocks & bit) == 0 || c.superseded != kNever || c.acknowledged >= read.started) continue;
    supersede(detail, i, bit);
    pinned = true;
  }
  if (pinned) cleanups_.push({size_.sector_of(lba), clock_});
  return true;
}

bool Oracle::mismatch(const Read& read, std::uint64_t lba, BlockStamp found) {
  ++mismatches_;
  if (messages_.size() >= kMessages) return false;
  std::string expected;
  const Word word = this->word(size_.sector_of(lba));
  const auto add = [&](BlockStamp stamp, const char* note) {
    expected += (expected.empty() ? "" : ", or ") + describe(stamp) + note;
  };
  if (word.is_detail()) {
    for (const Candidate& c : details_[word.low()]) {
      if ((c.blocks >> size_.block_of(lba) & 1U) == 0 || c.superseded <= read.started) continue;
      const char* note = c.superseded != kNever     ? " (overwritten during the read)"
                         : c.acknowledged == kNever ? " (being written)"
                                                    : "";
      add(content(lba, c.version, c.zero), note);
    }
  } else {
    add(settled_content(lba, word), "");
  }
  std::string message =
      fmt::format("request {} read LBA {}: expected {}; found {}", read.request, lba, expected, describe(found));
  if (!found.is_zero() && found.lba().value() != lba) {
    message += " (the data of another block)";
  } else if (!found.is_zero() && found.version() >= next_version_) {
    message += " (never written)";
  }
  messages_.push_back(std::move(message));
  return false;
}

void Oracle::register_statistics(results::Registry& registry) const {
  registry
      .add("check.reads_checked", "requests",
           "Read requests that completed without an error, each of whose blocks was compared with what it may hold; "
           "those of --verify-all included.",
           [this] { return reads_checked_; })
      .in_summary(1, "reads checked");
  registry
      .add("check.mismatches", "blocks", "Blocks of 512 bytes that held something else. A run with one fails.",
           [this] { return mismatches_; })
      .in_summary(1, "mismatches");
}

}  // namespace wordline::host
