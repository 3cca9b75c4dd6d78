// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/workload/trace/line_parser.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "models/workload/text.h"

namespace wordline::workload {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// As much as a message takes of a name or number from a file.
std::string_view shown(std::string_view field) { return field.substr(0, 40); }

}  // namespace

std::optional<std::uint16_t> DeviceNumbers::of(std::string_view name) {
  if (!numbers_.empty() && name == last_name_) return last_;
  const auto known = numbers_.find(name);
  if (known == numbers_.end()) {
    if (numbers_.size() > UINT16_MAX) return std::nullopt;
    last_ = static_cast<std::uint16_t>(numbers_.size());
    numbers_.emplace(name, last_);
  } else {
    last_ = known->second;
  }
  last_name_ = name;
  return last_;
}

void Fields::split(std::string_view line, char separator) {
  count = 0;
  while (true) {
    const auto at = line.find(separator);
    std::string_view field = line.substr(0, at);
    while (!field.empty() && is_blank(field.front())) field.remove_prefix(1);
    while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
    if (count < kKept) kept[count] = field;
    ++count;
    if (at == std::string_view::npos) return;
    line.remove_prefix(at + 1);
  }
}

void Fields::split_blanks(std::string_view line) {
  count = 0;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return;
    const char* const begin = at;
    while (at != end && !is_blank(*at)) ++at;
    if (count < kKept) kept[count] = std::string_view(begin, static_cast<std::size_t>(at - begin));
    ++count;
  }
}

bool take_rwbs(std::string_view rwbs, TraceRecord& out) {
  if (rwbs.empty() || rwbs.find_first_not_of("RWDNFASMBPVEU") != std::string_view::npos) return false;
  out.preflush = rwbs.front() == 'F';
  if (out.preflush) rwbs.remove_prefix(1);
  out.fua = rwbs.find('F') != std::string_view::npos;
  const char direction = rwbs.empty() ? '\0' : rwbs.front();
  if (direction == 'R' || direction == 'W' || direction == 'D') {
    out.op = direction == 'R' ? Op::kRead : direction == 'W' ? Op::kWrite : Op::kTrim;
    return true;
  }
  if (!out.preflush || direction == 'N') return false;
  out.op = Op::kFlush;
  out.preflush = false;
  return true;
}

std::optional<std::uint64_t> to_fixed(std::string_view s, unsigned digits) {
  const auto point = s.find('.');
  const auto whole = text::to_unsigned(s.substr(0, point));
  if (!whole) return std::nullopt;
  std::string_view fraction = point == std::string_view::npos ? std::string_view("0") : s.substr(point + 1);
  if (fraction.empty()) return std::nullopt;
  if (fraction.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  unsigned __int128 value = *whole;
  for (unsigned i = 0; i < digits; ++i) {
    value = 10 * value + (i < fraction.size() ? static_cast<unsigned>(fraction[i] - '0') : 0);
  }
  if (value > UINT64_MAX) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

bool LineParser::number(std::string_view field, const char* what, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc() && end == field.data() + field.size()) return true;
  problem_ = fmt::format("expected {} as a whole number, found '{}'", what, shown(field));
  return false;
}

bool LineParser::fixed(std::string_view field, const char* what, unsigned digits, std::uint64_t& value) {
  const auto parsed = to_fixed(field, digits);
  if (parsed) {
    value = *parsed;
    return true;
  }
  const bool decimal = to_fixed(field, 0).has_value();
  problem_ =
      fmt::format("expected {} as {}decimal number, found '{}'", what, decimal ? "a smaller " : "a ", shown(field));
  return false;
}

bool LineParser::device(std::string_view name, std::uint16_t& value) {
  const auto number = devices_.of(name);
  if (number) {
    value = *number;
    return true;
  }
  problem_ = "more than 65,536 devices in one trace; check the column";
  return false;
}

bool LineParser::whole_lbas(std::uint64_t offset, std::uint64_t bytes, TraceRecord& out) {
  if (offset % kLbaBytes != 0) {
    problem_ = fmt::format("expected Offset in whole 512-byte blocks, found {}", offset);
  } else if (bytes % kLbaBytes != 0) {
    problem_ = fmt::format("expected Size in whole 512-byte blocks, found {}", bytes);
  } else {
    out.lba = offset / kLbaBytes;
    out.nlb = bytes / kLbaBytes;
    return true;
  }
  return false;
}

}  // namespace wordline::workload
