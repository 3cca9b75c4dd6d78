// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/config/config.h"
#include "models/ecc/code/codeword.h"
#include "models/units/index.h"

namespace wordline::flash {

/// The page of one plane as the bus sees it: logical pages one after the other, each with its parity.
struct PageShape {
  std::uint32_t lpages;
  std::uint32_t codewords_per_lpage;
  std::uint32_t lpage_bytes;
  std::uint32_t data_bytes;  // column of the first byte of the spare area

  PageShape(const config::Layout& layout, const config::BlockKind& kind)
      : lpages(kind.lpages_per_page),
        codewords_per_lpage(layout.lpage.codewords()),
        lpage_bytes(ecc::lpage_bytes_on_bus(layout.lpage, layout.codeword_extra)),
        data_bytes(static_cast<std::uint32_t>(kind.page.count())) {}
  [[nodiscard]] std::uint32_t codewords() const { return lpages * codewords_per_lpage; }
};

/// The pages of a die, by their blocks: those of nand.region are smaller.
class PageShapes {
 public:
  PageShapes(const config::Nand& nand, const config::Layout& layout)
      : kinds_(nand, layout), large_(layout, kinds_.large()), small_(layout, layout.small) {}

  [[nodiscard]] const config::BlockKinds& kinds() const { return kinds_; }
  [[nodiscard]] const PageShape& of(BlockId block) const { return kinds_.is_small(block.value()) ? small_ : large_; }
  /// The registers of a die have room for it.
  [[nodiscard]] const PageShape& largest() const { return large_; }

 private:
  config::BlockKinds kinds_;
  PageShape large_, small_;
};

}  // namespace wordline::flash
