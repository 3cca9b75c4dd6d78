// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "models/config/toml_depth.h"
#include "models/units/index.h"
#include "models/workload/profile/profile.h"
#include "models/workload/text.h"

namespace wordline::workload {
namespace {

using config::Kind;

constexpr double kSecond = 1e12;  // ps

const ParameterKey* find_key(std::string_view name) {
  for (const ParameterKey& key : parameter_keys()) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

std::string said(Kind kind, double value) {
  switch (kind) {
    case Kind::kBytes:
      return config::quoted(config::format_quantity(kind, static_cast<std::int64_t>(std::llround(value))));
    case Kind::kTime:
      return config::quoted(config::format_quantity(kind, static_cast<std::int64_t>(std::llround(value * kSecond))));
    case Kind::kInteger:
      return fmt::format("{:.0f}", value);
    default:
      return config::format_real(value);
  }
}

std::string expectation(const ParameterKey& key) {
  return fmt::format("{}, from {} to {}", config::expected(key.kind), said(key.kind, key.min), said(key.kind, key.max));
}

/// The rows of a table in the order of the file; the parser keeps them by name.
std::vector<std::pair<std::string, const toml::node*>> in_order(const toml::table& table) {
  std::vector<std::pair<std::string, const toml::node*>> rows;
  for (const auto& [name, node] : table) rows.emplace_back(name.str(), &node);
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    const auto& first = a.second->source().begin;
    const auto& second = b.second->source().begin;
    return first.line != second.line ? first.line < second.line : first.column < second.column;
  });
  return rows;
}

/// A number of the key's kind, in base units; nothing: another type or another unit.
std::optional<double> number_of(const toml::node& node, Kind kind) {
  if (kind == Kind::kBytes || kind == Kind::kTime) {
    if (const auto* zero = node.as_integer(); zero != nullptr && zero->get() == 0) return 0.0;
    const auto* text = node.as_string();
    if (text == nullptr) return std::nullopt;
    const auto quantity = config::parse_quantity(kind, text->get());
    if (!quantity) return std::nullopt;
    const auto base = static_cast<double>(std::get<std::int64_t>(*quantity));
    return kind == Kind::kTime ? base / kSecond : base;
  }
  if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
  if (const auto* real = node.as_floating_point(); real != nullptr && kind == Kind::kReal) return real->get();
  return std::nullopt;
}

class Parser {
 public:
  explicit Parser(const std::string& path) : errors_(path) {}

  Profile parse(std::string_view content) {
    if (const std::size_t line = config::line_too_deep(content); line != 0) {
      errors_.add(line, config::kTooDeep);
      errors_.check();
    }
    toml::table table;
    try {
      table = toml::parse(content);
    } catch (const toml::parse_error& error) {
      errors_.add(error.source().begin.line, std::string(error.description()));
      errors_.check();
    }
    const std::vector<std::string_view> known = {"profile", "targets", "generator", "fit"};
    for (const auto& [name, node] : table) {
      const toml::table* inner = node.as_table();
      if (std::find(known.begin(), known.end(), name.str()) == known.end() || inner == nullptr) {
        unknown(name, node, known);
      } else if (name == "profile") {
        head(*inner);
      } else if (name == "targets") {
        targets(*inner);
      } else if (name == "fit") {
        fits(*inner);
      } else {
        generator(*inner, "");
      }
    }
    check();
    errors_.check();
    return std::move(profile_);
  }

 private:
  void unknown(std::string_view name, const toml::node& node, const std::vector<std::string_view>& known) {
    const std::string near = config::nearest(name, known);
    errors_.add(node.source().begin.line,
                fmt::format("unknown key {}{}", name, near.empty() ? "" : fmt::format("; did you mean {}?", near)));
  }

  void bad(const std::string& key, const toml::node& node, const std::string& expected) {
    errors_.add(node.source().begin.line, fmt::format("{}: expected {}", key, expected));
  }

  void head(const toml::table& table) {
    for (const auto& [name, node] : table) {
      std::string* field = name == "name" ? &profile_.name : name == "papers" ? &profile_.papers : nullptr;
      if (field == nullptr) {
        unknown(fmt::format("profile.{}", name.str()), node, {"profile.name", "profile.papers"});
      } else if (const auto* text = node.as_string()) {
        *field = text->get();
      } else {
        bad(fmt::format("profile.{}", name.str()), node, "a text");
      }
    }
  }

  /// name = { value = 0.88, confidence = "read", note = "..." }
  void targets(const toml::table& table) {
    for (const auto& [name, node] : in_order(table)) {
      const std::string key = "targets." + name;
      const toml::table* row = node->as_table();
      const toml::node* value = row == nullptr ? nullptr : row->get("value");
      const toml::node* confidence = row == nullptr ? nullptr : row->get("confidence");
      if (value == nullptr || !number_of(*value, Kind::kReal) || confidence == nullptr) {
        bad(key, *node, "{ value = number, confidence = \"read\", \"derived\" or \"assumed\", note = text }");
        continue;
      }
      Target target{name, *number_of(*value, Kind::kReal), Confidence::kAssumed, 0, {}};
      const auto* const level =
          std::find(kConfidenceNames.begin(), kConfidenceNames.end(), confidence->value_or(std::string()));
      if (level == kConfidenceNames.end()) bad(key + ".confidence", *confidence, "read, derived or assumed");
      target.confidence = static_cast<Confidence>(level - kConfidenceNames.begin());
      for (const auto& [field, inner] : *row) {
        if (field == "note") {
          target.note = inner.value_or(std::string());
        } else if (field == "tolerance") {
          target.tolerance = inner.value_or(0.0);
          if (!(target.tolerance > 0 && target.tolerance < 1)) bad(key + ".tolerance", inner, "a number, above 0 to 1");
        } else if (field != "value" && field != "confidence") {
          unknown(fmt::format("{}.{}", key, field.str()), inner, {"value", "confidence", "tolerance", "note"});
        }
      }
      profile_.targets.push_back(std::move(target));
    }
  }

  /// "writes.head" = "top1_share_write"
  void fits(const toml::table& table) {
    for (const auto& [name, node] : in_order(table)) {
      const auto* statistic = node->as_string();
      if (find_key(name) == nullptr) {
        unknown(name, *node, parameter_names());
      } else if (statistic == nullptr) {
        bad("fit." + name, *node, "the name of a statistic in [targets]");
      } else {
        fits_.push_back({{name, statistic->get()}, node->source().begin.line});
      }
    }
  }

  static std::vector<std::string_view> parameter_names() {
    std::vector<std::string_view> names;
    for (const ParameterKey& key : parameter_keys()) names.push_back(key.name);
    return names;
  }

  void generator(const toml::table& table, const std::string& prefix) {
    for (const auto& [name, node] : table) {
      const std::string key = prefix + std::string(name.str());
      if (key == "reads.modes" || key == "writes.modes") {
        modes(key, node);
      } else if (const ParameterKey* found = find_key(key)) {
        const auto value = number_of(node, found->kind);
        if (!value || !(*value >= found->min && *value <= found->max)) {
          bad("generator." + key, node, expectation(*found));
        } else {
          found->at(profile_.generator) = *value;
        }
      } else if (const toml::table* inner = node.as_table(); inner != nullptr && prefix.empty() && is_table(key)) {
        generator(*inner, key + ".");
      } else {
        std::vector<std::string_view> names = parameter_names();
        names.insert(names.end(), {"reads.modes", "writes.modes"});
        unknown(key, node, names);
      }
    }
  }

  static bool is_table(const std::string& name) {
    return name == "pages" || name == "reads" || name == "writes" || name == "arrival";
  }

  /// [["4KiB", 0.7], ["64KiB", 0.1]]
  void modes(const std::string& key, const toml::node& node) {
    std::vector<SizeMode>& modes = (key[0] == 'r' ? profile_.generator.reads : profile_.generator.writes).size.modes;
    const toml::array* list = node.as_array();
    bool good = list != nullptr;
    for (std::size_t i = 0; good && i < list->size(); ++i) {
      const toml::array* pair = list->get(i)->as_array();
      good = pair != nullptr && pair->size() == 2;
      if (!good) break;
      const auto bytes = number_of(*pair->get(0), Kind::kBytes);
      const auto share = number_of(*pair->get(1), Kind::kReal);
      good = bytes && share && *bytes >= kLbaBytes && *bytes <= kLargestRequest && std::fmod(*bytes, kLbaBytes) == 0 &&
             *share >= 0 && *share <= 1;
      if (good) modes.push_back({*bytes, *share});
    }
    if (!good)
      bad("generator." + key, node, "a list such as [[\"4KiB\", 0.7], [\"64KiB\", 0.1]]: length (512B to 1GiB), share");
  }

  /// What each key by itself cannot say.
  void check() {
    for (const auto& [fit, line] : fits_) {
      const auto is_it = [&name = fit.statistic](const Target& target) { return target.statistic == name; };
      if (std::none_of(profile_.targets.begin(), profile_.targets.end(), is_it)) {
        errors_.add(line, fmt::format("fit.{}: no target {}; add it to [targets]", fit.parameter, fit.statistic));
      }
      profile_.fits.push_back(fit);
    }
    if (!errors_.empty()) return;
    const GeneratorParameters& p = profile_.generator;
    if (profile_.name.empty()) errors_.add("profile.name: missing; give the workload's name");
    if (p.requests == 0) errors_.add("generator.requests: missing; give the number of requests of one edition");
    for (const double bytes : {p.misaligned_by, p.reads.size.granularity, p.writes.size.granularity}) {
      if (std::fmod(bytes, kLbaBytes) != 0) errors_.add(fmt::format("{} bytes: not a multiple of 512", bytes));
    }
    const auto region = [&](double share, const DirectionParameters& direction, double own, double both,
                            std::string_view name, std::string_view own_name) {
      if (share == 0) return;
      if (direction.place.own > 0 && own == 0) {
        errors_.add(fmt::format("generator.{}.own: there are no pages for these requests; set generator.pages.{}", name,
                                own_name));
      }
      if (direction.place.own < 1 && both == 0) {
        errors_.add(
            fmt::format("generator.{}.own: the rest of the requests has no pages; set generator.pages.both, or "
                        "own = 1",
                        name));
      }
      if (direction.place.hottest + direction.place.head > 1) {
        errors_.add(fmt::format("generator.{}: hottest and head are more than 1 together; make them smaller", name));
      }
    };
    region(1 - p.write_share, p.reads, p.pages.read_only, p.pages.both, "reads", "read_only");
    region(p.write_share, p.writes, p.pages.write_only, p.pages.both, "writes", "write_only");
    if (p.arrival.interarrival * p.arrival.burst < p.arrival.burst_gap * (p.arrival.burst - 1)) {
      errors_.add("generator.arrival.burst_gap: bursts alone take longer than interarrival allows; make it smaller");
    }
  }

  text::Errors errors_;
  Profile profile_;
  std::vector<std::pair<Fit, std::size_t>> fits_;  // fits with their lines
};

}  // namespace

Profile parse_profile(const std::string& path, std::string_view content) { return Parser(path).parse(content); }

}  // namespace wordline::workload
