// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/read_ahead.h"

#include <algorithm>
#include <utility>

#include "tlm/protocol/interfaces.h"

namespace wordline::flash {
namespace {

/// What was read ahead may lie here while the window moves on: so many windows.
constexpr std::uint32_t kHeldWindows = 2;

}  // namespace

ReadAhead::ReadAhead(const tlm_if::SimulationContext& context, const config::Config& config,
                     const config::Layout& layout, std::function<bool(const wl_flash_job&)> is_written)
    : context_(context),
      geometry_(wl_geometry_of(layout.dies, layout.lpages_per_mpage, layout.pages_per_program,
                               layout.dies * layout.programs_per_block)),
      window_(static_cast<std::uint32_t>(
          (config.channels.read_ahead.count() + std::uint64_t{layout.lpages_per_mpage} * layout.lpage.bytes() - 1) /
          (std::uint64_t{layout.lpages_per_mpage} * layout.lpage.bytes()))),
      after_(config.channels.read_ahead_after),
      small_pages_(config.nand.region.blocks_per_plane != 0),
      is_written_(std::move(is_written)),
      entries_(std::size_t{window_} * kHeldWindows),
      lpages_(entries_.size() * geometry_.page_lpages) {}

/// Multi-plane pages count in the order in which a superblock is filled.
std::uint64_t ReadAhead::page_of(const wl_flash_job& job) const {
  return wl_ppa_of(&geometry_, {job.die, job.block, job.page, 0}) / geometry_.page_lpages;
}

wl_flash_job ReadAhead::job_for(std::uint64_t page) const {
  const wl_location at = wl_locate(&geometry_, static_cast<std::uint32_t>(page * geometry_.page_lpages));
  wl_flash_job job{};
  job.op = WL_FLASH_READ;
  job.priority = WL_PRIORITY_HOST;
  job.tag = WL_NO_TAG;
  job.die = static_cast<std::uint16_t>(at.die);
  job.block = at.block;
  job.page = at.page;
  job.count = static_cast<std::uint16_t>(geometry_.page_lpages);
  return job;
}

bool ReadAhead::takes(Channel& from, JobIndex index, const wl_flash_job& job, Picoseconds at) {
  if (job.op == WL_FLASH_ERASE) forget(job);
  const bool of_host = job.op == WL_FLASH_READ && job.priority == WL_PRIORITY_HOST && job.control == 0;
  if (!of_host || small_pages_) return false;
  const std::uint64_t page = page_of(job);
  const auto found = entry_of_page_.find(page);
  const bool here = found != entry_of_page_.end();
  if (here) {
    ++hits_;
    const std::uint32_t index_of_entry = found->second;
    Entry& entry = entries_[index_of_entry];
    entry.left -= std::min<std::uint32_t>(entry.left, job.count);
    if (entry.state == State::kHeld) {
      from.deliver(index, &lpages_[index_of_entry * geometry_.page_lpages + job.lpage], std::max(at, entry.ready));
    } else {
      entry.waiting.push_back({&from, index, job.lpage});
    }
  }
  follow(page * geometry_.page_lpages + job.lpage, job.count, at);
  return here;
}

/// A read may begin in the last logical page of the one before, which held a part of it: it goes on with the stream as
/// soon as it comes to another logical page.
void ReadAhead::follow(std::uint64_t begin, std::uint32_t count, Picoseconds at) {
  const bool runs = run_ == after_;
  const std::uint64_t window = std::uint64_t{window_} * geometry_.page_lpages;
  if (begin > next_ + (runs ? window : 0) || begin + (runs ? window : 1) < next_) {
    run_ = 0;
    next_ = begin + count;
    issued_ = 0;
    return;
  }
  if (begin + count > next_ && !runs) ++run_;
  next_ = std::max(next_, begin + count);
  if (run_ == after_) extend(at);
}

/// Whole pages that the stream has not come to, up to the end of the window or of the superblock.
void ReadAhead::extend(Picoseconds at) {
  const std::uint64_t first = (next_ + geometry_.page_lpages - 1) / geometry_.page_lpages;
  const std::uint64_t superblock = geometry_.superblock_lpages / geometry_.page_lpages;
  const std::uint64_t last = (next_ - 1) / geometry_.page_lpages;  // in the superblock that is read
  const std::uint64_t end = std::min(first + window_, (last / superblock + 1) * superblock);
  for (issued_ = std::max(issued_, first); issued_ < end; ++issued_) {
    if (entry_of_page_.count(issued_) != 0) continue;
    wl_flash_job job = job_for(issued_);
    if (!is_written_(job)) continue;
    const std::uint32_t index_of_entry = free_entry();
    if (index_of_entry == entries_.size()) return;  // all are on their way
    Entry& entry = entries_[index_of_entry];
    entry.state = State::kReading;
    entry.dropped = false;
    entry.page = issued_;
    entry.left = geometry_.page_lpages;
    entry_of_page_[issued_] = index_of_entry;
    order_.push_back(index_of_entry);
    ++pages_;
    job.id = static_cast<std::uint16_t>(index_of_entry);
    job.slot = kFirstSlot + index_of_entry * geometry_.page_lpages;
    channels_[job.die % channels_.size()]->read_ahead(std::max(at, context_.now()), job);
  }
}

/// An entry that is free, or held for longest, of those first from which all has been taken: the next read may want
/// more of what was taken last. entries_.size(): there is none.
std::uint32_t ReadAhead::free_entry() {
  const auto free =
      std::find_if(entries_.begin(), entries_.end(), [](const Entry& e) { return e.state == State::kFree; });
  if (free != entries_.end()) return static_cast<std::uint32_t>(free - entries_.begin());
  const auto held_for_longest = [this](std::uint32_t most_left) {
    return std::find_if(order_.begin(), order_.end(), [&](std::uint32_t index_of_entry) {
      const Entry& entry = entries_[index_of_entry];
      return entry.state == State::kHeld && entry.left <= most_left;
    });
  };
  auto held = held_for_longest(0);
  if (held == order_.end()) held = held_for_longest(geometry_.page_lpages);
  if (held == order_.end()) return static_cast<std::uint32_t>(entries_.size());
  const std::uint32_t index_of_entry = *held;
  release(index_of_entry);
  return index_of_entry;
}

void ReadAhead::release(std::uint32_t index_of_entry) {
  Entry& entry = entries_[index_of_entry];
  if (!entry.dropped) entry_of_page_.erase(entry.page);
  entry.state = State::kFree;
  order_.erase(std::find(order_.begin(), order_.end(), index_of_entry));
}

void ReadAhead::arrived(const wl_flash_job& job, bool ok, Picoseconds at) {
  const std::uint32_t index_of_entry = (job.slot - kFirstSlot) / geometry_.page_lpages;
  Entry& entry = entries_[index_of_entry];
  const std::vector<Waiting> waiting = std::move(entry.waiting);
  entry.waiting.clear();
  entry.state = State::kHeld;
  entry.ready = at;
  for (const Waiting& read : waiting) {
    if (ok) {
      read.channel->deliver(read.job, &lpages_[index_of_entry * geometry_.page_lpages + read.lpage], at);
    } else {
      read.channel->read_anyway(std::max(at, context_.now()), read.job);
    }
  }
  if (!ok || entry.dropped) release(index_of_entry);
}

void ReadAhead::register_statistics(results::Registry& registry) const {
  registry
      .add("flash.read_ahead_pages", "pages",
           "Multi-plane pages that channels.read_ahead had read, whether or not the host came to them.",
           [this] { return pages_; })
      .only_if_nonzero();
  registry
      .add("flash.read_ahead_hits", "reads",
           "Flash reads for the host that found their page read ahead, or on its way: they went to no die.",
           [this] { return hits_; })
      .only_if_nonzero();
}

/// No read of the host waits for a block that is erased.
void ReadAhead::forget(const wl_flash_job& erase) {
  for (std::uint32_t index_of_entry = 0; index_of_entry < entries_.size(); ++index_of_entry) {
    Entry& entry = entries_[index_of_entry];
    if (entry.state == State::kFree || entry.dropped) continue;
    const wl_flash_job job = job_for(entry.page);
    if (job.die != erase.die || job.block != erase.block) continue;
    if (entry.state == State::kHeld) {
      release(index_of_entry);
    } else {
      entry.dropped = true;
      entry_of_page_.erase(entry.page);
    }
  }
}

}  // namespace wordline::flash
