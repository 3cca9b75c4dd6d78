/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Memory handed out at boot, once and for good: there is no heap. An arena without a base only counts what a drive
 * would need (wl_memory_needed in firmware.h).
 */
#ifndef WORDLINE_FIRMWARE_CORE_ARENA_H
#define WORDLINE_FIRMWARE_CORE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define WL_ARENA_ALIGN 32u
struct wl_arena {
  uint8_t* base; /* null: count only */
  uint64_t used;
  uint64_t size;
};

/* Zeroed memory: both memories are zero after reset. Where there is none left, the address is not to be used; boot
 * checks `used` when all is handed out. */
static inline void* wl_arena_take(struct wl_arena* a, uint64_t bytes) {
  const uint64_t at = (a->used + (WL_ARENA_ALIGN - 1)) & ~(uint64_t)(WL_ARENA_ALIGN - 1);
  a->used = at + bytes;
  if (a->base == NULL || a->used > a->size) return (void*)(uintptr_t)WL_ARENA_ALIGN;
  return a->base + at;
}

static inline uint32_t wl_power_of_two(uint32_t n) { /* not below n */
  uint32_t p = 1;
  while (p < n) p *= 2;
  return p;
}

#endif
