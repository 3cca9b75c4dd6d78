// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host's side, and programs; collect.cpp has GC, mount.cpp the mount.
#include "ftl.h"

#include <algorithm>

namespace wordline::persist_model {
namespace {

bool names_page(const MapUnit& m) { return m.kind == Kind::kUser || m.kind == Kind::kTombstone; }

}  // namespace

int Ftl::count(State wanted) const { return static_cast<int>(std::count(states_.begin(), states_.end(), wanted)); }

// ---- the host

void Ftl::command(const MapUnit& content, bool force_unit_access) {
  commands_.push_back({content, force_unit_access});
  if (broken(Rule::kSequenceWithMap)) commands_.back().content.sequence = ++sequence_;
}

std::uint64_t Ftl::flush() {
  flushes_.push_back(sequence_);
  return sequence_;
}

bool Ftl::kept(const MapUnit& m) const {
  if (barrier_ != 0 && m.sequence <= barrier_ && !broken(Rule::kBarrierKeepsOverwritten)) return true;
  return !broken(Rule::kFlushKeepsOverwritten) &&
         std::any_of(flushes_.begin(), flushes_.end(), [&](std::uint64_t w) { return m.sequence <= w; });
}

void Ftl::arrive(std::size_t n) {
  Command c = commands_[n];
  commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(n));
  if (!broken(Rule::kSequenceWithMap)) c.content.sequence = ++sequence_;
  const auto replaced = [&](const MapUnit& m) { return m.lpn == c.content.lpn && !kept(m); };
  buffer_.erase(std::remove_if(buffer_.begin(), buffer_.end(), replaced), buffer_.end());
  buffer_.push_back(c.content);
  map(c.content.lpn) = {c.content.sequence, -1};
  if (c.force_unit_access) flushes_.push_back(c.content.sequence);
  arrivals_.push_back({c.content, c.force_unit_access});
}

bool Ftl::durable(std::uint64_t sequence) const {
  const auto waits = [&](const MapUnit& m) { return names_page(m) && m.sequence <= sequence; };
  const auto unit_waits = [&](const Program& p) {
    return p.stream == Stream::kHost && std::any_of(p.content.content.begin(), p.content.content.end(), waits);
  };
  return std::none_of(buffer_.begin(), buffer_.end(), waits) &&
         std::none_of(programs_.begin(), programs_.end(), unit_waits) &&
         (broken(Rule::kPairsComplete) || std::none_of(half_.begin(), half_.end(), unit_waits));
}

std::optional<std::array<int, 2>> Ftl::read(int lpn) const {
  const Place& at = map(lpn);
  if (at.sequence == 0) return std::array<int, 2>{};
  const auto is = [&](const MapUnit& m) { return m.lpn == lpn && m.sequence == at.sequence; };
  const auto content = [](const MapUnit& m) { return m.kind == Kind::kTombstone ? std::array<int, 2>{} : m.halves; };
  if (at.unit < 0) {
    for (const MapUnit& m : buffer_)
      if (is(m)) return content(m);
    for (const Program& p : programs_)
      for (const MapUnit& m : p.content.content)
        if (is(m)) return content(m);
    return std::nullopt;
  }
  if (const Unit* unit = flash_.sound(at.unit))
    for (const MapUnit& m : unit->content)
      if (is(m)) return content(m);
  return std::nullopt;
}

// ---- programs

bool Ftl::has_room(int superblock) const { return superblock >= 0 && cursor(superblock) < kUnits - 1; }

/// What shares its cells with the closing record stays blank: a record that can be read says that all the others can.
int Ftl::next_unit(int unit) const {
  const bool apart = flash_.damage().paired && !broken(Rule::kClosingApart);
  return ++unit == partner_of(kUnits - 1) && apart ? unit + 1 : unit;
}

bool Ftl::die_busy(int unit) const {
  return std::any_of(programs_.begin(), programs_.end(),
                     [&](const Program& p) { return p.unit % kDies == unit % kDies; });
}

/// Commands come in when what they bring has room on flash without GC: what a victim's erase waits for may be in the
/// buffer, and must not wait for that erase.
bool Ftl::accepts() const {
  if (!mounted() || commands_.size() + buffer_.size() >= 6) return false;
  const int open_superblock = open(Stream::kHost);
  const bool has_space = has_room(open_superblock) && kUnits - cursor(open_superblock) >= 8;
  return count(State::kFree) > (has_space ? 3 : 4);
}

/// The superblock that the stream's next unit goes to, a free one if need be; -1: there is none. The host leaves some
/// to GC, and GC one to a mount that has to copy.
int Ftl::superblock_for(Stream stream) const {
  if (has_room(open(stream))) return open(stream);
  const int leave = stream == Stream::kHost ? 2 : stream == Stream::kGc && flash_.damage().unstable ? 1 : 0;
  if (count(State::kFree) <= leave) return -1;
  return static_cast<int>(std::find(states_.begin(), states_.end(), State::kFree) - states_.begin());
}

bool Ftl::may_program(Stream stream) const {
  const int superblock = superblock_for(stream);
  return superblock >= 0 &&
         !die_busy(superblock * kUnits + (state(superblock) == State::kFree ? 0 : cursor(superblock)));
}

void Ftl::program(Stream stream, const std::vector<Copy>& content) {
  const int superblock = superblock_for(stream);
  if (state(superblock) == State::kFree) {
    open(stream) = superblock;
    state(superblock) = State::kOpen;
    cursor(superblock) = 0;
    opened(superblock) = ++openings_;
  }
  Program p;
  p.stream = stream;
  p.unit = superblock * kUnits + cursor(superblock);
  cursor(superblock) = next_unit(cursor(superblock));
  p.content.stream = stream;
  p.content.opened = opened(superblock);
  for (std::size_t i = 0; i != content.size(); ++i) {
    p.content.content[i] = content[i].content;
    p.from[i] = content[i].from;
  }
  flash_.program(p.unit, p.content);
  programs_.push_back(p);
  if (has_room(superblock)) return;
  state(superblock) = State::kFull;
  for (int& o : open_)
    if (o == superblock) o = -1;
}

bool Ftl::programs_in(int superblock) const {
  return std::any_of(programs_.begin(), programs_.end(),
                     [&](const Program& p) { return superblock_of(p.unit) == superblock; });
}

bool Ftl::half_pairs(Stream stream) const {
  return !broken(Rule::kPairsComplete) &&
         std::any_of(half_.begin(), half_.end(), [&](const Program& p) { return p.stream == stream; });
}

void Ftl::ended(const Program& p) {
  flash_.end_program(p.unit);
  if (flash_.damage().paired) {
    const bool has_data = std::any_of(p.content.content.begin(), p.content.content.end(), names_page);
    if (row_of(p.unit) % 2 == 0 && has_data)
      half_.push_back(p);
    else
      half_.erase(
          std::remove_if(half_.begin(), half_.end(), [&](const Program& h) { return h.unit == partner_of(p.unit); }),
          half_.end());
  }
  if (p.content.content[0].kind == Kind::kClosing) {
    state(superblock_of(p.unit)) = State::kClosed;
    return;
  }
  for (std::size_t i = 0; i != kMapUnits; ++i) {
    const MapUnit& m = p.content.content[i];
    if (!names_page(m)) continue;
    Place& at = map(m.lpn);
    if (p.stream == Stream::kHost && at.unit < 0 && at.sequence == m.sequence) at.unit = p.unit;
    if (p.stream != Stream::kHost && at.unit >= 0 && at.unit == p.from[i]) at = {m.sequence, p.unit};
  }
}

bool Ftl::may_program_host() const {
  const bool pads = buffer_.empty() && somebody_waits() && half_pairs(Stream::kHost);
  const bool sends = buffer_.size() >= kMapUnits || (!buffer_.empty() && somebody_waits());
  return (pads || sends) && may_program(Stream::kHost);
}

void Ftl::program_host() {
  std::vector<Copy> content;
  while (content.size() != kMapUnits && !buffer_.empty()) {
    content.push_back({buffer_.front(), -1});
    buffer_.pop_front();
  }
  program(Stream::kHost, content);
}

// ---- one step

std::vector<Action> Ftl::steps() const {
  std::vector<Action> out;
  const auto each = [&](char what, std::size_t n) {
    for (std::size_t i = 0; i != n; ++i) out.push_back({what, static_cast<std::uint32_t>(i)});
  };
  each('d', programs_.size());
  each('e', static_cast<std::size_t>(count(State::kErasing)));
  if (!mounted()) {
    each('m', may_mount_step() ? 1 : 0);
    return out;
  }
  each('a', commands_.size());
  each('p', may_program_host() ? 1 : 0);
  each('v', may_choose_victim() ? 1 : 0);
  each('g', moves_.empty() || !gathered_.empty() ? 0 : 1);
  each('h', may_program_copies() ? 1 : 0);
  each('c', to_close() >= 0 ? 1 : 0);
  each('z', may_erase_victim() ? 1 : 0);
  return out;
}

bool Ftl::step(Action action) {
  const std::vector<Action> may = steps();
  const auto same = [&](const Action& a) { return a.what == action.what; };
  const auto n = static_cast<std::size_t>(std::count_if(may.begin(), may.end(), same));
  if (n == 0) return false;
  const std::size_t which = action.which % n;
  switch (action.what) {
    case 'd': {
      const Program p = programs_[which];
      programs_.erase(programs_.begin() + static_cast<std::ptrdiff_t>(which));
      ended(p);
      break;
    }
    case 'e': {
      int superblock = -1;
      for (std::size_t left = which + 1; left != 0; left -= state(superblock) == State::kErasing ? 1 : 0) ++superblock;
      flash_.end_erase(superblock);
      state(superblock) = State::kFree;
      break;
    }
    case 'm':
      mount_step();
      break;
    case 'a':
      arrive(which);
      break;
    case 'p':
      program_host();
      break;
    case 'v':
      choose_victim();
      break;
    case 'g':
      gather();
      break;
    case 'h':
      program_copies();
      break;
    case 'c':
      close(to_close(), kUnits - 1, {});
      break;
    default:
      flash_.erase(victim_);
      state(victim_) = State::kErasing;
      victim_ = -1;
      barrier_ = 0;
  }
  settle();
  return true;
}

void Ftl::settle() {
  end_mount();
  if (victim_ >= 0 && moves_.empty() && gathered_.empty() && barrier_ == 0) barrier_ = sequence_;
  flushes_.erase(std::remove_if(flushes_.begin(), flushes_.end(), [&](std::uint64_t w) { return durable(w); }),
                 flushes_.end());
}

}  // namespace wordline::persist_model
