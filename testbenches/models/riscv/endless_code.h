// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "models/units/keyed_random.h"
#include "testbenches/models/riscv/assembler.h"
#include "testbenches/models/riscv/machine.h"

/// Keyed-random programs for the tests of translated code: every instruction, observation CSRs, the bus, two memories
/// that the same load or store reaches in turn, and now and then stores into the program itself.
namespace wordline::testing::endless_code {

using namespace assembler;

class Draws {
 public:
  explicit Draws(std::uint64_t number) : number_(number) {}
  std::uint32_t word() { return static_cast<std::uint32_t>(keyed_hash(20251117, number_, draw_++)); }
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(keyed_hash(20251117, number_, draw_++) % bound);
  }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::uint64_t number_, draw_ = 0;
};

constexpr Word kProgram = 0x1000, kHandler = 0x800, kSteps = 220;
constexpr Word kToTcm = s0, kToDram = 16, kToBus = 17, kToAny = 29, kToCode = 27;  // never written but kToAny

/// Every instruction of the hart at random, in a program that goes round for ever: what traps is skipped by the
/// handler.
class Program {
 public:
  explicit Program(std::uint64_t number) : draws_(number), changes_itself_(draws_.one_in(4)) {
    for (unsigned n = 0; n < kSteps; ++n) {
      starts_.push_back(here());
      step();
    }
    starts_.push_back(here());
    word(jal(0, static_cast<int>(kProgram) - static_cast<int>(kProgram + here())));
    for (const auto& [at, branch] : jumps_) {
      const std::uint32_t to = starts_[draws_.below(kSteps + 1)];
      const int offset = static_cast<int>(to) - static_cast<int>(at);
      put(at, branch == 0 ? jal(kLink, offset) : b(offset, branch >> 5 & 31, branch & 31, branch >> 10));
    }
  }
  void load(Machine& m) const {
    std::memcpy(m.hart.host_pointer(kProgram, static_cast<std::uint32_t>(bytes_.size())), bytes_.data(), bytes_.size());
    // Steps over what has trapped, two bytes or four; where that runs wild, at the beginning again.
    m.program({csrrs(t5, kMepc, 0), lui(t6, 2), b(12, t6, t5, 7) /* bgeu */, addi(t5, t5, 2), jal(0, 8), lui(t5, 1),
               csrrw(0, kMepc, t5), mret()},
              kHandler);
  }
  Draws& draws() { return draws_; }
  /// Where one of the steps begins.
  std::uint32_t somewhere() { return kProgram + starts_[draws_.below(kSteps)]; }

 private:
  static constexpr Word kLink = 5;
  std::uint32_t here() const { return static_cast<std::uint32_t>(bytes_.size()); }
  void put(std::uint32_t at, Word value) { std::memcpy(bytes_.data() + at, &value, 4); }
  void word(Word value) {
    bytes_.resize(bytes_.size() + 4);
    put(here() - 4, value);
  }
  void half(Word value) {
    bytes_.push_back(static_cast<std::uint8_t>(value));
    bytes_.push_back(static_cast<std::uint8_t>(value >> 8));
  }
  Word any() { return draws_.below(32); }
  Word to() {
    const Word reg = draws_.below(32);
    return reg == kToTcm || reg == kToDram || reg == kToBus || reg == kToAny || reg == kToCode ? 0 : reg;
  }
  int offset(unsigned bytes) {
    const int at = static_cast<int>(draws_.below(1024)) - 512;
    return draws_.one_in(8) ? at : at & -static_cast<int>(bytes);
  }
  Word base() {
    constexpr Word kBases[] = {kToTcm, kToTcm, kToDram, kToDram, kToAny, kToAny, kToBus};
    return changes_itself_ && draws_.one_in(20) ? kToCode : kBases[draws_.below(7)];
  }

  void step() {
    if (draws_.one_in(3))
      half(draws_.one_in(2) ? 0x0001 : 0x0001 | to() << 7 | draws_.below(32) << 2);  // c.nop, c.addi
    switch (draws_.below(16)) {
      case 0:
      case 1:
      case 2: {
        constexpr Word kImmediate[] = {0, 0, 2, 3, 4, 6, 7};
        return word(i(static_cast<int>(draws_.below(4096)) - 2048, any(), kImmediate[draws_.below(7)], to(), 0x13));
      }
      case 3: {  // constants for shifts, and what has one operand
        constexpr Word kShifts[][2] = {{0x000, 1}, {0x000, 5}, {0x400, 5}, {0x600, 5}};
        constexpr Word kUnary[][2] = {{0x600, 1}, {0x601, 1}, {0x602, 1}, {0x604, 1},
                                      {0x605, 1}, {0x287, 5}, {0x698, 5}};
        if (draws_.one_in(2)) {
          const auto& shift = kShifts[draws_.below(4)];
          return word(i(static_cast<int>(shift[0] | draws_.below(32)), any(), shift[1], to(), 0x13));
        }
        const auto& unary = kUnary[draws_.below(7)];
        return word(i(static_cast<int>(unary[0]), any(), unary[1], to(), 0x13));
      }
      case 4:
        return word(r(draws_.one_in(4) ? 1 : 0, any(), any(), draws_.below(8), to(), 0x33));
      case 5: {
        constexpr Word kOps[][2] = {{0x20, 0}, {0x20, 5}, {0x20, 4}, {0x20, 6}, {0x20, 7}, {0x10, 2},
                                    {0x10, 4}, {0x10, 6}, {0x05, 4}, {0x05, 5}, {0x05, 6}, {0x05, 7},
                                    {0x30, 1}, {0x30, 5}, {0x01, 0}, {0x01, 3}};
        const auto& op = kOps[draws_.below(16)];
        return word(draws_.one_in(16) ? r(4, 0, any(), 4, to(), 0x33) : r(op[0], any(), any(), op[1], to(), 0x33));
      }
      case 6:
      case 7: {
        constexpr Word kLoads[] = {0, 1, 2, 4, 5};
        const Word load = kLoads[draws_.below(5)];
        return word(i(offset(1U << (load & 3)), base(), load, to(), 0x03));
      }
      case 8:
      case 9: {
        const Word store = draws_.below(3);
        return word(s(offset(1U << store), any(), base(), store));
      }
      case 10: {
        constexpr Word kBranches[] = {0, 1, 4, 5, 6, 7};
        jumps_.push_back({here(), kBranches[draws_.below(6)] << 10 | any() << 5 | any() | 1});
        return word(0);
      }
      case 11:
        jumps_.push_back({here(), draws_.one_in(3) ? 0 : 1 << 10 | (1 + draws_.below(31)) << 5});
        return word(0);
      case 12:
        return other();
      case 13:
        return observe();
      case 14:  // another memory for loads and stores that stay the same
        return word(add(kToAny, draws_.one_in(2) ? kToTcm : kToDram, 0));
      default:
        if (draws_.one_in(2))
          return word(draws_.one_in(2) ? lui(to(), draws_.word() >> 12) : auipc(to(), draws_.word() >> 12));
        word(auipc(1, 0));  // an indirect jump some instructions on, with and without a link
        return word(jalr(draws_.one_in(2) ? 0 : 1, 8 + 4 * static_cast<int>(draws_.below(3)), 1));
    }
  }
  void other() {
    switch (draws_.below(12)) {
      case 0:
        return word(fence());
      case 1:
        return word(draws_.one_in(4) ? fence_i() : fence());
      case 2:
        return word(draws_.one_in(2) ? ecall() : 0xffffffff);
      case 3:
        return word(csrrs(to(), draws_.one_in(2) ? 0xc00 : 0xc02, 0));
      case 4:
        return word(csrrw(to(), kMscratch, any()));
      case 5:
        return word(draws_.one_in(2) ? csrrsi(0, kMstatus, 8) : csrrci(0, kMstatus, 8));
      case 6:
        return word(draws_.one_in(3) ? wfi() : csrrw(0, kMinstret, any()));
      case 7:
      case 8:
        word(addi(t3, draws_.one_in(2) ? kToTcm : kToDram, 4 * static_cast<int>(draws_.below(100))));
        return word(draws_.one_in(2) ? lr(to(), t3) : amo(draws_.below(8) * 4, to(), any(), t3));
      case 9:
        return word(add(kToAny, changes_itself_ && draws_.one_in(4) ? kToCode : kToBus, 0));
      case 10:
        return word(csrrs(to(), Machine::kTagCsr, 0));
      default:
        return word(lw(to(), 0, 0x0));  // of the code's first word, by x0
    }
  }
  void observe() {
    constexpr Word kCsrs[] = {Machine::kTagCsr, Machine::kMarkCsr, Machine::kContextCsr};
    const Word csr = kCsrs[draws_.below(3)];
    if (draws_.one_in(2)) return word(csrrwi(draws_.one_in(4) ? to() : 0, csr, draws_.below(32)));
    if (draws_.one_in(2)) word(andi(t2, any(), 31));
    return word(csrrw(0, csr, draws_.one_in(8) ? any() : t2));
  }

  Draws draws_;
  bool changes_itself_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint32_t> starts_;
  std::vector<std::pair<std::uint32_t, Word>> jumps_;  // address, condition and registers; 0: jal
};

inline riscv::HartConfig drawn_config(Draws& draws) {
  riscv::HartConfig config;
  config.stop_on_ebreak = false;
  config.trap_misaligned = draws.one_in(2);
  riscv::CycleCosts& c = config.costs;
  for (std::uint32_t* cost : {&c.alu, &c.mul, &c.div, &c.branch_not_taken, &c.branch_taken, &c.jump, &c.jump_register,
                              &c.csr, &c.amo, &c.fence, &c.bus_load, &c.bus_store, &c.trap, &c.mret}) {
    *cost = 1 + draws.below(5);
  }
  c.load_use = draws.below(2);
  return config;
}

}  // namespace wordline::testing::endless_code
