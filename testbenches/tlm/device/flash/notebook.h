// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::testing {

/// Keeps everything that is recorded, by "scope.name" and time.
class Notebook : public tlm_if::RecorderIf {
 public:
  Signal add_enum(std::string_view scope, std::string_view name,
                  std::initializer_list<std::string_view> names) override {
    const Signal s = add(scope, name);
    for (const std::string_view n : names) names_[s].emplace_back(n);
    return s;
  }
  Signal add_bit(std::string_view scope, std::string_view name) override { return add(scope, name); }
  Signal add_vector(std::string_view scope, std::string_view name, unsigned) override { return add(scope, name); }
  Signal add_text(std::string_view scope, std::string_view name) override { return add(scope, name); }
  Signal add_real(std::string_view scope, std::string_view name) override { return add(scope, name); }
  void set(Signal s, Picoseconds at, std::uint64_t value) override {
    const auto names = names_.find(s);
    note(s, at, names != names_.end() ? names->second.at(value) : std::to_string(value));
  }
  void set_real(Signal s, Picoseconds at, double value) override { note(s, at, std::to_string(value)); }
  void set_text(Signal s, Picoseconds at, std::string_view text) override { note(s, at, std::string(text)); }
  void withdraw(Signal s, Picoseconds from) override {
    EXPECT_FALSE(from < tlm_if::kernel_time()) << signals_[s];
    auto& of = notes[signals_[s]];
    of.erase(of.lower_bound(from), of.end());
  }
  [[nodiscard]] bool active() const override { return on; }

  bool on = true;
  std::map<std::string, std::map<Picoseconds, std::string>> notes;

 private:
  Signal add(std::string_view scope, std::string_view name) {
    signals_.push_back(std::string(scope) + "." + std::string(name));
    return static_cast<Signal>(signals_.size() - 1);
  }
  void note(Signal s, Picoseconds at, std::string value) {
    EXPECT_FALSE(at < tlm_if::kernel_time()) << signals_[s];
    notes[signals_[s]][at] = std::move(value);
  }
  std::vector<std::string> signals_;
  std::map<Signal, std::vector<std::string>> names_;
};

}  // namespace wordline::testing
