// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "rtl/slot/port_window.h"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace wordline::rtl {
namespace {

/// Identifiers of a VCD: '!' is the clock's, the pins have the printable characters after it, and two of them from the
/// 90th on.
std::string id_of(std::size_t pin) {
  std::string id;
  for (++pin; pin != 0; pin /= 90) id += static_cast<char>('!' + pin % 90);
  return id;
}

std::string binary(std::uint64_t value, unsigned bits) {
  if (bits == 1) return value != 0 ? "1" : "0";
  std::string text = "b";
  for (unsigned bit = bits; bit-- > 0;) text += (value >> bit & 1) != 0 ? '1' : '0';
  return text + ' ';
}

}  // namespace

void PortWindow::write(const std::string& path, const std::string& scope) const {
  std::ofstream out(path);
  out << "$timescale 1ps $end\n$scope module " << scope << " $end\n$var wire 1 ! clock $end\n";
  for (std::size_t pin = 0; pin < pins_.size(); ++pin) {
    out << fmt::format("$var wire {} {} {} $end\n", pins_[pin].bits, id_of(pin), pins_[pin].name);
  }
  out << "$upscope $end\n$enddefinitions $end\n";
  const std::uint64_t first = clocks_ < kClocks ? 0 : clocks_ - kClocks;
  for (std::uint64_t clock = first; clock < clocks_; ++clock) {
    const std::uint64_t* now = &values_[clock % kClocks * pins_.size()];
    const std::uint64_t* before = clock == first ? nullptr : &values_[(clock - 1) % kClocks * pins_.size()];
    out << '#' << 2 * clock << "\n0!\n";
    for (std::size_t pin = 0; pin < pins_.size(); ++pin) {
      if (before == nullptr || now[pin] != before[pin]) out << binary(now[pin], pins_[pin].bits) << id_of(pin) << '\n';
    }
    out << '#' << 2 * clock + 1 << "\n1!\n";
  }
  out << '#' << 2 * clocks_ << '\n';
  out.close();
  if (!out) throw std::runtime_error(fmt::format("{}: cannot be written", path));
}

}  // namespace wordline::rtl
