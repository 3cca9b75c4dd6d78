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

#define WL_MAX_CORES 8u
#define WL_STACK_BYTES 8192u /* per core, at the top end of tightly coupled memory */

enum wl_silence {
  WL_SPOKE,  /* the host has sent a command since the idle timer began; or there is no idle work */
  WL_BUSY,   /* commands were in flight when the timer expired: it begins again when the last of them ends */
  WL_QUIET,  /* it has sent none */
  WL_SILENT, /* nor for a whole time of it: idle work may run; no timer runs */
};

/* After a push to a queue of `task`: wakes its core when that has announced its sleep. */
void wl_notify(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t task);

void wl_kick(struct wl_firmware* fw, uint32_t steps);
void wl_rest(struct wl_firmware* fw, uint32_t steps);
uint32_t wl_kicked(const struct wl_firmware* fw);

/* Kept by the owner of a step's queue, so that rooms below can kick the step when it has something to do. */
void wl_queued(struct wl_firmware* fw, uint32_t steps);
void wl_not_queued(struct wl_firmware* fw, uint32_t steps);
void wl_kick_queued(struct wl_firmware* fw, uint32_t steps);

/* The host has been silent for ftl.idle_after. */
enum wl_silence wl_silence(const struct wl_firmware* fw);
static inline bool wl_host_silent(const struct wl_firmware* fw) { return wl_silence(fw) == WL_SILENT; }
void wl_host_silence(struct wl_firmware* fw, enum wl_silence silence);

/* For the observer: what the first of `waiter` waits for from now on, WL_POOL_NONE: it goes on. */
void wl_waits(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t waiter, uint32_t pool);

static inline uint32_t wl_bus_address(const struct wl_hal* hal,
                                      const volatile void* p) { /* in tightly coupled memory */
  return WL_TCM_BASE + (uint32_t)((const volatile uint8_t*)p - wl_tcm(hal));
}
static inline uint32_t wl_dram_address(const struct wl_hal* hal, const void* p) {
  return WL_DRAM_BASE + (uint32_t)((const uint8_t*)p - wl_dram(hal));
}

#endif
