// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/drive_endpoint.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

#include "models/precondition/initial_state.h"
#include "tlm/host/nvme/nvme_controller.h"

namespace wordline::platform {

/// The driver of the drive's own host has nothing to do.
class DriveEndpoint::NoRequests final : public workload::Source {
 public:
  [[nodiscard]] unsigned jobs() const override { return 1; }
  [[nodiscard]] unsigned depth(unsigned /*job*/) const override { return 1; }
  [[nodiscard]] bool open_loop() const override { return false; }
  bool next(unsigned /*job*/, Picoseconds /*now*/, workload::Request& /*out*/) override { return false; }
  [[nodiscard]] std::uint64_t total_requests() const override { return 0; }
  [[nodiscard]] std::uint64_t total_bytes() const override { return 0; }
  [[nodiscard]] std::string describe() const override { return "none"; }
};

/// The controller, and a host's end that takes no commands of that driver.
class DriveEndpoint::Model final : public host::HostModel, public host::HostPathIf {
 public:
  explicit Model(const host::HostContext& context)
      : controller("nvme", context.config, context.user_lpages, context.recorder) {}
  host::HostInterface& drive() override { return controller; }
  host::HostPathIf& path() override { return *this; }

  void connect(host::HostPathClientIf& /*client*/) override {}
  [[nodiscard]] std::uint32_t depth() const override { return 1; }
  bool submit(const host::PathCommand& /*command*/) override { return false; }
  void ring() override {}

  host::NvmeController controller;
};

DriveEndpoint::DriveEndpoint(const sc_core::sc_module_name& name, const DriveOptions& options)
    : sc_module(name),
      loaded_(config::load(options.config, options.sets)),
      layout_(config::layout_of(loaded_.config)),
      source_(std::make_unique<NoRequests>()),
      request_statistics_(static_cast<std::size_t>(tlm_if::Stage::kCount)),
      state_(precondition::initial_state(loaded_.config, layout_)),
      memory_("memory"),
      waves_(waves_of_library(options.out, loaded_.config)) {
  if (loaded_.config.host.model != config::HostModel::kNvme) {
    throw config::ConfigError(
        "host.model: error: a drive with a host of your own has an NVMe controller, expected nvme");
  }
  const auto make_host = [this](const host::HostContext& context) {
    auto model = std::make_unique<Model>(context);
    model_ = model.get();
    return model;
  };
  Environment environment{*source_, request_statistics_, waves_->recorder(), options.firmware,
                          false,    state_.get(),        make_host,          waves_->observer()};
  environment.memory = &memory_;
  ssd_ = std::make_unique<SsdTop>("ssd", loaded_.config, layout_, environment);
  ssd_->stage_clock.serve_foreign_host();
  waves_->started();
  registers.register_b_transport(this, &DriveEndpoint::transport);
  bar_.bind(model_->controller.host_socket);
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

host::nvme::Interrupts::Port& DriveEndpoint::interrupt() { return model_->controller.host_interrupt; }

void DriveEndpoint::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const Picoseconds now = tlm_if::now(), made = now + tlm_if::to_picoseconds(delay);
  if (payload.is_write()) {
    const Picoseconds arrives = ssd_->link.posted_write(host::Direction::kDownstream, made, payload.get_data_length());
    sc_core::sc_time on_the_way = tlm_if::to_sc_time(arrives - now);
    bar_->b_transport(payload, on_the_way);
    return;
  }
  bar_->b_transport(payload, delay);
  delay = tlm_if::to_sc_time(ssd_->link.register_read(made, payload.get_data_length()) - now);
}

}  // namespace wordline::platform
