// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace wordline::flash {

/// Dies of one channel that could use the bus now, as bits: one word of packages over one word of LUNs each. Picking is
/// round robin over packages, then over the LUNs of the package, in O(1). Packages may be locked: then only the picks
/// that name the lock's holder see them.
class ReadyMap {
 public:
  /// Where a die is: a LUN of a package. Die d is LUN d / packages of package d % packages.
  struct Place {
    std::uint8_t package, lun;
  };

  /// At most 64 packages of 64 LUNs.
  ReadyMap(unsigned packages, unsigned luns) : packages_(packages), last_package_(packages - 1), luns_(packages) {
    for (Package& package : luns_) package.last = luns - 1;
  }

  [[nodiscard]] Place place(unsigned die) const {
    return {static_cast<std::uint8_t>(die % packages_), static_cast<std::uint8_t>(die / packages_)};
  }
  void set(Place die) {
    luns_[die.package].ready |= bit(die.lun);
    any_ |= bit(die.package);
  }
  void clear(Place die) {
    Package& package = luns_[die.package];
    package.ready &= ~bit(die.lun);
    if (package.ready == 0) any_ &= ~bit(die.package);
  }
  void set(unsigned die) { set(place(die)); }
  void clear(unsigned die) { clear(place(die)); }
  [[nodiscard]] bool any(std::uint64_t locked_packages) const { return (any_ & ~locked_packages) != 0; }
  /// Packages of which a die is ready.
  [[nodiscard]] unsigned packages(std::uint64_t locked_packages) const {
    return static_cast<unsigned>(__builtin_popcountll(any_ & ~locked_packages));
  }

  /// The die that pick() would return; only when any(locked_packages).
  [[nodiscard]] unsigned peek(std::uint64_t locked_packages) const {
    const unsigned package = next_bit(any_ & ~locked_packages, last_package_);
    return next_bit(luns_[package].ready, luns_[package].last) * packages_ + package;
  }
  /// The next die after the one picked last; only when any(locked_packages).
  [[nodiscard]] unsigned pick(std::uint64_t locked_packages) {
    last_package_ = next_bit(any_ & ~locked_packages, last_package_);
    Package& package = luns_[last_package_];
    package.last = next_bit(package.ready, package.last);
    return package.last * packages_ + last_package_;
  }

 private:
  struct Package {
    std::uint64_t ready = 0;
    unsigned last = 0;
  };
  [[nodiscard]] static constexpr std::uint64_t bit(unsigned i) { return std::uint64_t{1} << i; }
  /// Lowest set bit above `last`, or the lowest of all.
  [[nodiscard]] static unsigned next_bit(std::uint64_t word, unsigned last) {
    const std::uint64_t above = last >= 63 ? 0 : word & ~((std::uint64_t{2} << last) - 1);
    return static_cast<unsigned>(__builtin_ctzll(above != 0 ? above : word));
  }

  unsigned packages_;
  unsigned last_package_;
  std::uint64_t any_ = 0;
  std::vector<Package> luns_;
};

}  // namespace wordline::flash
