// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/calibrate_command.h"

#include <fstream>
#include <iostream>
#include <stdexcept>

#include "models/config/commands.h"
#include "models/ecc/calibration.h"
#include "models/results/collector.h"
#include "models/workload/source.h"
#include "tlm/cpu/native_costs.h"
#include "tlm/platform/simulation.h"

namespace wordline::platform {

int calibrate_firmware(const CalibrateOptions& options) {
  auto sets = options.sets;
  sets.emplace_back("cpu.model=iss");
  const config::Loaded loaded = config::load(options.config, sets);
  const config::Layout layout = config::layout_of(loaded.config);
  const auto source = workload::load_workload(
      options.workload, {layout.user_sectors * kLbasPerSector, loaded.config.run.seed, 1.0, workload::BeyondEnd::kWrap});
  results::Collector collector(static_cast<std::size_t>(tlm_if::Stage::kCount));
  SsdTop ssd("ssd", loaded.config, layout, {*source, collector, nullptr, {}, false});
  simulate(ssd, [] {});
  std::vector<cpu::CoreStatistics> cores;
  for (const auto& core : ssd.cores) cores.push_back(core->statistics());
  cpu::write_native_costs(options.out, cores);
  std::cout << "wrote " << options.out << " from " << collector.requests() << " requests\n"
            << "use it with --set cpu.native_costs=" << options.out << '\n';
  return 0;
}

int calibrate_ecc(const CalibrateEccOptions& options) {
  std::ofstream out(options.out);
  if (!out) throw std::runtime_error(options.out + ": cannot be written");
  const auto rows = ecc::calibrate(options.words, options.seed, [](const ecc::CalibrationRow& row) {
    const ecc::Measurement& m = row.measured;
    std::cout << row.bit_errors << " errors: bit flipping fails " << m.bit_flipping_failures << '/'
              << m.bit_flipping_words << ", min-sum " << m.min_sum_failures << '/' << m.min_sum_words << std::endl;
  });
  ecc::write_table(out, rows,
                   std::string("Made by `wordline calibrate ecc --words ") + std::to_string(options.words) +
                       " --seed " + std::to_string(options.seed) + "` of Wordline " WORDLINE_VERSION ".");
  out.close();
  if (!out) throw std::runtime_error(options.out + ": cannot be written to its end");
  std::cout << "wrote " << options.out << "\nuse it with --set ecc.table=" << options.out << '\n';
  return 0;
}

}  // namespace wordline::platform
