// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/workload/fit/fit.h"
#include "models/workload/text.h"

namespace wordline::workload {
namespace {

constexpr double kSecond = 1e12;  // ps

/// As a profile has it; four significant digits, for the statistics of one edition do not tell more.
std::string said(const ParameterKey& key, double value) {
  switch (key.kind) {
    case config::Kind::kBytes:
      return config::quoted(fmt::format("{}B", std::llround(value)));
    case config::Kind::kTime:
      return config::quoted(
          config::format_quantity(config::Kind::kTime, static_cast<std::int64_t>(std::llround(value * kSecond))));
    case config::Kind::kInteger:
      return fmt::format("{:.0f}", value);
    default:
      return fmt::format("{:.4g}", value);
  }
}

struct Replacement {
  std::size_t line;  // line from 1
  std::size_t begin, end;
  std::string text;
};

}  // namespace

std::string with_parameters(const std::string& path, const std::string& content, const Profile& profile,
                            GeneratorParameters parameters) {
  text::Errors errors(path);
  const toml::table table = toml::parse(content);
  std::vector<Replacement> replacements;
  for (const ParameterKey& key : parameter_keys()) {
    const bool varied = std::any_of(profile.fits.begin(), profile.fits.end(),
                                    [&](const Fit& fit) { return fit.parameter == key.name; });
    if (!varied) continue;
    const toml::node* node = table.at_path(fmt::format("generator.{}", key.name)).node();
    if (node == nullptr) {
      errors.add(fmt::format("fit.{}: is not in [generator]; give it a first value there", key.name));
      continue;
    }
    const toml::source_region& at = node->source();
    replacements.push_back({at.begin.line, at.begin.column - 1U, at.end.column - 1U, said(key, key.at(parameters))});
  }
  errors.check();
  std::vector<std::string_view> lines;
  text::split(content, '\n', lines);
  std::string result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line(lines[i]);
    for (const Replacement& change : replacements) {
      if (change.line == i + 1) line.replace(change.begin, change.end - change.begin, change.text);
    }
    result += line;
    if (i + 1 < lines.size()) result += '\n';
  }
  return result;
}

}  // namespace wordline::workload
