// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/serve_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
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
#include "tlm/device/initial_content.h"
#include "tlm/platform/child_run.h"
#include "tlm/platform/folder_lock.h"
#include "tlm/platform/installed_files.h"
#include "tlm/platform/live_report.h"
#include "tlm/platform/run_report.h"
#include "tlm/platform/run_waves.h"
#include "tlm/platform/serve_loop.h"
#include "tlm/platform/served_capture.h"
#include "tlm/platform/served_image.h"
#include "tlm/platform/served_program.h"
#include "tlm/platform/simulation.h"
#include "tlm/platform/steady_run.h"
#include "tlm/platform/stop_signal.h"
#include "tlm/platform/terminal.h"
#include "tlm/platform/vfio_command.h"

namespace wordline::platform {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostServed = std::uint64_t{1} << 41U;  // bytes
constexpr std::size_t kWide = 120;  // columns of the summary where no terminal says how wide it is

std::uint64_t device_bytes_of(const config::Layout& layout) {
  return layout.lpage.first_lba(layout.user_lpages) * served::kBlockBytes;
}

/// A socket that is bound, and does not listen yet, would be taken for one that a killed server has left.
void check_sockets(const ServeOptions& options) {
  const auto place = [](const std::string& path) { return fs::absolute(path).lexically_normal(); };
  for (const std::string& other : {options.nbd, options.vfio_user, options.vfio_user + ".clock"}) {
    if (options.live.empty() || other.empty() || place(options.live) != place(other)) continue;
    throw config::ConfigError(
        fmt::format("wordline serve: error: --live {}: clients find the drive there; give another path", options.live));
  }
}

void check_options(const ServeOptions& options, const config::Config& config) {
  check_sockets(options);
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
  if (!config.observe.trigger.empty()) {
    throw config::ConfigError(
        "wordline serve: error: observe.trigger simulates a run twice; leave it out, and record the stretch with "
        "observe.waves, observe.waves_from and observe.waves_to, of a --replay too");
  }
  if (!config.precondition.flash.empty()) {
    throw config::ConfigError(
        "wordline serve: error: precondition.flash is for a run, whose stamps have no bytes; leave it out: --image "
        "keeps "
        "a served drive");
  }
  if ((config.observe.waves || config.observe.timeline) && options.out.empty()) {
    throw config::ConfigError(
        "wordline serve: error: observe.waves and observe.timeline need a folder for their files; add --out FOLDER");
  }
  if (config.host.on_error == config::OnError::kStop) {
    throw config::ConfigError(
        "wordline serve: error: host.on_error = \"stop\" would end the server with the first read that fails, of which "
        "a "
        "client is told instead; add --set host.on_error=count");
  }
  if (device_bytes_of(config::layout_of(config)) > kMostServed) {
    throw config::ConfigError(
        "wordline serve: error: the drive exports more than 2 TiB, and the bytes of a served drive are kept by the low "
        "32 bits of an LBA of 512 bytes; lower nand.blocks_per_plane or set nand.scale_down");
  }
  if (options.time == "lockstep" && options.vfio_user.empty()) {
    throw config::ConfigError(
        "wordline serve: error: --time lockstep is for a guest whose device the drive is; serve by --vfio-user SOCKET");
  }
  if (options.nbd.empty() && options.vfio_user.empty() && options.replay.empty() && options.run.empty()) {
    throw config::ConfigError(
        "wordline serve: error: expected --nbd SOCKET, --vfio-user SOCKET, --run COMMAND or --replay FILE");
  }
}

served::CapturedDrive captured_drive(const config::Loaded& loaded, const config::Layout& layout) {
  return {device_bytes_of(layout), config::config_sha256(loaded)};
}

/// Logical blocks as clients are to keep to them.
std::uint32_t block_bytes_of(const config::Config& config) {
  return served::kBlockBytes << config::lba_shift_of(config.nvme.lba_size);
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

/// All that is simulated of a served drive. `answers`: where those to clients go; null: nobody waits for them.
struct Served {
  Served(const ServeOptions& options, const config::Loaded& given, const config::Layout& its_layout,
         serve::AnswersIf* answers)
      : loaded(given),
        layout(its_layout),
        requests(context, store, given.config.host.cores, answers,
                 std::uint64_t{its_layout.lpage.whole_lbas()} * kLbaBytes),
        statistics(static_cast<std::size_t>(tlm_if::Stage::kCount)),
        state(precondition::initial_state(given.config, its_layout)),
        waves(context, options.out, given.config, {}),
        drive("ssd", given.config, its_layout,
              {context, waves.recorder(), firmware_for(given.config, ""), state.get(), waves.observer(), nullptr}),
        testbed("host", given.config, its_layout, drive, environment()),
        measurement(context, drive, testbed, statistics, given.config.run.ramp_time,
                    steady_meter(given.config, its_layout, drive, requests, state.get())),
        pace(*serve::Pace::parse(options.time)),
        loop(simulated, requests, pace),
        run{&context, given.config.run.seed, config::config_sha256(given), requests.describe(), options.command, {}} {
    if (device::is_preconditioned(given.config, state.get())) requests.is_filled();
    waves.started();
  }

  [[nodiscard]] host::TestbedEnvironment environment() {
    host::TestbedEnvironment environment{context, requests, statistics};
    environment.recorder = waves.recorder();
    environment.state = state.get();
    environment.client = &requests;
    return environment;
  }
  [[nodiscard]] bool good() const { return run.ending.status == Ending::Status::kCompleted; }
  /// Clients have said all. True: the host has come to its end, however the run is judged.
  bool finish() {
    if (good()) run.ending = loop.finish();
    requests.give_up();
    measurement.stop();
    const bool done = good();
    if (done) run.ending = ending_when_done(simulated);
    waves.ended(run.ending.status, testbed.driver.run_start());
    return done;
  }

  const config::Loaded& loaded;
  const config::Layout& layout;
  tlm_if::SimulationContext context;
  data::ContentStore store;
  serve::ServedRequests requests;
  results::RequestStatistics statistics;
  const std::unique_ptr<const precondition::InitialState> state;
  RunWaves waves;
  device::Drive drive;
  host::Testbed testbed;
  Measurement measurement;
  const Simulated simulated{context, drive, testbed, measurement, loaded.config};
  serve::Pace pace;
  ServeLoop loop;
  RunDescription run;
};

/// Results and exit code. `more`: what is to be said below the summary.
int report(const ServeOptions& options, Served& served, const std::function<std::string()>& more) {
  results::Registry registry;
  register_statistics(registry, {served.drive, served.testbed, served.measurement, served.statistics, served.requests},
                      served.run);
  if (!options.out.empty()) results::write_file(options.out + "/result.json", results::to_json(registry));
  if (served.run.ending.status == Ending::Status::kFailed) {
    std::cerr << "wordline: " << served.run.ending.reason << '\n';
    return 1;
  }
  if (served.run.ending.status == Ending::Status::kInterrupted) {
    std::cerr << "wordline: interrupted by " << served.run.ending.reason << '\n';
    return StopSignal::exit_code();
  }
  if (!options.quiet) {
    const std::size_t width = terminal_width(STDOUT_FILENO);
    std::cout << results::summary(registry, served.measurement.resources().shares(),
                                  served.testbed.driver.errors().notices(), "", width == 0 ? kWide : width)
              << more();
  }
  return 0;
}

std::string text_of(const serve::NbdServer& server, const Served& served) {
  const serve::ServedRequests::Counters& counters = served.requests.counters();
  std::string text = fmt::format("\n{} client{}, {} requests answered, {} of them with an error\n", server.clients(),
                                 server.clients() == 1 ? "" : "s", counters.answered, counters.failed);
  text += fmt::format("Bytes kept: {:.1f} MiB of data, {:.1f} MiB that were written over\n",
                      static_cast<double>(served.store.live_bytes()) / (1U << 20U),
                      static_cast<double>(served.store.history_bytes()) / (1U << 20U));
  if (server.faults() != 0)
    text += fmt::format("{} connections were ended because the client broke the protocol, the first: {}\n",
                        server.faults(), server.first_fault());
  if (counters.forgotten != 0)
    text += fmt::format("{} blocks were read of which the drive returned old data whose bytes were not kept any more\n",
                        counters.forgotten);
  return text + served.pace.meaning() + served.pace.lateness_text();
}

int serve_clients(const ServeOptions& options, const config::Loaded& loaded, const config::Layout& layout,
                  ServedImage* image) {
  serve::RequestGate gate;
  served::Export device;
  device.bytes = device_bytes_of(layout);
  device.block_bytes = block_bytes_of(loaded.config);
  device.preferred_bytes = layout.lpage.whole_lbas() * kLbaBytes;
  device.description = fmt::format("wordline: {}", fs::path(options.config).filename().string());
  std::optional<RunFolder> place;
  if (options.nbd.empty()) place.emplace("");
  const std::string socket = place ? (place->path() / "drive").string() : options.nbd;
  serve::NbdServer server(socket, device, gate);
  std::optional<ServedCapture> capture;
  if (!options.capture.empty()) capture.emplace(options.capture, captured_drive(loaded, layout));
  Served served(options, loaded, layout, &server);
  std::optional<LiveReport> live;
  if (!options.live.empty()) {
    live.emplace(options.live, LiveReport::Watched{fs::path(options.config).filename().string(), served.drive,
                                                   [&served](results::Op op) -> const results::Histogram& {
                                                     return served.statistics.latency(op);
                                                   },
                                                   [&server] { return server.connected(); }});
    served.loop.look_by([&live] { live->look(); });
  }
  std::optional<ServedProgram> program;
  Ending& ending = served.run.ending;
  if (image != nullptr) {
    image->fill(served.store);
    image->listen_to(served.requests);
  }
  if (capture) {
    capture->listen_to(served.requests);
    served.loop.record(&capture->writer());
  }
  ending = served.loop.bring_up();
  if (image != nullptr && served.good()) {
    ending = make_up(served.loop, *image);
    std::cerr << image->found();
  }
  if (served.good()) {
    server.start();
    if (!options.quiet) {
      std::cout << fmt::format("Serving {} ({:.2f} GB) at nbd+unix:///?socket={}\n", options.config,
                               static_cast<double>(device.bytes) * 1e-9, socket)
                << std::flush;
    }
    if (!options.run.empty())
      program.emplace(options.run, "nbd+unix:///?socket=" + fs::absolute(socket).string(), [&gate] { gate.wake(); });
    ending = served.loop.serve(gate, server, [&] {
      return program ? program->has_ended() : options.once && server.clients() != 0 && server.connected() == 0;
    });
  }
  if (image != nullptr && served.good()) ending = settle(served.loop, served.store);
  if (capture && served.good()) capture->writer().end(served.context.now());
  const bool done = served.finish();
  server.stop();
  int code = report(options, served, [&] { return text_of(server, served); });
  if (code == 0 && program && program->has_ended()) code = program->exit_code();
  if (image == nullptr || !done) return code;
  image->close(served.store, served.context, served.drive, loaded.config, layout);
  return code;
}

int replay(const ServeOptions& options, const config::Loaded& loaded, const config::Layout& layout) {
  served::CaptureReader capture(options.replay);
  const served::CapturedDrive drive = captured_drive(loaded, layout);
  if (capture.drive().by_commands) {
    throw config::ConfigError(fmt::format(
        "--replay {}: error: it is of a session with --vfio-user, whose host was the client; take it as the "
        "workload of wordline run",
        options.replay));
  }
  if (capture.drive().bytes != drive.bytes || capture.drive().config_sha256 != drive.config_sha256) {
    throw config::ConfigError(
        fmt::format("--replay {}: error: it is of another configuration: replay it with the one that was served, and "
                    "the same --set",
                    options.replay));
  }
  ReplayedAnswers answers;
  Served served(options, loaded, layout, nullptr);
  answers.listen_to(served.requests);
  Ending& ending = served.run.ending;
  ending = served.loop.bring_up();
  if (served.good())
    ending = served.loop.replay(capture, [&](const served::CapturedEvent& answer) { answers.was(answer); });
  served.finish();
  const int code = report(options, served, [&] {
    return answers.difference().empty()
               ? fmt::format("\n{} answers are those of the capture, at the same times\n", answers.compared())
               : std::string();
  });
  if (code != 0 || answers.difference().empty()) return code;
  std::cerr << "wordline: " << answers.difference() << '\n';
  return 1;
}

/// What the last server has left undone is done by a drive of its own, whose host is the simulator's, in a process of
/// its own: a client of vfio-user is the only host of its drive. Returns the exit code, 0 for success.
int make_up_before(const ServeOptions& options, const config::Config& config, std::uint64_t device_bytes) {
  if (ServedImage(options.image, config, device_bytes).in_order()) return 0;
  const RunFolder place("");
  std::vector<std::string> arguments = {
      options.command.front(), "serve", options.config, "--quiet", "--image", options.image, "--run", ":"};
  std::vector<std::string> sets = options.sets;
  // Whole blocks of 512 bytes anywhere in the drive, and nothing to look at.
  for (const char* const set :
       {"nvme.lba_size=512B", "nvme.namespaces=[]", "observe.waves=false", "observe.timeline=false"})
    sets.emplace_back(set);
  for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
  const StopSignal signals;
  const fs::path log = place.path() / "log";
  const int code = ChildRuns::run(arguments, log);
  std::cerr << read_file(log);
  return code;
}

}  // namespace

int serve_command(const ServeOptions& options) {
  config::Loaded loaded = config::load(options.config, options.sets);
  const config::Layout layout = config::layout_of(loaded.config);
  check_options(options, loaded.config);
  if (!options.vfio_user.empty()) check_vfio(options, loaded.config);
  std::optional<ServedImage> image;
  if (!options.image.empty()) {
    const int code = options.vfio_user.empty() ? 0 : make_up_before(options, loaded.config, device_bytes_of(layout));
    if (code != 0) return code;
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
  if (!options.vfio_user.empty()) return serve_vfio(options, loaded, layout, image ? &*image : nullptr);
  if (!options.replay.empty()) return replay(options, loaded, layout);
  return serve_clients(options, loaded, layout, image ? &*image : nullptr);
}

}  // namespace wordline::platform
