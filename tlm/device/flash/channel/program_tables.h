// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <systemc>

#include "models/config/config.h"
#include "models/firmware/contract/contract.h"
#include "models/nand/program_parameters.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::flash {

/// Registers FLASH.PROGRAM_...: where the tables are, one for all channels.
struct ProgramTableRegisters {
  std::uint32_t sets = 0, set_count = 0;
  std::uint32_t reports = 0, report_count = 0;

  /// By offset in the block; null: it is none of them.
  [[nodiscard]] const std::uint32_t* find(std::uint32_t offset) const;
  [[nodiscard]] std::uint32_t* find(std::uint32_t offset) {
    return const_cast<std::uint32_t*>(static_cast<const ProgramTableRegisters*>(this)->find(offset));
  }
};

/// What the parameters of a set mean to the die.
[[nodiscard]] nand::ProgramParameters parameters_of(const wl_program_set& set);

/// The tables of parameter sets and of reports in tightly coupled memory, as a channel reads and writes them. A set is
/// checked when a job that names it comes: the die never gets a feature that it would refuse.
class ProgramTables {
 public:
  /// The registers and the port outlive this object.
  ProgramTables(const config::Nand& nand, const ProgramTableRegisters& registers,
                sc_core::sc_port<tlm_if::SharedMemoryIf>& memory);

  /// What is wrong with what a program's control word asks for; "": nothing, and `set` is what it names.
  [[nodiscard]] std::string take(const wl_flash_job& job, wl_program_set& set);
  /// The report on job `id`, which take() has let pass.
  void write(std::uint16_t id, const wl_program_report& report);

  /// Programmed states of a cell.
  [[nodiscard]] unsigned states() const { return states_; }

 private:
  [[nodiscard]] std::string take_set(std::uint32_t number, wl_program_set& set);
  [[nodiscard]] std::string set_fault(const wl_program_set& set) const;
  [[nodiscard]] std::string report_fault(const wl_flash_job& job) const;

  const ProgramTableRegisters& registers_;
  sc_core::sc_port<tlm_if::SharedMemoryIf>& memory_;
  const Millivolts step_, window_;
  const unsigned states_, state_loops_;
  std::array<wl_program_set, WL_PROGRAM_SETS> checked_{};  // checked by number, found good
};

}  // namespace wordline::flash
