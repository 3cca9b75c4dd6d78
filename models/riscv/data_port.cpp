// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/data_port.h"

#include <cstring>
#include <optional>

#include "models/riscv/hart.h"

namespace wordline::riscv {
namespace {

/// What an AMO stores; nothing: there is none with this funct5.
std::optional<std::uint32_t> combine(std::uint32_t operation, std::uint32_t old, std::uint32_t operand) {
  const auto s32 = [](std::uint32_t value) { return static_cast<std::int32_t>(value); };
  switch (operation) {
    case 0x00:
      return old + operand;
    case 0x01:
      return operand;  // amoswap
    case 0x04:
      return old ^ operand;
    case 0x08:
      return old | operand;
    case 0x0c:
      return old & operand;
    case 0x10:
      return s32(old) < s32(operand) ? old : operand;
    case 0x14:
      return s32(old) > s32(operand) ? old : operand;
    case 0x18:
      return old < operand ? old : operand;
    case 0x1c:
      return old > operand ? old : operand;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::uint32_t DataPort::load(std::uint32_t address, unsigned size, std::uint32_t& value) {
  if (const AddressSpace::Region* region = memory_.find(address, size)) {
    value = 0;
    std::memcpy(&value, region->memory.host + (address - region->memory.base), size);
    cycles_ += region->memory.load_cycles;
    return 0;
  }
  if (address % size != 0) return kCauseLoadMisaligned;
  std::uint32_t read = 0;
  if (!bus_.read(address, size, read)) return kCauseLoadFault;
  value = read;
  cycles_ += costs_.bus_load;
  return 0;
}

std::uint32_t DataPort::store(std::uint32_t address, unsigned size, std::uint32_t value) {
  if (const AddressSpace::Region* region = memory_.find(address, size)) {
    if (!region->memory.writable) return kCauseStoreFault;
    const std::uint32_t offset = address - region->memory.base;
    std::memcpy(region->memory.host + offset, &value, size);
    cycles_ += region->memory.store_cycles;
    if (region->code_lines != nullptr) note_code_written(offset, size, region->code_lines.get());
    return 0;
  }
  if (address % size != 0) return kCauseStoreMisaligned;
  if (!bus_.write(address, size, value)) return kCauseStoreFault;
  cycles_ += costs_.bus_store;
  return 0;
}

std::uint32_t DataPort::atomic(std::uint32_t operation, std::uint32_t address, std::uint32_t operand,
                               std::uint32_t& result) {
  constexpr std::uint32_t kLr = 0x02, kSc = 0x03;
  const bool load_only = operation == kLr;
  if (address % 4 != 0) return load_only ? kCauseLoadMisaligned : kCauseStoreMisaligned;
  const AddressSpace::Region* region = memory_.find(address, 4);
  if (region == nullptr) return load_only ? kCauseLoadFault : kCauseStoreFault;
  if (!load_only && !region->memory.writable) return kCauseStoreFault;
  const std::uint32_t offset = address - region->memory.base;
  std::uint32_t old = 0;
  std::memcpy(&old, region->memory.host + offset, 4);
  result = old;
  if (load_only) {
    reservation_ = {true, address, old};
    cycles_ += region->memory.load_cycles;
    return 0;
  }
  std::uint32_t stored = operand;
  if (operation == kSc) {
    const bool success = reservation_.valid && reservation_.address == address && reservation_.value == old;
    reservation_.valid = false;
    result = success ? 0 : 1;
    cycles_ += region->memory.store_cycles;
    if (!success) return 0;
  } else {
    const std::optional<std::uint32_t> combined = combine(operation, old, operand);
    if (!combined) return kCauseIllegal;  // decode() lets no other through
    stored = *combined;
    cycles_ += region->memory.load_cycles + region->memory.store_cycles;
  }
  std::memcpy(region->memory.host + offset, &stored, 4);
  if (region->code_lines != nullptr) note_code_written(offset, 4, region->code_lines.get());
  return 0;
}

}  // namespace wordline::riscv
