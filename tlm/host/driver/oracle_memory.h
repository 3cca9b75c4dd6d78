// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace wordline::host {

/// Zero-filled memory that costs nothing until it is touched, and that copies of the process (fork) do not have: the
/// kernel would have to copy each of its pages that the run writes to while a copy waits (observe.trigger).
class OracleMemory {
 public:
  /// Throws std::bad_alloc.
  explicit OracleMemory(std::size_t bytes);
  ~OracleMemory();
  OracleMemory(const OracleMemory&) = delete;
  OracleMemory& operator=(const OracleMemory&) = delete;

  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_;
  std::size_t bytes_;
};

/// Records in such memory, by number; each is made when it is first asked for.
template <class Record>
class OracleRecords {
 public:
  explicit OracleRecords(std::size_t count) : count_(count), table_(count * sizeof(Record*)) {}

  /// Null: it has not been made.
  [[nodiscard]] const Record* find(std::size_t number) const { return places()[number]; }
  Record& make(std::size_t number) {
    Record*& place = places()[number];
    if (place != nullptr) return *place;
    if (left_ == 0) {
      memory_.push_back(std::make_unique<OracleMemory>(kAtOnce * sizeof(Record)));
      left_ = kAtOnce;
    }
    place = new (static_cast<Record*>(memory_.back()->data()) + (kAtOnce - left_--)) Record;
    return *place;
  }
  void prefetch(std::size_t number) const {
    if (number < count_) __builtin_prefetch(&places()[number]);
  }

 private:
  static constexpr std::size_t kAtOnce = 512;
  [[nodiscard]] Record** places() const { return static_cast<Record**>(table_.data()); }

  std::size_t count_;
  OracleMemory table_;
  std::vector<std::unique_ptr<OracleMemory>> memory_;  // kAtOnce records each
  std::size_t left_ = 0;                               // of the last one
};

}  // namespace wordline::host
