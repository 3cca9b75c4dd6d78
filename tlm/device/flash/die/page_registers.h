// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/nand/die.h"
#include "models/nand/read_parameters.h"
#include "models/units/index.h"
#include "tlm/device/flash/die/copied_errors.h"
#include "tlm/device/flash/die/page_shape.h"

namespace wordline::flash {

/// A page in a register, of the planes that were sensed together; none: empty.
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

/// Page register and cache register of a die: the array senses into the first, data leave through the second. They hold
/// which page it is and how it was sensed, not its bits: content and bit errors come from the array. What is being
/// programmed is PageLoad's.
///
/// Accuracy: the bit errors of a page are those of its cells plus those that a copyback programmed into it, at most a
/// whole codeword.
class PageRegisters {
 public:
  PageRegisters(const nand::Die& array, const CopiedErrors& copied, const PageShapes& shapes)
      : array_(array), copied_(copied), shapes_(shapes) {}

  /// The page in page and cache register.
  [[nodiscard]] const HeldPage& page() const { return page_; }
  [[nodiscard]] const HeldPage& cache() const { return cache_; }
  /// The array has sensed `page`; `through`: into both registers.
  void sensed(const HeldPage& page, bool through) {
    page_ = page;
    if (through) cache_ = page;
  }
  /// Page register to cache register.
  void move() {
    cache_ = page_;
    page_.planes = 0;
  }
  void forget() { page_.planes = cache_.planes = 0; }

  // Logical pages in the cache register; `plane` is one that it holds, they count within the page.
  [[nodiscard]] nand::StoredLpage lpage(PlaneId plane, std::uint32_t lpage) const {
    return array_.lpage({plane, block(plane), cache_.page, lpage});
  }
  void lpages(PlaneId plane, std::uint32_t first, std::uint32_t count, nand::StoredLpage* stored) const {
    array_.lpages({plane, block(plane), cache_.page, first}, count, stored);
  }
  [[nodiscard]] bool programmed(PlaneId plane) const { return array_.programmed(plane, block(plane), cache_.page); }
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
    return array_.soft_channel(plane, block(plane), cache_.page, parameters);
  }

  /// The shape of the page of `plane`.
  [[nodiscard]] const PageShape& shape(PlaneId plane) const { return shapes_.of(block(plane)); }

 private:
  [[nodiscard]] BlockId block(PlaneId plane) const { return cache_.blocks[plane.value()]; }

  const nand::Die& array_;
  const CopiedErrors& copied_;
  const PageShapes& shapes_;
  HeldPage page_, cache_;
};

}  // namespace wordline::flash
