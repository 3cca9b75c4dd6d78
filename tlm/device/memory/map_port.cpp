// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/memory/map_port.h"

#include <cstring>

#include "registers/wordline_regs.hpp"

namespace wordline::memory {
namespace regs = registers;

MapPort::MapPort(const sc_core::sc_module_name& name, std::uint64_t words, const config::Dram& config)
    : sc_module(name),
      socket(
          "socket",
          [this](std::uint32_t offset, std::uint32_t& value, Picoseconds& delay) { return read(offset, value, delay); },
          [this](std::uint32_t offset, std::uint32_t value, Picoseconds& /*delay*/) { return write(offset, value); }),
      words_(words),
      memory_(words * sizeof(std::uint32_t), this->name()),
      access_(config.latency + transfer_time(kBurstBytes, config.bandwidth)) {}

std::uint32_t MapPort::word(std::uint64_t number) const {
  std::uint32_t value = 0;
  std::memcpy(&value, memory_.data() + number * sizeof value, sizeof value);
  return value;
}

std::byte* MapPort::at(std::uint32_t offset) {
  if (offset != regs::map::data && offset != regs::map::next) return nullptr;
  const std::uint64_t number = std::uint64_t{number_} + (offset == regs::map::next ? 1 : 0);
  return number < words_ ? memory_.data() + number * sizeof(std::uint32_t) : nullptr;
}

bool MapPort::read(std::uint32_t offset, std::uint32_t& value, Picoseconds& delay) {
  if (offset == regs::map::word) {
    value = number_;
    return true;
  }
  const std::byte* const from = at(offset);
  if (from == nullptr) return false;
  std::memcpy(&value, from, sizeof value);
  if (offset == regs::map::data || !in_burst_) delay += access_;
  in_burst_ = true;
  return true;
}

bool MapPort::write(std::uint32_t offset, std::uint32_t value) {
  if (offset == regs::map::word) {
    number_ = value;
    in_burst_ = false;
    return true;
  }
  std::byte* const to = at(offset);
  if (to == nullptr) return false;
  std::memcpy(to, &value, sizeof value);
  return true;
}

}  // namespace wordline::memory
