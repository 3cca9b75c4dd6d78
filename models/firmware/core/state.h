/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the cores and of the loop that schedules their tasks.
 */
#ifndef WORDLINE_FIRMWARE_CORE_STATE_H
#define WORDLINE_FIRMWARE_CORE_STATE_H

#include <stdint.h>

#define WL_MAX_CORES 8u
#define WL_STACK_BYTES 8192u /* per core, at the top end of tightly coupled memory */

enum wl_timer { WL_TIMER_IDLE, WL_TIMER_COUNT };
struct wl_timers {  /* timers.h */
  uint32_t running; /* a bit each */
  uint32_t deadline[WL_TIMER_COUNT];
};

enum wl_silence {
  WL_SPOKE,  /* the host has sent a command since the idle timer began; or there is no idle work */
  WL_BUSY,   /* commands were in flight when the timer expired: it begins again when the last of them ends */
  WL_QUIET,  /* it has sent none */
  WL_SILENT, /* nor for a whole time of it: idle work may run; no timer runs */
};

struct wl_core {
  volatile uint32_t started; /* cores beside 0 wait for it */
  volatile uint32_t sleeping[WL_MAX_CORES];
  uint32_t tasks[WL_MAX_CORES]; /* of each core, a bit per task */
  uint32_t kick;                /* steps of the ftl task that may go on */
  uint32_t queued;              /* steps that have work waiting, whether they may go on or not */
  uint32_t waits;               /* what each wl_waiter waits for, a byte each */
  uint32_t silence;             /* wl_silence */
  struct wl_timers timers;
};

#endif
