// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/vfio_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "models/checks/commands.h"
#include "models/firmware/contract/contract.h"
#include "models/precondition/initial_state.h"
#include "models/results/registry.h"
#include "models/results/report.h"
#include "tlm/platform/drive_measurement.h"
#include "tlm/platform/installed_files.h"
#include "tlm/platform/live_report.h"
#include "tlm/platform/lockstep_loop.h"
#include "tlm/platform/run_report.h"
#include "tlm/platform/run_waves.h"
#include "tlm/platform/served_program.h"
#include "tlm/platform/stop_signal.h"
#include "tlm/platform/vfio_loop.h"
#include "tlm/serve/command_record.h"
#include "tlm/serve/guest_clock.h"
#include "tlm/serve/lockstep.h"

namespace wordline::platform {
namespace {

namespace fs = std::filesystem;

/// All that is simulated.
struct Served {
  Served(const ServeOptions& options, const config::Loaded& loaded, const config::Layout& layout,
         const std::string& path)
      : socket(path),
        memory(socket),
        state(precondition::initial_state(loaded.config, layout)),
        waves(context, options.out, loaded.config, {}),
        record(records(options) ? std::make_unique<serve::CommandRecord>(waves.observer(), !options.capture.empty())
                                : nullptr),
        drive("ssd", loaded.config, layout,
              {context, waves.recorder(), firmware_for(loaded.config, ""), state.get(),
               record ? record.get() : waves.observer(), nullptr}),
        controller(dynamic_cast<host::NvmeController&>(*drive.host)),
        function("function", {context, controller, drive.link, memory}, loaded.config.nvme.cmb,
                 options.doorbells == "polled"),
        measurement(drive),
        pace(*serve::Pace::parse(options.time)),
        loop({context, drive, function, socket, measurement, pace}),
        run{&context, loaded.config.run.seed, config::config_sha256(loaded), "a host behind vfio-user", options.command,
            {}} {
    const host::CommandTable& commands = drive.host->mover.commands();
    drive.stage_clock.serve_foreign_host([&commands](std::uint16_t tag) -> unsigned {
      return commands[tag].op == host::Operation::kRead ? WL_WAITER_READ : WL_WAITER_WRITE;
    });
    drive.host->mover.host_memory.bind(memory);
    if (record) record->look_at(commands, memory);
    if (pace.is_lockstep()) {
      clock.emplace(path + ".clock");
      lockstep.emplace(context, function, [this](Picoseconds limit) { loop.go_on(limit); });
    }
    waves.started();
  }

  /// The drive's own record costs little, but is asked for.
  [[nodiscard]] static bool records(const ServeOptions& options) {
    return !options.capture.empty() || !options.live.empty() || options.time == "lockstep";
  }
  [[nodiscard]] Ending serve(const std::optional<ServedProgram>& program, bool once) {
    std::function<bool()> ended;
    if (program) ended = [&program] { return program->has_ended(); };
    if (lockstep) return LockstepLoop(loop, socket, *clock, *lockstep).serve(ended);
    if (!ended) ended = [this, once] { return once && socket.clients() != 0 && !socket.connected(); };
    return loop.serve(ended);
  }

  tlm_if::SimulationContext context;
  serve::VfioSocket socket;
  serve::ClientMemory memory;
  const std::unique_ptr<const precondition::InitialState> state;
  RunWaves waves;
  const std::unique_ptr<serve::CommandRecord> record;  // null: nobody asks for it
  device::Drive drive;
  host::NvmeController& controller;  // of the drive
  serve::VfioFunction function;
  DriveMeasurement measurement;
  serve::Pace pace;
  VfioLoop loop;
  std::optional<serve::GuestClock> clock;   // of --time lockstep
  std::optional<serve::Lockstep> lockstep;  // likewise
  RunDescription run;
};

std::string text_of(Served& served) {
  const host::HostDataMover& mover = served.drive.host->mover;
  const host::HostDataMover::Counters& commands = mover.counters();
  const host::DataPath::Counters& data = mover.data_counters();
  const auto mb = [](std::uint64_t lbas) { return static_cast<double>(lbas * kLbaBytes) * 1e-6; };
  const served::MessageVectors& vectors = served.function.vectors();
  std::string text = fmt::format(
      "\n{} client{}, {} resets, {:.6f} s of simulated time\n"
      "Commands: {} reads of {:.1f} MB, {} writes of {:.1f} MB, {} flushes, {} deallocations, {} write zeroes; {} "
      "ended "
      "with an error\n",
      served.socket.clients(), served.socket.clients() == 1 ? "" : "s", served.function.resets(),
      static_cast<double>(served.context.now().count()) * 1e-12, commands.reads, mb(data.lbas_read), commands.writes,
      mb(data.lbas_written), commands.flushes, commands.deallocates, commands.write_zeroes, served.controller.errors());
  if (!served.lockstep || vectors.messages() != 0)
    text += fmt::format("Interrupts: {}, of which {} found an eventfd\n", vectors.messages(), vectors.told());
  text += fmt::format("Doorbells: {}\n", served.function.maps_doorbells()
                                             ? "polled in memory that the client maps, or trapped where it does not"
                                             : "trapped, each a message");
  if (served.socket.refused() != 0)
    text += fmt::format("{} clients were refused because there was one\n", served.socket.refused());
  if (served.socket.faults() != 0)
    text += fmt::format("{} connections were ended because the client broke the protocol, the first: {}\n",
                        served.socket.faults(), served.socket.first_fault());
  if (served.memory.refused() != 0)
    text += fmt::format("{} accesses of the drive to memory that the client has not mapped, or not so\n",
                        served.memory.refused());
  if (served.memory.forgotten() != 0)
    text += fmt::format("{} blocks were read of which the drive returned old data whose bytes were not kept any more\n",
                        served.memory.forgotten());
  if (served.record) text += served.record->text();
  text += served.pace.meaning() + served.pace.lateness_text();
  if (served.lockstep) {
    const serve::Lockstep::Counters& counters = served.lockstep->counters();
    text += fmt::format(
        "The guest's clock came to {:.9f} s, in {} steps; {} doorbells and {} interrupts had an instant of it\n"
        "Its 0 is {:.6f} ms of the drive's time, which result.json, capture and waveform have\n",
        static_cast<double>(served.lockstep->reached()) * 1e-9, counters.instants, counters.doorbells,
        counters.interrupts, static_cast<double>(served.lockstep->origin().count()) * 1e-9);
  }
  return text;
}

int report(const ServeOptions& options, Served& served, std::uint64_t device_bytes) {
  served.measurement.end(served.context.now());
  results::Registry registry;
  register_statistics(registry, served.drive, served.measurement, served.run);
  if (served.record) served.record->statistics().register_statistics(registry, stage_names(), {"guest"});
  if (!options.out.empty()) results::write_file(options.out + "/result.json", results::to_json(registry));
  if (served.run.ending.status == Ending::Status::kFailed) {
    std::cerr << "wordline: " << served.run.ending.reason << '\n';
    return 1;
  }
  if (!options.capture.empty())
    served.record->write(options.capture, {device_bytes, served.run.config_sha256, true}, served.context.now());
  if (!options.quiet) std::cout << text_of(served);
  return served.memory.forgotten() == 0 ? 0 : 1;
}

}  // namespace

void check_vfio(const ServeOptions& options, const config::Config& config) {
  if (config.host.model != config::HostModel::kNvme) {
    throw config::ConfigError(
        "wordline serve: error: --vfio-user shows the drive's NVMe controller, which host.model = direct has not; add "
        "--set host.model=nvme, or serve by --nbd");
  }
  if (config.nvme.metadata != config::BlockMetadata::kNone) {
    throw config::ConfigError(
        "wordline serve: error: --vfio-user keeps the bytes of blocks, not those of their metadata; add --set "
        "nvme.metadata=none");
  }
  const char* const watches = !options.capture.empty() ? "--capture" : !options.image.empty() ? "--image" : nullptr;
  if (watches != nullptr && !config.engines.on(engines::EngineId::kParse)) {
    throw config::ConfigError(
        fmt::format("wordline serve: error: {} needs a controller that knows where commands go; add --set "
                    "engines.parse=on",
                    watches));
  }
  if (options.time == "lockstep" && options.doorbells == "polled") {
    throw config::ConfigError(
        "wordline serve: error: doorbells in shared memory have no instant of the guest's clock; leave out --doorbells "
        "polled, or --time lockstep");
  }
}

int serve_vfio(const ServeOptions& options, const config::Loaded& loaded, const config::Layout& layout,
               ServedImage* image) {
  Served served(options, loaded, layout, options.vfio_user);
  std::optional<LiveReport> live;
  if (!options.live.empty()) {
    live.emplace(options.live, LiveReport::Watched{fs::path(options.config).filename().string(), served.drive,
                                                   [&served](results::Op op) -> const results::Histogram& {
                                                     return served.record->statistics().latency(op);
                                                   },
                                                   [&served] { return served.socket.connected() ? 1U : 0U; }});
    served.loop.look_by([&live] { live->look(); });
  }
  if (image != nullptr) {
    image->begin_in_order(served.memory.store());
    served.memory.keep_in(*image, loaded.config.ftl.power_safe);
  }
  std::optional<ServedProgram> program;
  Ending& ending = served.run.ending;
  ending = served.loop.bring_up();
  if (ending.status == Ending::Status::kCompleted) {
    served.measurement.begin();
    served.socket.start();
    if (!options.quiet) {
      std::cout << fmt::format("Serving the NVMe controller of {} ({:.2f} GB) at vfio-user:{}\n", options.config,
                               static_cast<double>(layout.lpage.first_lba(layout.user_lpages) * kLbaBytes) * 1e-9,
                               options.vfio_user);
      if (served.clock) std::cout << fmt::format("The guest's clock comes by {}\n", served.clock->path());
      std::cout << std::flush;
    }
    if (!options.run.empty()) program.emplace(options.run, fs::absolute(options.vfio_user).string(), [] {});
    ending = served.serve(program, options.once);
  }
  served.waves.ended(ending.status, Picoseconds(0));
  const int code = report(options, served, layout.lpage.first_lba(layout.user_lpages) * kLbaBytes);
  if (image != nullptr && ending.status != Ending::Status::kFailed)
    image->close(served.memory.store(), served.context, served.drive, loaded.config, layout);
  return code == 0 && program && program->has_ended() ? program->exit_code() : code;
}

}  // namespace wordline::platform
