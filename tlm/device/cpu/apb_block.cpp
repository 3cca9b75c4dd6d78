// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/cpu/apb_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "models/checks/load.h"
#include "models/firmware/contract/contract.h"
#include "models/units/clock_period.h"

namespace wordline::cpu {
namespace {

constexpr unsigned kLongestWait = 1000;  // clocks of a transfer
constexpr const char* kScope = "ssd.apb";

rtl::LoadedBlock loaded(const std::string& file) {
  try {
    return rtl::LoadedBlock(file, rtl::slot_of(rtl::SlotId::kApbBlock));
  } catch (const rtl::SlotError& error) {
    throw config::ConfigError(fmt::format("cpu.apb.block: error: {}", error.what()));
  }
}

std::vector<rtl::LoadedBlock::Handle> shown_of(const rtl::LoadedBlock& block) {
  std::vector<rtl::LoadedBlock::Handle> shown;
  for (const rtl::SlotPort& port : rtl::slot_of(rtl::SlotId::kApbBlock).ports) {
    if (std::string_view(port.name) != "clk_i") shown.push_back(block.pin(port.name));
  }
  for (std::uint32_t i = 0; i < block.description().status_count; ++i) {
    shown.push_back(block.description().status[i].pin);
  }
  return shown;
}

void add_counter(results::Registry& registry, const char* name, results::Statistic::Read read) {
  registry.add_to_sum(results::Name("apb.count.NAME", {name}), "as the block says",
                      "The block's counter NAME, the port count_NAME_o, at the end of the run.", std::move(read));
}

void add_all(results::Registry& registry, const results::Statistic::Read& reads, const results::Statistic::Read& writes,
             const results::Statistic::Read& errors, const results::Statistic::Read& interrupts,
             const results::Statistic::Read& clocks) {
  registry.add_to_sum("apb.reads", "transfers", "Reads of the cores, those that ended with an error included.", reads);
  registry.add_to_sum("apb.writes", "transfers", "Writes of the cores, likewise.", writes);
  registry.add_to_sum("apb.errors", "transfers", "Of both: ended with pslverr_o, an access fault of the core.", errors);
  registry.add_to_sum("apb.interrupts", "interrupts", "Rises of irq_o.", interrupts);
  registry.add_to_sum("apb.clocks", "clocks",
                      "Clocks of the block: two in reset, in transfers, and while busy_o was high.", clocks);
}

}  // namespace

ApbBlock::ApbBlock(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context,
                   const config::ApbBlock& config, tlm_if::RecorderIf* recorder)
    : sc_module(name),
      socket(
          "socket",
          [this](std::uint32_t offset, std::uint32_t& value, Picoseconds& delay) {
            Transfer transfer{false, offset, 0};
            const bool good = access(transfer, delay);
            value = transfer.data;
            return good;
          },
          [this](std::uint32_t offset, std::uint32_t value, Picoseconds& delay) {
            Transfer transfer{true, offset, value};
            return access(transfer, delay);
          }),
      file_(config.block),
      period_(cycles_time(1, config.clock)),
      block_(loaded(config.block)),
      pins_{block_.pin("rst_ni"),   block_.pin("psel_i"),    block_.pin("penable_i"), block_.pin("pwrite_i"),
            block_.pin("paddr_i"),  block_.pin("pwdata_i"),  block_.pin("pstrb_i"),   block_.pin("prdata_o"),
            block_.pin("pready_o"), block_.pin("pslverr_o"), block_.pin("irq_o"),     block_.pin("busy_o")},
      shown_(shown_of(block_)),
      window_(rtl::window_pins(block_, shown_)),
      recorder_(recorder),
      wake_(context.alarms(), *this) {
  if (recorder_ != nullptr) {
    for (const rtl::PortWindow::Pin& pin : rtl::window_pins(block_, shown_)) {
      signals_.push_back(pin.bits == 1 ? recorder_->add_bit(kScope, pin.name)
                                       : recorder_->add_vector(kScope, pin.name, pin.bits));
    }
    if (!recorder_->folder().empty()) block_.trace(fmt::format("{}/{}.fst", recorder_->folder(), kScope));
  }
  block_.set(pins_.rst_n, 0);
  try {
    clock();
    clock();
  } catch (const rtl::SlotError& error) {
    throw config::ConfigError(fmt::format("cpu.apb.block: error: {}: in reset: {}", file_, error.what()));
  }
  block_.set(pins_.rst_n, 1);
  in_reset_ = false;
  last_edge_ = {};
}

/// The values that hold from the last edge on.
void ApbBlock::show() {
  if (!tlm_if::listens(recorder_)) return;
  const Picoseconds at = std::max(last_edge_, wake_.now());
  for (std::size_t i = 0; i < shown_.size(); ++i) recorder_->set(signals_[i], at, block_.get(shown_[i]));
}

void ApbBlock::check() const {
  const bool ends = block_.get(pins_.enable) != 0 && block_.get(pins_.ready) != 0;
  if (!in_reset_ && block_.get(pins_.error) != 0 && !ends) {
    throw rtl::SlotError("pslverr_o is high, and no transfer ends");
  }
}

/// The next edge, a period after the last one or after where run_to() has put it.
void ApbBlock::clock() {
  block_.evaluate();
  std::uint64_t* values = window_.next();
  for (const rtl::LoadedBlock::Handle pin : shown_) *values++ = block_.get(pin);
  check();
  if (!in_reset_) show();
  block_.clock();
  last_edge_ += period_;
  if (!in_reset_) show();
  const bool irq = block_.get(pins_.irq) != 0;
  if (in_reset_ && irq) throw rtl::SlotError("irq_o is high in reset");
  if (irq && !irq_) {
    ++interrupts_;
    rises_.push_back(last_edge_);
  }
  irq_ = irq;
}

/// Edges up to the first one that is not before `at`; the clock of a block at rest stands still.
void ApbBlock::run_to(Picoseconds at) {
  block_.evaluate();
  while (last_edge_ < at && block_.get(pins_.busy) != 0) clock();
  if (last_edge_ >= at) return;
  last_edge_ = period_ * ((at.count() + period_.count() - 1) / period_.count());
}

void ApbBlock::alarm() {
  if (failed_) return;
  try {
    run_to(wake_.now());
  } catch (const rtl::SlotError& error) {
    failed(error.what());
    return;
  }
  while (!rises_.empty() && rises_.front() <= wake_.now()) {
    rises_.pop_front();
    interrupt->raise(WL_IRQ_APB);
  }
  set_alarm();
}

/// For the next interrupt, or the next edge of a block that is busy.
void ApbBlock::set_alarm() {
  if (!rises_.empty()) wake_.set_no_later_than(std::max(rises_.front(), wake_.now()));
  if (block_.get(pins_.busy) != 0) wake_.set_no_later_than(std::max(last_edge_ + period_, wake_.now()));
}

bool ApbBlock::carry_out(Transfer& transfer) {
  block_.set(pins_.select, 1);
  block_.set(pins_.enable, 0);
  block_.set(pins_.write, transfer.write ? 1 : 0);
  block_.set(pins_.address, transfer.offset);
  block_.set(pins_.write_data, transfer.write ? transfer.data : 0);
  block_.set(pins_.strobes, transfer.write ? 0xf : 0);
  clock();
  block_.set(pins_.enable, 1);
  block_.evaluate();
  for (unsigned waited = 0; block_.get(pins_.ready) == 0; ++waited) {
    if (waited == kLongestWait) throw rtl::SlotError(fmt::format("pready_o stays low for {} clocks", kLongestWait));
    clock();
    block_.evaluate();
  }
  const bool good = block_.get(pins_.error) == 0;
  if (!transfer.write) transfer.data = static_cast<std::uint32_t>(block_.get(pins_.read_data));
  clock();
  block_.set(pins_.select, 0);
  block_.set(pins_.enable, 0);
  block_.set(pins_.strobes, 0);
  block_.evaluate();
  show();
  return good;
}

bool ApbBlock::access(Transfer& transfer, Picoseconds& delay) {
  if (failed_) return true;
  ++(transfer.write ? writes_ : reads_);
  try {
    run_to(wake_.now() + delay);
    const bool good = carry_out(transfer);
    errors_ += good ? 0 : 1;
    delay = std::max(delay, last_edge_ - wake_.now());
    set_alarm();
    return good;
  } catch (const rtl::SlotError& error) {
    failed(fmt::format("{} at {:#x}: {}", transfer.write ? "write" : "read", transfer.offset, error.what()));
    return true;
  }
}

void ApbBlock::failed(const std::string& what) {
  failed_ = true;
  const std::string text =
      fmt::format("cpu.apb.block = {}: access {}, clock {}: {}", file_, reads_ + writes_, block_.clocks(), what);
  SC_REPORT_ERROR("wordline/apb", text.c_str());
}

std::vector<std::string> ApbBlock::leave_evidence(const std::string& folder) const {
  if (!failed_) return {};
  const std::string file = fmt::format("{}/{}.vcd", folder, kScope);
  window_.write(file, block_.description().top);
  return {file};
}

void ApbBlock::register_statistics(results::Registry& registry) const {
  add_all(
      registry, [this] { return reads_; }, [this] { return writes_; }, [this] { return errors_; },
      [this] { return interrupts_; }, [this] { return block_.clocks(); });
  const wordline_rtl_block& block = block_.description();
  for (std::uint32_t i = 0; i < block.status_count; ++i) {
    const wordline_rtl_status& status = block.status[i];
    if (status.kind != WORDLINE_RTL_COUNTED) continue;
    add_counter(registry, status.name, [this, pin = status.pin] { return block_.get(pin); });
  }
}

void explain_apb_block(results::Registry& registry) {
  const auto none = [] { return std::uint64_t{0}; };
  add_all(registry, none, none, none, none, none);
  add_counter(registry, "NAME", none);
}

std::string describe_block(const config::ApbBlock& config) {
  if (config.block.empty()) return {};
  const rtl::LoadedBlock block = loaded(config.block);
  return fmt::format("cpu.apb.block: module {} of {}, for the slot apb_block\n", block.description().top, config.block);
}

}  // namespace wordline::cpu
