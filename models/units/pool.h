// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace wordline {

/// Records that are used again, named by index. An index stays valid while others come and go; a reference until the
/// next acquire(). Nothing is allocated once as many records have been in use as ever will be, except by the records
/// themselves.
template <class Record>
class Pool {
 public:
  /// As its last user left it: what the record has allocated can be used again. The index released last is given out
  /// first.
  [[nodiscard]] std::uint32_t acquire() {
    if (free_.empty()) {
      records_.emplace_back();
      return static_cast<std::uint32_t>(records_.size() - 1);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }
  [[nodiscard]] std::uint32_t acquire(Record record) {
    const std::uint32_t index = acquire();
    records_[index] = std::move(record);
    return index;
  }
  void release(std::uint32_t index) { free_.push_back(index); }

  [[nodiscard]] Record& operator[](std::uint32_t index) { return records_[index]; }
  [[nodiscard]] const Record& operator[](std::uint32_t index) const { return records_[index]; }
  [[nodiscard]] std::size_t in_use() const { return records_.size() - free_.size(); }

 private:
  std::vector<Record> records_;
  std::vector<std::uint32_t> free_;
};

}  // namespace wordline
