// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/memory/map_port.h"

#include <algorithm>
#include <cstddef>
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
      written_((words + kStretch - 1) / kStretch),
      access_(config.latency + transfer_time(kBurstBytes, config.bandwidth)) {}

std::uint32_t MapPort::word(std::uint64_t number) const {
  std::uint32_t value = 0;
  std::memcpy(&value, memory_.data() + number * sizeof value, sizeof value);
  return value;
}

std::uint64_t MapPort::next_written(std::uint64_t number) const {
  if (number >= words_) return words_;
  const auto from = written_.begin() + static_cast<std::ptrdiff_t>(number / kStretch);
  const auto found = std::find(from, written_.end(), true);
  return std::min(words_, std::max(number, static_cast<std::uint64_t>(found - written_.begin()) * kStretch));
}

std::uint64_t MapPort::number_of(std::uint32_t offset) const {
  if (offset != regs::map::data && offset != regs::map::next) return words_;
  const std::uint64_t number = (std::uint64_t{bank_} << 32U | number_) + (offset == regs::map::next ? 1 : 0);
  return std::min(number, words_);
}

bool MapPort::read(std::uint32_t offset, std::uint32_t& value, Picoseconds& delay) {
  if (offset == regs::map::word) {
    value = number_;
    return true;
  }
  if (offset == regs::map::bank) {
    value = bank_;
    return true;
  }
  const std::uint64_t number = number_of(offset);
  if (number == words_) return false;
  value = word(number);
  if (offset == regs::map::data || !in_burst_) delay += access_;
  in_burst_ = true;
  return true;
}

bool MapPort::write(std::uint32_t offset, std::uint32_t value) {
  if (offset == regs::map::word || offset == regs::map::bank) {
    (offset == regs::map::word ? number_ : bank_) = value;
    in_burst_ = false;
    return true;
  }
  const std::uint64_t number = number_of(offset);
  if (number == words_) return false;
  std::memcpy(memory_.data() + number * sizeof value, &value, sizeof value);
  written_[number / kStretch] = true;
  return true;
}

}  // namespace wordline::memory
