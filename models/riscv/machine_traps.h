// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace wordline::riscv {

constexpr std::uint32_t kIrqSoftware = 3, kIrqTimer = 7, kIrqExternal = 11;  // bits of mip and mie

/// The machine-mode CSRs that traps go through: mstatus (MIE, MPIE), mip, mie, mtvec, mscratch, mepc, mcause, mtval.
/// What a trap costs, and whether there is code at its vector, is the hart's matter. Source: RISC-V Privileged
/// Architecture 20211203, 3.1.
class MachineTraps {
 public:
  void reset() { *this = {}; }

  /// The level of an interrupt, a bit of mip.
  void set_interrupt(std::uint32_t irq, bool level) { mip_ = level ? mip_ | 1u << irq : mip_ & ~(1u << irq); }
  /// mip & mie is not zero, whatever mstatus.MIE says.
  [[nodiscard]] bool pending() const { return (mip_ & mie_) != 0; }
  [[nodiscard]] bool deliverable() const { return mstatus_mie_ && pending(); }
  /// mcause of the interrupt that comes first of those pending; nothing: none that this model has.
  [[nodiscard]] std::optional<std::uint32_t> first() const;

  /// Enters a trap at `pc`; returns its vector.
  std::uint32_t enter(std::uint32_t cause, std::uint32_t tval, std::uint32_t pc);
  /// MRET; returns where it goes.
  std::uint32_t leave();

  /// False: not one of these CSRs.
  [[nodiscard]] bool read(std::uint32_t csr, std::uint32_t& value) const;
  [[nodiscard]] bool write(std::uint32_t csr, std::uint32_t value);

 private:
  std::uint32_t mip_ = 0, mie_ = 0;
  bool mstatus_mie_ = false, mstatus_mpie_ = false;
  std::uint32_t mtvec_ = 0, mscratch_ = 0, mepc_ = 0, mcause_ = 0, mtval_ = 0;
};

}  // namespace wordline::riscv
