// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/cpu/native_core.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "registers/wordline_regs.hpp"

namespace wordline::cpu {
namespace {

/// Rounds without sleep from which on a core is busy. A command alone takes fewer, on a core with all three tasks, too.
constexpr unsigned kBusyRounds = 16;
/// Tenths of a stretch after which its doorbells leave: behind them it looks for the next piece of work. With 6
/// latencies of single commands agree best with those of the instruction-set model (scripts/compare_levels).
constexpr std::int64_t kDoorbellAt = 6;

bool in_map_port(std::uint32_t offset) {
  return offset >= registers::map::kBase && offset < registers::map::kBase + registers::map::kStride;
}

}  // namespace

NativeCore::NativeCore(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context,
                       const config::Cpu& config, unsigned index, NativeFirmware& firmware, const NativeCosts& costs,
                       tlm_if::RecorderIf* recorder)
    : Core(name, context, config, index, recorder),
      firmware_(firmware),
      costs_(costs),
      cycle_(cycles_time(1, config.clock)) {
  if (index != 0) firmware.others.push_back(this);
  for (std::size_t tag = 0; tag < WL_COST_COUNT; ++tag) {
    for (const bool busy : {false, true}) {
      const double cycles = busy ? costs.busy[tag] : costs.cycles[tag];
      const double ps = std::ceil(cycles * 1e12 / static_cast<double>(config.clock.count()) - 1e-6);
      charge_[busy ? 1 : 0][tag] = Picoseconds(static_cast<std::int64_t>(ps));
    }
  }
  hal_.self = this;
  hal_.write32 = [](void* self, std::uint32_t offset, std::uint32_t value) {
    static_cast<NativeCore*>(self)->write32(offset, value);
  };
  hal_.read32 = [](void* self, std::uint32_t offset) { return static_cast<NativeCore*>(self)->read32(offset); };
  hal_.task = [](void* self, std::uint32_t tag) { static_cast<NativeCore*>(self)->charge(tag); };
  hal_.mark = [](void* self, std::uint32_t value, std::uint32_t mark) {
    static_cast<NativeCore*>(self)->pass_mark(value, mark);
  };
  hal_.panic = [](void* self, const char* file, std::uint32_t line) {
    static_cast<NativeCore*>(self)->panic(file, line);
  };
}

void NativeCore::start_of_simulation() {
  hal_.tcm = reinterpret_cast<std::uint8_t*>(direct_memory(WL_TCM_BASE, "tightly coupled memory").data);
  hal_.dram = reinterpret_cast<std::uint8_t*>(direct_memory(WL_DRAM_BASE, "DRAM").data);
  if (hal_.tcm != nullptr && hal_.dram != nullptr) {
    if (index_ == 0) go_on_at(now());
    return;
  }
  state_ = State::kHalted;
  SC_REPORT_ERROR(
      "wordline/cpu",
      fmt::format("{}: native firmware needs direct access (DMI) to tightly coupled memory and DRAM", name()).c_str());
}

CoreStatistics NativeCore::statistics() const {
  CoreStatistics out;
  out.clock = config_.clock;
  out.busy = busy_;
  for (std::size_t tag = 0; tag < WL_COST_COUNT; ++tag) {
    out.entries[tag] = entries_[0][tag] + entries_[1][tag];
    out.cycles[tag] = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(entries_[0][tag]) * costs_.cycles[tag] +
                     static_cast<double>(entries_[1][tag]) * costs_.busy[tag] +
                     static_cast<double>(in_map_port_[tag].count()) / static_cast<double>(cycle_.count())));
  }
  return out;
}

void NativeCore::begin(Picoseconds at) {
  state_ = State::kRun;
  go_on_at(at);
}

void NativeCore::activate() {
  activated_ = begun_ = local_ = stretch_ = now();
  try {
    switch (state_) {
      case State::kReset:
        firmware_.context = firmware_.entry.boot(&hal_);
        state_ = State::kRun;
        for (NativeCore* core : firmware_.others) core->begin(local_);
        local_ = std::max(local_, activated_ + cycle_);
        advance();
        return;
      case State::kAsleep:
        if (!interrupt->level()) return await_interrupt();
        // The core may have fallen asleep ahead of simulated time: it goes on from there.
        if (busy_until_ > activated_) {
          const Picoseconds ahead = busy_until_ - activated_;
          if (ahead > config_.quantum) return go_on_at(busy_until_);
          begun_ = local_ = busy_until_;
        }
        state_ = State::kRun;
        firmware_.entry.wake(firmware_.context, &hal_, index_);
        round();
        return;
      case State::kRun:
        round();
        return;
      case State::kHalted:
        return;
    }
  } catch (const Halt&) {
    state_ = State::kHalted;
    busy_ += local_ - begun_;
  }
}

void NativeCore::round() {
  const Picoseconds end = activated_ + config_.quantum;
  for (;;) {
    const Picoseconds before = local_;
    const bool worked = firmware_.entry.poll(firmware_.context, &hal_, index_);
    if (!worked && firmware_.entry.may_sleep(firmware_.context, &hal_, index_)) {
      sleep();
      return;
    }
    ++rounds_;
    // A round takes time, even one whose tags cost nothing: two cores that wait for each other cannot stop time.
    local_ = std::max(local_, before + cycle_);
    if (local_ >= end) break;
  }
  advance();
}

void NativeCore::sleep() {
  state_ = State::kAsleep;
  rounds_ = 0;
  busy_until_ = local_;
  work(WL_NO_TAG, busy_until_);
  busy_ += local_ - begun_;
  record_sleep(busy_until_);
  if (!interrupt->level()) return await_interrupt();
  go_on_at(std::max(local_, activated_ + cycle_));
}

void NativeCore::advance() {
  tell_work(local_);
  busy_ += local_ - begun_;
  go_on_at(local_);
}

void NativeCore::charge(std::uint32_t tag) {
  stretch_ = local_;
  stretch_begun_ = true;
  if (!known_task(tag)) throw Halt{};
  if (working() && is_between(tag)) work(WL_NO_TAG, stretch_);
  if (recording()) record_task(tag, stretch_);
  const std::size_t busy = rounds_ >= kBusyRounds ? 1 : 0;
  ++entries_[busy][tag];
  task_ = tag;
  local_ += charge_[busy][tag];
}

/// A piece of work begins with its stretch, unless another has begun with it: then at the end of the stretch.
void NativeCore::pass_mark(std::uint32_t value, std::uint32_t mark) {
  const Picoseconds at = mark != WL_MARK_WORK || stretch_begun_ ? stretch_ : local_;
  if (mark == WL_MARK_WORK) stretch_begun_ = false;
  Core::mark(value | mark << 16, at);
}

void NativeCore::write32(std::uint32_t offset, std::uint32_t value) {
  if (in_map_port(offset)) return use_map_port(tlm::TLM_WRITE_COMMAND, offset, value);
  // The boot is one stretch, and what it says to the host comes last.
  const std::int64_t tenths = state_ == State::kReset ? 10 : kDoorbellAt;
  Picoseconds arrival = stretch_ - activated_ + (local_ - stretch_) * tenths / 10;
  if (!access(tlm::TLM_WRITE_COMMAND, WL_MMIO_BASE + offset, value, arrival)) bus_error("write", offset);
}

std::uint32_t NativeCore::read32(std::uint32_t offset) {
  std::uint32_t value = 0;
  if (in_map_port(offset)) {
    use_map_port(tlm::TLM_READ_COMMAND, offset, value);
    return value;
  }
  Picoseconds arrival = local_ - activated_;
  if (!access(tlm::TLM_READ_COMMAND, WL_MMIO_BASE + offset, value, arrival)) bus_error("read", offset);
  return value;
}

/// What the costs of tasks leave out: the bus, and a read's way to DRAM. The instructions are not counted.
void NativeCore::use_map_port(tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value) {
  const Picoseconds before = local_ - activated_;
  Picoseconds after = before;
  if (!access(command, WL_MMIO_BASE + offset, value, after))
    bus_error(command == tlm::TLM_READ_COMMAND ? "read" : "write", offset);
  local_ += after - before;
  in_map_port_[task_] += after - before;
}

void NativeCore::bus_error(const char* what, std::uint32_t offset) {
  SC_REPORT_ERROR("wordline/cpu", fmt::format("{}: firmware {} of register offset {:x}h failed on the bus: no such "
                                              "register (models/registers/wordline.rdl), or not allowed",
                                              name(), what, offset)
                                      .c_str());
  throw Halt{};
}

void NativeCore::panic(const char* file, std::uint32_t line) {
  sc_core::sc_stop();
  SC_REPORT_ERROR("wordline/cpu", fmt::format("{}: firmware panic at {}:{}", name(), file, line).c_str());
  throw Halt{};  // a report handler that returns must not let the firmware go on past a failed check
}

}  // namespace wordline::cpu
