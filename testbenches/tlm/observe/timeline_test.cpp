// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/timeline.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/firmware/contract/contract.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/observe/core_stages.h"

namespace wordline::observe {
namespace {

using namespace wordline::literals;
using nlohmann::json;
using tlm_if::Stage;

std::string file_of_test(const char* name) {
  return (std::filesystem::temp_directory_path() / (std::string(name) + std::to_string(::getpid()) + ".json")).string();
}

json events_of(const std::string& path) {
  std::ifstream in(path);
  return json::parse(in).at("traceEvents");
}

/// Events of a phase ("X", "s") with the process.
std::vector<json> find(const json& events, const char* phase, unsigned process) {
  std::vector<json> found;
  for (const json& event : events) {
    if (event["ph"] == phase && event["pid"] == process) found.push_back(event);
  }
  return found;
}

// A read by hand: its stages, the slices that its signals make, and its way through them.
TEST(TimelineTest, ReadGoesItsWay) {
  const std::string path = file_of_test("timeline_read");
  Timeline timeline(testing::context(), path, 1 << 20, {}, 2);
  tlm_if::RecorderIf& recorder = timeline.recorder();
  const auto task = recorder.add_enum("ssd.cpu.core1", "task", {"loop", "host_read", "sleep"});
  const auto bus = recorder.add_text("ssd.channel1.bus", "transaction");
  const auto die = recorder.add_enum("ssd.channel1.die0", "state", {"idle", "read"});
  (void)recorder.add_bit("ssd.channel1.die0", "suspended");  // no slices
  StageClock clock{testing::context()};
  clock.observe(timeline);
  CoreStages core(clock, 1);
  testing::simulate(
      [&] {
        const auto at = [](Picoseconds time) { sc_core::wait(tlm_if::to_sc_time(time - tlm_if::kernel_time())); };
        recorder.set(task, 0_us, 2);
        recorder.name_command(3, {1, 7, 0x40});
        clock.submitted(1, 7, 0_us);
        clock.begin(3, 1, 7, 300_ns);
        clock.mark(3, Stage::kQueueCore, 1_us);
        recorder.set(task, 2_us, 1);
        recorder.set(task, 4_us, 2);
        core.work(3, 2_us, 4_us);
        recorder.set_text(bus, 5_us, "READ d0");
        recorder.set_text(bus, 6_us, "");
        recorder.set(die, 6_us, 1);
        recorder.set(die, 46_us, 0);
        recorder.set_text(bus, 47_us, "DATA OUT d0");
        recorder.set_text(bus, 48_us, "");
        recorder.set(task, 52_us, 1);
        recorder.set(task, 53_us, 2);
        at(51_us);
        clock.flash_read(3, 1, {4_us, 5_us, 6_us, 46_us, 47_us, 48_us, 49_us, 51_us, Picoseconds(-1)}, false);
        clock.mark(3, Stage::kQueueResume, 51_us);
        at(54_us);
        core.work(3, 52_us, 53_us);
        clock.mark(3, Stage::kDma, 53_us);
        clock.release(3, 54_us);
        at(55_us);
        (void)clock.finish(1, 7, 55_us, WL_WAITER_READ);
        at(60_us);
      },
      sc_core::sc_time(1, sc_core::SC_MS));
  timeline.close();
  EXPECT_EQ(timeline.notice(), "");
  const json events = events_of(path);

  const std::vector<json> host = find(events, "X", 1);
  ASSERT_FALSE(host.empty());
  EXPECT_EQ(host[0]["name"], "read");
  EXPECT_EQ(host[0]["dur"], 55.0);
  EXPECT_EQ(host[0]["args"]["lba"], 0x40);
  EXPECT_EQ(host[0]["args"]["die"], 1);
  EXPECT_EQ(host[0]["args"]["stage_ps"]["array"], 40'000'000);
  EXPECT_EQ(host[0]["args"]["stage_ps"]["firmware"], 2'000'000);
  double sum = 0;
  for (std::size_t i = 1; i < host.size(); ++i) sum += host[i]["dur"].get<double>();
  EXPECT_DOUBLE_EQ(sum, 55.0);

  const auto only = [&](unsigned process, const char* name, double from, double length) {
    for (const json& slice : find(events, "X", process)) {
      if (slice["name"] == name && slice["ts"] == from && slice["dur"] == length) return;
    }
    ADD_FAILURE() << process << ' ' << name;
  };
  only(2, "host_read", 2, 2);
  only(2, "host_read", 52, 1);
  EXPECT_EQ(find(events, "X", 2).size(), 2U);  // sleep is none
  only(3, "READ d0", 5, 1);
  only(3, "DATA OUT d0", 47, 1);
  only(4, "read", 6, 40);
  EXPECT_EQ(find(events, "X", 4).size(), 1U);
  only(5, "decode, die 1", 49, 2);

  std::vector<std::pair<unsigned, double>> way;
  for (const json& event : events) {
    if (event.contains("cat")) way.emplace_back(event["pid"], event["ts"]);
  }
  EXPECT_EQ(way, (std::vector<std::pair<unsigned, double>>{
                     {1, 0.15}, {2, 3}, {3, 5.999999}, {4, 26}, {3, 47}, {5, 50}, {2, 52.5}, {1, 54.5}}));
  std::filesystem::remove(path);
}

TEST(TimelineTest, EndsAtItsLimitAndIsWhole) {
  const std::string path = file_of_test("timeline_limit");
  TraceFile file(path, 64 << 10);
  for (int i = 0; i < 2'000; ++i) file.slice({1, 0}, "a \"quoted\" name", Picoseconds(i), Picoseconds(i + 1));
  EXPECT_TRUE(file.cut());
  file.close();
  const auto size = std::filesystem::file_size(path);
  EXPECT_LE(size, 64U << 10);
  EXPECT_GT(size, 60U << 10);
  const json events = events_of(path);
  EXPECT_EQ(events[0]["name"], "a \"quoted\" name");
  EXPECT_EQ(events[0]["dur"], 1e-6);
  EXPECT_EQ(events.back()["ph"], "i");
  EXPECT_EQ(events.back()["name"], "observe.timeline_limit = 65536 bytes: what ended later than this is left out");
  EXPECT_EQ(file.complete_until().count(), static_cast<std::int64_t>(events.size()) - 1);
  std::filesystem::remove(path);
}

TEST(TimelineTest, SaysWhereItCannotBeWritten) {
  EXPECT_THROW(TraceFile("/nowhere/at/all.json", 1 << 20), std::runtime_error);
}

// A full file costs nothing further: neither commands nor signals are looked at any more.
TEST(TimelineTest, AFullFileWantsNoMore) {
  const std::string path = file_of_test("timeline_full");
  Timeline timeline(testing::context(), path, 16384, {}, 1);
  const auto bus = timeline.recorder().add_text("ssd.channel0.bus", "transaction");
  StageClock clock{testing::context()};
  clock.observe(timeline);
  int seen = 0;
  testing::simulate(
      [&] {
        for (std::uint16_t i = 0; i < 500; ++i) {
          const Picoseconds now = tlm_if::kernel_time();
          if (tlm_if::listens(&timeline.recorder())) {
            timeline.recorder().set_text(bus, now, "READ");
            ++seen;
          }
          clock.submitted(1, 7, now);
          clock.begin(3, 1, 7, now);
          sc_core::wait(tlm_if::to_sc_time(1_us));
          clock.release(3, now + 1_us);
          (void)clock.finish(1, 7, now + 1_us, WL_WAITER_READ);
        }
      },
      sc_core::sc_time(1, sc_core::SC_MS));
  EXPECT_FALSE(timeline.listening());
  EXPECT_FALSE(timeline.recorder().listening());
  EXPECT_GT(seen, 10);
  EXPECT_LT(seen, 100);
  timeline.close();
  EXPECT_NE(timeline.notice().find("observe.timeline_limit"), std::string::npos);
  EXPECT_FALSE(events_of(path).empty());
}

}  // namespace
}  // namespace wordline::observe
