// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/units/quantity.h"
#include "tlm/device/mover/agenda.h"
#include "tlm/protocol/host_link_if.h"

namespace wordline::host {

/// How the controller reaches the host, beside host memory.
class HostInterruptIf : virtual public sc_core::sc_interface {
 public:
  /// MSI-X message `vector` arrives at the host at `at`, which is the present. One for every completion entry; the
  /// entry is in host memory by then.
  virtual void interrupt(unsigned vector, Picoseconds at) = 0;
};

namespace nvme {

/// MSI-X messages to the host, and the mask registers INTMS and INTMC (Base 3.1.3.3). The message of a completion entry
/// is sent by CompletionPath, right behind the entry; here is what happens when it arrives. Accuracy: no coalescing;
/// the mask holds the first 32 vectors.
class Interrupts final : private Agenda::Client {
 public:
  using Port = sc_core::sc_port<HostInterruptIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  Interrupts(Agenda& agenda, sc_core::sc_port<HostLinkIf>& link, Port& host)
      : agenda_(agenda), link_(link), host_(host) {}

  /// A message has arrived at the host, or stays pending while its vector is masked.
  void arrived(unsigned vector);
  void mask(std::uint32_t vectors) { masked_ |= vectors; }
  /// Pending messages of these vectors are sent.
  void unmask(std::uint32_t vectors);
  [[nodiscard]] std::uint32_t masked() const { return masked_; }
  void reset() { masked_ = pending_ = 0; }

 private:
  enum class Kind : std::uint32_t { kUnmasked };  // index: vector
  void act(const Agenda::Action& action) override { host_->interrupt(action.index, action.at); }

  Agenda& agenda_;
  sc_core::sc_port<HostLinkIf>& link_;
  Port& host_;
  std::uint32_t masked_ = 0, pending_ = 0;
};

}  // namespace nvme
}  // namespace wordline::host
