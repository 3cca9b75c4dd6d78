// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/ecc/ecc_registers.h"

#include <algorithm>

#include "registers/wordline_regs.hpp"

namespace wordline::ecc {

namespace regs = registers::ecc;

EccRegisters::EccRegisters(const sc_core::sc_module_name& name, const config::Ecc& config)
    : sc_module(name),
      target_([this](std::uint32_t offset, std::uint32_t& value, sc_core::sc_time&) { return read(offset, value); },
              [this](std::uint32_t offset, std::uint32_t value, sc_core::sc_time&) { return write(offset, value); }),
      max_retries_(std::min(config.max_retries, regs::control_max_retries_mask)) {
  socket.register_b_transport(this, &EccRegisters::b_transport);
}

bool EccRegisters::read(std::uint32_t offset, std::uint32_t& value) const {
  switch (offset) {
    case regs::control:
      value = max_retries_;
      return true;
    case regs::decoded:
      value = static_cast<std::uint32_t>(decoded_);
      return true;
    case regs::retries:
      value = static_cast<std::uint32_t>(retries_);
      return true;
    case regs::uncorrectable:
      value = static_cast<std::uint32_t>(uncorrectable_);
      return true;
    default:
      return false;
  }
}

bool EccRegisters::write(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case regs::control:
      max_retries_ = value & regs::control_max_retries_mask;
      return true;
    case regs::decoded:
    case regs::retries:
    case regs::uncorrectable:
      return true;  // read only: the write has no effect
    default:
      return false;
  }
}

}  // namespace wordline::ecc
