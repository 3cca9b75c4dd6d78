// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/cpu/log.h"

#include <fmt/core.h>

#include <string>

#include "registers/wordline_regs.hpp"

namespace wordline::cpu {
namespace regs = registers;

namespace {
constexpr std::uint32_t kTrap = 0x80000000;  // the firmware's trap handler sets this bit, the rest is the address
}

Log::Log(const sc_core::sc_module_name& name, const tlm_if::SimulationContext& context, Sink sink)
    : sc_module(name),
      socket(
          "socket", [](std::uint32_t, std::uint32_t&, Picoseconds&) { return false; },
          [this](std::uint32_t offset, std::uint32_t value, Picoseconds& delay) {
            return write(offset, value, delay);
          }),
      context_(context),
      sink_(std::move(sink)) {}

void Log::put(Picoseconds at) {
  if (sink_) sink_(at, line_);
  line_.clear();
}

bool Log::write(std::uint32_t offset, std::uint32_t value, Picoseconds delay) {
  last_ = context_.now() + delay;
  switch (offset) {
    case regs::uart::tx: {
      const char c = static_cast<char>(value & regs::uart::tx_character_mask);
      if (c == '\n') {
        put(last_);
      } else {
        line_ += c;
      }
      return true;
    }
    case regs::uart::panic_file:  // read by the core that panics: here it is an address like any other
      return true;
    case regs::uart::panic: {
      panic_line_ = value;
      sc_core::sc_stop();
      const std::string text = value >= kTrap ? fmt::format("firmware trap at address {:#x}", value - kTrap)
                                              : fmt::format("firmware panic at line {}", value);
      SC_REPORT_ERROR("wordline/firmware", text.c_str());
      return true;
    }
    default:
      return false;
  }
}

void Log::end_of_simulation() {
  if (!line_.empty()) put(last_);
}

}  // namespace wordline::cpu
