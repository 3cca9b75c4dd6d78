// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ftl.h"

namespace wordline::persist_model {

bool Ftl::valid(const MapUnit& m, int unit) const {
  return m.lpn >= 0 && map(m.lpn).unit == unit && map(m.lpn).sequence == m.sequence;
}

int Ftl::valid_in(int superblock) const {
  return static_cast<int>(std::count_if(map_.begin(), map_.end(), [&](const Place& p) {
    return p.sequence != 0 && p.unit >= 0 && superblock_of(p.unit) == superblock;
  }));
}

bool Ftl::may_choose(int superblock) const {
  return state(superblock) == State::kClosed || (state(superblock) == State::kFull && broken(Rule::kVictimsAtRest));
}

bool Ftl::may_choose_victim() const {
  if (victim_ >= 0 || count(State::kFree) > 6) return false;
  for (int superblock = 0; superblock != kSuperblocks; ++superblock)
    if (may_choose(superblock)) return true;
  return false;
}

void Ftl::choose_victim() {
  for (int superblock = 0; superblock != kSuperblocks; ++superblock)
    if (may_choose(superblock) && (victim_ < 0 || valid_in(superblock) < valid_in(victim_))) victim_ = superblock;
  state(victim_) = State::kVictim;
  for (int u = victim_ * kUnits; u != (victim_ + 1) * kUnits; ++u)
    if (const Unit* unit = flash_.sound(u))
      for (const MapUnit& m : unit->content)
        if (valid(m, u)) moves_.push_back({m, u});
}

void Ftl::gather() {
  while (!moves_.empty() && gathered_.size() != kMapUnits) {
    const Copy move = moves_.front();
    moves_.pop_front();
    if (!valid(move.content, move.from)) continue;
    if (move.content.kind == Kind::kTombstone) {
      const auto older = [&](const MapUnit& m) {
        return m.lpn == move.content.lpn && m.sequence < move.content.sequence;
      };
      const bool needed = flash_.may_hold_older(move.content.lpn, move.content.sequence) ||
                          std::any_of(buffer_.begin(), buffer_.end(), older);
      if (!needed || broken(Rule::kTombstonesMove)) {
        map(move.content.lpn) = {};
        continue;
      }
    }
    gathered_.push_back(move);
  }
}

bool Ftl::may_program_copies() const {
  const bool pads = victim_ >= 0 && gathered_.empty() && moves_.empty() && half_pairs(Stream::kGc);
  return (pads || !gathered_.empty()) && may_program(Stream::kGc);
}

void Ftl::program_copies() {
  if (broken(Rule::kCopiesKeepSequence))
    for (Copy& c : gathered_) c.content.sequence = ++sequence_;
  program(Stream::kGc, gathered_);
  gathered_.clear();
}

bool Ftl::may_erase_victim() const {
  if (victim_ < 0 || !moves_.empty() || !gathered_.empty() || programs_in(victim_)) return false;
  const bool copying = half_pairs(Stream::kGc) || std::any_of(programs_.begin(), programs_.end(),
                                                              [](const Program& p) { return p.stream == Stream::kGc; });
  if (copying && !broken(Rule::kErasesAfterCopies)) return false;
  return broken(Rule::kErasesAfterInvalidators) || durable(barrier_);
}

int Ftl::to_close() const {
  for (int superblock = 0; superblock != kSuperblocks; ++superblock)
    if (state(superblock) == State::kFull && !programs_in(superblock) && !die_busy((superblock + 1) * kUnits - 1))
      return superblock;
  return -1;
}

void Ftl::close(int superblock, int unit, const std::vector<std::uint64_t>& replaces) {
  Program p;
  p.stream = mounted() ? Stream::kGc : Stream::kMount;
  p.unit = superblock * kUnits + unit;
  p.content.stream = p.stream;
  p.content.opened = opened(superblock);
  p.content.replaces = replaces;
  for (int u = superblock * kUnits; u != (superblock + 1) * kUnits; ++u)
    if (const Unit* data = flash_.sound(u); data != nullptr && data->content[0].kind != Kind::kClosing)
      p.content.vouches.push_back(u);
  p.content.content[0].kind = Kind::kClosing;
  flash_.program(p.unit, p.content);
  programs_.push_back(p);
  state(superblock) = State::kClosing;
}

}  // namespace wordline::persist_model
