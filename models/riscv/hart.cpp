// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/hart.h"

#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/riscv/block_cache.h"
#include "models/riscv/cycle_profile.h"
#include "models/units/hex.h"

namespace wordline::riscv {
namespace {

void check(const ObservationCsrs& csrs) {
  const std::pair<const char*, std::uint32_t> given[] = {
      {"tag", csrs.tag}, {"context", csrs.context}, {"mark", csrs.mark}};
  for (const auto& [name, csr] : given) {
    if (csr == ObservationCsrs::kAbsent) continue;
    const bool custom = (csr >= 0x7c0 && csr <= 0x7ff) || (csr >= 0xbc0 && csr <= 0xbff);
    if (!custom) {
      throw std::invalid_argument(std::string("observation CSR ") + name + " is " + hex(csr) +
                                  ", expected a custom machine-mode CSR: 0x7c0 to 0x7ff or 0xbc0 to 0xbff");
    }
    for (const auto& [other_name, other] : given) {
      if (csr == other && name != other_name)
        throw std::invalid_argument(std::string("observation CSRs ") + name + " and " + other_name + " are both " + hex(csr));
    }
  }
  if (csrs.first_context >= kContexts) {
    throw std::invalid_argument("observation CSR context begins with " + std::to_string(csrs.first_context) +
                                ", expected less than " + std::to_string(kContexts));
  }
}

}  // namespace

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
    : config_(config), bus_(bus), probe_(probe), cache_(std::make_unique<BlockCache>(*this)) {
  check(config.observation);
}

Hart::~Hart() = default;

void Hart::add_region(const MemoryRegion& region) {
  const std::string name = "memory region at " + hex_address(region.base) + " of " + hex_address(region.size) + " bytes";
  if (region.size == 0 || region.host == nullptr) throw std::invalid_argument(name + " is empty: give it memory");
  if ((region.base | region.size) % 4 != 0) throw std::invalid_argument(name + " must be a multiple of 4 bytes");
  const std::uint64_t end = std::uint64_t{region.base} + region.size;
  if (end > std::uint64_t{1} << 32) throw std::invalid_argument(name + " ends above the 32-bit address space");
  for (const Region& other : regions_) {
    const std::uint64_t other_end = std::uint64_t{other.memory.base} + other.memory.size;
    if (region.base < other_end && other.memory.base < end)
      throw std::invalid_argument(name + " overlaps the one at " + hex_address(other.memory.base));
  }
  Region added{region, {nullptr, &std::free}};
  if (region.executable) {
    // calloc: memory that never holds code costs no page of the host.
    added.code_lines.reset(static_cast<std::uint8_t*>(std::calloc((std::size_t{region.size} >> kLineShift) + 1, 1)));
    if (added.code_lines == nullptr) throw std::bad_alloc();
  }
  cache_->flush();  // its pointers into the list end here
  regions_.push_back(std::move(added));
  fill_slices();
}

void Hart::fill_slices() {
  slices_ = {};
  slice_count_ = 1;
  for (const Region& region : regions_) {
    if (slice_count_ == slices_.size()) return;  // the slow path finds the others
    const MemoryRegion& memory = region.memory;
    Slice& slice = slices_[slice_count_++];
    slice.base = memory.base;
    slice.host = memory.host;
    slice.load_cycles = memory.load_cycles;
    slice.store_cycles = memory.store_cycles;
    slice.code_lines = region.code_lines.get();
    for (unsigned log2 = 0; log2 < 3; ++log2) {
      slice.load_limit[log2] = memory.size - (1u << log2) + 1;
      slice.store_limit[log2] = memory.writable ? slice.load_limit[log2] : 0;
    }
  }
}

const Hart::Region* Hart::find_region(std::uint32_t address, std::uint32_t bytes) const {
  for (const Region& region : regions_) {
    const std::uint32_t offset = address - region.memory.base;
    if (offset < region.memory.size && bytes <= region.memory.size - offset) return &region;
  }
  return nullptr;
}

std::byte* Hart::host_pointer(std::uint32_t address, std::uint32_t bytes) const {
  const Region* region = find_region(address, bytes);
  return region == nullptr ? nullptr : region->memory.host + (address - region->memory.base);
}

void Hart::reset(std::uint32_t pc) {
  x_ = {};
  cycles_ = instructions_ = idle_cycles_ = 0;
  mip_ = mie_ = 0;
  mstatus_mie_ = mstatus_mpie_ = false;
  stop_requested_ = waiting_ = reserved_ = false;
  mtvec_ = mscratch_ = mepc_ = mcause_ = mtval_ = 0;
  mcycle_offset_ = minstret_offset_ = 0;
  tag_ = 0;
  context_ = config_.observation.first_context;
  tag_since_ = 0;
  tags_ = {};
  pc_ = pc & ~1u;
  profile_pc_ = pc_;
  profile_cycles_ = profile_instructions_ = 0;
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
  if (const Region* region = find_region(address, size)) {
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
  if (const Region* region = find_region(address, size)) {
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
  const Region* region = find_region(address, 4);
  if (region == nullptr) return load_only ? kCauseLoadFault : kCauseStoreFault;
  if (!load_only && !region->memory.writable) return kCauseStoreFault;
  const std::uint32_t offset = address - region->memory.base;
  std::uint32_t old = 0;
  std::memcpy(&old, region->memory.host + offset, 4);
  if (load_only) {
    reserved_ = true;
    reserved_address_ = address;
    reserved_value_ = old;
    x_[insn.rd] = old;
    cycles_ += region->memory.load_cycles;
    return 0;
  }
  std::uint32_t result = operand;
  switch (insn.imm) {
    case kSc: {
      const bool success = reserved_ && reserved_address_ == address && reserved_value_ == old;
      reserved_ = false;
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

void Hart::set_pending(std::uint32_t bit, bool level) {
  mip_ = level ? mip_ | 1u << bit : mip_ & ~(1u << bit);
  look_around_if_pending();
}

void Hart::look_around_if_pending() {
  if (wake_pending() && mstatus_mie_) limit_ = 0;
}

bool Hart::take_trap(std::uint32_t cause, std::uint32_t tval) {
  const bool interrupt = (cause & 0x80000000u) != 0;
  const std::uint32_t base = mtvec_ & ~3u;
  const std::uint32_t vector = interrupt && (mtvec_ & 1u) != 0 ? base + 4 * (cause & 31u) : base;
  const Region* region = find_region(vector, 2);
  if (profile_ != nullptr) {
    charge_profile();
    profile_->call(profile_pc_, pc_);
    profile_pc_ = vector;
  }
  mepc_ = pc_;
  mcause_ = cause;
  mtval_ = tval;
  mstatus_mpie_ = mstatus_mie_;
  mstatus_mie_ = false;
  reserved_ = false;
  cycles_ += config_.costs.trap;
  const bool loops = !interrupt && pc_ == vector;
  pc_ = vector;
  return region != nullptr && region->memory.executable && !loops;
}

bool Hart::take_interrupt() {
  const std::uint32_t pending = mip_ & mie_;
  for (const std::uint32_t irq : {kIrqExternal, kIrqSoftware, kIrqTimer})
    if ((pending >> irq & 1u) != 0) return take_trap(0x80000000u | irq, 0);
  return true;
}

void Hart::mret() {
  pc_ = mepc_;
  if (profile_ != nullptr) {
    charge_profile();
    profile_->leave(pc_);
    profile_pc_ = pc_;
  }
  mstatus_mie_ = mstatus_mpie_;
  mstatus_mpie_ = true;
}

// Called with exact counters: where a block begins, and where the tag changes within one.
void Hart::charge_profile() {
  const std::uint64_t busy = cycles_ - idle_cycles_;
  if (busy == profile_cycles_ && instructions_ == profile_instructions_) return;
  profile_->charge(profile_pc_, tag_, context_, busy - profile_cycles_, instructions_ - profile_instructions_);
  profile_cycles_ = busy;
  profile_instructions_ = instructions_;
}

void Hart::follow_jump(const Insn& insn, bool through_register) {
  const auto is_link = [](std::uint8_t reg) { return reg == 1 || reg == 5; };
  const bool calls = is_link(insn.rd);
  const bool returns = through_register && is_link(insn.rs1) && insn.rs1 != insn.rd;
  if (!calls && !returns) return;
  charge_profile();
  if (returns) profile_->leave(pc_);
  if (calls) profile_->call(profile_pc_, x_[insn.rd]);
  profile_pc_ = pc_;
}

void Hart::flush_profile() {
  if (profile_ != nullptr) charge_profile();
}

std::vector<BlockProfile> Hart::profile() const { return cache_->profile(); }
std::uint64_t Hart::blocks_decoded() const { return cache_->decoded(); }

TagCosts Hart::tag_costs() const {
  TagCosts now = tags_;
  now.cycles[tag_] += cycles_ - tag_since_;
  return now;
}

}  // namespace wordline::riscv
