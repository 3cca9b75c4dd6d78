// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <systemc>

#include "models/units/quantity.h"
#include "tlm/device/mover/agenda.h"
#include "tlm/device/nvme/arbiter.h"
#include "tlm/device/nvme/completion_gates.h"
#include "tlm/protocol/host_link_if.h"

namespace wordline::host {

/// How the controller reaches the host, beside host memory.
class HostInterruptIf : virtual public sc_core::sc_interface {
 public:
  /// MSI-X message `vector` arrives at the host at `at`, which is the present. One for every completion entry, unless
  /// the vector is coalesced; the entries are in host memory by then.
  virtual void interrupt(unsigned vector, Picoseconds at) = 0;
};

namespace nvme {

/// MSI-X messages to the host: the mask registers INTMS and INTMC (Base 3.1.3.3), and coalescing (Features 08h and 09h,
/// Base 3.3.3.3, 5.27.1.6). Without coalescing the message of a completion entry is sent by CompletionPath, right
/// behind the entry; here is what happens when it arrives. With it a message is sent when a vector has THR + 1 entries
/// that no message has told of, or TIME x 100 us after the first of them, whatever comes first.
///
/// Accuracy: entries count when they are in host memory. The host's head doorbell does not withdraw a message that is
/// due. The mask holds the first 32 vectors; it decides when a message is sent. Vector 0, of the admin queue, is never
/// coalesced. With nvme.coalescing_ticks, or the completion engine in gates, TIME ends at a tick of 100 us, as theirs.
class Interrupts final : private Agenda::Client {
 public:
  using Port = sc_core::sc_port<HostInterruptIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
  /// `ticks`: nvme.coalescing_ticks.
  Interrupts(Agenda& agenda, sc_core::sc_port<HostLinkIf>& link, Port& host, bool ticks)
      : agenda_(agenda), link_(link), host_(host), ticks_(ticks) {}

  /// The gates do the same, and are told of what comes from elsewhere.
  void follow(CompletionGates& gates) {
    gates_ = &gates;
    ticks_ = true;
  }

  /// A message behind an entry has arrived at the host, or stays pending while its vector is masked.
  void arrived(unsigned vector);
  /// A message of its own, though it is not on the link yet.
  void send(unsigned vector);
  void mask(std::uint32_t vectors) {
    masked_ |= vectors;
    if (gates_ != nullptr) gates_->mask(vectors, true);
  }
  /// Pending messages of these vectors are sent.
  void unmask(std::uint32_t vectors);
  [[nodiscard]] std::uint32_t masked() const { return masked_; }

  /// Dword 11 of Features 08h: THR, counted from 0, and TIME above it; either 0: no coalescing.
  void coalesce(std::uint32_t value);
  [[nodiscard]] std::uint32_t coalescing() const { return coalescing_; }
  void disable_coalescing(unsigned vector, bool disabled);
  [[nodiscard]] bool coalescing_disabled(unsigned vector) const { return vector == 0 || vectors_[vector].disabled; }
  /// Whether entries of the vector are told of by entry_posted().
  [[nodiscard]] bool coalesces(unsigned vector) const {
    return (coalescing_ & 0xffU) != 0 && coalescing_ >> 8 != 0 && !coalescing_disabled(vector);
  }
  /// An entry without a message of its own is in host memory.
  void entry_posted(unsigned vector);
  /// There are entries that no message has told of yet.
  [[nodiscard]] bool owes() const {
    return std::any_of(vectors_.begin(), vectors_.end(), [](const Vector& of) { return of.entries != 0; });
  }
  void reset();

 private:
  enum class Kind : std::uint32_t {
    kMessage,  // index: vector
    kTime,     // index: vector, value: messages that it had sent by then
  };
  struct Vector {
    bool disabled = false;
    std::uint32_t entries = 0;  // that no message has told of
    std::uint64_t messages = 0;
  };

  void act(const Agenda::Action& action) override;
  /// Whether it stays pending.
  bool hold_masked(unsigned vector);
  void tell(unsigned vector);
  [[nodiscard]] Picoseconds end_of_time() const;

  Agenda& agenda_;
  sc_core::sc_port<HostLinkIf>& link_;
  Port& host_;
  bool ticks_;
  std::uint32_t masked_ = 0, pending_ = 0;
  std::uint32_t coalescing_ = 0;
  std::array<Vector, kMaxIoQueues + 1> vectors_{};
  CompletionGates* gates_ = nullptr;  // null: engines.model = model
};

}  // namespace nvme
}  // namespace wordline::host
