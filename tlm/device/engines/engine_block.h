// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <systemc>
#include <vector>

#include "models/config/config.h"
#include "models/engines/table/engine_table.h"
#include "tlm/device/engines/added_engines.h"
#include "tlm/device/engines/block_context.h"
#include "tlm/device/engines/buffer_engine.h"
#include "tlm/device/engines/completion_engine.h"
#include "tlm/device/engines/copy_engine.h"
#include "tlm/device/engines/hardware_reads.h"
#include "tlm/device/engines/job_engine.h"
#include "tlm/device/engines/lookup_engine.h"
#include "tlm/device/engines/map_reader.h"
#include "tlm/device/engines/quiescence.h"
#include "tlm/device/engines/scan_engine.h"
#include "tlm/device/engines/victim_selector.h"
#include "tlm/protocol/engine_if.h"
#include "tlm/protocol/interfaces.h"
#include "tlm/protocol/register_socket.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::engines {

/// The hardware engines behind the registers ENGINES, each optional and each a class of its own, and what they share:
/// the registers, one alarm, one interrupt. It does no engine's work.
///
/// An engine's times are reservations (Pipeline), and what it does takes effect when the next block acts; the alarm
/// is for what ends later (quiescence, a scan, a search) and for doorbells that arrive later.
///
/// Accuracy: times by configuration, assumed; divisions by geometry are one step. The tables in tightly coupled memory
/// are read within the latency. Source: our design. Each engine's header has what else is simplified.
class EngineBlock final : public sc_core::sc_module,
                          public tlm_if::HostEngineIf,
                          public tlm_if::FlashSinkIf,
                          private tlm_if::AlarmQueue::Client {
 public:
  /// `dram_content`: the bytes behind WL_DRAM_BASE. `recorder` may be null: no waves.
  EngineBlock(const sc_core::sc_module_name& name, tlm_if::SimulationContext& context, const config::Config& config,
              const std::byte* dram_content, tlm_if::RecorderIf* recorder = nullptr);

  /// ENGINES.
  tlm_if::RegisterSocket socket;
  sc_core::sc_port<tlm_if::SharedMemoryIf> memory{"memory"};
  sc_core::sc_port<tlm_if::DramIf> dram{"dram"};
  sc_core::sc_port<tlm_if::InterruptIf> interrupt{"interrupt"};
  sc_core::sc_port<tlm_if::StageClockIf> stages{"stages"};
  sc_core::sc_port<tlm_if::HostCommandIf> host{"host"};
  sc_core::sc_port<tlm_if::FlashJobIf> flash{"flash"};

  bool take_read(std::uint16_t tag, std::uint32_t lpn, std::uint32_t lpages) override {
    for (const AddedEngine& engine : added_) engine->read_begins(lpn, lpages, context_.now());
    return reads_.take(tag, lpn, lpages);
  }
  void write_begins(std::uint32_t lpn, std::uint32_t lpages) override { reads_.write_begins(lpn, lpages); }
  bool completed(const wl_flash_job& job, const wl_flash_completion& completion) override;
  bool copy_read(const wl_flash_job& job, wl_flash_completion& completion) override {
    return copy_.read_completed(job, completion);
  }

  [[nodiscard]] const HardwareReads& reads() const { return reads_; }
  /// What goes into them, as far as somebody wants it.
  void record(const rtl::BlockRecordings& recordings) {
    lookup_.record(recordings.of("engine_l2p"));
    victim_.record(recordings.of("engine_victim"));
  }
  /// The blocks of the user's own among them.
  [[nodiscard]] std::vector<const OwnEngine*> own() const {
    std::vector<const OwnEngine*> all;
    for (const OwnEngine* const one : {lookup_.own(), victim_.own()}) {
      if (one != nullptr) all.push_back(one);
    }
    return all;
  }
  /// The pipeline of an engine in this block.
  [[nodiscard]] const Pipeline& pipeline(EngineId id) const {
    return engines_.at(static_cast<std::size_t>(id))->pipeline();
  }

 private:
  void enable(std::uint32_t set);
  void alarm() override;

  const std::uint32_t present_;
  tlm_if::Alarm wake_;
  BlockContext context_;
  const MapReader map_;

  LookupEngine lookup_;
  CompletionEngine completion_;
  BufferEngine buffer_;
  JobEngine job_;
  CopyEngine copy_;
  ScanEngine scan_;
  VictimSelector victim_;
  Quiescence quiescence_;
  HardwareReads reads_;

  const std::vector<AddedEngine> added_;

  /// In the order in which they act: program units that are posted now are filled now.
  std::vector<EnginePart*> parts_{&quiescence_, &lookup_, &buffer_, &job_,  &completion_,
                                  &copy_,       &scan_,   &victim_, &reads_};
  std::array<const Engine*, kEngineCount> engines_{};  // by row; null: elsewhere
};

}  // namespace wordline::engines
