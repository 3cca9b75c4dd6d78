// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The thread that writes a waveform: the file is that of a recorder without one, and what the writer throws comes back.
#include "tlm/observe/wave_thread.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/units/keyed_random.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/observe/fst_file.h"
#include "tlm/observe/fst_recorder.h"
#include "tlm/observe/recorder_pair.h"

namespace wordline::observe::wave_thread_test {
namespace {

std::string bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Random values of every kind, some far ahead, some taken back.
void play(tlm_if::RecorderIf& r) {
  std::vector<FstRecorder::Signal> vectors;
  for (unsigned i = 0; i < 8; ++i) vectors.push_back(r.add_vector("s", "v" + std::to_string(i), 64));
  const auto text = r.add_text("s", "text");
  const auto real = r.add_real("s", "real");
  for (std::uint64_t step = 0; step < 30'000; ++step) {
    const std::uint64_t h = keyed_hash(11, step);
    const Picoseconds at = tlm_if::kernel_time() + Picoseconds(static_cast<std::int64_t>(h >> 40 & 0xfffU));
    if (h % 5 == 0) {
      r.set_text(text, at, std::string(h >> 8 & 15U, static_cast<char>('a' + (h >> 16) % 26)));
    } else if (h % 5 == 1) {
      r.set_real(real, at, static_cast<double>(h >> 50));
    } else {
      r.set(vectors[h >> 8 & 7U], at, h >> 55);
    }
    if (h % 97 == 0) r.withdraw(vectors[h >> 20 & 7U], at);
    if (h % 101 == 0) r.withdraw(text, at);
    if (h % 3 == 0) sc_core::wait(static_cast<double>(h >> 30 & 255U), sc_core::SC_PS);
  }
}

TEST(WaveThreadTest, TheFileIsThatOfARecorderWithoutAThread) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / ("wordline_wave_thread_" + std::to_string(::getpid()))).string();
  std::filesystem::create_directories(folder);
  const std::string with = folder + "/with.fst", without = folder + "/without.fst";
  FstRecorder threaded(testing::context(), with);
  FstRecorder plain(testing::context(), std::make_unique<FstFile>(without), without, {});
  RecorderPair both(threaded, plain);
  testing::simulate([&] { play(both); }, {1, sc_core::SC_SEC});
  threaded.close();
  plain.close();
  EXPECT_GT(bytes(with).size(), 50'000U);
  EXPECT_TRUE(bytes(with) == bytes(without));
  EXPECT_EQ(threaded.last_time(), plain.last_time());
  std::filesystem::remove_all(folder);
}

/// Every number at both ends of a short record, in any order.
TEST(WaveChangesTest, ComeOutAsTheyWereGiven) {
  constexpr std::uint64_t kEnds[] = {0, 1, 0xfffffffe, 0xffffffff, 0x100000000, ~std::uint64_t{0} >> 2U};
  constexpr std::uint32_t kSignals[] = {0, 1, (1U << 29U) - 1};
  WaveChanges changes;
  for (unsigned round = 0; round < 2; ++round) {
    struct Given {
      WaveChange change;
      std::string text;
    };
    std::vector<Given> all;
    std::int64_t given = 0;
    for (unsigned i = 0; i < 5000; ++i) {
      const std::uint64_t h = keyed_hash(5, round, i);
      if (h % 31 == 0) given += static_cast<std::int64_t>(kEnds[h >> 8 & 3U]);
      if (h % 997 == 0) given += std::int64_t{1} << 40;
      const Picoseconds now(given), at(given + static_cast<std::int64_t>(kEnds[(h >> 16) % 6]));
      const std::uint32_t signal = kSignals[(h >> 24) % 3];
      const std::uint64_t value = h % 7 == 0 ? ~std::uint64_t{0} : kEnds[(h >> 32) % 6];
      const std::string text(h >> 40 & 7U, 't');
      if (h % 3 == 0) {
        changes.add(signal, now, at, value);
        all.push_back({{signal, false, now, at, value, {}}, {}});
      } else if (h % 3 == 1) {
        changes.add_text(signal, now, at, text);
        all.push_back({{signal, false, now, at, text.size(), {}}, text});
      } else {
        changes.withdraw(signal, now, at);
        all.push_back({{signal, true, now, at, 0, {}}, {}});
      }
    }
    std::size_t i = 0;
    changes.for_each([&](const WaveChange& c) {
      ASSERT_LT(i, all.size());
      const WaveChange& e = all[i].change;
      EXPECT_EQ(c.signal, e.signal) << i;
      EXPECT_EQ(c.withdrawn, e.withdrawn) << i;
      EXPECT_EQ(c.given, e.given) << i;
      EXPECT_EQ(c.at, e.at) << i;
      EXPECT_EQ(c.value, e.value) << i;
      EXPECT_EQ(c.text, all[i].text) << i;
      ++i;
    });
    EXPECT_EQ(i, all.size());
    changes.clear();
    EXPECT_EQ(changes.size(), 0U);
  }
}

/// Full after so many values.
class FullFile final : public WaveFile {
 public:
  explicit FullFile(unsigned room) : room_(room) {}
  void declare(const std::vector<WaveSignal>&) override {}
  void time(std::uint64_t) override {}
  void bits(std::uint32_t, unsigned, std::uint64_t) override {
    if (room_-- == 0) throw std::runtime_error("full");
  }
  void real(std::uint32_t, double) override {}
  void text(std::uint32_t, std::string_view) override {}
  void close() override {}

 private:
  unsigned room_;
};

TEST(WaveThreadTest, WhatTheWriterThrowsComesBack) {
  const std::vector<WaveSignal> signals{{"s", "v", SignalKind::kVector, 32, {}}};
  WaveWriter writer(std::make_unique<FullFile>(100), {WaveWindow()}, signals);
  WaveThread thread(writer);
  std::uint64_t given = 0;
  const auto give = [&] {
    WaveChanges changes;
    for (unsigned i = 0; i < 50; ++i) {
      ++given;
      const Picoseconds at(static_cast<std::int64_t>(given));
      changes.add(0, at, at, given);
    }
    thread.give(changes);
    EXPECT_EQ(changes.size(), 0U);
  };
  give();
  thread.wait();
  EXPECT_THROW(
      {
        // More than may wait, so giving ends, too, when nobody takes.
        for (unsigned i = 0; i < 1000; ++i) give();
      },
      std::runtime_error);
  EXPECT_THROW(thread.wait(), std::runtime_error);
}

}  // namespace
}  // namespace wordline::observe::wave_thread_test
