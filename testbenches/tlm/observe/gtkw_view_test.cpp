// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/gtkw_view.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "testbenches/tlm/observe/wave_story.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/observe/fst_recorder.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::observe::gtkw_view_test {
namespace {

using namespace wordline::literals;

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> titles(const std::vector<WaveGroup>& groups) {
  std::vector<std::string> all;
  for (const WaveGroup& g : groups) all.push_back(g.title);
  return all;
}

WaveSignal signal(const char* scope, const char* name, SignalKind kind, unsigned bits) {
  return {scope, name, kind, bits, {}};
}

// Looked at with GTKWave 3.3.118 before it was kept.
TEST(GtkwViewTest, ViewOfTheStoryIsTheKeptOne) {
  const auto folder = std::filesystem::temp_directory_path() / ("wordline_view_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::string view;
  {
    FstRecorder recorder(testing::context(), (folder / "story.fst").string());
    const Picoseconds end = testing::tell_story(recorder);
    testing::simulate([&] { sc_core::wait(tlm_if::to_sc_time(end)); }, sc_core::sc_time(1, sc_core::SC_SEC));
    recorder.close();
    view = write_gtkw(recorder, default_groups(recorder.signals()));
  }
  EXPECT_EQ(view, (folder / "story.gtkw").string());
  EXPECT_EQ(content(view), content(GOLDEN_VIEW));
  std::filesystem::remove_all(folder);
}

TEST(GtkwViewTest, GroupsFollowACommandThroughTheDrive) {
  const std::vector<WaveSignal> signals{
      signal("ssd.channel0.die0", "op", SignalKind::kEnum, 3), signal("ssd.channel0", "phase", SignalKind::kEnum, 3),
      signal("ssd.score", "x", SignalKind::kBit, 1),           signal("ssd.ecc", "busy", SignalKind::kBit, 1),
      signal("ssd.host.nvme", "cmd", SignalKind::kText, 0),    signal("ssd.cpu.core1", "task", SignalKind::kEnum, 3),
      signal("ssd.channel0.die0", "rb", SignalKind::kBit, 1),  signal("ssd.dram", "busy", SignalKind::kBit, 1)};
  EXPECT_EQ(
      titles(default_groups(signals)),
      (std::vector<std::string>{"Host: ssd.host.nvme", "Firmware: ssd.cpu.core1", "Memory: ssd.dram", "ECC: ssd.ecc",
                                "Channel: ssd.channel0", "Die: ssd.channel0.die0", "Other: ssd.score"}));
}

TEST(GtkwViewTest, LargeDriveOpensWithFourDies) {
  std::vector<WaveSignal> signals;
  for (int d = 0; d < 12; ++d) {
    signals.push_back({"ssd.channel0.die" + std::to_string(d), "op", SignalKind::kEnum, 3, {}});
  }
  const auto groups = default_groups(signals);
  ASSERT_EQ(groups.size(), 12U);
  for (std::size_t g = 0; g < groups.size(); ++g) EXPECT_EQ(groups[g].open, g < 4) << g;
  const std::string text = gtkw_text(signals, groups, "a.fst", "a.gtkw", {});
  EXPECT_NE(text.find("@c00200\n-Die: ssd.channel0.die4\n"), std::string::npos);
  EXPECT_NE(text.find("@1401200\n-Die: ssd.channel0.die4\n"), std::string::npos);
  EXPECT_EQ(text.find("@c00200\n-Die: ssd.channel0.die3\n"), std::string::npos);
}

TEST(GtkwViewTest, FlagsAndRangesByKind) {
  const std::vector<WaveSignal> signals{
      signal("s", "bit", SignalKind::kBit, 1),     signal("s", "one", SignalKind::kVector, 1),
      signal("s", "wide", SignalKind::kVector, 9), signal("s", "free_blocks", SignalKind::kVector, 9),
      signal("s", "state", SignalKind::kEnum, 2),  signal("s", "text", SignalKind::kText, 0),
      signal("s", "load", SignalKind::kReal, 64)};
  const std::string text = gtkw_text(signals, {{"All", {"s"}, WaveColour::kRed, true}}, "a.fst", "a.gtkw", {});
  const std::string body = text.substr(text.find("@800200"));
  EXPECT_EQ(body,
            "@800200\n-All\n"
            "@28\n[color] 1\ns.bit\n"
            "@22\n[color] 1\ns.one\n"
            "@22\n[color] 1\ns.wide[8:0]\n"
            "@88024\n[color] 1\ns.free_blocks[8:0]\n@20000\n-\n"
            "@100000028\n[color] 1\ns.state[1:0]\n"
            "@820\n[color] 1\ns.text\n"
            "@88020\n[color] 1\ns.load\n@20000\n-\n"
            "@1000200\n-All\n");
}

TEST(GtkwViewTest, SignalsAppearOnceInTheInnermostGroupAndScopesMatchWhole) {
  const std::vector<WaveSignal> signals{signal("ssd.ch1", "a", SignalKind::kBit, 1),
                                        signal("ssd.ch1.die0", "b", SignalKind::kBit, 1),
                                        signal("ssd.ch10", "c", SignalKind::kBit, 1)};
  const std::string text = gtkw_text(
      signals,
      {{"Outer", {"ssd.ch1"}, {}, true}, {"Inner", {"ssd.ch1.die0"}, {}, true}, {"None", {"ssd.ch2"}, {}, true}},
      "a.fst", "a.gtkw", {});
  EXPECT_EQ(text.substr(text.find("@800200")),
            "@800200\n-Outer\n@28\n+{ch1 a} ssd.ch1.a\n@1000200\n-Outer\n"
            "@800200\n-Inner\n@28\n+{die0 b} ssd.ch1.die0.b\n@1000200\n-Inner\n");
}

TEST(GtkwViewTest, ZoomIsTheSpanOverTheWindow) {
  // 1150 pixels of waves in frames of 200: 5.75 x 2^20 ps fill the window at a zoom of -20.
  const std::string text = gtkw_text({}, {}, "a.fst", "a.gtkw", {7_ns, Picoseconds((23LL << 20) / 4)});
  EXPECT_NE(text.find("[timestart] 7000\n"), std::string::npos);
  EXPECT_NE(text.find("\n*-20.000000 -1 -1"), std::string::npos) << text;
}

TEST(GtkwViewTest, MarkerStandsWhereItIsAsked) {
  const std::string text = gtkw_text({}, {}, "a.fst", "a.gtkw", {7_ns, Picoseconds((23LL << 20) / 4), 8_ns});
  EXPECT_NE(text.find("\n*-20.000000 8000 -1"), std::string::npos) << text;
}

TEST(GtkwViewTest, FocusMovesOpensAndMarks) {
  const std::vector<WaveSignal> signals{
      signal("ssd.host", "a", SignalKind::kBit, 1), signal("ssd.channel1.die0", "b", SignalKind::kBit, 1),
      signal("ssd.channel1.die1", "c", SignalKind::kBit, 1), signal("ssd.channel10.die0", "d", SignalKind::kBit, 1)};
  const std::string text = gtkw_text(signals, default_groups(signals), "a.fst", "a.gtkw", {});
  const WaveZoom zoom{7_ns, Picoseconds((23LL << 20) / 4), 9_ns};
  const std::string there = gtkw_focus(text, zoom, {8_ns, 9_ns}, {"ssd.host", "ssd.channel1.die1"});
  EXPECT_NE(there.find("[timestart] 7000\n[size] 1600 1000\n"), std::string::npos) << there;
  EXPECT_NE(there.find("\n*-20.000000 9000 8000 9000 -1 -1"), std::string::npos) << there;
  EXPECT_EQ(there.substr(there.find("@800200")),
            "@800200\n-Host: ssd.host\n@28\n[color] 3\nssd.host.a\n@1000200\n-Host: ssd.host\n"
            "@800200\n-Die: ssd.channel1.die1\n@28\n[color] 4\n+{die1 c} ssd.channel1.die1.c\n@1000200\n-Die: "
            "ssd.channel1.die1\n");
  // With nothing named to open, groups stay as they are: only the place changes.
  EXPECT_EQ(gtkw_focus(text, {}, {}, {}).substr(text.find("[size]")), text.substr(text.find("[size]")));
}

TEST(GtkwViewTest, OnlyTheNamedSignalsStay) {
  const std::vector<WaveSignal> signals{signal("ssd.host", "command", SignalKind::kText, 0),
                                        signal("ssd.host", "tag_level", SignalKind::kVector, 16),
                                        signal("ssd.host", "command_level", SignalKind::kVector, 16),
                                        signal("ssd.channel1.die0", "state", SignalKind::kEnum, 4),
                                        signal("ssd.channel1.die0", "voltage", SignalKind::kReal, 0)};
  const std::string text = gtkw_text(signals, default_groups(signals), "a.fst", "a.gtkw", {});
  const std::string few = gtkw_only(text, {"command", "tag_level", "state"});
  EXPECT_EQ(few.substr(few.find("@800200")),
            "@800200\n-Host: ssd.host\n@820\n[color] 3\nssd.host.command\n@88024\n[color] 3\n"
            "ssd.host.tag_level[15:0]\n@20000\n-\n@1000200\n-Host: ssd.host\n"
            "@800200\n-Die: ssd.channel1.die0\n@100000028\n[color] 4\n+{die0 state} "
            "ssd.channel1.die0.state[3:0]\n@1000200\n-Die: ssd.channel1.die0\n");
  EXPECT_EQ(few.substr(0, few.find("@800200")), text.substr(0, text.find("@800200")));
  EXPECT_EQ(gtkw_only(text, {"command", "tag_level", "command_level", "state", "voltage"}), text);
}

TEST(GtkwViewTest, ARecordingUnderWayHasAViewAlready) {
  const auto folder = std::filesystem::temp_directory_path() / ("wordline_early_view_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  {
    FstRecorder recorder(testing::context(), (folder / "run.fst").string());
    recorder.add_bit("ssd.die0", "rb");
    const std::string text = content(write_gtkw(recorder, default_groups(recorder.signals())));
    EXPECT_NE(text.find("\n[timestart] 0\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n+{die0 rb} ssd.die0.rb\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    EXPECT_FALSE(recorder.closed());
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace wordline::observe::gtkw_view_test
