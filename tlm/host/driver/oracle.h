// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/data/held_contents.h"
#include "models/data/stamp.h"
#include "models/results/registry.h"
#include "models/units/growing_ring.h"
#include "models/units/index.h"
#include "models/units/pool.h"

namespace wordline::host {

/// Keeps for every 512-byte block which contents a read may return, and checks every read against it.
///
/// An LBA is a register with concurrent readers and writers (Lamport): a read may return a write v unless another
/// write w was submitted after v was acknowledged and was itself acknowledged before the read was submitted. So a
/// read returns the last acknowledged write, or any write in flight at some time during the read; of writes that were
/// in flight together, either. NVM Express promises no order between commands in flight and atomicity of single
/// LBAs only, so LBAs are judged one by one. Once a read has seen one of several acknowledged contents, later
/// reads must see it too. A trim is a write of zeros. An LBA never written holds zeros, or version 1 when the drive
/// is preconditioned.
///
/// Cost: nothing per read submitted; one comparison per logical page checked when nothing is in flight to it; a short
/// list per logical page otherwise. Memory: 4 bytes per logical page in groups of 256 logical pages of which one was
/// written, and about 200 bytes for a logical page that holds several versions.
///
/// A write that failed may have happened or not, LBA by LBA: until the next write, or until a read has seen which,
/// the old content and the new one are both legal.
///
/// Accuracy: exact for the rules above.
class Oracle {
 public:
  /// A read in flight; made by begin_read().
  struct Read {
    std::uint64_t started = 0;
    std::uint64_t request = 0;
    std::uint64_t position = 0;
  };

  Oracle(std::uint64_t user_lpages, bool preconditioned, LpageSize size = {});

  /// Start of a preconditioned drive, before the first command: logical pages that `is_mapped` denies hold zeros. It is
  /// asked about a logical page whenever one is met that the run has not written to.
  void start_with(std::function<bool(std::uint64_t lpage)> is_mapped) { is_mapped_ = std::move(is_mapped); }

  /// Start of a drive that has mounted what a power cut has left, before the first command. `newest`: of all versions
  /// on its flash.
  void start_with(const data::HeldContents& contents, std::uint32_t newest);

  /// The version that the next write's stamps carry, or that names a trim.
  [[nodiscard]] std::uint32_t new_version();

  /// A write (or trim) of `nlb` LBAs from `lba` on is submitted, and acknowledged. A request split into commands
  /// uses one version and its commands' own ranges, which must not overlap.
  void begin_write(std::uint32_t version, Lba lba, std::uint64_t nlb) { begin(version, lba, nlb, false); }
  void begin_trim(std::uint32_t version, Lba lba, std::uint64_t nlb) { begin(version, lba, nlb, true); }
  void end_write(std::uint32_t version, Lba lba, std::uint64_t nlb);
  /// The write (or trim) has failed.
  enum class Failure { kUnknown, kRefused };  // may have happened; has not
  void fail_write(std::uint32_t version, Lba lba, std::uint64_t nlb, Failure failure = Failure::kUnknown);

  /// A read request is submitted. `request` is its number in messages.
  [[nodiscard]] Read begin_read(std::uint64_t request);
  /// What a read found. False: not legal; the first few have a message in messages().
  bool check(const Read& read, Lba lba, data::LbaStamp found);
  /// Checks a whole logical page at once.
  bool check_lpage(const Read& read, Lpn lpn, const data::LbaStamp* found);
  /// A check of a read from `lba` on comes soon: loads what it will look up.
  void prefetch(Lba lba) const {
    const std::uint64_t group = size_.lpage_of(lba.value()) / kGroup;
    if (group < group_count_) __builtin_prefetch(&groups_[group]);
  }
  /// The read has been checked; it need not be held for any longer. A request read by several commands counts once:
  /// `counted` is true for one of them.
  void end_read(const Read& read, bool counted = true);

  [[nodiscard]] std::uint64_t reads_checked() const { return reads_checked_; }
  [[nodiscard]] std::uint64_t blocks_checked() const { return blocks_checked_; }
  /// LBAs whose content was not legal.
  [[nodiscard]] std::uint64_t mismatches() const { return mismatches_; }
  /// Messages of the first few mismatches: LBA, expected, found, request.
  [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }
  void register_statistics(results::Registry& registry) const;

  /// Logical pages that may hold data, and some beside them, ascending: all of a preconditioned drive.
  template <typename F>
  void for_each_known(F f) const {
    for (std::uint64_t group = 0; group < group_count_; ++group) {
      const std::uint64_t end = std::min(user_lpages_, (group + 1) * kGroup);
      const bool known = preconditioned_ || groups_[group] != nullptr;
      for (std::uint64_t lpage = group * kGroup; known && lpage < end; ++lpage) f(lpage);
    }
  }
  /// Logical pages whose content is not one acknowledged version; for tests and memory accounting.
  [[nodiscard]] std::size_t unresolved() const { return details_.in_use(); }

 private:
  using LbaBits = std::uint32_t;  // bit i: LBA i of a logical page
  static constexpr std::uint64_t kNever = UINT64_MAX;
  static constexpr std::uint64_t kGroup = 256;      // logical pages that materialise together
  static constexpr std::size_t kGroupsMade = 1024;  // at a time
  static constexpr std::size_t kMessages = 16;

  /// One content some LBAs of a logical page may have.
  struct Candidate {
    std::uint32_t version = 0;
    LbaBits lbas = 0;
    bool zero = false;
    std::uint64_t submitted = 0;
    std::uint64_t acknowledged = 0;     // kNever: in flight
    std::uint64_t superseded = kNever;  // illegal for reads that started later
  };
  using Detail = std::vector<Candidate>;

  /// State of a logical page: nothing known (0), resolved on one version of all LBAs, on zeros, or a list of
  /// candidates.
  class Word {
   public:
    static constexpr std::uint32_t kMostDetails = 1U << 28;
    static constexpr std::uint32_t kVersions = UINT32_MAX - kMostDetails;  // from 0 on

    constexpr Word() = default;
    static constexpr Word resolved(std::uint32_t version, bool zero) { return Word(zero ? kZeros : version); }
    static constexpr Word detail(std::uint32_t index) { return Word(kFirstDetail + index); }
    [[nodiscard]] constexpr bool untouched() const { return bits_ == 0; }
    [[nodiscard]] constexpr bool is_detail() const { return bits_ >= kFirstDetail; }
    [[nodiscard]] constexpr bool zero() const { return bits_ == kZeros; }
    /// Of a page resolved on data.
    [[nodiscard]] constexpr std::uint32_t version() const { return bits_; }
    [[nodiscard]] constexpr std::uint32_t index() const { return bits_ - kFirstDetail; }

   private:
    static constexpr std::uint32_t kZeros = kVersions;
    static constexpr std::uint32_t kFirstDetail = kZeros + 1;
    constexpr explicit Word(std::uint32_t bits) : bits_(bits) {}
    std::uint32_t bits_ = 0;
  };
  using Group = std::array<Word, kGroup>;

  struct Cleanup {
    std::uint64_t lpage = 0;
    std::uint64_t at = 0;
  };

  void begin(std::uint32_t version, Lba lba, std::uint64_t nlb, bool zero);
  [[nodiscard]] Word word(std::uint64_t lpage) const;
  /// What a logical page that the run has not written to holds.
  [[nodiscard]] bool begins_with_zeros(std::uint64_t lpage) const {
    return !preconditioned_ || (is_mapped_ && !is_mapped_(lpage));
  }
  Word& touch(std::uint64_t lpage);
  Detail& open(std::uint64_t lpage);
  /// The candidate of a write in flight to exactly these LBAs of a logical page.
  [[nodiscard]] std::size_t in_flight(std::uint64_t lpage, std::uint32_t version, LbaBits lbas);
  void supersede(Detail& detail, std::size_t index, LbaBits lbas);
  void collapse(std::uint64_t lpage, std::uint64_t horizon);
  [[nodiscard]] std::uint64_t horizon() const;
  [[nodiscard]] data::LbaStamp settled_content(std::uint64_t lba, Word word) const;
  bool check_detail(const Read& read, std::uint64_t lba, Detail& detail, data::LbaStamp found);
  bool mismatch(const Read& read, std::uint64_t lba, data::LbaStamp found);
  void check_range(Lba lba, std::uint64_t nlb) const;

  std::uint64_t user_lpages_;
  LpageSize size_;
  LbaBits all_lbas_;
  bool preconditioned_;
  std::function<bool(std::uint64_t lpage)> is_mapped_;  // none: all are
  std::uint32_t next_version_ = data::kVersionFirstWrite;
  std::uint64_t clock_ = 0;  // counts submissions and acknowledgements: the order of events, not time
  // Memory of zeros from the system costs nothing until it is touched.
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::uint64_t group_count_;
  std::unique_ptr<Group*[], Free> groups_;  // null: not touched
  std::vector<std::unique_ptr<Group[], Free>> made_;
  std::size_t made_in_last_ = kGroupsMade;
  Pool<Detail> details_;
  // Reads in flight in order of submission; the oldest decides how long a superseded content is remembered.
  struct Pending {
    std::uint64_t started = 0;
    bool finished = false;
  };
  GrowingRing<Pending> reads_;
  GrowingRing<Cleanup> cleanups_;
  std::uint64_t reads_checked_ = 0;
  std::uint64_t blocks_checked_ = 0;
  std::uint64_t mismatches_ = 0;
  std::vector<std::string> messages_;
};

}  // namespace wordline::host
