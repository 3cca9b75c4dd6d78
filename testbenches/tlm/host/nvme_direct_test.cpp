// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// host.model = direct, and what the recorder sees.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using data::BlockStamp;
using data::SectorToken;

struct Direct {
  explicit Direct(NvmeBench& b) : bench(b) {}
  bool submit(std::uint8_t opcode, std::uint64_t slba, std::uint32_t blocks, std::vector<std::uint64_t> pages) {
    host::DirectCommand command;
    command.cid = cid;
    command.opcode = opcode;
    command.slba = slba;
    command.blocks = blocks;
    command.pages = pages.data();
    command.page_count = static_cast<std::uint32_t>(pages.size());
    bench.stages.submitted(1, cid, tlm_if::now());
    const bool taken = bench.controller.submit(command);
    if (taken) ++cid;
    return taken;
  }
  NvmeBench& bench;
  std::uint16_t cid = 0;
};

void ready(NvmeBench& bench) {
  bench.firmware_ready();
  pass(1_ns);
  EXPECT_EQ(bench.direct_ready, 1U);
}

TEST(NvmeDirectTest, CommandIsThereAtOnceAndDataStillMove) {
  NvmeBench bench;
  play([&] {
    ready(bench);
    Direct direct(bench);
    const std::uint64_t page = bench.memory.allocate();
    bench.buffer.slot(0) = SectorToken::uniform(Lpn(2), 8);
    const Picoseconds start = tlm_if::now();
    ASSERT_TRUE(direct.submit(nvme::kRead, 16, 8, {page}));
    const wl_host_event event = bench.event();
    EXPECT_EQ(tlm_if::now(), start);
    EXPECT_EQ(event.slba, 16U);
    bench.run_job(job_of(WL_JOB_DMA_OUT, event, 0, 1, WL_JOB_THEN_COMPLETE | WL_JOB_NOTIFY_QUIET));
    sc_core::wait(bench.direct_event);
    EXPECT_EQ(tlm_if::now(), start + 1074_ns + 4480_ns);  // DRAM, wire; no entry, no message
    ASSERT_EQ(bench.direct_done.size(), 1U);
    EXPECT_EQ(bench.direct_done[0].cid, 0);
    EXPECT_EQ(bench.direct_done[0].status, nvme::kSuccess);
    EXPECT_EQ(bench.memory.page(page)[7], BlockStamp(Lba(23), 8));
    EXPECT_EQ(bench.event().type, WL_EVENT_DMA_DONE);
    EXPECT_TRUE(bench.interrupts.empty());
    EXPECT_EQ(bench.link.busy(host::Direction::kDownstream).uses, 0U);
    EXPECT_EQ(bench.controller.tags_in_use(), 0U);
  });
}

TEST(NvmeDirectTest, WriteOverManyPages) {
  NvmeBench bench;
  play([&] {
    ready(bench);
    Direct direct(bench);
    std::vector<std::uint64_t> pages;
    for (unsigned i = 0; i < 4; ++i) {
      pages.push_back(bench.memory.allocate());
      for (unsigned b = 0; b < 8; ++b) bench.memory.page(pages[i])[b] = BlockStamp(Lba(8 * i + b), 5);
    }
    ASSERT_TRUE(direct.submit(nvme::kWrite, 0, 32, pages));
    const wl_host_event event = bench.event();
    bench.run_job(job_of(WL_JOB_DMA_IN, event, 7, 4, WL_JOB_NOTIFY));
    EXPECT_EQ(bench.event().count, 4U);
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(bench.buffer.slot(7 + i), SectorToken::uniform(Lpn(i), 5));
    bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0));
    sc_core::wait(bench.direct_event);
    EXPECT_EQ(bench.direct_done.size(), 1U);
  });
}

TEST(NvmeDirectTest, NoTagNoCommand) {
  config::Config config = nvme_bench_config();
  config.nvme.tags = 2;
  NvmeBench bench(config);
  play([&] {
    Direct direct(bench);
    host::DirectCommand early;
    early.opcode = nvme::kFlush;
    EXPECT_FALSE(bench.controller.submit(early));  // the firmware is not ready
    ready(bench);
    EXPECT_TRUE(direct.submit(nvme::kFlush, 0, 0, {}));
    EXPECT_TRUE(direct.submit(nvme::kFlush, 0, 0, {}));
    host::DirectCommand third;
    third.opcode = nvme::kFlush;
    third.cid = 99;
    EXPECT_FALSE(bench.controller.submit(third));
    bench.run_job(job_of(WL_JOB_COMPLETE, bench.event(), 0, 0));
    sc_core::wait(bench.direct_event);
    EXPECT_TRUE(direct.submit(nvme::kFlush, 0, 0, {}));
  });
}

TEST(NvmeDirectTest, ErrorsHaveTheirStatus) {
  NvmeBench bench;
  play([&] {
    ready(bench);
    Direct direct(bench);
    const std::uint64_t page = bench.memory.allocate(3);
    ASSERT_TRUE(direct.submit(nvme::kRead, 8192, 1, {page}));
    ASSERT_TRUE(direct.submit(nvme::kRead, 0, 16, {page}));                               // a page is missing
    ASSERT_TRUE(direct.submit(nvme::kRead, 0, 24, {page, page + 4096, page + 8192 + 512}));
    ASSERT_TRUE(direct.submit(nvme::kRead, 0, 8, {}));
    ASSERT_TRUE(direct.submit(0x33, 0, 8, {page}));
    EXPECT_TRUE(bench.direct_done.empty());  // never inside submit()
    pass(1_ns);
    const nvme::Status expected[] = {nvme::kLbaOutOfRange, nvme::kInvalidField, nvme::kPrpOffsetInvalid,
                                     nvme::kInvalidField, nvme::kInvalidOpcode};
    ASSERT_EQ(bench.direct_done.size(), std::size(expected));
    for (std::size_t i = 0; i < std::size(expected); ++i) {
      EXPECT_EQ(bench.direct_done[i].status, expected[i] | nvme::kDnr) << i;
    }
    EXPECT_FALSE(bench.has_event());
  });
}

TEST(NvmeDirectTest, Deallocate) {
  NvmeBench bench;
  play([&] {
    ready(bench);
    Direct direct(bench);
    const std::uint64_t list = bench.memory.allocate();
    const nvme::DsmRange ranges[] = {{0, 8, 16}, {0, 24, 800}};
    bench.memory.write(list, ranges, sizeof ranges);
    ASSERT_TRUE(direct.submit(nvme::kDatasetManagement, 0, 2, {list}));
    EXPECT_EQ(bench.event().slba, 16U);
    const wl_host_event last = bench.event();
    EXPECT_EQ(last.blocks, 24U);
    EXPECT_EQ(last.flags, WL_EVENT_LAST);
    bench.run_job(job_of(WL_JOB_COMPLETE, last, 0, 0));
    sc_core::wait(bench.direct_event);
    EXPECT_EQ(bench.direct_done[0].status, nvme::kSuccess);
  });
}

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
    EXPECT_GE(change.at, tlm_if::now());
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
    const Picoseconds start = tlm_if::now();
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
}  // namespace wordline::testing
