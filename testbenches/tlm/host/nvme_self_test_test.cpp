// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Device Self-test: what the controller checks, hands to the firmware, and makes of its log.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "models/checks/load.h"
#include "testbenches/tlm/host/nvme_bench.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/nvme/self_test.h"

namespace wordline::testing::nvme_self_test_test {
namespace {

namespace nvme = host::nvme;
using namespace wordline::literals;

nvme::SubmissionEntry self_test(std::uint32_t nsid, std::uint32_t code) {
  nvme::SubmissionEntry sqe = admin_command(nvme::kDeviceSelfTest, code);
  sqe.nsid = nsid;
  return sqe;
}

std::uint64_t first_of(const wl_sqe& entry) { return std::uint64_t{entry.dword[13]} << 32 | entry.dword[12]; }
std::uint64_t blocks_of(const wl_sqe& entry) { return std::uint64_t{entry.dword[15]} << 32 | entry.dword[14]; }

config::Config two_namespaces() {
  config::Config config = nvme_bench_config();
  config.nvme.namespaces = {0.5, 0.5};
  config.nvme.lba_size = config::LbaSize::k4096;
  return config;
}

TEST(NvmeSelfTest, TheFirmwareIsToldWhichBlocks) {
  NvmeBench bench(two_namespaces());
  play([&] {
    bench.enable();
    const std::uint64_t all = NvmeBench::kLpages * 8;
    const auto blocks = [&](std::uint32_t nsid, std::uint64_t first, std::uint64_t count) {
      bench.submit(0, self_test(nsid, nvme::kSelfTestShort));
      const wl_host_event event = bench.event();
      EXPECT_EQ(first_of(bench.admin_entry()), first) << nsid;
      EXPECT_EQ(blocks_of(bench.admin_entry()), count) << nsid;
      bench.answer(event, 0);
      EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    };
    blocks(1, 0, all / 2);
    blocks(2, all / 2, all / 2);
    blocks(nvme::kAllNamespaces, 0, all);
    blocks(0, 0, 0);
    EXPECT_EQ(admin_status(bench, self_test(3, nvme::kSelfTestShort)), nvme::kInvalidField | nvme::kDnr)
        << "not active";
    EXPECT_EQ(admin_status(bench, self_test(33, nvme::kSelfTestShort)), nvme::kInvalidNamespace | nvme::kDnr);
    for (const std::uint32_t code : {0U, 3U, 14U, 0x10U}) {
      EXPECT_EQ(admin_status(bench, self_test(1, code)), nvme::kInvalidField | nvme::kDnr) << code;
    }
    bench.submit(0, self_test(1, nvme::kSelfTestExtended));
    bench.answer(bench.event(), nvme::kSelfTestInProgress | nvme::kDnr);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSelfTestInProgress | nvme::kDnr);
  });
}

TEST(NvmeSelfTest, TheLogNamesNamespaceAndLba) {
  NvmeBench bench(two_namespaces());
  play([&] {
    bench.enable();
    namespace log = nvme::self_test_log;
    std::vector<std::uint8_t> data(WL_SELF_TEST_LOG_BYTES, 0);
    std::uint8_t* second = &data[log::kResults + log::kResultBytes];
    second[log::kValid] = log::kLbaValid;
    const std::uint64_t block = NvmeBench::kLpages * 4 + 24;
    std::memcpy(second + log::kLba, &block, sizeof block);
    const std::uint64_t page = bench.memory.allocate();
    nvme::SubmissionEntry sqe = admin_command(nvme::kGetLogPage, 140U << 16 | nvme::kLogSelfTest, 0, page);
    bench.submit(0, sqe);
    bench.answer(bench.event(), 0, 0, data);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    std::vector<std::uint8_t> got(WL_SELF_TEST_LOG_BYTES);
    bench.memory.read(page, got.data(), got.size());
    const std::uint8_t* result = &got[log::kResults + log::kResultBytes];
    std::uint64_t lba = 0;
    std::uint32_t nsid = 0;
    std::memcpy(&lba, result + log::kLba, sizeof lba);
    std::memcpy(&nsid, result + log::kNsid, sizeof nsid);
    EXPECT_EQ(nsid, 2U);
    EXPECT_EQ(lba, 3U) << "of 4 KiB";
    EXPECT_EQ(result[log::kValid], log::kLbaValid | log::kNsidValid);
    EXPECT_EQ(got[log::kResults + log::kValid], 0U) << "the other names none";
    sqe.cdw12 = 568;
    EXPECT_EQ(admin_status(bench, sqe), nvme::kInvalidField | nvme::kDnr);
  });
}

/// The firmware hears of a reset only when a test may run, and before the next command.
TEST(NvmeSelfTest, TheFirmwareHearsOfAReset) {
  NvmeBench bench;
  play([&] {
    const auto reset = [&] {
      bench.write32(nvme::kRegCc, 0);
      pass(20_us);
      bench.enable();
    };
    bench.enable();
    reset();
    EXPECT_FALSE(bench.has_event()) << "no test has been begun";
    bench.submit(0, self_test(1, nvme::kSelfTestShort));
    bench.answer(bench.event(), 0);
    EXPECT_EQ(nvme::status_of(bench.completion(0)), nvme::kSuccess);
    reset();
    const std::uint16_t cid = bench.submit(0, admin_command(nvme::kGetFeatures, nvme::kFeatureAsyncEvents));
    const wl_host_event told = bench.event();
    EXPECT_EQ(told.flags, WL_ADMIN_RESET | WL_ADMIN_FIRST);
    pass(20_us);
    EXPECT_FALSE(bench.has_event());
    bench.answer(told, 0);
    const wl_host_event event = bench.event();
    EXPECT_EQ(event.flags, 0);
    bench.answer(event, 0, 5);
    const nvme::CompletionEntry done = bench.completion(0);
    EXPECT_EQ(done.cid, cid);
    EXPECT_EQ(done.dw0, 5U);
    reset();
    EXPECT_FALSE(bench.has_event()) << "it has been told";
    // The command is with the firmware when the reset comes.
    bench.submit(0, self_test(1, nvme::kSelfTestShort));
    const wl_host_event begun = bench.event();
    reset();
    EXPECT_FALSE(bench.has_event());
    bench.answer(begun, 0);
    EXPECT_EQ(bench.event().flags, WL_ADMIN_RESET | WL_ADMIN_FIRST);
    EXPECT_FALSE(bench.has_completion(0));
  });
}

TEST(NvmeSelfTest, IdentifySaysHowLong) {
  NvmeBench bench;
  play([&] {
    bench.enable();
    const std::uint64_t page = bench.memory.allocate();
    EXPECT_EQ(admin_status(bench, admin_command(nvme::kIdentify, nvme::kCnsController, 0, page)), nvme::kSuccess);
    std::vector<std::uint8_t> id(4096);
    bench.memory.read(page, id.data(), id.size());
    EXPECT_EQ(id[nvme::identify_controller::kOacs] & 0x10U, 0x10U);
    EXPECT_EQ(id[nvme::identify_controller::kEdstt], 1U) << "a minute begun";
    EXPECT_EQ(id[nvme::identify_controller::kDsto], 1U);
  });
}

/// 2^28 logical pages of 4 KiB, eight at a time: 2^25 x tR.
TEST(NvmeSelfTest, ALargeDriveTakesMinutes) {
  constexpr std::uint64_t kTebibyte = (std::uint64_t{1} << 40) / 512;
  const auto minutes = [](const std::vector<std::string>& sets) {
    return nvme::extended_self_test_minutes(config::load("", sets).config, kTebibyte);
  };
  EXPECT_EQ(minutes({"nand.cell=tlc", "nand.timing.mode=pinned", "nand.timing.t_r=[60us]", "nand.timing.t_prog=[700us]",
                     "nand.timing.t_bers=3ms"}),
            34U);  // 2013.3 s
  // Derived: a Gray code of TLC has 1, 2 and 4 senses of t_sense, between t_precharge and t_discharge.
  EXPECT_EQ(
      minutes({"nand.cell=tlc", "nand.timing.mode=derived", "nand.timing.t_precharge=6us", "nand.timing.t_sense=9us",
               "nand.timing.t_discharge=3us", "nand.timing.senses_per_page=[1, 2, 4]"}),
      17U);  // 30 us: 1006.6 s
}

}  // namespace
}  // namespace wordline::testing::nvme_self_test_test
