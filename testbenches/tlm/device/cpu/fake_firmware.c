/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "testbenches/tlm/device/cpu/fake_firmware.h"

#define NVME_DOORBELL 0x0010u
#define IRQ_ENABLE(core) (0x3000u + 0x10u * (core))
#define IRQ_CLAIM(core) (0x3004u + 0x10u * (core))
#define IRQ_IPI(core) (0x3008u + 0x10u * (core))

struct wl_firmware* fake_boot(const struct wl_hal* hal) {
  struct wl_firmware* fw = (struct wl_firmware*)(void*)(wl_tcm(hal) + FAKE_CONTEXT);
  FW_TASK(hal, WL_COST_BOOT);
  const uint32_t cores = ((const struct wl_boot_info*)(const void*)wl_tcm(hal))->cores;
  for (uint32_t core = 0; core < cores; ++core) wl_write32(hal, IRQ_ENABLE(core), 0xfu);
  *(uint32_t*)(void*)wl_dram(hal) = 0x600dcafeu;
  return fw;
}

bool fake_poll(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core) {
  struct fake_core* c = &fw->core[core];
  ++c->polls;
  if (c->work == 0) {
    FW_TASK(hal, WL_COST_IDLE);
    FW_COMMAND(hal, WL_COMMAND_NONE);
    return false;
  }
  --c->work;
  FW_TASK(hal, WL_COST_HOST_READ);
  FW_FOR(hal, 2 /* a read */, 5);
  switch (c->what) {
    case FAKE_DOORBELL:
      FW_TASK(hal, WL_COST_FTL_READ);
      wl_write32(hal, NVME_DOORBELL, ++c->sent);
      break;
    case FAKE_IPI:
      wl_write32(hal, IRQ_IPI(1u - core), 1);
      wl_mark(hal, WL_WAITER_WRITE | WL_POOL_WRITE_BUFFER << 8, WL_MARK_WAIT);
      FW_COMMAND(hal, WL_COMMAND_NONE);
      break;
    case FAKE_PANIC:
      WL_ASSERT(hal, c->what == FAKE_DOORBELL);
      ++c->after_panic;
      break;
    case FAKE_BAD_REGISTER:
      c->sent = wl_read32(hal, 0x00ff0u);
      ++c->after_panic;
      break;
    case FAKE_BAD_TAG:
      FW_TASK(hal, WL_COST_COUNT);
      ++c->after_panic;
      break;
    case FAKE_BAD_WAIT:
      wl_mark(hal, WL_WAITER_WRITE | WL_POOL_COUNT << 8, WL_MARK_WAIT);
      break;
    case FAKE_FREE:
      break;
  }
  return true;
}

void fake_wake(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core) {
  FW_TASK(hal, WL_COST_WAKE);
  fw->core[core].claimed = wl_read32(hal, IRQ_CLAIM(core));
  ++fw->core[core].wakes;
}

bool fake_may_sleep(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core) {
  (void)hal;
  if (fw->core[core].stay_awake == 0) return true;
  --fw->core[core].stay_awake;
  return false;
}
