// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs with parameters of their own, as a policy asks for them: tables, registers, control word of the job.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "registers/wordline_regs.hpp"

extern "C" {
#include "models/firmware/core/rings.h"
#include "models/firmware/media/media.h"
#include "models/firmware/rooms.h"
}

namespace wordline::testing::media_test {
namespace {

namespace flash = registers::flash;

/// The room of flash jobs by itself, in a drive of one die; registers keep what is written.
struct Media {
  std::vector<std::uint8_t> memory = std::vector<std::uint8_t>(1U << 20);
  std::vector<std::uint8_t> tables = std::vector<std::uint8_t>(1U << 12);
  std::uint64_t dram_used = 0;
  std::map<std::uint32_t, std::uint32_t> registers;
  wl_hal hal{};
  std::unique_ptr<wl_rooms> all = std::make_unique<wl_rooms>();
  wl_firmware* fw = &all->firmware;

  explicit Media(bool programs, std::uint32_t engines = WL_ENGINE_RETRY, bool by_block = false) {
    hal.self = this;
    hal.tcm = memory.data();
    hal.write32 = [](void* self, std::uint32_t at, std::uint32_t value) {
      static_cast<Media*>(self)->registers[at] = value;
    };
    hal.read32 = [](void* self, std::uint32_t at) { return static_cast<Media*>(self)->registers[at]; };
    hal.task = [](void*, std::uint32_t) {};
    hal.mark = [](void*, std::uint32_t, std::uint32_t) {};
    hal.panic = [](void*, const char*, std::uint32_t) { FAIL(); };
    wl_boot_info& boot = fw->boot;
    boot.channels = boot.dies = boot.planes = 1;
    boot.write_slots = boot.read_slots = boot.gc_slots = 64;
    boot.layers = {4, 3, by_block ? 1U : 0U};
    boot.tcm_bytes = static_cast<std::uint32_t>(memory.size());
    boot.engines = engines;
    boot.blocks = 8;
    fw->geometry = wl_geometry_of(1, 4, 3, 8);
    wl_arena tcm{memory.data(), 0, memory.size()};
    wl_arena dram{tables.data(), 0, tables.size()};
    const wl_media_plan plan{programs, nullptr, nullptr};
    wl_media_layout(fw, &tcm, &dram, &plan);
    dram_used = dram.used;
    wl_media_boot(fw, &hal, reinterpret_cast<const wl_slot_info*>(memory.data()));
  }
  template <class T>
  T* at(std::uint32_t offset) {
    return reinterpret_cast<T*>(memory.data() + (registers.at(flash::kBase + offset) - WL_TCM_BASE));
  }
};

TEST(MediaPrograms, SetsAndReportsLieWhereTheRegistersSay) {
  Media m(true);
  EXPECT_EQ(m.registers.at(flash::kBase + flash::program_set_count), WL_PROGRAM_SETS);
  EXPECT_EQ(m.registers.at(flash::kBase + flash::program_report_count), wl_jobs(m.fw));
  wl_program_set set{};
  set.start_raise_mv = 180;
  for (const std::uint32_t number : {1U, WL_PROGRAM_SETS - 1}) {
    set.skip[1] = static_cast<std::uint8_t>(number);
    EXPECT_TRUE(wl_media_program_set(m.fw, number, &set));
    EXPECT_EQ(std::memcmp(m.at<wl_program_set>(flash::program_sets) + number, &set, sizeof set), 0);
  }
  EXPECT_FALSE(wl_media_program_set(m.fw, 0, &set)) << "the device's own program";
  EXPECT_FALSE(wl_media_program_set(m.fw, WL_PROGRAM_SETS, &set));
  const std::uint32_t last = wl_jobs(m.fw) - 1;
  m.at<wl_program_report>(flash::program_reports)[last].ber_ep1 = 77;
  EXPECT_EQ(wl_media_report(m.fw, last)->ber_ep1, 77U);
}

TEST(MediaPrograms, TheJobCarriesItsControlWord) {
  Media m(true);
  wl_send_flash_program(m.fw, &m.hal, 5, 0, m.fw->geometry.unit_lpages, 12, WL_PRIORITY_GC, WL_PROGRAM_REPORT | 9, 0);
  const wl_flash_job job = *WL_QUEUE_OUT(&m.all->media.to_flash, wl_flash_job);
  EXPECT_EQ(job.op, WL_FLASH_PROGRAM);
  EXPECT_EQ(job.id, 5);
  EXPECT_EQ(job.control, WL_PROGRAM_REPORT | 9U);
}

TEST(MediaPrograms, APolicyWithoutThemTakesNoMemory) {
  Media with(true), without(false);
  wl_program_set set{};
  EXPECT_FALSE(wl_media_program_set(without.fw, 1, &set));
  EXPECT_EQ(wl_media_report(without.fw, 1), nullptr);
  EXPECT_EQ(without.registers.count(flash::kBase + flash::program_sets), 0U);
  const auto needed = [](const Media& m, bool programs) {
    wl_rooms all = *m.all;
    wl_arena tcm{nullptr, 0, 0}, dram{nullptr, 0, 0};
    const wl_media_plan plan{programs, nullptr, nullptr};
    wl_media_layout(&all.firmware, &tcm, &dram, &plan);
    return tcm.used;
  };
  EXPECT_GE(needed(with, true) - needed(without, false),
            WL_PROGRAM_SETS * sizeof(wl_program_set) + wl_jobs(with.fw) * sizeof(wl_program_report));
}

// cube.opm.role, cube.read.ort_apply: a read of an h-layer with an entry begins where the entry says; one of another
// layer does not.
// Table of optimal references: 4 h-layers, 8 blocks.
TEST(MediaReadStart, ATableByBlockIsInDramAndForgetsABlockThatIsErased) {
  Media die(false, 0), block(false, 0, true);
  EXPECT_EQ(die.dram_used, 0U);
  EXPECT_EQ(block.dram_used, 8U * 4);
  for (Media* m : {&die, &block}) {
    m->all->media.rules.ort_enable = m->all->media.rules.ort_first = 1;
    m->all->media.rules.last_step = 7;
  }
  const auto ppa = [](const Media& m, std::uint32_t b, std::uint32_t page) {
    const wl_location at{0, b, page, 0};
    return static_cast<std::uint32_t>(wl_ppa_of(&m.fw->geometry, at));
  };
  constexpr std::uint32_t kStep3 = WL_RETRY_SET | 3U << WL_RETRY_STEP_SHIFT;
  // h-layer 2 of block 5 worked at step 3 after three reads.
  block.all->media.ort[5 * 4 + 2] = die.all->media.ort[2] = WL_ORT_VALID | 1U << 4 | 3U;
  EXPECT_EQ(wl_media_read_start(block.fw, ppa(block, 5, 7)), kStep3 | 3U << WL_RETRY_SENSES_SHIFT);
  EXPECT_EQ(wl_media_read_start(block.fw, ppa(block, 4, 7)), 0U) << "another block";
  EXPECT_EQ(wl_media_read_start(block.fw, ppa(block, 5, 4)), 0U) << "another layer";
  EXPECT_EQ(wl_media_read_start(die.fw, ppa(die, 4, 7)), kStep3) << "of a die: the step alone";
  for (Media* m : {&die, &block}) wl_send_flash_erase(m->fw, &m->hal, 1, 5, 0);
  EXPECT_EQ(wl_media_read_start(block.fw, ppa(block, 5, 7)), 0U);
  EXPECT_EQ(wl_media_read_start(die.fw, ppa(die, 5, 7)), kStep3) << "its other blocks are as they were";
}

}  // namespace
}  // namespace wordline::testing::media_test
