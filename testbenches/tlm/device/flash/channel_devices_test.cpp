// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// One channel that always has reads to do, with the dies of every device file: its bandwidth is that of the closed form
// (channel_forms.h) in every timing mode of the bus, and a slower tR never gives more.
#include <gtest/gtest.h>

#include <fmt/core.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "models/checks/load.h"
#include "models/config/bus_modes.h"
#include "testbenches/tlm/device/flash/channel_forms.h"
#include "testbenches/tlm/device/flash/channel_load.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing {
namespace {

constexpr double kTolerance = 0.01;
// What may be left of a rise: which gaps between the planes are filled depends on how the dies meet.
constexpr double kNoise = 0.005, kNoiseOfPlanes = 0.015;
constexpr std::uint32_t kJobsPerDie = 64;  // each of another block: reads of one page at a time would be one sense
constexpr unsigned kMostDies = 8;

class ChannelOfDevice : public ::testing::TestWithParam<const char*> {
 protected:
  /// One channel of `dies` dies of the device file, with a bus of mode `mode` and nothing behind it that takes time.
  static config::Config channel(unsigned dies, config::BusMode mode) {
    config::Config c = config::load(fmt::format("{}/nand/{}.toml", WORDLINE_CONFIGS, GetParam()), {}).config;
    c.channels = config::switched_to(channel_of(c, dies).channels, mode);
    c.channels.mode = mode;
    c.dram = {BytesPerSecond(256'000'000'000), Picoseconds(100'000)};
    c.nand.geometry.blocks_per_plane = kJobsPerDie;
    return c;
  }

  struct Setup {
    config::Config config;
    bool multi_plane;
    std::optional<std::uint32_t> page;  // nothing: pages in order
  };
  ControllerBench& add(const Setup& setup) {
    setups_.push_back(setup);
    const std::string name = fmt::format("bench{}", setups_.size());
    benches_.push_back(std::make_unique<ControllerBench>(name.c_str(), setup.config, 1024, kJobsPerDie));
    return *benches_.back();
  }
  void run() {
    simulate(
        [this] {
          for (std::size_t i = 0; i < setups_.size(); ++i) {
            if (setups_[i].page) {
              SequentialLoad::reads_of(*setups_[i].page, *benches_[i], kJobsPerDie, setups_[i].multi_plane);
            } else {
              SequentialLoad::reads(*benches_[i], kJobsPerDie, setups_[i].multi_plane);
            }
          }
          for (const auto& bench : benches_) bench->wait_for(bench->dies.size() * kJobsPerDie);
        },
        {100, sc_core::SC_SEC});
  }
  [[nodiscard]] double measured(std::size_t i) const {
    const config::NandGeometry& geometry = setups_[i].config.nand.geometry;
    const double planes = setups_[i].multi_plane ? geometry.planes : 1;
    return SequentialLoad::bytes_per_second(*benches_[i], planes * static_cast<double>(geometry.page.count()));
  }

  std::vector<Setup> setups_;
  std::vector<std::unique_ptr<ControllerBench>> benches_;
};

/// Modes that differ in what the bus does: NV-DDR2 and NV-LPDDR4 have the times of NV-DDR3.
std::vector<config::BusModeName> modes() {
  std::vector<config::BusModeName> all;
  for (const config::BusModeName& m : config::bus_modes()) {
    const config::BusInterface interface = m.mode.interface;
    if (interface == config::BusInterface::kSdr || interface == config::BusInterface::kNvDdr3) all.push_back(m);
  }
  return all;
}

TEST_P(ChannelOfDevice, ReadsAtTheBandwidthOfTheClosedForm) {
  std::vector<std::string> names;
  for (const config::BusModeName& mode : modes()) {
    for (unsigned dies = 1; dies <= kMostDies; ++dies) {
      config::Config c = channel(dies, mode.mode);
      const std::uint32_t types = config::layout_of(c).page_types;
      const bool multi_plane = (dies + mode.mode.number) % 2 != 0;
      c.channels.cache_read = (dies + mode.mode.number / 2) % 3 == 0;
      add({c, multi_plane, (dies / 2 + mode.mode.number) % types});
      names.emplace_back(fmt::format("{}, {} dies, page {}{}{}", mode.name, dies, *setups_.back().page,
                                     multi_plane ? ", all planes" : "", c.channels.cache_read ? ", cache" : ""));
    }
  }
  run();
  for (std::size_t i = 0; i < setups_.size(); ++i) {
    const Setup& s = setups_[i];
    const ChannelForm form = read_form(s.config, s.multi_plane, s.config.channels.cache_read, s.page);
    const auto dies = static_cast<unsigned>(benches_[i]->dies.size());
    EXPECT_NEAR(form.deviation(measured(i), dies), 1, kTolerance)
        << names[i] << ": " << measured(i) / 1e6 << " MB/s, closed form " << form.slowest(dies) / 1e6 << " to "
        << form.fastest(dies) / 1e6;
    EXPECT_EQ(benches_[i]->checker.violations(), 0U) << names[i];
  }
}

/// The device with a tR of `factor` times its own.
config::Config slowed(config::Config c, double factor) {
  const auto times = [factor](Picoseconds& t) { t = Picoseconds(static_cast<std::int64_t>(t.count() * factor)); };
  times(c.nand.timing.t_precharge);
  times(c.nand.timing.t_sense);
  times(c.nand.timing.t_discharge);
  for (Picoseconds& t : c.nand.timing.t_r) times(t);
  return c;
}

// WORDLINE_CHANNEL_SEED draws other channels.
TEST_P(ChannelOfDevice, ASlowerReadNeverGivesMore) {
  const char* asked = std::getenv("WORDLINE_CHANNEL_SEED");
  std::mt19937 random(asked != nullptr ? static_cast<unsigned>(std::atoi(asked)) : 1U);
  const auto pick = [&](std::size_t n) { return static_cast<unsigned>(random() % n); };
  constexpr double kFactors[] = {0.3, 0.6, 0.8, 1.0, 1.25, 1.6, 2.0, 2.7, 4.0, 7.0};
  constexpr std::size_t kCount = sizeof kFactors / sizeof *kFactors;
  constexpr std::uint64_t kPages[] = {4096, 8192, 16384};
  const std::vector<config::BusModeName> all = modes();
  std::vector<std::string> names;
  for (unsigned i = 0; i < 6; ++i) {
    const config::BusModeName& mode = all[6 + pick(all.size() - 6)];
    const unsigned dies = 1 + pick(kMostDies);
    config::Config c = channel(dies, mode.mode);
    c.nand.geometry.page = Bytes(kPages[pick(3)]);
    c.nand.geometry.spare = Bytes(c.nand.geometry.page.count() / 4096 * 552);
    c.channels.cache_read = pick(3) == 0;
    const bool multi_plane = pick(2) != 0;
    const std::optional<std::uint32_t> page = pick(config::layout_of(c).page_types);
    names.push_back(fmt::format("{}, {} dies, pages of {}, page {}{}{}", mode.name, dies, c.nand.geometry.page.count(),
                                *page, multi_plane ? ", all planes" : "", c.channels.cache_read ? ", cache" : ""));
    for (const double factor : kFactors) add({slowed(c, factor), multi_plane, page});
  }
  run();
  for (std::size_t first = 0; first < setups_.size(); first += kCount) {
    double least = measured(first);
    for (std::size_t i = first + 1; i < first + kCount; ++i) {
      EXPECT_LE(measured(i), least * (1 + (setups_[i].multi_plane ? kNoiseOfPlanes : kNoise)))
          << names[first / kCount] << ": tR x " << kFactors[i - first] << " gives " << measured(i) / 1e6
          << " MB/s, a shorter one " << least / 1e6;
      least = std::min(least, measured(i));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ChannelOfDevice,
                         ::testing::Values("mlc_planar", "qlc_96x4", "slc_fast", "slc_planar", "tlc_48x4", "tlc_layers",
                                           "tlc_ref"),
                         [](const auto& file) { return std::string(file.param); });

}  // namespace
}  // namespace wordline::testing
