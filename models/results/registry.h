// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/results/statistic.h"

namespace wordline::results {

/// A member of result.json's outermost object and a heading of the glossary.
struct Section {
  const char* key;            // "flash"
  const char* summary_title;  // "Flash", in front of the section's lines in the summary; may be empty
  const char* text;           // text for the glossary
};

/// Every section, in the order of result.json.
[[nodiscard]] const std::vector<Section>& sections();

/// All statistics of a drive. The owner of a number registers it, in a function register_statistics(Registry&);
/// result.json, the summary and the page of statistics are made from what was registered.
///
/// Nothing is counted here: a registration holds a function that reads the owner's own counter, called after the run.
/// So registering costs nothing during simulation, and the owners outlive the registry.
class Registry {
 public:
  Registry() = default;
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  /// A number with one owner. `text` is a sentence for a stranger: what is counted, from when to when, and what is not.
  /// Throws std::logic_error when the path is taken, unit or text are missing, or sections() lacks the section.
  Statistic& add(Name name, std::string unit, std::string text, Statistic::Read read);
  /// A count or an energy with an owner in each channel, die or core: every registration of the path adds to the sum.
  Statistic& add_to_sum(Name name, std::string unit, std::string text, Statistic::Read read);

  /// In the order of result.json: by section; in it, as registered, but for those with after().
  [[nodiscard]] std::vector<const Statistic*> in_order() const;
  [[nodiscard]] std::vector<const Statistic*> in_section(const std::string& key) const;

  [[nodiscard]] bool contains(const std::string& path) const { return by_path_.count(path) != 0; }
  /// Value of the statistic at `path`. Throws std::logic_error when there is none, or one of another type.
  template <class T>
  [[nodiscard]] T get(const std::string& path) const {
    const Value value = read(path);
    const T* const wanted = std::get_if<T>(&value);
    if (wanted == nullptr) throw std::logic_error("statistic " + path + " has another type");
    return *wanted;
  }
  [[nodiscard]] Value read(const std::string& path) const;

 private:
  Statistic& insert(Statistic statistic);

  std::deque<Statistic> statistics_;  // statistics in the order of registration; references to them stay valid
  std::map<std::string, Statistic*> by_path_;
  std::map<std::string, const Statistic*> by_pattern_;  // the first of each
};

}  // namespace wordline::results
