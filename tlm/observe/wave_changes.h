// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/units/quantity.h"

namespace wordline::observe {

/// A value of a signal, or that values are taken back.
struct WaveChange {
  std::uint32_t signal;   // below 2^29
  bool withdrawn;         // values for `at` and later will not happen
  Picoseconds given, at;  // the present then, which never falls; when it holds, not before
  std::uint64_t value;    // number, or bit pattern of a real
  std::string_view text;  // characters of a text
};

/// Changes in the order in which they were given. Nearly all take 16 bytes: they go from one processor to another,
/// which costs more than packing them.
class WaveChanges {
 public:
  void add(std::uint32_t signal, Picoseconds given, Picoseconds at, std::uint64_t value) {
    put(signal, kValue, given, at, value);
  }
  void add_text(std::uint32_t signal, Picoseconds given, Picoseconds at, std::string_view text) {
    texts_.append(text);
    put(signal, kText, given, at, text.size());
  }
  void withdraw(std::uint32_t signal, Picoseconds given, Picoseconds from) { put(signal, kWithdrawn, given, from, 0); }

  /// Records, of which a change has one, and seldom three.
  [[nodiscard]] std::size_t size() const { return records_.size(); }

  /// Calls f(const WaveChange&) for each.
  template <class F>
  void for_each(F f) const {
    Picoseconds given{};
    std::size_t text = 0;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const Record& r = records_[i];
      const unsigned kind = r.signal >> kKindShift & 3U;
      WaveChange change{r.signal & kSignalMask, kind == kWithdrawn, {}, {}, r.value, {}};
      if ((r.signal & kWide) == 0) {
        change.given = given + Picoseconds(r.passed);
        change.at = change.given + Picoseconds(r.ahead);
      } else {
        change.given = Picoseconds(static_cast<std::int64_t>(wide(records_[i + 1].signal, records_[i + 1].passed)));
        change.at = Picoseconds(static_cast<std::int64_t>(wide(records_[i + 1].ahead, records_[i + 1].value)));
        change.value = wide(records_[i + 2].signal, records_[i + 2].passed);
        i += 2;
      }
      given = change.given;
      if (kind == kText) {
        change.text = std::string_view(texts_).substr(text, change.value);
        text += change.value;
      }
      f(std::as_const(change));
    }
  }

  void clear() {
    records_.clear();
    texts_.clear();
    last_given_ = Picoseconds{};
  }

 private:
  enum Kind : std::uint32_t { kValue, kText, kWithdrawn };
  static constexpr unsigned kKindShift = 30;
  static constexpr std::uint32_t kSignalMask = (1U << 29U) - 1, kWide = 1U << 29U;
  struct Record {
    std::uint32_t signal;  // kind above; kWide: the two records behind it have the numbers
    std::uint32_t passed;  // passed from the `given` before
    std::uint32_t ahead;   // time ahead of `at`, from `given`
    std::uint32_t value;
  };

  static std::uint64_t wide(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32U | low; }

  void put(std::uint32_t signal, Kind kind, Picoseconds given, Picoseconds at, std::uint64_t value) {
    const auto passed = static_cast<std::uint64_t>((given - last_given_).count());
    const auto ahead = static_cast<std::uint64_t>((at - given).count());
    last_given_ = given;
    const std::uint32_t name = signal | kind << kKindShift;
    if (((passed | ahead | value) >> 32U) == 0) {
      records_.push_back({name, low(passed), low(ahead), low(value)});
      return;
    }
    const auto from = static_cast<std::uint64_t>(given.count()), to = static_cast<std::uint64_t>(at.count());
    records_.push_back({name | kWide, 0, 0, 0});
    records_.push_back({low(from >> 32U), low(from), low(to >> 32U), low(to)});
    records_.push_back({low(value >> 32U), low(value), 0, 0});
  }
  static std::uint32_t low(std::uint64_t number) { return static_cast<std::uint32_t>(number); }

  std::vector<Record> records_;
  std::string texts_;
  Picoseconds last_given_{};
};

}  // namespace wordline::observe
