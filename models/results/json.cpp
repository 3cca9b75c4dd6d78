// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/results/report.h"

namespace wordline::results {
namespace {

using Json = nlohmann::ordered_json;

/// Six decimals; the writer then prints the shortest text that reads back as this value.
double rounded(double value) { return std::round(value * 1e6) / 1e6; }

Json to_value(std::monostate) { return nullptr; }
Json to_value(std::uint64_t count) { return count; }
Json to_value(std::int64_t number) { return number; }
Json to_value(double ratio) { return rounded(ratio); }
Json to_value(const std::string& text) { return text; }
Json to_value(Picoseconds time) { return time.count(); }
/// Whole picojoules: a fraction of one is noise of the sum.
Json to_value(Picojoules energy) { return std::llround(energy.count()); }

template <class T>
Json to_value(const std::vector<T>& list) {
  Json array = Json::array();
  for (const T& element : list) array.push_back(to_value(element));
  return array;
}

/// Puts `value` at `path` below `node`. "rows[].time" spreads a list over the objects of the array `rows`.
void put(Json& node, const std::string& path, const Json& value) {
  const std::size_t dot = path.find('.');
  if (dot == std::string::npos) {
    node[path] = value;
    return;
  }
  const std::string rest = path.substr(dot + 1);
  std::string member = path.substr(0, dot);
  if (member.size() < 2 || member.compare(member.size() - 2, 2, "[]") != 0) {
    put(node[member], rest, value);
    return;
  }
  member.resize(member.size() - 2);
  Json& rows = node[member];
  if (rows.is_null()) rows = Json::array();
  for (std::size_t i = 0; i < value.size(); ++i) put(rows[i], rest, value[i]);
}

}  // namespace

std::string to_json(const Registry& registry) {
  Json json = Json::object();
  for (const Statistic* statistic : registry.in_order()) {
    const Value value = statistic->read();
    if (statistic->absent_if_zero() && (is_zero(value) || is_empty_list(value))) continue;
    put(json, statistic->path(), std::visit([](const auto& v) { return to_value(v); }, value));
  }
  // A file name that is not UTF-8 must not lose the result.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_json(const Cost& cost) {
  const double rate = cost.cpu_seconds > 0 ? static_cast<double>(cost.requests) / cost.cpu_seconds : 0.0;
  const Json json = {{"cpu_seconds", rounded(cost.cpu_seconds)},   {"wall_seconds", rounded(cost.wall_seconds)},
                     {"peak_rss_bytes", cost.peak_rss_bytes},      {"events", cost.events},
                     {"kernel_events", cost.kernel_events},        {"instructions", cost.instructions},
                     {"requests_per_cpu_second", std::round(rate)}};
  return json.dump(2) + "\n";
}

}  // namespace wordline::results
