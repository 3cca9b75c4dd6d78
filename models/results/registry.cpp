// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/registry.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace wordline::results {
namespace {

[[noreturn]] void refuse(const Statistic& statistic, const std::string& why) {
  throw std::logic_error(fmt::format("statistic {}: {}", statistic.path(), why));
}

bool has_section(std::string_view key) {
  return std::any_of(sections().begin(), sections().end(), [&](const Section& section) { return section.key == key; });
}

/// Statistics of one section: as registered, but for those that follow another one.
std::vector<const Statistic*> arranged(const std::vector<const Statistic*>& registered) {
  std::vector<const Statistic*> ordered, followers;
  for (const Statistic* statistic : registered) {
    (statistic->follows().empty() ? ordered : followers).push_back(statistic);
  }
  // A statistic may follow one that follows another: in rounds, until all have their place.
  while (!followers.empty()) {
    const std::size_t before = followers.size();
    const auto placed = std::remove_if(followers.begin(), followers.end(), [&](const Statistic* statistic) {
      const auto leader = std::find_if(ordered.begin(), ordered.end(),
                                       [&](const Statistic* other) { return other->path() == statistic->follows(); });
      if (leader == ordered.end()) return false;
      ordered.insert(leader + 1, statistic);
      return true;
    });
    followers.erase(placed, followers.end());
    if (followers.size() == before) {
      refuse(*followers.front(), fmt::format("follows {}, which its section lacks", followers.front()->follows()));
    }
  }
  return ordered;
}

}  // namespace

Statistic& Registry::insert(Statistic statistic) {
  if (statistic.unit().empty()) refuse(statistic, "has no unit");
  if (statistic.text().empty() || statistic.text().back() != '.') refuse(statistic, "its text is not a sentence");
  if (!has_section(statistic.section())) refuse(statistic, "its section is not in models/results/sections.cpp");
  const auto [alike, first_of_pattern] = by_pattern_.try_emplace(statistic.pattern(), nullptr);
  if (!first_of_pattern && (alike->second->unit() != statistic.unit() || alike->second->text() != statistic.text())) {
    refuse(statistic, "is explained in two ways");
  }
  statistics_.push_back(std::move(statistic));
  Statistic& added = statistics_.back();
  if (first_of_pattern) alike->second = &added;
  by_path_[added.path()] = &added;
  return added;
}

Statistic& Registry::add(Name name, std::string unit, std::string text, Statistic::Read read) {
  Statistic statistic(std::move(name), std::move(unit), std::move(text), std::move(read), false);
  if (contains(statistic.path())) refuse(statistic, "is registered twice");
  return insert(std::move(statistic));
}

Statistic& Registry::add_to_sum(Name name, std::string unit, std::string text, Statistic::Read read) {
  const auto known = by_path_.find(name.path);
  if (known == by_path_.end()) {
    return insert(Statistic(std::move(name), std::move(unit), std::move(text), std::move(read), true));
  }
  Statistic& sum = *known->second;
  if (!sum.is_sum()) refuse(sum, "is registered twice");
  if (sum.unit() != unit || sum.text() != text) refuse(sum, "is explained in two ways");
  sum.addends_.push_back(std::move(read));
  return sum;
}

std::vector<const Statistic*> Registry::in_section(const std::string& key) const {
  std::vector<const Statistic*> registered;
  for (const Statistic& statistic : statistics_) {
    if (statistic.section() == key) registered.push_back(&statistic);
  }
  return arranged(registered);
}

std::vector<const Statistic*> Registry::in_order() const {
  std::map<std::string_view, std::vector<const Statistic*>> registered;
  for (const Statistic& statistic : statistics_) registered[statistic.section()].push_back(&statistic);
  std::vector<const Statistic*> ordered;
  for (const Section& section : sections()) {
    const auto part = arranged(registered[section.key]);
    ordered.insert(ordered.end(), part.begin(), part.end());
  }
  return ordered;
}

Value Registry::read(const std::string& path) const {
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) throw std::logic_error("no statistic is called " + path);
  return found->second->read();
}

}  // namespace wordline::results
