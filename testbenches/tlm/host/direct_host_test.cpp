// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// host.model = direct: a user of the data mover without a protocol.
#include <gtest/gtest.h>

#include <vector>

#include "testbenches/tlm/host/drive_bench.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/direct/direct_host.h"
#include "tlm/device/dma/host_memory_initiator.h"
#include "tlm/device/nvme/nvme.h"
#include "tlm/host/memory/host_memory_target.h"

namespace wordline::testing::direct_host_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;
using data::LbaStamp;
using data::LpageToken;

/// The drive's end of host.model = direct, with the test as driver and as firmware.
class DirectBench final : public DriveBench, public host::HostPathClientIf {
 public:
  struct Done {
    std::uint16_t cid;
    host::CommandStatus status;
    Picoseconds at;
  };

  explicit DirectBench(const config::Config& config = nvme_bench_config(),
                       const sc_core::sc_module_name& name = "bench")
      : DriveBench(config, nullptr, name), direct("direct", testing::context(), this->config, kLpages, nullptr) {
    attach(direct, memory);
    direct.connect(*this);
  }
  void ready(std::uint32_t max_nlb) override {
    ++direct_ready;
    EXPECT_EQ(max_nlb, config.nvme.max_transfer_lpages * 8);
  }
  void completed(std::uint32_t /*pair*/, std::uint16_t id, host::CommandStatus status, Picoseconds at) override {
    EXPECT_EQ(at, tlm_if::kernel_time());
    stages.finish(host::kDriverQueue, id, at, WL_WAITER_READ);
    direct_done.push_back({id, status, at});
    direct_event.notify(sc_core::SC_ZERO_TIME);
  }

  host::DirectHost direct;
  std::vector<Done> direct_done;
  unsigned direct_ready = 0;
  sc_core::sc_event direct_event;
};

struct Direct {
  explicit Direct(DirectBench& b) : bench(b) {}
  bool submit(std::uint8_t opcode, std::uint64_t slba, std::uint32_t nlb, std::vector<std::uint64_t> pages) {
    host::PathCommand command;
    command.id = cid;
    command.op = static_cast<host::Operation>(opcode);
    command.slba = slba;
    command.nlb = nlb;
    command.pages = pages.data();
    command.page_count = static_cast<std::uint32_t>(pages.size());
    bench.stages.submitted(host::kDriverQueue, cid, tlm_if::kernel_time());
    const bool taken = bench.direct.submit(command);
    if (taken) ++cid;
    return taken;
  }
  DirectBench& bench;
  std::uint16_t cid = 0;
};

void ready(DirectBench& bench) {
  bench.firmware_ready();
  pass(1_ns);
  EXPECT_EQ(bench.direct_ready, 1U);
}

TEST(DirectHostTest, CommandIsThereAtOnceAndDataStillMove) {
  DirectBench bench;
  play([&] {
    ready(bench);
    Direct direct(bench);
    const std::uint64_t page = bench.memory.allocate();
    bench.buffer.slot(0) = LpageToken::uniform(Lpn(2), 8);
    const Picoseconds start = tlm_if::kernel_time();
    ASSERT_TRUE(direct.submit(nvme::kRead, 16, 8, {page}));
    const wl_host_event event = bench.event();
    EXPECT_EQ(tlm_if::kernel_time(), start);
    EXPECT_EQ(event.slba, 16U);
    bench.run_job(job_of(WL_JOB_DMA_OUT, event, 0, 1, WL_JOB_THEN_COMPLETE | WL_JOB_NOTIFY_QUIET));
    sc_core::wait(bench.direct_event);
    EXPECT_EQ(tlm_if::kernel_time(), start + 1074_ns + 4480_ns);  // DRAM, wire; no entry, no message
    ASSERT_EQ(bench.direct_done.size(), 1U);
    EXPECT_EQ(bench.direct_done[0].cid, 0);
    EXPECT_EQ(bench.direct_done[0].status, nvme::kSuccess);
    EXPECT_EQ(bench.memory.page(page)[7], LbaStamp(Lba(23), 8));
    EXPECT_EQ(bench.event().type, WL_EVENT_DMA_DONE);
    EXPECT_EQ(bench.link.busy(host::Direction::kDownstream).uses, 0U);
    EXPECT_EQ(bench.direct.tags_in_use(), 0U);
  });
}

TEST(DirectHostTest, WriteOverManyPages) {
  DirectBench bench;
  play([&] {
    ready(bench);
    Direct direct(bench);
    std::vector<std::uint64_t> pages;
    for (unsigned i = 0; i < 4; ++i) {
      pages.push_back(bench.memory.allocate());
      for (unsigned b = 0; b < 8; ++b) bench.memory.page(pages[i])[b] = LbaStamp(Lba(8 * i + b), 5);
    }
    ASSERT_TRUE(direct.submit(nvme::kWrite, 0, 32, pages));
    const wl_host_event event = bench.event();
    bench.run_job(job_of(WL_JOB_DMA_IN, event, 7, 4, WL_JOB_NOTIFY));
    EXPECT_EQ(bench.event().count, 4U);
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(bench.buffer.slot(7 + i), LpageToken::uniform(Lpn(i), 5));
    bench.run_job(job_of(WL_JOB_COMPLETE, event, 0, 0));
    sc_core::wait(bench.direct_event);
    EXPECT_EQ(bench.direct_done.size(), 1U);
  });
}

TEST(DirectHostTest, NoTagNoCommand) {
  config::Config config = nvme_bench_config();
  config.nvme.tags = 2;
  DirectBench bench(config);
  play([&] {
    Direct direct(bench);
    EXPECT_FALSE(bench.direct.submit({}));  // the firmware is not ready
    ready(bench);
    EXPECT_TRUE(direct.submit(nvme::kFlush, 0, 0, {}));
    EXPECT_TRUE(direct.submit(nvme::kFlush, 0, 0, {}));
    host::PathCommand third;
    third.id = 99;
    EXPECT_FALSE(bench.direct.submit(third));
    bench.run_job(job_of(WL_JOB_COMPLETE, bench.event(), 0, 0));
    sc_core::wait(bench.direct_event);
    EXPECT_TRUE(direct.submit(nvme::kFlush, 0, 0, {}));
  });
}

TEST(DirectHostTest, ErrorsHaveTheirStatus) {
  DirectBench bench;
  play([&] {
    ready(bench);
    Direct direct(bench);
    const std::uint64_t page = bench.memory.allocate(3);
    ASSERT_TRUE(direct.submit(nvme::kRead, 8192, 1, {page}));
    ASSERT_TRUE(direct.submit(nvme::kRead, 0, 16, {page}));  // a page is missing
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

TEST(DirectHostTest, Deallocate) {
  DirectBench bench;
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

TEST(DirectHostTest, ForceUnitAccessReachesTheFirmware) {
  DirectBench bench;
  play([&] {
    ready(bench);
    const std::uint64_t page = bench.memory.allocate();
    host::PathCommand command;
    command.op = host::Operation::kWrite;
    command.fua = true;
    command.nlb = 8;
    command.pages = &page;
    command.page_count = 1;
    bench.stages.submitted(host::kDriverQueue, 0, tlm_if::kernel_time());
    ASSERT_TRUE(bench.direct.submit(command));
    EXPECT_EQ(bench.event().flags, WL_EVENT_FUA | WL_EVENT_LAST);
  });
}

TEST(DirectHostTest, NothingToParseForTheFirmware) {
  expect_reports(true);
  DirectBench bench(unparsed_config());
  play([&] {
    ready(bench);
    EXPECT_FALSE(bench.direct.submit({}));
    EXPECT_EQ(reports_seen(), 1U);
  });
}

// Nothing would order a completion behind its data.
TEST(DirectHostTest, HostMemoryThatTakesTimeIsRefused) {
  expect_reports(true);
  DriveBench bench(nvme_bench_config(), nullptr, "bench");
  host::HostMemoryInitiator bridge("bridge", testing::context());
  host::HostMemoryTarget target("target", bench.memory);
  bridge.socket.bind(target.socket);
  host::DirectHost direct("direct", testing::context(), bench.config, DriveBench::kLpages, nullptr);
  bench.attach(direct, bridge);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  EXPECT_EQ(reports_seen(), 1U);
  EXPECT_NE(last_report().find("host memory has to answer at once; set host.model = nvme"), std::string::npos)
      << last_report();
}

}  // namespace
}  // namespace wordline::testing::direct_host_test
