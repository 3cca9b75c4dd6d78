// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// What the engines calculate, without a clock.
namespace wordline::engines {

/// The order in which the firmware fills lines (models/firmware/context.h): a place is a sector of the drive, line by
/// line, unit by unit over all dies, page by page.
struct PlaceGeometry {
  std::uint32_t page_sectors = 1;  // of all planes
  std::uint32_t unit_pages = 1;    // pages written by one program
  std::uint32_t line_units = 1;
  std::uint32_t dies = 1;

  [[nodiscard]] constexpr std::uint32_t unit_sectors() const { return page_sectors * unit_pages; }
};

struct PlaceLocation {
  std::uint32_t die, block, page, sector;
};

/// In hardware: four divisions by constants of a run, each a multiplication by a reciprocal.
[[nodiscard]] constexpr PlaceLocation locate(const PlaceGeometry& g, std::uint32_t place) {
  const std::uint32_t line_sectors = g.line_units * g.unit_sectors();
  const std::uint32_t line = place / line_sectors;
  const std::uint32_t in_line = place % line_sectors;
  const std::uint32_t unit = in_line / g.unit_sectors();
  const std::uint32_t in_unit = in_line % g.unit_sectors();
  return {unit % g.dies, line, unit / g.dies * g.unit_pages + in_unit / g.page_sectors, in_unit % g.page_sectors};
}

}  // namespace wordline::engines
