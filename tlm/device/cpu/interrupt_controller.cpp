// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/cpu/interrupt_controller.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "models/firmware/contract/contract.h"
#include "registers/wordline_regs.hpp"

namespace wordline::cpu {
namespace regs = registers;

InterruptController::InterruptController(const sc_core::sc_module_name& name, const tlm_if::SimulationContext& context,
                                         unsigned cores)
    : sc_module(name),
      socket(
          "socket", [this](std::uint32_t offset, std::uint32_t& value, Picoseconds&) { return read(offset, value); },
          [this](std::uint32_t offset, std::uint32_t value, Picoseconds& delay) {
            return write(offset, value, delay);
          }),
      lines("line", cores),
      cores_(cores) {
  static_assert(kMaxCores == regs::irq::kCount, "one register set per core");
  if (cores > kMaxCores) {
    SC_REPORT_FATAL(
        "wordline/cpu",
        fmt::format("{}: {} cores, at most {} have interrupt registers", this->name(), cores, kMaxCores).c_str());
  }
  for (unsigned i = 0; i < cores; ++i) {
    line_.push_back(std::make_unique<Line>(context));
    lines[i].bind(*line_[i]);
  }
}

std::uint32_t InterruptController::Line::with_ipis() const {
  const Picoseconds now = context_.now();
  if (ipis_.front() > now) return latched_;
  do {
    std::pop_heap(ipis_.begin(), ipis_.end(), std::greater<>());
    ipis_.pop_back();
  } while (!ipis_.empty() && ipis_.front() <= now);
  latched_ |= 1U << WL_IRQ_IPI;
  return latched_;
}

void InterruptController::Line::latch(std::uint32_t sources) {
  latched_ |= sources;
  if (level()) notify(context_.now());
}

void InterruptController::Line::set_enable(std::uint32_t sources) {
  enable_ = sources;
  latch(0);  // a source latched before is seen now
}

void InterruptController::Line::ipi_after(Picoseconds delay) {
  if (delay == Picoseconds(0)) return latch(1U << WL_IRQ_IPI);
  ipis_.push_back(context_.now() + delay);
  std::push_heap(ipis_.begin(), ipis_.end(), std::greater<>());
  notify(context_.now() + delay);
}

std::uint32_t InterruptController::Line::claim() {
  const std::uint32_t sources = latched() & enable_;
  latched_ &= ~sources;
  return sources;
}

void InterruptController::raise(unsigned source) {
  if ((1U << source & regs::irq::enable_sources_mask) == 0 || source >= 32) {
    SC_REPORT_ERROR("wordline/cpu", fmt::format("{}: no interrupt source {}", name(), source).c_str());
    return;
  }
  for (unsigned i = 0; i < cores_; ++i) line_[i]->latch(1U << source);
}

bool InterruptController::read(std::uint32_t offset, std::uint32_t& value) {
  const unsigned core = offset / regs::irq::kStride;
  if (core >= cores_) return false;
  Line& line = *line_[core];
  switch (offset % regs::irq::kStride) {
    case regs::irq::enable:
      value = line.enable();
      return true;
    case regs::irq::claim:
      value = line.claim();
      return true;
    default:
      return false;
  }
}

bool InterruptController::write(std::uint32_t offset, std::uint32_t value, Picoseconds delay) {
  const unsigned core = offset / regs::irq::kStride;
  if (core >= cores_) return false;
  switch (offset % regs::irq::kStride) {
    case regs::irq::enable:
      line_[core]->set_enable(value & regs::irq::enable_sources_mask);
      return true;
    case regs::irq::ipi:
      if ((value & regs::irq::ipi_raise_mask) != 0) line_[core]->ipi_after(delay);
      return true;
    default:
      return false;
  }
}

}  // namespace wordline::cpu
