// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "models/units/pool.h"
#include "models/units/quantity.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::flash {

using JobIndex = std::uint32_t;
inline constexpr JobIndex kNoJob = 0xffffffff;

/// A flash job inside a channel controller.
struct QueuedJob {
  wl_flash_job job{};
  wl_program_set parameters{};  // parameters of a program
  Picoseconds arrived{};
  Picoseconds fetched{-1};  // program: its first page is in the controller from then on; -1: not asked for
  JobIndex next = kNoJob;   // in its list
  // Reads of one page that are carried out together: a chain from the first of them, which alone is in a list.
  JobIndex mate = kNoJob;
  JobIndex last_mate = kNoJob;    // end of the chain of a first job; kNoJob: it has been alone so far
  JobIndex same_bucket = kNoJob;  // next first job in the table of pages
  bool ahead = false;             // a job of the read-ahead: no command waits for it
  // Read under way.
  Picoseconds done{};  // last delivered logical page in DRAM
  Picoseconds store{
      -1};  // store that one left to wait for the DRAM port alone, by the length of its wait before `done`
  // Times of its first reading, for the stage clock: on the bus, and its last logical page in the decoder.
  Picoseconds first_data{-1}, last_data{-1}, decode{-1};
  // Read that waits: the work of its die until it came. Under way: the work of the die while it waited.
  tlm_if::DieWorkTimes behind{};
};

/// Jobs of one channel.
using JobPool = Pool<QueuedJob>;

/// Which job a die does next. Host reads go first. All other jobs are of two classes, programs of the host and what GC
/// does, and `order` says which goes (channels.queue_order):
///
///   arrival     in their order of arrival
///   alternate   while both wait, one of each class in turn; in order of arrival within a class
///   kind        in turn, too; of GC's the erases first, then the reads, then the programs. The job of its class that
///               has waited longest is passed by at most `starvation_bound` others of it.
///
/// Every choice is O(1).
///
/// - A job goes behind those of its block that wait, in their list: a block sees its jobs in order, host reads aside.
/// - A host read of a block with a program or erase waiting queues behind it, with the other jobs; so does one of the
///   unit that is being programmed, or of the block that is being erased.
/// - No program or erase starts while an earlier read of its block waits.
/// - A waiting program, erase or GC read is passed by at most `starvation_bound` host reads; then it goes, unless
///   earlier reads of its block still wait: those go first. With a bound of 0 host reads go in their order of arrival.
/// - With `pair`, a host read joins the first waiting one of its page (block and page; any plane, any logical page.
///   Where the planes may address any blocks: page number, and no plane in two blocks) and goes with it; a GC read
///   takes along those of its page that follow it directly. An attempt of a read retry goes alone.
class DieQueue {
 public:
  /// `any_block_lpages`: the planes of one sense may address any blocks, and a page of a plane has so many logical
  /// pages; 0: they address the same block.
  DieQueue(JobPool& pool, std::uint32_t blocks, std::uint32_t starvation_bound, bool pair = false,
           std::uint32_t unit_pages = 1, std::uint32_t any_block_lpages = 0,
           config::QueueOrder order = config::QueueOrder::kArrival)
      : pool_(&pool),
        blocks_(blocks),
        pages_(pair ? kBuckets : 0, kNoJob),
        bound_(starvation_bound),
        unit_pages_(unit_pages),
        any_block_lpages_(any_block_lpages),
        order_(order) {}

  void push(JobIndex index);
  [[nodiscard]] bool empty() const { return reads_.head == kNoJob && others_ == 0; }
  /// The job that pop() returns; only when not empty.
  [[nodiscard]] JobIndex next() const { return takes_read() ? reads_.head : lists_[next_list()].head; }
  /// The job, with its mates chained behind it when it is a read.
  JobIndex pop();
  /// A program or erase that pop() gave has ended.
  void done(JobIndex index) { std::replace(running_.begin(), running_.end(), index, kNoJob); }
  /// Whether a program or erase of the block waits or runs.
  [[nodiscard]] bool writes(std::uint32_t block) const {
    return blocks_[block].writers != 0 || std::any_of(running_.begin(), running_.end(), [&](JobIndex index) {
             return index != kNoJob && (*pool_)[index].job.block == block;
           });
  }
  /// pop() would give a host read.
  [[nodiscard]] bool takes_read() const;
  /// pop() would give a read or a program, of the host or of GC, in another block than one that is being erased.
  [[nodiscard]] bool takes_transfer() const;
  /// Whether a host read that has just arrived may be served at once, by the page register, ahead of all that wait;
  /// counts it as having passed them.
  bool pass(const wl_flash_job& job);

 private:
  static constexpr std::size_t kBuckets = 64;

  struct List {
    JobIndex head = kNoJob;
    JobIndex tail = kNoJob;
  };
  enum ListName : std::uint8_t { kHost, kErases, kGcReads, kGcPrograms, kLists };
  struct BlockUse {
    std::uint16_t writers = 0;  // waiting programs and erases
    std::uint16_t readers = 0;  // waiting host reads ahead of them
    std::uint16_t others = 0;   // waiting jobs, without those
    ListName list = kHost;      // in which they wait, all of them
  };

  [[nodiscard]] bool is_being_written(const wl_flash_job& read) const;
  [[nodiscard]] bool waits_for_reads() const;
  [[nodiscard]] bool came_before_others() const;
  [[nodiscard]] ListName list_of(const wl_flash_job& job) const;
  [[nodiscard]] ListName next_list() const;
  [[nodiscard]] ListName next_of_gc() const;
  [[nodiscard]] ListName oldest_of_gc() const;
  void count_turn(ListName taken);
  [[nodiscard]] bool pairs() const { return !pages_.empty(); }
  void append(List& list, JobIndex index);
  JobIndex take(List& list);
  JobIndex take_reads();
  JobIndex take_gc_reads(JobIndex first, List& list);
  void add_mate(JobIndex first, JobIndex index);
  bool join(JobIndex index);
  JobIndex& bucket(const wl_flash_job& job) {
    return pages_[((any_block_lpages_ == 0 ? job.block * 1021 : 0) + job.page) % kBuckets];
  }
  [[nodiscard]] bool one_sense(JobIndex first, const wl_flash_job& job) const;
  void forget_page(JobIndex first);

  JobPool* pool_;
  std::vector<BlockUse> blocks_;
  std::vector<JobIndex> pages_;  // buckets of the first waiting host reads of each page
  std::uint32_t bound_;
  std::uint32_t unit_pages_;  // pages of a program
  std::uint32_t any_block_lpages_;
  std::array<JobIndex, 3> running_{kNoJob, kNoJob, kNoJob};  // an erase or programs: CACHE PROGRAM has up to three
  std::uint32_t passed_ = 0;                                 // host reads served while another job waited
  List reads_;
  config::QueueOrder order_;
  std::array<List, kLists> lists_;  // all in the first with kArrival; GC's all in kErases with kAlternate
  std::uint32_t others_ = 0;        // jobs in them
  std::uint32_t overtaken_ = 0;     // jobs of GC that went before its oldest
  bool host_went_ = false;          // the last of them was of the host
};

}  // namespace wordline::flash
