// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "models/units/pool.h"
#include "tlm/protocol/engine_if.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/ring.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::flash {

/// The ring of completions of all channels, in tightly coupled memory. At a completion's time the entry is written,
/// then the counter, then WL_IRQ_FLASH is raised; the stage marks of the job are delivered. One event per completion
/// time; completions of the same time are written in the order in which they were announced and raise one interrupt.
/// Jobs with flags are offered to `engines` first.
class CompletionRing final : public sc_core::sc_module, private tlm_if::AlarmQueue::Client {
 public:
  CompletionRing(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context);

  sc_core::sc_port<tlm_if::SharedMemoryIf> memory{"memory"};
  sc_core::sc_port<tlm_if::InterruptIf> interrupt{"interrupt"};
  sc_core::sc_port<tlm_if::StageClockIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> stages{"stages"};
  sc_core::sc_port<tlm_if::FlashSinkIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> engines{"engines"};

  void set_base(std::uint32_t address) {
    base_ = address;
    ring_.close();
  }
  void set_size(std::uint32_t entries) {
    size_ = entries;
    ring_.close();
  }
  [[nodiscard]] std::uint32_t base() const { return base_; }
  [[nodiscard]] std::uint32_t size() const { return size_; }

  /// Completes `job` at `at`, not before the present. `tag`: WL_NO_TAG, no marks. `outstanding` is decremented then.
  void complete(Picoseconds at, const wl_flash_completion& completion, std::uint16_t tag,
                const tlm_if::ReadMarks& marks, std::uint32_t& outstanding, const wl_flash_job& job);

 private:
  struct Pending {
    wl_flash_completion completion;
    std::uint16_t tag;
    tlm_if::ReadMarks marks;
    std::uint32_t* outstanding;
    wl_flash_job job;
  };
  struct Due {
    Picoseconds at;
    std::uint64_t order;
    std::uint32_t pending;
    friend bool operator<(const Due& a, const Due& b) {  // the heap's top is the earliest
      return a.at != b.at ? b.at < a.at : b.order < a.order;
    }
  };

  void alarm() override;
  bool write(const wl_flash_completion& completion);

  std::uint32_t base_ = 0;
  std::uint32_t size_ = 0;
  tlm_if::RingProducer<wl_flash_completion> ring_;
  Pool<Pending> pending_;
  std::vector<Due> due_;
  std::uint64_t order_ = 0;
  tlm_if::Alarm alarm_;
};

}  // namespace wordline::flash
