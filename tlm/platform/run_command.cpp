// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/run_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "models/config/commands.h"
#include "models/results/collector.h"
#include "models/results/report.h"
#include "models/workload/source.h"
#include "tlm/observe/fst_recorder.h"
#include "tlm/observe/gtkw_view.h"
#include "tlm/platform/cost_meter.h"
#include "tlm/platform/gdb_session.h"
#include "tlm/platform/profile_report.h"
#include "tlm/platform/progress.h"
#include "tlm/platform/run_report.h"
#include "tlm/platform/simulation.h"

namespace wordline::platform {

int run_command(const RunOptions& options) {
  CostMeter meter;
  const config::Loaded loaded = config::load(options.config, options.sets);
  const config::Layout layout = config::layout_of(loaded.config);
  if (options.profile && loaded.config.cpu.model != config::CpuModel::kIss) {
    throw config::ConfigError(
        "--profile: error: needs cpu.model = \"iss\": a native core runs no instructions to count; add --set "
        "cpu.model=iss");
  }
  if (options.gdb_port >= 0 && loaded.config.cpu.model != config::CpuModel::kIss) {
    throw config::ConfigError(
        "--gdb: error: needs cpu.model = \"iss\": a native core has no instructions to stop at; add --set "
        "cpu.model=iss");
  }
  const auto source = workload::load_workload(
      options.workload,
      {layout.user_sectors * kLbasPerSector, loaded.config.run.seed, options.speedup, workload::BeyondEnd::kWrap});

  const bool waves = loaded.config.observe.waves;
  if (waves && options.out.empty()) {
    throw config::ConfigError("observe.waves = true: error: needs a folder for the waveform; add --out FOLDER");
  }
  std::unique_ptr<observe::FstRecorder> recorder;
  if (!options.out.empty()) {
    std::filesystem::create_directories(options.out);
    results::write_file(options.out + "/config.toml", config::effective_toml(loaded));
  }
  if (waves) {
    recorder = std::make_unique<observe::FstRecorder>(
        options.out + "/waves.fst",
        observe::WaveWindow{loaded.config.observe.waves_from, loaded.config.observe.waves_to});
  }

  results::Collector collector(static_cast<std::size_t>(tlm_if::Stage::kCount));
  SsdTop ssd("ssd", loaded.config, layout, {*source, collector, recorder.get(), options.firmware, options.verify_all});
  if (options.profile) enable_profile(ssd);
  Progress progress(options.quiet, source->total_requests());
  std::unique_ptr<GdbSession> gdb;
  if (options.gdb_port >= 0) gdb = std::make_unique<GdbSession>(ssd, static_cast<std::uint16_t>(options.gdb_port));
  simulate(ssd, [&] {
    progress.update(collector.requests(), tlm_if::now());
    if (gdb) gdb->poll();
  });
  if (gdb) gdb->finished();

  results::Registry registry;
  const std::string workload_file = std::filesystem::path(options.workload).filename().string();
  register_statistics(registry, ssd, collector, *source,
                      {loaded.config.run.seed, config::config_sha256(loaded),
                       fmt::format("{}: {}", workload_file, source->describe())});
  // The view opens where the workload begins: before that the firmware boots and the host brings the controller up.
  if (recorder) {
    const Picoseconds from = std::max(ssd.driver.run_start(), loaded.config.observe.waves_from);
    observe::write_gtkw(*recorder, observe::default_groups(recorder->signals()), {from, {}});
  }
  if (!options.out.empty()) {
    results::write_file(options.out + "/result.json", results::to_json(registry));
    results::write_file(options.out + "/cost.json", results::to_json(meter.cost(ssd, collector.requests())));
  }
  if (!options.quiet) {
    const auto bottleneck = results::find_bottleneck(results::utilisation_of(registry), queue_depth_of(*source));
    std::cout << results::summary(registry, bottleneck, source->notices());
  }
  if (options.profile) {
    const Profile profile = profile_of(ssd);
    if (!options.out.empty()) {
      results::write_file(options.out + "/profile.txt", profile_table(profile, collector, 0));
      results::write_file(options.out + "/profile.folded", profile_folded(profile));
      results::write_file(options.out + "/profile_utilisation.csv", profile_utilisation(profile));
    }
    if (!options.quiet) std::cout << '\n' << profile_table(profile, collector, 15);
  }
  return 0;
}

}  // namespace wordline::platform
