// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/config/config.h"
#include "models/engines/gate_times.h"
#include "tlm/device/engines/pipeline.h"
#include "tlm/device/mover/agenda.h"
#include "tlm/device/mover/host_data_mover.h"
#include "tlm/device/mover/reports.h"
#include "tlm/protocol/recorder_if.h"

namespace wordline::engines {
class OwnEngine;
}
namespace wordline::rtl {
class BlockRecording;
}

namespace wordline::host {

/// The drive's end of a host interface: what every one of them has. A class for each protocol derives from it and
/// implements HostFrontEndIf; the platform binds the ports of the mover and does not need to see the class.
class HostInterface : public sc_core::sc_module, protected HostFrontEndIf {
 public:
  /// `config` outlives the interface. `report_type`: message type of its reports. A null recorder: no waves.
  HostInterface(const sc_core::sc_module_name& module_name, tlm_if::SimulationContext& context,
                const config::Config& config, std::uint64_t user_lpages, const char* report_type,
                tlm_if::RecorderIf* recorder)
      : sc_module(module_name),
        reports_(report_type, name()),
        agenda_(context),
        mover("mover", config, user_lpages, agenda_, *this, reports_, recorder),
        parser_(engines::timed(config.engines, engines::EngineId::kParse),
                engines::is_in_gates(config.engines, engines::EngineId::kParse)),
        completion_entries_(engines::completion_engine(config), engines::completion_in_gates(config)) {
    parser_.record(recorder, engines::row_of(engines::EngineId::kParse).name);
    completion_entries_.record(recorder, engines::kCompletionEntries);
  }

 protected:
  Reports reports_;
  Agenda agenda_;

 public:
  HostDataMover mover;

  /// The engine `parse`. An interface whose commands need no parsing leaves it idle.
  [[nodiscard]] const engines::Pipeline& parser() const { return parser_; }
  /// What makes completion entries: off in an interface without, and where it takes no time.
  [[nodiscard]] const engines::Pipeline& completion_entries() const { return completion_entries_; }
  /// What goes into a parser, as far as somebody wants it; null: no more.
  virtual void record_parser(rtl::BlockRecording* /*to*/) {}
  /// A parser of the user's own; null: none.
  [[nodiscard]] virtual const engines::OwnEngine* own_parser() const { return nullptr; }
  /// Commands that hold a tag.
  [[nodiscard]] std::uint32_t tags_in_use() const { return mover.commands().in_use(agenda_.now()); }
  /// The host's power has failed: transfers on the link are lost in both directions, and the firmware gets
  /// WL_ADMIN_POWER_FAILS, so that it programs the write buffer. Reports an error where the interface has no such event
  /// (all but host.model = nvme).
  virtual void host_power_fails() { reports_.error("the host's power has failed, which this interface cannot tell"); }
  /// After that: the firmware has said that all is on flash, or there was none yet that could have buffered something.
  [[nodiscard]] virtual bool buffer_is_safe() const { return false; }
  /// Instants at which the interface did something.
  [[nodiscard]] std::uint64_t instants() const { return agenda_.instants(); }

 protected:
  engines::Pipeline parser_, completion_entries_;
};

}  // namespace wordline::host
