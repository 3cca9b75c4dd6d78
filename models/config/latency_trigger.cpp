// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/latency_trigger.h"

#include <array>
#include <sstream>
#include <vector>

#include "models/config/value.h"

namespace wordline::config {

std::optional<LatencyTrigger> parse_latency_trigger(std::string_view text) {
  std::string spaced;
  for (const char c : text) spaced += c == '>' ? std::string(" > ") : std::string(1, c);
  std::istringstream in(spaced);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  LatencyTrigger trigger;
  for (const std::string_view op : std::array{"read", "write", "flush", "trim"}) {
    if (words.empty() || words.front() != op) continue;
    trigger.op = op;
    words.erase(words.begin());
    break;
  }
  if (words.size() != 3 || words[0] != "latency" || words[1] != ">") return std::nullopt;
  const std::optional<Scalar> time = parse_quantity(Kind::kTime, words[2]);
  if (!time || std::get<std::int64_t>(*time) < 0) return std::nullopt;
  trigger.above = Picoseconds(std::get<std::int64_t>(*time));
  return trigger;
}

}  // namespace wordline::config
