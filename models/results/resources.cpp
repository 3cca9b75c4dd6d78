// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/resources.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace wordline::results {

double GroupShares::greatest() const { return shares.empty() ? 0.0 : *std::max_element(shares.begin(), shares.end()); }

double GroupShares::mean() const {
  if (shares.empty()) return 0;
  return std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
}

void Resources::add(const ResourceGroup& group, Busy busy) {
  auto known = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) { return g.what.key == group.key; });
  if (known == groups_.end()) known = groups_.insert(groups_.end(), {group, 0, {}, {}});
  known->busy.push_back(std::move(busy));
  ++known->members;
}

void Resources::add(const ResourceGroup& group, std::size_t members, ManyBusy busy) {
  groups_.push_back({group, members, {}, std::move(busy)});
}

Resources::Snapshot Resources::read(Picoseconds at) {
  const auto all = [](std::size_t sum, const Group& group) { return sum + group.members; };
  busy_.resize(std::accumulate(groups_.begin(), groups_.end(), std::size_t{0}, all));
  Picoseconds* next = busy_.data();
  for (const Group& group : groups_) {
    if (group.many) {
      group.many(next);
      next += group.members;
    } else {
      for (const Busy& busy : group.busy) *next++ = busy();
    }
  }
  Snapshot snapshot{at, busy_, {}};
  for (const auto& counter : counters_) snapshot.counts.push_back(counter());
  return snapshot;
}

std::size_t Resources::count(std::function<std::uint64_t()> counter) {
  counters_.push_back(std::move(counter));
  return counters_.size() - 1;
}

void Resources::begin(Picoseconds at) {
  borders_ = {read(at)};
  end_ = borders_.front();
  width_ = kShortest;
  border_ = at + width_;
  measuring_ = true;
}

void Resources::window_ends(Picoseconds at) {
  if (!measuring_) return;
  borders_.push_back(read(at));
  if (borders_.size() > kMostWindows) {  // every second one goes: the windows are twice as long
    std::vector<Snapshot> kept;
    for (std::size_t i = 0; i < borders_.size(); i += 2) kept.push_back(std::move(borders_[i]));
    borders_ = std::move(kept);
    width_ = width_ + width_;
  }
  border_ = borders_.back().at + width_;
}

void Resources::end(Picoseconds at) {
  if (!measuring_) return;
  end_ = read(at);
  // Known late: windows may have ended since.
  while (borders_.size() > 1 && borders_.back().at >= at) borders_.pop_back();
  measuring_ = false;
}

std::vector<GroupShares> Resources::between(const Snapshot& from, const Snapshot& to) const {
  const auto length = static_cast<double>((to.at - from.at).count());
  std::vector<GroupShares> all;
  std::size_t next = 0;
  for (const Group& group : groups_) {
    GroupShares shares{group.what.key, group.what.member, group.what.kind, {}};
    for (std::size_t i = 0; i < group.members; ++i, ++next) {
      // Nothing has been measured: no snapshots either.
      const Picoseconds busy = next < to.busy.size() ? to.busy[next] - from.busy[next] : Picoseconds(0);
      shares.shares.push_back(length > 0 ? std::clamp(static_cast<double>(busy.count()) / length, 0.0, 1.0) : 0.0);
    }
    all.push_back(std::move(shares));
  }
  return all;
}

std::vector<GroupShares> Resources::shares() const { return between(borders_.empty() ? end_ : borders_.front(), end_); }

GroupShares Resources::shares_of(const std::string& key) const {
  for (const GroupShares& group : shares()) {
    if (group.key == key) return group;
  }
  return {key, "", ResourceKind::kServer, {}};
}

std::vector<std::vector<GroupShares>> Resources::shares_by_part(std::size_t parts) const {
  std::vector<std::vector<GroupShares>> all;
  if (borders_.empty()) return all;
  const std::size_t windows = borders_.size() - 1;  // whole ones; what is left at the end joins the last part
  parts = std::clamp<std::size_t>(windows, 1, std::max<std::size_t>(parts, 1));
  for (std::size_t i = 0; i < parts; ++i) {
    const Snapshot& from = borders_[i * windows / parts];
    const Snapshot& to = i + 1 == parts ? end_ : borders_[(i + 1) * windows / parts];
    all.push_back(between(from, to));
  }
  return all;
}

std::vector<const Resources::Snapshot*> Resources::all_borders() const {
  std::vector<const Snapshot*> all;
  for (const Snapshot& border : borders_) all.push_back(&border);
  if (!borders_.empty() && end_.at > borders_.back().at) all.push_back(&end_);
  return all;
}

std::vector<Picoseconds> Resources::window_ends() const {
  std::vector<Picoseconds> ends;
  const auto all = all_borders();
  for (std::size_t i = 1; i < all.size(); ++i) ends.push_back(all[i]->at - all[0]->at);
  return ends;
}

std::vector<std::uint64_t> Resources::counted(std::size_t number) const {
  std::vector<std::uint64_t> counts;
  const auto all = all_borders();
  for (std::size_t i = 1; i < all.size(); ++i) {
    counts.push_back(all[i]->counts.at(number) - all[i - 1]->counts.at(number));
  }
  return counts;
}

std::vector<double> Resources::busy(const std::string& key) const {
  std::vector<double> shares;
  std::size_t first = 0;  // member of the group
  auto group = groups_.begin();
  for (; group != groups_.end() && group->what.key != key; ++group) first += group->members;
  if (group == groups_.end()) return shares;
  const auto all = all_borders();
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Picoseconds length = all[i]->at - all[i - 1]->at;
    double sum = 0;  // ps
    for (std::size_t member = first; member < first + group->members; ++member) {
      const Picoseconds busy = all[i]->busy[member] - all[i - 1]->busy[member];
      sum += static_cast<double>(std::clamp(busy, Picoseconds(0), length).count());
    }
    shares.push_back(sum / static_cast<double>(group->members) / static_cast<double>(length.count()));
  }
  return shares;
}

std::vector<std::string> Resources::keys() const {
  std::vector<std::string> keys;
  for (const Group& group : groups_) keys.push_back(group.what.key);
  return keys;
}

void Resources::register_statistics(Registry& registry) const {
  for (const Group& group : groups_) {
    if (group.what.text.empty()) continue;
    const std::string path = "utilisation." + group.what.key;
    if (group.what.list) {
      registry.add(path.c_str(), "shares", group.what.text,
                   [this, key = group.what.key] { return shares_of(key).shares; });
    } else {
      registry.add(path.c_str(), "share", group.what.text,
                   [this, key = group.what.key] { return shares_of(key).greatest(); });
    }
  }
}

}  // namespace wordline::results
