/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The scheduling loop of a core, and its sleep. A core announces its sleep and then polls its queues once more; a
 * producer fills the queue and then reads the announcement. So no wake-up is lost. Hardware raises its interrupt
 * after the entry, and a pending interrupt ends WFI at once.
 */
#include "models/firmware/firmware.h"

#include "models/firmware/admin/admin.h"
#include "models/firmware/core/core.h"
#include "models/firmware/core/own_state.h"
#include "models/firmware/core/state.h"
#include "models/firmware/core/timers.h"
#include "models/firmware/host/host.h"
#include "models/firmware/map/map.h"
#include "models/firmware/media/media.h"
#include "models/firmware/service/ftl_task.h"

static inline bool core_ready(const struct wl_firmware* fw, uint32_t tasks) {
  return ((tasks & 1u << WL_TASK_HOST) != 0 && wl_host_ready(fw)) ||
         ((tasks & 1u << WL_TASK_FTL) != 0 && wl_ftl_ready(fw)) ||
         ((tasks & 1u << WL_TASK_FLASH) != 0 && wl_flash_ready(fw));
}

/* Those of queues have done their work by waking the core: it looks into its queues anyway. */
static void take_interrupts(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core) {
  const uint32_t pending = wl_read32(hal, WL_REGISTER_AT(IRQ, core, CLAIM));
  if (pending & 1u << WL_IRQ_TIMER) wl_timers_expired(fw, hal);
  if (WL_HAS_OWN_DRIVER && pending & 1u << WL_IRQ_APB) wl_own_interrupt(hal, wl_own_state_at(&fw->boot, hal));
}

bool wl_firmware_booted(const struct wl_firmware* fw) { return wl_core_view(fw)->started != 0; }

bool wl_firmware_poll(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core) {
  const uint32_t tasks = wl_core_state(fw)->tasks[core];
  if (!core_ready(fw, tasks)) {
    FW_TASK(hal, WL_COST_IDLE);
    FW_COMMAND(hal, WL_COMMAND_NONE); /* the polling round after a command is charged to that command */
    return false;
  }
  FW_TASK(hal, WL_COST_LOOP);
  if ((tasks & 1u << WL_TASK_FLASH) != 0) wl_flash_poll(fw, hal);
  if ((tasks & 1u << WL_TASK_HOST) != 0) wl_host_poll(fw, hal);
  if ((tasks & 1u << WL_TASK_FTL) != 0) {
#ifdef WL_NATIVE
    wl_map_runs_on(fw, hal);
#endif
    wl_ftl_poll(fw, hal);
    if (__builtin_expect((wl_kicked(fw) & WL_STEP_ADMIN) != 0, 0)) wl_admin_step(fw, hal);
  }
  /* A core under load does not sleep, and the block of a user's own does not wait for its idleness. */
  if (WL_HAS_OWN_DRIVER && (tasks & 1u << WL_TASK_FTL) != 0) take_interrupts(fw, hal, core);
  return true;
}

void wl_firmware_wake(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core) {
  FW_TASK(hal, WL_COST_WAKE);
  wl_core_state(fw)->sleeping[core] = 0;
  take_interrupts(fw, hal, core);
}

bool wl_firmware_may_sleep(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core) {
  (void)hal;
  wl_core_state(fw)->sleeping[core] = 1;
  WL_FENCE();
  if (!core_ready(fw, wl_core_state(fw)->tasks[core])) return true;
  wl_core_state(fw)->sleeping[core] = 0;
  return false;
}

bool wl_firmware_idle(const struct wl_firmware* fw) { return wl_ftl_idle(fw) && wl_media_idle(fw) && wl_host_idle(fw); }

const struct wl_firmware_statistics* wl_firmware_statistics(const struct wl_firmware* fw) { return &fw->statistics; }
