// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "flash.h"

namespace wordline::persist_model {

void Flash::program(int unit, const Unit& content) {
  Cell& cell = at(unit);
  cell.ruined = cell.state != State::kBlank;
  cell.state = State::kProgramming;
  cell.content = content;
}

void Flash::end_program(int unit) {
  Cell& cell = at(unit);
  cell.state = cell.ruined ? State::kTorn : State::kWritten;
}

void Flash::end_erase(int superblock) {
  erasing_[static_cast<std::size_t>(superblock)] = false;
  for (int u = superblock * kUnits; u != (superblock + 1) * kUnits; ++u) at(u) = Cell{};
}

void Flash::cut(Dice& dice) {
  for (int u = 0; u != kSuperblocks * kUnits; ++u) {
    Cell& cell = at(u);
    if (cell.state != State::kProgramming) continue;
    const std::uint64_t outcome = dice.below(8);
    if (outcome == 0) {
      cell.state = cell.ruined ? State::kTorn : State::kBlank;  // before its first pulse
      continue;
    }
    if (outcome <= 2) {
      end_program(u);
      continue;
    }
    cell.state = damage_.unstable && !cell.ruined && outcome >= 6 ? State::kUnstable : State::kTorn;
    if (damage_.paired && row_of(u) % 2 == 1) {
      Cell& first = at(partner_of(u));
      first.state = cell.state == State::kUnstable && first.state == State::kWritten ? State::kUnstable : State::kTorn;
    }
  }
  for (int superblock = 0; superblock != kSuperblocks; ++superblock) {
    if (!erasing_[static_cast<std::size_t>(superblock)]) continue;
    erasing_[static_cast<std::size_t>(superblock)] = false;
    for (int die = 0; die != kDies; ++die) {
      const std::uint64_t outcome = dice.below(3);
      for (int row = 0; row != kRows; ++row) {
        Cell& cell = at(superblock * kUnits + row * kDies + die);
        if (outcome == 0) cell = Cell{};
        if (outcome == 1) cell.state = State::kTorn;
      }
    }
  }
}

std::optional<Unit> Flash::read(int unit, Dice& dice) const {
  const Cell& cell = at(unit);
  if (cell.state == State::kWritten || (cell.state == State::kUnstable && dice.one_in(2))) return cell.content;
  return std::nullopt;
}

bool Flash::blank_superblock(int superblock) const {
  for (int u = superblock * kUnits; u != (superblock + 1) * kUnits; ++u)
    if (!blank(u)) return false;
  return true;
}

bool Flash::may_hold_older(int lpn, std::uint64_t sequence) const {
  for (const Cell& cell : cells_) {
    if (cell.state == State::kBlank || cell.state == State::kTorn) continue;
    for (const MapUnit& m : cell.content.content)
      if (m.lpn == lpn && m.sequence < sequence) return true;
  }
  return false;
}

Unit Flash::garbage(Dice& dice) const {
  Unit unit;
  for (MapUnit& m : unit.content)
    m = MapUnit{static_cast<int>(dice.below(kLpns)),
                1000000 + dice.below(9),
                Kind::kUser,
                {static_cast<int>(dice.below(50)), static_cast<int>(50 + dice.below(50))}};
  return unit;
}

}  // namespace wordline::persist_model
