// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/drive_module.h"

#include <algorithm>

#include "models/checks/commands.h"
#include "models/precondition/initial_state.h"
#include "tlm/platform/run_report.h"
#include "tlm/platform/steady_run.h"

namespace wordline::platform {

DriveModule::DriveModule(const sc_core::sc_module_name& name, const DriveOptions& options,
                         const MakeSource& make_source)
    : sc_module(name),
      loaded_(config::load(options.config, options.sets)),
      layout_(config::layout_of(loaded_.config)),
      source_(make_source({layout_.lpage.first_lba(layout_.user_lpages), loaded_.config.run.seed})),
      request_statistics_(static_cast<std::size_t>(tlm_if::Stage::kCount)),
      state_(precondition::initial_state(loaded_.config, layout_)),
      waves_(waves_of_library(options.out, loaded_.config)) {
  waves_->observe(request_statistics_);
  ssd_ = std::make_unique<SsdTop>("ssd", loaded_.config, layout_,
                                  Environment{*source_, request_statistics_, waves_->recorder(), options.firmware,
                                              false, state_.get(), nullptr, waves_->observer()});
  waves_->started();
  const Picoseconds ramp = std::max(loaded_.config.run.ramp_time, source_->ramp_time());
  measurement_ = std::make_unique<Measurement>("measurement", *ssd_, request_statistics_, ramp,
                                               steady_meter(loaded_.config, layout_, *ssd_, *source_, state_.get()));
}

DriveModule::~DriveModule() = default;

Ending DriveModule::run() {
  const Ending ending = simulate(
      *ssd_, *measurement_, [] { return true; }, false);
  waves_->ended(ending.status, ssd_->driver.run_start());
  register_statistics(registry_, {*ssd_, *measurement_, request_statistics_, *source_},
                      {loaded_.config.run.seed, config::config_sha256(loaded_), source_->describe(), {}, ending});
  return ending;
}

}  // namespace wordline::platform
