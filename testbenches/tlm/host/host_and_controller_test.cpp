// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Driver, link and controller together, over a firmware that keeps every logical page in a buffer slot of its own. The
// oracle checks every read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "models/units/keyed_random.h"
#include "models/workload/source.h"
#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/host_interfaces.h"
#include "tlm/host/driver/host_driver.h"
#include "tlm/host/host_ends.h"

namespace wordline::testing {
namespace {

namespace nvme = host::nvme;
namespace regs = registers::nvme;
using namespace wordline::literals;

constexpr std::uint32_t kLpages = 512;

/// Random requests of every kind, aligned and not, over a small drive: they overlap in time and place.
class RandomSource final : public workload::Source {
 public:
  RandomSource(std::uint64_t requests, unsigned depth, unsigned jobs = 1)
      : requests_(requests), depth_(depth), jobs_(jobs) {}
  [[nodiscard]] unsigned jobs() const override { return jobs_; }
  [[nodiscard]] unsigned depth(unsigned /*job*/) const override { return depth_; }
  [[nodiscard]] bool open_loop() const override { return false; }
  bool next(unsigned job, Picoseconds now, workload::Request& out) override {
    if (given_ == requests_) return false;
    const std::uint64_t i = given_++;
    const auto draw = [i](std::uint64_t what, std::uint64_t below) { return keyed_hash(77, what, i) % below; };
    out = {};
    out.job = job;
    const std::uint64_t kind = draw(1, 20);
    out.op = kind < 9    ? workload::Op::kRead
             : kind < 18 ? workload::Op::kWrite
             : kind < 19 ? workload::Op::kTrim
                         : workload::Op::kFlush;
    const bool aligned = draw(2, 2) == 0;
    const std::uint64_t nlb = draw(3, 8) == 0 ? 1 + draw(4, 400) : 1 + draw(5, 24);
    out.nlb = static_cast<std::uint32_t>(aligned ? (nlb + 7) / 8 * 8 : nlb);
    const std::uint64_t last = kLpages * 8ULL - out.nlb;
    out.lba = Lba(aligned ? draw(6, last / 8 + 1) * 8 : draw(6, last + 1));
    if (out.op == workload::Op::kFlush) out.nlb = 0;
    out.arrival = now;
    return true;
  }
  [[nodiscard]] std::uint64_t total_requests() const override { return requests_; }
  [[nodiscard]] std::uint64_t total_bytes() const override { return 0; }
  [[nodiscard]] std::string describe() const override { return "random"; }

 private:
  std::uint64_t requests_;
  unsigned depth_, jobs_;
  std::uint64_t given_ = 0;
};

/// Firmware without flash: slot i of the data buffer is logical page i.
class SlotFirmware : public sc_core::sc_module, public tlm_if::InterruptIf {
 public:
  static constexpr std::uint32_t kEvents = 1024, kJobs = 128;
  static constexpr std::uint32_t kEventRing = WL_TCM_BASE + 0x1000, kJobRing = WL_TCM_BASE + 0x20000,
                                 kAdmin = WL_TCM_BASE + 0x30000;

  SlotFirmware(const sc_core::sc_module_name& name, memory::Tcm& tcm, memory::DataBuffer& buffer)
      : sc_module(name), tcm_(tcm), buffer_(buffer) {
    SC_HAS_PROCESS(SlotFirmware);
    SC_METHOD(boot);
  }
  tlm_utils::simple_initiator_socket<SlotFirmware> socket{"socket"};
  std::uint64_t dma_done = 0;

  void raise(unsigned /*source*/) override {
    auto* ring = reinterpret_cast<wl_ring*>(tcm_.at(kEventRing, WL_RING_ENTRIES));
    while (ring->consumed != ring->produced) {
      wl_host_event event;
      const std::uint32_t at = ring->consumed % kEvents * sizeof event;
      std::memcpy(&event, tcm_.at(kEventRing + WL_RING_ENTRIES + at, sizeof event), sizeof event);
      ring->consumed = ring->consumed + 1;
      serve(event);
    }
    std::uint32_t produced = jobs()->produced;
    // Between 200 and 1199 ns of work; doorbells arrive in order.
    const Picoseconds now = tlm_if::kernel_time();
    rung_ =
        std::max(rung_, now + Picoseconds(200'000 + static_cast<std::int64_t>(keyed_hash(5, produced) % 1'000'000)));
    access(regs::job_doorbell, produced, rung_ - now);
  }

 private:
  void boot() {
    const std::uint32_t writes[][2] = {{regs::event_ring_base, kEventRing},
                                       {regs::event_ring_size, kEvents},
                                       {regs::job_ring_base, kJobRing},
                                       {regs::job_ring_size, kJobs},
                                       {regs::admin_entry, kAdmin},
                                       {regs::admin_page, kAdmin + 64},
                                       {regs::control, 1}};
    for (const auto& write : writes) access(write[0], write[1], 5_us);
  }
  void access(std::uint32_t offset, std::uint32_t value, Picoseconds after) {
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay = tlm_if::to_sc_time(after);
    socket->b_transport(payload, delay);
    EXPECT_TRUE(payload.is_response_ok());
  }
  wl_ring* jobs() { return reinterpret_cast<wl_ring*>(tcm_.at(kJobRing, WL_RING_ENTRIES)); }
  void push(const wl_host_job& job) {
    wl_ring* ring = jobs();
    ASSERT_LT(ring->produced - ring->consumed, kJobs);
    std::memcpy(tcm_.at(kJobRing + WL_RING_ENTRIES + ring->produced % kJobs * sizeof job, sizeof job), &job,
                sizeof job);
    ring->produced = ring->produced + 1;
  }
  void clear(std::uint64_t slba, std::uint32_t nlb) {
    for (std::uint64_t lba = slba; lba < slba + nlb; ++lba) {
      data::LpageToken& slot = buffer_.slot(static_cast<std::uint32_t>(lba / 8));
      data::LpageStamps content = buffer_.pool().expand(slot);
      content[lba % 8] = {};
      slot = buffer_.pool().intern(content);
    }
  }
  void serve(const wl_host_event& event) {
    if (event.type == WL_EVENT_DMA_DONE) {
      ++dma_done;
      return;
    }
    const auto first = static_cast<std::uint32_t>(event.slba / 8);
    const auto count = static_cast<std::uint16_t>((event.slba + event.blocks + 7) / 8 - first);
    switch (event.opcode) {
      case nvme::kRead:
        // In two jobs when it is long: the entry follows both.
        if (count > 4) push(job_of(WL_JOB_DMA_OUT, event, first, 2, WL_JOB_NOTIFY));
        push(job_of(WL_JOB_DMA_OUT, event, count > 4 ? first + 2 : first, count > 4 ? count - 2 : count,
                    WL_JOB_THEN_COMPLETE | WL_JOB_NOTIFY_QUIET, count > 4 ? 2 : 0));
        return;
      case nvme::kWrite:
        push(job_of(WL_JOB_DMA_IN, event, first, count, WL_JOB_THEN_COMPLETE | WL_JOB_NOTIFY));
        return;
      case nvme::kDatasetManagement:
      case nvme::kWriteZeroes:
        clear(event.slba, event.blocks);
        if ((event.flags & WL_EVENT_LAST) == 0) return;
        break;
      default:
        break;
    }
    push(job_of(WL_JOB_COMPLETE, event, 0, 0));
  }

  memory::Tcm& tcm_;
  memory::DataBuffer& buffer_;
  Picoseconds rung_{};
};

struct Drive : sc_core::sc_module {
  Drive(const sc_core::sc_module_name& name, workload::Source& source, config::Config given)
      : sc_module(name),
        config(std::move(given)),
        link(testing::context(), config.link),
        oracle(kLpages, false),
        cores(config.host),
        request_statistics(static_cast<std::size_t>(tlm_if::Stage::kCount)),
        tcm("tcm", WL_TCM_BASE, 0x40000),
        dram("dram", testing::context(), config.dram, 4096),
        buffer(kLpages),
        firmware("firmware", tcm, buffer),
        driver("driver", testing::context(), config, kLpages, source, request_statistics, oracle, memory, cores,
               nullptr, {true}),
        interface(host::make_host_interface(testing::context(), config, kLpages, nullptr)),
        end(host::make_host_end({testing::context(), config, kLpages, memory, cores, link, *interface})),
        mover(interface->mover) {
    firmware.socket.bind(mover.register_socket);
    tcm_socket.bind(tcm.socket);
    dram_socket.bind(dram.socket);
    mover.host_memory.bind(memory);
    mover.link.bind(link);
    mover.memory.bind(tcm);
    mover.interrupt.bind(firmware);
    mover.dram.bind(dram);
    mover.buffer.bind(buffer);
    mover.stages.bind(clock);
    driver.stage_clock.bind(clock);
    driver.path.bind(end->path());
  }
  config::Config config;
  host::HostMemory memory;
  host::PcieLink link;
  host::Oracle oracle;
  host::HostCores cores;
  results::RequestStatistics request_statistics;
  observe::StageClock clock{testing::context()};
  memory::Tcm tcm;
  memory::Dram dram;
  memory::DataBuffer buffer;
  SlotFirmware firmware;
  host::HostDriver driver;
  std::unique_ptr<host::HostInterface> interface;
  std::unique_ptr<host::HostEnd> end;
  host::HostDataMover& mover;
  tlm_utils::simple_initiator_socket<Drive> tcm_socket{"tcm_socket"}, dram_socket{"dram_socket"};
};

config::Config configuration(config::HostModel model) {
  config::Config config = nvme_bench_config();
  config.host.model = model;
  config.host.queue_entries = 8;
  config.host.turnaround = 100_ns;
  config.link.bandwidth = BytesPerSecond(3'938'461'538);
  config.nvme.tags = 5;
  return config;
}

void run_random(const config::Config& config, unsigned depth, unsigned jobs = 1) {
  RandomSource source(3000, depth, jobs);
  Drive drive("drive", source, config);
  run_until(sc_core::sc_time(10, sc_core::SC_SEC));
  EXPECT_TRUE(drive.driver.done());
  EXPECT_EQ(drive.driver.counters().completed, 3000U);
  EXPECT_EQ(drive.driver.counters().io_errors, 0U);
  EXPECT_EQ(drive.oracle.mismatches(), 0U);
  EXPECT_GT(drive.oracle.reads_checked(), 1300U);
  EXPECT_EQ(drive.clock.in_flight(), 0U);
  EXPECT_EQ(drive.interface->tags_in_use(), 0U);
  EXPECT_GT(drive.buffer.pool().mixed_count(), 0U);
  EXPECT_GT(drive.firmware.dma_done, 1000U);
  EXPECT_GT(drive.mover.counters().deallocates, 50U);
  EXPECT_EQ(drive.mover.counters().errors, 0U);
}

TEST(HostAndControllerTest, RandomRequestsOneAtATime) { run_random(configuration(config::HostModel::kNvme), 1); }
TEST(HostAndControllerTest, RandomRequestsWithSgls) {
  config::Config config = configuration(config::HostModel::kNvme);
  config.host.data_pointers = config::DataPointers::kSgl;
  run_random(config, 16);
}
TEST(HostAndControllerTest, RandomRequestsWithSglsOfContiguousBuffers) {
  config::Config config = configuration(config::HostModel::kNvme);
  config.host.data_pointers = config::DataPointers::kSgl;
  config.host.buffers = config::Buffers::kContiguous;
  run_random(config, 16);
}
// More than there are queue entries or tags.
TEST(HostAndControllerTest, RandomRequestsMany) { run_random(configuration(config::HostModel::kNvme), 16); }
TEST(HostAndControllerTest, RandomRequestsDirect) { run_random(configuration(config::HostModel::kDirect), 16); }

// Seven jobs on five cores that share three queue pairs, of three classes; fewer tags than commands.
TEST(HostAndControllerTest, RandomRequestsOfSeveralCores) {
  config::Config config = configuration(config::HostModel::kNvme);
  config.host.cores = 5;
  config.host.queue_pairs = 3;
  config.host.arbitration = config::Arbitration::kWeighted;
  config.host.arbitration_burst = 1;
  config.host.weights = {1, 2, 4};
  config.host.priorities = {config::QueuePriority::kUrgent, config::QueuePriority::kLow};
  run_random(config, 5, 7);
}

TEST(HostAndControllerTest, RandomRequestsOfCoresWhoseTimeCounts) {
  config::Config config = configuration(config::HostModel::kNvme);
  config.host.cores = 4;
  config.host.submission_cost = 700_ns;
  config.host.interrupt_cost = 900_ns;
  config.host.completion_cost = 300_ns;
  run_random(config, 6, 4);
}

TEST(HostAndControllerTest, RandomRequestsWithCoalescedInterrupts) {
  config::Config config = configuration(config::HostModel::kNvme);
  config.host.cores = 2;
  config.host.coalescing_entries = 4;
  config.host.coalescing_time = 100_us;
  run_random(config, 6, 4);
}

// Four pairs with 28 commands in flight complete in one queue with room for seven, or in three queues.
TEST(HostAndControllerTest, RandomRequestsWithASharedCompletionQueue) {
  config::Config config = configuration(config::HostModel::kNvme);
  config.host.cores = 4;
  config.host.completion_queues = 1;
  config.nvme.tags = 32;
  run_random(config, 7, 4);
}

TEST(HostAndControllerTest, RandomRequestsWithThreeCompletionQueuesForFourPairs) {
  config::Config config = configuration(config::HostModel::kNvme);
  config.host.cores = 4;
  config.host.completion_queues = 3;
  config.host.interrupt_cost = 900_ns;
  config.host.coalescing_entries = 9;  // more than a queue holds: the time sends the message
  config.host.coalescing_time = 100_us;
  run_random(config, 7, 4);
}

TEST(HostAndControllerTest, RandomRequestsOfPollingCores) {
  config::Config config = configuration(config::HostModel::kNvme);
  config.host.completion = config::HostCompletion::kPolling;
  config.host.cores = 3;
  config.host.completion_queues = 2;
  config.host.submission_cost = 300_ns;
  run_random(config, 7, 5);
}

}  // namespace
}  // namespace wordline::testing
