// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The program: reads the command line and calls the function of the command. Exit codes: 0 done, 1 the run failed
// (data mismatch, firmware panic, model error, file not writable), 2 the request itself was wrong, 129, 130 and 143
// the user ended it (SIGHUP, SIGINT, SIGTERM).
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <systemc>
#include <vector>

#include "models/checks/commands.h"
#include "models/checks/json_schema.h"
#include "models/checks/tables.h"
#include "models/config/value.h"
#include "models/onfi/sequence_table.h"
#include "models/workload/source.h"
#include "models/workload/trace/formats.h"
#include "tlm/platform/calibrate_command.h"
#include "tlm/platform/crash_test_command.h"
#include "tlm/platform/exit_guard.h"
#include "tlm/platform/installed_files.h"
#include "tlm/platform/partition_command.h"
#include "tlm/platform/plain_output.h"
#include "tlm/platform/points_command.h"
#include "tlm/platform/profile_command.h"
#include "tlm/platform/revision.h"
#include "tlm/platform/rtl_block_command.h"
#include "tlm/platform/run_command.h"
#include "tlm/platform/serve_arguments.h"
#include "tlm/platform/snapshot_command.h"
#include "tlm/platform/start_command.h"
#include "tlm/platform/statistics_command.h"
#include "tlm/platform/studies_command.h"
#include "tlm/platform/terminal.h"
#include "tlm/platform/top_command.h"
#include "tlm/platform/view_command.h"
#include "tlm/platform/workload_command.h"

namespace {

using wordline::platform::as_called;
using wordline::platform::CalibrateEccOptions;
using wordline::platform::CalibrateOptions;
using wordline::platform::ProfileOptions;
using wordline::platform::RunOptions;
using wordline::platform::shipped_file;
using wordline::platform::source_revision;
using wordline::platform::terminal_width;
using wordline::platform::WorkloadCheckOptions;
using wordline::platform::WorkloadStatsOptions;
using wordline::workload::BeyondEnd;
using wordline::workload::TraceOptions;

constexpr const char* kAbout =
    "Wordline: a hardware-accurate model of an SSD controller.\n"
    "Start with:  wordline run configs/ssds/default.toml --workload configs/workloads/mix7030_4k.fio --out out/first";

struct ConfigArguments {
  std::string config;
  std::vector<std::string> sets;
};

void add_config(CLI::App& command, ConfigArguments& arguments) {
  command.add_option("config", arguments.config, "configuration of the drive, TOML")
      ->required()
      ->transform(shipped_file);
  command.add_option("--set", arguments.sets, "key=value, overrides the file; may be given several times")
      ->take_all()
      ->expected(1);
}

std::string speedup_problem(const std::string& text) {
  double factor = 0;
  if (CLI::detail::lexical_cast(text, factor) && factor >= 0.001 && factor <= 1e6) return {};
  return fmt::format("{} is no factor from 0.001 to 1000000", text);
}

void add_profiles(CLI::App& command, ProfileOptions& options) {
  command.add_option("profiles", options.profiles, "profiles, TOML")
      ->required()
      ->check(CLI::ExistingFile)
      ->transform(shipped_file);  // before the check
  command.add_option("--footprint", options.footprint, "scale of the pages and of the requests, 0.0001 to 100")
      ->check(CLI::Range(0.0001, 100.0))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "of the random numbers")->capture_default_str();
}

void add_trace_options(CLI::App& command, TraceOptions& options, BeyondEnd& beyond_end) {
  static const std::map<std::string, BeyondEnd> kBeyondEnd{
      {"wrap", BeyondEnd::kWrap}, {"scale", BeyondEnd::kScale}, {"error", BeyondEnd::kError}};
  std::vector<std::string> formats;
  for (const auto& format : wordline::workload::trace_formats()) formats.emplace_back(format.key);
  command.add_option("--trace-format", options.format, "traces: the format, where the content could be of several")
      ->check(CLI::IsMember(formats));
  command.add_option("--columns", options.columns,
                     "traces: what the columns of a text of no known format are: time_us,op,offset_bytes,size_bytes "
                     "(docs/workloads.md)");
  command.add_option("--loop", options.loops, "traces: how often the trace is repeated")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40U, "1 to 2^40"));
  command
      .add_option("--queue-depth", options.queue_depth,
                  "traces and profiles: requests to keep in flight, instead of their times")
      ->check(CLI::Range(1U, 65535U, "1 to 65535"));
  command
      .add_option("--addresses", beyond_end,
                  "traces: addresses beyond the drive's end are wrapped around (wrap), scaled with all others "
                  "(scale), or an error")
      // The transformer's own description would print the values as characters.
      ->transform(CLI::Transformer(kBeyondEnd).description(""))
      ->type_name("wrap|scale|error");
}

void add_workload_stats(CLI::App& command, WorkloadStatsOptions& options) {
  command.add_option("workload", options.workload, "trace, fio job file or profile")
      ->required()
      ->transform(shipped_file);
  command.add_option("--requests", options.requests, "the first so many requests; 0: all of them");
  command
      .add_option("--capacity", options.capacity_bytes, "of the drive, for workloads that fill a share of it: 64GiB")
      ->transform(CLI::AsSizeValue(false));
  command.add_option("--seed", options.seed, "of workloads with random numbers")->capture_default_str();
  add_trace_options(command, options.trace, options.beyond_end);
  command.add_flag("--one-device", options.one_device, "the devices of a trace share their addresses, as on a drive");
  command.add_option("--json", options.json, "file for the same as JSON");
}

void add_workload_check(CLI::App& command, WorkloadCheckOptions& options) {
  command.add_option("workloads", options.workloads, "fio job files, traces or profiles")
      ->required()
      ->transform(shipped_file);
  command.add_option("--capacity", options.capacity_bytes, "of the drive; 1TiB unless given")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{512}, std::uint64_t{1} << 53U));
  command.add_option("--seed", options.seed, "of workloads with random numbers")->capture_default_str();
  add_trace_options(command, options.trace, options.beyond_end);
}

/// The known command, or option of the command, next to a word that is neither.
void suggest(const CLI::App& app, int argc, char** argv) {
  const CLI::App* command = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool is_option = word.rfind("--", 0) == 0;
    std::vector<std::string> known;
    if (is_option) {
      for (const CLI::Option* option : command->get_options()) {
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      }
    } else if (!command->get_subcommands([](const CLI::App*) { return true; }).empty()) {
      for (const CLI::App* other : command->get_subcommands([](const CLI::App*) { return true; })) {
        known.push_back(other->get_name());
      }
    }
    const std::string name = word.substr(0, word.find('='));
    if (known.empty() || std::find(known.begin(), known.end(), name) != known.end()) {
      if (!known.empty() && !is_option) command = command->get_subcommand(name);
      continue;
    }
    const std::string near = wordline::config::nearest(name, {known.begin(), known.end()});
    if (!near.empty()) {
      std::cerr << name << ": did you mean " << near << "?\n";
    } else if (!is_option) {
      std::cerr << as_called(name + ": no such command; wordline --help lists them\n");
    }
    return;
  }
}

int dispatch(int argc, char** argv) {
  CLI::App app{as_called(kAbout), "wordline"};
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("wordline {} ({})", WORDLINE_VERSION, source_revision()));
  ConfigArguments config;
  RunOptions run_options;
  CalibrateOptions calibrate_options;
  CalibrateEccOptions ecc_options;
  wordline::platform::PartitionOptions partition_options;
  std::vector<std::string> explained, stated;
  bool as_schema = false, as_tables = false;
  std::string folder;
  bool markdown = false;

  CLI::App* run = app.add_subcommand("run", "simulate a workload on a drive");
  add_config(*run, config);
  run->add_option("-w,--workload", run_options.workload, "fio job file, profile or block trace (docs/workloads.md)")
      ->required()
      ->transform(shipped_file);
  run->add_option("--speedup", run_options.speedup,
                  "divide the time between requests, of fio jobs think times and rates; 0.001 to 1000000")
      ->check(CLI::Validator(speedup_problem, "FACTOR"));
  run->add_option_function<std::string>(
         "--until",
         [&config](const std::string& until) { config.sets.push_back(fmt::format("run.until=\"{}\"", until)); },
         "end as soon as the drive is steady and its numbers are as sure as this: 1%, or snia (docs/steady.md)")
      ->type_name("WIDTH");
  run->add_option("--deeper", run_options.deeper, "so many times the requests in flight of a closed loop")
      ->check(CLI::Range(1U, 64U));
  run->add_flag("--what-if", run_options.what_if,
                "afterwards repeat the run with each resource improved, twice the dies, half of tR, and say what each "
                "gains (docs/exploring.md)");
  run->add_option("--requests", run_options.requests, "profiles: how many requests, instead of the profile's own")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40, "1 to 2^40"));
  run->add_option("--footprint", run_options.footprint,
                  "profiles: factor of the pages, and of the requests unless --requests is given; 0.0001 to 100")
      ->check(CLI::Range(0.0001, 100.0));
  add_trace_options(*run, run_options.trace, run_options.beyond_end);
  run->add_option("-o,--out", run_options.out, "folder for result.json, cost.json, config.toml, waves");
  CLI::Option* record =
      run->add_option("--record", run_options.record,
                      "FROM..TO, a window of simulated time: 1ms..1.5ms; may be given several times: only the waveform "
                      "of the windows, and the run ends with the last one (docs/waveforms.md)")
          ->take_all()
          ->expected(1);
  CLI::Option* fio_json = run->add_option("--fio-json", run_options.requests_in.fio_json,
                                          "file for the results as fio's JSON (docs/workloads.md)");
  run->add_option_function<std::string>(
         "--fio-json-plus",
         [&run_options](const std::string& file) {
           run_options.requests_in.fio_json = file;
           run_options.requests_in.fio_bins = true;
         },
         "the same as fio's json+, with the buckets of all latencies")
      ->excludes(fio_json);
  run->add_option("--requests-log", run_options.requests_in.log,
                  "file for every request as a row of CSV, FILE.csv or packed FILE.csv.gz: times, dies, retries, "
                  "stages, what it waited behind (docs/reports.md)")
      ->type_name("FILE");
  run->add_option("--firmware", run_options.firmware, "ELF for cpu.model = iss, instead of the built-in firmware")
      ->check(CLI::ExistingFile);
  run->add_flag("-q,--quiet", run_options.quiet, "no summary, no progress");
  run->add_flag("--profile", run_options.profile,
                "cpu.model = iss: cycles by function, task and type of command; with --out also profile.txt, "
                "profile.folded (call stacks), profile_utilisation.csv");
  run->add_option("--gdb", run_options.gdb_port,
                  "cpu.model = iss: wait for gdb on this port of localhost; 0: any free one")
      ->check(CLI::Range(0, 65535));
  run->add_option("--snapshot", run_options.snapshot,
                  "file for the state of the drive at the end, for precondition.file of another run");
  run->add_option(
      "--cut-power", run_options.cut_power,
      "simulated time at which power fails: what flash says then, for --snapshot, too (docs/power_loss.md)");
  run->add_option("--image", run_options.image,
                  "file for what the power cut leaves on flash, for precondition.flash of another run");
  run->add_option("--array-writes", run_options.writes,
                  "file for the picosecond in which each program and erase of a die begins, and that of its end");
  run->add_option(
         "--record-block", run_options.record_blocks,
         "SLOT=FILE: what goes into the block of a slot, and what is right of it, for a bench of your own block "
         "(docs/own_rtl.md); may be given several times")
      ->take_all()
      ->expected(1);
  run->add_option("--states", run_options.states,
                  "folder for states that precondition.fill and overwrites make: each is made once, and found there by "
                  "other runs (docs/states.md)");
  run->add_flag("--shutdown", run_options.shut_down,
                "the host shuts the drive down at the end (CC.SHN = 01b), and waits for it");
  run->add_flag("--verify-all", run_options.verify_all, "read the whole drive back at the end and check every block");
  for (const char* option : {"--what-if", "--fio-json", "--fio-json-plus", "--requests-log", "--profile", "--snapshot",
                             "--verify-all", "--cut-power"}) {
    record->excludes(run->get_option(option));
  }
  for (const char* option : {"--what-if", "--verify-all"})
    run->get_option("--cut-power")->excludes(run->get_option(option));

  wordline::platform::ServeOptions serve_options;
  CLI::App* serve = app.add_subcommand("serve", "let other programs use the drive as a block device (docs/serving.md)");
  add_config(*serve, config);
  wordline::platform::add_serve(*serve, serve_options);
  wordline::platform::TopOptions top_options;
  CLI::App* top = app.add_subcommand("top", "show what a drive does that is served with --live (docs/serving.md)");
  top->add_option("socket", top_options.socket, "of wordline serve --live")->type_name("SOCKET")->required();
  top->add_flag("--once", top_options.once, "end after the first frame");
  top->add_flag("--json", top_options.json, "a line of JSON for each frame");

  CLI::App* check = app.add_subcommand("check", "validate a configuration and say what it describes");
  add_config(*check, config);
  wordline::platform::SnapshotOptions snapshot_options;
  CLI::App* snapshot = app.add_subcommand("snapshot", "make the state that a drive begins with, and keep it in a file");
  add_config(*snapshot, config);
  snapshot->add_option("-o,--out", snapshot_options.out, "file to write, for precondition.file")->required();
  snapshot->add_flag("-q,--quiet", snapshot_options.quiet, "no summary");

  CLI::App* print = app.add_subcommand("print-config", "effective values, with where each comes from");
  add_config(*print, config);
  std::string points_file;
  print->add_option("--points", points_file,
                    "instead, a line of JSON for each drive of this file, whose lines are JSON lists of what is set: "
                    "[\"channels.count=4\"]; a drive that is refused is a line with the reason");
  CLI::App* explain = app.add_subcommand("explain", "what a key means: unit, default, range, effect");
  CLI::Option* words = explain->add_option(
      "key", explained, "a key (cpu.quantum), a table (nand), words to search for, or nothing: all keys");
  explain->add_flag("--json-schema", as_schema, "all keys as JSON Schema, for editors that complete and check TOML")
      ->excludes(words);
  explain->add_flag("--tables", as_tables, "policies, engines and keys with what each needs beside it, as JSON")
      ->excludes(words);

  CLI::App* statistics = app.add_subcommand("statistics", "what a number in result.json means: unit, what is counted");
  CLI::Option* statistic = statistics->add_option(
      "key", stated, "a key (flash.waf), a section (flash), words to search for, or nothing: all");
  statistics->add_flag("--markdown", markdown, "all keys as tables: a page of the site")->excludes(statistic);

  CLI::App* onfi = app.add_subcommand("onfi", "the commands of a NAND die: cycles, busy times, when it takes them");

  wordline::platform::CrashTestOptions crash_options;
  CLI::App* crash =
      app.add_subcommand("crash-test", "cut power at random instants, mount, and check what was promised");
  add_config(*crash, config);
  crash->add_option("-w,--workload", crash_options.workload, "workload to cut")->required()->transform(shipped_file);
  crash->add_option("--cuts", crash_options.cuts, "cuts in all")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32U))
      ->capture_default_str();
  crash->add_option("--nested", crash_options.nested, "cuts of mounts in a row, at most")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  crash->add_option("--life", crash_options.life, "cuts of one drive, at most; then it is read, and another begins")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  crash
      ->add_flag(
          "--every", crash_options.every,
          "one drive, cut wherever a program or an erase of a die begins or ends, and with --nested N the mounts "
          "that follow as well, N in a row")
      ->excludes(crash->get_option("--cuts"))
      ->excludes(crash->get_option("--life"));
  crash->add_option("--at", crash_options.at, "cut the drive here, the mount that follows there ...: times, in ps")
      ->excludes(crash->get_option("--cuts"))
      ->excludes(crash->get_option("--life"))
      ->excludes(crash->get_option("--every"));
  crash->add_option("--seed", crash_options.seed, "of the instants, and of the workload")->capture_default_str();
  crash->add_option("-j,--jobs", crash_options.jobs, "drives at a time; 0: as many as processors")
      ->check(CLI::Range(0, 256));
  crash
      ->add_option("--clean", crash_options.clean,
                   "percent of the runs that end with a shutdown; half of these are cut in it")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  crash->add_option("-o,--out", crash_options.out, "folder that keeps images, results and logs");

  CLI::App* calibrate = app.add_subcommand("calibrate", "make calibrated tables from detailed models");
  calibrate->require_subcommand(1);
  CLI::App* firmware =
      calibrate->add_subcommand("firmware", "cycles per firmware tag, measured on the instruction-set simulator");
  add_config(*firmware, config);
  firmware->add_option("-w,--workload", calibrate_options.workload, "workload to measure with")
      ->required()
      ->transform(shipped_file);
  firmware->add_option("-o,--out", calibrate_options.out, "file to write")->required();

  CLI::App* ecc =
      calibrate->add_subcommand("ecc", "decoding failures and cycles by bit errors, measured on the bit-true decoders");
  CLI::Option* ecc_out = ecc->add_option("-o,--out", ecc_options.out, "file to write, for ecc.table");
  ecc->add_option("--words", ecc_options.words,
                  "codewords per row for min-sum, five times as many where it fails at times; bit flipping gets ten "
                  "times as many")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  ecc->add_option("--seed", ecc_options.seed, "seed of words and errors")->capture_default_str();
  CLI::Option* ecc_check = ecc->add_flag("--check", ecc_options.check,
                                         "compare a table with the decoders instead; choose another seed than the "
                                         "table's")
                               ->excludes(ecc_out);
  ecc->add_option("--table", ecc_options.table, "table to check; left out: the built-in")
      ->check(CLI::ExistingFile)
      ->needs(ecc_check);
  ecc->callback([&ecc_options] {
    if (!ecc_options.check && ecc_options.out.empty()) throw CLI::RequiredError("--out (or --check)");
  });

  CLI::App* partition =
      app.add_subcommand("partition", "compare placements: steps of the data path as firmware or hardware, by cores");
  add_config(*partition, config);
  partition->add_option("-w,--workload", partition_options.workload, "workload to run with every placement")
      ->required()
      ->transform(shipped_file);
  partition->add_option("--placements", partition_options.placements,
                        "TOML file with a table [[placement]] each (cores, engines); all: every set of engines; "
                        "nothing: a sensible set");
  partition->add_option("--json", partition_options.json, "file for the same table as JSON");
  partition->add_option("-o,--out", partition_options.out, "folder that keeps the runs' results");
  partition->add_option("-j,--jobs", partition_options.jobs, "runs at a time; 0: as many as processors")
      ->check(CLI::Range(0, 256));

  WorkloadStatsOptions stats_options;
  WorkloadCheckOptions check_options;
  CLI::App* workload = app.add_subcommand("workload", "look at a workload without a drive that runs it");
  workload->require_subcommand(1);
  CLI::App* stats =
      workload->add_subcommand("stats", "what a workload is like: sizes, footprint, skew, reuse, sequences, arrivals");
  add_workload_stats(*stats, stats_options);
  CLI::App* check_workload = workload->add_subcommand(
      "check",
      "what workloads will do, or why not: jobs, order, addresses, amounts, rates, FLUSHes; 1 when one is refused");
  add_workload_check(*check_workload, check_options);
  ProfileOptions profile_options;
  CLI::App* targets =
      workload->add_subcommand("targets", "published statistics of a profile beside those that its requests have");
  add_profiles(*targets, profile_options);
  targets->add_flag("--markdown", profile_options.markdown, "as the tables of docs/workloads.md");
  CLI::App* fit =
      workload->add_subcommand("fit", "find the parameters that a profile's [fit] names; prints the profile");
  add_profiles(*fit, profile_options);
  fit->get_option("profiles")->expected(1);
  fit->add_flag("--write", profile_options.write, "into the file instead");

  CLI::App* view = app.add_subcommand("view", "open the waveform of a run in GTKWave, its timeline or its report");
  wordline::platform::ViewOptions view_options;
  std::vector<std::string> viewed;
  view->add_option("run", viewed, "the run's --out folder; before it waves (default), timeline or report")
      ->required()
      ->expected(1, 2)
      ->type_name("[waves|timeline|report] FOLDER");
  CLI::Option* slowest = view->add_option("--slowest", view_options.slowest,
                                          "print the slowest request, or the Nth slowest, and open the waveform there: "
                                          "from marker A to marker B, with its channel and die");
  slowest->type_name("[N]")->expected(0, 1)->check(CLI::Range(1, 1'000'000));
  view->add_option("--op", view_options.op, "with --slowest: of this operation: read, write, trim or flush")
      ->check(CLI::IsMember({"read", "write", "trim", "flush"}))
      ->type_name("OPERATION");
  view->add_option("--within", view_options.within,
                   "with --slowest: of those submitted in this simulated time, as far as they are among the slowest "
                   "that the run has kept")
      ->type_name("FROM..TO");
  view->add_flag("--print", view_options.print_only,
                 "write the view and print the command that opens it, open nothing");

  CLI::App* make = app.add_subcommand("new", "write a start for something of your own");
  make->require_subcommand(1);
  CLI::App* rtl_block = make->add_subcommand(
      "rtl-block", "a block of RTL for a slot of the drive, with bench and CMake project (docs/own_rtl.md)");
  std::string slot;
  rtl_block->add_option("slot", slot, "where the block goes")
      ->required()
      ->check(CLI::IsMember(wordline::platform::slots_with_a_start()));
  rtl_block->add_option("folder", folder, "new folder for it")->required();
  bool cocotb = false;
  rtl_block->add_flag("--cocotb", cocotb, "also a bench in Python, with what a run with --record-block has recorded");
  std::string made;
  CLI::App* new_drive = make->add_subcommand("drive", "a drive: a commented TOML file that runs");
  CLI::App* new_nand = make->add_subcommand("nand", "a NAND device for drives: a commented TOML file");
  new_nand->add_option("file", made, "new file")->required();
  std::string drive_class;
  bool list_classes = false;
  CLI::Option* list = new_drive->add_flag("--list", list_classes, "print the classes of drives, make nothing");
  new_drive->add_option("--class", drive_class, "begin with a drive of this class")->type_name("CLASS");
  new_drive->add_option("file", made, "new file")->excludes(list);
  CLI::App* new_policy = make->add_subcommand("policy", "an FTL policy in this clone: its C file and its row");
  new_policy->add_option("name", made, "of the policy, for ftl.policy")->required();

  // In a clone scripts/wordline does this.
  std::vector<CLI::App*> in_python;  // commands of an installed program
  if (!wordline::platform::share_folder().empty()) {
    in_python = {app.add_subcommand("explore", "run a grid of configurations; table and heat map"),
                 app.add_subcommand("report", "one HTML file of a run or a study: verdict, charts, slowest requests"),
                 app.add_subcommand("diff", "what differs between two runs: keys, and numbers with their ratio")};
    for (CLI::App* command : in_python) command->prefix_command()->set_help_flag();
  }

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    app.exit(error);
    suggest(app, argc, argv);
    return 2;
  }
  run_options.config = calibrate_options.config = partition_options.config = snapshot_options.config =
      crash_options.config = config.config;
  run_options.sets = calibrate_options.sets = partition_options.sets = snapshot_options.sets = crash_options.sets =
      config.sets;

  serve_options.config = config.config;
  serve_options.sets = config.sets;
  run_options.command.assign(argv, argv + argc);
  serve_options.command = run_options.command;

  if (run->parsed()) return wordline::platform::run_command(run_options);
  if (serve->parsed()) return wordline::platform::serve_command(serve_options);
  if (top->parsed()) return wordline::platform::top_command(top_options);
  if (check->parsed()) {
    std::cout << wordline::config::check(config.config, config.sets)
              << wordline::platform::check_snapshot(config.config, config.sets)
              << wordline::platform::check_rtl_blocks(config.config, config.sets);
  } else if (crash->parsed()) {
    return wordline::platform::crash_test_command(crash_options);
  } else if (snapshot->parsed()) {
    return wordline::platform::snapshot_command(snapshot_options);
  } else if (print->parsed()) {
    std::cout << (points_file.empty() ? wordline::config::print_config(config.config, config.sets)
                                      : wordline::platform::print_points(config.config, config.sets, points_file));
  } else if (explain->parsed()) {
    std::cout << (as_tables   ? wordline::config::tables_json()
                  : as_schema ? wordline::config::json_schema()
                              : as_called(wordline::config::explain(fmt::format("{}", fmt::join(explained, " ")))));
  } else if (statistics->parsed()) {
    return wordline::platform::statistics_command(fmt::format("{}", fmt::join(stated, " ")), markdown);
  } else if (onfi->parsed()) {
    std::cout << wordline::onfi::sequences_markdown();
  } else if (firmware->parsed()) {
    return wordline::platform::calibrate_firmware(calibrate_options);
  } else if (ecc->parsed()) {
    return wordline::platform::calibrate_ecc(ecc_options);
  } else if (partition->parsed()) {
    return wordline::platform::partition_command(partition_options);
  } else if (check_workload->parsed()) {
    return wordline::platform::workload_check(check_options);
  } else if (stats->parsed()) {
    return wordline::platform::workload_stats(stats_options);
  } else if (targets->parsed()) {
    return wordline::platform::workload_targets(profile_options);
  } else if (fit->parsed()) {
    return wordline::platform::workload_fit(profile_options);
  } else if (view->parsed()) {
    if (*slowest && view_options.slowest == 0) view_options.slowest = 1;  // without a number
    view_options.folder = viewed.back();
    if (viewed.size() == 2) view_options.what = viewed.front();
    return wordline::platform::view_command(view_options);
  } else if (rtl_block->parsed()) {
    return wordline::platform::new_rtl_block(slot, folder, cocotb);
  } else if (new_policy->parsed()) {
    return wordline::platform::new_policy(made);
  } else if (make->parsed()) {
    if (list_classes) return wordline::platform::list_drive_classes();
    if (made.empty()) throw std::runtime_error("file is required, or --list");
    return wordline::platform::new_config(new_drive->parsed() ? "drive" : "nand", made, drive_class);
  }
  for (CLI::App* command : in_python) {
    if (command->parsed()) wordline::platform::python_command({argv + 1, argv + argc});
  }
  return 0;
}

/// SystemC greets before sc_main() begins, so this is said before main() does.
const int kNoGreeting = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);

/// What was printed must have arrived: a full disk behind standard output is no success.
int flushed(int exit_code) {
  std::cout.flush();
  if (std::cout && std::fflush(stdout) == 0) return exit_code;
  std::cerr << "wordline: standard output: cannot be written\n";
  return exit_code == 0 ? 1 : exit_code;
}

/// A stack that is too small ends the program without a word. False: it is, and may not become larger.
bool has_stack() {
  constexpr rlim_t kNeeded = rlim_t{1} << 20U, kWanted = rlim_t{8} << 20U;
  rlimit stack{};
  if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= kWanted) return true;
  stack.rlim_cur = std::min(stack.rlim_max, kWanted);  // the kernel looks at the limit whenever the stack grows
  return setrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur >= kNeeded;
}

}  // namespace

int sc_main(int argc, char** argv) {
  if (!has_stack()) {
    std::cerr << "wordline: the stack is limited to less than 1 MiB: raise it, ulimit -s 8192\n";
    return 1;
  }
  // A file that grows beyond a limit (ulimit -f) is a write that fails and is reported, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  wordline::platform::die_with_study();
  const wordline::platform::PlainOutput plain_out(std::cout, terminal_width(STDOUT_FILENO));
  const wordline::platform::PlainOutput plain_err(std::cerr, terminal_width(STDERR_FILENO));
  // By default a fatal report aborts; a run is to end with its results and the reason.
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL,
                                          sc_core::SC_LOG | sc_core::SC_CACHE_REPORT | sc_core::SC_THROW);
  const wordline::platform::ExitGuard guard;
  try {
    return flushed(dispatch(argc, argv));
  } catch (const wordline::config::ConfigError& error) {
    const std::string message = as_called(error.what());
    std::cerr << message;
    if (!message.empty() && message.back() != '\n') std::cerr << '\n';
    return 2;
  } catch (const wordline::workload::WorkloadError& error) {
    std::cerr << as_called(error.what()) << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "wordline: " << as_called(error.what()) << '\n';
    return 1;
  }
}
