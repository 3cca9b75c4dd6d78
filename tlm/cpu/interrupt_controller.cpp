// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/cpu/interrupt_controller.h"

#include <algorithm>
#include <string>

#include "models/firmware/contract.h"
#include "registers/wordline_regs.hpp"

namespace wordline::cpu {
namespace regs = registers;

namespace {
constexpr auto kLater = [](const auto& a, const auto& b) { return a.at > b.at; };
}

InterruptController::InterruptController(const sc_core::sc_module_name& name, unsigned cores)
    : sc_module(name),
      lines("line", cores),
      cores_(cores),
      registers_([this](std::uint32_t offset, std::uint32_t& value, sc_core::sc_time&) { return read(offset, value); },
                 [this](std::uint32_t offset, std::uint32_t value, sc_core::sc_time& delay) {
                   return write(offset, value, delay);
                 }) {
  static_assert(kMaxCores == regs::irq::kCount, "one register set per core");
  if (cores > kMaxCores) {
    const std::string text = std::string(this->name()) + ": " + std::to_string(cores) + " cores, at most " +
                             std::to_string(kMaxCores) + " have interrupt registers";
    SC_REPORT_FATAL("wordline/cpu", text.c_str());
  }
  socket.register_b_transport(this, &InterruptController::b_transport);
  for (unsigned i = 0; i < cores; ++i) lines[i].bind(line_[i]);
  ipis_.reserve(64);
  SC_HAS_PROCESS(InterruptController);
  SC_METHOD(deliver);
  sensitive << ipi_due_;
  dont_initialize();
}

void InterruptController::latch(Line& line, std::uint32_t sources) {
  line.latched |= sources;
  if (line.level()) line.rise.notify();
}

void InterruptController::raise(unsigned source) {
  if ((1U << source & regs::irq::enable_sources_mask) == 0 || source >= 32) {
    const std::string text = std::string(name()) + ": no interrupt source " + std::to_string(source);
    SC_REPORT_ERROR("wordline/cpu", text.c_str());
    return;
  }
  for (unsigned i = 0; i < cores_; ++i) latch(line_[i], 1U << source);
}

bool InterruptController::read(std::uint32_t offset, std::uint32_t& value) {
  const unsigned core = offset / regs::irq::kStride;
  if (core >= cores_) return false;
  Line& line = line_[core];
  switch (offset % regs::irq::kStride) {
    case regs::irq::enable:
      value = line.enable;
      return true;
    case regs::irq::claim:
      value = line.latched & line.enable;
      line.latched &= ~value;
      return true;
    default:
      return false;
  }
}

bool InterruptController::write(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& delay) {
  const unsigned core = offset / regs::irq::kStride;
  if (core >= cores_) return false;
  switch (offset % regs::irq::kStride) {
    case regs::irq::enable:
      line_[core].enable = value & regs::irq::enable_sources_mask;
      latch(line_[core], 0);  // a source latched before is seen now
      return true;
    case regs::irq::ipi: {
      if ((value & regs::irq::ipi_raise_mask) == 0) return true;
      if (delay == sc_core::SC_ZERO_TIME) {
        latch(line_[core], 1U << WL_IRQ_IPI);
        return true;
      }
      ipis_.push_back({tlm_if::now() + Picoseconds(static_cast<std::int64_t>(delay.value())), core});
      std::push_heap(ipis_.begin(), ipis_.end(), kLater);
      ipi_due_.notify(delay);  // the earlier of two notifications stays
      return true;
    }
    default:
      return false;
  }
}

void InterruptController::deliver() {
  const Picoseconds now = tlm_if::now();
  while (!ipis_.empty() && ipis_.front().at <= now) {
    latch(line_[ipis_.front().core], 1U << WL_IRQ_IPI);
    std::pop_heap(ipis_.begin(), ipis_.end(), kLater);
    ipis_.pop_back();
  }
  if (!ipis_.empty()) ipi_due_.notify(tlm_if::to_sc_time(ipis_.front().at - now));
}

}  // namespace wordline::cpu
