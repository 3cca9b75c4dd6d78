// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The bus of a channel, read back from its waveform (waves.fst): a leader word line programmed by default and reported
// on, then a follower of the same layer that skips the verifies nobody needs. Device file configs/nand/tlc_48x4.toml.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "models/checks/load.h"
#include "testbenches/tlm/device/flash/controller_bench.h"
#include "testbenches/tlm/device/flash/measured.h"
#include "testbenches/tlm/observe/wave_reader.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/observe/fst_recorder.h"

namespace wordline::testing::bus_transcript_test {
namespace {

/// A state of a signal of the waveform: from `start` to `end`, in picoseconds.
struct Span {
  std::string text;
  std::uint64_t start, end;
  [[nodiscard]] double microseconds() const { return static_cast<double>(end - start) / 1e6; }
  [[nodiscard]] bool is(const char* what) const { return text.rfind(what, 0) == 0; }
};

std::vector<Span> spans(const Waves& waves, const std::string& path, const std::string& rest) {
  std::vector<Span> all;
  const auto& changes = waves.changes.at(path);
  const auto& names = waves.variable(path).names;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    std::string text = changes[i].second;
    for (const auto& [value, name] : names) {
      if (value == changes[i].second) text = name;
    }
    if (text == rest) continue;
    all.push_back({text, changes[i].first, i + 1 < changes.size() ? changes[i + 1].first : waves.end});
  }
  return all;
}

TEST(BusTranscript, LeaderAndFollowerOfALayer) {
  config::Config c = config::load(fmt::format("{}/nand/tlc_48x4.toml", WORDLINE_CONFIGS), {}).config;
  c.channels.count = c.channels.packages = c.channels.dies_per_package = 1;
  c.nand.geometry.blocks_per_plane = 8;
  const std::string file =
      (std::filesystem::temp_directory_path() / fmt::format("wordline_transcript_{}.fst", ::getpid())).string();
  observe::FstRecorder recorder(testing::context(), file);
  ControllerBench bench("bench", c, 1024, 4, &recorder);
  const auto program = [&](std::uint32_t page, std::uint32_t control) {
    wl_flash_job job = bench.write_job(WL_FLASH_PROGRAM, 0, 6, page, 0);
    job.control = control;
    bench.push(job);
    bench.doorbell();
    bench.wait_for(bench.completions.size() + 1);
  };
  simulate(
      [&] {
        program(0, WL_PROGRAM_REPORT);
        const wl_program_report& leader = bench.program_report(0);
        wl_program_set& set = bench.program_set(1);
        for (unsigned s = 1; s <= leader.states; ++s) set.skip[s] = static_cast<std::uint8_t>(leader.l_min[s] - 1);
        program(3, 1 | WL_PROGRAM_REPORT);
        sc_core::wait(1, sc_core::SC_US);
      },
      {1, sc_core::SC_SEC});
  recorder.close();
  const Waves waves = read_waves(file);
  std::filesystem::remove(file);

  // ---- the transcript
  // -------------------------------------------------------------------------------------------------
  const std::vector<Span> bus = spans(waves, "ssd.channel0.bus.transaction", "");
  std::vector<Span> sets, programs;
  std::uint64_t first_load = 0;
  fmt::print("{:>12} {:>9}  bus of channel 0\n", "from us", "us");
  for (const Span& s : bus) {
    fmt::print("{:12.3f} {:9.3f}  {}\n", static_cast<double>(s.start) / 1e6, s.microseconds(), s.text);
    if (s.is("SET FEATURES")) sets.push_back(s);
    if (s.is("PROGRAM d0 b6 p3") && first_load == 0) first_load = s.start;
  }
  for (const Span& s : spans(waves, "ssd.channel0.die0.state", "idle")) {
    if (s.is("program")) programs.push_back(s);
  }
  ASSERT_EQ(programs.size(), 2U);
  ASSERT_EQ(sets.size(), 2U);
  fmt::print("tPROG: leader {:.1f} us, follower {:.1f} us; features of the follower: {:.3f} us from the first to 80h\n",
             programs[0].microseconds(), programs[1].microseconds(),
             static_cast<double>(first_load - sets[0].start) / 1e6);

  EXPECT_NEAR(programs[0].microseconds(), 700.2, 1e-6);
  EXPECT_NEAR(programs[1].microseconds(), 586.8, 1e-6);
  EXPECT_EQ(sets[0].text, "SET FEATURES d0 91h 00 01 02 03");
  EXPECT_EQ(sets[1].text, "SET FEATURES d0 92h 04 05 06 00");
  const config::Channels& ch = c.channels;
  const onfi::BusTiming timing(ch);
  const Picoseconds one =
      timing.segment(onfi::SegmentKind::kSetFeatures, {onfi::kSetFeatures, 0, 1, {0x91}}, 0) + ch.t_wb + ch.t_feat;
  EXPECT_EQ(first_load - sets[0].start, static_cast<std::uint64_t>((one * 2).count()));

  // ---- what was read back is what the die has
  // -------------------------------------------------------------------------
  for (const std::uint16_t id : {0, 1}) {
    const nand::ProgramReport die = measured_of(bench.dies[0]->array(), BlockId(6), PageId(id * 3U));
    const wl_program_report& report = bench.program_report(id);
    std::string windows;
    for (unsigned s = 1; s <= report.states; ++s) {
      windows += fmt::format(" P{} {}-{}", s, report.l_min[s], report.l_max[s]);
      EXPECT_EQ(report.l_min[s], die.windows.min[s]) << s;
      EXPECT_EQ(report.l_max[s], die.windows.max[s]) << s;
    }
    fmt::print("report of job {}: {} loops,{}; BER_EP1 {:.3e} (die {:.3e})\n", id, report.loops, windows,
               report.ber_ep1 * 1e-9, die.ber_ep1);
    EXPECT_EQ(report.loops, die.windows.loops);
    EXPECT_NEAR(report.ber_ep1 * 1e-9, die.ber_ep1, 0.5e-9);
  }
  EXPECT_EQ(bench.checker.violations(), 0U);
}

}  // namespace
}  // namespace wordline::testing::bus_transcript_test
