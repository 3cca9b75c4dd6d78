// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/checks/load.h"
#include "models/precondition/flash_image.h"
#include "models/precondition/initial_state.h"
#include "models/results/registry.h"
#include "models/results/request_statistics.h"
#include "models/workload/source.h"
#include "tlm/platform/measurement.h"
#include "tlm/platform/run_report.h"
#include "tlm/platform/run_waves.h"
#include "tlm/platform/simulation.h"

namespace wordline::platform {

/// What a DriveModule is made from.
struct DriveOptions {
  std::string config;             // a configuration file
  std::vector<std::string> sets;  // "channels.count=16", as behind --set
  /// cpu.model = iss: the firmware's ELF. WORDLINE_FIRMWARE, which the CMake target Wordline::wordline defines, names
  /// the one that is installed with the library. Empty: the one that lies beside this program.
  std::string firmware;
  /// With observe.waves or observe.timeline: the folder, which exists, for waves.fst and timeline.json.
  std::string out{};
};

/// A drive with its host, for a SystemC program of your own: construct it beside your modules in sc_main, give it
/// requests, run it, and ask for its statistics by the names that they have in result.json (the page of statistics).
///
///   platform::DriveModule drive("drive", {"drive.toml", {"cpu.model=native"}, {}},
///                               [](const workload::LoadOptions& options) {
///                                 return workload::load_workload("job.fio", options);
///                               });
///   const platform::Ending ending = drive.run();
///   drive.statistics().get<std::uint64_t>("ios.read.count");
///
/// A program may have several, of different configurations, each with a folder of its own for what it records. Throws
/// config::ConfigError and workload::WorkloadError when what is asked for does not exist.
class DriveModule final : public sc_core::sc_module {
 public:
  /// Makes the source of requests, a class of your own or what load_workload() opens. `options` has the drive's
  /// capacity and the seed.
  using MakeSource = std::function<std::unique_ptr<workload::Source>(const workload::LoadOptions& options)>;

  DriveModule(const sc_core::sc_module_name& name, const DriveOptions& options, const MakeSource& make_source);
  ~DriveModule() override;

  /// Simulates until the source has no more requests and the last one is complete. Your modules run meanwhile. Call it
  /// once, instead of sc_start().
  [[nodiscard]] Ending run();
  /// Instead of run(): simulates several drives at once, `threads` at a time (0: all of them), each in a time of its
  /// own and without the kernel, so your modules do not run meanwhile. The endings are in the order of the drives. As
  /// simulate_together().
  [[nodiscard]] static std::vector<Ending> run_together(const std::vector<DriveModule*>& drives, unsigned threads = 0);

  /// After run() or run_together().
  [[nodiscard]] const results::Registry& statistics() const { return registry_; }
  /// The parts of the drive: link, memories, cores, flash.
  [[nodiscard]] device::Drive& drive() { return *drive_; }
  [[nodiscard]] const config::Config& configuration() const { return loaded_.config; }
  /// The parts of its host: memory, driver with its events, oracle.
  [[nodiscard]] host::Testbed& host() { return *testbed_; }

 private:
  void ended(const Ending& ending);

  tlm_if::SimulationContext context_;
  config::Loaded loaded_;
  config::Layout layout_;
  std::unique_ptr<workload::Source> source_;
  results::RequestStatistics request_statistics_;
  std::unique_ptr<const precondition::InitialState> state_;  // null: fresh, or filled by rule
  std::unique_ptr<const precondition::FlashImage> image_;
  std::unique_ptr<RunWaves> waves_;
  std::unique_ptr<device::Drive> drive_;
  std::unique_ptr<host::Testbed> testbed_;
  std::unique_ptr<Measurement> measurement_;
  results::Registry registry_;
  RunDescription description_;  // of the registry
};

}  // namespace wordline::platform
