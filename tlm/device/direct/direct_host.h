// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "tlm/device/mover/host_interface.h"
#include "tlm/protocol/host_path_if.h"

namespace wordline::host {

/// host.model = direct, both ends: a command goes straight into the drive. No ring, doorbell, queue entry or parsing,
/// neither on the way in nor for the completion; the data still move over DRAM and link, and all behind is shared.
///
/// Time: a command is in the drive in the instant of submit(); the host has its completion when its data have left. A
/// command with an error is taken and completed with its status. Known gaps: no reset; host memory has to answer at
/// once; a deallocation's list of ranges is read at once.
class DirectHost final : public HostInterface, public HostPathIf, private Agenda::Client {
 public:
  /// A null recorder: no waves.
  DirectHost(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Config& config,
             std::uint64_t user_lpages, tlm_if::RecorderIf* recorder);

  void connect(HostPathClientIf& client) override { client_ = &client; }
  [[nodiscard]] std::uint32_t depth() const override;
  /// False: no tag is free, or the firmware is not ready.
  bool submit(const PathCommand& given) override;
  void ring() override {}

 private:
  enum class Kind : std::uint32_t {
    kRanges,  // index: tag
    kDone,    // index: tag, at the host
  };
  struct Completion {
    CommandStatus status = 0;
    bool quiet = false;  // `event` is pushed before the host has the completion
    wl_host_event event{};
  };

  void act(const Agenda::Action& action) override;
  // HostFrontEndIf
  bool firmware_ready() override;
  void bring_ranges(std::uint32_t tag) override { agenda_.schedule(agenda_.now(), *this, Kind::kRanges, tag); }
  void completed(std::uint32_t tag, CommandStatus status, Picoseconds ready, const wl_host_event* quiet) override;

  CommandStatus check(const PathCommand& given, HostCommand& command) const;
  static CommandStatus take_pages(const PathCommand& given, HostCommand& command);
  void data_lost(std::uint16_t /*queue*/, std::uint16_t /*id*/) override {}
  [[nodiscard]] std::uint64_t errors() const override { return mover.counters().errors; }
  void end_of_elaboration() override;  // host memory that takes time is refused
  void read_ranges(std::uint32_t tag);
  void done(std::uint32_t tag);

  std::vector<Completion> completions_;  // completions by tag
  RangeList ranges_;                     // ranges of the one deallocation whose turn it is
  HostPathClientIf* client_ = nullptr;
};

}  // namespace wordline::host
