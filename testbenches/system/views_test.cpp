// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The views in waves/ show signals that a run writes: GTKWave leaves out silently what it does not find.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "testbenches/system/run_drive.h"

namespace wordline::testing::views_test {
namespace {

std::set<std::string> signals_of(const std::string& view) {
  std::ifstream in(view);
  EXPECT_TRUE(in.good()) << view;
  std::set<std::string> out;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("+{", 0) == 0) line.erase(0, std::min(line.find("} ") + 2, line.size()));  // name of the row
    if (line.rfind("ssd.", 0) == 0) out.insert(line);
  }
  return out;
}

void expect_signals(const std::string& view, const std::string& config, const std::string& job) {
  const RunResult run = run_drive({config, job, {"observe.waves=true"}, {}});
  const std::set<std::string> written = signals_of(run.folder + "/waves.gtkw");
  const std::set<std::string> shown = signals_of(std::string(WORDLINE_SOURCE) + "/waves/" + view);
  EXPECT_GT(shown.size(), 5U);
  for (const std::string& signal : shown) EXPECT_EQ(written.count(signal), 1U) << view << ": " << signal;
}

TEST(Views, Demo) {
  expect_signals("demo.gtkw", "configs/ssds/default.toml", "[job]\nrw=randwrite\nbs=4k\nnumber_ios=20\n");
}

TEST(Views, ReadAndProgram) {
  for (const char* view : {"read.gtkw", "program.gtkw"}) {
    expect_signals(view, "configs/ssds/default.toml", "[job]\nrw=randread\nbs=4k\nnumber_ios=2\n");
  }
}

TEST(Views, SuspendAndGc) {
  for (const char* view : {"suspend.gtkw", "gc.gtkw"}) {
    expect_signals(view, "configs/ssds/small.toml", "[job]\nrw=randread\nbs=4k\nnumber_ios=2\n");
  }
}

TEST(Views, TimelineAndReportSayHowToOpenThem) {
  const RunResult run = run_drive({"configs/ssds/small.toml",
                                   "[job]\nrw=randread\nbs=4k\nnumber_ios=2\n",
                                   {"cpu.model=native", "observe.timeline=true"},
                                   {}});
  const CommandResult timeline = wordline({"view", "timeline", run.folder});
  EXPECT_EQ(timeline.exit_code, 0) << timeline.output;
  EXPECT_NE(timeline.output.find("/timeline.json: open it at https://ui.perfetto.dev"), std::string::npos)
      << timeline.output;
  const CommandResult waves = wordline({"view", "waves", run.folder, "--print"});
  EXPECT_EQ(waves.exit_code, 1);
  EXPECT_NE(waves.output.find("waves.fst is not there: run with --set observe.waves=true"), std::string::npos)
      << waves.output;
  const CommandResult report = wordline({"view", "report", run.folder});
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_NE(report.output.find("report.html is not there: wordline report "), std::string::npos) << report.output;
  const CommandResult other = wordline({"view", "pulses", run.folder});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_NE(other.output.find("view pulses: expected waves, timeline or report"), std::string::npos) << other.output;
}

TEST(Views, Retry) {
  expect_signals("retry.gtkw", "configs/ssds/retry.toml", "[job]\nrw=randread\nbs=4k\nnumber_ios=1\n");
}

/// What the view of the slowest request must be: at its time, its die open.
TEST(Views, SlowestRequestIsWhereTheViewOpens) {
  const std::vector<std::string> drive{"cpu.model=native", "precondition.fill=sequential", "channels.count=2",
                                       "channels.packages=2"};
  const char* const job = "[job]\nrw=randread\nbs=4k\niodepth=16\nnumber_ios=2000\n";
  std::vector<std::string> recorded = drive;
  recorded.emplace_back("observe.waves=true");
  const RunResult run = run_drive({"configs/ssds/small.toml", job, recorded, {}});
  for (const std::size_t number : {1U, 5U}) {
    const auto& request = run.result["slowest"][number - 1];
    const auto submitted = request["submitted_ps"].get<std::int64_t>(),
               latency = request["latency_ps"].get<std::int64_t>();
    const CommandResult view = wordline({"view", run.folder, "--slowest", std::to_string(number), "--print"});
    ASSERT_EQ(view.exit_code, 0) << view.output;
    const auto die = request["die"].get<int>();
    ASSERT_GE(die, 0);
    const std::string scope = "ssd.channel" + std::to_string(die % 2) + ".die" + std::to_string(die / 2);
    EXPECT_NE(view.output.find("its last flash read at " + scope + "\n"), std::string::npos) << view.output;
    std::ifstream in(run.folder + "/slowest" + std::to_string(number) + ".gtkw");
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const std::string marks = " " + std::to_string(submitted + latency) + " " + std::to_string(submitted) + " " +
                              std::to_string(submitted + latency) + " -1";
    EXPECT_NE(text.find(marks), std::string::npos) << text.substr(0, 400);
    EXPECT_NE(text.find("@800200\n-Die: " + scope + "\n"), std::string::npos);
    // One die is open, the other three are not.
    std::size_t open = 0;
    for (auto at = text.find("@800200\n-Die: "); at != std::string::npos; at = text.find("@800200\n-Die: ", at + 1))
      ++open;
    EXPECT_EQ(open, 1U);
  }
  // A flush reads no flash: its view has the states of all dies.
  std::vector<std::string> flushing = recorded;
  flushing.emplace_back("ftl.power_safe=false");
  const RunResult flushed = run_drive(
      {"configs/ssds/small.toml", "[job]\nrw=randwrite\nbs=4k\nfsync=4\niodepth=4\nnumber_ios=40\n", flushing, {}});
  const CommandResult flush = wordline({"view", flushed.folder, "--slowest", "--op", "flush", "--print"});
  ASSERT_EQ(flush.exit_code, 0) << flush.output;
  const std::set<std::string> rows = signals_of(flushed.folder + "/slowest_flush1.gtkw");
  for (const char* row : {"ssd.host.command", "ssd.channel1.bus.transaction", "ssd.channel0.die1.state[3:0]",
                          "ssd.firmware.free_superblocks[31:0]"})
    EXPECT_EQ(rows.count(row), 1U) << row;
  EXPECT_EQ(rows.count("ssd.channel0.die1.voltage"), 0U);
  // Without a waveform, the keys that record it.
  const RunResult without = run_drive({"configs/ssds/small.toml", job, drive, {}});
  const CommandResult refused = wordline({"view", without.folder, "--slowest"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(
      refused.output.find("has no waveform: run the same with --set observe.waves=true --set observe.waves_from="),
      std::string::npos)
      << refused.output;
  std::vector<std::string> early = recorded;
  early.emplace_back("observe.waves_to=1us");
  const RunResult window = run_drive({"configs/ssds/small.toml", job, early, {}});
  const CommandResult outside = wordline({"view", window.folder, "--slowest", "--print"});
  EXPECT_EQ(outside.exit_code, 1);
  EXPECT_NE(outside.output.find("was not recorded at that time: run the same with"), std::string::npos)
      << outside.output;
  // Of those in a stretch of time, named by its submission.
  std::size_t place = 0;  // of those that were submitted together the slowest
  const auto& slowest = run.result["slowest"];
  while (slowest[place]["submitted_ps"] != slowest[2]["submitted_ps"]) ++place;
  const std::string at = std::to_string(slowest[2]["submitted_ps"].get<std::int64_t>()) + "ps";
  const CommandResult within = wordline({"view", run.folder, "--slowest", "--within", at + ".." + at, "--print"});
  EXPECT_EQ(within.exit_code, 0) << within.output;
  const CommandResult same = wordline({"view", run.folder, "--slowest", std::to_string(place + 1), "--print"});
  const auto described = [](const std::string& text) {
    return text.substr(text.find(':'), text.find("gtkwave") - text.find(':'));
  };
  EXPECT_EQ(described(within.output), described(same.output));
  const auto names = [&](const char* text, int code, const char* reason) {
    const CommandResult none = wordline({"view", run.folder, "--slowest", "--within", text, "--print"});
    EXPECT_EQ(none.exit_code, code);
    EXPECT_NE(none.output.find(reason), std::string::npos) << none.output;
  };
  names("0ns..1ns", 1, "it has 0 slow requests within 0ns..1ns");
  names("1ms", 2, "--within 1ms: error: expected FROM..TO");
  EXPECT_EQ(wordline({"view", run.folder, "--within", "0ns..1ms", "--print"}).exit_code, 1);
  const CommandResult many = wordline({"view", run.folder, "--slowest", "17"});
  EXPECT_NE(many.exit_code, 0);
  EXPECT_NE(many.output.find("it has 16 slow requests"), std::string::npos) << many.output;
}

}  // namespace
}  // namespace wordline::testing::views_test
