// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Attempts of a read retry that firmware leads, with a hand in the firmware's place: what goes over the bus, what the
// slots lack, whose references are whose.
#include <gtest/gtest.h>

#include "models/ecc/retry/read_retry.h"
#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/device/flash/controller_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::retry_attempt_test {
namespace {

using onfi::SegmentKind;
namespace regs = registers::ecc;

config::Config drive(bool by_hardware = false) {
  config::Config c = reference_config();
  c.channels.count = 1;
  c.channels.packages = 1;
  c.ecc.max_retries = 3;
  c.ecc.max_soft = 2;
  c.ecc.ort = config::Ort::kRetry;
  c.ecc.ort_scope = config::OrtScope::kDie;
  c.dram = {BytesPerSecond(8'000'000'000), 100_ns};
  c.engines[engines::EngineId::kRetry].on = by_hardware;
  return c;
}

void inject(ControllerBench& bench, std::uint32_t value) {
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(regs::inject);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(4);
  sc_core::sc_time delay;
  bench.unused[0]->b_transport(payload, delay);
  EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
}

constexpr std::uint32_t attempt(std::uint32_t step, std::uint32_t level, std::uint32_t taken, std::uint32_t flags = 0) {
  return WL_RETRY_SET | WL_RETRY_REST | step << WL_RETRY_STEP_SHIFT | ecc::kSoftReads[level] << WL_RETRY_SENSES_SHIFT |
         taken << WL_RETRY_TAKEN_SHIFT | flags;
}

/// Does one read of page 0 and waits for its end. All of it, when the slot is the page's number.
wl_flash_completion read(ControllerBench& bench, std::uint32_t page, std::uint32_t retry = 0, std::uint16_t count = 1) {
  wl_flash_job job = ControllerBench::read_job(0, 1, page, 0, count, page * 16);
  job.control = retry;
  const std::uint16_t id = bench.push(job);
  bench.doorbell();
  bench.wait_for(bench.completions.size() + 1);
  sc_core::wait(20, sc_core::SC_US);  // what follows the data
  return bench.completion(id).entry;
}

std::vector<std::pair<unsigned, unsigned>> features(const ControllerBench& bench) {
  std::vector<std::pair<unsigned, unsigned>> all;
  for (const SeenSegment& s : bench.segments) {
    if (s.kind == SegmentKind::kSetFeatures) all.emplace_back(s.feature, s.parameter);
  }
  return all;
}
using Features = std::vector<std::pair<unsigned, unsigned>>;

constexpr sc_core::sc_time_unit kSecond = sc_core::SC_SEC;

TEST(RetryAttempts, EachIsAJobWithItsReferences) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        inject(bench, 2U << regs::inject_steps_shift);
        const wl_flash_completion first = read(bench, 0);
        EXPECT_EQ(first.status, WL_FLASH_ATTEMPT_FAIL);
        EXPECT_EQ(first.retries, 2) << "codewords without data";
        EXPECT_EQ(first.history, WL_REPORT_INJECTED) << "a first reading is not weighed";
        EXPECT_TRUE(bench.buffer.slot(0).is_zero());
        EXPECT_EQ(features(bench), Features{});

        const wl_flash_completion second = read(bench, 0, attempt(1, 0, 1));
        EXPECT_EQ(second.status, WL_FLASH_ATTEMPT_FAIL);
        EXPECT_EQ(second.history >> WL_REPORT_WEIGHED_SHIFT & 0xffU, 2U);
        EXPECT_EQ(features(bench), (Features{{0x89, 1}})) << "they stay for the next attempt";

        const wl_flash_completion third = read(bench, 0, attempt(2, 0, 2));
        EXPECT_EQ(third.status, WL_FLASH_OK);
        EXPECT_EQ(third.retries, 2);
        EXPECT_EQ(third.history, 0U);
        EXPECT_EQ(features(bench), (Features{{0x89, 1}, {0x89, 2}, {0x89, 0}}))
            << "what the controller's own retry does";
      },
      {1, kSecond});
  EXPECT_EQ(bench.buffer.slot(0), ControllerBench::filled(DieId(0), {PlaneId(0), BlockId(1), PageId(0), 0}).token);
  EXPECT_EQ(bench.ecc_registers.counters().retries, 2U);
  EXPECT_EQ(bench.ecc_registers.retries_by_layer().front(), 2U);
  EXPECT_EQ(bench.ecc_registers.counters().decoded_lpages, 1U);
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 3U);
}

TEST(RetryAttempts, AReadInBetweenHasTheDefaultReferences) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        inject(bench, 2U << regs::inject_steps_shift);
        (void)read(bench, 0);
        (void)read(bench, 0, attempt(1, 0, 1));
        inject(bench, 0);
        EXPECT_EQ(read(bench, 5).status, WL_FLASH_OK);
        EXPECT_EQ(features(bench), (Features{{0x89, 1}, {0x89, 0}})) << "before it";
        EXPECT_EQ(read(bench, 6).status, WL_FLASH_OK);
        EXPECT_EQ(read(bench, 0, attempt(2, 0, 2)).status, WL_FLASH_OK);
      },
      {1, kSecond});
  EXPECT_EQ(features(bench), (Features{{0x89, 1}, {0x89, 0}, {0x89, 2}, {0x89, 0}}));
}

TEST(RetryAttempts, OnlyWhatTheSlotsLackIsReadAgain) {
  ControllerBench bench("bench", drive());
  unsigned lpage = 0;
  bench.decoder.fails = [&] { return lpage++ == 2; };  // of the first reading
  simulate(
      [&] {
        const wl_flash_completion first = read(bench, 0, 0, 4);
        EXPECT_EQ(first.status, WL_FLASH_ATTEMPT_FAIL);
        EXPECT_EQ(first.retries, 2);
        EXPECT_FALSE(bench.buffer.slot(1).is_zero()) << "complete ones are there";
        bench.segments.clear();
        EXPECT_EQ(read(bench, 0, attempt(1, 0, 1), 4).status, WL_FLASH_OK);
      },
      {1, kSecond});
  unsigned lpages = 0;
  for (const SeenSegment& s : bench.segments) lpages += s.kind == SegmentKind::kDataOut ? s.lpages : 0;
  EXPECT_EQ(lpages, 1U);
  for (std::uint16_t s = 0; s < 4; ++s) {
    EXPECT_EQ(bench.buffer.slot(s), ControllerBench::filled(DieId(0), {PlaneId(0), BlockId(1), PageId(0), s}).token)
        << s;
  }
}

TEST(RetryAttempts, SoftReadsAndTheLastOneGiveTheReferencesBack) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        inject(bench, regs::inject_t1_fail_mask | regs::inject_t2h_fail_mask | regs::inject_t2s_fail_mask);
        (void)read(bench, 0);
        EXPECT_EQ(read(bench, 0, attempt(1, 1, 0)).status, WL_FLASH_ATTEMPT_FAIL);
        EXPECT_EQ(features(bench), (Features{{0x89, 1}, {0xa0, 0xf6}, {0xa1, 0xf6}, {0xa0, 10}, {0xa1, 10}}));
        bench.segments.clear();
        const wl_flash_completion last = read(bench, 0, attempt(1, 2, 0, WL_RETRY_LAST));
        EXPECT_EQ(last.status, WL_FLASH_ATTEMPT_FAIL);
        EXPECT_EQ(last.retries, 2);
      },
      {1, kSecond});
  EXPECT_EQ(bench.controller->soft_reads(), 3U + 7U);
  const Features all = features(bench);
  ASSERT_GE(all.size(), 3U);
  EXPECT_EQ(Features(all.end() - 3, all.end()), (Features{{0x89, 0}, {0xa0, 0}, {0xa1, 0}}));
  EXPECT_EQ(bench.ecc_registers.counters().uncorrectable_lpages, 1U);
  EXPECT_EQ(bench.owner(0), WL_LPN_NONE);
}

TEST(RetryAttempts, AttemptsOfOnePageGoAlone) {
  config::Config c = drive();
  c.channels.pair_planes = true;
  c.channels.cache_read = true;
  ControllerBench bench("bench", c);
  simulate(
      [&] {
        inject(bench, 1U << regs::inject_steps_shift);
        for (const std::uint32_t slot : {0U, 1U})
          bench.push(ControllerBench::read_job(0, 1, 0, static_cast<std::uint16_t>(slot), 1, slot));
        bench.doorbell();
        bench.wait_for(2);
        EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 1U) << "first readings share a sense";
        for (const std::uint32_t slot : {0U, 1U}) {
          wl_flash_job job = ControllerBench::read_job(0, 1, 0, static_cast<std::uint16_t>(slot), 1, slot);
          job.control = attempt(1, 0, 1);
          bench.push(job);
        }
        bench.doorbell();
        bench.wait_for(4);
        sc_core::wait(20, sc_core::SC_US);
      },
      {1, kSecond});
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 3U);
  for (const SeenCompletion& seen : bench.completions) {
    EXPECT_EQ(seen.entry.status, seen.entry.id < 2 ? WL_FLASH_ATTEMPT_FAIL : WL_FLASH_OK);
  }
}

TEST(RetryAttempts, TwoThreeFiveAndSevenSenses) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        std::uint32_t page = 0;
        for (const std::uint32_t senses : {2U, 3U, 5U, 7U}) {
          SCOPED_TRACE(senses);
          const std::uint64_t before = bench.dies[0]->array().counters().page_reads;
          bench.segments.clear();
          EXPECT_EQ(read(bench, page++, WL_RETRY_SET | senses << WL_RETRY_SENSES_SHIFT).status, WL_FLASH_OK);
          EXPECT_EQ(bench.dies[0]->array().counters().page_reads - before, senses);
          EXPECT_EQ(bench.count(SegmentKind::kDataOut), senses);
          EXPECT_EQ(bench.decoder.reads, senses);
        }
        expect_reports(true);
        for (const std::uint32_t senses : {4U, 6U}) {
          wl_flash_job job = ControllerBench::read_job(0, 1, 0, 0, 1, 0);
          job.control = WL_RETRY_SET | senses << WL_RETRY_SENSES_SHIFT;
          bench.push(job);
          bench.doorbell();
          sc_core::wait(10, sc_core::SC_US);
          EXPECT_EQ(reports_seen(), 1U);
          EXPECT_NE(last_report().find("senses of each reference, expected 1, 2, 3, 5 or 7"), std::string::npos);
        }
        wl_flash_job job = ControllerBench::read_job(0, 1, 0, 0, 1, 0);
        job.control = 1U << WL_RETRY_STEP_SHIFT;  // without WL_RETRY_SET
        bench.push(job);
        bench.doorbell();
        sc_core::wait(10, sc_core::SC_US);
        EXPECT_EQ(reports_seen(), 1U);
      },
      {1, kSecond});
}

TEST(RetryAttempts, AControllerThatLeadsRetriesTakesNone) {
  ControllerBench bench("bench", drive(true));
  simulate(
      [&] {
        expect_reports(true);
        wl_flash_job job = ControllerBench::read_job(0, 1, 0, 0, 1, 0);
        job.control = attempt(1, 0, 1);
        bench.push(job);
        bench.doorbell();
        sc_core::wait(200, sc_core::SC_US);
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_TRUE(bench.completions.empty());
      },
      {1, kSecond});
}

TEST(RetryAttempts, AnAttemptOfWhatLacksNothingIsAnError) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        (void)read(bench, 0);
        expect_reports(true);
        (void)read(bench, 0, attempt(1, 0, 1));
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_EQ(bench.completions.size(), 2U) << "and ends";
      },
      {1, kSecond});
}

}  // namespace
}  // namespace wordline::testing::retry_attempt_test
