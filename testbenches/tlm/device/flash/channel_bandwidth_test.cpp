// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sequential bandwidth of one channel with 1 to 8 dies against the closed form of channel_forms.h.
#include <gtest/gtest.h>

#include "testbenches/tlm/device/flash/channel_forms.h"
#include "testbenches/tlm/device/flash/channel_load.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing {
namespace {

constexpr double kTolerance = 0.01;

sc_core::sc_time limit() { return {10, sc_core::SC_SEC}; }

config::Config reference(unsigned dies) {
  config::Config c = channel_of(reference_config(), dies);
  c.dram = {BytesPerSecond(16'000'000'000), 100_ns};
  return c;
}

config::Config caching(unsigned dies) {
  config::Config c = reference(dies);
  c.channels.cache_read = c.channels.cache_program = true;
  return c;
}

void expect_form(const ControllerBench& bench, const ChannelForm& form) {
  const auto dies = static_cast<unsigned>(bench.dies.size());
  const double measured = SequentialLoad::bytes_per_second(bench, form.bytes);
  EXPECT_NEAR(form.deviation(measured, dies), 1, kTolerance) << bench.name() << ": " << measured / 1e6 << " MB/s";
  EXPECT_EQ(bench.checker.violations(), 0U);
}

/// Benches of 1 to 8 dies, in one simulation.
std::vector<std::unique_ptr<ControllerBench>> benches(config::Config (*config)(unsigned dies), unsigned filled_blocks) {
  std::vector<std::unique_ptr<ControllerBench>> all;
  for (unsigned dies = 1; dies <= 8; ++dies) {
    all.push_back(
        std::make_unique<ControllerBench>(("dies" + std::to_string(dies)).c_str(), config(dies), 1024, filled_blocks));
  }
  return all;
}

TEST(ChannelBandwidth, ReadsOfOnePlane) {
  const auto all = benches(&reference, 8);
  simulate(
      [&] {
        for (const auto& bench : all) SequentialLoad::reads(*bench, 96, false);
        for (const auto& bench : all) bench->wait_for(bench->dies.size() * 96);
      },
      limit());
  for (const auto& bench : all) expect_form(*bench, read_form(bench->config, false));
}

TEST(ChannelBandwidth, MultiPlaneReads) {
  const auto all = benches(&reference, 8);
  simulate(
      [&] {
        for (const auto& bench : all) SequentialLoad::reads(*bench, 96, true);
        for (const auto& bench : all) bench->wait_for(bench->dies.size() * 96);
      },
      limit());
  for (const auto& bench : all) expect_form(*bench, read_form(bench->config, true));
}

TEST(ChannelBandwidth, CachedReadsOfOnePlane) {
  const auto all = benches(&caching, 8);
  simulate(
      [&] {
        for (const auto& bench : all) SequentialLoad::reads(*bench, 96, false);
        for (const auto& bench : all) bench->wait_for(bench->dies.size() * 96);
      },
      limit());
  for (const auto& bench : all) expect_form(*bench, read_form(bench->config, false, true));
}

TEST(ChannelBandwidth, CachedMultiPlaneReads) {
  const auto all = benches(&caching, 8);
  simulate(
      [&] {
        for (const auto& bench : all) SequentialLoad::reads(*bench, 96, true);
        for (const auto& bench : all) bench->wait_for(bench->dies.size() * 96);
      },
      limit());
  for (const auto& bench : all) expect_form(*bench, read_form(bench->config, true, true));
}

/// Benches of pages of 4 to 64 KiB, with one die and with four. 64 KiB take a third column cycle.
std::vector<std::unique_ptr<ControllerBench>> pages_of_every_size(unsigned filled_blocks) {
  std::vector<std::unique_ptr<ControllerBench>> all;
  for (const std::uint64_t kib : {4, 8, 16, 32, 64}) {
    for (const unsigned dies : {1U, 4U}) {
      config::Config c = reference(dies);
      c.nand.geometry.page = Bytes(kib << 10);
      c.nand.geometry.spare = Bytes(kib / 4 * 552);
      const std::string name = "kib" + std::to_string(kib) + "_dies" + std::to_string(dies);
      all.push_back(std::make_unique<ControllerBench>(name.c_str(), c, 1024, filled_blocks));
    }
  }
  return all;
}

TEST(ChannelBandwidth, ReadsOfPagesOfEverySize) {
  const auto all = pages_of_every_size(8);
  simulate(
      [&] {
        for (const auto& bench : all) SequentialLoad::reads(*bench, 48, true);
        for (const auto& bench : all) bench->wait_for(bench->dies.size() * 48);
      },
      limit());
  for (const auto& bench : all) expect_form(*bench, read_form(bench->config, true));
}

TEST(ChannelBandwidth, ProgramsOfPagesOfEverySize) {
  const auto all = pages_of_every_size(0);
  simulate(
      [&] {
        for (const auto& bench : all) SequentialLoad::programs(*bench, 36);
        for (const auto& bench : all) bench->wait_for(bench->dies.size() * 36);
      },
      limit());
  for (const auto& bench : all) expect_form(*bench, program_form(bench->config));
}

TEST(ChannelBandwidth, ProgramsOfOnePlane) {
  const auto all = benches(
      [](unsigned dies) {
        config::Config c = reference(dies);
        c.nand.geometry.planes = 1;
        return c;
      },
      0);
  simulate(
      [&] {
        for (const auto& bench : all) SequentialLoad::programs(*bench, 36);
        for (const auto& bench : all) bench->wait_for(bench->dies.size() * 36);
      },
      limit());
  for (const auto& bench : all) expect_form(*bench, program_form(bench->config));
}

TEST(ChannelBandwidth, MultiPlanePrograms) {
  const auto all = benches(&reference, 0);
  simulate(
      [&] {
        for (const auto& bench : all) SequentialLoad::programs(*bench, 36);
        for (const auto& bench : all) bench->wait_for(bench->dies.size() * 36);
      },
      limit());
  for (const auto& bench : all) expect_form(*bench, program_form(bench->config));
}

TEST(ChannelBandwidth, CachedProgramsOfOnePlane) {
  const auto all = benches(
      [](unsigned dies) {
        config::Config c = caching(dies);
        c.nand.geometry.planes = 1;
        return c;
      },
      0);
  simulate(
      [&] {
        for (const auto& bench : all) SequentialLoad::programs(*bench, 36);
        for (const auto& bench : all) bench->wait_for(bench->dies.size() * 36);
      },
      limit());
  for (const auto& bench : all) expect_form(*bench, program_form(bench->config, true));
}

TEST(ChannelBandwidth, CachedMultiPlanePrograms) {
  const auto all = benches(&caching, 0);
  simulate(
      [&] {
        for (const auto& bench : all) SequentialLoad::programs(*bench, 36);
        for (const auto& bench : all) bench->wait_for(bench->dies.size() * 36);
      },
      limit());
  for (const auto& bench : all) expect_form(*bench, program_form(bench->config, true));
}

}  // namespace
}  // namespace wordline::testing
