// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/drive_endpoint.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

#include "models/checks/commands.h"
#include "models/precondition/initial_state.h"
#include "tlm/platform/installed_files.h"
#include "tlm/platform/run_report.h"

namespace wordline::platform {

namespace {

config::Loaded load(const DriveOptions& options) {
  config::Loaded loaded = config::load(options.config, options.sets);
  if (loaded.config.host.model == config::HostModel::kNvme) return loaded;
  throw config::ConfigError("host.model: error: a drive with a host of your own has an NVMe controller, expected nvme");
}

}  // namespace

DriveEndpoint::DriveEndpoint(const sc_core::sc_module_name& name, const DriveOptions& options,
                             host::HostMemoryInitiator::Target target)
    : sc_module(name),
      loaded_(load(options)),
      layout_(config::layout_of(loaded_.config)),
      state_(precondition::initial_state(loaded_.config, layout_)),
      image_(precondition::flash_image_of(loaded_.config, layout_)),
      memory_("memory", context_, target),
      waves_(waves_of_library(context_, options.out, loaded_.config)),
      drive_(std::make_unique<device::Drive>(
          "ssd", loaded_.config, layout_,
          device::DriveEnvironment{context_, waves_->recorder(), firmware_for(loaded_.config, options.firmware),
                                   state_.get(), waves_->observer(), image_.get()})),
      controller_(dynamic_cast<host::NvmeController&>(*drive_->host)),
      measurement_(*drive_) {
  drive_->stage_clock.serve_foreign_host();
  drive_->host->mover.host_memory.bind(memory_);
  waves_->started();
  registers.register_b_transport(this, &DriveEndpoint::transport);
  bar_.bind(controller_.host_socket);
}

DriveEndpoint::~DriveEndpoint() {
  try {
    close();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name(), error.what());
  }
}

void DriveEndpoint::close() {
  if (std::exchange(closed_, true)) return;
  waves_->ended(Ending::Status::kCompleted, Picoseconds(0));
}

const results::Registry& DriveEndpoint::statistics() {
  if (std::exchange(registered_, true)) return registry_;
  measurement_.end(context_.now());
  register_statistics(
      registry_, *drive_, measurement_,
      {&context_, loaded_.config.run.seed, config::config_sha256(loaded_), "a host of its own", {}, {}});
  return registry_;
}

void DriveEndpoint::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const Picoseconds now = context_.now(), made = now + tlm_if::to_picoseconds(delay);
  if (payload.is_write()) {
    const Picoseconds arrives =
        drive_->link.posted_write(host::Direction::kDownstream, made, payload.get_data_length());
    sc_core::sc_time on_the_way = tlm_if::to_sc_time(arrives - now);
    bar_->b_transport(payload, on_the_way);
    return;
  }
  bar_->b_transport(payload, delay);
  delay = tlm_if::to_sc_time(drive_->link.register_read(made, payload.get_data_length()) - now);
}

void DriveEndpoint::function_level_reset() {
  constexpr std::uint64_t kConfigurationWrite = 4;
  controller_.function_level_reset(
      drive_->link.posted_write(host::Direction::kDownstream, context_.now(), kConfigurationWrite));
}

}  // namespace wordline::platform
