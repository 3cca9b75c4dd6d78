// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the recorder sees of a controller and its link.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "testbenches/tlm/host/nvme_bench.h"

namespace wordline::testing::nvme_recorder_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

// Keeps what it is given, by name.
class Recorded final : public tlm_if::RecorderIf {
 public:
  struct Change {
    Picoseconds at;
    std::uint64_t value;
    std::string text;
  };
  Signal add_enum(std::string_view scope, std::string_view name, std::initializer_list<std::string_view>) override {
    return add(scope, name);
  }
  Signal add_bit(std::string_view scope, std::string_view name) override { return add(scope, name); }
  Signal add_vector(std::string_view scope, std::string_view name, unsigned) override { return add(scope, name); }
  Signal add_text(std::string_view scope, std::string_view name) override { return add(scope, name); }
  Signal add_real(std::string_view scope, std::string_view name) override { return add(scope, name); }
  void set(Signal signal, Picoseconds at, std::uint64_t value) override { put(signal, {at, value, ""}); }
  void set_real(Signal signal, Picoseconds at, double) override { put(signal, {at, 0, ""}); }
  void set_text(Signal signal, Picoseconds at, std::string_view text) override {
    put(signal, {at, 0, std::string(text)});
  }
  [[nodiscard]] bool active() const override { return on; }

  std::vector<Change>& of(const std::string& name) { return changes_[name]; }
  bool on = true;

 private:
  Signal add(std::string_view scope, std::string_view name) {
    names_.push_back(std::string(scope) + "." + std::string(name));
    return static_cast<Signal>(names_.size() - 1);
  }
  void put(Signal signal, Change change) {
    EXPECT_GE(change.at, tlm_if::kernel_time());
    changes_[names_.at(signal)].push_back(std::move(change));
  }
  std::vector<std::string> names_;
  std::map<std::string, std::vector<Change>> changes_;
};

TEST(NvmeRecorderTest, CommandsLevelsAndLink) {
  Recorded recorder;
  NvmeBench bench(nvme_bench_config(), &recorder);
  play([&] {
    bench.bring_up();
    auto& up = recorder.of("ssd.host.link_upstream");
    up.clear();
    const std::uint64_t page = bench.memory.allocate();
    const Picoseconds start = tlm_if::kernel_time();
    const std::uint16_t cid = bench.submit(1, io(nvme::kRead, 0x100, 8, page));
    bench.run_job(job_of(WL_JOB_ZERO_OUT, bench.event(), 0, 1, WL_JOB_THEN_COMPLETE));
    bench.completion(1);
    auto& commands = recorder.of("ssd.host.command");
    ASSERT_EQ(commands.size(), 1U);
    EXPECT_EQ(commands[0].text, "READ lba 0x100 +8 q1 cid " + std::to_string(cid));
    EXPECT_EQ(commands[0].at, start + 640_ns);
    EXPECT_EQ(recorder.of("ssd.host.tag_level").back().value, 1U);
    EXPECT_EQ(recorder.of("ssd.host.event_ring_level").front().value, 1U);
    // Fetch request 128..152; data, entry and message without a gap 640..5188.
    std::map<std::int64_t, std::uint64_t> level;
    for (const auto& change : up) level[change.at.count()] = change.value;
    EXPECT_EQ(level.at((start + 128_ns).count()), 1U);
    EXPECT_EQ(level.at((start + 152_ns).count()), 0U);
    EXPECT_EQ(level.at((start + 640_ns).count()), 1U);
    EXPECT_EQ(level.at((start + 5120_ns).count()), 1U);
    EXPECT_EQ(level.at((start + 5188_ns).count()), 0U);
    recorder.on = false;
    bench.submit(1, io(nvme::kRead, 0x100, 8, page));
    bench.event();
    EXPECT_EQ(commands.size(), 1U);
  });
}

}  // namespace
}  // namespace wordline::testing::nvme_recorder_test
