// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/pool_waits.h"

#include <algorithm>

namespace wordline::observe {

void PoolWaits::set(unsigned waiter, unsigned pool, Picoseconds at) {
  Line& line = lines_.at(waiter);
  if (line.pool != WL_POOL_NONE && at > line.since) {
    line.totals[line.pool] += at - line.since;
    if (!line.past.empty() && line.past.back().to == line.since && line.past.back().pool == line.pool) {
      line.past.back().to = at;
    } else {
      line.past.push_back({line.since, at, line.pool});
    }
  }
  line.pool = pool;
  line.since = at;
}

Picoseconds PoolWaits::Line::overlap(Picoseconds from, Picoseconds to) const {
  Picoseconds sum{};
  if (pool != WL_POOL_NONE && to > since) sum += to - std::max(from, since);
  for (auto waited = past.rbegin(); waited != past.rend() && waited->to > from; ++waited) {
    const Picoseconds begin = std::max(from, waited->from);
    const Picoseconds end = std::min(to, waited->to);
    if (end > begin) sum += end - begin;
  }
  return sum;
}

void PoolWaits::add_stretch(const Stretch& wait, ByPool& times) const {
  if (wait.to <= wait.from) return;
  Picoseconds left = wait.to - wait.from;
  if (wait.pool == WL_POOL_WRITE_BUFFER) {
    ByPool of_programs{};
    add_by_pool(WL_WAITER_PROGRAM, wait.from, wait.to, of_programs);
    for (std::size_t pool = 0; pool < of_programs.size(); ++pool) {
      times[pool] += of_programs[pool];
      left -= of_programs[pool];
    }
  }
  times[wait.pool] += left;
}

void PoolWaits::add_by_pool(unsigned waiter, Picoseconds from, Picoseconds to, ByPool& times) const {
  const Line& line = lines_.at(waiter);
  if (line.pool != WL_POOL_NONE) add_stretch({std::max(from, line.since), to, line.pool}, times);
  for (auto waited = line.past.rbegin(); waited != line.past.rend() && waited->to > from; ++waited) {
    add_stretch({std::max(from, waited->from), std::min(to, waited->to), waited->pool}, times);
  }
}

Picoseconds PoolWaits::total(unsigned waiter, unsigned pool, Picoseconds at) const {
  const Line& line = lines_.at(waiter);
  const bool now = line.pool == pool && pool != WL_POOL_NONE && at > line.since;
  return line.totals.at(pool) + (now ? at - line.since : Picoseconds(0));
}

void PoolWaits::forget_before(Picoseconds at) {
  for (Line& line : lines_) {
    const auto gone = std::find_if(line.past.begin(), line.past.end(), [at](const Stretch& s) { return s.to >= at; });
    line.past.erase(line.past.begin(), gone);
  }
}

std::size_t PoolWaits::remembered() const {
  std::size_t sum = 0;
  for (const Line& line : lines_) sum += line.past.size();
  return sum;
}

}  // namespace wordline::observe
