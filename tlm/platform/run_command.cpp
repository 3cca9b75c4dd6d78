// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/run_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "models/checks/commands.h"
#include "models/config/schema.h"
#include "models/precondition/initial_state.h"
#include "models/results/fio_json.h"
#include "models/results/fio_logs.h"
#include "models/results/report.h"
#include "models/results/request_statistics.h"
#include "models/results/requests_log.h"
#include "models/riscv/translate/translator.h"
#include "models/workload/source.h"
#include "tlm/platform/child_run.h"
#include "tlm/platform/cost_meter.h"
#include "tlm/platform/drive_workload.h"
#include "tlm/platform/exit_guard.h"
#include "tlm/platform/folder_lock.h"
#include "tlm/platform/gdb_session.h"
#include "tlm/platform/installed_files.h"
#include "tlm/platform/mount_check.h"
#include "tlm/platform/power_cut.h"
#include "tlm/platform/profile_report.h"
#include "tlm/platform/progress.h"
#include "tlm/platform/rtl_block_command.h"
#include "tlm/platform/run_logs.h"
#include "tlm/platform/run_report.h"
#include "tlm/platform/run_waves.h"
#include "tlm/platform/simulation.h"
#include "tlm/platform/snapshot_command.h"
#include "tlm/platform/steady_run.h"
#include "tlm/platform/stop_signal.h"
#include "tlm/platform/terminal.h"
#include "tlm/platform/what_if.h"

namespace wordline::platform {
namespace {

namespace fs = std::filesystem;
using namespace wordline::literals;

/// What a run leaves beside config.toml. Those of an earlier run go: they say nothing of this one.
constexpr const char* kFiles[] = {
    "result.json", "cost.json",      "timeline.json", "profile.txt",    "profile.folded", "profile_utilisation.csv",
    "notes.txt",   "power_cut.json", "requests.csv",  "requests.csv.gz"};
constexpr const char* kWaveFiles[] = {"waves.fst", "waves.fst.hier", "waves.gtkw"};

/// columns of the summary where no terminal says how wide it is
constexpr std::size_t kWide = 120;

/// share of what was read: from so much on it is said
constexpr double kWithoutData = 0.01;

void check_options(const RunOptions& options, const config::Config& config) {
  const bool iss = config.cpu.model == config::CpuModel::kIss;
  if (options.profile && !iss) {
    throw config::ConfigError(
        "--profile: error: needs cpu.model = \"iss\": a native core runs no instructions to count; add --set "
        "cpu.model=iss");
  }
  if (options.gdb_port >= 0 && !iss) {
    throw config::ConfigError(
        "--gdb: error: needs cpu.model = \"iss\": a native core has no instructions to stop at; add --set "
        "cpu.model=iss");
  }
  if (!options.firmware.empty() && !iss) {
    throw config::ConfigError(
        "--firmware: error: needs cpu.model = \"iss\": a native core runs the firmware that was compiled into the "
        "program; add --set cpu.model=iss");
  }
  if (const std::string problem = results::RequestsLog::name_problem(options.requests_in.log); !problem.empty()) {
    throw config::ConfigError("--requests-log: error: " + problem);
  }
  if (ends_by_itself(config) && fs::exists(options.requests_in.log) && !fs::is_regular_file(options.requests_in.log)) {
    throw config::ConfigError(
        "--requests-log: error: run.until begins the log anew when the drive is warm, which a pipe or a device cannot "
        "do; give a file");
  }
  if (!options.snapshot.empty()) check_can_be_kept(config);
  if (!options.cut_power.empty()) {
    check_can_be_cut(config);
    (void)parse_cut(options.cut_power);
    if (!options.snapshot.empty() && config.ftl.map_cache.count() != 0) {
      throw config::ConfigError(
          "--snapshot: error: a scan of flash after --cut-power does not find map pages; keep flash with --image, or "
          "set ftl.map_cache = \"0B\"");
    }
  }
  if (options.shut_down && config.host.model != config::HostModel::kNvme) {
    throw config::ConfigError("--shutdown: error: needs host.model = nvme: the other interfaces know no shutdown");
  }
  if (!options.image.empty()) check_can_be_cut(config);
  if (!options.image.empty() && options.cut_power.empty() && !options.shut_down) {
    throw config::ConfigError(
        "--image: error: keeps what is on flash when power goes; add --shutdown, or --cut-power T");
  }
  if (!options.states.empty() && !config.precondition.begins_with_state()) {
    throw config::ConfigError(
        "--states: error: this drive begins with no state that is made or read; leave it out, or set "
        "precondition.fill = random or steady, precondition.overwrites, or precondition.file");
  }
  if (config.observe.timeline && options.out.empty()) {
    throw config::ConfigError("observe.timeline = true: error: needs a folder for the timeline; add --out FOLDER");
  }
  if (config.observe.waves && options.out.empty()) {
    throw config::ConfigError("observe.waves = true: error: needs a folder for the waveform; add --out FOLDER");
  }
  if (options.what_if && (config.observe.waves || config.observe.timeline || options.gdb_port >= 0)) {
    throw config::ConfigError(
        "--what-if: error: repeats the run many times, each with its waves; leave out observe.waves, observe.timeline "
        "and "
        "--gdb");
  }
  if (!config.observe.trigger.empty() && options.gdb_port >= 0) {
    throw config::ConfigError(
        "--gdb: error: cannot be used with observe.trigger, which simulates the run twice; leave out one of them");
  }
  if (options.record.empty()) return;
  if (!config.observe.waves) {
    throw config::ConfigError("--record: error: needs observe.waves = true; add --set observe.waves=true");
  }
  if (config.observe.timeline || config.observe.waves_from.count() != 0 || config.observe.waves_to.count() != 0) {
    throw config::ConfigError(
        "--record: error: says by itself what is recorded; leave out observe.timeline, observe.waves_from and "
        "observe.waves_to");
  }
}

void begin_folder(const std::string& folder, const config::Loaded& loaded, bool only_waves) {
  if (only_waves) {  // beside the results of the same run
    for (const char* name : kWaveFiles) fs::remove(fs::path(folder) / name);
    results::write_file(folder + "/config.toml", config::effective_toml(loaded));
    return;
  }
  for (const char* name : kFiles) fs::remove(fs::path(folder) / name);
  for (const char* name : kWaveFiles) fs::remove(fs::path(folder) / name);
  // The files of blocks of the user's own, by their scope.
  std::vector<fs::path> old;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path extension = entry.path().extension();
    const bool of_block = entry.path().filename().string().rfind("ssd.", 0) == 0;
    if (of_block && (extension == ".vcd" || extension == ".fst")) old.push_back(entry.path());
  }
  for (const fs::path& path : old) fs::remove(path);
  results::write_file(folder + "/config.toml", config::effective_toml(loaded));
}

Ending simulate_drive(const Simulated& simulated, const RunOptions& options, std::uint64_t requests, RunWaves& waves) {
  Progress progress(options.quiet, requests);
  std::unique_ptr<GdbSession> gdb;
  if (options.gdb_port >= 0)
    gdb = std::make_unique<GdbSession>(simulated.drive, static_cast<std::uint16_t>(options.gdb_port));
  (void)waves.paused();
  const auto paused = [&] {
    progress.update(simulated.testbed.driver.counters().completed, simulated.context.now());
    if (gdb) gdb->poll();
    return waves.paused();
  };
  const Ending ending = simulate(simulated, paused, true);
  if (gdb && ending.status == Ending::Status::kCompleted) gdb->finished();
  return ending;
}

void report_profile(device::Drive& drive, const results::RequestStatistics& request_statistics,
                    const RunOptions& options) {
  const Profile profile = profile_of(drive);
  if (!options.out.empty()) {
    results::write_file(options.out + "/profile.txt", profile_table(profile, request_statistics, 0));
    results::write_file(options.out + "/profile.folded", profile_folded(profile));
    results::write_file(options.out + "/profile_utilisation.csv", profile_utilisation(profile));
  }
  if (!options.quiet) std::cout << '\n' << profile_table(profile, request_statistics, 15);
}

/// Sentences below the summary.
std::vector<std::string> notices_of(const workload::Source& source, const host::HostDriver& driver,
                                    const Ending& ending) {
  std::vector<std::string> notices = source.notices();
  const std::vector<std::string> errors = driver.errors().notices();
  notices.insert(notices.end(), errors.begin(), errors.end());
  const host::CheckedData::ReadContent& content = driver.read_content();
  if (content.without_data() >= kWithoutData) {
    notices.push_back(
        fmt::format("{:.0f} % of what was read had never been written, or was deallocated: the drive answers with "
                    "zeros and reads no "
                    "flash; fill it, with precondition.fill = \"sequential\"",
                    100 * content.without_data()));
  }
  if (ending.status == Ending::Status::kInterrupted) {
    notices.push_back(fmt::format("interrupted by {}: {} requests were not completed", ending.reason,
                                  driver.counters().started - driver.counters().completed));
  }
  return notices;
}

/// What of the improvements can matter, as the run says.
config::Need need_of(const workload::Source& source, const results::RequestStatistics& request_statistics,
                     const device::Drive& drive, const results::Resources& resources) {
  config::Need need;
  need.reads = request_statistics.count(workload::Op::kRead) != 0;
  need.writes = request_statistics.count(workload::Op::kWrite) != 0;
  need.collected = drive.firmware_statistics().gc_lpages_copied != 0;
  need.open_loop = source.open_loop();
  need.paced = source.paced();
  need.queue_depth = queue_depth_of(source);
  need.read_buffer = resources.shares_of("read_buffer").greatest() > 0;
  need.write_buffer = resources.shares_of("write_buffer").greatest() > 0;
  need.gc_buffer = resources.shares_of("gc_buffer").greatest() > 0;
  return need;
}

int end_of_run(const RunOptions& options, const Ending& ending, const std::vector<std::string>& evidence = {}) {
  switch (ending.status) {
    case Ending::Status::kCompleted:
      return 0;
    case Ending::Status::kInterrupted:
      if (options.quiet) std::cerr << "wordline: interrupted by " << ending.reason << '\n';
      return StopSignal::exit_code();
    case Ending::Status::kFailed:
      break;
  }
  std::cerr << "wordline: " << ending.reason << '\n';
  for (const std::string& file : evidence) std::cerr << "  the pins in the last clocks: " << file << '\n';
  if (!options.out.empty() && options.record.empty()) std::cerr << "  until then: " << options.out << "/result.json\n";
  return 1;
}

/// Empty, but where the host cannot do what a key asks for.
std::string not_translated(const config::Loaded& loaded) {
  const config::Cpu& cpu = loaded.config.cpu;
  if (cpu.model != config::CpuModel::kIss || !cpu.translate) return {};
  if (loaded.settings[static_cast<std::size_t>(config::find_key("cpu.translate"))].origin == "default") return {};
  const std::string why = riscv::Translator::why_not();
  return why.empty() ? "" : "cpu.translate = true, but the firmware was interpreted: " + why;
}

int run_drive(const RunOptions& options, const config::Loaded& loaded, const config::Layout& layout,
              workload::Source& source, tlm_if::SimulationContext& context, RunDescription& run, RunWaves& waves) {
  const CostMeter meter;
  results::RequestStatistics request_statistics(static_cast<std::size_t>(tlm_if::Stage::kCount));
  waves.observe(request_statistics);
  results::FioReport fio(source);
  if (!options.requests_in.fio_json.empty()) request_statistics.report_to(fio);
  RunLogs logs(options, source);
  logs.observe(request_statistics);
  std::string state_note;
  const auto state = precondition::initial_state(loaded.config, layout, options.states, &state_note);
  const auto image = precondition::flash_image_of(loaded.config, layout);
  MountedContents contents(loaded.config, layout, state.get(), image.get());
  std::optional<data::PowerPromises> promises;
  const bool power_goes = !options.cut_power.empty() || !options.image.empty();
  const bool owes = power_goes && loaded.config.ftl.recovery == config::Recovery::kScan;
  if (owes) promises.emplace([&](std::uint64_t lba) { return contents.at(lba); }, loaded.config.ftl.power_safe);
  std::vector<tlm_if::SimulationContext::ArrayWrite> writes;
  if (!options.writes.empty()) context.record(&writes);
  device::Drive drive("ssd", loaded.config, layout,
                      {context, waves.recorder(), firmware_for(loaded.config, options.firmware), state.get(),
                       waves.observer(), image.get()});
  host::Testbed testbed("host", loaded.config, layout, drive,
                        {context, source, request_statistics, waves.recorder(), state.get(), options.verify_all,
                         image.get(), promises ? &*promises : nullptr, options.shut_down});
  const std::unique_ptr<rtl::BlockRecordings> recordings = open_recordings(options.record_blocks, loaded.config);
  if (!recordings->empty()) drive.record(*recordings);
  MountCheck mount(drive, contents);
  if (image != nullptr) testbed.driver.listen(mount);
  waves.started();
  if (options.profile) enable_profile(drive);
  const Picoseconds ramp = std::max(loaded.config.run.ramp_time, source.ramp_time());
  Measurement measurement(context, drive, testbed, request_statistics, ramp,
                          steady_meter(loaded.config, layout, drive, source, state.get()));
  const Picoseconds until = options.cut_power.empty() ? Picoseconds(INT64_MAX) : parse_cut(options.cut_power);
  run.ending = simulate_drive({context, drive, testbed, measurement, loaded.config, until}, options,
                              source.total_requests(), waves);
  if (run.ending.status != Ending::Status::kFailed) recordings->close();
  if (!options.record.empty()) {
    waves.ended(run.ending.status, testbed.driver.run_start());
    return end_of_run(options, run.ending);
  }

  results::Registry registry;
  register_statistics(registry, {drive, testbed, measurement, request_statistics, source}, run);
  std::string experiment;
  if (options.what_if && run.ending.status == Ending::Status::kCompleted && request_statistics.requests() != 0) {
    const config::Need need = need_of(source, request_statistics, drive, measurement.resources());
    run.what_if = what_if(options, results::to_json(registry), config::improvements(loaded, need), options.states);
    results::register_what_if(registry, run.what_if);
    experiment = results::what_if_text(run.what_if);
  }
  if (!options.out.empty()) {
    results::write_file(options.out + "/result.json", results::to_json(registry));
    results::write_file(options.out + "/cost.json",
                        results::to_json(meter.cost(context, drive, testbed.driver.counters().completed)));
  }
  if (!options.requests_in.fio_json.empty()) {
    results::write_file(options.requests_in.fio_json,
                        fio.to_json("wordline " WORDLINE_VERSION, options.requests_in.fio_bins));
  }
  if (!options.snapshot.empty() && !power_goes && run.ending.status == Ending::Status::kCompleted) {
    save_snapshot(drive, loaded.config, layout, run.workload, options.snapshot);
  }
  logs.close();
  waves.ended(run.ending.status, testbed.driver.run_start());
  const bool failed = run.ending.status == Ending::Status::kFailed;
  if (!failed) {
    std::vector<std::string> notices = notices_of(source, testbed.driver, run.ending);
    if (!state_note.empty()) notices.push_back(state_note);
    if (std::string notice = waves.notice(); !notice.empty()) notices.push_back(std::move(notice));
    if (std::string notice = logs.notice(); !notice.empty()) notices.push_back(std::move(notice));
    if (std::string notice = not_translated(loaded); !notice.empty()) notices.push_back(std::move(notice));
    if (request_statistics.requests() == 0 && request_statistics.completed() != 0) {
      notices.push_back(fmt::format("nothing was measured: all {} requests completed within the ramp time of {:.3f} ms",
                                    request_statistics.completed(), static_cast<double>(ramp.count()) * 1e-9));
    }
    if (!options.quiet) {
      const std::size_t width = terminal_width(STDOUT_FILENO);
      std::cout << results::summary(registry, measurement.resources().shares(), notices, experiment,
                                    width == 0 ? kWide : width);
    }
    // With --quiet, too: who runs many drives reads them there.
    if (!options.out.empty() && !notices.empty()) {
      results::write_file(options.out + "/notes.txt", fmt::format("{}\n", fmt::join(notices, "\n")));
    }
  }
  if (options.profile) report_profile(drive, request_statistics, options);
  if (power_goes && run.ending.status == Ending::Status::kCompleted) {
    Promised promised{promises ? &*promises : nullptr, contents.begins_with_data(), &contents.of_image(), {}};
    if (!mount.at())
      promised.or_else = [&](std::uint64_t lba, std::uint64_t content) { return contents.may_become(lba, content); };
    std::optional<HoldUp> held;
    if (loaded.config.power.hold_up > 0 && testbed.driver.counters().shutdown.count() <= 0) {
      if (promises) promises->host_is_gone();
      held = hold_up(context, drive, testbed, loaded.config.power);
    }
    PowerCut cut = cut_power(drive, testbed.oracle, loaded.config, layout, promised, !options.snapshot.empty());
    cut.held = held;
    cut.mounted = mount.at();
    cut.clean_mount = drive.firmware_statistics().recovery.clean_mounts != 0;
    cut.shut_down = testbed.driver.counters().shutdown.count() > 0;
    if (!options.image.empty()) save_image(cut, drive, loaded.config, layout, run.workload, options.image);
    if (!options.out.empty()) results::write_file(options.out + "/power_cut.json", to_json(cut));
    if (!options.snapshot.empty()) save_cut_state(cut, run.workload, options.snapshot);
    if (!options.quiet) std::cout << summary(cut);
    if (cut.broken && cut.broken->sum() != 0) {
      std::cerr << "wordline: a promise is broken: " << cut.broken->first << '\n';
      return 1;
    }
  }
  if (!options.writes.empty()) {
    std::string text;
    for (const auto& write : writes) text += fmt::format("{} {}\n", write.begin.count(), write.end.count());
    results::write_file(options.writes, text);
  }
  if (!mount.problem().empty()) {
    std::cerr << "wordline: " << mount.problem() << '\n';
    return 1;
  }
  std::vector<std::string> evidence;
  if (failed && !options.out.empty()) {
    evidence = drive.flash.leave_evidence(options.out);
    for (const engines::OwnEngine* engine : drive.own_engines()) {
      for (std::string& file : engine->leave_evidence(options.out)) evidence.push_back(std::move(file));
    }
    if (drive.apb != nullptr) {
      for (std::string& file : drive.apb->leave_evidence(options.out)) evidence.push_back(std::move(file));
    }
  }
  return end_of_run(options, run.ending, evidence);
}

/// Repeats the run, in a process of its own: SystemC elaborates once in a process.
void record(const RunOptions& options, const std::vector<observe::WaveStretch>& windows) {
  std::vector<std::string> arguments = repeat_arguments(options, options.out);
  for (const std::string& window : stretch_texts(windows)) arguments.insert(arguments.end(), {"--record", window});
  const RunFolder folder("");
  const fs::path log = folder.path() / "log";
  const int code = ChildRuns::run(arguments, log);
  // A run that fails does so again; the view comes last.
  if (StopSignal::received() != 0 || fs::exists(fs::path(options.out) / "waves.gtkw")) return;
  throw std::runtime_error(
      fmt::format("observe.trigger: the run that records the windows has ended with {}: {}", code, read_file(log)));
}

/// Something failed before there was a drive, or when its results were to be written: what is known goes into
/// result.json, unless it is there.
void leave_result(const RunOptions& options, const RunDescription& run) {
  const std::string path = options.out + "/result.json";
  if (options.out.empty() || fs::exists(path)) return;
  try {
    results::Registry registry;
    register_run(registry, run);
    results::write_file(path, results::to_json(registry));
  } catch (const std::exception&) {  // the first error is the one to report
    std::error_code gone;
    fs::remove(path, gone);  // half of a result is none
  }
}

}  // namespace

std::vector<std::string> repeat_arguments(const RunOptions& options, const fs::path& out) {
  std::vector<std::string> arguments = run_arguments(options.config, options.workload, options.sets, out);
  const auto give = [&](const char* option, const std::string& value) {
    arguments.emplace_back(option);
    arguments.push_back(value);
  };
  if (options.speedup != 1.0) give("--speedup", fmt::format("{}", options.speedup));
  if (options.deeper != 1) give("--deeper", std::to_string(options.deeper));
  if (options.requests != 0) give("--requests", std::to_string(options.requests));
  if (options.footprint != 1.0) give("--footprint", fmt::format("{}", options.footprint));
  if (!options.trace.format.empty()) give("--trace-format", options.trace.format);
  if (!options.trace.columns.empty()) give("--columns", options.trace.columns);
  if (options.trace.loops != 1) give("--loop", std::to_string(options.trace.loops));
  if (options.trace.queue_depth != 0) give("--queue-depth", std::to_string(options.trace.queue_depth));
  if (options.beyond_end == workload::BeyondEnd::kScale) give("--addresses", "scale");
  if (options.beyond_end == workload::BeyondEnd::kError) give("--addresses", "error");
  if (!options.firmware.empty()) give("--firmware", options.firmware);
  if (!options.states.empty()) give("--states", options.states);
  return arguments;
}

int run_command(const RunOptions& given) {
  RunOptions options = given;
  const config::Loaded loaded = config::load(options.config, options.sets);
  const config::Layout layout = config::layout_of(loaded.config);
  check_options(options, loaded.config);
  workload::LoadOptions load = load_options_of(loaded.config, layout);
  load.speedup = options.speedup;
  load.beyond_end = options.beyond_end;
  load.requests = options.requests;
  load.footprint = options.footprint;
  load.trace = options.trace;
  load.deeper = options.deeper;
  load.endless = ends_by_itself(loaded.config);
  load.placement_handles = loaded.config.ftl.fdp.handles;
  const auto source = workload::load_workload(options.workload, load);
  const std::vector<observe::WaveStretch> stretches = parse_stretches(options.record);
  std::optional<FolderLock> lock;
  if (!options.out.empty()) {
    fs::create_directories(options.out);
    if (stretches.empty()) lock.emplace(options.out);  // waves are recorded beside the results of the run that asks
    begin_folder(options.out, loaded, !stretches.empty());
  }
  // Removed as the files of the folder: what an earlier run left says nothing of this one.
  if (!options.requests_in.fio_json.empty()) fs::remove(options.requests_in.fio_json);
  if (fs::is_regular_file(options.requests_in.log)) fs::remove(options.requests_in.log);

  const std::string workload_file = fs::path(options.workload).filename().string();
  tlm_if::SimulationContext context;
  RunDescription run{&context,
                     loaded.config.run.seed,
                     config::config_sha256(loaded),
                     fmt::format("{}: {}", workload_file, source->describe()),
                     options.command,
                     {}};
  // A state is made, or read, once for all runs.
  std::unique_ptr<RunFolder> states;
  const bool again = options.what_if || (!loaded.config.observe.trigger.empty() && stretches.empty());
  if (again && options.states.empty() && loaded.config.precondition.begins_with_state()) {
    states = std::make_unique<RunFolder>("");
    options.states = states->path().string();
  }
  const StopSignal signals;
  const ExitGuard guard([&] {
    run.ending = {Ending::Status::kFailed, ExitGuard::kReason};
    leave_result(options, run);
  });
  try {
    RunWaves waves(context, options.out, loaded.config, stretches);
    const int code = run_drive(options, loaded, layout, *source, context, run, waves);
    const std::vector<observe::WaveStretch> windows = waves.wanted();
    if (!windows.empty() && run.ending.status != Ending::Status::kInterrupted) record(options, windows);
    return StopSignal::received() != 0 ? StopSignal::exit_code() : code;
  } catch (const std::exception& error) {
    const bool stopped = StopSignal::received() != 0;
    run.ending = {stopped ? Ending::Status::kInterrupted : Ending::Status::kFailed, error.what()};
    leave_result(options, run);
    if (stopped) return end_of_run(options, run.ending);
    throw;
  }
}

}  // namespace wordline::platform
