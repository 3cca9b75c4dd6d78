// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/platform/statistics_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <iostream>
#include <vector>

#include "models/checks/load.h"
#include "models/config/schema.h"
#include "models/results/glossary.h"
#include "tlm/device/ecc/block_statistics.h"
#include "tlm/device/engines/own_engine.h"
#include "tlm/device/flash/bus/gate_wires.h"
#include "tlm/platform/run_report.h"
#include "tlm/platform/steady_run.h"
#include "tlm/platform/terminal.h"

namespace wordline::platform {
namespace {

/// A workload without requests.
class NoRequests final : public workload::Source {
 public:
  [[nodiscard]] unsigned jobs() const override { return 0; }
  [[nodiscard]] unsigned depth(unsigned) const override { return 0; }
  [[nodiscard]] bool open_loop() const override { return true; }
  bool next(unsigned, Picoseconds, workload::Request&) override { return false; }
  [[nodiscard]] std::uint64_t total_requests() const override { return 0; }
  [[nodiscard]] std::uint64_t total_bytes() const override { return 0; }
  [[nodiscard]] std::string describe() const override { return "no requests"; }
};

/// A drive that has every block that may be left out, so that all statistics are registered.
config::Loaded full_drive() {
  // Native cores need no firmware image.
  std::vector<std::string> sets{"cpu.model=native",         "ecc.model=rtl",      "channels.model=rtl",
                                "channels.page_engine=1us", "link.dma_setup=1us", "host.cores=2",
                                "host.submission_cost=1us", "ftl.fdp.handles=2"};
  for (const config::Key& key : config::schema()) {
    const bool is_switch = std::find(key.choices.begin(), key.choices.end(), "on") != key.choices.end();
    if (is_switch && config::table_of(key.name) == "engines") sets.push_back(fmt::format("{}=on", key.name));
  }
  return config::load("", sets);
}

}  // namespace

int statistics_command(const std::string& key, bool markdown) {
  const config::Loaded loaded = full_drive();
  NoRequests source;
  results::RequestStatistics request_statistics(static_cast<std::size_t>(tlm_if::Stage::kCount));
  const config::Layout layout = config::layout_of(loaded.config);
  tlm_if::SimulationContext context;
  device::Drive drive("ssd", loaded.config, layout, {context});
  host::Testbed testbed("host", loaded.config, layout, drive, {context, source, request_statistics});
  const Measurement measurement(context, drive, testbed, request_statistics, Picoseconds(0),
                                steady_meter(loaded.config, layout, drive, source, nullptr));
  results::Registry registry;
  const RunDescription run;
  register_statistics(registry, {drive, testbed, measurement, request_statistics, source}, run);
  results::register_what_if(registry, run.what_if);
  register_commands(registry, drive);
  ecc::explain_block_counters(registry);
  cpu::explain_apb_block(registry);
  flash::explain_sequencer_counters(registry);
  explain_engine_clocks(registry);
  engines::explain_engine_counters(registry);
  if (markdown) {
    std::cout << results::glossary_markdown(registry);
    return 0;
  }
  const std::string text = results::glossary_text(registry, key);
  if (text.empty()) {
    const std::string about = results::statistics_about(registry, key);
    if (!about.empty()) {
      std::cout << fmt::format("No statistic is called {}. Those that are about it:\n\n{}", key, about);
      return 0;
    }
    const std::string near = results::nearest_statistic(registry, key);
    std::cerr << as_called(
        fmt::format("error: unknown statistic {}; {}\n", key,
                    near.empty() ? "all statistics: wordline statistics" : fmt::format("did you mean {}?", near)));
    return 2;
  }
  std::cout << text;
  return 0;
}

}  // namespace wordline::platform
