// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tlm/device/cpu/interrupt_line_if.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/register_socket.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::cpu {

/// The IRQ register block of up to eight cores: ENABLE, CLAIM (reading clears), IPI. The module itself is the
/// InterruptIf of the hardware blocks; lines[i] is core i's interrupt.
///
/// A source is latched at every core, enabled or not; the line is high while an enabled source is latched. raise()
/// acts at the present. An IPI acts when the store arrives (its annotated delay). ENABLE and CLAIM act at once, also
/// from a core that is ahead of simulated time: a claim takes what is latched by the present, and what comes after
/// raises the line again, so nothing is lost; at worst the core wakes once more. IPIs that are on their way wait in the
/// line that they are for and are latched at the next access or query: this module has no process. Source: our design
/// (models/registers/wordline.rdl).
class InterruptController final : public sc_core::sc_module, public tlm_if::InterruptIf {
 public:
  InterruptController(const sc_core::sc_module_name& name, const tlm_if::SimulationContext& context, unsigned cores);

  tlm_if::RegisterSocket socket;
  sc_core::sc_vector<sc_core::sc_export<InterruptLineIf>> lines;

  void raise(unsigned source) override;

 private:
  class Line final : public InterruptLineIf {
   public:
    explicit Line(const tlm_if::SimulationContext& context) : context_(context) {}

    [[nodiscard]] bool level() const override { return (latched() & enable_) != 0; }
    void listen(Listener& listener) override { listener_ = &listener; }
    void announce() const override {
      if (!ipis_.empty()) notify(ipis_.front());
    }
    [[nodiscard]] std::uint32_t enable() const { return enable_; }
    void set_enable(std::uint32_t sources);
    void latch(std::uint32_t sources);
    void ipi_after(Picoseconds delay);
    std::uint32_t claim();

   private:
    /// With the IPIs that have arrived by now.
    [[nodiscard]] std::uint32_t latched() const { return ipis_.empty() ? latched_ : with_ipis(); }
    std::uint32_t with_ipis() const;  // those that have arrived are latched
    void notify(Picoseconds rise) const {
      if (listener_ != nullptr) listener_->interrupt_rises(rise);
    }

    const tlm_if::SimulationContext& context_;
    std::uint32_t enable_ = 0;
    mutable std::uint32_t latched_ = 0;
    mutable std::vector<Picoseconds> ipis_;  // ipis on their way, a heap by time
    Listener* listener_ = nullptr;
  };

  bool read(std::uint32_t offset, std::uint32_t& value);
  bool write(std::uint32_t offset, std::uint32_t value, Picoseconds delay);

  static constexpr unsigned kMaxCores = 8;
  std::vector<std::unique_ptr<Line>> line_;
  unsigned cores_;
};

}  // namespace wordline::cpu
