// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tlm/device/flash/channel/die_occupancy.h"
#include "tlm/device/flash/channel/read_sequence.h"

namespace wordline::flash {

/// READ CACHE (channels.cache_read): when a read waits while a page is ready, the array reads its page behind the data
/// of the first (31h for the next page, else 00h ADDR 31h, any plane), and so on; 3Fh ends the sequence. Reads that
/// fail in it are read again by themselves when it has ended, which it does once the first failure is known, and
/// retried then. The data go out as those of any read: ReadSequence holds the page in front of the wires, this class
/// the one behind it.
class CacheReadSequence {
 public:
  /// All of the same die.
  CacheReadSequence(const SequenceContext& context, ReadSequence& reads, DieQueue& queue,
                    const DieOccupancy& occupancy);

  /// A page is on its way behind the data of another.
  [[nodiscard]] bool active() const { return !behind_.empty(); }
  [[nodiscard]] ReadGroup& behind() { return behind_; }

  /// The page of the first read is in both registers: whether a sequence begins with the job that is next.
  [[nodiscard]] bool begins(Picoseconds at);
  /// The data of a page are out, the next page is in the page register or on its way there.
  Next advance(Picoseconds at);
  /// Reads of the present page have failed: they are put off until the sequence has ended.
  void defer();
  /// The next command: 31h with or without an address, plane by plane; 3Fh when nothing follows.
  Next command(Picoseconds at);

  [[nodiscard]] bool has_deferred() const { return !deferred_.empty(); }
  /// The sequence has ended: a page that failed in it is read again, and its retries may follow.
  Next resume();

 private:
  [[nodiscard]] bool takes_next(Picoseconds at) const;
  void take_next(Picoseconds at);
  [[nodiscard]] bool is_next_page() const;

  const SequenceContext& context_;
  ReadSequence& reads_;
  DieQueue& queue_;
  const DieOccupancy& occupancy_;
  ReadGroup behind_;
  std::vector<ReadGroup> deferred_;
};

}  // namespace wordline::flash
