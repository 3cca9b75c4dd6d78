/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Queues between tasks: one producer, one consumer, in tightly coupled memory. The counters run free and are taken
 * modulo the size, a power of two. Every queue holds as many entries as can be outstanding; overflow is a bug.
 */
#ifndef WORDLINE_FIRMWARE_CORE_QUEUE_H
#define WORDLINE_FIRMWARE_CORE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/core/hal.h"

/* Orders an entry before its counter, and the announcement of sleep before the last poll. The modelled cores see memory
 * in program order, so natively keeping the compiler from reordering is enough. */
#ifdef WL_NATIVE
#define WL_FENCE() __asm__ volatile("" ::: "memory")
#else
#define WL_FENCE() __asm__ volatile("fence rw, rw" ::: "memory")
#endif

struct wl_queue {
  volatile uint32_t produced;
  volatile uint32_t consumed;
  uint32_t mask;
  void* entries;
};

static inline bool wl_queue_empty(const struct wl_queue* q) { return q->produced == q->consumed; }

/* Entry to fill in, then wl_queue_push(). */
#define WL_QUEUE_IN(q, type) ((type*)(q)->entries + ((q)->produced & (q)->mask))
#define WL_QUEUE_OUT(q, type) ((const type*)(q)->entries + ((q)->consumed & (q)->mask))

static inline void wl_queue_push(struct wl_queue* q, const struct wl_hal* hal) {
  WL_ASSERT(hal, q->produced - q->consumed <= q->mask);
  WL_FENCE();
  q->produced = q->produced + 1;
}

static inline void wl_queue_pop(struct wl_queue* q) {
  WL_FENCE();
  q->consumed = q->consumed + 1;
}

#endif
