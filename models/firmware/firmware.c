/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The scheduling loop of a core, and its sleep. A core announces its sleep and then looks at its queues once more; a producer
 * fills the queue and then looks for the announcement. So no wake-up is lost. Hardware raises its interrupt after the entry,
 * and a pending interrupt ends WFI at once.
 */
#include "models/firmware/tasks.h"

static inline bool host_ready(const struct wl_firmware* fw) {
  return fw->event_ring->produced != fw->event_ring->consumed || !wl_queue_empty(&fw->ftl_to_host);
}
static inline bool ftl_ready(const struct wl_firmware* fw) {
  return fw->kick != 0 || !wl_queue_empty(&fw->host_to_ftl) || !wl_queue_empty(&fw->flash_to_ftl) ||
         (fw->grace_running != 0 && wl_grace_ended(fw));
}
static inline bool flash_ready(const struct wl_firmware* fw) {
  return fw->completion_ring->produced != fw->completion_ring->consumed || !wl_queue_empty(&fw->ftl_to_flash);
}

static inline bool core_ready(const struct wl_firmware* fw, uint32_t tasks) {
  return ((tasks & 1u << WL_TASK_HOST) != 0 && host_ready(fw)) || ((tasks & 1u << WL_TASK_FTL) != 0 && ftl_ready(fw)) ||
         ((tasks & 1u << WL_TASK_FLASH) != 0 && flash_ready(fw));
}

bool wl_firmware_poll(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core) {
  const uint32_t tasks = fw->core_tasks[core];
  if (!core_ready(fw, tasks)) {
    FW_TASK(hal, WL_COST_IDLE);
    FW_COMMAND(hal, WL_COMMAND_NONE); /* what a round after a piece of work takes counts for that */
    return false;
  }
  FW_TASK(hal, WL_COST_LOOP);
  if ((tasks & 1u << WL_TASK_FLASH) != 0) wl_flash_poll(fw, hal);
  if ((tasks & 1u << WL_TASK_HOST) != 0) wl_host_poll(fw, hal);
  if ((tasks & 1u << WL_TASK_FTL) != 0) wl_ftl_poll(fw, hal);
  return true;
}

void wl_firmware_wake(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core) {
  FW_TASK(hal, WL_COST_WAKE);
  fw->sleeping[core] = 0;
  (void)wl_read32(hal, WL_REGISTER_AT(IRQ, core, CLAIM));
}

bool wl_firmware_may_sleep(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core) {
  (void)hal;
  fw->sleeping[core] = 1;
  WL_FENCE();
  if (!core_ready(fw, fw->core_tasks[core])) return true;
  fw->sleeping[core] = 0;
  return false;
}

bool wl_firmware_idle(const struct wl_firmware* fw) {
  if (fw->active != 0 || fw->kick != 0 || fw->free_jobs != fw->job_count) return false;
  if (!wl_queue_empty(&fw->host_to_ftl) || !wl_queue_empty(&fw->ftl_to_host)) return false;
  if (!wl_queue_empty(&fw->ftl_to_flash) || !wl_queue_empty(&fw->flash_to_ftl)) return false;
  if (fw->fetches != 0) return false;
  /* Quiet notifications of completed reads may be left: nobody waits for them. */
  for (uint32_t i = fw->event_ring->consumed; i != fw->event_ring->produced; ++i)
    if (fw->events[i & fw->event_mask].type != WL_EVENT_DMA_DONE) return false;
  return true;
}

const struct wl_firmware_statistics* wl_firmware_statistics(const struct wl_firmware* fw) { return &fw->statistics; }

uint32_t wl_firmware_buffered(const struct wl_firmware* fw) {
  uint32_t sectors = 0;
  for (uint32_t u = 0; u < fw->host_units; ++u) {
    const struct wl_unit* unit = &fw->units[u];
    if (unit->state == WL_UNIT_FREE || unit->state == WL_UNIT_DONE) continue;
    sectors += unit->filled;
  }
  return sectors;
}
