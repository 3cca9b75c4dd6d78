// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace wordline {

/// First in, first out, in one block of memory that doubles when it is full and never shrinks: no allocation once the
/// largest number of elements has been seen. Elements have a position that counts up for ever and stays valid.
template <class T>
class GrowingRing {
 public:
  [[nodiscard]] bool empty() const { return first_ == end_; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - first_); }
  /// Position of the front element, and the one the next element will get.
  [[nodiscard]] std::uint64_t first() const { return first_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }

  [[nodiscard]] T& at(std::uint64_t position) {
    assert(position >= first_ && position < end_);
    return slots_[position & (slots_.size() - 1)];
  }
  [[nodiscard]] const T& at(std::uint64_t position) const {
    assert(position >= first_ && position < end_);
    return slots_[position & (slots_.size() - 1)];
  }
  [[nodiscard]] T& front() { return at(first_); }
  [[nodiscard]] const T& front() const { return at(first_); }

  std::uint64_t push(const T& value) {
    if (size() == slots_.size()) grow();
    slots_[end_ & (slots_.size() - 1)] = value;
    return end_++;
  }
  void pop() {
    assert(!empty());
    ++first_;
  }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 16 : slots_.size() * 2);
    for (std::uint64_t p = first_; p != end_; ++p) larger[p & (larger.size() - 1)] = std::move(at(p));
    slots_ = std::move(larger);
  }

  std::vector<T> slots_;  // a power of two
  std::uint64_t first_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace wordline
