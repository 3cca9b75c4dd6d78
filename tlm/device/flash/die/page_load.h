// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/nand/die.h"
#include "tlm/device/flash/bus/onfi_transaction.h"
#include "tlm/device/flash/die/copied_errors.h"
#include "tlm/device/flash/die/page_registers.h"
#include "tlm/device/flash/die/page_shape.h"
#include "tlm/device/flash/die/selection.h"

namespace wordline::flash {

/// Program units on their way into the array: the one that is loaded over the bus, page by page and plane by plane, and
/// the one that the array programs. When a unit is complete and when the array takes it is ArrayWork's.
///
/// A page load is 80h ADDR or 85h ADDR, data, and one of 11h, 1Ah, 10h, 15h; a unit is all its pages in all its planes,
/// and every page load fills its page. 85h ADDR begins with the page in the cache register, its raw bit errors
/// included.
///
/// Functions that can fail return what is wrong, "" if nothing; the unit is then dropped unless they say otherwise.
class PageLoad {
 public:
  struct Geometry {
    std::uint32_t planes, pages_per_program;
    const PageShapes& pages;
    bool any_block;  // nand.plane_blocks
  };
  PageLoad(const Geometry& geometry, const PageRegisters& registers);

  /// A page load has begun and has not ended.
  [[nodiscard]] bool loading() const { return loading_; }
  /// Pages of a unit are loaded, or being loaded.
  [[nodiscard]] bool open() const { return !unit_.empty(); }

  // ---- over the bus -------------------------------------------------------------------------------------------------
  /// 80h, 85h ADDR: the plane of `at` takes part. The unit so far, for checks, follows.
  [[nodiscard]] std::string join(const onfi::Address& at);
  [[nodiscard]] const Selection& unit() const { return unit_; }
  void drop() { unit_.drop(); }
  /// Begins the page load after join(), with `copy` by the page in the cache register.
  [[nodiscard]] std::string begin(const onfi::Address& at, bool copy);
  /// 85h C1 C2. The unit stays after an error.
  [[nodiscard]] std::string set_column(std::uint32_t column);
  /// The unit stays after an error.
  [[nodiscard]] std::string data_in(const OnfiTransaction& t);
  /// 11h, 1Ah, 10h, 15h end the page load.
  [[nodiscard]] std::string end_page(onfi::Effect effect);
  /// The unit that 10h or 15h has completed.
  [[nodiscard]] Selection take_unit();

  // ---- array --------------------------------------------------------------------------------------------------------
  /// The content of the completed unit leaves the cache register, which is free for the next one.
  void latch() { std::swap(load_, latched_); }
  /// Stores it; raw bit errors of copied pages go to `copied`.
  [[nodiscard]] nand::OperationStatus program(nand::Die& array, const Selection& unit,
                                              const nand::ProgramParameters& parameters, CopiedErrors& copied);
  /// Everything is lost.
  void abandon();

 private:
  /// The logical pages of a unit, [page][plane][logical page of its pages], and what copyback brought with them.
  struct Content {
    std::vector<nand::StoredLpage> lpages;
    std::vector<std::uint16_t> errors;  // errors by codeword; empty unless a page was copied
  };

  /// Pages of a unit.
  [[nodiscard]] std::uint32_t pages_of(const Selection& unit) const {
    return unit.slc_mode ? 1 : geometry_.pages_per_program;
  }
  [[nodiscard]] std::size_t row() const { return static_cast<std::size_t>(page_) * geometry_.planes + plane_.value(); }
  /// The page of the unit.
  [[nodiscard]] const PageShape& page() const { return geometry_.pages.of(unit_.block); }
  [[nodiscard]] std::uint32_t whole_page() const { return (1U << page().lpages) - 1U; }
  [[nodiscard]] std::string copyable(const onfi::Address& at) const;
  void copy_page();
  [[nodiscard]] std::string incomplete(onfi::Effect effect) const;

  const Geometry geometry_;
  const PageRegisters& registers_;
  Content load_;                              // cache register
  Content latched_;                           // latched in the array
  Selection unit_;                            // unit that is being loaded
  std::vector<std::uint32_t> loaded_planes_;  // loaded planes by page of the unit
  // The page load on the way.
  bool loading_ = false;
  PlaneId plane_{};
  std::uint32_t page_ = 0;           // within the unit
  std::uint32_t lpage_ = 0;          // logical page, in its flash page, of the next data
  std::uint32_t loaded_lpages_ = 0;  // loaded logical pages as bits
};

}  // namespace wordline::flash
