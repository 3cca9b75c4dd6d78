// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/run_until.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "models/config/schema.h"

namespace wordline::config {

std::optional<RunUntil> parse_run_until(std::string_view text) {
  if (text == "end") return RunUntil{};
  if (text == "snia") return RunUntil{RunUntil::Rule::kSnia, 0};
  if (text.size() < 2 || text.back() != '%') return std::nullopt;
  text.remove_suffix(1);
  if (text.back() == ' ') text.remove_suffix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(percent >= 0.1 && percent <= 50)) return std::nullopt;
  return RunUntil{RunUntil::Rule::kInterval, percent / 100};
}

namespace {

Run defaults() {
  Config config{};
  for (const std::string_view name : {"run.until", "run.until_percentile", "run.until_requests"}) {
    const Key& key = schema().at(static_cast<std::size_t>(find_key(name)));
    key.set(config, default_value(key));
  }
  return config.run;
}

}  // namespace

std::vector<Conflict> run_conflicts(const Config& config) {
  std::vector<Conflict> found;
  const std::optional<RunUntil> until = parse_run_until(config.run.until);
  if (!until) {
    found.push_back({{"run.until"},
                     fmt::format("run.until is {}, expected \"end\", \"snia\" or how narrow intervals are to be, from "
                                 "\"0.1%\" to \"50%\"",
                                 quoted(config.run.until))});
    return found;
  }
  const Run standard = defaults();
  const auto no_effect = [&](std::string_view key, std::string_view expected) {
    found.push_back(
        {{key, "run.until"},
         fmt::format("{} has no effect with run.until = {}, expected {}", key, config.run.until, expected)});
  };
  if (until->rule == RunUntil::Rule::kEnd && config.run.until_requests != standard.until_requests) {
    no_effect("run.until_requests", "run.until = \"1%\" or \"snia\"");
  }
  if (until->rule != RunUntil::Rule::kInterval && config.run.until_percentile != standard.until_percentile) {
    no_effect("run.until_percentile", "run.until = \"1%\"");
  }
  return found;
}

}  // namespace wordline::config
