// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/results/statistic.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace wordline::results {
namespace {

template <class T, class = void>
struct has_size : std::false_type {};
template <class T>
struct has_size<T, std::void_t<decltype(std::declval<const T&>().size())>> : std::true_type {};

bool is_placeholder(const std::string& component) {
  return !component.empty() &&
         std::all_of(component.begin(), component.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::string expanded(const std::string& pattern, const std::vector<std::string>& members) {
  std::string path;
  std::size_t used = 0;
  for (std::size_t from = 0; from <= pattern.size();) {
    const std::size_t dot = std::min(pattern.find('.', from), pattern.size());
    const std::string component = pattern.substr(from, dot - from);
    if (from != 0) path += '.';
    if (is_placeholder(component)) {
      path += used < members.size() ? members[used] : "";
      ++used;
    } else {
      path += component;
    }
    from = dot + 1;
  }
  if (used != members.size()) {
    throw std::logic_error(fmt::format("statistic {}: as many members as names in capitals", pattern));
  }
  return path;
}

void add(Value& sum, const Value& addend, const std::string& path) {
  if (auto* count = std::get_if<std::uint64_t>(&sum)) {
    *count += std::get<std::uint64_t>(addend);
  } else if (auto* energy = std::get_if<Picojoules>(&sum)) {
    *energy += std::get<Picojoules>(addend);
  } else {
    throw std::logic_error(fmt::format("statistic {}: only counts and energies add up", path));
  }
}

}  // namespace

bool is_zero(const Value& value) {
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return *count == 0;
  if (const auto* ratio = std::get_if<double>(&value)) return *ratio == 0;
  if (const auto* time = std::get_if<Picoseconds>(&value)) return time->count() == 0;
  if (const auto* energy = std::get_if<Picojoules>(&value)) return energy->count() == 0;
  return false;
}

bool is_empty_list(const Value& value) {
  return std::visit(
      [](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string> || !has_size<Held>::value) {
          return false;
        } else {
          return held.empty();
        }
      },
      value);
}

Name::Name(const char* pattern_text, std::initializer_list<std::string> members)
    : pattern(pattern_text), path(expanded(pattern, members)) {}

Statistic::Statistic(Name name, std::string unit, std::string text, Read read, bool is_sum)
    : name_(std::move(name)), unit_(std::move(unit)), text_(std::move(text)) {
  if (is_sum) {
    addends_.push_back(std::move(read));
  } else {
    read_ = std::move(read);
  }
}

Statistic& Statistic::after(std::string path) {
  after_ = std::move(path);
  return *this;
}

Statistic& Statistic::in_summary(unsigned line, std::string label) {
  summary_line_ = line;
  label_ = std::move(label);
  return *this;
}

Statistic& Statistic::in_summary_if_nonzero(unsigned line, std::string label) {
  summary_if_nonzero_ = true;
  return in_summary(line, std::move(label));
}

Statistic& Statistic::only_if_nonzero() {
  only_if_nonzero_ = true;
  return *this;
}

Statistic& Statistic::null_when(std::string reason) {
  null_reason_ = std::move(reason);
  return *this;
}

std::string_view Statistic::section() const {
  return std::string_view(name_.path).substr(0, std::min(name_.path.find('.'), name_.path.find("[]")));
}

Value Statistic::read() const {
  if (!is_sum()) return read_();
  Value sum = addends_.front()();
  for (std::size_t i = 1; i < addends_.size(); ++i) add(sum, addends_[i](), path());
  return sum;
}

}  // namespace wordline::results
