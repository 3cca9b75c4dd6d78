// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>
#include <random>
#include <vector>

#include "models/firmware/contract/contract.h"
#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/device/flash/notebook.h"
#include "testbenches/tlm/device/memory/bus_master.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/memory/data_buffer.h"
#include "tlm/device/memory/dram.h"
#include "tlm/device/memory/map_port.h"
#include "tlm/device/memory/tcm.h"

namespace wordline::memory::memory_test {
namespace {

using namespace wordline::literals;
using testing::BusMaster;
using testing::expect_reports;
using testing::reports_seen;
using testing::simulate;

constexpr Picoseconds kLimit = 1_ms;

constexpr config::Dram kDram{BytesPerSecond(4'000'000'000), 60_ns};

class TcmTest : public ::testing::Test {
 protected:
  TcmTest() { master.socket.bind(tcm.socket); }
  BusMaster master{"master"};
  Tcm tcm{"tcm", WL_TCM_BASE, WL_TCM_SIZE};
};

TEST_F(TcmTest, HardwareAndBusSeeTheSameBytes) {
  simulate(
      [&] {
        std::byte* const p = tcm.at(WL_TCM_BASE + 0x40, 8);
        ASSERT_NE(p, nullptr);
        const std::uint64_t pattern = 0x1122334455667788;
        std::memcpy(p, &pattern, 8);
        EXPECT_EQ(master.read(0x40), 0x55667788U);
        EXPECT_EQ(master.read(0x44), 0x11223344U);
        EXPECT_EQ(master.status, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(master.delay, 0_ps);
        EXPECT_TRUE(master.payload.is_dmi_allowed());
        master.write(WL_TCM_SIZE - 4, 0xabcdef01);
        std::uint32_t last = 0;
        std::memcpy(&last, tcm.at(WL_TCM_BASE + WL_TCM_SIZE - 4, 4), 4);
        EXPECT_EQ(last, 0xabcdef01U);
        EXPECT_EQ(master.read(0x100), 0U) << "never written: zero";
      },
      tlm_if::to_sc_time(kLimit));
}

TEST_F(TcmTest, DirectPointerIsTheSameMemory) {
  simulate(
      [&] {
        tlm::tlm_dmi dmi;
        ASSERT_TRUE(master.dmi(0x2000, dmi));
        EXPECT_TRUE(dmi.is_read_write_allowed());
        EXPECT_EQ(dmi.get_start_address(), 0U);
        EXPECT_EQ(dmi.get_end_address(), WL_TCM_SIZE - 1U);
        EXPECT_EQ(reinterpret_cast<std::byte*>(dmi.get_dmi_ptr()), tcm.at(WL_TCM_BASE, 4));
        EXPECT_FALSE(master.dmi(WL_TCM_SIZE, dmi));
      },
      tlm_if::to_sc_time(kLimit));
}

TEST_F(TcmTest, HardwareOutsideOrMisalignedIsAnError) {
  simulate(
      [&] {
        expect_reports(true);
        const std::pair<std::uint32_t, std::size_t> bad[] = {
            {WL_TCM_BASE - 4, 4},
            {0, 4},
            {WL_TCM_BASE + WL_TCM_SIZE, 4},
            {WL_TCM_BASE + WL_TCM_SIZE - 4, 8},
            {WL_TCM_BASE + 2, 4},
            {WL_TCM_BASE, WL_TCM_SIZE + std::size_t{1}},
            {0xfffffffc, 4},
            {WL_TCM_BASE + 4, SIZE_MAX},
        };
        for (const auto& [address, bytes] : bad) {
          EXPECT_EQ(tcm.at(address, bytes), nullptr) << address << ' ' << bytes;
          EXPECT_EQ(reports_seen(), 1U);
        }
        expect_reports(false);
        EXPECT_NE(tcm.at(WL_TCM_BASE, WL_TCM_SIZE), nullptr);
      },
      tlm_if::to_sc_time(kLimit));
}

TEST_F(TcmTest, BadTransfersAreRefused) {
  simulate(
      [&] {
        std::uint64_t data = 0;
        master.go(tlm::TLM_READ_COMMAND, WL_TCM_SIZE - 4, &data, 8, 0_ps);
        EXPECT_EQ(master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        master.read(WL_TCM_SIZE);
        EXPECT_EQ(master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        master.read(~std::uint64_t{0} - 1);
        EXPECT_EQ(master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        unsigned char enable = 0xff;
        master.payload.set_byte_enable_ptr(&enable);
        master.read(0);
        EXPECT_EQ(master.status, tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
      },
      tlm_if::to_sc_time(kLimit));
}

TEST_F(TcmTest, DebugAccessIsCutAtTheEnd) {
  simulate(
      [&] {
        std::uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        EXPECT_EQ(master.debug(tlm::TLM_WRITE_COMMAND, WL_TCM_SIZE - 3, bytes, 8), 3U);
        std::uint8_t back[3] = {};
        EXPECT_EQ(master.debug(tlm::TLM_READ_COMMAND, WL_TCM_SIZE - 3, back, 3), 3U);
        EXPECT_EQ(std::memcmp(bytes, back, 3), 0);
        EXPECT_EQ(master.debug(tlm::TLM_READ_COMMAND, WL_TCM_SIZE, back, 1), 0U);
      },
      tlm_if::to_sc_time(kLimit));
}

class DramTest : public ::testing::Test {
 protected:
  DramTest() { master.socket.bind(dram.socket); }
  BusMaster master{"master"};
  Dram dram{"dram", testing::context(), kDram};
};

TEST_F(DramTest, FirstComeFirstServedToThePicosecond) {
  simulate(
      [&] {
        // 4 KiB at 4 GB/s: 1024 ns. The latency is pipelined.
        EXPECT_EQ(dram.reserve(0_ps, 4096), 1024_ns + 60_ns);
        EXPECT_EQ(dram.reserve(0_ps, 4096), 2048_ns + 60_ns);
        EXPECT_EQ(dram.reserve(5_us, 4), 5_us + 1_ns + 60_ns);
        EXPECT_EQ(dram.reserve(0_ps, 4), 2049_ns + 60_ns) << "what is ready now takes the gap before 5 us";
        EXPECT_EQ(dram.busy().busy, 2050_ns);
        EXPECT_EQ(dram.busy().uses, 4U);
        sc_core::wait(tlm_if::to_sc_time(7_us + 1_ps));
        EXPECT_EQ(dram.reserve(1_us, 4), 7_us + 1_ps + 1_ns + 60_ns) << "not before the present";
        EXPECT_EQ(dram.reserve(7_us + 1_ns + 1_ps, 1), 7_us + 1_ps + 1_ns + 250_ps + 60_ns) << "touching is free";
      },
      tlm_if::to_sc_time(kLimit));
}

TEST(DramRunTest, SeveralTransfersAtOnceAreThoseOfOneByOne) {
  std::mt19937 random(3);
  Dram at_once("at_once", testing::context(), kDram, 4096);
  Dram one_by_one("one_by_one", testing::context(), kDram, 4096);
  for (int run = 0; run < 200; ++run) {
    std::vector<tlm_if::Transfer> transfers(random() % 40);
    std::vector<Picoseconds> expected;
    for (tlm_if::Transfer& t : transfers) {
      t = {random() % 3 == 0 ? 512U : 4096U, Picoseconds(static_cast<std::int64_t>(random() % 400'000'000))};
      expected.push_back(one_by_one.reserve(t.at, t.bytes));
    }
    at_once.reserve_each(transfers);
    for (std::size_t i = 0; i < transfers.size(); ++i) ASSERT_EQ(transfers[i].at, expected[i]) << run << ' ' << i;
  }
  EXPECT_EQ(at_once.busy().busy, one_by_one.busy().busy);
}

/// Also where a transfer fills the gap before another: the port does not fall where the other begins.
TEST(DramWavesTest, ThePortIsHighWhileATransferHoldsIt) {
  testing::Notebook notebook;
  Dram dram("dram", testing::context(), kDram, 4096, &notebook);
  (void)dram.reserve(2_us, 4096);            // 1,024 ns
  (void)dram.reserve(2_us - 1024_ns, 4096);  // right before it
  (void)dram.reserve(0_ps, 4096);            // too long for what is left before: behind both
  (void)dram.reserve(0_ps, 2048);            // not too long
  using Changes = std::map<Picoseconds, std::string>;
  EXPECT_EQ(notebook.notes["ssd.dram.port"], (Changes{{0_ps, "1"},
                                                      {512_ns, "0"},
                                                      {2_us - 1024_ns, "1"},
                                                      {2_us, "1"},
                                                      {2_us + 1024_ns, "1"},
                                                      {2_us + 2048_ns, "0"}}));
}

TEST(DramRateTest, RoundsUpPerTransfer) {
  Dram dram("dram", testing::context(), {BytesPerSecond(3'000'000'000), 0_ps}, 4096);
  BusMaster master("master");
  master.socket.bind(dram.socket);
  simulate(
      [&] {
        EXPECT_EQ(dram.reserve(0_ps, 1), 334_ps);
        EXPECT_EQ(dram.reserve(0_ps, 1), 668_ps);
        EXPECT_EQ(dram.reserve(0_ps, 0), 668_ps);
      },
      tlm_if::to_sc_time(kLimit));
}

TEST_F(DramTest, WholeWindowIsZeroAndTakesOnlyWhatIsTouched) {
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  simulate(
      [&] {
        EXPECT_EQ(master.read(0), 0U);
        EXPECT_EQ(master.delay, 60_ns);
        master.write(WL_DRAM_SIZE - 4, 77);
        EXPECT_EQ(master.read(WL_DRAM_SIZE - 4, 5_ns), 77U);
        EXPECT_EQ(master.delay, 65_ns);
        master.read(WL_DRAM_SIZE);
        EXPECT_EQ(master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        tlm::tlm_dmi dmi;
        ASSERT_TRUE(master.dmi(0x1000'0000, dmi));
        EXPECT_EQ(dmi.get_end_address(), WL_DRAM_SIZE - 1ULL);
        EXPECT_EQ(reinterpret_cast<std::byte*>(dmi.get_dmi_ptr()), dram.data());
      },
      tlm_if::to_sc_time(kLimit));
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 64 * 1024) << "KiB";
}

struct MapPortTest : ::testing::Test {
  MapPortTest() { master.socket.bind(port.socket); }

  // 64 bytes take 64 ns.
  MapPort port{"port", 10, {BytesPerSecond(1'000'000'000), 50_ns}};
  BusMaster master{"master"};
};

TEST_F(MapPortTest, AWordIsReadAfterItsNumberAndWaitsForDram) {
  namespace r = registers::map;
  simulate(
      [&] {
        master.write(r::word, 3);
        master.write(r::data, 33, 7_ns);
        EXPECT_EQ(master.delay, 7_ns) << "posted";
        master.write(r::next, 44);
        EXPECT_EQ(port.word(3), 33U);
        EXPECT_EQ(port.word(4), 44U);
        EXPECT_EQ(master.read(r::data, 7_ns), 33U);
        EXPECT_EQ(master.delay, 7_ns + 50_ns + 64_ns);
        EXPECT_EQ(master.read(r::next, 7_ns), 44U);
        EXPECT_EQ(master.delay, 7_ns) << "in the same burst";
        EXPECT_EQ(master.read(r::data), 33U);
        EXPECT_EQ(master.delay, 114_ns) << "again";
        master.write(r::word, 4);
        EXPECT_EQ(master.read(r::word), 4U);
        EXPECT_EQ(master.delay, 0_ns);
        EXPECT_EQ(master.read(r::next), 0U) << "never written";
        EXPECT_EQ(master.delay, 114_ns) << "DATA was not read";
      },
      tlm_if::to_sc_time(kLimit));
}

TEST_F(MapPortTest, WordsThatAreNotThereAnswerWithAnError) {
  namespace r = registers::map;
  simulate(
      [&] {
        master.write(r::word, 9);
        master.write(r::data, 1);
        EXPECT_EQ(master.status, tlm::TLM_OK_RESPONSE);
        (void)master.read(r::next);
        EXPECT_EQ(master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        master.write(r::word, 10);
        master.write(r::data, 1);
        EXPECT_EQ(master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        (void)master.read(r::bank + 4);
        EXPECT_EQ(master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
      },
      tlm_if::to_sc_time(kLimit));
}

// Ten words in the second bank: 16 GiB in front of them that nobody touches.
TEST(MapPortBanks, AWordBeyondThoseOfTheFirstBankIsAnotherOne) {
  namespace r = registers::map;
  constexpr std::uint64_t kSecond = std::uint64_t{1} << 32U;
  MapPort port{"port", kSecond + 10, {BytesPerSecond(1'000'000'000), 50_ns}};
  BusMaster master{"master"};
  master.socket.bind(port.socket);
  simulate(
      [&] {
        EXPECT_EQ(port.next_written(0), port.words());
        master.write(r::word, 3);
        master.write(r::data, 33);
        master.write(r::bank, 1);
        EXPECT_EQ(master.read(r::data), 0U);
        master.write(r::data, 44);
        EXPECT_EQ(port.word(3), 33U);
        EXPECT_EQ(port.word(kSecond + 3), 44U);
        EXPECT_EQ(port.next_written(0), 0U);
        EXPECT_EQ(port.next_written(4), 4U) << "in a stretch with one that was";
        EXPECT_EQ(port.next_written(1'000'000), kSecond);
        EXPECT_EQ(port.next_written(kSecond + 10), port.words());
        master.write(r::word, 10);
        (void)master.read(r::data);
        EXPECT_EQ(master.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
        master.write(r::bank, 0);
        master.write(r::word, 0xffffffff);
        master.write(r::next, 55);
        EXPECT_EQ(port.word(kSecond), 55U) << "behind the last word of the bank";
        EXPECT_EQ(master.read(r::bank), 0U);
      },
      tlm_if::to_sc_time(kLimit));
}

TEST(DataBufferTest, SlotsKeepTokensAndAreChecked) {
  DataBuffer buffer(4);
  EXPECT_EQ(buffer.slots(), 4U);
  EXPECT_TRUE(buffer.slot(3).is_zero());
  buffer.slot(3) = data::LpageToken::uniform(Lpn(9), 5);
  EXPECT_EQ(buffer.slot(3), data::LpageToken::uniform(Lpn(9), 5));
  EXPECT_TRUE(buffer.slot(2).is_zero());
  EXPECT_EQ(buffer.pool().mixed_count(), 0U);
  expect_reports(true);
  buffer.slot(4) = data::LpageToken::uniform(Lpn(1), 2);
  EXPECT_EQ(reports_seen(), 1U);
}

TEST(AnonymousPagesTest, ImpossibleSizeNamesTheMemory) {
  try {
    const AnonymousPages memory(std::size_t{1} << 62, "ssd.dram");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("ssd.dram"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace wordline::memory::memory_test
