// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The table of keys, walked: every key moves a field of its own, and no other.
#include "models/config/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/checks/commands.h"
#include "testbenches/models/checks/scratch.h"

namespace wordline::testing::schema_test {
namespace {

using config::Config;
using config::Key;
using config::Kind;
using config::Scalar;
using config::Value;

Config defaults() {
  Config c{};
  for (const Key& key : config::schema()) key.set(c, config::default_value(key));
  return c;
}

/// Another value than `value` that the key accepts; the same where there is no other.
Scalar another(const Key& key, const Scalar& value) {
  struct Change {
    const Key& key;
    Scalar operator()(std::int64_t v) const {
      for (const std::int64_t candidate : {v + 1, v - 1, v * 2, v / 2}) {
        const Scalar scalar(candidate);
        if (key.kind == Kind::kEnum) {
          if (candidate >= 0 && candidate < static_cast<std::int64_t>(key.choices.size())) return scalar;
        } else if (config::convert(key, config::bare_value(text(scalar))).problem.empty()) {
          return scalar;
        }
      }
      return v;
    }
    Scalar operator()(double v) const { return v * 1.5 + 1; }
    Scalar operator()(bool v) const { return !v; }
    Scalar operator()(const std::string& v) const {
      return key.kind == Kind::kRegionAge ? std::string("10-50%: 90d") : v + "x";
    }
    [[nodiscard]] std::string text(const Scalar& scalar) const {
      return config::has_unit(key.kind) ? config::format_quantity(key.kind, scalar)
                                        : std::to_string(std::get<std::int64_t>(scalar));
    }
  };
  return std::visit(Change{key}, value);
}

/// All keys as text.
std::vector<std::string> image(const Config& c) {
  std::vector<std::string> lines;
  for (const Key& key : config::schema()) lines.push_back(config::format_value(key, key.get(c)));
  return lines;
}

/// Another value than the default, where there is one.
Value another(const Key& key) {
  Value value = config::default_value(key);
  if (!key.is_list()) return another(key, std::get<Scalar>(value));
  auto& list = std::get<std::vector<Scalar>>(value);
  if (list.empty())
    list.push_back(key.kind == Kind::kRegionAge ? Scalar("0-50%: 9d")
                   : key.kind == Kind::kReal    ? Scalar(0.25)
                                                : Scalar(std::int64_t{3}));
  Key element = key;
  element.list_max = 0;
  list[0] = another(element, list[0]);
  return value;
}

TEST(Schema, EveryKeyMovesAFieldOfItsOwn) {
  const std::vector<std::string> before = image(defaults());
  std::size_t fixed = 0;
  for (std::size_t i = 0; i < config::schema().size(); ++i) {
    const Key& key = config::schema()[i];
    Config c = defaults();
    EXPECT_TRUE(config::is_default(key.name, c)) << key.name;
    const Value value = another(key);
    key.set(c, value);
    if (key.kind == Kind::kEnum && key.choices.size() == 1) {
      ++fixed;  // one choice so far: nothing to move
      continue;
    }
    std::vector<std::string> expected = before;
    expected[i] = config::format_value(key, value);
    ASSERT_NE(expected[i], before[i]) << key.name;
    EXPECT_EQ(image(c), expected) << key.name << " does not come back, or moves what is another key's";
    EXPECT_FALSE(config::is_default(key.name, c)) << key.name;
  }
  EXPECT_EQ(fixed, 1U);  // data.mode
}

TEST(Schema, EveryKeyIsPrintedAsItWasSet) {
  enter_scratch();
  write_file("empty.toml", "");
  std::size_t printed = 0;
  for (const Key& key : config::schema()) {
    const std::string value = config::format_value(key, another(key));
    const std::string set = std::string(key.name) + "=" + value;
    if (!problems("empty.toml", {set}).empty()) continue;  // it needs another key, or another drive
    const std::string name(key.name.substr(config::table_of(key.name).size() + 1));
    EXPECT_NE(config::print_config("empty.toml", {set}).find("\n" + name + " = " + value + " "), std::string::npos)
        << set;
    ++printed;
  }
  EXPECT_GT(printed, config::schema().size() / 2);
}

TEST(Schema, EveryNeedNamesAKeyAndItsValues) {
  std::size_t needs = 0;
  for (const Key& key : config::schema()) {
    if (key.needs.empty()) continue;
    ++needs;
    const std::string_view condition = key.needs.substr(0, key.needs.find(": "));
    const int index = config::find_key(condition.substr(0, condition.find(" = ")));
    ASSERT_GE(index, 0) << key.name << " needs " << key.needs;
    const Key& other = config::schema()[static_cast<std::size_t>(index)];
    std::string_view words = condition.substr(condition.find(" = ") + 3);
    for (auto end = words.find(" or "); !words.empty(); end = words.find(" or ")) {
      EXPECT_EQ(config::convert(other, config::bare_value(words.substr(0, end))).problem, "") << key.name;
      words = end == std::string_view::npos ? std::string_view() : words.substr(end + 4);
    }
  }
  EXPECT_GT(needs, 20U);
}

TEST(Schema, EveryKeyIsSettableAndExplained) {
  enter_scratch();
  write_file("empty.toml", "");
  for (const Key& key : config::schema()) {
    // The default in TOML, given by --set, is accepted and changes nothing but the origin.
    const std::string set = std::string(key.name) + "=" + config::format_value(key, config::default_value(key));
    config::Loaded loaded;
    const std::string only_pinned[] = {"nand.timing.t_r", "nand.timing.t_prog", "nand.timing.t_bers"};
    if (std::find(std::begin(only_pinned), std::end(only_pinned), key.name) != std::end(only_pinned)) {
      EXPECT_EQ(problems("empty.toml", {set}), "--set " + set + ": error: " + std::string(key.name) +
                                                   " has no effect, expected nand.timing.mode = pinned beside it");
      continue;
    }
    ASSERT_EQ(problems("empty.toml", {set}), "");
    loaded = config::load("empty.toml", {set});
    EXPECT_EQ(image(loaded.config), image(defaults())) << set;
    EXPECT_EQ(loaded.settings[static_cast<std::size_t>(config::find_key(key.name))].origin, "--set");

    const std::string text = config::explain(std::string(key.name));
    EXPECT_EQ(text.find(std::string(key.name) + "\n"), 0U);
    EXPECT_NE(text.find("\n  value    "), std::string::npos);
    EXPECT_NE(text.find("\n  default  "), std::string::npos);
    EXPECT_GT(key.text.size(), 8U) << key.name;
    EXPECT_EQ(key.text.back(), '.') << key.name;
  }
}

TEST(Schema, LimitsAreInsideAndWhatIsBeyondIsRefused) {
  for (const Key& key : config::schema()) {
    if (key.is_list()) continue;
    for (const auto limit : {key.min_text, key.max_text}) {
      if (limit.empty()) continue;
      EXPECT_EQ(config::convert(key, config::bare_value(limit)).problem, "") << key.name;
    }
    if (key.kind == Kind::kInteger) {
      const auto low = std::stoll(std::string(key.min_text));
      EXPECT_NE(config::convert(key, {static_cast<std::int64_t>(low - 1)}).problem, "") << key.name;
      const auto high = std::stoll(std::string(key.max_text));
      if (high == INT64_MAX) continue;
      EXPECT_NE(config::convert(key, {static_cast<std::int64_t>(high + 1)}).problem, "") << key.name;
    }
  }
}

}  // namespace
}  // namespace wordline::testing::schema_test
