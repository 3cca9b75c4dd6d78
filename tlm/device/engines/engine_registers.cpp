// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/engines/engine_registers.h"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

namespace wordline::engines {

void EngineRegisters::claim(std::uint32_t offset, Read read, Write write) {
  Word& word = words_.at(offset / 4);
  if (word.read) throw std::logic_error(fmt::format("two engines claim register ENGINES + {}", offset));
  word.read = std::move(read);
  word.write = std::move(write);
}

void EngineRegisters::command(std::uint32_t offset, Write write) {
  claim(
      offset, [] { return 0U; }, std::move(write));
}

void EngineRegisters::counter(std::uint32_t offset, const std::uint64_t& count) {
  claim(offset, [&count] { return static_cast<std::uint32_t>(count); }, {});
}

bool EngineRegisters::read(std::uint32_t offset, std::uint32_t& value) const {
  if (offset / 4 >= words_.size()) return false;
  const Word& word = words_[offset / 4];
  value = word.read ? word.read() : word.value;
  return true;
}

bool EngineRegisters::write(std::uint32_t offset, std::uint32_t value, Picoseconds at) {
  if (offset / 4 >= words_.size()) return false;
  Word& word = words_[offset / 4];
  if (!word.read) {
    word.value = value;
  } else if (word.write) {
    word.write(value, at);
  }
  return true;
}

}  // namespace wordline::engines
