// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "models/config/bus_modes.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "models/config/schema.h"

namespace wordline::config {
namespace {

struct SdrMode {
  // nanoseconds
  unsigned cycle_read, cycle_write, chip_enable, latch_enable, command_to_status, output_to_command, to_busy,
      ready_to_output;
  const char* rate;
};
constexpr std::array<SdrMode, 6> kSdr = {{
    {100, 100, 70, 50, 120, 200, 200, 40, "10MT/s"},
    {50, 45, 35, 25, 80, 100, 100, 20, "20MT/s"},
    {35, 35, 25, 15, 80, 100, 100, 20, "28571kT/s"},
    {30, 30, 25, 10, 80, 100, 100, 20, "33333kT/s"},
    {25, 25, 20, 10, 80, 100, 100, 20, "40MT/s"},
    {20, 20, 15, 10, 80, 100, 100, 20, "50MT/s"},
}};

// Average tRC in picoseconds and the data rate that goes by its name.
struct DdrMode {
  unsigned cycle;
  unsigned mega_transfers;
};
constexpr std::array<DdrMode, 20> kDdr = {{
    {30000, 67},  {25000, 80},  {15000, 133}, {12000, 167}, {10000, 200}, {7500, 267},  {6000, 333},
    {5000, 400},  {3750, 533},  {3000, 667},  {2500, 800},  {1875, 1067}, {1667, 1200}, {1500, 1333},
    {1364, 1467}, {1250, 1600}, {1111, 1800}, {1000, 2000}, {909, 2200},  {833, 2400},
}};
constexpr unsigned kDqsRe = 25000;          // tDQSRE
constexpr unsigned kWarmUpAbove = 800;      // MT/s
constexpr const char* kWarmUpCycles = "2";  // ONFI's default, in and out

}  // namespace

const std::vector<BusModeName>& bus_modes() {
  struct Named {
    std::vector<std::string> names;  // stays where it is: modes look into it
    std::vector<BusModeName> modes;
  };
  static const Named named = [] {
    Named all;
    all.names.reserve(kSdr.size() + 3 * kDdr.size());
    const auto add = [&](const char* prefix, BusInterface interface, unsigned count) {
      for (unsigned n = 0; n < count; ++n) {
        all.names.push_back(fmt::format("{}{}", prefix, n));
        all.modes.push_back({all.names.back(), {interface, n}});
      }
    };
    add("sdr-", BusInterface::kSdr, kSdr.size());
    add("nv-ddr2-", BusInterface::kNvDdr2, 11);
    add("nv-ddr3-", BusInterface::kNvDdr3, kDdr.size());
    add("nv-lpddr4-", BusInterface::kNvLpddr4, kDdr.size());
    return all;
  }();
  return named.modes;
}

const BusModeName* find_bus_mode(BusMode mode) {
  const auto& modes = bus_modes();
  const auto found = std::find_if(modes.begin(), modes.end(), [&](const BusModeName& m) { return m.mode == mode; });
  return found == modes.end() ? nullptr : &*found;
}

std::vector<std::pair<std::string_view, std::string>> bus_mode_values(BusMode mode) {
  if (find_bus_mode(mode) == nullptr) {
    throw std::invalid_argument(fmt::format("channels.mode: no timing mode {} of this interface", mode.number));
  }
  const auto ns = [](unsigned n) { return fmt::format("{}ns", n); };
  const auto ps = [](unsigned n) { return fmt::format("{}ps", n); };
  if (mode.interface == BusInterface::kSdr) {
    const SdrMode& m = kSdr[mode.number];
    return {{"channels.rate", m.rate},
            {"channels.t_rc", ns(m.cycle_read)},
            {"channels.t_wc", ns(m.cycle_write)},
            {"channels.t_cs", ns(m.chip_enable)},
            {"channels.t_cals", ns(m.latch_enable)},
            {"channels.t_adl", "400ns"},
            {"channels.t_ccs", "500ns"},
            {"channels.t_whr", ns(m.command_to_status)},
            {"channels.t_rhw", ns(m.output_to_command)},
            {"channels.t_wb", ns(m.to_busy)},
            {"channels.t_rr", ns(m.ready_to_output)},
            {"channels.t_rpre", "0ns"},
            {"channels.t_dqsre", "0ns"},
            {"channels.t_rpst", "0ns"},
            {"channels.t_wpre", "0ns"},
            {"channels.t_wpst", "0ns"},
            {"channels.t_wpsth", "0ns"},
            {"channels.warmup_cycles", "0"}};
  }
  const DdrMode& m = kDdr[mode.number];
  return {{"channels.rate", fmt::format("{}MT/s", m.mega_transfers)},
          {"channels.t_rc", ps(m.cycle)},
          {"channels.t_wc", "25ns"},
          {"channels.t_cs", "20ns"},
          {"channels.t_cals", "15ns"},
          {"channels.t_adl", "400ns"},
          {"channels.t_ccs", "400ns"},
          {"channels.t_whr", "80ns"},
          {"channels.t_rhw", "100ns"},
          {"channels.t_wb", "100ns"},
          {"channels.t_rr", "20ns"},
          {"channels.t_rpre", "15ns"},
          {"channels.t_dqsre", ps(kDqsRe)},
          {"channels.t_rpst", ps(kDqsRe + (m.cycle + 1) / 2)},
          {"channels.t_wpre", "15ns"},
          {"channels.t_wpst", "6500ps"},
          {"channels.t_wpsth", "15ns"},
          {"channels.warmup_cycles", m.mega_transfers > kWarmUpAbove ? kWarmUpCycles : "0"}};
}

Channels switched_to(const Channels& channels, BusMode mode) {
  if (mode == channels.mode) return channels;
  Config config{};
  config.channels = channels;
  config.channels.mode = mode;
  for (const auto& [name, text] : bus_mode_values(mode)) {
    const Key& key = schema()[static_cast<std::size_t>(find_key(name))];
    key.set(config, convert(key, bare_value(text)).value);
  }
  return config.channels;
}

}  // namespace wordline::config
