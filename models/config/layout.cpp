// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models/config/config.h"
#include "models/ecc/code/codeword.h"

namespace wordline::config {
namespace {

// A codeword has 16 bytes beside its 2,048: owner and record of the logical page take 8 (models/ecc/code/codeword.h).
constexpr std::uint32_t kFreeInCodeword = 8;
constexpr std::uint32_t kSpareBytesPerCodeword = ecc::kCodewordBytes - LpageSize::kCodewordUserBytes;
constexpr std::uint32_t kExtra =
    LpageSize::kMaxLbas / LpageSize::kMaxCodewords * data::BlockTuple::kBytes - kFreeInCodeword;

std::uint32_t map_page_of(const Config& config, const Layout& layout) {
  if (config.ftl.map != MapUnit::kPage) return 0;
  if (config.ftl.map_unit == MapUnitSize::kOfPlane) return layout.lpages_per_page;
  const std::uint32_t bytes = 2048U << static_cast<unsigned>(config.ftl.map_unit);
  return std::max(bytes / layout.lpage.bytes(), 1U);
}

}  // namespace

std::uint32_t spare_of_small_blocks() { return kSpareBytesPerCodeword + kExtra; }

bool has_room_for_small_blocks(const NandGeometry& g) {
  return g.spare.count() >= g.page / Bytes(LpageSize::kCodewordUserBytes) * spare_of_small_blocks();
}

Layout layout_of(const Config& config) {
  const NandGeometry& g = config.nand.geometry;
  Layout l{};
  l.dies = config.dies();
  l.page_types = static_cast<std::uint32_t>(g.cell);
  l.wls_per_block = g.layers * g.wls_per_layer;
  l.pages_per_block = l.wls_per_block * l.page_types;
  l.lpage = lpage_size_of(config);
  l.lpages_per_page = static_cast<std::uint32_t>(g.page / Bytes(l.lpage.bytes()));
  l.lpages_per_mpage = l.lpages_per_page * g.planes;
  l.map_page = map_page_of(config, l);
  l.pages_per_program = g.program == ProgramGranularity::kWordLine ? l.page_types : 1;
  l.lpages_per_program = l.lpages_per_mpage * l.pages_per_program;
  l.programs_per_block = l.pages_per_block / l.pages_per_program;
  if (config.nvme.metadata != BlockMetadata::kNone) {
    const bool small = has_room_for_small_blocks(g);
    const std::uint32_t blocks = small ? l.lpage.lbas() : l.lpage.lbas() / kLbasPerHostPage;  // else of 4 KiB
    l.tuple_bytes = blocks * static_cast<std::uint32_t>(data::BlockTuple::kBytes);
    l.codeword_extra = small ? kExtra : 0;
  }
  const NandRegion& region = config.nand.region;
  if (region.blocks_per_plane != 0) {
    l.small.pages = region.pages_per_block == 0 ? l.pages_per_block : region.pages_per_block;
    l.small.lpages_per_page = static_cast<std::uint32_t>(region.page / Bytes(l.lpage.bytes()));
    l.small.page = region.page;
  }
  const std::uint64_t large_block = static_cast<std::uint64_t>(l.dies) * l.pages_per_block * l.lpages_per_mpage;
  const std::uint64_t in_small_pages =
      static_cast<std::uint64_t>(l.dies) * region.blocks_per_plane * l.small.pages * g.planes * l.small.lpages_per_page;
  const std::uint32_t large_blocks = g.blocks_per_plane - std::min(config.ftl.spare_blocks, g.blocks_per_plane);
  l.raw_lpages = g.blocks_per_plane * large_block + in_small_pages;
  l.superblocks = large_blocks + region.blocks_per_plane;
  const std::uint64_t usable = large_blocks * large_block + in_small_pages;
  const bool parity = config.ftl.parity == Parity::kDies && l.dies > 1;
  const std::uint64_t for_data = parity ? usable / l.dies * (l.dies - 1) : usable;
  l.user_lpages = static_cast<std::uint64_t>(static_cast<double>(for_data) / (1.0 + config.ftl.over_provisioning));
  const std::uint64_t entries = l.lpage.bytes() / 4;
  l.map_pages = config.ftl.map_cache.count() == 0 ? 0 : (l.user_lpages + entries - 1) / entries;
  return l;
}

void scale_blocks(Config& config) {
  NandGeometry& g = config.nand.geometry;
  const auto scaled = [&g](std::uint32_t blocks) { return (blocks + g.scale_down / 2) / g.scale_down; };
  g.blocks_per_plane = scaled(g.blocks_per_plane);
  config.nand.region.blocks_per_plane = scaled(config.nand.region.blocks_per_plane);
  // Rounded up: factory-bad blocks find one each, as in the whole drive.
  config.ftl.spare_blocks = (config.ftl.spare_blocks + g.scale_down - 1) / g.scale_down;
}

}  // namespace wordline::config
