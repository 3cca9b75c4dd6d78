/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How rooms wake each other: a task by an interrupt of its core, a step of the ftl task by its bit. A step that has to
 * wait takes its bit back (wl_rest); whatever it waits for sets it again (wl_kick). So nothing is polled.
 */
#ifndef WORDLINE_FIRMWARE_CORE_CORE_H
#define WORDLINE_FIRMWARE_CORE_CORE_H

#include <stddef.h>

#include "models/firmware/context.h"
#include "registers/wordline_regs.h"

#define WL_REGISTER(member) ((uint32_t)offsetof(wordline_t, member))
#define WL_REGISTER_AT(array, i, member)                                     \
  (WL_REGISTER(array) + (i) * (uint32_t)sizeof(((wordline_t*)0)->array[0]) + \
   ((uint32_t)offsetof(wordline_t, array[0].member) - WL_REGISTER(array[0])))

/* After a push to a queue of `task`: wakes its core when that has announced its sleep. */
static inline void wl_notify(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t task) {
  const uint32_t core = fw->boot.task_core[task];
  WL_FENCE();
  if (fw->core.sleeping[core]) wl_write32(hal, WL_REGISTER_AT(IRQ, core, IPI), 1);
}

static inline void wl_kick(struct wl_firmware* fw, uint32_t steps) { fw->core.kick |= steps; }
static inline void wl_rest(struct wl_firmware* fw, uint32_t steps) { fw->core.kick &= ~steps; }
static inline uint32_t wl_kicked(const struct wl_firmware* fw) { return fw->core.kick; }

/* Kept by the owner of a step's queue, so that rooms below can kick the step when it has something to do. */
static inline void wl_queued(struct wl_firmware* fw, uint32_t steps) { fw->core.queued |= steps; }
static inline void wl_not_queued(struct wl_firmware* fw, uint32_t steps) { fw->core.queued &= ~steps; }
static inline void wl_kick_queued(struct wl_firmware* fw, uint32_t steps) { fw->core.kick |= fw->core.queued & steps; }

/* The host has been silent for ftl.idle_after. */
static inline enum wl_silence wl_silence(const struct wl_firmware* fw) { return (enum wl_silence)fw->core.silence; }
static inline bool wl_host_silent(const struct wl_firmware* fw) { return wl_silence(fw) == WL_SILENT; }
static inline void wl_host_silence(struct wl_firmware* fw, enum wl_silence silence) { fw->core.silence = silence; }

/* For the observer: what the first of `waiter` waits for from now on, WL_POOL_NONE: it goes on. */
static inline void wl_waits(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t waiter, uint32_t pool) {
  const uint32_t shift = 8 * waiter;
  if ((fw->core.waits >> shift & 0xffu) == pool) return;
  fw->core.waits = (fw->core.waits & ~(0xffu << shift)) | pool << shift;
  wl_mark(hal, waiter | pool << 8, WL_MARK_WAIT);
}

static inline uint32_t wl_bus_address(const struct wl_hal* hal,
                                      const volatile void* p) { /* in tightly coupled memory */
  return WL_TCM_BASE + (uint32_t)((const volatile uint8_t*)p - wl_tcm(hal));
}
static inline uint32_t wl_dram_address(const struct wl_hal* hal, const void* p) {
  return WL_DRAM_BASE + (uint32_t)((const uint8_t*)p - wl_dram(hal));
}

#endif
