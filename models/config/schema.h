// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/config/config.h"
#include "models/config/value.h"

/// The table of keys: the only place where a default, a range and an explanation are written.
namespace wordline::config {

/// Where the value of a key lies in Config.
struct Field {
  void (*set)(Config&, const Value&);
  Value (*get)(const Config&);
};

struct Key {
  std::string_view name;  // "nand.timing.t_sense"
  Kind kind;
  std::string_view unit;          // unit of plain numbers; quantities carry theirs
  std::string_view default_text;  // default text as a user writes it after --set
  std::string_view min_text, max_text;
  std::string_view text;    // what it is and what it changes
  std::string_view source;  // where the default is from
  Field field;
  std::vector<std::string_view> choices{};
  unsigned list_min = 0, list_max = 0;  // list_max > 0: a list of that many
  /// "ecc.model = rtl", "ftl.cube.programs = both or window": with other values of that key this one has no effect, and
  /// `check` refuses it beside its default. May end with a reason: "cpu.model = iss: native firmware has no
  /// instructions".
  std::string_view needs{};
  std::string_view policy{};  // whose key it is alone
  /// The choice as the list has it, of choices that can be written in several ways; or the text itself.
  std::string_view (*spelling)(std::string_view) = nullptr;
  /// What to say of a text that is none of the choices, where there is more to say than that; else empty.
  std::string (*why_not)(std::string_view) = nullptr;
  /// Says what is recorded, or how this host computes what comes out the same: no result hangs on it, and the hash of a
  /// configuration leaves it out.
  bool only_observes = false;

  [[nodiscard]] bool is_list() const { return list_max > 0; }
  void set(Config& config, const Value& value) const { field.set(config, value); }
  [[nodiscard]] Value get(const Config& config) const { return field.get(config); }
};

[[nodiscard]] const std::vector<Key>& schema();
/// Index in schema(), or -1.
[[nodiscard]] int find_key(std::string_view name);
/// What to say of a key of an earlier version: "is renamed: use ...", or why it is gone. Empty: the name is not one of
/// those.
[[nodiscard]] std::string_view what_became_of(std::string_view name);
/// Names of the FTL policies, by their number (ftl.policy).
[[nodiscard]] const std::vector<std::string_view>& policy_names();
/// Whether a key has its default.
[[nodiscard]] bool is_default(std::string_view key, const Config& config);
/// Key names and the tables above them ("nand", "nand.timing").
[[nodiscard]] const std::vector<std::string_view>& key_names();
[[nodiscard]] const std::vector<std::string_view>& table_names();
/// "nand.timing" of "nand.timing.t_sense".
[[nodiscard]] std::string_view table_of(std::string_view name);

/// A value as it was written, before it is held against a key.
struct Raw {
  struct Other {
    std::string_view type;  // "a table", "a date": never accepted
  };
  std::variant<std::int64_t, double, bool, std::string, std::vector<Raw>, Other> value;
};
/// Reads a value without TOML's quotes: 3, 0.5, true, 45us, [45us, 65us].
[[nodiscard]] Raw bare_value(std::string_view text);
/// As a user wrote it, for messages: 60, "60MHz".
[[nodiscard]] std::string written(const Raw& raw);

struct Converted {
  Value value;
  std::string problem;  // empty: the value is good; else "channels.count is 0, expected a whole number from 1 to 64"
};
/// Type, unit, choice and range.
[[nodiscard]] Converted convert(const Key& key, const Raw& raw);
/// The value of a key that is not set.
[[nodiscard]] Value default_value(const Key& key);
/// "a whole number from 1 to 64", "one of: slc, mlc, tlc, qlc".
[[nodiscard]] std::string expectation(const Key& key);
/// The value as TOML.
[[nodiscard]] std::string format_value(const Key& key, const Value& value);

/// Parts of the table, by area.
void add_controller_keys(std::vector<Key>& keys);
void add_ftl_keys(std::vector<Key>& keys);
void add_ecc_keys(std::vector<Key>& keys);
void add_policy_keys(std::vector<Key>& keys);
void add_placement_keys(std::vector<Key>& keys);
void add_power_keys(std::vector<Key>& keys);
void add_cpu_keys(std::vector<Key>& keys);
void add_channel_keys(std::vector<Key>& keys);
void add_nand_keys(std::vector<Key>& keys);
void add_run_keys(std::vector<Key>& keys);
void add_engine_keys(std::vector<Key>& keys);

}  // namespace wordline::config
