// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/checks/json_schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "models/checks/load.h"
#include "models/config/schema.h"

namespace wordline::config {
namespace {

using Json = nlohmann::ordered_json;

Json text() { return {{"type", "string"}}; }

/// A limit of a plain number, as a number of its kind.
Json limit(Kind kind, std::string_view written) {
  const Raw raw = bare_value(written);
  const auto* integer = std::get_if<std::int64_t>(&raw.value);
  if (integer != nullptr && kind == Kind::kInteger) return *integer;
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(raw.value);
}

/// One value, or one element of a list.
Json scalar(const Key& key) {
  Json value;
  switch (key.kind) {
    case Kind::kInteger:
    case Kind::kReal:
      value["type"] = key.kind == Kind::kInteger ? "integer" : "number";
      if (!key.min_text.empty()) value["minimum"] = limit(key.kind, key.min_text);
      if (!key.max_text.empty()) value["maximum"] = limit(key.kind, key.max_text);
      return value;
    case Kind::kBool:
      return {{"type", "boolean"}};
    case Kind::kEnum:
      // Some choices may be written in several ways, of which the list has one.
      if (key.spelling == nullptr) return {{"enum", key.choices}};
      return {{"type", "string"}, {"examples", key.choices}};
    case Kind::kString:
      return text();
    case Kind::kRegionAge:
      return {{"type", "string"}, {"examples", {"0-50%: 90d"}}};
    default:
      break;
  }
  const std::string units = fmt::format("{}", fmt::join(unit_names(key.kind), "|"));
  return {
      {"anyOf", {{{"type", "string"}, {"pattern", fmt::format("^[0-9]+(\\.[0-9]+)? *({})$", units)}}, {{"const", 0}}}}};
}

std::string described(const Key& key) {
  std::string words(key.text);
  words += fmt::format(" Expected: {}{}.", expectation(key), key.unit.empty() ? "" : fmt::format(" ({})", key.unit));
  if (!key.source.empty()) words += fmt::format(" Source: {}.", key.source);
  return words;
}

/// As JSON: quantities keep their text.
Json json_of(const Raw& raw) {
  struct Visitor {
    Json operator()(const std::vector<Raw>& list) const {
      Json values = Json::array();
      for (const Raw& element : list) values.push_back(json_of(element));
      return values;
    }
    Json operator()(const Raw::Other&) const { return nullptr; }
    Json operator()(std::int64_t v) const { return v; }
    Json operator()(double v) const { return v; }
    Json operator()(bool v) const { return v; }
    Json operator()(const std::string& v) const { return v; }
  };
  return std::visit(Visitor{}, raw.value);
}

Json property(const Key& key) {
  Json value = scalar(key);
  if (key.is_list()) {
    value = {{"type", "array"}, {"items", value}, {"minItems", key.list_min}, {"maxItems", key.list_max}};
  }
  value["description"] = described(key);
  value["default"] = json_of(bare_value(format_value(key, default_value(key))));
  return value;
}

Json empty_table() { return {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}}; }

/// The properties of a table, made with the tables around it when it is new.
Json& properties_of(Json& root, std::string_view table) {
  Json* properties = &root["properties"];
  while (!table.empty()) {
    const auto dot = std::min(table.find('.'), table.size());
    Json& inner = (*properties)[std::string(table.substr(0, dot))];
    if (inner.is_null()) inner = empty_table();
    properties = &inner["properties"];
    table = dot == table.size() ? std::string_view() : table.substr(dot + 1);
  }
  return *properties;
}

}  // namespace

std::string json_schema() {
  Json root = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
               {"title", "Configuration of a Wordline drive"}};
  root.update(empty_table());
  const Json files = {{"type", "array"}, {"items", text()}};
  root["properties"]["extends"] = {{"anyOf", {text(), files}},
                                   {"description",
                                    "Files whose values count where this one has none; of several, the "
                                    "last counts. Relative to this file."}};
  for (const Key& key : schema()) {
    const std::string_view table = table_of(key.name);
    properties_of(root, table)[std::string(key.name.substr(table.size() + 1))] = property(key);
  }
  // May be written as a list of one table.
  Json& region = properties_of(root, "nand")["region"];
  const Json table = region;
  region = {{"anyOf", {table, {{"type", "array"}, {"items", table}, {"maxItems", 1}}}}};
  return root.dump(2) + "\n";
}

}  // namespace wordline::config
