// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/die/page_load.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/ecc/code/codeword.h"

namespace wordline::flash {

using onfi::Effect;

PageLoad::PageLoad(const Geometry& geometry, const PageRegisters& registers)
    : geometry_(geometry), registers_(registers), loaded_planes_(geometry.pages_per_program, 0) {
  load_.lpages.resize(static_cast<std::size_t>(geometry_.pages_per_program) * geometry_.planes *
                      geometry_.pages.largest().lpages);
  latched_.lpages.resize(load_.lpages.size());
}

std::string PageLoad::join(const onfi::Address& at) {
  if (unit_.empty()) {
    std::fill(loaded_planes_.begin(), loaded_planes_.end(), 0);
    load_.errors.clear();
    page_ = 0;
  }
  if (!unit_.empty() && &geometry_.pages.of(at.block) != &page()) {
    drop();
    return kTwoPageSizes;
  }
  return unit_.join(Operation::kProgram, at, geometry_.any_block);
}

// The page in the cache register must be one that the page of `at` can begin with.
std::string PageLoad::copyable(const onfi::Address& at) const {
  if (registers_.cache(at.plane).empty()) {
    return fmt::format("85h of plane {}, whose page register holds no page; 00h ADDR 35h first", at.plane.value());
  }
  if (registers_.shape(at.plane).lpages == page().lpages) return {};
  return fmt::format("85h to a page of {} logical pages with one of {} in the register", page().lpages,
                     registers_.shape(at.plane).lpages);
}

std::string PageLoad::begin(const onfi::Address& at, bool copy) {
  unit_.page = PageId(unit_.page.value() / geometry_.pages_per_program * geometry_.pages_per_program);
  const std::uint32_t expected = unit_.page.value() + page_;
  if (at.page.value() != expected || (at.column != 0 && !copy)) {
    drop();
    return fmt::format("load of page {} column {}, expected page {} column 0", at.page.value(), at.column, expected);
  }
  if (std::string wrong = copy ? copyable(at) : std::string(); !wrong.empty()) {
    drop();
    return wrong;
  }
  loading_ = true;
  plane_ = at.plane;
  if (copy) {
    copy_page();
    return set_column(at.column);
  }
  loaded_lpages_ = 0;
  lpage_ = 0;
  return {};
}

// The page in the cache register becomes the load, with the errors it was read with: half of the bits at most, for an
// error of a copy of a copy may right another one.
void PageLoad::copy_page() {
  const std::uint32_t codewords = page().codewords_per_lpage;
  if (load_.errors.empty()) load_.errors.resize(load_.lpages.size() * codewords);
  const bool programmed = registers_.programmed(plane_);
  for (std::uint32_t s = 0; s < page().lpages; ++s) {
    const std::size_t to = row() * page().lpages + s;
    load_.lpages[to] = registers_.lpage(plane_, s);
    for (unsigned c = 0; c < codewords; ++c) {
      const unsigned errors = programmed ? registers_.bit_errors(plane_, s, c) : 0U;
      load_.errors[to * codewords + c] = static_cast<std::uint16_t>(std::min(errors, ecc::kCodewordBits / 2U));
    }
  }
  loaded_lpages_ = whole_page();
}

std::string PageLoad::set_column(std::uint32_t column) {
  const std::uint32_t lpage_bytes = page().lpage_bytes;
  const std::uint32_t lpage = column / lpage_bytes;
  if (!loading_ || column % lpage_bytes != 0 || lpage >= page().lpages) {
    return fmt::format(
        "85h to column {}{}", column,
        loading_ ? ", which is not the start of a logical page" : " without a page load (80h, 85h ADDR)");
  }
  lpage_ = lpage;
  return {};
}

std::string PageLoad::data_in(const OnfiTransaction& t) {
  if (!loading_) return "data in without PROGRAM (80h)";
  const std::uint32_t lpage_bytes = page().lpage_bytes;
  const std::uint32_t codewords = page().codewords_per_lpage;
  const std::uint32_t count = t.lpage_count;
  if (t.bytes != count * lpage_bytes || t.lpages == nullptr || count > page().lpages - lpage_) {
    return fmt::format("data in of {} bytes for {} logical pages of {} bytes at logical page {}", t.bytes, count,
                       lpage_bytes, lpage_);
  }
  const std::size_t first = row() * page().lpages + lpage_;
  std::copy_n(t.lpages, count, load_.lpages.begin() + static_cast<std::ptrdiff_t>(first));
  if (!load_.errors.empty()) {
    std::fill_n(load_.errors.begin() + static_cast<std::ptrdiff_t>(first * codewords), count * codewords,
                std::uint16_t{0});
  }
  for (std::uint32_t i = 0; i < count; ++i) loaded_lpages_ |= 1U << (lpage_ + i);
  lpage_ += count;
  return {};
}

std::string PageLoad::end_page(Effect effect) {
  loading_ = false;
  loaded_planes_[page_] |= 1U << plane_.value();
  std::string wrong = incomplete(effect);
  if (!wrong.empty()) {
    drop();
  } else if (effect == Effect::kLoadNextPage) {
    ++page_;
  }
  return wrong;
}

std::string PageLoad::incomplete(Effect effect) const {
  const std::uint32_t pages = pages_of(unit_);
  if (loaded_lpages_ != whole_page()) {
    std::uint32_t lpages = 0;
    for (std::uint32_t s = 0; s < page().lpages; ++s) lpages += loaded_lpages_ >> s & 1U;
    return fmt::format("page load of {} logical pages, a page has {}", lpages, page().lpages);
  }
  if (effect == Effect::kLoadNextPlane) return {};
  const bool in_all_planes = std::all_of(loaded_planes_.begin(), loaded_planes_.begin() + page_ + 1,
                                         [this](std::uint32_t planes) { return planes == unit_.planes; });
  if (!in_all_planes) {
    return fmt::format("page {} is not loaded in all planes of the unit", unit_.page.value() + page_);
  }
  const bool last_page = page_ + 1 == pages;
  if (effect == Effect::kLoadNextPage) return last_page ? "1Ah after the last page of the unit" : "";
  return last_page ? "" : fmt::format("10h or 15h after page {} of {} of the unit", page_ + 1, pages);
}

Selection PageLoad::take_unit() {
  const Selection unit = unit_;
  drop();
  return unit;
}

nand::OperationStatus PageLoad::program(nand::Die& array, const Selection& unit,
                                        const nand::ProgramParameters& parameters, CopiedErrors& copied) {
  // The array takes the selected planes only, without gaps.
  const std::uint32_t planes = geometry_.planes;
  const PageShape& page = geometry_.pages.of(unit.block);
  const std::uint32_t per_page = page.lpages;
  std::vector<nand::StoredLpage>& lpages = latched_.lpages;
  std::size_t to = 0;
  for (std::size_t row = 0; row < static_cast<std::size_t>(pages_of(unit)) * planes; ++row) {
    if ((unit.planes >> (row % planes) & 1U) == 0) continue;
    if (to != row) {
      std::copy_n(lpages.begin() + static_cast<std::ptrdiff_t>(row * per_page), per_page,
                  lpages.begin() + static_cast<std::ptrdiff_t>(to * per_page));
    }
    ++to;
  }
  const nand::OperationStatus status =
      array.commit_program(unit.planes, unit.blocks, unit.page, lpages.data(), parameters);
  if (status != nand::OperationStatus::kRefused) {
    const std::uint32_t codewords = page.codewords();
    const std::uint32_t per_row = geometry_.pages.largest().codewords();  // largest as CopiedErrors counts them
    for (std::uint32_t i = 0; i < latched_.errors.size(); ++i) {
      if (latched_.errors[i] == 0) continue;
      const std::uint32_t row = i / codewords;
      copied.put(PlaneId(static_cast<std::uint8_t>(row % planes)), unit.blocks[row % planes],
                 (unit.page.value() + row / planes) * per_row + i % codewords, latched_.errors[i]);
    }
  }
  latched_.errors.clear();
  return status;
}

void PageLoad::abandon() {
  drop();
  loading_ = false;
  load_.errors.clear();
  latched_.errors.clear();
}

}  // namespace wordline::flash
