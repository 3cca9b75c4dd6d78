// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/drive_module.h"

#include <algorithm>

#include "models/checks/commands.h"
#include "models/precondition/initial_state.h"
#include "tlm/platform/drive_workload.h"
#include "tlm/platform/installed_files.h"
#include "tlm/platform/run_report.h"
#include "tlm/platform/steady_run.h"

namespace wordline::platform {

DriveModule::DriveModule(const sc_core::sc_module_name& name, const DriveOptions& options,
                         const MakeSource& make_source)
    : sc_module(name),
      loaded_(config::load(options.config, options.sets)),
      layout_(config::layout_of(loaded_.config)),
      source_(make_source(load_options_of(loaded_.config, layout_))),
      request_statistics_(static_cast<std::size_t>(tlm_if::Stage::kCount)),
      state_(precondition::initial_state(loaded_.config, layout_)),
      image_(precondition::flash_image_of(loaded_.config, layout_)),
      waves_(waves_of_library(context_, options.out, loaded_.config)) {
  waves_->observe(request_statistics_);
  const std::string firmware = firmware_for(loaded_.config, options.firmware);
  drive_ = std::make_unique<device::Drive>(
      "ssd", loaded_.config, layout_,
      device::DriveEnvironment{context_, waves_->recorder(), firmware, state_.get(), waves_->observer(), image_.get()});
  testbed_ =
      std::make_unique<host::Testbed>("host", loaded_.config, layout_, *drive_,
                                      host::TestbedEnvironment{context_, *source_, request_statistics_,
                                                               waves_->recorder(), state_.get(), false, image_.get()});
  waves_->started();
  const Picoseconds ramp = std::max(loaded_.config.run.ramp_time, source_->ramp_time());
  measurement_ = std::make_unique<Measurement>(context_, *drive_, *testbed_, request_statistics_, ramp,
                                               steady_meter(loaded_.config, layout_, *drive_, *source_, state_.get()));
}

DriveModule::~DriveModule() = default;

void DriveModule::ended(const Ending& ending) {
  waves_->ended(ending.status, testbed_->driver.run_start());
  description_ = {&context_, loaded_.config.run.seed, config::config_sha256(loaded_), source_->describe(), {}, ending};
  register_statistics(registry_, {*drive_, *testbed_, *measurement_, request_statistics_, *source_}, description_);
}

Ending DriveModule::run() {
  const Ending ending = simulate(
      {context_, *drive_, *testbed_, *measurement_, loaded_.config}, [] { return true; }, false);
  ended(ending);
  return ending;
}

std::vector<Ending> DriveModule::run_together(const std::vector<DriveModule*>& drives, unsigned threads) {
  std::vector<Simulated> simulated;
  for (DriveModule* const drive : drives) {
    const config::Cpu& cpu = drive->loaded_.config.cpu;
    if (cpu.model == config::CpuModel::kIss && cpu.quantum == Picoseconds(0)) {
      throw config::ConfigError(
          "cpu.quantum = 0: error: such a core is a thread of the SystemC kernel, which drives that run together do "
          "without; expected more than 0");
    }
    simulated.push_back(
        {drive->context_, *drive->drive_, *drive->testbed_, *drive->measurement_, drive->loaded_.config});
  }
  const std::vector<Ending> endings = simulate_together(simulated, threads);
  for (std::size_t i = 0; i < drives.size(); ++i) drives[i]->ended(endings[i]);
  return endings;
}

}  // namespace wordline::platform
