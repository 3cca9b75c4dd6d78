// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
#include "tlm/device/flash/flash_backend.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cstring>

#include "models/firmware/contract/contract.h"
#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/device/flash/controller_bench.h"
#include "testbenches/tlm/device/flash/reference_config.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/memory/data_buffer.h"
#include "tlm/device/memory/dram.h"
#include "tlm/device/memory/tcm.h"

namespace wordline::testing {
namespace {

constexpr std::uint32_t kRing = WL_TCM_BASE + 0x1000;  // of channel 0; 0x1000 apart
constexpr std::uint32_t kEntries = 64;
constexpr std::uint32_t kCompletions = WL_TCM_BASE + 0x10000;
constexpr std::uint32_t kSlotTable = WL_TCM_BASE + 0x20000;

/// The whole back end of two channels with the real decoder; the rings and registers as the firmware sets them.
struct BackendBench : sc_core::sc_module, tlm_if::InterruptIf {
  using Socket = tlm_utils::simple_initiator_socket<BackendBench>;

  BackendBench(const sc_core::sc_module_name& name, const config::Config& c)
      : sc_module(name),
        config(c),
        layout(config::layout_of(c)),
        tcm("tcm", WL_TCM_BASE, 0x40000),
        dram("dram", testing::context(), config.dram, 4096),
        buffer(1024),
        backend("flash", testing::context(), config, layout, &ControllerBench::filled, nullptr),
        sockets("socket", 6) {
    sockets[0].bind(backend.channel_registers(0));
    sockets[1].bind(backend.channel_registers(1));
    sockets[2].bind(backend.registers);
    sockets[3].bind(backend.ecc_registers());
    sockets[4].bind(tcm.socket);
    sockets[5].bind(dram.socket);
    backend.memory.bind(tcm);
    backend.dram.bind(dram);
    backend.buffer.bind(buffer);
    backend.interrupt.bind(*this);
  }

  void set_up() {
    for (unsigned channel = 0; channel < 2; ++channel) {
      access(channel, true, registers::channel::job_ring_base, kRing + channel * 0x1000);
      access(channel, true, registers::channel::job_ring_size, kEntries);
    }
    access(2, true, registers::flash::completion_ring_base, kCompletions);
    access(2, true, registers::flash::completion_ring_size, 256);
    access(2, true, registers::flash::slot_table, kSlotTable);
  }
  std::uint32_t access(unsigned socket, bool write, std::uint32_t offset, std::uint32_t value = 0,
                       tlm::tlm_response_status answer = tlm::TLM_OK_RESPONSE) {
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    sockets[socket]->b_transport(payload, delay);
    EXPECT_EQ(payload.get_response_status(), answer);
    return value;
  }
  void push(wl_flash_job job) {
    const unsigned channel = job.die % 2;
    auto& ring = *reinterpret_cast<wl_ring*>(tcm.at(kRing + channel * 0x1000, sizeof(wl_ring)));
    std::memcpy(tcm.at(kRing + channel * 0x1000 + WL_RING_ENTRIES + ring.produced % kEntries * 32, 32), &job, 32);
    ring.produced = ring.produced + 1;
    access(channel, true, registers::channel::job_doorbell, ring.produced);
  }
  void wait_for(std::size_t count) {
    while (completions.size() < count) sc_core::wait(seen);
  }
  void raise(unsigned) override {
    auto& ring = *reinterpret_cast<wl_ring*>(tcm.at(kCompletions, sizeof(wl_ring)));
    for (; ring.consumed != ring.produced; ring.consumed = ring.consumed + 1) {
      wl_flash_completion entry;
      std::memcpy(&entry, tcm.at(kCompletions + WL_RING_ENTRIES + ring.consumed % 256 * 8, 8), 8);
      completions.push_back({tlm_if::kernel_time(), entry});
    }
    seen.notify();
  }

  const config::Config config;
  const config::Layout layout;
  memory::Tcm tcm;
  memory::Dram dram;
  memory::DataBuffer buffer;
  flash::FlashBackend backend;
  sc_core::sc_vector<Socket> sockets;
  sc_core::sc_event seen{"seen"};
  std::vector<SeenCompletion> completions;
};

config::Config two_channels() {
  config::Config c = reference_config();
  c.dram = {BytesPerSecond(8'000'000'000), 100_ns};
  c.ecc.max_soft = 2;
  c.ecc.ort = config::Ort::kRetry;
  c.ecc.ort_scope = config::OrtScope::kDie;
  return c;
}

nand::StoredLpage content(const wl_flash_job& job) {
  return ControllerBench::filled(DieId(job.die), {PlaneId(static_cast<std::uint8_t>(job.lpage / 4)), BlockId(job.block),
                                                  PageId(job.page), job.lpage % 4U});
}

// One logical page of each of `count` places, over all dies.
std::vector<wl_flash_job> reads(unsigned count) {
  std::vector<wl_flash_job> jobs;
  for (unsigned i = 0; i < count; ++i) {
    jobs.push_back(ControllerBench::read_job(static_cast<std::uint16_t>(i % 4), i / 4 % 8, i % 24,
                                             static_cast<std::uint16_t>(i * 5 % 8), 1, i));
    jobs.back().id = static_cast<std::uint16_t>(i);
  }
  return jobs;
}

TEST(FlashBackend, EnergyOfOneReadIsThatOfTheKeys) {
  config::Config c = two_channels();
  c.nand.energy = {2.5, 0.012, 0, 0, 3e-6, 1, 4.5, 0.007};
  BackendBench bench("bench", c);
  simulate(
      [&] {
        bench.set_up();
        bench.push(ControllerBench::read_job(0, 0, 0, 0, 1, 0));
        bench.wait_for(1);
      },
      sc_core::sc_time(1, sc_core::SC_SEC));
  results::Registry registry;
  bench.backend.register_statistics(registry);
  EXPECT_NEAR(registry.get<Picojoules>("energy_pj.nand_array").count(), 2.5 * 0.012 * 37e6, 1e-3);
  // 00h, five address cycles, 30h; then a logical page of 4,648 bytes. They take 195 and 5,876.25 ns.
  EXPECT_NEAR(registry.get<Picojoules>("energy_pj.nand_bus").count(),
              4.5 * 8 * (7 + 4648) + 2.5 * 0.007 * (195'000 + 5'876'250), 1e-3);
  const auto now = static_cast<double>(tlm_if::kernel_time().count());
  EXPECT_NEAR(registry.get<Picojoules>("energy_pj.nand_standby").count(), 4 * 2.5 * 3e-6 * now, 1e-3);
}

TEST(FlashBackend, FreshReadsAreRightAndNeedNoRetry) {
  BackendBench bench("bench", two_channels());
  const auto jobs = reads(120);
  simulate(
      [&] {
        bench.set_up();
        for (const auto& job : jobs) bench.push(job);
        bench.wait_for(jobs.size());
        EXPECT_EQ(bench.access(3, false, registers::ecc::decoded), 120U);
      },
      sc_core::sc_time(1, sc_core::SC_SEC));
  for (const auto& job : jobs) EXPECT_EQ(bench.buffer.slot(job.slot), content(job).token) << job.slot;
  results::Registry registry;
  bench.backend.register_statistics(registry);
  EXPECT_EQ(registry.get<std::uint64_t>("flash.reads"), 120U);
  EXPECT_EQ(registry.get<std::uint64_t>("flash.retries"), 0U);
  EXPECT_GT(registry.get<Picojoules>("energy_pj.nand_array").count(), 0.0);
  results::Resources resources;
  bench.backend.register_resources(resources);
  EXPECT_EQ(resources.shares_of("channels").shares.size(), 2U);
  EXPECT_EQ(resources.shares_of("dies").shares.size(), 4U);
  EXPECT_EQ(resources.shares_of("decoders").shares.size(), 2U);
  EXPECT_EQ(resources.shares_of("retry").shares.size(), 4U);
  EXPECT_EQ(bench.backend.outstanding(), 0U);
  EXPECT_EQ(bench.backend.channels(), 2U);
  EXPECT_EQ(bench.backend.dies(), 4U);
  for (std::uint16_t die = 0; die < 4; ++die) {
    // 30 reads of pages with i % 24: each page type's tR, so between 37 and 46 us, and their 195 + 5,876.25 ns on the
    // bus.
    EXPECT_GE(bench.backend.die_busy(DieId(die)).count(), (30 * 37_us).count() + 30 * 6'071'250);
    EXPECT_LE(bench.backend.die_busy(DieId(die)).count(), (30 * 46_us + 30 * 100_ns).count() + 30 * 6'071'250);
  }
  // 60 reads of 195 ns and 5876.25 ns each per channel, nothing else.
  EXPECT_EQ(bench.backend.channel_busy(0).count(), 60 * (195'000 + 5'876'250));
}

TEST(FlashBackend, AgedReadsRetryAndAreRight) {
  config::Config c = two_channels();
  c.nand.aging.pe_cycles = 2000;
  c.nand.aging.retention_days = 365;
  BackendBench bench("bench", c);
  results::Registry registry;
  bench.backend.register_statistics(registry);
  const auto jobs = reads(120);
  simulate(
      [&] {
        bench.set_up();
        for (const auto& job : jobs) bench.push(job);
        bench.wait_for(jobs.size());
        EXPECT_EQ(bench.access(3, false, registers::ecc::retries), registry.get<std::uint64_t>("flash.retries"));
      },
      sc_core::sc_time(1, sc_core::SC_SEC));
  const auto taken = registry.get<std::uint64_t>("flash.retries");
  const auto uncorrectable = registry.get<std::uint64_t>("flash.uncorrectable");
  EXPECT_GT(taken, 0U);
  EXPECT_EQ(registry.get<std::uint64_t>("flash.reads"), 120U + taken);
  std::uint64_t retries = 0, lost = 0;
  for (const SeenCompletion& seen : bench.completions) {
    retries += seen.entry.retries;
    const wl_flash_job& job = jobs[seen.entry.id];
    if (seen.entry.status == WL_FLASH_OK) {
      EXPECT_EQ(bench.buffer.slot(job.slot), content(job).token) << job.slot;
    } else {
      EXPECT_EQ(seen.entry.status, WL_FLASH_UNCORRECTABLE);
      EXPECT_TRUE(bench.buffer.slot(job.slot).is_zero());
      ++lost;
    }
  }
  EXPECT_EQ(bench.completions.size(), 120U);
  EXPECT_EQ(lost, uncorrectable);
  EXPECT_EQ(retries, taken);
  RecordProperty("retries", static_cast<int>(taken));
  RecordProperty("uncorrectable", static_cast<int>(uncorrectable));
}

TEST(FlashBackend, WritesOfAllDiesComeBack) {
  config::Config c = two_channels();
  BackendBench bench("bench", c);
  std::vector<wl_flash_job> jobs;
  simulate(
      [&] {
        bench.set_up();
        const std::uint32_t unit = bench.layout.lpages_per_program;
        for (std::uint16_t die = 0; die < 4; ++die) {
          wl_flash_job job = ControllerBench::read_job(die, 5, 0, 0, static_cast<std::uint16_t>(unit), die * unit);
          job.op = WL_FLASH_ERASE;
          bench.push(job);
          job.op = WL_FLASH_PROGRAM;
          for (std::uint32_t i = 0; i < unit; ++i) {
            bench.buffer.slot(job.slot + i) = data::LpageToken::uniform(Lpn(die * 100U + i), 3);
          }
          bench.push(job);
          wl_flash_job read = ControllerBench::read_job(die, 5, 2, 0, 8, 512U + die * 8U);
          bench.push(read);
        }
        bench.wait_for(12);
        for (std::uint16_t die = 0; die < 4; ++die) {
          for (std::uint32_t i = 0; i < 8; ++i) {
            EXPECT_EQ(bench.buffer.slot(512 + die * 8 + i), data::LpageToken::uniform(Lpn(die * 100U + 16 + i), 3));
          }
        }
      },
      sc_core::sc_time(1, sc_core::SC_SEC));
  for (const SeenCompletion& seen : bench.completions) EXPECT_EQ(seen.entry.status, WL_FLASH_OK);
  results::Registry registry;
  bench.backend.register_statistics(registry);
  EXPECT_EQ(registry.get<std::uint64_t>("flash.programs"), 4U);
  EXPECT_EQ(registry.get<std::uint64_t>("flash.erases"), 4U);
  EXPECT_EQ(registry.get<std::uint64_t>("flash.sectors_programmed"), 4U * bench.layout.lpages_per_program);
}

constexpr std::uint32_t iterations(unsigned t1, unsigned t2) {
  return t1 << registers::ecc::iterations_t1_shift | t2 << registers::ecc::iterations_t2_shift;
}

TEST(FlashBackend, StatisticsTakeNoOtherIterationsThanTheirOwn) {
  config::Config c = two_channels();
  c.ecc.rtl_every = 1;
  BackendBench bench("bench", c);
  simulate(
      [&] {
        const std::uint32_t offset = registers::ecc::iterations;
        bench.access(3, true, offset, iterations(20, 20));
        expect_reports(true);
        bench.access(3, true, offset, iterations(20, 10), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_EQ(bench.access(3, false, offset), iterations(20, 20)) << "unchanged";
      },
      sc_core::sc_time(1, sc_core::SC_MS));
}

TEST(FlashBackend, ASampleInGatesTakesNoOtherIterationsEither) {
  config::Config c = two_channels();
  c.ecc.model = config::EccModel::kRtl;
  c.ecc.rtl_every = 2;
  BackendBench bench("bench", c);
  simulate(
      [&] {
        expect_reports(true);
        bench.access(3, true, registers::ecc::iterations, iterations(10, 20), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(reports_seen(), 1U);
      },
      sc_core::sc_time(1, sc_core::SC_MS));
}

TEST(FlashBackend, GatesTakeTheIterationsThatTheirCountersHold) {
  config::Config c = two_channels();
  c.ecc.model = config::EccModel::kRtl;
  BackendBench bench("bench", c);
  simulate(
      [&] {
        const std::uint32_t offset = registers::ecc::iterations;
        bench.access(3, true, offset, iterations(255, 31));
        expect_reports(true);
        bench.access(3, true, offset, iterations(20, 32), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(reports_seen(), 1U);
        EXPECT_EQ(bench.access(3, false, offset), iterations(255, 31));
      },
      sc_core::sc_time(1, sc_core::SC_MS));
}

}  // namespace
}  // namespace wordline::testing
