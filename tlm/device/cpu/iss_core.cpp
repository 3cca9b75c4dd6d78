// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/cpu/iss_core.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "models/firmware/contract/memory_map.h"
#include "models/firmware/contract/observation.h"
#include "models/riscv/disassemble.h"
#include "registers/wordline_regs.hpp"

namespace wordline::cpu {
namespace {

riscv::HartConfig hart_config(const config::Cpu& cpu, unsigned index) {
  riscv::HartConfig config;
  config.hart_id = index;
  config.observation = {WL_CSR_TASK, WL_CSR_COMMAND, WL_CSR_MARK, WL_COMMAND_NONE};
  config.stop_on_ebreak = false;  // an exception as any other
  config.trap_misaligned = cpu.misaligned == config::Misaligned::kTrap;
  config.translate = cpu.translate;
  config.costs.mul = cpu.mul_cycles;
  config.costs.div = cpu.div_cycles;
  config.costs.branch_not_taken = cpu.branch_cycles;
  config.costs.branch_taken = cpu.branch_taken_cycles;
  config.costs.jump = cpu.jump_cycles;
  config.costs.jump_register = cpu.jump_register_cycles;
  config.costs.csr = cpu.csr_cycles;
  config.costs.amo = cpu.atomic_cycles;
  config.costs.trap = config.costs.mret = cpu.trap_cycles;
  config.costs.load_use = cpu.load_use_cycles;
  return config;
}

constexpr std::uint32_t kDramEnd = WL_DRAM_BASE + (WL_DRAM_SIZE - 4096);  // so that a stray negative index faults
constexpr Picoseconds kHeldPoll(1'000'000);                               // a core that gdb holds asks again
/// Deallocates a logical page: a pass over the whole map may take longer than any watchdog, and is no endless loop.
constexpr std::uint32_t kPass = WL_COST_FTL_TRIM_SECTOR;
constexpr std::uint32_t kTrap = 0x80000000;  // the firmware's trap handler panics with this bit and the address

std::int64_t whole_period(Hertz clock) {
  constexpr std::uint64_t kSecond = 1'000'000'000'000;
  return kSecond % clock.count() == 0 ? static_cast<std::int64_t>(kSecond / clock.count()) : 0;
}

}  // namespace

IssCore::IssCore(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Cpu& config,
                 unsigned index, const riscv::ElfFile& image, tlm_if::RecorderIf* recorder)
    : Core(name, context, config, index, recorder),
      image_(image),
      period_(whole_period(config.clock)),
      hart_(hart_config(config, index), *this, this) {
  const auto product = static_cast<unsigned __int128>(config.quantum.count()) * config.clock.count();
  quantum_ = static_cast<std::uint64_t>(product / 1'000'000'000'000ULL);
  SC_HAS_PROCESS(IssCore);
  if (config.quantum == Picoseconds(0)) {
    SC_THREAD(run_alone);
  }
}

void IssCore::start_of_simulation() {
  // Instruction memory is read-only for the cores: a store through a null pointer traps.
  const Memory itcm = direct_memory(WL_ITCM_BASE, "instruction memory");
  const Memory tcm = direct_memory(WL_TCM_BASE, "tightly coupled memory");
  Memory dram = direct_memory(WL_DRAM_BASE, "DRAM");
  dram.bytes = std::min<std::size_t>(dram.bytes, kDramEnd - WL_DRAM_BASE);
  const auto add = [this](const Memory& memory, std::uint32_t base, std::uint32_t load, std::uint32_t store,
                          bool code) {
    if (memory.data == nullptr) return;
    hart_.add_region({base, static_cast<std::uint32_t>(memory.bytes), memory.data, load, store, code, !code});
  };
  add(itcm, WL_ITCM_BASE, config_.load_tcm_cycles, 1, true);
  if (tcm.data != nullptr) add_tcm(tcm);
  add(dram, WL_DRAM_BASE, config_.load_dram_cycles, config_.store_dram_cycles, false);
  if (index_ == 0) {
    image_.load([this](std::uint32_t address, std::uint32_t bytes) { return hart_.host_pointer(address, bytes); });
  }
  hart_.reset(image_.entry());
  watchdog_ = cycles_for(config_.watchdog);
  if (recording()) record_task(hart_.tag(), now());
  listen();
  go_on_at(now());
}

// In pieces, with the guards left out.
void IssCore::add_tcm(const Memory& tcm) {
  stacks_ = stacks_of(image_, config_.cores);
  const auto add = [&](std::uint32_t from, std::uint32_t to) {
    if (from == to) return;
    hart_.add_region({from, to - from, tcm.data + (from - WL_TCM_BASE), config_.load_tcm_cycles, 1, false, true});
  };
  const std::uint32_t end = WL_TCM_BASE + static_cast<std::uint32_t>(tcm.bytes);
  if (!stacks_.empty() && stacks_.front().top > end) stacks_.clear();
  std::uint32_t from = WL_TCM_BASE;
  for (auto stack = stacks_.rbegin(); stack != stacks_.rend(); ++stack) {
    add(from, stack->guard);
    from = stack->bottom;
  }
  add(from, end);
}

void IssCore::enable_profile() {
  profile_ = std::make_unique<riscv::CycleProfile>(image_);
  hart_.set_profile(profile_.get());
  busy_trace_ = std::make_unique<BusyTrace>();
}

const riscv::CycleProfile* IssCore::profile() {
  hart_.flush_profile();
  return profile_.get();
}

CoreStatistics IssCore::statistics() const {
  CoreStatistics out;
  out.clock = config_.clock;
  out.busy = cycles_time(hart_.cycles() - hart_.idle_cycles(), config_.clock);
  out.instructions = hart_.instructions();
  const riscv::TagCosts tags = hart_.tag_costs();
  std::copy_n(tags.cycles.begin(), out.cycles.size(), out.cycles.begin());
  std::copy_n(tags.entries.begin(), out.entries.size(), out.entries.begin());
  return out;
}

Picoseconds IssCore::local_time() const {
  if (period_ != 0) return Picoseconds(static_cast<std::int64_t>(hart_.cycles()) * period_);
  return cycles_time(hart_.cycles(), config_.clock);
}

std::uint64_t IssCore::cycles_for(Picoseconds d) const {
  if (d <= Picoseconds(0)) return 0;
  if (period_ != 0) return static_cast<std::uint64_t>((d.count() + period_ - 1) / period_);
  const auto product = static_cast<unsigned __int128>(d.count()) * config_.clock.count();
  auto cycles = static_cast<std::uint64_t>(product / 1'000'000'000'000ULL);
  // cycles_time() rounds up, so a delay that was made from whole cycles gives the same number back.
  while (cycles_time(cycles, config_.clock) < d) ++cycles;
  return cycles;
}

void IssCore::activate() {
  if (config_.quantum == Picoseconds(0)) {
    notify(go_on_);
  } else {
    run();
  }
}

void IssCore::run_alone() {
  for (;;) {
    wait(go_on_);
    run();
  }
}

/// Until the core has to wait: for simulated time, for an interrupt, for a debugger.
void IssCore::run() {
  switch (state_) {
    case State::kRuns:
      break;
    case State::kSleeps:
      if (!interrupt->level()) return await_interrupt();
      wake();
      break;
    case State::kHeld: {
      const std::uint64_t present = cycles_for(now());
      if (present > hart_.cycles()) hart_.skip_idle(present - hart_.cycles());
      last_progress_ = hart_.cycles();
      state_ = State::kRuns;
      break;
    }
    case State::kFails:
      return fail(failure_);
    case State::kStopped:
      return;
  }
  while (state_ == State::kRuns) {
    hart_.set_interrupt(riscv::kIrqExternal, interrupt->level());
    // A wake-up can find the core ahead already.
    const std::uint64_t end = cycles_for(now()) + quantum_;
    switch (const riscv::StopReason reason = run_hart(end > hart_.cycles() ? end - hart_.cycles() : 1)) {
      case riscv::StopReason::kBudget:
        tell_work(local_time());
        if (watchdog_ != 0 && hart_.cycles() - last_progress_ > watchdog_) {
          return fail_later(
              fmt::format("has run for {:.6f} ms (cpu.watchdog) without sleeping and without writing a register: an "
                          "endless loop?",
                          static_cast<double>(config_.watchdog.count()) * 1e-9));
        }
        if (lags()) return go_on_at(local_time());
        break;
      case riscv::StopReason::kWfi:
        sleep();
        break;
      case riscv::StopReason::kHeld:
        tell_work(local_time());
        state_ = State::kHeld;
        return go_on_at(std::max(local_time(), now()) + kHeldPoll);
      case riscv::StopReason::kStopRequested:  // reported where it was asked for
        state_ = State::kStopped;
        return;
      case riscv::StopReason::kException:
        return fail_later(describe_exception(place(), cause_, tval_));
      case riscv::StopReason::kEbreak:  // never: it is an exception here
      case riscv::StopReason::kLockup:
        return stopped(reason);
    }
  }
}

riscv::StopReason IssCore::run_hart(std::uint64_t cycles) {
  if (busy_trace_ == nullptr) return hart_.run(cycles);
  const Picoseconds from = local_time();
  const riscv::StopReason reason = hart_.run(cycles);
  busy_trace_->add(from, local_time());
  return reason;
}

bool IssCore::lags() const { return now() < local_time(); }

void IssCore::catch_up_in_thread() {
  tell_work(local_time());
  if (lags()) wait(tlm_if::to_sc_time(local_time() - now()));
}

void IssCore::sleep() {
  // With a quantum the core need not catch up first: an interrupt that comes before its own time of WFI ends WFI at
  // once.
  if (config_.quantum == Picoseconds(0)) catch_up_in_thread();
  work(WL_NO_TAG, local_time());
  listen();
  if (interrupt->level()) return end_sleep();
  if (recording()) record_sleep(local_time());
  state_ = State::kSleeps;
  await_interrupt();
}

void IssCore::wake() {
  const std::uint64_t woken = cycles_for(now());
  if (woken > hart_.cycles()) hart_.skip_idle(woken - hart_.cycles());
  if (recording()) record_task(hart_.tag(), local_time());
  state_ = State::kRuns;
  end_sleep();
}

void IssCore::end_sleep() {
  last_progress_ = hart_.cycles();
  hart_.set_interrupt(riscv::kIrqExternal, true);
  if (hart_.wake_pending()) return;
  // The line is high, but the firmware has not set mie.MEIE: nothing can ever wake this core.
  fail("WFI with external interrupts disabled in mie: the core would sleep forever");
}

void IssCore::stopped(riscv::StopReason reason) {
  std::string what = fmt::format("the firmware stopped ({})", riscv::to_string(reason));
  std::uint32_t cause = 0;
  std::uint32_t epc = 0;
  if (hart_.read_csr(0x342, cause) && hart_.read_csr(0x341, epc) && (cause >> 31) == 0 && epc != 0) {
    what += fmt::format("; last exception: {} in {}", riscv::cause_name(cause), image_.function_name(epc));
  }
  fail_later(what);
}

bool IssCore::exception(std::uint32_t cause, std::uint32_t tval) {
  cause_ = cause;
  tval_ = tval;
  return config_.on_exception == config::OnException::kHandler;
}

std::string IssCore::text_at(std::uint32_t address) {
  constexpr std::size_t kLongest = 200;
  std::string text;
  for (std::byte* c = nullptr; text.size() != kLongest; text += static_cast<char>(*c)) {
    c = hart_.host_pointer(address + static_cast<std::uint32_t>(text.size()), 1);
    if (c == nullptr || *c == std::byte{0}) break;
  }
  return text;
}

void IssCore::fail_later(const std::string& what) {
  tell_work(local_time());
  failure_ = what;
  state_ = State::kFails;
  go_on_at(std::max(local_time(), now()));
}

void IssCore::fail(const std::string& what) {
  state_ = State::kStopped;
  sc_core::sc_stop();  // a report handler that returns does not keep the drive running
  SC_REPORT_ERROR("wordline/cpu", fmt::format("{}: {}{}", name(), what, describe_place(place())).c_str());
}

bool IssCore::transport(tlm::tlm_command command, std::uint32_t address, unsigned size, std::uint32_t& value) {
  if (size != 4) return false;  // registers are words
  // The memories behind the bus have no guards.
  if (address >= kDramEnd) return false;
  for (const StackArea& stack : stacks_)
    if (address - stack.guard < stack.bottom - stack.guard) return false;
  if (config_.quantum == Picoseconds(0)) catch_up_in_thread();
  const Picoseconds begin = local_time();
  const Picoseconds lead = std::max(begin - now(), Picoseconds(0));
  Picoseconds local = lead;
  const bool known = access(command, address, value, local);
  hart_.stall(cycles_for(local - lead));
  hart_.set_interrupt(riscv::kIrqExternal, interrupt->level());  // a claim lowers the line at once
  return known;
}

bool IssCore::read(std::uint32_t address, unsigned size, std::uint32_t& value) {
  return transport(tlm::TLM_READ_COMMAND, address, size, value);
}

bool IssCore::write(std::uint32_t address, unsigned size, std::uint32_t value) {
  namespace uart = registers::uart;
  if (address == WL_MMIO_BASE + uart::kBase + uart::panic && size == 4) {
    // Here and not in the log, which does not have the core that panics.
    fail(value < kTrap
             ? fmt::format("firmware panic at {}:{}", text_at(panic_file_), value)
             : fmt::format("firmware panic: its trap handler ran, from {}", image_.function_name(value - kTrap)));
    hart_.request_stop();
    return true;
  }
  if (address == WL_MMIO_BASE + uart::kBase + uart::panic_file && size == 4) {
    panic_file_ = value;
    return true;
  }
  if (address != WL_MMIO_BASE + uart::kBase + uart::tx) last_progress_ = hart_.cycles();
  return transport(tlm::TLM_WRITE_COMMAND, address, size, value);
}

void IssCore::tag(std::uint32_t tag) {
  if (!known_task(tag)) {
    hart_.request_stop();
    return;
  }
  if (tag == kPass) last_progress_ = hart_.cycles();
  if (working() && is_between(tag)) work(WL_NO_TAG, local_time());
  if (recording()) record_task(tag, local_time());
  listen();
}

void IssCore::context(std::uint32_t) {
  if (working()) work(WL_NO_TAG, local_time());
  listen();
}

void IssCore::mark(std::uint32_t value) {
  Core::mark(value, local_time());
  listen();
}

void IssCore::listen() {
  static_assert(WL_COST_COUNT < riscv::kTags, "there are tags that no firmware may set");
  constexpr std::uint64_t kUnknown = ~std::uint64_t{0} << WL_COST_COUNT;
  constexpr std::uint64_t kBetween =
      std::uint64_t{1} << WL_COST_LOOP | std::uint64_t{1} << WL_COST_IDLE | std::uint64_t{1} << WL_COST_WAKE;
  if (recording()) {
    hart_.report_only(~std::uint64_t{0}, true);
    return;
  }
  constexpr std::uint64_t kAlways = kUnknown | std::uint64_t{1} << kPass;
  hart_.report_only(working() ? kAlways | kBetween : kAlways, working());
}

}  // namespace wordline::cpu
