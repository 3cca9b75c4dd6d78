// Copyright (c) Wordline contributors
// SPDX-License-Identifier: Apache-2.0
//
// A driver of a user's own in a native program: where its state lies, and what happens where there is no room for it.
#include "models/firmware/core/own_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "models/firmware/firmware.h"
#include "workload.h"

extern "C" {

/// The driver: it counts, and says where.
struct wl_own_state {
  std::uint32_t boots, interrupts;
  std::uint8_t table[600];
};
extern const std::uint32_t wl_own_state_bytes = sizeof(wl_own_state);

void wl_own_boot(const wl_hal* hal, struct wl_own_state* state) {
  WL_ASSERT(hal, std::all_of(state->table, state->table + sizeof(state->table), [](std::uint8_t b) { return b == 0; }));
  std::fill_n(state->table, sizeof(state->table), std::uint8_t{0xaa});
  ++state->boots;
}

void wl_own_interrupt(const wl_hal* /*hal*/, struct wl_own_state* state) { ++state->interrupts; }
}

namespace wordline::testing::own_driver_test {
namespace {

struct Panic {
  std::string file;
};

/// Memories and registers of a drive; the interrupt of the block is always pending.
struct Machine {
  explicit Machine(const wl_boot_info& info) : boot(info), tcm(info.tcm_bytes), dram(info.dram_bytes) {
    std::memcpy(tcm.data(), &info, sizeof(info));
    hal.write32 = [](void*, std::uint32_t, std::uint32_t) {};
    hal.read32 = [](void*, std::uint32_t offset) {
      const bool claims = offset == WL_REGISTER_AT(IRQ, 0, CLAIM) || offset == WL_REGISTER_AT(IRQ, 1, CLAIM);
      return claims ? 1U << WL_IRQ_APB : 0U;
    };
    hal.task = [](void*, std::uint32_t) {};
    hal.mark = [](void*, std::uint32_t, std::uint32_t) {};
    hal.panic = [](void*, const char* file, std::uint32_t) { throw Panic{file}; };
    hal.tcm = tcm.data();
    hal.dram = dram.data();
  }
  [[nodiscard]] const struct wl_own_state& state() const { return *wl_own_state_at(&boot, &hal); }

  const wl_boot_info boot;
  std::vector<std::uint8_t> tcm, dram;
  wl_hal hal{};
};

wl_boot_info boot_of_two_cores() { return boot_of({"own_driver", 2, 3, 2, {0, 1, 0}, true, true}); }

// The ftl task is on core 1 here, the boot on core 0: both see one state.
TEST(OwnDriver, CountsInItsStateOnEveryCore) {
  Machine machine(boot_of_two_cores());
  wl_firmware* const fw = wl_firmware_boot(&machine.hal);
  EXPECT_EQ(machine.state().boots, 1U);
  EXPECT_EQ(machine.state().interrupts, 0U);
  for (std::uint32_t i = 1; i <= 5; ++i) {
    wl_firmware_wake(fw, &machine.hal, 1);
    EXPECT_EQ(machine.state().interrupts, i);
  }
  wl_firmware_wake(fw, &machine.hal, 0);
  EXPECT_EQ(machine.state().interrupts, 6U);
  EXPECT_EQ(machine.state().boots, 1U);
}

TEST(OwnDriver, DrivesOfOneProgramHaveAStateEach) {
  Machine a(boot_of_two_cores()), b(boot_of_two_cores());
  wl_firmware* const first = wl_firmware_boot(&a.hal);
  (void)wl_firmware_boot(&b.hal);
  wl_firmware_wake(first, &a.hal, 1);
  EXPECT_EQ(a.state().interrupts, 1U);
  EXPECT_EQ(b.state().interrupts, 0U);
}

TEST(OwnDriver, NobodyElseWritesIntoItsState) {
  Machine machine(boot_of_two_cores());
  wl_firmware* const fw = wl_firmware_boot(&machine.hal);
  unsigned work = 0;
  for (int round = 0; round < 100; ++round) {
    for (const std::uint32_t core : {0U, 1U}) work += wl_firmware_poll(fw, &machine.hal, core) ? 1 : 0;
  }
  EXPECT_LT(work, 200U) << "nothing is to do in a drive without commands";
  const std::uint8_t* const table = machine.state().table;
  EXPECT_EQ(std::count(table, table + sizeof(machine.state().table), 0xaa), std::ptrdiff_t{600});
}

// Counted with what the firmware needs; a byte less does not boot, and names the state.
TEST(OwnDriver, AStateWithoutRoomIsNamedAtTheBoot) {
  wl_boot_info boot = boot_of_two_cores();
  boot.tcm_bytes = static_cast<std::uint32_t>(wl_memory_needed(&boot).tcm) & ~(WL_OWN_STATE_ALIGN - 1);
  if (wl_memory_needed(&boot).tcm > boot.tcm_bytes) boot.tcm_bytes += WL_OWN_STATE_ALIGN;
  {
    Machine machine(boot);
    EXPECT_NO_THROW((void)wl_firmware_boot(&machine.hal));
  }
  boot.tcm_bytes -= WL_OWN_STATE_ALIGN;
  Machine machine(boot);
  try {
    (void)wl_firmware_boot(&machine.hal);
    ADD_FAILURE() << "it booted";
  } catch (const Panic& panic) {
    EXPECT_NE(panic.file.find("struct wl_own_state, for which tightly coupled memory has no room left"),
              std::string::npos)
        << panic.file;
  }
}

}  // namespace
}  // namespace wordline::testing::own_driver_test
