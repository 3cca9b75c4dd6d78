/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the cores and of the loop that schedules their tasks.
 */
#ifndef WORDLINE_FIRMWARE_CORE_STATE_H
#define WORDLINE_FIRMWARE_CORE_STATE_H

#include <stdint.h>

#include "models/firmware/core/core.h"
#include "models/firmware/core/timers.h"

struct wl_timers {  /* timers.h */
  uint32_t running; /* a bit each */
  uint32_t deadline[WL_TIMER_COUNT];
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
