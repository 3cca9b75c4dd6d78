// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/host/driver/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace wordline::host {
namespace {

using data::LbaStamp;

/// Calls f(logical page, mask of its LBAs) for every logical page that the range touches.
template <class F>
void for_each_lpage(LpageSize size, std::uint64_t lba, std::uint64_t nlb, F&& f) {
  const std::uint64_t end = lba + nlb;
  while (lba < end) {
    const std::uint64_t lpage = size.lpage_of(lba);
    const std::uint64_t next = std::min(end, size.first_lba(lpage + 1));
    const unsigned first = size.lba_offset(lba);
    f(lpage, static_cast<std::uint32_t>(((std::uint64_t{1} << (next - lba)) - 1U) << first));
    lba = next;
  }
}

std::string describe(LbaStamp stamp) {
  if (stamp.is_zero()) return "zeros";
  if (stamp.version() == data::kVersionPrecondition) {
    return fmt::format("LBA {} version 1 (preconditioned)", stamp.lba().value());
  }
  if (stamp.version() == data::kVersionStale) {
    return fmt::format("LBA {} in a copy that was out of date before the run", stamp.lba().value());
  }
  return fmt::format("LBA {} version {}", stamp.lba().value(), stamp.version());
}

LbaStamp content(std::uint64_t lba, std::uint32_t version, bool zero) {
  return zero ? LbaStamp() : LbaStamp(Lba(lba), version);
}

}  // namespace

Oracle::Oracle(std::uint64_t user_lpages, bool preconditioned, LpageSize size)
    : user_lpages_(user_lpages),
      size_(size),
      all_lbas_(static_cast<LbaBits>((std::uint64_t{1} << size.lbas()) - 1U)),
      preconditioned_(preconditioned),
      group_count_((user_lpages + kGroup - 1) / kGroup),
      groups_(static_cast<Group**>(std::calloc(std::max<std::size_t>(group_count_, 1), sizeof(Group*)))) {
  if (groups_ == nullptr) throw std::bad_alloc();
}

std::uint32_t Oracle::new_version() {
  if (next_version_ == Word::kVersions) throw std::overflow_error("oracle: more than 4,026,531,000 writes in one run");
  return next_version_++;
}

void Oracle::check_range(Lba lba, std::uint64_t nlb) const {
  const std::uint64_t end = size_.first_lba(user_lpages_);
  if (lba.value() > end || nlb > end - lba.value()) {
    throw std::out_of_range(
        fmt::format("oracle: blocks {} + {} lie beyond the drive's {} blocks", lba.value(), nlb, end));
  }
}

Oracle::Word Oracle::word(std::uint64_t lpage) const {
  const Group* const group = groups_[lpage / kGroup];
  return group != nullptr ? (*group)[lpage % kGroup] : Word();
}

Oracle::Word& Oracle::touch(std::uint64_t lpage) {
  Group*& group = groups_[lpage / kGroup];
  if (group != nullptr) return (*group)[lpage % kGroup];
  if (made_in_last_ == kGroupsMade) {
    made_.emplace_back(static_cast<Group*>(std::calloc(kGroupsMade, sizeof(Group))));
    if (made_.back() == nullptr) throw std::bad_alloc();
    made_in_last_ = 0;
  }
  group = &made_.back()[made_in_last_++];
  return (*group)[lpage % kGroup];
}

/// The list of candidates of the logical page; made from its resolved content when there is none.
Oracle::Detail& Oracle::open(std::uint64_t lpage) {
  Word& word = touch(lpage);
  if (word.is_detail()) return details_[word.index()];
  Candidate base;
  base.lbas = all_lbas_;
  base.zero = word.untouched() ? begins_with_zeros(lpage) : word.zero();
  base.version = word.untouched() ? data::kVersionPrecondition : word.version();
  const std::uint32_t index = details_.acquire();
  if (index >= Word::kMostDetails)
    throw std::overflow_error("oracle: more than 2^28 logical pages are written at once");
  details_[index].reserve(4);
  word = Word::detail(index);
  details_[index].push_back(base);
  return details_[index];
}

void Oracle::begin(std::uint32_t version, Lba lba, std::uint64_t nlb, bool zero) {
  check_range(lba, nlb);
  const std::uint64_t at = ++clock_;
  for_each_lpage(size_, lba.value(), nlb, [&](std::uint64_t lpage, LbaBits mask) {
    Candidate write;
    write.version = version;
    write.lbas = mask;
    write.zero = zero;
    write.submitted = at;
    write.acknowledged = kNever;
    open(lpage).push_back(write);
  });
}

void Oracle::start_with(const data::HeldContents& contents, std::uint32_t newest) {
  next_version_ = std::max(next_version_, newest + 1);
  for (const auto& [lpage, held] : contents.held()) {
    Detail found;  // by version
    for (unsigned i = 0; i < size_.lbas(); ++i) {
      const auto same = [&](const Candidate& c) {
        return c.zero == held[i].is_zero() && c.version == held[i].version();
      };
      auto at = std::find_if(found.begin(), found.end(), same);
      if (at == found.end()) {
        Candidate c;
        c.version = held[i].version();
        c.zero = held[i].is_zero();
        at = found.insert(found.end(), c);
      }
      at->lbas = at->lbas | 1U << i;
    }
    if (found.size() == 1) {
      touch(lpage) = Word::resolved(found[0].version, found[0].zero);
      continue;
    }
    const std::uint32_t index = details_.acquire();
    details_[index] = found;
    touch(lpage) = Word::detail(index);
  }
}

/// Takes `nlb` of a candidate out of the legal contents, as of now. They are remembered while a read is in flight.
void Oracle::supersede(Detail& detail, std::size_t index, LbaBits lbas) {
  Candidate old = detail[index];
  detail[index].lbas = old.lbas & ~lbas;
  if (reads_.empty()) return;  // no read may return it any more; an empty candidate is dropped by collapse()
  old.lbas = old.lbas & lbas;
  old.superseded = clock_;
  detail.push_back(old);
}

std::size_t Oracle::in_flight(std::uint64_t lpage, std::uint32_t version, LbaBits lbas) {
  const Word word = this->word(lpage);
  if (word.is_detail()) {
    const Detail& detail = details_[word.index()];
    for (std::size_t i = 0; i < detail.size(); ++i) {
      const Candidate& c = detail[i];
      if (c.version == version && c.lbas == lbas && c.acknowledged == kNever) return i;
    }
  }
  throw std::logic_error(
      fmt::format("oracle: version {} of logical page {} is acknowledged, but was not submitted", version, lpage));
}

void Oracle::fail_write(std::uint32_t version, Lba lba, std::uint64_t nlb, Failure failure) {
  check_range(lba, nlb);
  const std::uint64_t at = ++clock_;
  for_each_lpage(size_, lba.value(), nlb, [&](std::uint64_t lpage, LbaBits mask) {
    // No longer in flight, so that a later write supersedes it; but it supersedes nothing itself.
    const std::size_t self = in_flight(lpage, version, mask);
    Detail& detail = details_[word(lpage).index()];
    detail[self].acknowledged = at;
    if (failure == Failure::kUnknown) return;
    detail.erase(detail.begin() + static_cast<std::ptrdiff_t>(self));
    collapse(lpage, horizon());
  });
}

void Oracle::end_write(std::uint32_t version, Lba lba, std::uint64_t nlb) {
  check_range(lba, nlb);
  const std::uint64_t at = ++clock_;
  for_each_lpage(size_, lba.value(), nlb, [&](std::uint64_t lpage, LbaBits mask) {
    const std::size_t self = in_flight(lpage, version, mask);
    Detail& detail = details_[word(lpage).index()];
    detail[self].acknowledged = at;
    const std::uint64_t submitted = detail[self].submitted;
    const std::size_t count = detail.size();
    for (std::size_t i = 0; i < count; ++i) {
      const Candidate& other = detail[i];
      if (i == self || other.superseded != kNever || other.acknowledged >= submitted) continue;
      if ((other.lbas & mask) != 0) supersede(detail, i, mask);
    }
    collapse(lpage, horizon());
    if (!reads_.empty()) cleanups_.push({lpage, at});
  });
}

/// Start of the oldest read in flight: what was superseded until then may be forgotten.
std::uint64_t Oracle::horizon() const { return reads_.empty() ? clock_ : reads_.front().started; }

/// Drops what no read may see any more; a logical page with one acknowledged content left needs no list.
void Oracle::collapse(std::uint64_t lpage, std::uint64_t horizon) {
  const Word word = this->word(lpage);
  if (!word.is_detail()) return;
  Detail& detail = details_[word.index()];
  detail.erase(std::remove_if(detail.begin(), detail.end(),
                              [&](const Candidate& c) { return c.lbas == 0 || c.superseded <= horizon; }),
               detail.end());
  const Candidate& first = detail.front();
  LbaBits covered = 0;
  for (const Candidate& c : detail) {
    const bool same = c.zero == first.zero && (c.zero || c.version == first.version);
    if (!same || c.acknowledged == kNever || c.superseded != kNever || (covered & c.lbas) != 0) return;
    covered = covered | c.lbas;
  }
  if (covered != all_lbas_) return;
  touch(lpage) = Word::resolved(first.version, first.zero);
  detail.clear();
  details_.release(word.index());
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
    collapse(cleanups_.front().lpage, until);
    cleanups_.pop();
  }
}

LbaStamp Oracle::settled_content(std::uint64_t lba, Word word) const {
  if (word.untouched()) {
    return content(lba, data::kVersionPrecondition, begins_with_zeros(size_.lpage_of(lba)));
  }
  return content(lba, word.version(), word.zero());
}

bool Oracle::check_lpage(const Read& read, Lpn lpn, const LbaStamp* found) {
  const std::uint64_t lba = size_.first_lba(lpn.value());
  check_range(Lba(lba), size_.lbas());
  const Word word = this->word(lpn.value());
  if (!word.is_detail()) {
    const LbaStamp first = settled_content(lba, word);
    // The stamps of a resolved logical page differ by their LBA alone.
    const std::uint64_t step = first.is_zero() ? 0 : LbaStamp(Lba(1), 0).bits();
    const auto different = [&](unsigned lbas) {
      std::uint64_t bits = 0;
      for (unsigned i = 0; i < lbas; ++i) bits |= found[i].bits() ^ (first.bits() + i * step);
      return bits;
    };
    // Of 4 KiB, nearly always: a loop of fixed length.
    constexpr std::uint32_t kUsual = LpageSize().lbas();
    if ((size_.lbas() == kUsual ? different(kUsual) : different(size_.lbas())) == 0) {
      blocks_checked_ += size_.lbas();
      return true;
    }
  }
  bool legal = true;
  for (unsigned i = 0; i < size_.lbas(); ++i) legal = check(read, Lba(lba + i), found[i]) && legal;
  return legal;
}

bool Oracle::check(const Read& read, Lba lba, LbaStamp found) {
  check_range(lba, 1);
  ++blocks_checked_;
  const std::uint64_t lpage = size_.lpage_of(lba.value());
  const Word word = this->word(lpage);
  if (word.is_detail()) return check_detail(read, lba.value(), details_[word.index()], found);
  return found == settled_content(lba.value(), word) || mismatch(read, lba.value(), found);
}

bool Oracle::check_detail(const Read& read, std::uint64_t lba, Detail& detail, LbaStamp found) {
  const LbaBits bit = 1U << size_.lba_offset(lba);
  // Trims leave the same zeros, so several candidates may be what it saw.
  const auto is_seen = [&](const Candidate& c) { return found == content(lba, c.version, c.zero); };
  bool legal = false;
  bool resolves = true;  // whichever it saw, it was there when the read began, and is still
  for (const Candidate& c : detail) {
    if ((c.lbas & bit) == 0 || c.superseded <= read.started || !is_seen(c)) continue;
    legal = true;
    resolves = resolves && c.superseded == kNever && c.acknowledged < read.started;
  }
  if (!legal) return mismatch(read, lba, found);
  if (!resolves) return true;
  // Everything acknowledged before this read began has resolved on what it saw: later reads must see it too.
  bool pinned = false;
  ++clock_;
  const std::size_t count = detail.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Candidate& c = detail[i];
    if ((c.lbas & bit) == 0 || c.superseded != kNever || c.acknowledged >= read.started || is_seen(c)) continue;
    supersede(detail, i, bit);
    pinned = true;
  }
  if (pinned) cleanups_.push({size_.lpage_of(lba), clock_});
  return true;
}

bool Oracle::mismatch(const Read& read, std::uint64_t lba, LbaStamp found) {
  ++mismatches_;
  if (messages_.size() >= kMessages) return false;
  std::string expected;
  const Word word = this->word(size_.lpage_of(lba));
  const auto add = [&](LbaStamp stamp, const char* note) {
    expected += (expected.empty() ? "" : ", or ") + describe(stamp) + note;
  };
  if (word.is_detail()) {
    for (const Candidate& c : details_[word.index()]) {
      if ((c.lbas >> size_.lba_offset(lba) & 1U) == 0 || c.superseded <= read.started) continue;
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
  if (!found.is_zero() && !found.names(lba)) {
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
