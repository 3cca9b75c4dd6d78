// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/channel/program_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include "registers/wordline_regs.hpp"

namespace wordline::flash {
namespace {

constexpr unsigned kVoltageUnit = 10;  // mV, of Vstart raise and Vfinal cut in feature 90h
constexpr unsigned kMostUnits = 255;   // a byte of it

/// What is wrong with a table of `entries` entries at `base`; "": nothing.
std::string table_fault(const char* name, const char* count, std::uint32_t base, std::uint32_t entries) {
  if (base == 0 || entries == 0) return fmt::format("write FLASH.{} and FLASH.{} first", name, count);
  if (base % 4 != 0) return fmt::format("FLASH.{} is {:#x}, expected a multiple of 4", name, base);
  return {};
}

std::string voltage_fault(const char* what, unsigned millivolts) {
  if (millivolts % kVoltageUnit == 0 && millivolts / kVoltageUnit <= kMostUnits) return {};
  return fmt::format("{} of {} mV, expected a multiple of {} up to {}", what, millivolts, kVoltageUnit,
                     kVoltageUnit * kMostUnits);
}

}  // namespace

const std::uint32_t* ProgramTableRegisters::find(std::uint32_t offset) const {
  switch (offset) {
    case registers::flash::program_sets:
      return &sets;
    case registers::flash::program_set_count:
      return &set_count;
    case registers::flash::program_reports:
      return &reports;
    case registers::flash::program_report_count:
      return &report_count;
    default:
      return nullptr;
  }
}

nand::ProgramParameters parameters_of(const wl_program_set& set) {
  nand::ProgramParameters parameters;
  parameters.step = Millivolts(set.step_mv);
  parameters.start_raise = Millivolts(set.start_raise_mv);
  parameters.final_cut = Millivolts(set.final_cut_mv);
  std::copy(std::begin(set.skip), std::end(set.skip), parameters.skip.begin());
  return parameters;
}

ProgramTables::ProgramTables(const config::Nand& nand, const ProgramTableRegisters& registers,
                             sc_core::sc_port<tlm_if::SharedMemoryIf>& memory)
    : registers_(registers),
      memory_(memory),
      step_(nand.ispp.step),
      window_(nand.ispp.window),
      states_((1U << static_cast<unsigned>(nand.geometry.cell)) - 1U),
      state_loops_(nand.ispp.state_loops) {}

std::string ProgramTables::take(const wl_flash_job& job, wl_program_set& set) {
  constexpr std::uint32_t kKnown = WL_PROGRAM_SET | WL_PROGRAM_MEASURES | WL_PROGRAM_MODIFY | WL_PROGRAM_SLC;
  if ((job.control & ~kKnown) != 0) {
    return fmt::format("control {:#x} of a program, expected bits of {:#x} only", job.control, kKnown);
  }
  if ((job.control & WL_PROGRAM_MEASURES) == WL_PROGRAM_MEASURES) {
    return fmt::format("control {:#x} of a program, expected WL_PROGRAM_REPORT or WL_PROGRAM_CHECK, not both",
                       job.control);
  }
  if ((job.control & WL_PROGRAM_MEASURES) != 0) {
    if (std::string wrong = report_fault(job); !wrong.empty()) return wrong;
  }
  const std::uint32_t number = job.control & WL_PROGRAM_SET;
  set = {};
  return number == 0 ? std::string() : take_set(number, set);
}

std::string ProgramTables::take_set(std::uint32_t number, wl_program_set& set) {
  const std::uint32_t count = registers_.set_count;
  std::string wrong = table_fault("PROGRAM_SETS", "PROGRAM_SET_COUNT", registers_.sets, count);
  if (wrong.empty() && count > WL_PROGRAM_SETS) {
    wrong = fmt::format("FLASH.PROGRAM_SET_COUNT is {}, expected at most {}", count, WL_PROGRAM_SETS);
  } else if (wrong.empty() && number >= count) {
    wrong = fmt::format("expected a number below the {} of FLASH.PROGRAM_SET_COUNT", count);
  }
  if (wrong.empty()) {
    const std::byte* entry = memory_->at(registers_.sets + number * std::uint32_t{sizeof set}, sizeof set);
    if (entry == nullptr) {
      wrong = fmt::format("FLASH.PROGRAM_SETS is {:#x}: no tightly coupled memory there", registers_.sets);
    } else {
      std::memcpy(&set, entry, sizeof set);
      if (std::memcmp(&set, &checked_[number], sizeof set) == 0) return {};
      wrong = set_fault(set);
    }
  }
  if (!wrong.empty()) return fmt::format("program parameter set {}: {}", number, wrong);
  checked_[number] = set;
  return {};
}

std::string ProgramTables::set_fault(const wl_program_set& set) const {
  if (set.reserved != 0 || set.skip[0] != 0) return "reserved and skip[0] are 0";
  std::string wrong = voltage_fault("start_raise_mv", set.start_raise_mv);
  if (wrong.empty()) wrong = voltage_fault("final_cut_mv", set.final_cut_mv);
  if (!wrong.empty()) return wrong;
  for (unsigned s = states_ + 1; s < WL_CELL_STATES; ++s) {
    if (set.skip[s] != 0) return fmt::format("skip of P{}, and P{} is the last state", s, states_);
  }
  try {
    (void)nand::program_scheme(step_, window_, states_, state_loops_, parameters_of(set));
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

std::string ProgramTables::report_fault(const wl_flash_job& job) const {
  const std::uint32_t count = registers_.report_count;
  std::string wrong = table_fault("PROGRAM_REPORTS", "PROGRAM_REPORT_COUNT", registers_.reports, count);
  if (wrong.empty() && job.id >= count) {
    wrong = fmt::format("id {} is not below the {} of FLASH.PROGRAM_REPORT_COUNT", job.id, count);
  }
  constexpr auto kEntry = static_cast<std::uint32_t>(sizeof(wl_program_report));
  if (wrong.empty() && memory_->at(registers_.reports + job.id * kEntry, kEntry) == nullptr) {
    wrong = fmt::format("FLASH.PROGRAM_REPORTS is {:#x}: no tightly coupled memory there", registers_.reports);
  }
  return wrong.empty() ? wrong : "program report: " + wrong;
}

void ProgramTables::write(std::uint16_t id, const wl_program_report& report) {
  constexpr auto kEntry = static_cast<std::uint32_t>(sizeof(wl_program_report));
  std::byte* entry = memory_->at(registers_.reports + id * kEntry, kEntry);
  if (entry != nullptr) std::memcpy(entry, &report, sizeof report);
}

}  // namespace wordline::flash
