// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "models/firmware/firmware.h"
#include "tlm/device/cpu/core.h"
#include "tlm/device/cpu/native_costs.h"

namespace wordline::cpu {

/// The firmware's entry points, compiled for the host (models/firmware/firmware.h).
struct FirmwareEntry {
  wl_firmware* (*boot)(const wl_hal* hal);
  bool (*poll)(wl_firmware* firmware, const wl_hal* hal, std::uint32_t core);
  void (*wake)(wl_firmware* firmware, const wl_hal* hal, std::uint32_t core);
  bool (*may_sleep)(wl_firmware* firmware, const wl_hal* hal, std::uint32_t core);
};

class NativeCore;

/// One firmware image shared by the native cores of a drive: its code and, once core 0 has booted, its context.
struct NativeFirmware {
  FirmwareEntry entry{};
  wl_firmware* context = nullptr;
  std::vector<NativeCore*> others{};  // wait until it is booted
};

/// A core that runs the firmware compiled for the host and takes its time from a cost table. An activation runs rounds
/// of the scheduling loop until it is `cpu.quantum` ahead of simulated time or has nothing to do; asleep it costs
/// nothing.
///
/// A stretch's mean cost is charged when the stretch begins, and the doorbells in it leave behind the most of it; an
/// observation mark in it is timed at its beginning, where the instruction-set model passes it too.
///
/// The costs hold the waiting for the bus too: a doorbell arrives later by the bus latency, and the core does not wait
/// again. Accesses of the MAP port are waited for, as no cost has them; the instructions around them are not counted.
///
/// Accuracy: mean cycles by tag and by whether the core has been busy, so no spread inside a tag; memory is read as it
/// is when the activation begins, so a message between cores may be seen up to a quantum early, as on the
/// instruction-set model. Source of the costs: `wordline calibrate firmware`.
class NativeCore final : public Core {
 public:
  /// `firmware` is shared by all cores and outlives them.
  NativeCore(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Cpu& config,
             unsigned index, NativeFirmware& firmware, const NativeCosts& costs, tlm_if::RecorderIf* recorder);

  [[nodiscard]] CoreStatistics statistics() const override;

 private:
  enum class State : std::uint8_t { kReset, kRun, kAsleep, kHalted };

  struct Halt {};  // thrown through the firmware when it cannot go on

  void start_of_simulation() override;
  void activate() override;
  void begin(Picoseconds at);  // the firmware is booted
  void round();
  void sleep();
  void advance();  // until the end of what was charged

  void charge(std::uint32_t tag);
  void pass_mark(std::uint32_t value, std::uint32_t mark);
  void write32(std::uint32_t offset, std::uint32_t value);
  std::uint32_t read32(std::uint32_t offset);
  [[noreturn]] void panic(const char* file, std::uint32_t line);
  void use_map_port(tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value);
  [[noreturn]] void bus_error(const char* what, std::uint32_t offset);

  NativeFirmware& firmware_;
  NativeCosts costs_;
  /// Of a core that is not busy, and of one that is.
  std::array<std::array<Picoseconds, WL_COST_COUNT>, 2> charge_;
  const Picoseconds cycle_;
  std::array<Picoseconds, WL_COST_COUNT> in_map_port_{};  // by task: of drives whose map lies behind it
  std::uint32_t task_ = 0;                                // of what was charged last
  wl_hal hal_{};
  Picoseconds busy_{};
  std::array<std::array<std::uint64_t, WL_COST_COUNT>, 2> entries_{};
  State state_ = State::kReset;
  Picoseconds local_{};         // the core's own time, ahead of simulated time
  Picoseconds activated_{};     // simulated time of this activation
  Picoseconds begun_{};         // the core's own time when it began
  Picoseconds stretch_{};       // beginning of the stretch that runs
  bool stretch_begun_ = false;  // and its command is not set yet
  Picoseconds busy_until_{};    // asleep: not before this
  unsigned rounds_ = 0;         // since it was asleep
};

}  // namespace wordline::cpu
