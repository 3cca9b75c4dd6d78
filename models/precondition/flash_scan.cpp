// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/precondition/flash_scan.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "models/firmware/contract/flash_ring.h"

namespace wordline::precondition {
namespace {

struct Seen {
  std::uint32_t newest = 0;  // sequence
  bool blank = true;
};

constexpr std::size_t kFree = 3;  // one for the host beside what GC needs to be sure of going on

/// What was open is closed with its room, so superblocks may be short: those with the least data are packed into some
/// of them, as GC would do first. `all`: by number.
void win_free(DriveState& state, std::vector<Superblock>& all) {
  const std::uint32_t size = state.geometry.superblock_lpages();
  std::vector<Superblock*> closed;
  std::size_t free = 0;
  for (Superblock& s : all) {
    free += s.state == SuperblockState::kFree ? 1 : 0;
    if (s.state == SuperblockState::kClosed && !s.bad) closed.push_back(&s);
  }
  if (free >= kFree) return;
  const std::size_t missing = kFree - free;
  std::stable_sort(closed.begin(), closed.end(),
                   [](const Superblock* a, const Superblock* b) { return a->valid < b->valid; });
  std::uint64_t held = 0;
  std::size_t count = 0;
  do {
    if (count == closed.size()) return;  // too full: problem() says it
    held += closed[count++]->valid;
  } while (count <= missing || held > (count - missing) * size);
  std::vector<Content> moved;
  for (std::size_t i = 0; i != count; ++i) {
    const auto begin = state.ppas.begin() + static_cast<std::ptrdiff_t>(closed[i]->number) * size;
    std::copy_if(begin, begin + size, std::back_inserter(moved), [](const Content& c) { return c.valid(); });
    std::fill_n(begin, size, Content());
    ++closed[i]->erases;
    closed[i]->valid = 0;
    if (i >= count - missing) closed[i]->state = SuperblockState::kFree;
  }
  for (std::size_t i = 0; i != moved.size(); ++i) {
    Superblock& to = *closed[i / size];
    state.ppas[std::uint64_t{to.number} * size + i % size] = moved[i];
    ++to.valid;
  }
}

}  // namespace

const FlashScan::Newest* FlashScan::find(std::uint32_t lpn) const {
  const auto at = std::lower_bound(newest.begin(), newest.end(), lpn,
                                   [](const Newest& of, std::uint32_t number) { return of.lpn < number; });
  return at == newest.end() || at->lpn != lpn ? nullptr : &*at;
}

std::uint64_t FlashScan::ppa_of(std::uint32_t lpn) const {
  const Newest* of = find(lpn);
  return of == nullptr ? kNowhere : of->ppa;
}

std::uint32_t FlashScan::sequence_of(std::uint32_t lpn) const {
  const Newest* of = find(lpn);
  return of == nullptr ? 0 : of->sequence;
}

FlashScan scan_flash(const Geometry& geometry, const std::vector<Superblock>& superblocks, const FlashReader& flash,
                     ScanFor what) {
  const bool with_state = what == ScanFor::kState;
  const std::uint64_t size = geometry.superblock_lpages();
  FlashScan scan;
  scan.state.geometry = geometry;
  if (with_state) scan.state.ppas.resize(geometry.ppas());
  std::vector<Seen> seen(superblocks.size());
  for (std::uint64_t ppa = 0; ppa < geometry.ppas(); ++ppa) {
    if (ppa % size == 0 && !flash.used(static_cast<std::uint32_t>(ppa / size))) {
      ppa += size - 1;
      continue;
    }
    const Place found = flash.place(ppa);
    if (found.cells == Place::Cells::kBlank) continue;
    Seen& of = seen[ppa / size];
    of.blank = false;
    const wl_slot_info record{found.stored.lpn, found.stored.record};
    if (found.cells == Place::Cells::kTorn) ++scan.torn;
    const std::uint32_t kind = wl_spare_kind(&record);
    if (found.cells == Place::Cells::kTorn || (kind != WL_SPARE_USER && kind != WL_SPARE_METADATA) ||
        record.lpn >= geometry.user_lpages)
      continue;
    ++scan.records;
    const std::uint32_t sequence = wl_spare_sequence(&record);
    of.newest = std::max(of.newest, sequence);
    if (kind == WL_SPARE_USER && with_state) scan.state.ppas[ppa] = Content::of(record.lpn, false);
    if (sequence == WL_SEQUENCE_STALE) continue;
    scan.newest.push_back({record.lpn, sequence, kind == WL_SPARE_USER ? ppa : FlashScan::kNowhere});
  }
  // Of copies with one sequence the first that was met stays in front.
  std::stable_sort(scan.newest.begin(), scan.newest.end(), [](const FlashScan::Newest& a, const FlashScan::Newest& b) {
    return a.lpn != b.lpn ? a.lpn < b.lpn : a.sequence > b.sequence;
  });
  scan.newest.erase(
      std::unique(scan.newest.begin(), scan.newest.end(), [](const auto& a, const auto& b) { return a.lpn == b.lpn; }),
      scan.newest.end());
  std::vector<Superblock> all = superblocks;
  for (const FlashScan::Newest& of : scan.newest) {
    if (of.ppa == FlashScan::kNowhere) continue;
    if (with_state) scan.state.ppas[of.ppa] = Content::of(of.lpn, true);
    ++all[of.ppa / size].valid;
  }
  for (Superblock& s : all) {
    const bool used = !seen[s.number].blank;
    s.state = s.valid != 0 ? SuperblockState::kClosed : s.bad ? SuperblockState::kRetired : SuperblockState::kFree;
    if (s.valid != 0 || !used) continue;
    if (with_state)
      std::fill_n(scan.state.ppas.begin() + static_cast<std::ptrdiff_t>(s.number * size), size, Content());
    if (s.bad) {
      s.bad = false;
      continue;
    }
    ++scan.erased;
    ++s.erases;
  }
  if (!with_state) return scan;
  win_free(scan.state, all);
  std::stable_sort(all.begin(), all.end(), [&](const Superblock& a, const Superblock& b) {
    const bool free_a = a.state == SuperblockState::kFree, free_b = b.state == SuperblockState::kFree;
    if (free_a != free_b) return free_a;
    return free_a ? a.erases < b.erases : seen[a.number].newest < seen[b.number].newest;
  });
  scan.state.superblocks = std::move(all);
  return scan;
}

}  // namespace wordline::precondition
