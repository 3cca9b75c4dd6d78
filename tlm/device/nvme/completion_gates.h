// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/units/quantity.h"
#include "rtl/verilated/completion.h"
#include "tlm/device/engines/pipeline.h"
#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/reports.h"
#include "tlm/device/nvme/nvme.h"

namespace wordline::host::nvme {

/// engines.model = rtl: the completion engine in gates (rtl/engines/completion.sv), beside the model. It is told of
/// every completion queue, head doorbell, mask and coalescing; of each completion entry it gets what the model has no
/// place for, and must say the slot of the queue, the bytes with the phase tag, and which messages follow, as the model
/// does. What it does takes no simulated time here: each call lets it run until it has nothing to do. The time of an
/// entry is CompletionPath's.
///
/// A difference is an error of the run that names what was asked and the clock; after the first one the gates are not
/// clocked on.
class CompletionGates {
 public:
  /// The beat of TIME, which the gates count.
  static constexpr Picoseconds kTick{100'000'000};
  using Bytes = std::array<std::byte, sizeof(CompletionEntry)>;

  /// `engine` counts the clocks of entries and their messages.
  CompletionGates(const Agenda& agenda, const Reports& reports, engines::Pipeline& engine);
  CompletionGates(const CompletionGates&) = delete;
  CompletionGates& operator=(const CompletionGates&) = delete;

  /// Controller reset: no queue, no mask, no message.
  void reset();
  void created(std::uint32_t qid, std::uint64_t base, std::uint32_t size, bool interrupts, std::uint16_t vector);
  void deleted(std::uint32_t qid);
  /// A head doorbell, which the model has taken or refused.
  void head(std::uint32_t qid, std::uint32_t value, bool taken);
  void coalesce(std::uint32_t value);
  void coalesce_vector(unsigned vector, bool disabled);
  void mask(std::uint32_t vectors, bool masked);
  /// An entry that the model puts at `address` of host memory; written() follows.
  void entry(std::uint32_t qid, const CompletionEntry& entry, std::uint64_t address);
  /// Host memory has the entry, or has not taken it.
  void written(bool good);
  /// Ticks until now.
  void run_ticks();
  /// The model sends a message: the gates have sent one of that vector at this instant.
  void message(unsigned vector);

 private:
  using Inputs = rtl::Completion::Inputs;
  using Outputs = rtl::Completion::Outputs;
  struct Message {
    unsigned vector;
    Picoseconds at;
  };
  template <class Step>
  void guarded(std::string asked, Step step);
  void command(std::string asked, const rtl::Completion::Command& command, bool refused = false);
  void expect_no_other_message() const;
  Outputs clock(const Inputs& inputs);
  void settle(std::uint64_t most);
  void check_entry(const Outputs& out, const Bytes& bytes, std::uint64_t address) const;
  [[noreturn]] void fail(const std::string& what) const;

  const Agenda& agenda_;
  const Reports& reports_;
  engines::Pipeline& engine_;
  std::unique_ptr<rtl::Completion> gates_;
  bool failed_ = false, fatal_ = false;
  std::string asked_;              // that is under way
  std::string entry_;              // the entry before, and ...
  Inputs post_;                    // ... what is offered in the clock that takes it, in which host memory has it
  std::vector<Message> messages_;  // that the gates have sent and the model has not
  Picoseconds at_{};               // of what the gates do
  std::int64_t ticks_ = 0;         // since the start, that the gates have had
  std::uint64_t requests_ = 0, entries_ = 0, clock_ = 0;
};

}  // namespace wordline::host::nvme
