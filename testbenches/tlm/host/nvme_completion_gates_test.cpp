// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The completion engine in gates beside the model (engines.model = rtl): a host that does what it may, by chance. A
// difference is a SystemC report, which fails the test.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>

#include "models/engines/gate_times.h"
#include "models/units/keyed_random.h"
#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::nvme_completion_gates_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

class CompletionInGates : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  static constexpr std::uint32_t kEntries = 5;  // of a completion queue: four of them at a time

  std::uint64_t draw(std::uint64_t below) { return keyed_hash(0x6371, GetParam(), draws_++) % below; }
  void wait_up_to(std::uint64_t ns) {
    sc_core::wait(tlm_if::to_sc_time(1_ns * static_cast<std::int64_t>(1 + draw(ns))));
  }

  /// The host takes entries, and says so.
  void take(NvmeBench& bench, std::uint16_t qid, std::uint64_t most) {
    std::uint64_t taken = 0;
    for (; taken < most && bench.has_completion(qid); ++taken) bench.completion(qid, false);
    left_.at(qid) -= taken;
    if (taken != 0) bench.ring_head(qid);
  }

  /// Commands whose entries may have to wait for room.
  void flush(NvmeBench& bench, std::uint16_t qid) {
    const std::uint64_t count = 1 + draw(4);
    if (left_.at(qid) + count > 6) return;
    for (std::uint64_t i = 0; i < count; ++i) bench.put(qid, io(nvme::kFlush, 0, 1, 0));
    bench.ring(qid);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (draw(3) == 0) wait_up_to(4000);
      const std::uint16_t status = draw(4) == 0 ? nvme::kLbaOutOfRange : 0;
      wl_host_job job = job_of(WL_JOB_COMPLETE, bench.event(), 0, 0);
      job.status = status;
      bench.run_job(job);
    }
    left_.at(qid) += count;
    entries_ += count;
  }

  /// Heads that no host may ring are refused by both, with a warning.
  void ring_wrong_heads(NvmeBench& bench, std::uint16_t qid) {
    wait_up_to(2000);
    expect_reports(true);
    static_cast<void>(reports_seen());
    bench.write32(nvme::cq_head_doorbell(qid), 0x10000U + bench.queues.at(qid).cq_head);
    bench.write32(nvme::cq_head_doorbell(qid), kEntries + static_cast<std::uint32_t>(draw(9)));
    sc_core::wait(1, sc_core::SC_US);
    EXPECT_EQ(reports_seen(), 2U);
    EXPECT_NE(last_report().find("head doorbell"), std::string::npos) << last_report();
    expect_reports(false);
  }

  void feature(NvmeBench& bench, std::uint32_t id, std::uint64_t value) {
    bench.admin(admin_command(nvme::kSetFeatures, id, static_cast<std::uint32_t>(value)));
    ++entries_;
  }

  void step(NvmeBench& bench) {
    const auto qid = static_cast<std::uint16_t>(1 + draw(3));
    const auto vectors = static_cast<std::uint32_t>(2 * draw(8));  // not the admin queue's
    switch (draw(10)) {
      case 0:
        bench.write32(nvme::kRegIntms, vectors);
        break;
      case 1:
        bench.write32(nvme::kRegIntmc, vectors);
        break;
      case 2:
        feature(bench, nvme::kFeatureInterruptCoalescing, draw(3) << 8 | draw(4));
        break;
      case 3:
        feature(bench, nvme::kFeatureInterruptVector, draw(2) << 16 | qid);
        break;
      case 4:
        if (draw(3) == 0) wait_up_to(250'000);
        break;
      case 5:
        ring_wrong_heads(bench, qid);
        break;
      case 6:
        take(bench, qid, draw(5));
        break;
      default:
        flush(bench, qid);
    }
  }

  void take_all(NvmeBench& bench) {
    for (int i = 0; i < 10; ++i) {
      wait_up_to(2000);
      for (std::uint16_t qid = 1; qid <= 3; ++qid) take(bench, qid, kEntries);
    }
    for (std::uint16_t qid = 1; qid <= 3; ++qid) EXPECT_EQ(left_.at(qid), 0U);
  }

  std::uint64_t draws_ = 0, entries_ = 0;
  std::array<std::uint64_t, 4> left_{};  // entries that the host has not taken, by queue
};

TEST_P(CompletionInGates, DoesWhatTheModelDoes) {
  config::Config config = nvme_bench_config();
  config.engines.model = config::EngineModel::kRtl;
  config.engines.gates = config::EngineGates::kCompletion;
  config.nvme.tags = 32;
  NvmeBench bench(config);
  const auto round = [&](unsigned steps) {
    bench.bring_up(16, kEntries);
    bench.with_interrupts = draw(4) != 0;
    bench.create_queue(2, 16, kEntries);
    bench.with_interrupts = true;
    bench.create_queue(3, 16, kEntries);
    entries_ += 6;
    for (unsigned i = 0; i < steps; ++i) step(bench);
    take_all(bench);
  };
  simulate(
      [&] {
        round(400);
        for (std::uint16_t qid : {3, 3}) {  // the second time there is none
          bench.admin(admin_command(nvme::kDeleteIoSq, qid));
          bench.admin(admin_command(nvme::kDeleteIoCq, qid));
        }
        entries_ += 4;
        expect_reports(true);
        static_cast<void>(reports_seen());
        bench.write32(nvme::cq_head_doorbell(3), bench.queues[3].cq_head);
        sc_core::wait(1, sc_core::SC_US);
        EXPECT_EQ(reports_seen(), 1U) << last_report();
        expect_reports(false);
        bench.write32(nvme::kRegCc, 0);
        sc_core::wait(10, sc_core::SC_US);
        round(200);
        sc_core::wait(1, sc_core::SC_MS);  // what is coalesced is told of
        flush(bench, 1);
        take_all(bench);
      },
      sc_core::sc_time(50, sc_core::SC_MS));
  const engines::Pipeline& engine = bench.controller.completion_entries();
  EXPECT_EQ(engine.operations(), entries_);
  EXPECT_GT(engine.clocks(), 5 * entries_);
}

INSTANTIATE_TEST_SUITE_P(RandomHosts, CompletionInGates, ::testing::Range<std::uint64_t>(1, 13));

/// Its data take so long that the setting changes meanwhile: what holds when the entry is made counts.
TEST(CompletionEntriesInGates, HaveMessagesByTheSettingOfTheirTime) {
  config::Config config = nvme_bench_config();
  config.engines.model = config::EngineModel::kRtl;
  config.engines.gates = config::EngineGates::kCompletion;
  config.link.requests_first = true;  // the admin command does not wait for the data
  NvmeBench bench(config);
  play([&] {
    bench.bring_up();
    const std::uint64_t pages = bench.memory.allocate(2);
    const auto read_during = [&](std::uint32_t coalescing) {
      bench.submit(1, io(nvme::kRead, 0, 16, pages, pages + 4096));
      bench.run_job(job_of(WL_JOB_ZERO_OUT, bench.event(), 0, 2, WL_JOB_THEN_COMPLETE));
      bench.interrupts.clear();
      bench.admin(admin_command(nvme::kSetFeatures, nvme::kFeatureInterruptCoalescing, coalescing));
      while (!bench.has_completion(1)) sc_core::wait(100, sc_core::SC_NS);
      bench.completion(1);
      sc_core::wait(10, sc_core::SC_US);
      const auto is_of_the_read = [](const NvmeBench::Interrupt& message) { return message.vector == 1; };
      return std::count_if(bench.interrupts.begin(), bench.interrupts.end(), is_of_the_read);
    };
    EXPECT_EQ(read_during(0x0207), 0);
    sc_core::wait(300, sc_core::SC_US);
    EXPECT_EQ(bench.interrupts.back().vector, 1U) << "its time is over";
    EXPECT_EQ(read_during(0), 1);
  });
}

/// 7 clocks at 500 MHz before each entry, and its message behind it.
TEST(CompletionEntriesInGates, TakeTheirClocks) {
  config::Config config = nvme_bench_config();
  const auto model = std::make_unique<NvmeBench>(config, nullptr, "model");
  config.engines.model = config::EngineModel::kRtl;
  config.engines.gates = config::EngineGates::kCompletion;
  const auto gates = std::make_unique<NvmeBench>(config, nullptr, "gates");
  config = nvme_bench_config();
  config.nvme.completion_time = engines::kGateClock * std::int64_t{engines::kCompletionClocks};
  const auto timed = std::make_unique<NvmeBench>(config, nullptr, "timed");
  play([&] {
    const auto message = [](NvmeBench& bench) {
      bench.bring_up();
      const Picoseconds begin = tlm_if::kernel_time();
      bench.submit(1, io(nvme::kFlush, 0, 1, 0));
      bench.run_job(job_of(WL_JOB_COMPLETE, bench.event(), 0, 0));
      bench.completion(1);
      return bench.interrupts.back().at - begin;
    };
    const Picoseconds alone = message(*model);
    EXPECT_EQ(message(*gates), alone + 14_ns);
    EXPECT_EQ(message(*timed), alone + 14_ns);
  });
  const engines::Pipeline& engine = gates->controller.completion_entries();
  EXPECT_EQ(engine.clocks(), engines::kCompletionClocks * engine.operations());
  EXPECT_FALSE(model->controller.completion_entries().on());
}

}  // namespace
}  // namespace wordline::testing::nvme_completion_gates_test
