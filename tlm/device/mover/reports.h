// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <systemc>
#include <utility>

namespace wordline::host {

/// SystemC reports of one host interface: all of its blocks report under the message type and the name of the
/// interface, since a reader of the message is to find the drive, not the class.
class Reports {
 public:
  /// `type`: the SystemC message type, kept by pointer. `name`: hierarchical name of the interface's module.
  Reports(const char* type, std::string name) : type_(type), name_(std::move(name)) {}

  /// The host or the firmware did something that hardware ignores.
  template <class... Values>
  void warn(fmt::format_string<Values...> text, Values&&... values) const {
    SC_REPORT_WARNING(type_, message(fmt::format(text, std::forward<Values>(values)...)).c_str());
  }
  /// A contract is broken; what follows is not specified.
  template <class... Values>
  void error(fmt::format_string<Values...> text, Values&&... values) const {
    SC_REPORT_ERROR(type_, message(fmt::format(text, std::forward<Values>(values)...)).c_str());
  }

 private:
  [[nodiscard]] std::string message(const std::string& text) const { return fmt::format("{}: {}", name_, text); }

  const char* type_;
  std::string name_;
};

}  // namespace wordline::host
