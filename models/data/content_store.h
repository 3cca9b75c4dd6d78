// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include "models/data/stamp.h"

namespace wordline::data {

/// The bytes for which stamps stand, beside the drive: a write puts them in by LBA and version, a read gets those of
/// the stamp that the drive has returned, whichever that is. So a drive that returns old data returns old bytes.
///
/// Memory is that of live data: a block is forgotten when a later write has taken its place and no read may return it
/// any more (the rule of host::Oracle). The bytes of the last `history` of those are kept nevertheless, for drives that
/// return what they may not; of older ones a read gets a text that says so. Blocks of zeros take no bytes.
class ContentStore {
 public:
  explicit ContentStore(std::size_t history = std::size_t{16} << 20U) : history_(history) {}

  /// `nlb` blocks from `lba` on are written as `version`; null: with zeros.
  void begin_write(std::uint32_t version, std::uint64_t lba, std::uint64_t nlb, const char* bytes);
  /// The write, or a deallocation that has begun as `begin_trim()`, is acknowledged, or has failed: then it may have
  /// happened or not.
  void end(std::uint32_t version, std::uint64_t lba, std::uint64_t nlb, bool succeeded);
  /// Blocks are deallocated. Costs no more than there are pages with content, however many blocks it is. Pages without
  /// content have none of it: a write of one that is under way together with it counts as the later one.
  void begin_trim(std::uint32_t version, std::uint64_t lba, std::uint64_t nlb);

  /// A read is submitted; from its end on what it might have returned may be forgotten.
  [[nodiscard]] std::uint64_t begin_read();
  void end_read(std::uint64_t read);

  enum class Found { kBytes, kZeros, kForgotten };
  /// Bytes of the block for which `stamp` stands, 512 of them. Data that nobody has written here, such as those with
  /// which a drive was filled before, are zeros.
  Found get(LbaStamp stamp, char* to) const;
  /// What a block may hold: nothing that was written here, zeros that were, or bytes.
  enum class Holds { kNothing, kZeros, kBytes };
  [[nodiscard]] Holds holds(std::uint64_t lba) const;
  /// A read that began as `read` has found this stamp at the LBA: what else the LBA could have held is gone.
  void settle(std::uint64_t read, std::uint64_t lba, LbaStamp found);

  /// What the drive holds when nothing is under way: calls for each run of blocks that are data of a write, in no
  /// order, with null for zeros.
  void for_each(const std::function<void(std::uint64_t lba, std::uint32_t nlb, const char* bytes)>& use) const;
  /// LBAs of which more than one content is possible, because writes of them were under way together.
  [[nodiscard]] std::vector<std::uint64_t> unsettled() const;
  /// Before the first write: the drive begins with these, under the version of data that were there before.
  void begin_with(std::uint64_t lba, std::uint64_t nlb, const char* bytes);

  /// Of live data, of the history.
  [[nodiscard]] std::size_t live_bytes() const { return live_bytes_; }
  [[nodiscard]] std::size_t history_bytes() const { return history_bytes_; }

 private:
  static constexpr std::uint64_t kPage = 8;  // blocks that are kept together
  static constexpr std::uint64_t kNever = UINT64_MAX;

  /// What one command has put into some blocks of a page.
  struct Part {
    std::uint32_t version = 0;
    std::uint8_t first = 0, count = 0;
    std::uint8_t live = 0;  // bit i: block i of the page may hold it
    bool trim = false;
    std::uint64_t begun = 0;
    std::uint64_t ended = kNever;
    std::unique_ptr<char[]> bytes;  // null: zeros
    [[nodiscard]] std::size_t size() const { return bytes ? std::size_t{count} * kLbaBytes : 0; }
  };
  using Page = std::vector<Part>;
  struct Old {
    std::uint64_t page = 0;
    std::uint64_t since = 0;
    std::uint32_t version = 0;
    std::uint8_t first = 0;
  };

  [[nodiscard]] std::vector<std::uint64_t> pages_with_content(std::uint64_t lba, std::uint64_t nlb) const;
  [[nodiscard]] static Part part_of(std::uint32_t version, std::uint64_t page, std::uint64_t lba, std::uint64_t nlb);
  void end_in_page(std::uint64_t page, std::uint32_t version, std::uint8_t first, bool succeeded);
  void take_off(std::uint64_t page, Part& part, std::uint8_t blocks);
  void drop_dead(std::uint64_t page);
  void forget();

  std::size_t history_;
  std::unordered_map<std::uint64_t, Page> pages_;
  std::deque<Old> old_;  // parts without live blocks, the oldest first
  std::multiset<std::uint64_t> reads_;
  std::uint64_t clock_ = 0;  // counts begins and ends
  std::size_t live_bytes_ = 0, history_bytes_ = 0;
};

}  // namespace wordline::data
