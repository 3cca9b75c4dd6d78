// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/glossary.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>

#include "models/units/text.h"

namespace wordline::results {
namespace {

constexpr const char* kIntroduction =
    R"(<!-- Made by `wordline statistics --markdown`; a test fails when this file is another. -->
# Statistics

What `result.json` holds, by key: `wordline run ... --out FOLDER` writes it. The same configuration, workload and seed
give the same file, byte for byte, but for `provenance`. `wordline statistics KEY` explains a key in the terminal.

A key with a dot is a member of an object: `flash.erases` is `erases` in `flash`. `rows[].time` is `time` in each
object of the array `rows`. A name in capitals stands for several: `ios.OP.count` for `ios.read.count` and the others.
Counts and times are whole numbers; ratios, rates and busy shares have six decimals; a list has an element for each
core, channel or die. A released key keeps its meaning. The last column names the test that holds the number against a
case worked out by hand. How to add a statistic: [extending.md](extending.md).
)";

/// A row of checked_by.def.
struct CheckedBy {
  std::string_view pattern, test;
};
constexpr CheckedBy kChecks[] = {
#define CHECKED_BY(pattern, test) {pattern, test},
#include "models/results/checked_by.def"
#undef CHECKED_BY
};

/// The test that holds the statistic against a case worked out by hand; empty: the list lacks it.
std::string checked_by(const std::string& pattern) {
  for (const CheckedBy& check : kChecks) {
    const bool all_of_them = check.pattern.back() == '.';
    if (all_of_them ? pattern.compare(0, check.pattern.size(), check.pattern) == 0 : pattern == check.pattern) {
      return fmt::format("`{}`", check.test);
    }
  }
  return "";
}

std::string explained(const Statistic& statistic) {
  std::string text = statistic.text();
  if (!statistic.null_reason().empty()) text += fmt::format(" null: {}.", statistic.null_reason());
  return text;
}

/// One statistic of each pattern.
std::vector<const Statistic*> rows_of(const Registry& registry, const std::string& section) {
  std::vector<const Statistic*> rows;
  std::set<std::string> seen;
  for (const Statistic* statistic : registry.in_section(section)) {
    if (seen.insert(statistic->pattern()).second) rows.push_back(statistic);
  }
  return rows;
}

/// The pattern of the statistic that is called `key`; `key` itself when there is none.
std::string pattern_of(const Registry& registry, const std::string& key) {
  for (const Statistic* statistic : registry.in_order()) {
    if (statistic->path() == key) return statistic->pattern();
  }
  return key;
}

/// `text` in lines of at most `width` columns behind `indent`.
std::string wrapped(const std::string& text, const std::string& indent, std::size_t width) {
  std::string out, line = indent;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, end - from);
    if (line.size() > indent.size() && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = indent;
    }
    if (line.size() > indent.size()) line += ' ';
    line += word;
    from = end + 1;
  }
  return out + line + "\n";
}

}  // namespace

std::string glossary_markdown(const Registry& registry) {
  std::string out = kIntroduction;
  for (const Section& section : sections()) {
    const auto rows = rows_of(registry, section.key);
    if (rows.empty()) continue;
    out += fmt::format("\n## {}\n\n{}\n\n| key | unit | what it is | checked by |\n|---|---|---|---|\n", section.key,
                       section.text);
    for (const Statistic* row : rows) {
      out += fmt::format("| `{}` | {} | {} | {} |\n", row->pattern(), row->unit(), explained(*row),
                         checked_by(row->pattern()));
    }
  }
  return out;
}

std::string glossary_text(const Registry& registry, const std::string& key) {
  constexpr std::size_t kWidth = 100;
  const std::string pattern = pattern_of(registry, key);
  std::string out;
  for (const Section& section : sections()) {
    std::string part;
    for (const Statistic* row : rows_of(registry, section.key)) {
      const bool wanted = key.empty() || key == section.key || pattern == row->pattern();
      if (!wanted) continue;
      part += fmt::format("{} ({})\n{}", row->pattern(), row->unit(), wrapped(explained(*row), "    ", kWidth));
    }
    if (part.empty()) continue;
    if (key.empty() || key == section.key) part = fmt::format("{}\n{}", wrapped(section.text, "", kWidth), part);
    out += (out.empty() ? "" : "\n") + part;
  }
  return out;
}

std::string statistics_about(const Registry& registry, const std::string& words) {
  const auto lower = [](std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  };
  std::istringstream in(lower(words));
  const std::vector<std::string> wanted{std::istream_iterator<std::string>(in), {}};
  std::string out;
  for (const Section& section : sections()) {
    for (const Statistic* row : rows_of(registry, section.key)) {
      const std::string all = lower(row->pattern() + ' ' + row->text());
      const auto has = [&all](const std::string& word) {  // at the begin of a word
        for (auto at = all.find(word); at != std::string::npos; at = all.find(word, at + 1)) {
          if (at == 0 || std::isalnum(static_cast<unsigned char>(all[at - 1])) == 0) return true;
        }
        return false;
      };
      if (wanted.empty() || !std::all_of(wanted.begin(), wanted.end(), has)) continue;
      const std::string text = explained(*row);
      const auto end = text.find(". ");
      out += fmt::format("{} ({})\n{}", row->pattern(), row->unit(),
                         wrapped(end == std::string::npos ? text : text.substr(0, end + 1), "    ", 100));
    }
  }
  return out;
}

std::string nearest_statistic(const Registry& registry, const std::string& key) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, key.size() / 3) + 1;
  for (const Section& section : sections()) {
    for (const Statistic* row : rows_of(registry, section.key)) {
      const std::size_t distance = edit_distance(key, row->pattern());
      if (distance >= least) continue;
      least = distance;
      best = row->pattern();
    }
  }
  return best;
}

}  // namespace wordline::results
