// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// What goes wrong in the drive or the controller, and how a run ends.
#include "testbenches/tlm/host/host_driver_bench.h"

namespace wordline::host {
namespace {

using namespace driver_bench;

TEST(HostDriverTest, WrongDataEndsTheRunWithAMessage) {
  testing::expect_reports(true);
  Script script;
  script.list.push_back({1, {request(Op::kWrite, 0, 16), request(Op::kRead, 0, 16), request(Op::kRead, 0, 8)}});
  Bench bench(script);
  bench.controller.corrupt = [](std::uint64_t lba, data::LbaStamp& stamp) {
    if (lba == 11) stamp = data::LbaStamp(Lba(12), stamp.version());
  };
  bench.run();
  EXPECT_EQ(testing::reports_seen(), 1U);
  EXPECT_TRUE(bench.driver.done());
  EXPECT_EQ(bench.driver.counters().completed, 2U);  // nothing is started after it
  ASSERT_EQ(bench.oracle.mismatches(), 1U);
  EXPECT_EQ(bench.oracle.messages()[0],
            "request 2 read LBA 11: expected LBA 11 version 2; found LBA 12 version 2 (the data of another block)");
}

TEST(HostDriverTest, AControllerWithoutWeightsIsSaid) {
  testing::expect_reports(true);
  Script script;
  script.list.push_back({1, {request(Op::kRead, 0, 8)}});
  config::Config config = configuration();
  config.host.arbitration = config::Arbitration::kWeighted;
  Bench bench(script, config);
  bench.run();
  EXPECT_EQ(testing::reports_seen(), 1U) << "CAP.AMS of the fake is 0";
  EXPECT_FALSE(bench.driver.done());
  EXPECT_EQ(bench.driver.counters().started, 0U);
}

TEST(HostDriverTest, AnInterruptOfAPolledQueueIsSaid) {
  testing::expect_reports(true);
  Script script;
  config::Config config = configuration();
  config.host.completion = config::HostCompletion::kPolling;
  Bench bench(script, config);
  bench.run();
  bench.nvme->interrupt(1, testing::context().now());
  EXPECT_EQ(testing::reports_seen(), 1U);
}

TEST(HostDriverTest, LostWriteIsFoundByTheVerification) {
  testing::expect_reports(true);
  Script script;
  script.list.push_back({1, {request(Op::kWrite, 800, 8), request(Op::kWrite, 800, 8), request(Op::kWrite, 1600, 8)}});
  DriverOptions options;
  options.verify_all = true;
  Bench bench(script, configuration(), options);
  bench.controller.lose = [&](const SeenCommand& c) { return c.slba == 800 && bench.controller.store.count(800) == 1; };
  bench.run();
  EXPECT_EQ(bench.oracle.mismatches(), 8U);
  EXPECT_GE(testing::reports_seen(), 1U);
  EXPECT_EQ(bench.oracle.messages()[0], "request 7 read LBA 800: expected LBA 800 version 3; found LBA 800 version 2");
}

TEST(HostDriverTest, BufferTheDriveNeverWroteIsNotTakenForData) {
  testing::expect_reports(true);
  Script script;
  script.list.push_back({1, {request(Op::kWrite, 0, 8), request(Op::kRead, 0, 8)}});
  Bench bench(script);
  // The same page serves both commands; the read delivers nothing.
  data::LbaStamp untouched;
  bench.controller.corrupt = [&](std::uint64_t lba, data::LbaStamp& stamp) {
    if (lba == 3) stamp = untouched;
  };
  bench.controller.latency = [&](const SeenCommand& c) {
    if (c.opcode == nvme::kRead) untouched = bench.memory.stamp(c.pages[0] + 3 * 512);
    return 10_us;
  };
  bench.run();
  EXPECT_EQ(bench.oracle.mismatches(), 1U);
  EXPECT_EQ(testing::reports_seen(), 1U);
}

config::Config stopping() {
  config::Config c = configuration();
  c.host.on_error = config::OnError::kStop;
  return c;
}

TEST(HostDriverTest, MediaErrorsAreCountedAndTheRunGoesOn) {
  Script script;
  Script::Job job{2, {}};
  for (std::uint64_t i = 0; i < 20; ++i) job.requests.push_back(request(i % 2 == 0 ? Op::kRead : Op::kWrite, i * 8, 8));
  job.requests.push_back(request(Op::kRead, 256, 96));  // three commands, the second and third fail
  script.list.push_back(job);
  Bench bench(script);
  bench.controller.mdts = 2;  // 32 blocks
  bench.controller.status = [](const SeenCommand& c) {
    if (c.slba == 32 || c.slba > 256) return nvme::kUnrecoveredRead;
    if (c.slba == 56) return nvme::kWriteProtected;
    if (c.slba == 72) return nvme::kReadOnlyRange;
    if (c.slba == 64) return nvme::Status{0x287};  // type 2, a code that has no name here
    return c.slba == 24 || c.slba == 40 ? nvme::kWriteFault : nvme::kSuccess;
  };
  bench.run();
  EXPECT_TRUE(bench.driver.done());
  EXPECT_EQ(bench.driver.counters().completed, 21U);
  EXPECT_GT(bench.driver.counters().io_errors, 4U);
  EXPECT_EQ(bench.driver.errors().total(), 7U) << "a request counts once";
  results::Registry registry;
  bench.driver.errors().register_statistics(registry);
  EXPECT_EQ(registry.get<std::uint64_t>("errors.read.unrecovered_read"), 2U);
  EXPECT_EQ(registry.get<std::uint64_t>("errors.write.write_fault"), 2U);
  EXPECT_EQ(registry.get<std::uint64_t>("errors.write.write_protected"), 2U);
  EXPECT_EQ(registry.get<std::uint64_t>("errors.read.other_media"), 1U);
  EXPECT_EQ(registry.get<std::uint64_t>("errors.write.unrecovered_read"), 0U);
  EXPECT_EQ(bench.request_statistics.count(Op::kRead), 8U);
  EXPECT_EQ(bench.request_statistics.count(Op::kWrite), 6U);
  EXPECT_EQ(bench.oracle.reads_checked(), 8U);
  EXPECT_EQ(bench.driver.errors().notices().size(), 4U);
}

TEST(HostDriverTest, AnErrorOtherThanOfTheFlashEndsTheRun) {
  testing::expect_reports(true);
  Script script;
  Script::Job job{1, {}};
  for (std::uint64_t i = 0; i < 20; ++i) job.requests.push_back(request(Op::kRead, i * 8, 8));
  script.list.push_back(job);
  Bench bench(script);
  bench.controller.status = [](const SeenCommand& c) { return c.slba == 32 ? nvme::kInvalidField : nvme::kSuccess; };
  bench.run();
  EXPECT_EQ(testing::reports_seen(), 1U);
  EXPECT_EQ(bench.driver.errors().total(), 0U);
  EXPECT_LE(bench.driver.counters().completed, 6U);
}

TEST(HostDriverTest, MediaErrorEndsTheRunWithItsStatusWhenAsked) {
  testing::expect_reports(true);
  Script script;
  Script::Job job{2, {}};
  for (std::uint64_t i = 0; i < 20; ++i) job.requests.push_back(request(Op::kRead, i * 8, 8));
  script.list.push_back(job);
  Bench bench(script, stopping());
  bench.controller.status = [](const SeenCommand& c) { return c.slba == 32 ? nvme::kUnrecoveredRead : nvme::kSuccess; };
  bench.run();
  EXPECT_EQ(testing::reports_seen(), 1U);
  EXPECT_EQ(bench.driver.counters().io_errors, 1U);
  EXPECT_TRUE(bench.driver.done());
  EXPECT_LE(bench.driver.counters().completed, 6U);
  EXPECT_EQ(bench.oracle.mismatches(), 0U);
}

TEST(HostDriverTest, StopLetsWhatIsInFlightComplete) {
  Script script;
  Script::Job job{4, {}};
  for (std::uint64_t i = 0; i < 1000; ++i) job.requests.push_back(request(Op::kRead, i * 8, 8));
  script.list.push_back(job);
  DriverOptions options;
  options.verify_all = true;
  Bench bench(script, configuration(), options);
  bench.controller.at(200_us, [&] { bench.driver.stop(); });
  bench.run();
  EXPECT_TRUE(bench.driver.done());
  EXPECT_GT(bench.driver.counters().completed, 10U);
  EXPECT_LT(bench.driver.counters().completed, 100U);
  EXPECT_EQ(bench.driver.counters().completed, bench.controller.commands.size());
}

TEST(HostDriverTest, EmptyWorkloadIsDone) {
  Script script;
  script.list.push_back({4, {}});
  Bench bench(script);
  bench.run();
  EXPECT_TRUE(bench.driver.done());
  EXPECT_EQ(bench.driver.counters().completed, 0U);
}

TEST(HostDriverTest, ControllerThatNeverGetsReadyIsAnErrorAfterItsOwnTime) {
  testing::expect_reports(true);
  Script script;
  script.list.push_back({1, {request(Op::kRead, 0, 8)}});
  Bench bench(script);
  bench.controller.never_ready = true;
  bench.run();
  EXPECT_EQ(testing::reports_seen(), 1U);
  EXPECT_FALSE(bench.driver.done());
  EXPECT_GE(tlm_if::kernel_time(), 1000_ms);
  EXPECT_LT(tlm_if::kernel_time(), 1001_ms);
}

TEST(HostDriverTest, FatalControllerIsAnError) {
  testing::expect_reports(true);
  Script script;
  script.list.push_back({1, {}});
  Bench bench(script);
  bench.controller.fatal = true;
  bench.run();
  EXPECT_EQ(testing::reports_seen(), 1U);
}

TEST(HostDriverTest, NamespaceOfAnotherSizeIsAnError) {
  testing::expect_reports(true);
  Script script;
  script.list.push_back({1, {}});
  Bench bench(script);
  bench.controller.nsze = kLpages * 8 - 8;
  bench.run();
  EXPECT_EQ(testing::reports_seen(), 1U);
  EXPECT_FALSE(bench.driver.done());
}

TEST(HostDriverTest, QueueLongerThanTheControllersIsAnError) {
  testing::expect_reports(true);
  Script script;
  script.list.push_back({1, {}});
  config::Config c = configuration();
  c.host.queue_entries = 1025;
  Bench bench(script, c);
  bench.run();
  EXPECT_EQ(testing::reports_seen(), 1U);
  EXPECT_TRUE(bench.controller.admin_log.empty());
}

TEST(HostDriverTest, RequestBeyondTheDriveIsAnError) {
  testing::expect_reports(true);
  Script script;
  script.list.push_back({1, {request(Op::kRead, kLpages * 8 - 7, 8)}});
  Bench bench(script);
  bench.run();
  EXPECT_EQ(testing::reports_seen(), 1U);
  EXPECT_TRUE(bench.driver.done());
  EXPECT_TRUE(bench.controller.commands.empty());
}

}  // namespace
}  // namespace wordline::host
