// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/serve_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/checks/commands.h"
#include "models/config/namespaces.h"
#include "models/data/content_store.h"
#include "models/precondition/initial_state.h"
#include "models/results/report.h"
#include "models/results/request_statistics.h"
#include "tlm/platform/folder_lock.h"
#include "tlm/platform/installed_files.h"
#include "tlm/platform/run_report.h"
#include "tlm/platform/serve_loop.h"
#include "tlm/platform/served_image.h"
#include "tlm/platform/simulation.h"
#include "tlm/platform/steady_run.h"
#include "tlm/platform/stop_signal.h"
#include "tlm/platform/terminal.h"

namespace wordline::platform {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWide = 120;  // columns of the summary where no terminal says how wide it is

void check_options(const ServeOptions& options, const config::Config& config) {
  if (config.cpu.model == config::CpuModel::kIss && config.cpu.quantum.count() == 0) {
    throw config::ConfigError(
        "wordline serve: error: cpu.quantum = 0 makes each core a process of the kernel, which a served drive goes "
        "without; add --set cpu.quantum=100ns, or cpu.model=native");
  }
  if (ends_by_itself(config)) {
    throw config::ConfigError(
        "wordline serve: error: run.until ends a run when its numbers are sure, but clients decide when a served drive "
        "ends; leave run.until out");
  }
  if (config.observe.waves || config.observe.timeline) {
    throw config::ConfigError(
        "wordline serve: error: observe.waves and observe.timeline belong to a run; leave them out");
  }
  if (config.host.on_error == config::OnError::kStop) {
    throw config::ConfigError(
        "wordline serve: error: host.on_error = \"stop\" would end the server with the first read that fails, of which "
        "a "
        "client is told instead; add --set host.on_error=count");
  }
  if (options.nbd.empty()) throw config::ConfigError("--nbd: error: expected the path of a socket");
}

std::uint64_t device_bytes_of(const config::Layout& layout) {
  return layout.lpage.first_lba(layout.user_lpages) * served::kBlockBytes;
}

/// Logical blocks as clients are to keep to them.
std::uint32_t block_bytes_of(const config::Config& config) {
  return served::kBlockBytes << config::lba_shift_of(config.nvme.lba_size);
}

std::string summary_of(const serve::NbdServer& server, const serve::ServedRequests& requests,
                       const data::ContentStore& store, const serve::Pace& pace) {
  const serve::ServedRequests::Counters& counters = requests.counters();
  std::string text = fmt::format("\n{} clients, {} requests answered, {} of them with an error\n", server.clients(),
                                 counters.answered, counters.failed);
  text += fmt::format("Bytes kept: {:.1f} MiB of data, {:.1f} MiB that were written over\n",
                      static_cast<double>(store.live_bytes()) / (1U << 20U),
                      static_cast<double>(store.history_bytes()) / (1U << 20U));
  if (server.faults() != 0)
    text += fmt::format("{} connections were ended because the client broke the protocol, the first: {}\n",
                        server.faults(), server.first_fault());
  if (counters.forgotten != 0)
    text += fmt::format("{} blocks were read of which the drive returned old data whose bytes were not kept any more\n",
                        counters.forgotten);
  return text + pace.meaning() + pace.lateness_text();
}

/// Blocks that may hold either of two contents, because writes of them were under way together, are read: the drive
/// knows.
Ending settle(ServeLoop& loop, const data::ContentStore& store) {
  const std::vector<std::uint64_t> lbas = store.unsettled();
  std::size_t at = 0;
  return loop.work_off([&](served::ClientRequest& request) {
    if (at == lbas.size()) return false;
    request = {};
    request.offset = lbas[at++] * served::kBlockBytes;
    request.length = served::kBlockBytes;
    return true;
  });
}

/// What the last server has left undone is done before clients come.
Ending make_up(ServeLoop& loop, ServedImage& image) {
  Ending ending =
      loop.work_off([&](served::ClientRequest& request) { return StopSignal::received() == 0 && image.next(request); });
  if (StopSignal::received() != 0) return {Ending::Status::kInterrupted, StopSignal::name()};
  if (ending.status == Ending::Status::kCompleted && image.not_repeated() != 0) {
    ending = {
        Ending::Status::kFailed,
        fmt::format("--image: the drive has failed {} requests that the last server had completed; the file is as "
                    "it was",
                    image.not_repeated())};
  }
  return ending;
}

/// All of the served drive that is simulated, and how it went.
int serve_drive(const ServeOptions& options, const config::Loaded& loaded, const config::Layout& layout,
                ServedImage* image) {
  serve::Pace pace = *serve::Pace::parse(options.time);
  tlm_if::SimulationContext context;
  serve::RequestGate gate;
  data::ContentStore store;
  served::Export device;
  device.bytes = device_bytes_of(layout);
  device.block_bytes = block_bytes_of(loaded.config);
  device.description = fmt::format("wordline: {}", fs::path(options.config).filename().string());
  serve::NbdServer server(options.nbd, device, gate);
  serve::ServedRequests requests(context, store, loaded.config.host.cores, &server);
  results::RequestStatistics request_statistics(static_cast<std::size_t>(tlm_if::Stage::kCount));
  RunDescription run{
      &context, loaded.config.run.seed, config::config_sha256(loaded), requests.describe(), options.command, {}};
  const auto state = precondition::initial_state(loaded.config, layout);
  device::Drive drive("ssd", loaded.config, layout,
                      {context, nullptr, firmware_for(loaded.config, ""), state.get(), nullptr, nullptr});
  host::TestbedEnvironment environment{context, requests, request_statistics};
  environment.state = state.get();
  environment.client = &requests;
  host::Testbed testbed("host", loaded.config, layout, drive, environment);
  Measurement measurement(context, drive, testbed, request_statistics, loaded.config.run.ramp_time,
                          steady_meter(loaded.config, layout, drive, requests, state.get()));
  const Simulated simulated{context, drive, testbed, measurement, loaded.config};
  ServeLoop loop(simulated, requests, pace);
  if (image != nullptr) {
    image->fill(store);
    image->listen_to(requests);
  }

  run.ending = loop.bring_up();
  if (image != nullptr && run.ending.status == Ending::Status::kCompleted) {
    run.ending = make_up(loop, *image);
    std::cerr << image->found();
  }
  if (run.ending.status == Ending::Status::kCompleted) {
    server.start();
    if (!options.quiet) {
      std::cout << fmt::format("Serving {} ({:.2f} GB) at nbd+unix:///?socket={}\n", options.config,
                               static_cast<double>(device.bytes) * 1e-9, options.nbd)
                << std::flush;
    }
    run.ending = loop.serve(gate, server, options.once);
  }
  if (image != nullptr && run.ending.status == Ending::Status::kCompleted) run.ending = settle(loop, store);
  if (run.ending.status == Ending::Status::kCompleted) run.ending = loop.finish();
  requests.give_up();
  server.stop();
  measurement.stop();
  const bool done = run.ending.status == Ending::Status::kCompleted;
  if (done) run.ending = ending_when_done(simulated);
  if (image != nullptr && done) {
    if (loop.come_to_rest()) {
      image->close(store, drive, loaded.config, layout);
    } else {
      std::cerr << "wordline: --image: the drive does not come to rest: the next server repeats what was done\n";
    }
  }

  results::Registry registry;
  register_statistics(registry, {drive, testbed, measurement, request_statistics, requests}, run);
  if (!options.out.empty()) results::write_file(options.out + "/result.json", results::to_json(registry));
  if (run.ending.status == Ending::Status::kFailed) {
    std::cerr << "wordline: " << run.ending.reason << '\n';
    return 1;
  }
  if (run.ending.status == Ending::Status::kInterrupted) {
    std::cerr << "wordline: interrupted by " << run.ending.reason << '\n';
    return StopSignal::exit_code();
  }
  if (!options.quiet) {
    const std::size_t width = terminal_width(STDOUT_FILENO);
    std::cout << results::summary(registry, measurement.resources().shares(), testbed.driver.errors().notices(), "",
                                  width == 0 ? kWide : width)
              << summary_of(server, requests, store, pace);
  }
  return 0;
}

}  // namespace

int serve_command(const ServeOptions& options) {
  config::Loaded loaded = config::load(options.config, options.sets);
  const config::Layout layout = config::layout_of(loaded.config);
  check_options(options, loaded.config);
  std::optional<ServedImage> image;
  if (!options.image.empty()) {
    image.emplace(options.image, loaded.config, device_bytes_of(layout));
    std::vector<std::string> sets = options.sets;
    for (std::string& setting : image->settings()) sets.push_back(std::move(setting));
    loaded = config::load(options.config, sets);
  }
  std::optional<FolderLock> lock;
  if (!options.out.empty()) {
    fs::create_directories(options.out);
    lock.emplace(options.out);
    fs::remove(fs::path(options.out) / "result.json");
    results::write_file(options.out + "/config.toml", config::effective_toml(loaded));
  }
  const StopSignal signals;
  return serve_drive(options, loaded, layout, image ? &*image : nullptr);
}

}  // namespace wordline::platform
