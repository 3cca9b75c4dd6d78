// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "models/riscv/elf_loader.h"
#include "models/riscv/hart.h"

namespace wordline::testing {

/// A hart with the memories of a drive and nothing on its bus.
struct Drive {
  struct NoBus : riscv::Bus {
    bool read(std::uint32_t, unsigned, std::uint32_t&) override { return false; }
    bool write(std::uint32_t, unsigned, std::uint32_t) override { return false; }
  };
  enum class Mode { kEachTime, kInterpreted, kTranslated };
  explicit Drive(Mode mode) : hart(config(mode), bus) {
    hart.add_region({0x00000000, 0x40000, code.data(), 1, 1, true, true});
    hart.add_region({0x10000000, 0x100000, tcm.data(), 2, 1, false, true});
    hart.add_region({0x80000000, 0x800000, dram.data(), 20, 5, true, true});
  }
  void load(const char* path) {
    const riscv::ElfFile elf(path);
    elf.load([this](std::uint32_t address, std::uint32_t bytes) { return hart.host_pointer(address, bytes); });
    hart.reset(elf.entry());
  }
  static riscv::HartConfig config(Mode mode) {
    riscv::HartConfig config;
    config.block_cache = mode != Mode::kEachTime;
    config.translate = mode == Mode::kTranslated;
    return config;
  }
  std::vector<std::byte> code = std::vector<std::byte>(0x40000), tcm = std::vector<std::byte>(0x100000),
                         dram = std::vector<std::byte>(0x800000);
  NoBus bus;
  riscv::Hart hart;
};

}  // namespace wordline::testing
