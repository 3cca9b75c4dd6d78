// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Read retry in the drive, led by errors made on purpose (register ECC.INJECT): what goes over the bus, what reaches
// the firmware. Each case with the controller's reference and with the controller in gates.
#include <gtest/gtest.h>

#include "models/ecc/retry/read_retry.h"
#include "models/onfi/features.h"
#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/device/flash/controller_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"

namespace wordline::testing::read_retry_test {
namespace {

using onfi::SegmentKind;
namespace regs = registers::ecc;

class ReadRetryInDrive : public ::testing::TestWithParam<config::EccModel> {
 protected:
  static config::Config drive() {
    config::Config c = reference_config();
    c.channels.count = 1;
    c.channels.packages = 1;
    c.ecc.model = GetParam();
    c.ecc.max_retries = 3;
    c.ecc.max_soft = 2;
    c.ecc.ort = config::Ort::kRetry;
    c.dram = {BytesPerSecond(8'000'000'000), 100_ns};
    return c;
  }
  static void write(ControllerBench& bench, std::uint32_t offset, std::uint32_t value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_WRITE_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    sc_core::sc_time delay;
    bench.unused[0]->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE) << "register " << offset;
  }
  /// Reads of logical page 0 of `pages`, one after the other.
  static void read_pages(ControllerBench& bench, const std::vector<std::uint32_t>& pages) {
    for (const std::uint32_t page : pages) {
      bench.push(ControllerBench::read_job(0, 1, page, 0, 1, page));
      bench.doorbell();
      bench.wait_for(bench.completions.size() + 1);
    }
    sc_core::wait(20, sc_core::SC_US);  // the references go back
  }
  struct Feature {
    std::uint8_t address, first;
    friend bool operator==(const Feature& a, const Feature& b) { return a.address == b.address && a.first == b.first; }
    friend void PrintTo(const Feature& f, std::ostream* out) {
      *out << unsigned{f.address} << '=' << unsigned{f.first};
    }
  };
  static std::vector<Feature> features(const ControllerBench& bench) {
    std::vector<Feature> all;
    for (const SeenSegment& s : bench.segments) {
      if (s.kind == SegmentKind::kSetFeatures) all.push_back({s.feature, s.parameter});
    }
    return all;
  }
  static unsigned code(const wl_flash_completion& entry) { return entry.history & 7U; }
  static sc_core::sc_time limit() { return {1, sc_core::SC_SEC}; }
};

// cube.read.retry_loop: other references until the decoder succeeds. cube.read.no_hw: by
// SET FEATURES alone.
TEST_P(ReadRetryInDrive, StepsAreTakenUntilHardDecodingWorks) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        write(bench, regs::inject, 2U << regs::inject_steps_shift);
        read_pages(bench, {0});
      },
      limit());
  EXPECT_EQ(features(bench), (std::vector<Feature>{{0x89, 1}, {0x89, 2}, {0x89, 0}}));
  EXPECT_EQ(bench.completion(0).entry.status, WL_FLASH_OK);
  EXPECT_EQ(bench.completion(0).entry.retries, 2);
  EXPECT_EQ(bench.completion(0).entry.history, 0U);
  EXPECT_EQ(bench.ecc_registers.counters().retries, 2U);
  EXPECT_EQ(bench.ecc_registers.retries_by_layer().front(), 2U);
  EXPECT_EQ(bench.ecc_registers.counters().decoded_lpages, 1U);
  EXPECT_EQ(bench.ecc_registers.ort().at(0, 0).step, 2U);
  EXPECT_EQ(bench.buffer.slot(0), ControllerBench::filled(DieId(0), {PlaneId(0), BlockId(1), PageId(0), 0}).token);
}

TEST_P(ReadRetryInDrive, RetriesStartFromTheStepThatWorkedInTheLayer) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        write(bench, regs::inject, 2U << regs::inject_steps_shift);
        read_pages(bench, {0});
        write(bench, regs::inject, 1U << regs::inject_steps_shift);
        read_pages(bench, {1});  // the same word line
      },
      limit());
  EXPECT_EQ(features(bench), (std::vector<Feature>{{0x89, 1}, {0x89, 2}, {0x89, 0}, {0x89, 2}, {0x89, 0}}));
  EXPECT_EQ(bench.completion(1).entry.retries, 1);
}

// cube.read.ort_apply, cube.read.reuse: offsets that worked in the layer are set before its next read, which needs one
// sense.
TEST_P(ReadRetryInDrive, FirstReadsStartFromItTooWhenAsked) {
  config::Config c = drive();
  c.ecc.ort = config::Ort::kFirst;
  ControllerBench bench("bench", c);
  simulate(
      [&] {
        write(bench, regs::inject, 2U << regs::inject_steps_shift);
        read_pages(bench, {0});
        write(bench, regs::inject, 0);
        read_pages(bench, {1});
      },
      limit());
  EXPECT_EQ(features(bench), (std::vector<Feature>{{0x89, 1}, {0x89, 2}, {0x89, 0}, {0x89, 2}, {0x89, 0}}));
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 3U + 1U) << "one sense is enough";
  EXPECT_EQ(bench.completion(1).entry.status, WL_FLASH_OK);
  EXPECT_EQ(bench.ecc_registers.counters().retries, 2U);
}

TEST_P(ReadRetryInDrive, SoftReadsMoveAllReferencesDownAndUp) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        write(bench, regs::control, 1);
        write(bench, regs::inject, regs::inject_t1_fail_mask | regs::inject_t2h_fail_mask);
        read_pages(bench, {0});
      },
      limit());
  // One step, which is the best that the controller saw; three reads at 0, -10, +10 there; all back.
  EXPECT_EQ(features(bench),
            (std::vector<Feature>{
                {0x89, 1}, {0xa0, 0xf6}, {0xa1, 0xf6}, {0xa0, 10}, {0xa1, 10}, {0x89, 0}, {0xa0, 0}, {0xa1, 0}}));
  EXPECT_EQ(bench.completion(0).entry.status, WL_FLASH_OK);
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 1U + 1U + 3U);
  EXPECT_EQ(bench.count(SegmentKind::kDataOut), 5U) << "every soft read crosses the bus";
  EXPECT_EQ(bench.controller->soft_reads(), 3U);
  EXPECT_EQ(bench.decoder.reads, 3U);
  EXPECT_EQ(bench.ecc_registers.counters().codewords[2], 2U);
}

TEST_P(ReadRetryInDrive, APageThatNothingHelpsReachesTheFirmwareWithItsHistory) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        write(bench, regs::inject, regs::inject_t1_fail_mask | regs::inject_t2h_fail_mask | regs::inject_t2s_fail_mask);
        read_pages(bench, {0});
        write(bench, regs::inject, 0);
        read_pages(bench, {1});
      },
      limit());
  const wl_flash_completion& lost = bench.completion(0).entry;
  EXPECT_EQ(lost.status, WL_FLASH_UNCORRECTABLE);
  EXPECT_EQ(code(lost), static_cast<unsigned>(ecc::RetryCode::kUncorrectable));
  EXPECT_EQ(lost.history >> ecc::retry_status::kRetriesShift & 31U, 3U);
  EXPECT_EQ(lost.history >> ecc::retry_status::kSoftShift & 3U, 2U);
  EXPECT_EQ(lost.history >> ecc::retry_status::kFailedShift, 2U) << "codewords without data";
  EXPECT_NE(lost.history & ecc::retry_status::kInjected, 0U);
  EXPECT_EQ(bench.controller->soft_reads(), 3U + 7U);
  EXPECT_TRUE(bench.buffer.slot(0).is_zero());
  EXPECT_EQ(bench.owner(0), WL_LPN_NONE);
  EXPECT_EQ(bench.ecc_registers.counters().uncorrectable_lpages, 1U);
  EXPECT_EQ(bench.completion(1).entry.status, WL_FLASH_OK) << "the references are back and the next job is free";
  EXPECT_EQ(bench.completion(1).entry.retries, 0);
}

TEST_P(ReadRetryInDrive, AWrongCrcIsNoData) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        write(bench, regs::inject, regs::inject_crc_mask);
        read_pages(bench, {0});
      },
      limit());
  EXPECT_EQ(bench.completion(0).entry.status, WL_FLASH_OK);
  EXPECT_GE(bench.completion(0).entry.retries, 1);
  EXPECT_GE(bench.ecc_registers.counters().miscorrections, 1U);
}

TEST_P(ReadRetryInDrive, TheIterationsReachTheDecoder) {
  ControllerBench bench("bench", drive());
  const auto set = [&](unsigned t1, unsigned t2) {
    write(bench, regs::iterations, t1 << regs::iterations_t1_shift | t2 << regs::iterations_t2_shift);
  };
  simulate(
      [&] {
        read_pages(bench, {0});
        EXPECT_EQ(bench.decoder.iterations, (ecc::IterationLimits{20, 20}));
        set(7, 31);
        read_pages(bench, {1});
        EXPECT_EQ(bench.decoder.iterations, (ecc::IterationLimits{7, 31})) << "first reads";
        set(5, 6);
        write(bench, regs::inject, regs::inject_t1_fail_mask | regs::inject_t2h_fail_mask);
        read_pages(bench, {2});
        EXPECT_EQ(bench.decoder.iterations, (ecc::IterationLimits{5, 6}));
        EXPECT_EQ(bench.decoder.reads, 3U) << "soft reads";
      },
      limit());
}

TEST_P(ReadRetryInDrive, AJobSaysAtWhichStepItsReadBegins) {
  ControllerBench bench("bench", drive());
  const auto read_at = [&](std::uint32_t page, std::uint32_t control) {
    wl_flash_job job = ControllerBench::read_job(0, 1, page, 0, 1, page);
    job.control = control;
    bench.push(job);
    bench.doorbell();
    bench.wait_for(bench.completions.size() + 1);
    sc_core::wait(20, sc_core::SC_US);
  };
  simulate(
      [&] {
        read_at(0, WL_RETRY_SET | 2U << WL_RETRY_STEP_SHIFT);
        EXPECT_EQ(features(bench), (std::vector<Feature>{{0x89, 2}, {0x89, 0}}));
        EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 1U) << "one sense";
        EXPECT_FALSE(bench.ecc_registers.ort().at(0, 0).valid) << "it needed no more than its first sensing";

        bench.segments.clear();
        write(bench, regs::inject, 2U << regs::inject_steps_shift);  // it has taken one
        read_at(1, WL_RETRY_SET | 2U << WL_RETRY_STEP_SHIFT);
        EXPECT_EQ(features(bench), (std::vector<Feature>{{0x89, 2}, {0x89, 0}})) << "then the default references";
        EXPECT_EQ(bench.ecc_registers.counters().retries, 1U);

        bench.segments.clear();
        write(bench, regs::inject, 0);
        read_at(2, WL_RETRY_SET);
        EXPECT_EQ(features(bench), (std::vector<Feature>{})) << "the default references, whatever the table says";
      },
      limit());
}

TEST_P(ReadRetryInDrive, AJobSaysWithHowManySensesItsReadBegins) {
  struct Case {
    std::uint32_t senses;
    std::vector<Feature> there;  // of the first two senses
  };
  const Case cases[] = {{2, {{0x89, 1}, {0xa0, 0xfa}, {0xa1, 0xfa}, {0xa0, 6}, {0xa1, 6}}},
                        {3, {{0x89, 1}, {0xa0, 0xf6}, {0xa1, 0xf6}}},
                        {5, {{0x89, 1}, {0xa0, 0xf9}, {0xa1, 0xf9}}},
                        {7, {{0x89, 1}, {0xa0, 0xfa}, {0xa1, 0xfa}}}};
  const bool gates = GetParam() == config::EccModel::kRtl;
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        expect_reports(gates);
        std::uint32_t page = 0;
        for (const Case& k : cases) {
          SCOPED_TRACE(k.senses);
          bench.segments.clear();
          const std::uint64_t before = bench.dies[0]->array().counters().page_reads;
          wl_flash_job job = ControllerBench::read_job(0, 1, page, 0, 1, page);
          ++page;
          job.control = WL_RETRY_SET | 1U << WL_RETRY_STEP_SHIFT | k.senses << WL_RETRY_SENSES_SHIFT;
          bench.push(job);
          bench.doorbell();
          if (gates) {
            sc_core::wait(10, sc_core::SC_US);
            EXPECT_EQ(reports_seen(), 1U);
            EXPECT_NE(last_report().find("the read-retry controller in gates begins with one"), std::string::npos);
            continue;
          }
          bench.wait_for(page);
          sc_core::wait(20, sc_core::SC_US);
          EXPECT_EQ(bench.completions.back().entry.status, WL_FLASH_OK);
          EXPECT_EQ(bench.dies[0]->array().counters().page_reads - before, k.senses);
          EXPECT_EQ(bench.count(SegmentKind::kDataOut), k.senses) << "each crosses the bus";
          EXPECT_EQ(bench.decoder.reads, k.senses);
          std::vector<Feature> seen = features(bench);
          ASSERT_GE(seen.size(), k.there.size());
          seen.resize(k.there.size());
          EXPECT_EQ(seen, k.there);
        }
      },
      limit());
}

TEST_P(ReadRetryInDrive, SoftReadsThatFailAtTheStartAreForgotten) {
  if (GetParam() == config::EccModel::kRtl) GTEST_SKIP() << "gates begin with one sense";
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        write(bench, regs::inject, regs::inject_t2s_fail_mask);
        wl_flash_job job = ControllerBench::read_job(0, 1, 0, 0, 1, 0);
        job.control = WL_RETRY_SET | 3U << WL_RETRY_STEP_SHIFT | 2U << WL_RETRY_SENSES_SHIFT;
        bench.push(job);
        bench.doorbell();
        bench.wait_for(1);
        sc_core::wait(20, sc_core::SC_US);
      },
      limit());
  EXPECT_EQ(bench.completion(0).entry.status, WL_FLASH_OK);
  EXPECT_EQ(features(bench),
            (std::vector<Feature>{
                {0x89, 3}, {0xa0, 0xfa}, {0xa1, 0xfa}, {0xa0, 6}, {0xa1, 6}, {0x89, 0}, {0xa0, 0}, {0xa1, 0}}))
      << "two reads around step 3, then the default references";
  EXPECT_EQ(bench.dies[0]->array().counters().page_reads, 3U);
  EXPECT_EQ(bench.ecc_registers.counters().retries, 0U);
}

TEST_P(ReadRetryInDrive, ATableByBlockForgetsABlockThatIsErased) {
  config::Config c = drive();
  c.ecc.ort_scope = config::OrtScope::kBlock;
  ControllerBench bench("bench", c);
  const std::uint32_t blocks = c.nand.geometry.blocks_per_plane;
  simulate(
      [&] {
        write(bench, regs::inject, 2U << regs::inject_steps_shift);
        for (const std::uint32_t block : {1U, 2U}) {
          bench.push(ControllerBench::read_job(0, block, 0, 0, 1, 0));
          bench.doorbell();
          bench.wait_for(block);
        }
        sc_core::wait(20, sc_core::SC_US);
        EXPECT_EQ(bench.ecc_registers.ort().at(1, 0).step, 2U);
        EXPECT_EQ(bench.ecc_registers.ort().at(2, 0).step, 2U);
        EXPECT_FALSE(bench.ecc_registers.ort().at(0, 0).valid) << "another block of the die";
        write(bench, regs::inject, 0);
        bench.push(bench.write_job(WL_FLASH_ERASE, 0, 1, 0, 0));
        bench.doorbell();
        bench.wait_for(3);
        EXPECT_FALSE(bench.ecc_registers.ort().at(1, 0).valid);
        EXPECT_TRUE(bench.ecc_registers.ort().at(2, 0).valid);
      },
      limit());
  EXPECT_EQ(bench.ecc_registers.ort().groups(), blocks);
}

TEST_P(ReadRetryInDrive, ATableByDieOutlivesAnErase) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        write(bench, regs::inject, 2U << regs::inject_steps_shift);
        read_pages(bench, {0});
        bench.push(bench.write_job(WL_FLASH_ERASE, 0, 1, 0, 0));
        bench.doorbell();
        bench.wait_for(2);
      },
      limit());
  EXPECT_TRUE(bench.ecc_registers.ort().at(0, 0).valid);
}

TEST_P(ReadRetryInDrive, AnAbortEndsTheReadAndRestoresTheReferences) {
  ControllerBench bench("bench", drive());
  simulate(
      [&] {
        write(bench, regs::inject, regs::inject_t1_fail_mask | regs::inject_t2h_fail_mask);
        bench.push(ControllerBench::read_job(0, 1, 0, 0, 1, 0));
        bench.doorbell();
        sc_core::wait(70, sc_core::SC_US);  // within the first retry
        write(bench, regs::command, regs::command_abort_mask);
        bench.wait_for(1);
        sc_core::wait(20, sc_core::SC_US);
      },
      limit());
  EXPECT_EQ(bench.completion(0).entry.status, WL_FLASH_UNCORRECTABLE);
  EXPECT_EQ(code(bench.completion(0).entry), static_cast<unsigned>(ecc::RetryCode::kAborted));
  EXPECT_EQ(features(bench), (std::vector<Feature>{{0x89, 1}, {0x89, 0}}));
}

INSTANTIATE_TEST_SUITE_P(Models, ReadRetryInDrive,
                         ::testing::Values(config::EccModel::kCalibrated, config::EccModel::kRtl),
                         [](const auto& info) {
                           return info.param == config::EccModel::kRtl ? std::string("gates")
                                                                       : std::string("reference");
                         });

}  // namespace
}  // namespace wordline::testing::read_retry_test
