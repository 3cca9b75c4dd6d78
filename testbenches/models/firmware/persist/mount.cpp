// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ftl.h"

namespace wordline::persist_model {

Ftl::Ftl(Flash& flash, std::optional<Rule> broken, Dice dice) : flash_(flash), broken_(broken) {
  const Found found = read_all(dice);
  find_newest(found);
  sort_superblocks(found);
  if (this->broken(Rule::kOpenSuperblocksClosed)) continue_open(found);
  end_mount();
}

Ftl::Found Ftl::read_all(Dice dice) const {
  Found found;
  for (int u = 0; u != kSuperblocks * kUnits; ++u) {
    std::optional<Unit> unit = flash_.read(u, dice);
    if (!unit && !flash_.blank(u) && broken(Rule::kTornRefused) && dice.one_in(2)) unit = flash_.garbage(dice);
    const auto s = static_cast<std::size_t>(superblock_of(u));
    if (unit) {
      found.readable[s] = true;
      found.by_mount[s] = unit->stream == Stream::kMount;
      found.opened[s] = unit->opened;
    }
    found.units.push_back(unit);
  }
  for (const auto& unit : found.units) {
    if (!unit || unit->content[0].kind != Kind::kClosing) continue;
    const auto readable = [&](int u) { return found.units[static_cast<std::size_t>(u)].has_value(); };
    if (!std::all_of(unit->vouches.begin(), unit->vouches.end(), readable) && !broken(Rule::kRecordsVouch)) continue;
    const auto s = static_cast<std::size_t>(superblock_of(static_cast<int>(&unit - found.units.data())));
    found.closed[s] = true;
    found.replaced.insert(unit->replaces.begin(), unit->replaces.end());
    found.replaces[s] = unit->replaces;
  }
  return found;
}

/// Copies that a cut mount has made are none: their originals are still there, and its superblock has no closing
/// record. Of two with one sequence, that in a superblock that is closed is the one without doubt.
void Ftl::find_newest(const Found& found) {
  std::array<bool, kLpns> sure{};
  std::uint64_t top = 1;
  for (int u = 0; u != kSuperblocks * kUnits; ++u) {
    const auto superblock = static_cast<std::size_t>(superblock_of(u));
    if (!found.units[static_cast<std::size_t>(u)]) continue;
    for (const MapUnit& m : found.units[static_cast<std::size_t>(u)]->content) {
      if (m.lpn < 0) continue;
      top = std::max(top, m.sequence);
      if ((found.by_mount[superblock] && !found.closed[superblock]) || found.is_replaced(superblock_of(u))) continue;
      Place& best = map(m.lpn);
      bool& certain = sure[static_cast<std::size_t>(m.lpn)];
      if (m.sequence < best.sequence || (m.sequence == best.sequence && (certain || !found.closed[superblock])))
        continue;
      best = {m.sequence, u};
      certain = found.closed[superblock];
    }
  }
  // More than can have been given to data that are lost.
  sequence_ = broken(Rule::kSequencesAbove) ? (top > 4 ? top - 3 : 1) : top + 1000;
}

/// Its data are carried away before the host is answered.
void Ftl::doubt(int superblock, const Found& found) {
  state(superblock) = State::kDoubtful;
  mount_.doubtful.push_back(superblock);
  mount_.replaces.push_back(opened(superblock));
  for (int u = superblock * kUnits; u != (superblock + 1) * kUnits; ++u)
    if (const auto& unit = found.units[static_cast<std::size_t>(u)])
      for (const MapUnit& m : unit->content)
        if (valid(m, u)) mount_.copies.push_back({m, u});
}

void Ftl::sort_superblocks(const Found& found) {
  openings_ = *std::max_element(found.opened.begin(), found.opened.end());
  openings_ += 100;                 // above those of superblocks that cannot be read this time
  std::vector<std::uint64_t> left;  // replaced, and not erased yet
  for (int superblock = 0; superblock != kSuperblocks; ++superblock) {
    const auto s = static_cast<std::size_t>(superblock);
    opened(superblock) = found.opened[s];
    state(superblock) = State::kClosed;
    if (flash_.blank_superblock(superblock)) {
      state(superblock) = State::kFree;
    } else if (!found.readable[s]) {
      if (broken(Rule::kHalfErasedErasedAgain))
        state(superblock) = State::kFree;
      else
        mount_.discard.push_back(superblock);
    } else if (found.by_mount[s] && !found.closed[s]) {
      mount_.discard.push_back(superblock);
    } else if (found.is_replaced(superblock)) {
      left.push_back(opened(superblock));
      doubt(superblock, found);
    } else if (!found.closed[s] && flash_.damage().unstable && !broken(Rule::kDoubtfulCopied)) {
      doubt(superblock, found);
    }
  }
  for (int superblock = 0; superblock != kSuperblocks; ++superblock) {
    const auto s = static_cast<std::size_t>(superblock);
    const auto waits = [&](std::uint64_t o) { return std::find(left.begin(), left.end(), o) != left.end(); };
    if (state(superblock) != State::kClosed || broken(Rule::kErasesOnOwnRecord) ||
        std::none_of(found.replaces[s].begin(), found.replaces[s].end(), waits))
      continue;
    if (unit_to_confirm(superblock) >= 0)
      mount_.confirm.push_back({superblock, found.replaces[s]});
    else
      doubt(superblock, found);
  }
  mount_.sealed = mount_.copies.empty();
}

/// A blank unit whose cells hold nothing else.
int Ftl::unit_to_confirm(int superblock) const {
  for (int u = 0; u != kUnits; ++u)
    if (flash_.blank(superblock * kUnits + u) &&
        (!flash_.damage().paired || flash_.blank(partner_of(superblock * kUnits + u))))
      return u;
  return -1;
}

/// Goes on behind what can be read: torn units look blank to who does not check.
void Ftl::continue_open(const Found& found) {
  for (int superblock = 0; superblock != kSuperblocks; ++superblock) {
    if (found.closed[static_cast<std::size_t>(superblock)] || !found.readable[static_cast<std::size_t>(superblock)])
      continue;
    int next = kUnits;
    while (next != 0 && !found.units[static_cast<std::size_t>(superblock * kUnits + next - 1)]) --next;
    if (next >= kUnits - 1 || state(superblock) != State::kClosed) continue;
    state(superblock) = State::kOpen;
    cursor(superblock) = next;
    open(Stream::kHost) = superblock;
    return;
  }
}

bool Ftl::may_mount_step() const {
  if (!mount_.discard.empty()) return true;
  if (!mount_.confirm.empty())
    return !die_busy(mount_.confirm.back().superblock * kUnits + unit_to_confirm(mount_.confirm.back().superblock));
  if (!mount_.copies.empty()) return may_program(Stream::kMount);
  if (mount_.sealed && mount_.doubtful.empty()) return false;
  if (broken(Rule::kMountErasesLast)) return true;
  return programs_.empty();
}

/// Superblocks of a mount that was cut are erased; data in doubt are copied; that superblock is closed; then those in
/// doubt are erased. Where a mount before has come so far, its closing record may be one that reads well at times: it
/// is programmed once more before anything is erased for its sake.
void Ftl::mount_step() {
  if (!mount_.discard.empty()) {
    flash_.erase(mount_.discard.back());
    state(mount_.discard.back()) = State::kErasing;
    mount_.discard.pop_back();
  } else if (!mount_.confirm.empty()) {
    const Confirmation c = mount_.confirm.back();
    mount_.confirm.pop_back();
    close(c.superblock, unit_to_confirm(c.superblock), c.replaces);
  } else if (!mount_.copies.empty()) {
    std::vector<Copy> content;
    while (content.size() != kMapUnits && !mount_.copies.empty()) {
      content.push_back(mount_.copies.front());
      mount_.copies.pop_front();
    }
    program(Stream::kMount, content);
  } else if (!mount_.sealed && !broken(Rule::kMountErasesLast)) {
    close(open(Stream::kMount), kUnits - 1, mount_.replaces);
    open(Stream::kMount) = -1;
    mount_.sealed = true;
  } else if (!mount_.doubtful.empty()) {
    flash_.erase(mount_.doubtful.back());
    state(mount_.doubtful.back()) = State::kErasing;
    mount_.doubtful.pop_back();
  }
}

/// Nothing is left that another mount could read otherwise: units that read well at times are erased, not only on their
/// way to it.
void Ftl::end_mount() {
  if (mount_.done || !mount_.discard.empty() || !mount_.confirm.empty() || !mount_.copies.empty() ||
      !mount_.doubtful.empty())
    return;
  if (broken(Rule::kMountErasesLast) && open(Stream::kMount) >= 0) {
    state(open(Stream::kMount)) = State::kFull;
    open(Stream::kMount) = -1;
    mount_.sealed = true;
  }
  const bool erasing = count(State::kErasing) != 0 && !broken(Rule::kAnswersAfterErases);
  mount_.done = mount_.sealed && !erasing && (programs_.empty() || broken(Rule::kMountErasesLast));
}

}  // namespace wordline::persist_model
