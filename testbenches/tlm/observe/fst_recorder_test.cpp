// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/observe/fst_recorder.h"

#include <fstapi.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "models/units/keyed_random.h"
#include "testbenches/tlm/observe/wave_reader.h"
#include "testbenches/tlm/observe/wave_story.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/protocol/interfaces.h"

namespace wordline::observe::fst_recorder_test {
namespace {

using namespace wordline::literals;
using testing::expect_reports;
using testing::read_waves;
using testing::reports_seen;
using testing::simulate;
using testing::Waves;
using Changes = std::vector<Waves::Change>;

// A function: a global sc_time would fix the time resolution before main sets it.
sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }

void wait_until(Picoseconds at) { sc_core::wait(tlm_if::to_sc_time(at - tlm_if::kernel_time())); }

class FstRecorderTest : public ::testing::Test {
 protected:
  FstRecorderTest() {
    folder_ = std::filesystem::temp_directory_path() / ("wordline_waves_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~FstRecorderTest() override { std::filesystem::remove_all(folder_); }
  std::string file(const char* name = "t.fst") const { return (folder_ / name).string(); }
  static std::string bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::filesystem::path folder_;
};

TEST_F(FstRecorderTest, EverySignalStartsAtTimeZeroInPicosecondsAndScopesAppearOnce) {
  {
    FstRecorder r(testing::context(), file());
    r.add_bit("ssd.a", "bit");
    r.add_text("ssd.b", "text");
    r.add_vector("ssd.a", "vector", 12);
    r.add_real("ssd.a.inner", "real");
    r.add_enum("ssd.b", "state", {"first", "second"});
    simulate([&] { wait_until(5_ns); }, limit());
  }
  const Waves w = read_waves(file());
  EXPECT_EQ(w.timescale, -12);
  EXPECT_EQ(w.start, 0U);
  EXPECT_EQ(w.end, 5000U);
  EXPECT_EQ(w.scopes, (std::vector<std::string>{"ssd", "ssd.a", "ssd.a.inner", "ssd.b"}));
  EXPECT_EQ(w.changes.at("ssd.a.bit"), (Changes{{0, "0"}}));
  EXPECT_EQ(w.changes.at("ssd.a.vector"), (Changes{{0, "000000000000"}}));
  EXPECT_EQ(w.changes.at("ssd.a.inner.real"), (Changes{{0, "0"}}));
  EXPECT_EQ(w.changes.at("ssd.b.text"), (Changes{{0, ""}}));
  EXPECT_EQ(w.changes.at("ssd.b.state"), (Changes{{0, "00"}}));
  EXPECT_EQ(w.variable("ssd.b.text").type, static_cast<unsigned>(FST_VT_GEN_STRING));
  EXPECT_EQ(w.variable("ssd.a.inner.real").type, static_cast<unsigned>(FST_VT_VCD_REAL));
  EXPECT_EQ(w.variable("ssd.a.vector").bits, 12U);
  EXPECT_FALSE(std::filesystem::exists(file() + ".hier"));
}

TEST_F(FstRecorderTest, EnumsCarryTheirNames) {
  {
    FstRecorder r(testing::context(), file());
    r.add_enum("d.die0", "op", {"ready", "sense", "DATA OUT", "pulse", "verify"});
    r.add_bit("d.die0", "plain");
    r.add_enum("d.die1", "op", {"ready", "sense", "DATA OUT", "pulse", "verify"});
    r.add_enum("d.die1", "other", {"off", "on"});
  }
  const Waves w = read_waves(file());
  using Names = std::vector<std::pair<std::string, std::string>>;
  const Names op{{"000", "ready"}, {"001", "sense"}, {"010", "DATA OUT"}, {"011", "pulse"}, {"100", "verify"}};
  EXPECT_EQ(w.variable("d.die0.op").names, op);
  EXPECT_EQ(w.variable("d.die0.op").bits, 3U);
  EXPECT_EQ(w.variable("d.die0.op").type, static_cast<unsigned>(FST_VT_SV_ENUM));
  EXPECT_EQ(w.variable("d.die1.op").names, op);
  EXPECT_TRUE(w.variable("d.die0.plain").names.empty());
  // Two bits although one would do: GTKWave draws a single bit as a line, without the name.
  EXPECT_EQ(w.variable("d.die1.other").names, (Names{{"00", "off"}, {"01", "on"}}));
}

TEST_F(FstRecorderTest, FutureValuesAppearInOrderOfTimeAndTheLastCallOfATimeCounts) {
  {
    FstRecorder r(testing::context(), file());
    const auto v = r.add_vector("s", "v", 4);
    const auto text = r.add_text("s", "text");
    const auto real = r.add_real("s", "real");
    simulate(
        [&] {
          r.set(v, 30_ns, 3);
          r.set(v, 10_ns, 1);
          r.set_text(text, 20_ns, "overwritten");
          r.set_text(text, 20_ns, "kept");
          wait_until(15_ns);
          r.set(v, 15_ns, 7);
          r.set(v, 20_ns, 2);
          r.set(v, 20_ns, 2);
          r.set_real(real, 21_ns, -0.25);
          r.set(v, 40_ns, 3);  // no change
          wait_until(50_ns);
        },
        limit());
  }
  const Waves w = read_waves(file());
  EXPECT_EQ(w.changes.at("s.v"),
            (Changes{{0, "0000"}, {10000, "0001"}, {15000, "0111"}, {20000, "0010"}, {30000, "0011"}}));
  EXPECT_EQ(w.changes.at("s.text"), (Changes{{0, ""}, {20000, "kept"}}));
  EXPECT_EQ(w.changes.at("s.real"), (Changes{{0, "0"}, {21000, "-0.25"}}));
  EXPECT_EQ(w.end, 50000U);
}

TEST_F(FstRecorderTest, WhatLiesAheadAtTheEndHasNotHappened) {
  {
    FstRecorder r(testing::context(), file());
    const auto bit = r.add_bit("s", "bit");
    simulate(
        [&] {
          r.set(bit, 10_ns, 1);
          r.set(bit, 10_ns + 1_ps, 0);
          wait_until(10_ns);
        },
        limit());
    r.close();
    r.set(bit, 11_ns, 1);  // ignored
    EXPECT_EQ(r.last_time(), 10_ns);
    EXPECT_FALSE(r.active());
  }
  EXPECT_EQ(read_waves(file()).changes.at("s.bit"), (Changes{{0, "0"}, {10000, "1"}}));
}

TEST_F(FstRecorderTest, WindowStartsWithTheStateAndEndsBeforeItsEnd) {
  {
    FstRecorder r(testing::context(), file(), {30_ms + 100_ns, 30_ms + 200_ns});
    const auto v = r.add_vector("s", "v", 8);
    const auto text = r.add_text("s", "text");
    const auto still = r.add_vector("s", "still", 8);
    simulate(
        [&] {
          EXPECT_FALSE(r.active());
          r.set(still, 0_ns, 9);
          r.set(v, 10_ns, 1);
          r.set(v, 30_ms + 99_ns, 2);
          r.set_text(text, 30_ms + 50_ns, "before");
          r.set(v, 30_ms + 200_ns - 1_ps, 4);
          r.set(v, 30_ms + 200_ns, 5);
          wait_until(10_ms + 100_ns - 1_ps);
          EXPECT_FALSE(r.active());
          wait_until(10_ms + 100_ns);  // an operation that begins now may last into the window
          EXPECT_TRUE(r.active());
          wait_until(30_ms + 100_ns);
          r.set(v, 30_ms + 100_ns, 3);
          wait_until(30_ms + 200_ns - 1_ps);
          EXPECT_TRUE(r.active());
          wait_until(30_ms + 200_ns);
          EXPECT_FALSE(r.active());
          r.set_text(text, 30_ms + 200_ns, "after");
          wait_until(30_ms + 300_ns);
        },
        limit());
  }
  const Waves w = read_waves(file());
  EXPECT_EQ(w.start, 30000100000U);
  EXPECT_EQ(w.end, 30000200000U);
  EXPECT_EQ(w.changes.at("s.v"), (Changes{{30000100000, "00000011"}, {30000199999, "00000100"}}));
  EXPECT_EQ(w.changes.at("s.text"), (Changes{{30000100000, "before"}}));
  EXPECT_EQ(w.changes.at("s.still"), (Changes{{30000100000, "00001001"}}));
}

// What was set while it did not listen is unknown, at the first window and at a later one.
TEST_F(FstRecorderTest, RecordsWindowsAndNothingBetweenThem) {
  {
    FstRecorder r(testing::context(), file(),
                  std::vector<WaveWindow>{{20_ns, 30_ns, 5_ns}, {60_ns, 70_ns, 5_ns}, {1_ms, 2_ms, 5_ns}});
    const auto v = r.add_vector("s", "v", 2);
    const auto early = r.add_vector("s", "early", 2);
    const auto text = r.add_text("s", "text");
    const auto real = r.add_real("s", "real");
    const auto at = [&](Picoseconds time) {
      wait_until(time);
      r.listen_near(10_ns);
    };
    simulate(
        [&] {
          at(0_ns);
          EXPECT_FALSE(r.listening());
          r.set(early, 0_ns, 3);
          at(10_ns);  // in ten more the window begins, and an operation that begins now reaches into it
          EXPECT_TRUE(r.listening());
          EXPECT_FALSE(r.active());
          r.set(v, 10_ns, 1);
          r.set(v, 25_ns, 2);
          r.set_text(text, 22_ns, "in the first");
          r.set_real(real, 22_ns, 0.5);
          r.set(early, 80_ns, 1);  // goes with what is forgotten
          at(20_ns);
          EXPECT_TRUE(r.active());
          at(30_ns);
          EXPECT_FALSE(r.listening());
          r.set(v, 32_ns, 3);
          at(50_ns);
          r.set(v, 65_ns, 1);
          at(60_ns);
          r.set(early, 60_ns, 2);
          at(70_ns);
          at(80_ns);
        },
        limit());
  }
  const Waves w = read_waves(file());
  EXPECT_EQ(w.start, 20000U);
  EXPECT_EQ(w.end, 70000U);
  EXPECT_EQ(w.changes.at("ssd.host.recorded"), (Changes{{20000, "1"}, {30000, "0"}, {60000, "1"}, {70000, "0"}}));
  EXPECT_EQ(w.changes.at("s.v"), (Changes{{20000, "01"}, {25000, "10"}, {60000, "xx"}, {65000, "01"}}));
  EXPECT_EQ(w.changes.at("s.early"), (Changes{{60000, "10"}}));
  EXPECT_EQ(w.changes.at("s.text"), (Changes{{22000, "in the first"}, {60000, ""}}));
  EXPECT_EQ(w.changes.at("s.real"), (Changes{{22000, "0.5"}, {60000, "nan"}}));
}

TEST_F(FstRecorderTest, RunThatEndsBeforeTheWindowLeavesTheLastState) {
  {
    FstRecorder r(testing::context(), file(), {1_ms, 0_ps});
    const auto v = r.add_vector("s", "v", 8);
    simulate(
        [&] {
          r.set(v, 1_us, 17);
          wait_until(2_us);
        },
        limit());
  }
  EXPECT_EQ(read_waves(file()).changes.at("s.v"), (Changes{{2000000, "00010001"}}));
}

TEST_F(FstRecorderTest, WaitingMemoryIsWhatLiesAheadAndNoMore) {
  FstRecorder r(testing::context(), file());
  const auto v = r.add_vector("s", "v", 32);
  const auto text = r.add_text("s", "text");
  std::size_t most = 0;
  simulate(
      [&] {
        for (std::uint64_t i = 1; i <= 20'000; ++i) {
          r.set(v, tlm_if::kernel_time() + 3_ns, i);
          r.set_text(text, tlm_if::kernel_time() + 5_ns, std::to_string(i));
          most = std::max(most, r.waiting());
          wait_until(tlm_if::kernel_time() + 1_ns);
        }
      },
      limit());
  EXPECT_LE(most, 4U + 6U);
  r.close();
  const Waves w = read_waves(file());
  EXPECT_EQ(w.changes.at("s.v").size(), 1U + 20'000 - 2);  // the last two lie ahead
  EXPECT_EQ(w.changes.at("s.text").back(), (Waves::Change{20'000'000, "19996"}));
}

TEST_F(FstRecorderTest, RandomScheduleReadsBackAsTheStateAtEveryTime) {
  constexpr unsigned kSignals = 5;
  constexpr std::int64_t kSteps = 4000;  // several times what is given to the writer at once
  // Last value given for (signal, time): the reference.
  std::map<std::int64_t, std::uint64_t> given[kSignals];
  {
    FstRecorder r(testing::context(), file());
    for (unsigned s = 0; s < kSignals; ++s) r.add_vector("s", "v" + std::to_string(s), 64);
    simulate(
        [&] {
          for (std::int64_t step = 0; step < kSteps; ++step) {
            for (std::uint64_t i = 0; i < 4; ++i) {
              const std::uint64_t h = keyed_hash(7, step, i);
              const auto s = static_cast<unsigned>(h % kSignals);
              const std::int64_t at = step + static_cast<std::int64_t>(h >> 8 & 31U);
              const std::uint64_t value = (h >> 16 & 1U) != 0 ? h : h >> 60;
              r.set(s, Picoseconds(at), value);
              given[s][at] = value;
            }
            sc_core::wait(1, sc_core::SC_PS);
          }
        },
        limit());
  }
  const Waves w = read_waves(file());
  for (unsigned s = 0; s < kSignals; ++s) {
    Changes expected{{0, std::string(64, '0')}};
    for (const auto& [at, value] : given[s]) {
      if (at > kSteps) break;
      std::string digits;
      for (int b = 63; b >= 0; --b) digits += (value >> b & 1U) != 0 ? '1' : '0';
      if (at == 0) {
        expected[0].second = digits;
      } else if (expected.back().second != digits) {
        expected.emplace_back(static_cast<std::uint64_t>(at), digits);
      }
    }
    EXPECT_EQ(w.changes.at("s.v" + std::to_string(s)), expected) << "signal " << s;
  }
}

TEST_F(FstRecorderTest, LongRunIsWrittenInBlocks) {
  {
    FstRecorder r(testing::context(), file());
    const auto v = r.add_vector("s", "v", 64);
    simulate(
        [&] {
          for (std::uint64_t i = 1; i <= 300'000; ++i) {
            r.set(v, Picoseconds(static_cast<std::int64_t>(i)), mix64(i));
            if (i % 1000 == 0) wait_until(Picoseconds(static_cast<std::int64_t>(i)));
          }
        },
        limit());
  }
  const Waves w = read_waves(file());
  EXPECT_GT(w.blocks, 1U);  // 300,000 x 70 bytes are more than one block of 4 MiB
  ASSERT_GE(w.changes.at("s.v").size(), 300'001U);
}

TEST_F(FstRecorderTest, EqualRunsWriteEqualBytes) {
  FstRecorder first(testing::context(), file("a.fst"));
  FstRecorder second(testing::context(), file("b.fst"));
  const Picoseconds end = testing::tell_story(first);
  testing::tell_story(second);
  simulate([&] { wait_until(end); }, limit());
  first.close();
  second.close();
  EXPECT_GT(bytes(file("a.fst")).size(), 500U);
  EXPECT_TRUE(bytes(file("a.fst")) == bytes(file("b.fst")));
}

TEST_F(FstRecorderTest, FileThatCannotBeOpenedIsNamed) {
  const std::string path = file("missing/t.fst");
  try {
    FstRecorder r(testing::context(), path);
    FAIL() << "opened a file in a folder that does not exist";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("No such file"), std::string::npos) << error.what();
  }
}

TEST_F(FstRecorderTest, WithdrawnValuesDoNotHappen) {
  {
    FstRecorder r(testing::context(), file());
    const auto v = r.add_vector("s", "v", 4);
    const auto other = r.add_vector("s", "other", 4);
    const auto text = r.add_text("s", "text");
    simulate(
        [&] {
          for (unsigned i = 1; i < 10; ++i) {
            r.set(v, Picoseconds(1000 * i), i);
            r.set(other, Picoseconds(1000 * i), i);
            r.set_text(text, Picoseconds(1000 * i), std::to_string(i));
          }
          wait_until(2_ns);
          r.withdraw(v, 5_ns);
          r.withdraw(text, 3_ns);
          r.set(v, 6_ns, 15);
          r.set_text(text, 7_ns, "later");
          wait_until(20_ns);
        },
        limit());
  }
  const Waves w = read_waves(file());
  EXPECT_EQ(w.changes.at("s.v"),
            (Changes{{0, "0000"}, {1000, "0001"}, {2000, "0010"}, {3000, "0011"}, {4000, "0100"}, {6000, "1111"}}));
  EXPECT_EQ(w.changes.at("s.other").size(), 10U);
  EXPECT_EQ(w.changes.at("s.text"), (Changes{{0, ""}, {1000, "1"}, {2000, "2"}, {7000, "later"}}));
}

TEST_F(FstRecorderTest, BadDeclarationsAreRefused) {
  EXPECT_THROW(FstRecorder(testing::context(), file(), {2_ns, 2_ns}), std::invalid_argument);
  FstRecorder r(testing::context(), file());
  const auto bit = r.add_bit("s", "bit");
  EXPECT_THROW(r.add_vector("s", "bit", 3), std::invalid_argument);
  EXPECT_THROW(r.add_vector("s", "v", 0), std::invalid_argument);
  EXPECT_THROW(r.add_vector("s", "v", 65), std::invalid_argument);
  EXPECT_THROW(r.add_bit("s..t", "a"), std::invalid_argument);
  EXPECT_THROW(r.add_bit("", "a"), std::invalid_argument);
  EXPECT_THROW(r.add_bit("s", "a[1]"), std::invalid_argument);
  EXPECT_THROW(r.add_enum("s", "e", {}), std::invalid_argument);
  EXPECT_THROW(r.add_enum("s", "e", {"a", ""}), std::invalid_argument);
  simulate(
      [&] {
        r.set(bit, 1_ns, 1);
        wait_until(2_ns);
        r.set(bit, 2_ns, 0);
      },
      limit());
  EXPECT_THROW(r.add_bit("s", "late"), std::logic_error);
}

TEST_F(FstRecorderTest, BadValuesAreReportedAndNotRecorded) {
  {
    FstRecorder r(testing::context(), file());
    const auto v = r.add_vector("s", "v", 4);
    const auto e = r.add_enum("s", "e", {"a", "b", "c"});
    const auto real = r.add_real("s", "real");
    const auto text = r.add_text("s", "text");
    expect_reports(true);
    const auto rejected = [&](auto&& call) {
      call();
      EXPECT_EQ(reports_seen(), 1U);
    };
    simulate(
        [&] {
          wait_until(10_ns);
          r.set(v, 10_ns, 15);
          r.set(e, 10_ns, 2);
          EXPECT_EQ(reports_seen(), 0U);
          rejected([&] { r.set(v, 10_ns - 1_ps, 1); });
          rejected([&] { r.set(v, 11_ns, 16); });
          rejected([&] { r.set(e, 11_ns, 3); });
          rejected([&] { r.set(real, 11_ns, 3); });
          rejected([&] { r.set_real(v, 11_ns, 3); });
          rejected([&] { r.set_text(e, 11_ns, "a"); });
          rejected([&] { r.set_real(text, 11_ns, 1); });
          rejected([&] { r.set(99, 11_ns, 1); });
          wait_until(20_ns);
        },
        limit());
  }
  const Waves w = read_waves(file());
  EXPECT_EQ(w.changes.at("s.v"), (Changes{{0, "0000"}, {10000, "1111"}}));
  EXPECT_EQ(w.changes.at("s.e"), (Changes{{0, "00"}, {10000, "10"}}));
}

TEST_F(FstRecorderTest, BlankTimeBehindTheEndIsInTheFileOnly) {
  FstRecorder r(testing::context(), file());
  const auto bit = r.add_bit("ssd.a", "bit");
  simulate(
      [&] {
        r.set(bit, tlm_if::kernel_time(), 1);
        wait_until(50_ns);
      },
      limit());
  const Picoseconds end = tlm_if::kernel_time();
  r.close(300_ns);
  EXPECT_EQ(r.last_time(), end);
  EXPECT_EQ(testing::read_waves(file()).end, static_cast<std::uint64_t>((end + 300_ns).count()));
}

TEST_F(FstRecorderTest, AFileThatIsCutIsAnError) {
  // As on a full disk: what lies beyond the limit is not written, and the writer does not say so.
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit_before{};
  getrlimit(RLIMIT_FSIZE, &limit_before);
  FstRecorder r(testing::context(), file());
  const auto wide = r.add_vector("ssd.a", "vector", 64);
  simulate(
      [&] {
        for (unsigned i = 0; i < 2000; ++i) {
          r.set(wide, tlm_if::kernel_time(), keyed_hash(7, i));
          wait_until(tlm_if::kernel_time() + 5_ns);
        }
      },
      limit());
  const rlimit small{4096, limit_before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(r.close(), std::runtime_error);
  setrlimit(RLIMIT_FSIZE, &limit_before);
  EXPECT_TRUE(r.closed());
}

}  // namespace
}  // namespace wordline::observe::fst_recorder_test
