// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/hart.h"

#include <cstring>

#include "models/riscv/block_cache.h"

namespace wordline::riscv {
const char* to_string(StopReason reason) {
  switch (reason) {
    case StopReason::kBudget:
      return "budget";
    case StopReason::kWfi:
      return "wfi";
    case StopReason::kStopRequested:
      return "stop requested";
    case StopReason::kEbreak:
      return "ebreak";
    case StopReason::kException:
      return "exception";
    case StopReason::kHeld:
      return "held by a debugger";
    case StopReason::kLockup:
      return "lockup";
  }
  return "?";
}

Hart::Hart(const HartConfig& config, Bus& bus, Probe* probe)
    : config_(config),
      bus_(bus),
      probe_(probe),
      cache_(std::make_unique<BlockCache>(config_, memory_, limit_)) {
  check(config.observation);
}

Hart::~Hart() = default;

void Hart::add_region(const MemoryRegion& region) {
  memory_.add(region);
  cache_->flush();  // its pointers into the list have ended
}

void Hart::reset(std::uint32_t pc) {
  x_ = {};
  cycles_ = instructions_ = 0;
  mcycle_offset_ = minstret_offset_ = 0;
  stop_requested_ = waiting_ = false;
  traps_.reset();
  reservation_ = {};
  tags_.reset(config_.observation.first_context);
  pc_ = pc & ~1u;
  feed_.reset(pc_);
  invalidate_code();
}

void Hart::set_pc(std::uint32_t pc) {
  pc_ = pc & ~1u;
  waiting_ = false;
}

void Hart::invalidate_code() {
  code_written_ = true;  // done between blocks: the one that runs may be the caller
  limit_ = 0;
}

void Hart::note_code_written(std::uint32_t offset, unsigned size, const std::uint8_t* code_lines) {
  if ((code_lines[offset >> kLineShift] | code_lines[(offset + size - 1) >> kLineShift]) == 0) return;
  code_written_ = true;
  limit_ = 0;
}

std::uint32_t Hart::slow_load(std::uint32_t address, unsigned size, std::uint32_t& value) {
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
  cycles_ += config_.costs.bus_load;
  return 0;
}

std::uint32_t Hart::slow_store(std::uint32_t address, unsigned size, std::uint32_t value) {
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
  cycles_ += config_.costs.bus_store;
  return 0;
}

std::uint32_t Hart::atomic(const Insn& insn) {
  constexpr std::uint32_t kLr = 0x02, kSc = 0x03;
  const std::uint32_t address = x_[insn.rs1], operand = x_[insn.rs2];
  const bool load_only = insn.imm == kLr;
  if (address % 4 != 0) return load_only ? kCauseLoadMisaligned : kCauseStoreMisaligned;
  const AddressSpace::Region* region = memory_.find(address, 4);
  if (region == nullptr) return load_only ? kCauseLoadFault : kCauseStoreFault;
  if (!load_only && !region->memory.writable) return kCauseStoreFault;
  const std::uint32_t offset = address - region->memory.base;
  std::uint32_t old = 0;
  std::memcpy(&old, region->memory.host + offset, 4);
  if (load_only) {
    reservation_ = {true, address, old};
    x_[insn.rd] = old;
    cycles_ += region->memory.load_cycles;
    return 0;
  }
  std::uint32_t result = operand;
  switch (insn.imm) {
    case kSc: {
      const bool success = reservation_.valid && reservation_.address == address && reservation_.value == old;
      reservation_.valid = false;
      x_[insn.rd] = success ? 0 : 1;
      cycles_ += region->memory.store_cycles;
      if (!success) return 0;
      break;
    }
    case 0x00:
      result = old + operand;
      break;
    case 0x01:
      break;  // amoswap
    case 0x04:
      result = old ^ operand;
      break;
    case 0x08:
      result = old | operand;
      break;
    case 0x0c:
      result = old & operand;
      break;
    case 0x10:
      result = static_cast<std::int32_t>(old) < static_cast<std::int32_t>(operand) ? old : operand;
      break;
    case 0x14:
      result = static_cast<std::int32_t>(old) > static_cast<std::int32_t>(operand) ? old : operand;
      break;
    case 0x18:
      result = old < operand ? old : operand;
      break;
    case 0x1c:
      result = old > operand ? old : operand;
      break;
    default:
      return kCauseIllegal;  // decode() lets no other through
  }
  std::memcpy(region->memory.host + offset, &result, 4);
  if (region->code_lines != nullptr) note_code_written(offset, 4, region->code_lines.get());
  if (insn.imm != kSc) {
    x_[insn.rd] = old;
    cycles_ += region->memory.load_cycles + region->memory.store_cycles;
  }
  return 0;
}

bool Hart::take_trap(std::uint32_t cause, std::uint32_t tval) {
  const std::uint32_t vector = traps_.enter(cause, tval, pc_);
  if (feed_.on()) {
    charge_profile();
    feed_.call(pc_);
    feed_.begin(vector);
  }
  reservation_.valid = false;
  cycles_ += config_.costs.trap;
  const bool interrupt = (cause & 0x80000000u) != 0;
  const bool loops = !interrupt && pc_ == vector;
  pc_ = vector;
  const AddressSpace::Region* region = memory_.find(vector, 2);
  return region != nullptr && region->memory.executable && !loops;
}

void Hart::mret() {
  pc_ = traps_.leave();
  if (!feed_.on()) return;
  charge_profile();
  feed_.leave(pc_);
  feed_.begin(pc_);
}

void Hart::follow_jump(const Insn& insn, bool through_register) {
  const auto is_link = [](std::uint8_t reg) { return reg == 1 || reg == 5; };
  const bool calls = is_link(insn.rd);
  const bool returns = through_register && is_link(insn.rs1) && insn.rs1 != insn.rd;
  if (!calls && !returns) return;
  charge_profile();
  if (returns) feed_.leave(pc_);
  if (calls) feed_.call(x_[insn.rd]);
  feed_.begin(pc_);
}

void Hart::flush_profile() {
  if (feed_.on()) charge_profile();
}

std::vector<BlockProfile> Hart::profile() const { return cache_->profile(); }
std::uint64_t Hart::blocks_decoded() const { return cache_->decoded(); }

}  // namespace wordline::riscv
