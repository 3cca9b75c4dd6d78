// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Log pages and feature of the OCP Datacenter NVMe SSD specification: C0h, C3h and C5h.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

#include "models/checks/load.h"
#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/nvme/fields.h"
#include "tlm/device/nvme/latency_monitor.h"

namespace wordline::testing::nvme_ocp_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

constexpr Picoseconds kMillisecond{1'000'000'000};
constexpr std::uint64_t kNoStamp = ~std::uint64_t{0};
enum { kRead = 0, kWrite = 1, kDeallocate = 2 };

/// Latencies of milliseconds, and timers of minutes.
void play_long(const std::function<void()>& body) { simulate(body, sc_core::sc_time(7200, sc_core::SC_SEC)); }

struct Monitor {
  explicit Monitor(NvmeBench& controller) : bench(controller), page(controller.memory.allocate()) {}

  template <class T>
  T get(std::size_t offset) {
    T value{};
    bench.memory.read(page + offset, &value, sizeof value);
    return value;
  }
  nvme::Status log() {
    return admin_status(bench, admin_command(nvme::kGetLogPage, 127U << 16 | nvme::kLogLatencyMonitor, 0, page)) &
           ~nvme::kDnr;
  }
  nvme::Status feature(std::uint8_t opcode, std::uint32_t flags = 0) {
    return admin_status(bench, admin_command(opcode, nvme::kFeatureLatencyMonitor | flags, 0, page)) & ~nvme::kDnr;
  }
  /// Thresholds in units of 5 ms, above the first one.
  nvme::Status set(std::uint16_t timer, std::array<std::uint8_t, 4> thresholds, std::uint8_t window,
                   std::uint8_t status) {
    const std::vector<std::uint8_t> zeros(4096);
    bench.memory.write(page, zeros.data(), zeros.size());
    const std::uint16_t latches = 0xfff;
    bench.memory.write(page, &timer, sizeof timer);
    bench.memory.write(page + 2, thresholds.data(), thresholds.size());
    bench.memory.write(page + 6, &latches, sizeof latches);
    bench.memory.write(page + 8, &window, sizeof window);
    bench.memory.write(page + 12, &status, sizeof status);
    return feature(nvme::kSetFeatures);
  }
  std::uint32_t active(int bucket, int operation) { return get<std::uint32_t>(32 + bucket * 16 + (3 - operation) * 4); }
  std::uint32_t fixed(int bucket, int operation) { return get<std::uint32_t>(240 + bucket * 16 + (3 - operation) * 4); }
  std::uint64_t stamp(int bucket, int operation) {
    return get<std::uint64_t>(96 + ((3 - bucket) * 3 + 2 - operation) * 8);
  }
  std::uint16_t latency(int bucket, int operation) {
    return get<std::uint16_t>(192 + ((3 - bucket) * 3 + 2 - operation) * 2);
  }
  /// A command that the firmware completes after so many milliseconds.
  void run(const nvme::SubmissionEntry& sqe, int milliseconds, nvme::Status status = nvme::kSuccess) {
    bench.submit(1, sqe);
    const wl_host_event event = bench.event();
    pass(Picoseconds(milliseconds * kMillisecond.count()));
    wl_host_job job = job_of(WL_JOB_COMPLETE, event, 0, 0);
    job.status = status;
    bench.run_job(job);
    bench.completion(1);
  }
  nvme::SubmissionEntry read() const { return io(nvme::kRead, 0, 8, page); }
  nvme::SubmissionEntry write() const { return io(nvme::kWrite, 0, 8, page); }

  NvmeBench& bench;
  std::uint64_t page;
};

TEST(NvmeLatencyMonitor, CommandsFallIntoBuckets) {
  NvmeBench bench;
  play_long([&] {
    bench.bring_up();
    Monitor monitor(bench);
    ASSERT_EQ(monitor.set(1, {0, 1, 3, 9}, 0, 5), nvme::kSuccess);  // 5, 10, 20, 50 ms; the last one is latched
    monitor.run(monitor.read(), 4);
    monitor.run(monitor.read(), 5);
    monitor.run(monitor.read(), 9);
    monitor.run(monitor.read(), 10);
    monitor.run(monitor.read(), 19);
    monitor.run(monitor.read(), 300);
    monitor.run(monitor.write(), 20);
    monitor.run(monitor.write(), 51);
    monitor.run(monitor.read(), 60, nvme::kUnrecoveredRead);
    monitor.run(io(nvme::kVerify, 0, 8, 0), 60);
    monitor.run(io(nvme::kFlush, 0, 1, 0), 60);
    monitor.run(io(nvme::kWriteZeroes, 0, 8, 0), 60);
    const nvme::DsmRange range{0, 8, 0};
    bench.memory.write(monitor.page, &range, sizeof range);
    nvme::SubmissionEntry deallocation = io(nvme::kDatasetManagement, 0, 1, monitor.page);
    deallocation.cdw10 = 0;
    deallocation.cdw11 = nvme::kDsmDeallocate;
    monitor.run(deallocation, 12);
    ASSERT_EQ(monitor.log(), nvme::kSuccess);
    const std::uint32_t expected[4][3] = {{2, 0, 0}, {2, 0, 1}, {0, 1, 0}, {1, 1, 0}};
    for (int bucket = 0; bucket < 4; ++bucket)
      for (const int operation : {kRead, kWrite, kDeallocate}) {
        EXPECT_EQ(monitor.active(bucket, operation), expected[bucket][operation]) << bucket << ' ' << operation;
        EXPECT_EQ(monitor.fixed(bucket, operation), 0U);
        EXPECT_EQ(monitor.stamp(bucket, operation) == kNoStamp, expected[bucket][operation] == 0);
      }
    EXPECT_EQ(monitor.latency(0, kRead), 9);
    EXPECT_EQ(monitor.latency(1, kRead), 19);
    EXPECT_EQ(monitor.latency(3, kRead), 300);
    EXPECT_EQ(monitor.latency(1, kDeallocate), 12);
    EXPECT_EQ(monitor.stamp(0, kRead), 4U + 5 + 9) << "milliseconds since power on";
    EXPECT_EQ(monitor.get<std::uint8_t>(0), 5);
    EXPECT_EQ(monitor.get<std::uint16_t>(4), 1);
    EXPECT_EQ(monitor.get<std::uint32_t>(6), 0x09030100U);
    EXPECT_EQ(monitor.get<std::uint16_t>(494), 1);
    EXPECT_EQ(monitor.get<std::uint64_t>(496), 0x9c6c84d08cc07a92U);
    EXPECT_EQ(monitor.get<std::uint64_t>(504), 0x85d45e58d4e64370U);
  });
}

/// The bench cannot have a command end to the picosecond: the monitor by itself.
TEST(NvmeLatencyMonitor, AThresholdBelongsToItsBucket) {
  nvme::LatencyMonitor monitor;  // as at power on: 30, 100, 155 and 235 ms
  host::HostCommand command;
  command.op = host::Operation::kRead;
  command.taken = kMillisecond;
  for (const Picoseconds latency : {30 * kMillisecond - 1_ps, 30 * kMillisecond, 100 * kMillisecond - 1_ps,
                                    100 * kMillisecond, 155 * kMillisecond, 235 * kMillisecond}) {
    monitor.ended(command, true, command.taken + latency);
  }
  std::array<std::byte, nvme::LatencyMonitor::kLogBytes> page{};
  monitor.fill_log(page.data(), 1'000 * kMillisecond);
  const auto reads = [&page](std::size_t bucket) {
    return nvme::load_field<std::uint32_t>(page.data(), 32 + bucket * 16 + 12);
  };
  EXPECT_EQ(reads(0), 2U) << "30 ms, and less than 100; not what is below 30";
  EXPECT_EQ(reads(1), 1U);
  EXPECT_EQ(reads(2), 1U);
  EXPECT_EQ(reads(3), 1U);
}

/// What was counted in five minutes is kept until the next five are over.
TEST(NvmeLatencyMonitor, TheTimerMovesActiveBuckets) {
  NvmeBench bench;
  play_long([&] {
    bench.bring_up();
    Monitor monitor(bench);
    constexpr Picoseconds kMinute{60'000'000'000'000};
    ASSERT_EQ(monitor.set(2, {0, 1, 3, 9}, 0, 5), nvme::kSuccess);
    monitor.run(monitor.read(), 6);
    pass(Picoseconds(6 * kMinute.count()));
    ASSERT_EQ(monitor.log(), nvme::kSuccess);
    EXPECT_EQ(monitor.get<std::uint16_t>(2), 1) << "five minutes";
    EXPECT_EQ(monitor.active(0, kRead), 1U);
    pass(Picoseconds(5 * kMinute.count()));
    monitor.run(monitor.write(), 6);
    ASSERT_EQ(monitor.log(), nvme::kSuccess);
    EXPECT_EQ(monitor.active(0, kRead), 0U);
    EXPECT_EQ(monitor.active(0, kWrite), 1U);
    EXPECT_EQ(monitor.fixed(0, kRead), 1U);
    EXPECT_EQ(monitor.fixed(0, kWrite), 0U);
    pass(Picoseconds(21 * kMinute.count()));
    ASSERT_EQ(monitor.log(), nvme::kSuccess);
    EXPECT_EQ(monitor.active(0, kWrite), 0U);
    EXPECT_EQ(monitor.fixed(0, kWrite), 0U) << "two periods ago";
  });
}

TEST(NvmeLatencyMonitor, WhichLatencyIsLatched) {
  NvmeBench bench;
  play_long([&] {
    bench.bring_up();
    Monitor monitor(bench);
    const auto latched = [&] {
      EXPECT_EQ(monitor.log(), nvme::kSuccess);
      return monitor.latency(0, kRead);
    };
    ASSERT_EQ(monitor.set(1, {0, 9, 19, 29}, 0, 7), nvme::kSuccess);
    monitor.run(monitor.read(), 20);
    monitor.run(monitor.read(), 10);
    EXPECT_EQ(latched(), 20) << "the largest";
    ASSERT_EQ(monitor.set(1, {0, 9, 19, 29}, 1, 5), nvme::kSuccess);
    EXPECT_EQ(latched(), 0) << "all is forgotten";
    monitor.run(monitor.read(), 20);
    monitor.run(monitor.read(), 10);
    EXPECT_EQ(latched(), 20) << "the window of 100 ms";
    pass(Picoseconds(100 * kMillisecond.count()));
    monitor.run(monitor.read(), 10);
    EXPECT_EQ(latched(), 10);
    ASSERT_EQ(monitor.set(1, {0, 9, 19, 29}, 1, 4), nvme::kSuccess);
    monitor.run(monitor.read(), 20);
    EXPECT_EQ(latched(), 0) << "it is off";
    EXPECT_EQ(monitor.active(0, kRead), 0U);
  });
}

TEST(NvmeLatencyMonitor, TheFeature) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    Monitor monitor(bench);
    ASSERT_EQ(monitor.feature(nvme::kGetFeatures), nvme::kSuccess);
    EXPECT_EQ(monitor.get<std::uint16_t>(0), 0x7e0);
    EXPECT_EQ(monitor.get<std::uint32_t>(2), 0x2e1e1305U);
    EXPECT_EQ(monitor.get<std::uint8_t>(12), 7);
    EXPECT_EQ(monitor.set(3, {1, 2, 3, 4}, 5, 7), nvme::kSuccess);
    ASSERT_EQ(monitor.feature(nvme::kGetFeatures), nvme::kSuccess);
    EXPECT_EQ(monitor.get<std::uint32_t>(2), 0x04030201U);
    EXPECT_EQ(monitor.get<std::uint8_t>(8), 5);
    EXPECT_EQ(monitor.set(3, {1, 2, 2, 4}, 5, 7), nvme::kInvalidField) << "they rise";
    EXPECT_EQ(monitor.set(3, {1, 2, 3, 4}, 5, 8), nvme::kInvalidField);
    EXPECT_EQ(monitor.feature(nvme::kSetFeatures, 1U << 31), nvme::kFeatureNotSaveable);
    EXPECT_EQ(monitor.feature(nvme::kGetFeatures, 1U << 8), nvme::kInvalidField);
  });
}

/// The firmware's part, and the controller's.
std::uint16_t capacitor_health(const config::Config& config) {
  NvmeBench bench(config);
  std::uint16_t health = 0;
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    bench.submit(0, admin_command(nvme::kGetLogPage, 127U << 16 | nvme::kLogExtendedSmart, 0, page));
    std::vector<std::uint8_t> data(512);
    data[0] = 42;
    bench.answer(bench.event(), 0, 0, data);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    std::array<std::uint8_t, 512> got{};
    bench.memory.read(page, got.data(), got.size());
    EXPECT_EQ(got[0], 42);
    EXPECT_EQ(got[103], 2) << "of version 2.0";
    EXPECT_EQ(got[494], 3);
    EXPECT_EQ(got[496], 0xc5);
    EXPECT_EQ(got[511], 0xaf);
    std::uint64_t used = 0;
    std::memcpy(&used, got.data() + 152, sizeof used);
    EXPECT_EQ(used, NvmeBench::kLpages * 8);
    std::memcpy(&health, got.data() + 128, sizeof health);
  });
  return health;
}

/// With what the need of energy depends on.
config::Config whole_config() {
  const config::Config whole = config::load("", {}).config;
  config::Config config = nvme_bench_config();
  config.channels = whole.channels;
  config.ftl = whole.ftl;
  config.power = whole.power;
  return config;
}

TEST(NvmeExtendedSmart, ADriveWithoutCapacitors) { EXPECT_EQ(capacitor_health(nvme_bench_config()), 0xffff); }
TEST(NvmeExtendedSmart, ADriveThatIsTakenAtItsWord) {
  config::Config config = nvme_bench_config();
  config.ftl.power_safe = true;
  EXPECT_EQ(capacitor_health(config), 100);
}
TEST(NvmeExtendedSmart, CapacitorsBesideWhatIsNeeded) {
  config::Config config = whole_config();
  config.power.hold_up = 1e-6;
  EXPECT_LT(capacitor_health(config), 100);
}
TEST(NvmeExtendedSmart, MoreThanIsNeeded) {
  config::Config config = whole_config();
  config.power.hold_up = 50;
  const std::uint16_t health = capacitor_health(config);
  EXPECT_GT(health, 100);
  EXPECT_LT(health, 0xffff);
}

}  // namespace
}  // namespace wordline::testing::nvme_ocp_test
