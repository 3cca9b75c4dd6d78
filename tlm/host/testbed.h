// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>

#include "models/config/config.h"
#include "models/precondition/initial_state.h"
#include "models/results/queue_results.h"
#include "models/results/request_statistics.h"
#include "models/workload/source.h"
#include "tlm/device/drive.h"
#include "tlm/host/driver/host_driver.h"
#include "tlm/host/driver/oracle.h"
#include "tlm/host/host_ends.h"
#include "tlm/host/memory/host_memory.h"
#include "tlm/protocol/recorder_if.h"
#include "tlm/protocol/simulation_context.h"

namespace wordline::host {

/// What a testbed is made with. Everything outlives it; context, recorder and state are the drive's.
struct TestbedEnvironment {
  tlm_if::SimulationContext& context;
  workload::Source& source;
  results::RequestStatistics& request_statistics;
  tlm_if::RecorderIf* recorder = nullptr;             // null: no waves
  const precondition::InitialState* state = nullptr;  // what reads may find before the first write
  bool verify_all = false;
  const precondition::FlashImage* image = nullptr;  // what the drive mounts, and reads find at first
  data::PowerPromises* promises = nullptr;          // what it owes after a power cut; null: nobody asks
  bool shut_down = false;                           // the run ends with a normal shutdown
  RequestClientIf* client = nullptr;                // for whom the requests are; null: for nobody
};

/// The host of a drive: its memory, a driver that runs a workload, the oracle that checks every read, and the host's
/// end of the host interface. Constructs them and connects them with the drive, which has no other host.
class Testbed final : public sc_core::sc_module {
 public:
  Testbed(const sc_core::sc_module_name& name, const config::Config& config, const config::Layout& layout,
          device::Drive& drive, const TestbedEnvironment& environment);
  ~Testbed() override;

  HostMemory memory;
  Oracle oracle;
  HostCores cores;
  results::QueueResults by_queue;  // whoever measures says from when to when
  HostDriver driver;

 private:
  const std::unique_ptr<HostEnd> end_;
};

}  // namespace wordline::host
