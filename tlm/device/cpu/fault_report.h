// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/riscv/elf_loader.h"
#include "models/riscv/hart.h"
#include "models/units/quantity.h"

namespace wordline::cpu {

/// Where the firmware's image says that the cores' stacks are (symbols __stack_top, __stack_bytes and
/// __stack_guard_bytes; core i has the i-th area below the top). Empty when it does not say so.
struct StackArea {
  std::uint32_t guard;   // first byte; nothing may be read or written from here ...
  std::uint32_t bottom;  // ... to here, where the stack's own bytes begin
  std::uint32_t top;     // first byte behind the stack
};
[[nodiscard]] std::vector<StackArea> stacks_of(const riscv::ElfFile& image, unsigned cores);

/// What is known of a core at which the firmware went wrong.
struct FaultPlace {
  const riscv::Hart& hart;
  const riscv::ElfFile& image;
  const std::vector<StackArea>& stacks;
  Picoseconds at;
};

/// "store access fault at 0x00000010: instruction memory is read-only": an exception in words.
[[nodiscard]] std::string describe_exception(const FaultPlace& place, std::uint32_t cause, std::uint32_t tval);

/// Lines for the user: time, task, function, instruction, caller, registers, and how to find the source line.
[[nodiscard]] std::string describe_place(const FaultPlace& place);

}  // namespace wordline::cpu
