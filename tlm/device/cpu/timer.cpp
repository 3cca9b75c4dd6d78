// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/cpu/timer.h"

#include "registers/wordline_regs.hpp"

namespace wordline::cpu {
namespace regs = registers;

namespace {

constexpr std::int64_t kMicrosecond = 1'000'000;  // ps

std::int64_t at_target(Picoseconds now, Picoseconds delay) { return (now + delay).count(); }

}  // namespace

Timer::Timer(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context)
    : sc_module(name),
      socket(
          "socket",
          [this](std::uint32_t offset, std::uint32_t& value, Picoseconds& delay) { return read(offset, value, delay); },
          [this](std::uint32_t offset, std::uint32_t value, Picoseconds& delay) {
            return write(offset, value, delay);
          }),
      expires_(context.alarms(), *this) {}

bool Timer::read(std::uint32_t offset, std::uint32_t& value, Picoseconds delay) const {
  switch (offset) {
    case regs::timer::now:
      value = static_cast<std::uint32_t>(at_target(expires_.now(), delay) / kMicrosecond);
      return true;
    case regs::timer::compare:
      value = compare_;
      return true;
    default:
      return false;
  }
}

bool Timer::write(std::uint32_t offset, std::uint32_t value, Picoseconds delay) {
  if (offset != regs::timer::compare) return false;  // NOW is read-only
  compare_ = value;
  expires_.cancel();
  if (value == 0) return true;
  const std::int64_t arrival = at_target(expires_.now(), delay);
  const std::int64_t microseconds = arrival / kMicrosecond;
  const auto ahead = static_cast<std::int32_t>(value - static_cast<std::uint32_t>(microseconds));
  const std::int64_t due = ahead <= 0 ? arrival : (microseconds + ahead) * kMicrosecond;
  expires_.set(Picoseconds(due));
  return true;
}

}  // namespace wordline::cpu
