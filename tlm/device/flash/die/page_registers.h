// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/nand/die.h"
#include "models/nand/read_parameters.h"
#include "models/units/index.h"
#include "tlm/device/flash/die/copied_errors.h"
#include "tlm/device/flash/die/page_shape.h"

namespace wordline::flash {

/// A page of the planes that were sensed together; none: empty.
struct HeldPage {
  std::uint32_t planes = 0;  // planes as bits
  BlockId block{};           // block of the plane that came first
  PageId page{};
  nand::ReadParameters read;  // parameters with which it was sensed
  nand::BlockByPlane blocks{};

  [[nodiscard]] bool empty() const { return planes == 0; }
  [[nodiscard]] bool has(PlaneId plane) const { return (planes >> plane.value() & 1U) != 0; }
  [[nodiscard]] PlaneId first_plane() const {
    std::uint8_t plane = 0;
    while (!has(PlaneId(plane))) ++plane;
    return PlaneId(plane);
  }
};

/// Page register and cache register of each plane of a die: the array senses into the first, data leave through the
/// second, which a read of other planes leaves as it is. They hold which page it is and how it was sensed, not its
/// bits: content and bit errors come from the array. What is being programmed is PageLoad's.
///
/// Accuracy: the bit errors of a page are those of its cells plus those that a copyback programmed into it, at most a
/// whole codeword.
class PageRegisters {
 public:
  PageRegisters(const nand::Die& array, const CopiedErrors& copied, const PageShapes& shapes)
      : array_(array), copied_(copied), shapes_(shapes) {}

  /// The page in the page registers of its planes.
  [[nodiscard]] const HeldPage& page() const { return page_; }
  /// The page in the cache register of a plane. Other planes, though sensed with it, may have another by now.
  [[nodiscard]] const HeldPage& cache(PlaneId plane) const { return cache_[plane.value()]; }
  [[nodiscard]] bool empty() const {
    return std::all_of(cache_.begin(), cache_.end(), [](const HeldPage& held) { return held.empty(); });
  }
  /// The array has sensed `page`; `through`: into both registers.
  void sensed(const HeldPage& page, bool through) {
    page_ = page;
    if (through) to_cache();
  }
  /// Page registers to cache registers.
  void move() {
    to_cache();
    page_.planes = 0;
  }
  /// The page registers are empty, and the cache registers of `planes`.
  void forget(std::uint32_t planes) {
    page_.planes = 0;
    for (std::uint8_t p = 0; p < cache_.size(); ++p) {
      if ((planes >> p & 1U) != 0) cache_[p].planes = 0;
    }
  }

  // Logical pages in the cache register of `plane`, which holds a page; they count within it.
  [[nodiscard]] nand::StoredLpage lpage(PlaneId plane, std::uint32_t lpage) const {
    return array_.lpage({plane, block(plane), page_of(plane), lpage});
  }
  void lpages(PlaneId plane, std::uint32_t first, std::uint32_t count, nand::StoredLpage* stored) const {
    array_.lpages({plane, block(plane), page_of(plane), first}, count, stored);
  }
  [[nodiscard]] bool programmed(PlaneId plane) const { return array_.programmed(plane, block(plane), page_of(plane)); }
  [[nodiscard]] std::uint32_t erase_count(PlaneId plane) const { return array_.erase_count(plane, block(plane)); }
  [[nodiscard]] bool factory_bad(PlaneId plane) const {
    return array_.health(plane, block(plane)) == nand::BlockHealth::kFactoryBad;
  }
  /// Raw bit errors of a codeword of a logical page, with the references with which the page was sensed.
  [[nodiscard]] unsigned bit_errors(PlaneId plane, std::uint32_t lpage, unsigned codeword) const;
  /// The bit errors of the codewords of the page from number `first` on, as many as `errors` has entries.
  void bit_errors(PlaneId plane, unsigned first, std::vector<unsigned>& errors) const;
  /// The bins of its senses, had the page been sensed with `parameters`.
  [[nodiscard]] nand::SoftChannel soft_channel(PlaneId plane, const nand::ReadParameters& parameters) const {
    return array_.soft_channel(plane, block(plane), page_of(plane), parameters);
  }

  /// The shape of the page of `plane`.
  [[nodiscard]] const PageShape& shape(PlaneId plane) const { return shapes_.of(block(plane)); }

 private:
  [[nodiscard]] BlockId block(PlaneId plane) const { return cache(plane).blocks[plane.value()]; }
  [[nodiscard]] PageId page_of(PlaneId plane) const { return cache(plane).page; }
  void to_cache() {
    for (std::uint8_t p = 0; p < cache_.size(); ++p) {
      if (page_.has(PlaneId(p))) cache_[p] = page_;
    }
  }

  const nand::Die& array_;
  const CopiedErrors& copied_;
  const PageShapes& shapes_;
  HeldPage page_;
  std::array<HeldPage, nand::kMaxPlanes> cache_;  // by plane
};

}  // namespace wordline::flash
