// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/calibrate_command.h"

#include <fmt/core.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "models/checks/commands.h"
#include "models/ecc/calibration/calibration.h"
#include "models/ecc/calibration/calibration_check.h"
#include "models/precondition/initial_state.h"
#include "models/results/request_statistics.h"
#include "models/workload/source.h"
#include "tlm/device/cpu/native_costs.h"
#include "tlm/platform/child_run.h"
#include "tlm/platform/drive_workload.h"
#include "tlm/platform/installed_files.h"
#include "tlm/platform/run_report.h"
#include "tlm/platform/simulation.h"
#include "tlm/platform/steady_run.h"
#include "tlm/platform/stop_signal.h"

namespace wordline::platform {
namespace {

void print(const ecc::CheckResult& result) {
  for (const ecc::TierCheck& tier : result.tiers) {
    std::cout << fmt::format("{:<6}{:<8.4g}{:<6.4g}{:<8}{:>12}{:>11.4g}", result.point.reads, result.point.at,
                             result.point.spacing, tier.name, fmt::format("{}/{}", tier.failures, tier.words),
                             tier.predicted_failure);
    if (tier.timed) {
      const std::string p99 = fmt::format("{}-{}", std::lround(tier.p99.low), std::lround(tier.p99.high));
      std::cout << fmt::format("{:>8}{:>9}{:>14}{:>9}{:>9.2g}", std::lround(tier.mean),
                               std::lround(tier.predicted_mean), p99, std::lround(tier.predicted_p99), tier.distance);
    }
    if (!tier.failure_good()) {
      std::cout << fmt::format("  failures: expected {:.4g} to {:.4g}", tier.failure.low, tier.failure.high);
    }
    if (!tier.mean_good()) std::cout << "  mean";
    if (!tier.p99_good()) std::cout << "  p99";
    if (!tier.distance_good()) std::cout << "  distribution";
    std::cout << std::endl;
  }
  if (result.miscorrections != 0) std::cout << "      " << result.miscorrections << " miscorrections\n";
}

int check_ecc(const CalibrateEccOptions& options) {
  const ecc::CalibratedDecoder decoder(options.table.empty() ? ecc::builtin_table() : ecc::load_table(options.table));
  std::cout << "Bit-true decoders (counted) and table (expected); clocks of successes.\n"
               "reads at      space tier      failures   expected    mean expected           p99 expected distance\n";
  unsigned missed = 0;
  for (const ecc::CheckResult& result :
       ecc::check_decoder(decoder, ecc::check_points(), options.words, options.seed, print)) {
    for (const ecc::TierCheck& tier : result.tiers) missed += tier.good() ? 0 : 1;
    missed += result.miscorrections != 0 ? 1 : 0;
  }
  std::cout << (missed == 0 ? "all within the limits" : fmt::format("{} lines miss a limit", missed))
            << ": failures in their joint 95 % interval, mean within 2 %, p99 within one iteration or layer, "
               "distributions within 0.02 (each plus the noise of the words counted)\n";
  return missed == 0 ? 0 : 1;
}

/// IOPS and mean latency of the same workload on both kinds of core, as the two results have them. Returns the rows'
/// text.
std::string deviations(const nlohmann::json& iss, const nlohmann::json& native) {
  std::string out = fmt::format("{:<12} {:>14} {:>14} {:>9} {:>14} {:>14} {:>9}\n", "", "mean, iss", "native", "",
                                "IOPS, iss", "native", "");
  double mean[2] = {0, 0}, iops[2] = {0, 0}, count[2] = {0, 0};
  const auto row = [&out](const std::string& name, double a, double b, double x, double y) {
    out += fmt::format("{:<12} {:>11.3f} us {:>11.3f} us {:>+8.2f}% {:>14.0f} {:>14.0f} {:>+8.2f}%\n", name, a, b,
                       100 * (b / a - 1), x, y, 100 * (y / x - 1));
  };
  for (const auto& [name, of_iss] : iss["ios"].items()) {
    const nlohmann::json* both[2] = {&of_iss, &native["ios"][name]};
    double means[2], rates[2];
    for (int i = 0; i < 2; ++i) {
      const double n = (*both[i])["count"].get<double>();
      means[i] = (*both[i])["lat_ps"]["mean"].get<double>() * 1e-6;
      rates[i] = (*both[i])["iops"].get<double>();
      mean[i] += n * means[i];
      count[i] += n;
      iops[i] += rates[i];
    }
    if (of_iss["count"] != 0) row(name, means[0], means[1], rates[0], rates[1]);
  }
  row("all", mean[0] / count[0], mean[1] / count[1], iops[0], iops[1]);
  return out;
}

}  // namespace

int calibrate_firmware(const CalibrateOptions& options) {
  auto sets = options.sets;
  sets.emplace_back("cpu.model=iss");
  const config::Loaded loaded = config::load(options.config, sets);
  const config::Layout layout = config::layout_of(loaded.config);
  const auto source = workload::load_workload(options.workload, load_options_of(loaded.config, layout));
  results::RequestStatistics request_statistics(static_cast<std::size_t>(tlm_if::Stage::kCount));
  const auto state = precondition::initial_state(loaded.config, layout);
  tlm_if::SimulationContext context;
  device::Drive drive("ssd", loaded.config, layout, {context, nullptr, firmware_image(), state.get()});
  host::Testbed testbed("host", loaded.config, layout, drive,
                        {context, *source, request_statistics, nullptr, state.get()});
  Measurement measurement(context, drive, testbed, request_statistics, source->ramp_time(),
                          steady_meter(loaded.config, layout, drive, *source, state.get()));
  const StopSignal signals;
  const Ending ending = simulate(
      {context, drive, testbed, measurement, loaded.config}, [] { return true; }, true);
  if (ending.status == Ending::Status::kInterrupted) return StopSignal::exit_code();
  if (ending.status == Ending::Status::kFailed) throw std::runtime_error(ending.reason);
  std::vector<cpu::CoreStatistics> cores;
  for (const auto& core : drive.cores) cores.push_back(core->statistics());
  cpu::write_native_costs(options.out, cores, loaded.config.cpu.task_core);
  std::cout << "wrote " << options.out << " from " << request_statistics.requests() << " requests\n"
            << "use it with --set cpu.native_costs=" << options.out << '\n';
  if (request_statistics.requests() == 0) return 0;

  const RunFolder folder({});
  auto native = options.sets;
  native.insert(native.end(), {"cpu.model=native", fmt::format("cpu.native_costs=\"{}\"", options.out)});
  const auto arguments = run_arguments(options.config, options.workload, native, folder.path() / "native");
  const int code = ChildRuns::run(arguments, folder.path() / "log");
  if (StopSignal::received() != 0) return StopSignal::exit_code();
  if (code != 0) {
    std::cerr << "the same workload with cpu.model = native failed:\n" << read_file(folder.path() / "log");
    return code;
  }
  results::Registry registry;
  const RunDescription run;
  register_statistics(registry, {drive, testbed, measurement, request_statistics, *source}, run);
  std::cout << "\nthe same workload with cpu.model = native and these costs:\n"
            << deviations(nlohmann::json::parse(results::to_json(registry)),
                          nlohmann::json::parse(read_file(folder.path() / "native/result.json")));
  return 0;
}

int calibrate_ecc(const CalibrateEccOptions& options) {
  if (options.check) return check_ecc(options);
  std::ofstream out(options.out);
  if (!out) throw std::runtime_error(options.out + ": cannot be written");
  const auto sections = ecc::calibrate(options.words, options.seed, [](unsigned reads, const ecc::CalibrationRow& row) {
    const ecc::Measurement& m = row.measured;
    if (reads == 1) {
      std::cout << row.key << " errors: bit flipping fails " << m.bit_flipping.failures << '/' << m.bit_flipping.words
                << ", min-sum ";
    } else {
      std::cout << reads << " reads, severity " << row.key << ": ";
    }
    std::cout << m.min_sum.failures << '/' << m.min_sum.words << std::endl;
  });
  ecc::write_table(out, sections,
                   fmt::format("Made by `wordline calibrate ecc --words {} --seed {}` of Wordline {}.", options.words,
                               options.seed, WORDLINE_VERSION));
  out.close();
  if (!out) throw std::runtime_error(options.out + ": cannot be written to its end");
  std::cout << "wrote " << options.out << "\nuse it with --set ecc.table=" << options.out << '\n';
  return 0;
}

}  // namespace wordline::platform
