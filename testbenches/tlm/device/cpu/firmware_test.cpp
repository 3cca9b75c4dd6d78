// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// The real firmware on both kinds of core, side by side in one simulation; the test plays the NVMe controller and the
// channel. Both must ask the hardware for the same.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "models/firmware/firmware.h"
#include "registers/wordline_regs.hpp"
#include "testbenches/tlm/device/cpu/rig.h"
#include "testbenches/tlm/support/simulate.h"
#include "tlm/device/cpu/iss_core.h"
#include "tlm/device/cpu/native_core.h"

namespace wordline::cpu {
namespace {

using namespace wordline::literals;
namespace regs = registers;
using testing::RegisterProbe;
using testing::simulate;
Picoseconds now() { return tlm_if::kernel_time(); }
using tlm_if::to_sc_time;

constexpr Picoseconds kLimit = 10_ms;

wl_boot_info small_drive(unsigned cores) {
  wl_boot_info info{};
  info.magic = WL_BOOT_MAGIC;
  info.cores = cores;
  for (unsigned task = 0; task < WL_TASK_COUNT; ++task) info.task_core[task] = task % cores;
  info.channels = info.dies = info.planes = info.pages_per_program = 1;
  info.blocks = 32;
  info.pages = 16;
  info.ftl.lpage_shift = 3;
  info.lpages_per_page = 4;
  info.user_lpages = 512;
  info.write_slots = 64;
  info.read_slots = 64;
  info.gc_slots = 32;
  info.host_tags = 8;
  info.gc_start_superblocks = 4;
  info.gc_reserve_superblocks = 2;
  info.ftl.gc_pacing = 1;
  info.power_safe = 1;
  info.preconditioned = 1;
  info.engines = WL_ENGINE_PARSE | WL_ENGINE_RETRY;
  info.dram_bytes = 1U << 20;
  info.tcm_bytes = WL_TCM_SIZE;
  return info;
}

// A drive without its hardware: cores, memories, probes.
class Drive : public sc_core::sc_module {
 public:
  Drive(const sc_core::sc_module_name& name, unsigned cores) : sc_module(name), rig(cores) {
    const wl_boot_info info = small_drive(cores);
    std::memcpy(rig.tcm.data(), &info, sizeof(info));
  }
  template <class CoreKind, class... Arguments>
  void add_core(unsigned i, Arguments&&... arguments) {
    const std::string core_name = std::string(basename()) + "_core" + std::to_string(i);
    auto core = std::make_unique<CoreKind>(core_name.c_str(), std::forward<Arguments>(arguments)...);
    core->socket.bind(rig.bus.cores[i]);
    core->interrupt.bind(rig.irq.lines[i]);
    core->stage_clock.bind(stages);
    cores.push_back(std::move(core));
  }

  // The hardware's side of the rings.
  static std::uint32_t last(const RegisterProbe& probe, std::uint32_t offset) {
    std::uint32_t value = 0;
    for (const RegisterProbe::Store& s : probe.stores)
      if (s.offset == offset) value = s.value;
    return value;
  }
  template <class Entry>
  void push(std::uint32_t base, std::uint32_t size, const Entry& entry, unsigned source) {
    auto* const ring = reinterpret_cast<wl_ring*>(rig.tcm.at(base, sizeof(wl_ring)));
    const std::uint32_t i = ring->produced % size;
    std::memcpy(rig.tcm.at(base + WL_RING_ENTRIES + i * sizeof(Entry), sizeof(Entry)), &entry, sizeof(Entry));
    ring->produced = ring->produced + 1;
    rig.irq.raise(source);
  }
  void host_event(const wl_host_event& event) {
    push(last(rig.nvme, regs::nvme::event_ring_base), last(rig.nvme, regs::nvme::event_ring_size), event, WL_IRQ_HOST);
  }
  void flash_completion(const wl_flash_completion& done) {
    push(last(rig.flash, regs::flash::completion_ring_base), last(rig.flash, regs::flash::completion_ring_size), done,
         WL_IRQ_FLASH);
  }
  wl_host_job host_job(std::uint32_t i) {
    wl_host_job job;
    const std::uint32_t entries = last(rig.nvme, regs::nvme::job_ring_base) + WL_RING_ENTRIES;
    std::memcpy(&job, rig.tcm.at(entries + i * sizeof(job), sizeof(job)), sizeof(job));
    return job;
  }
  wl_flash_job flash_job(std::uint32_t i) {
    wl_flash_job job;
    const std::uint32_t entries = last(rig.channel, regs::channel::job_ring_base) + WL_RING_ENTRIES;
    std::memcpy(&job, rig.tcm.at(entries + i * sizeof(job), sizeof(job)), sizeof(job));
    return job;
  }
  CoreStatistics total() const {
    CoreStatistics sum;
    for (const auto& core : cores) {
      const CoreStatistics s = core->statistics();
      sum.busy += s.busy;
      sum.instructions += s.instructions;
      for (std::size_t tag = 0; tag < s.cycles.size(); ++tag) {
        sum.cycles[tag] += s.cycles[tag];
        sum.entries[tag] += s.entries[tag];
      }
    }
    return sum;
  }

  testing::Rig rig;
  testing::WorkProbe stages;
  std::size_t works = 0;  // when its flash job was sent
  std::vector<std::unique_ptr<Core>> cores;
};

// Cores and quantum in nanoseconds.
class FirmwareTest : public ::testing::TestWithParam<std::pair<unsigned, std::int64_t>> {
 protected:
  FirmwareTest() {
    const config::Cpu config = testing::cpu_config(Picoseconds(GetParam().second * 1000));
    for (unsigned i = 0; i < GetParam().first; ++i) {
      iss.add_core<IssCore>(i, testing::context(), config, i, image, nullptr);
      native.add_core<NativeCore>(i, testing::context(), config, i, firmware, NativeCostTable().of(), nullptr);
    }
  }
  void both(const std::function<void(Drive&)>& what) {
    what(iss);
    what(native);
  }
  static void wait_for(Picoseconds d) { sc_core::wait(to_sc_time(d)); }

  riscv::ElfFile image{FIRMWARE_ELF};
  NativeFirmware firmware{{wl_firmware_boot, wl_firmware_poll, wl_firmware_wake, wl_firmware_may_sleep}, nullptr, {}};
  Drive iss{"iss", GetParam().first};
  Drive native{"native", GetParam().first};
};
INSTANTIATE_TEST_SUITE_P(Cores, FirmwareTest,
                         ::testing::Values(std::make_pair(1U, 0), std::make_pair(1U, 1000), std::make_pair(3U, 0),
                                           std::make_pair(3U, 1000)));

template <class Job>
void expect_same(const Job& a, const Job& b) {
  EXPECT_EQ(std::memcmp(&a, &b, sizeof(Job)), 0);
}

TEST_P(FirmwareTest, BootProgramsTheSameRegistersAndSleeps) {
  simulate(
      [&] {
        wait_for(2_ms);
        both([](Drive& drive) {
          EXPECT_EQ(drive.last(drive.rig.nvme, regs::nvme::control), 1U) << drive.name() << " is ready";
          EXPECT_EQ(drive.total().entries[WL_COST_BOOT], 1U);
        });
        const auto sizes = [](const RegisterProbe& probe) {
          std::vector<std::pair<std::uint64_t, std::uint32_t>> out;
          for (const RegisterProbe::Store& s : probe.stores) {
            // Addresses differ: the host's pointers are wider, so its context is larger.
            const bool address = s.value >= WL_TCM_BASE;
            out.emplace_back(s.offset, address ? 0 : s.value);
          }
          return out;
        };
        EXPECT_EQ(sizes(iss.rig.nvme), sizes(native.rig.nvme));
        EXPECT_EQ(sizes(iss.rig.flash), sizes(native.rig.flash));
        EXPECT_EQ(sizes(iss.rig.channel), sizes(native.rig.channel));
        const CoreStatistics before = iss.total();
        const Picoseconds native_before = native.total().busy;
        wait_for(2_ms);
        EXPECT_EQ(iss.total().instructions, before.instructions) << "asleep";
        EXPECT_EQ(native.total().busy, native_before) << "asleep";
      },
      to_sc_time(kLimit));
}

TEST_P(FirmwareTest, ReadAndWriteAskForTheSameJobs) {
  simulate(
      [&] {
        wait_for(2_ms);
        wl_host_event read{};
        read.type = WL_EVENT_COMMAND;
        read.opcode = 2;
        read.flags = WL_EVENT_LAST;
        read.tag = 3;
        read.blocks = 8;
        read.slba = 5 * 8;
        const Picoseconds start = now();
        both([&](Drive& drive) { drive.host_event(read); });
        wait_for(100_us);
        both([&](Drive& drive) {
          ASSERT_EQ(drive.last(drive.rig.channel, regs::channel::job_doorbell), 1U) << drive.name();
          const wl_flash_job job = drive.flash_job(0);
          EXPECT_EQ(job.op, WL_FLASH_READ);
          EXPECT_EQ(job.tag, 3U);
          EXPECT_EQ(job.count, 1U);
          ASSERT_FALSE(drive.stages.works.empty());
          EXPECT_EQ(drive.stages.works[0].tag, 3U);
          EXPECT_GT(drive.stages.works[0].from, start);
          EXPECT_LT(drive.stages.works[0].from, drive.rig.channel.stores.back().arrival);
          Picoseconds worked{};
          for (const auto& work : drive.stages.works) worked += work.to - work.from;
          EXPECT_GT(worked, (drive.rig.channel.stores.back().arrival - start) / 3) << "nothing else was to be done";
          EXPECT_LT(worked, drive.total().busy);
          drive.works = drive.stages.works.size();
          EXPECT_LT(drive.rig.channel.stores.back().arrival - start, 10_us);
          wl_flash_completion done{};
          done.id = job.id;
          drive.flash_completion(done);
        });
        expect_same(iss.flash_job(0), native.flash_job(0));
        wait_for(100_us);
        both([&](Drive& drive) {
          ASSERT_EQ(drive.last(drive.rig.nvme, regs::nvme::job_doorbell), 1U) << drive.name();
          const wl_host_job job = drive.host_job(0);
          EXPECT_EQ(job.op, WL_JOB_DMA_OUT);
          EXPECT_EQ(job.tag, 3U);
          EXPECT_EQ(job.slot, drive.flash_job(0).slot) << "what the channel read goes to the host";
          ASSERT_GT(drive.stages.works.size(), drive.works);
          EXPECT_EQ(drive.stages.works.back().tag, 3U);
        });
        expect_same(iss.host_job(0), native.host_job(0));

        wl_host_event write = read;
        write.opcode = 1;
        write.tag = 4;
        both([&](Drive& drive) { drive.host_event(write); });
        wait_for(100_us);
        both([&](Drive& drive) {
          ASSERT_EQ(drive.last(drive.rig.nvme, regs::nvme::job_doorbell), 2U) << drive.name();
          EXPECT_EQ(drive.host_job(1).op, WL_JOB_DMA_IN);
          EXPECT_EQ(drive.host_job(1).tag, 4U);
        });
        expect_same(iss.host_job(1), native.host_job(1));
        const CoreStatistics a = iss.total();
        const CoreStatistics b = native.total();
        for (std::uint32_t tag = 0; tag < WL_COST_COUNT; ++tag) {
          // How often the loop comes round depends on when things happen; the work does not.
          if (tag == WL_COST_IDLE || tag == WL_COST_LOOP || tag == WL_COST_WAKE) continue;
          EXPECT_EQ(a.entries[tag], b.entries[tag]) << cost_tag_name(tag);
        }
      },
      to_sc_time(kLimit));
}

}  // namespace
}  // namespace wordline::cpu
