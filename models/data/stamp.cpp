// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/data/stamp.h"

namespace wordline::data {

SectorToken TokenPool::intern(const SectorBlocks& blocks) {
  const BlockStamp first = blocks[0];
  bool zero = true;
  bool uniform = !first.is_zero() && size_.block_of(first.lba().value()) == 0;
  for (unsigned i = 0; i < size_.lbas(); ++i) {
    zero = zero && blocks[i].is_zero();
    uniform = uniform && blocks[i] == BlockStamp(Lba(first.lba().value() + i), first.version());
  }
  if (zero) return {};
  if (uniform) {
    return SectorToken::uniform(Lpn(static_cast<std::uint32_t>(size_.sector_of(first.lba().value()))), first.version());
  }
  mixed_.push_back(blocks);
  return SectorToken::mixed(mixed_.size() - 1);
}

SectorBlocks TokenPool::expand(SectorToken token) const {
  if (token.is_mixed()) return mixed_.at(token.index());
  SectorBlocks blocks{};
  if (token.is_zero()) return blocks;
  for (unsigned i = 0; i < size_.lbas(); ++i) {
    blocks[i] = BlockStamp(Lba(size_.first_lba(token.lpn().value()) + i), token.version());
  }
  return blocks;
}

BlockStamp TokenPool::block(SectorToken token, unsigned i) const {
  if (token.is_mixed()) return mixed_.at(token.index())[i];
  if (token.is_zero()) return {};
  return {Lba(size_.first_lba(token.lpn().value()) + i), token.version()};
}

}  // namespace wordline::data
