// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/nand/die.h"
#include "models/units/quantity.h"
#include "tlm/device/flash/channel/die_queue.h"
#include "tlm/device/flash/channel/page_engine.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::flash {

/// Read jobs of one page (block and page, any planes; or one page number and a block in each plane, nand.plane_blocks)
/// that one sense serves, and which logical pages of the multi-plane page they still want. Logical pages count through
/// all planes, plane 0 first. A logical page that several jobs want crosses the bus once.
class ReadGroup {
 public:
  static constexpr std::uint32_t kNoPlane = 0xffffffff;

  /// `longest_run`: logical pages that cross the bus in one transfer, at most.
  ReadGroup(JobPool& pool, std::uint32_t planes, std::uint32_t lpages_per_page, std::uint32_t longest_run,
            bool any_block)
      : pool_(&pool),
        lpages_per_page_(lpages_per_page),
        longest_run_(longest_run),
        any_block_(any_block),
        state_(planes * lpages_per_page, kNotWanted) {}

  /// Takes a job and its mates.
  void start(JobIndex first) {
    first_ = first;
    begin_ = static_cast<std::uint32_t>(state_.size());
    end_ = 0;
    planes_ = 0;
    for (JobIndex index = first; index != kNoJob; index = (*pool_)[index].mate) want(index);
    verdict = Picoseconds(0);
    alone = false;
    command = array = retry = Picoseconds(-1);
    sensed = joined = 0;
    lanes = {};
    plane = next_plane(0);
  }
  /// Takes a job that came later.
  void join(JobIndex index) {
    (*pool_)[index].mate = first_;
    first_ = index;
    want(index);
  }
  [[nodiscard]] std::uint32_t members() const {
    std::uint32_t count = 0;
    for (JobIndex index = first_; index != kNoJob; index = (*pool_)[index].mate) ++count;
    return count;
  }
  [[nodiscard]] bool empty() const { return first_ == kNoJob; }
  [[nodiscard]] const wl_flash_job& any() const { return (*pool_)[first_].job; }
  /// Whether one sense could serve `job`, too.
  [[nodiscard]] bool same_page(const wl_flash_job& job) const {
    if (empty() || any().page != job.page) return false;
    if (!any_block_) return any().block == job.block;
    const auto [from, to] = planes_of(job);
    for (std::uint32_t p = from; p <= to; ++p) {
      if ((planes_ >> p & 1U) != 0 && blocks_[p].value() != job.block) return false;
    }
    return true;
  }
  /// The block of a plane that its jobs read.
  [[nodiscard]] BlockId block(std::uint32_t plane) const {
    return any_block_ && (planes_ >> plane & 1U) != 0 ? blocks_[plane] : BlockId(any().block);
  }
  /// Whether the planes that are wanted address the blocks of `other`.
  [[nodiscard]] bool same_blocks(const ReadGroup& other) const {
    for (std::uint32_t p = next_plane(0); p != kNoPlane; p = next_plane(p + 1)) {
      if (block(p) != other.block(p)) return false;
    }
    return true;
  }

  /// First plane from `from` on with logical pages that are wanted; kNoPlane: none.
  [[nodiscard]] std::uint32_t next_plane(std::uint32_t from) const {
    for (std::uint32_t s = std::max(begin_, from * lpages_per_page_); s < end_; ++s) {
      if (state_[s] == kWanted) return s / lpages_per_page_;
    }
    return kNoPlane;
  }
  [[nodiscard]] std::uint32_t wanted_planes() const {
    std::uint32_t mask = 0;
    for (std::uint32_t p = next_plane(0); p != kNoPlane; p = next_plane(p + 1)) mask |= 1U << p;
    return mask;
  }
  /// Sets `lpage` and `run`: logical pages of one plane that are wanted and follow each other, as far as one transfer
  /// takes them. False: none are left.
  bool find_run() {
    lpage = begin_;
    while (lpage < end_ && state_[lpage] != kWanted) ++lpage;
    if (lpage >= end_) return false;
    const std::uint32_t end = std::min({end_, (lpage / lpages_per_page_ + 1) * lpages_per_page_, lpage + longest_run_});
    run = 1;
    while (lpage + run < end && state_[lpage + run] == kWanted) ++run;
    return true;
  }

  /// Whether logical pages are wanted beside those of the run.
  [[nodiscard]] bool wants_more() const {
    for (std::uint32_t s = lpage + run; s < end_; ++s) {
      if (state_[s] == kWanted) return true;
    }
    return false;
  }

  /// Whether logical pages of the run's plane are wanted behind it.
  [[nodiscard]] bool plane_wants_more() const {
    const std::uint32_t end = std::min(end_, (lpage / lpages_per_page_ + 1) * lpages_per_page_);
    for (std::uint32_t s = lpage + run; s < end; ++s) {
      if (state_[s] == kWanted) return true;
    }
    return false;
  }
  /// Planes whose read command has not been sent.
  [[nodiscard]] std::uint32_t planes_to_command() const {
    return static_cast<std::uint32_t>(__builtin_popcount(wanted_planes() >> plane));
  }
  [[nodiscard]] std::uint32_t sensed_planes() const { return static_cast<std::uint32_t>(__builtin_popcount(sensed)); }

  void delivered(std::uint32_t s) { state_[s] = kNotWanted; }
  void failed(std::uint32_t s) { state_[s] = kFailed; }
  [[nodiscard]] bool has_failed(std::uint32_t s) const { return state_[s] == kFailed; }
  /// Whether logical pages of the job are wanted or have failed. Not a count: a job that comes late can want logical
  /// pages again that others have got, and those get them a second time.
  [[nodiscard]] bool wants(const wl_flash_job& job) const {
    const auto first = state_.begin() + job.lpage;
    return std::any_of(first, first + job.count, [](std::uint8_t state) { return state != kNotWanted; });
  }
  /// Calls f(logical page) for every logical page that is wanted or has failed.
  template <class F>
  void for_each_left(F f) const {
    for (std::uint32_t s = begin_; s < end_; ++s) {
      if (state_[s] != kNotWanted) f(s);
    }
  }
  /// Logical pages that failed are wanted again.
  void again() {
    if (retry < Picoseconds(0) && verdict > Picoseconds(0)) retry = verdict;
    std::replace(state_.begin() + begin_, state_.begin() + end_, kFailed, kWanted);
    sensed = 0;
    plane = next_plane(0);
  }
  /// Stage marks of one of its jobs. A read that came when its page was being read begins its stages then.
  [[nodiscard]] tlm_if::ReadMarks marks(const QueuedJob& reader) const {
    const auto mark = [&](Picoseconds at) { return std::max(at, reader.arrived); };
    return {reader.arrived,
            mark(command),
            mark(array),
            mark(ready),
            mark(reader.first_data),
            mark(reader.last_data),
            mark(reader.decode),
            reader.store < Picoseconds(0) ? reader.store : mark(reader.store),
            retry < Picoseconds(0) ? retry : mark(retry),
            reader.behind};
  }
  /// No job wants them any more.
  void give_up() { std::fill(state_.begin() + begin_, state_.begin() + end_, kNotWanted); }
  /// Calls f(index, job) for every job that wants logical page `s`.
  template <class F>
  void for_each(std::uint32_t s, F f) {
    for (JobIndex index = first_; index != kNoJob; index = (*pool_)[index].mate) {
      QueuedJob& job = (*pool_)[index];
      if (s >= job.job.lpage && s < job.job.lpage + std::uint32_t{job.job.count}) f(index, job);
    }
  }
  /// Removes the jobs for which f(index, job) is true; f may give them back to the pool.
  template <class F>
  void remove_if(F f) {
    JobIndex* link = &first_;
    while (*link != kNoJob) {
      const JobIndex index = *link;
      const JobIndex next = (*pool_)[index].mate;
      if (f(index, (*pool_)[index])) {
        *link = next;
      } else {
        link = &(*pool_)[index].mate;
      }
    }
  }

  std::uint32_t plane = 0;                      // plane of the next read command
  std::uint32_t sensed = 0;                     // planes sensed in this attempt, as bits
  std::uint32_t lpage = 0;                      // first of the run that goes over the bus
  std::uint32_t run = 0;                        // its logical pages
  std::uint32_t joined = 0;                     // jobs that came late
  PageEngine::Lanes lanes;                      // what has passed the page engine
  bool alone = false;                           // not within a READ CACHE sequence
  Picoseconds verdict{};                        // last failed logical page known
  Picoseconds command{-1}, array{-1}, ready{};  // stage marks, of the first reading
  Picoseconds retry{-1};                        // the first reading has failed; negative: it has not

 private:
  enum State : std::uint8_t { kNotWanted, kWanted, kFailed };

  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> planes_of(const wl_flash_job& job) const {
    return {job.lpage / lpages_per_page_, (job.lpage + job.count - 1U) / lpages_per_page_};
  }
  void want(JobIndex index) {
    QueuedJob& job = (*pool_)[index];
    const auto [from, to] = planes_of(job.job);
    for (std::uint32_t p = from; p <= to; ++p) {
      planes_ |= 1U << p;
      blocks_[p] = BlockId(job.job.block);
    }
    const std::uint32_t first = job.job.lpage;
    const std::uint32_t last = first + job.job.count;
    begin_ = std::min(begin_, first);
    end_ = std::max(end_, last);
    for (std::uint32_t s = first; s < last; ++s) {
      if (state_[s] == kNotWanted) state_[s] = kWanted;
    }
  }

  JobPool* pool_;
  std::uint32_t lpages_per_page_;
  std::uint32_t longest_run_;
  bool any_block_;
  JobIndex first_ = kNoJob;
  std::uint32_t planes_ = 0;           // planes of its jobs, as bits
  nand::BlockByPlane blocks_{};        // blocks of its jobs
  std::uint32_t begin_ = 0, end_ = 0;  // nothing outside is wanted
  std::vector<std::uint8_t> state_;
};

}  // namespace wordline::flash
