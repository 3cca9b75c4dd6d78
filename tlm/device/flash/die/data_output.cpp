// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/die/data_output.h"

#include <fmt/core.h>

#include "models/onfi/features.h"

namespace wordline::flash {

void DataOutput::page_arrives(const HeldPage& page, bool through) {
  registers_.sensed(page, through);
  if (through) source_ = Source::kData;
}

void DataOutput::next_page() {
  const HeldPage& moved = registers_.page();
  if (!moved.has(plane_)) plane_ = moved.first_plane();
  registers_.move();
  source_ = Source::kData;
  column_ = 0;
  soft_plane_ = 0;
}

void DataOutput::sensing(std::uint32_t planes) {
  registers_.forget(planes);
  source_ = Source::kNone;
}

void DataOutput::clear() {
  registers_.forget(~0U);
  source_ = Source::kNone;
}

void DataOutput::point_to(const onfi::Address& at) {
  plane_ = at.plane;
  column_ = at.column;
  soft_plane_ = 0;
}

std::string DataOutput::change_column(const onfi::Address& at, bool with_row) {
  const HeldPage& held = registers_.cache(with_row ? at.plane : plane_);
  if (registers_.empty()) return "CHANGE READ COLUMN without data in the page register";
  if (with_row) {
    if (held.empty() || at.page != held.page || at.block != held.blocks[at.plane.value()]) {
      return fmt::format(
          "CHANGE READ COLUMN ENHANCED to plane {} block {} page {}, which the page register does not hold",
          at.plane.value(), at.block.value(), at.page.value());
    }
    plane_ = at.plane;
  }
  column_ = at.column;
  soft_plane_ = 0;
  source_ = Source::kData;
  return {};
}

std::string DataOutput::select_soft_plane(unsigned plane) {
  const HeldPage& held = registers_.cache(plane_);
  const unsigned planes = held.empty() ? 0 : onfi::soft_planes(held.read.senses);
  if (held.empty() || plane > planes) {
    return fmt::format("C0h to soft bit plane {}, and the page in the register has {} (feature 8Ah, then a read)",
                       plane, planes);
  }
  soft_plane_ = plane;
  source_ = Source::kData;
  return {};
}

std::string DataOutput::data_out(OnfiTransaction& t) {
  if (source_ != Source::kData) {
    return registers_.empty() ? "data out without a read"
                              : "data out after a status or feature read; 00h, 05h or 06h first";
  }
  if (t.lpage_count == 0 && t.bytes == onfi::kMarkBytes && column_ == registers_.shape(plane_).data_bytes) {
    t.status = registers_.factory_bad(plane_) ? onfi::kFactoryBadMark : std::uint8_t{0xff};
    column_ += t.bytes;
    return {};
  }
  const std::uint32_t lpage_bytes = registers_.shape(plane_).lpage_bytes;
  const std::uint32_t per_page = registers_.shape(plane_).lpages;
  const std::uint32_t first = column_ / lpage_bytes;
  if (column_ % lpage_bytes != 0 || t.bytes != t.lpage_count * lpage_bytes ||
      (t.lpages == nullptr && soft_plane_ == 0) || first > per_page || t.lpage_count > per_page - first) {
    return fmt::format(
        "data out of {} bytes for {} logical pages from column {}; logical pages have {} bytes, the page {} logical "
        "pages",
        t.bytes, t.lpage_count, column_, lpage_bytes, per_page);
  }
  if (t.lpages != nullptr) registers_.lpages(plane_, first, t.lpage_count, t.lpages);
  if (t.errors != nullptr) count_errors(first, t.lpage_count, *t.errors);
  column_ += t.bytes;
  return {};
}

// Counts the errors of `count` logical pages of the page on its way out, from logical page `first` on.
void DataOutput::count_errors(std::uint32_t first, std::uint32_t count, ReadErrors& errors) {
  errors.programmed = registers_.programmed(plane_);
  errors.erases = registers_.erase_count(plane_);
  const unsigned per_lpage = registers_.shape(plane_).codewords_per_lpage;
  codewords_.assign(std::size_t{count} * per_lpage, 0);
  if (errors.programmed) registers_.bit_errors(plane_, first * per_lpage, codewords_);
  const unsigned* next = codewords_.data();
  for (std::uint32_t i = 0; i < count; ++i) {
    for (unsigned c = 0; c < per_lpage; ++c) errors.lpages[i][c] = *next++;
  }
  if (errors.together != nullptr) errors.soft = registers_.soft_channel(plane_, *errors.together);
}

}  // namespace wordline::flash
