// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0

/// Table of optimal references (ORT), after Shim, SNU 2020 (cubeFTL): the step that worked last, by group (a die, a
/// block, what firmware decides) and h-layer. Storage only: read_retry.h says when it is read and written. Gap: entries
/// do not age.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wordline::ecc {

class OptimalReferences {
 public:
  struct Entry {
    bool valid = false;
    std::uint8_t step = 0;   ///< step that worked last
    std::uint8_t level = 0;  ///< soft level it took
    friend bool operator==(const Entry& a, const Entry& b) {
      return a.valid == b.valid && a.step == b.step && a.level == b.level;
    }
  };

  /// Throws std::invalid_argument when one of them is 0.
  OptimalReferences(unsigned groups, unsigned layers);

  [[nodiscard]] const Entry& at(unsigned group, unsigned layer) const { return entries_[index(group, layer)]; }
  void set(unsigned group, unsigned layer, Entry entry) {
    Entry& known = entries_[index(group, layer)];
    if (!known.valid) ++learned_;
    known = entry;
  }
  /// Entries that were set where nothing was known.
  [[nodiscard]] std::uint64_t learned() const { return learned_; }
  void clear(unsigned group);  ///< its data were erased
  [[nodiscard]] unsigned groups() const { return groups_; }
  [[nodiscard]] unsigned layers() const { return layers_; }

 private:
  [[nodiscard]] std::size_t index(unsigned group, unsigned layer) const;  // throws std::out_of_range

  unsigned groups_;
  unsigned layers_;
  std::uint64_t learned_ = 0;
  std::vector<Entry> entries_;
};

/// The entry of a read whose job says the step it begins at; the table's own when that is the same.
[[nodiscard]] inline OptimalReferences::Entry started_from(const OptimalReferences::Entry& table, std::uint8_t step) {
  if (table.valid && table.step == step) return table;
  return {step != 0, step, 0};
}

}  // namespace wordline::ecc
