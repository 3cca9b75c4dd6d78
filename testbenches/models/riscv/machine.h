// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <functional>
#include <initializer_list>
#include <map>
#include <vector>

#include "models/riscv/hart.h"

namespace wordline::testing {

/// A hart with code memory, fast and slow data memory, a bus of plain words, and a record of what the bus and probe
/// saw.
class Machine : public riscv::Bus, public riscv::Probe {
 public:
  static constexpr std::uint32_t kCode = 0x00000000, kCodeSize = 0x40000, kTcm = 0x10000000, kTcmSize = 0x10000,
                                 kDram = 0x80000000, kDramSize = 0x100000, kMmio = 0x40000000, kHole = 0x50000000;
  static constexpr std::uint32_t kTagCsr = 0x7c0, kMarkCsr = 0x7c1, kContextCsr = 0x7c2;
  struct Access {
    bool write;
    std::uint32_t address, size, value;
    std::uint64_t cycles, instructions;
  };

  explicit Machine(const riscv::HartConfig& config = {}) : hart(observed(config), *this, this) {
    hart.add_region({kCode, kCodeSize, code.data(), 1, 1, true, true});
    hart.add_region({kTcm, kTcmSize, tcm.data(), 2, 1, false, true});
    hart.add_region({kDram, kDramSize, dram.data(), 20, 5, true, true});
    hart.reset(kCode);
  }

  void program(std::initializer_list<std::uint32_t> words, std::uint32_t at = kCode) {
    for (const std::uint32_t word : words) {
      std::memcpy(hart.host_pointer(at, 4), &word, 4);
      at += 4;
    }
  }
  void half(std::uint32_t at, std::uint16_t value) { std::memcpy(hart.host_pointer(at, 2), &value, 2); }
  std::uint32_t word(std::uint32_t at) const {
    std::uint32_t value = 0;
    std::memcpy(&value, hart.host_pointer(at, 4), 4);
    return value;
  }
  std::uint32_t csr(std::uint32_t number) const {
    std::uint32_t value = 0;
    if (!hart.read_csr(number, value)) throw std::runtime_error("no such CSR");
    return value;
  }

  static riscv::HartConfig observed(riscv::HartConfig config) {
    config.observation = {kTagCsr, kContextCsr, kMarkCsr, 0};
    return config;
  }

  bool read(std::uint32_t address, unsigned size, std::uint32_t& value) override {
    if (address >= kHole) return false;
    value = bus_words[address];
    accesses.push_back({false, address, size, value, hart.cycles(), hart.instructions()});
    if (on_access) on_access();
    return true;
  }
  bool write(std::uint32_t address, unsigned size, std::uint32_t value) override {
    if (address >= kHole) return false;
    bus_words[address] = value;
    accesses.push_back({true, address, size, value, hart.cycles(), hart.instructions()});
    if (on_access) on_access();
    return true;
  }
  void tag(std::uint32_t tag) override { probed(kTagCsr, tag); }
  void context(std::uint32_t value) override { probed(kContextCsr, value); }
  void mark(std::uint32_t value) override { probed(kMarkCsr, value); }
  void probed(std::uint32_t csr, std::uint32_t value) {
    probes.push_back({csr, value, hart.cycles()});
    if (on_probe) on_probe();
  }

  struct Probed {
    std::uint32_t csr, value;
    std::uint64_t cycles;
  };
  std::vector<std::byte> code = std::vector<std::byte>(kCodeSize), tcm = std::vector<std::byte>(kTcmSize),
                         dram = std::vector<std::byte>(kDramSize);
  std::map<std::uint32_t, std::uint32_t> bus_words;
  std::vector<Access> accesses;
  std::vector<Probed> probes;
  std::function<void()> on_access, on_probe;
  riscv::Hart hart;
};

}  // namespace wordline::testing
