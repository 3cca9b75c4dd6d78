/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rings to and from hardware (contract/ring.h): their memory.
 */
#ifndef WORDLINE_FIRMWARE_CORE_RINGS_H
#define WORDLINE_FIRMWARE_CORE_RINGS_H

#include "models/firmware/contract/ring.h"
#include "models/firmware/core/arena.h"
#include "models/firmware/core/queue.h"

static inline struct wl_ring* wl_ring_take(struct wl_arena* tcm, uint32_t entries, uint32_t bytes) {
  return (struct wl_ring*)wl_arena_take(tcm, WL_RING_ENTRIES + (uint64_t)entries * bytes);
}
static inline void* wl_ring_entries(struct wl_ring* ring) { return (uint8_t*)ring + WL_RING_ENTRIES; }

static inline void wl_queue_take(struct wl_queue* q, struct wl_arena* tcm, uint32_t entries, uint32_t bytes) {
  entries = wl_power_of_two(entries);
  q->mask = entries - 1;
  q->entries = wl_arena_take(tcm, (uint64_t)entries * bytes);
}

#endif
