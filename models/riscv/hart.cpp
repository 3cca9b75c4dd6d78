// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/riscv/hart.h"

#include "models/riscv/block_cache.h"
#include "models/riscv/translate/translator.h"

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
    : port_({memory_, bus, config_.costs, state_.cycles, code_written_, state_.limit}),
      config_(config),
      probe_(probe),
      cache_(std::make_unique<BlockCache>(config_, memory_, state_.limit)) {
  check(config.observation);
  if (config.translate) cache_->translate_with(std::make_unique<Translator>(*this));
}

Hart::~Hart() = default;

void Hart::add_region(const MemoryRegion& region) {
  memory_.add(region);
  cache_->flush();  // its pointers into the list have ended
}

void Hart::reset(std::uint32_t pc) {
  state_ = {};
  mcycle_offset_ = minstret_offset_ = 0;
  stop_requested_ = waiting_ = false;
  traps_.reset();
  port_.forget_reservation();
  tags_.reset(config_.observation.first_context);
  state_.pc = pc & ~1u;
  feed_.reset(state_.pc);
  invalidate_code();
}

void Hart::set_pc(std::uint32_t pc) {
  state_.pc = pc & ~1u;
  waiting_ = false;
}

void Hart::invalidate_code() {
  code_written_ = true;  // done between blocks: the one that runs may be the caller
  state_.limit = 0;
}

bool Hart::take_trap(std::uint32_t cause, std::uint32_t tval) {
  const std::uint32_t vector = traps_.enter(cause, tval, state_.pc);
  if (feed_.on()) {
    charge_profile();
    feed_.follow({true, false}, state_.pc, vector);
  }
  port_.forget_reservation();
  state_.cycles += config_.costs.trap;
  const bool interrupt = (cause & 0x80000000u) != 0;
  const bool loops = !interrupt && state_.pc == vector;
  state_.pc = vector;
  const AddressSpace::Region* region = memory_.find(vector, 2);
  return region != nullptr && region->memory.executable && !loops;
}

void Hart::flush_profile() {
  if (feed_.on()) charge_profile();
}

}  // namespace wordline::riscv
