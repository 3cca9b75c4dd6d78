/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/buffer/read_slots.h"
#include "models/firmware/buffer/state.h"

uint32_t wl_read_run(const struct wl_firmware* fw) { return wl_buffer_view(fw)->chunk_lpages; }

uint32_t wl_read_runs(const struct wl_firmware* fw) { return wl_buffer_view(fw)->chunk_count; }
bool wl_read_slots_scarce(const struct wl_firmware* fw) {
  return wl_buffer_view(fw)->lists.used_chunks > wl_buffer_view(fw)->chunk_count / 2;
}

static uint32_t read_slots(const struct wl_firmware* fw) {
  return fw->boot.read_slots - fw->boot.engine_slots;
} /* the engines' apart */

void wl_read_slots_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  struct wl_buffer* buffer = wl_buffer_state(fw);
  /* A chunk holds a run, at most a page; at least eight chunks, so that one long command does not take all slots. */
  buffer->chunk_lpages = fw->geometry.page_lpages;
  while (buffer->chunk_lpages > 1 && read_slots(fw) / buffer->chunk_lpages < 8) buffer->chunk_lpages /= 2;
  buffer->chunk_count = read_slots(fw) / buffer->chunk_lpages;
  buffer->chunks = wl_arena_take(tcm, (uint64_t)buffer->chunk_count * sizeof(buffer->chunks[0]));
  buffer->slot_next = wl_arena_take(tcm, (uint64_t)fw->boot.read_slots * sizeof(buffer->slot_next[0]));
}

void wl_read_slots_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_buffer* buffer = wl_buffer_state(fw);
  WL_ASSERT(hal, fw->boot.engine_slots < fw->boot.read_slots);
  WL_ASSERT(hal, buffer->chunk_count >= 2 && buffer->chunk_count < WL_NO_INDEX && buffer->chunk_lpages < WL_NO_INDEX);
  for (uint32_t i = 0; i < buffer->chunk_count; ++i)
    buffer->chunks[i].next = (uint16_t)(i + 1 == buffer->chunk_count ? WL_NO_INDEX : i + 1);
  buffer->lists.slab = WL_NO_INDEX;
}

static void slab_link(struct wl_firmware* fw, uint32_t c) {
  wl_buffer_state(fw)->chunks[c].prev = WL_NO_INDEX;
  wl_buffer_state(fw)->chunks[c].next = (uint16_t)wl_buffer_state(fw)->lists.slab;
  if (wl_buffer_state(fw)->lists.slab != WL_NO_INDEX)
    wl_buffer_state(fw)->chunks[wl_buffer_state(fw)->lists.slab].prev = (uint16_t)c;
  wl_buffer_state(fw)->lists.slab = c;
}

static void slab_unlink(struct wl_firmware* fw, uint32_t c) {
  const struct wl_chunk* chunk = &wl_buffer_state(fw)->chunks[c];
  if (chunk->prev != WL_NO_INDEX)
    wl_buffer_state(fw)->chunks[chunk->prev].next = chunk->next;
  else
    wl_buffer_state(fw)->lists.slab = chunk->next;
  if (chunk->next != WL_NO_INDEX) wl_buffer_state(fw)->chunks[chunk->next].prev = chunk->prev;
}

static uint32_t chunk_take(struct wl_firmware* fw) {
  const uint32_t c = wl_buffer_state(fw)->lists.free_chunk;
  if (c == WL_NO_INDEX) return WL_NONE;
  wl_buffer_state(fw)->lists.free_chunk = wl_buffer_state(fw)->chunks[c].next;
  ++wl_buffer_state(fw)->lists.used_chunks;
  return c;
}

static void chunk_release(struct wl_firmware* fw, uint32_t c) {
  wl_buffer_state(fw)->chunks[c].next = (uint16_t)wl_buffer_state(fw)->lists.free_chunk;
  wl_buffer_state(fw)->lists.free_chunk = c;
  --wl_buffer_state(fw)->lists.used_chunks;
}

__attribute__((always_inline)) inline uint32_t wl_read_slots_take(struct wl_firmware* fw, uint32_t count) {
  if (count > 1 || wl_buffer_state(fw)->chunk_lpages == 1) {
    const uint32_t c = chunk_take(fw);
    if (c == WL_NONE) return WL_NONE;
    wl_buffer_state(fw)->chunks[c].slab = 0;
    return wl_buffer_state(fw)->read_slot0 + c * wl_buffer_state(fw)->chunk_lpages;
  }
  uint32_t c = wl_buffer_state(fw)->lists.slab;
  if (c == WL_NO_INDEX) {
    c = chunk_take(fw);
    if (c == WL_NONE) return WL_NONE;
    wl_buffer_state(fw)->chunks[c].slab = 1;
    wl_buffer_state(fw)->chunks[c].used = 0;
    wl_buffer_state(fw)->chunks[c].fresh = 0;
    wl_buffer_state(fw)->chunks[c].free = WL_NO_INDEX;
    slab_link(fw, c);
  }
  struct wl_chunk* chunk = &wl_buffer_state(fw)->chunks[c];
  wl_slot_t slot = c * wl_buffer_state(fw)->chunk_lpages;
  if (chunk->free != WL_NO_INDEX) {
    slot += chunk->free;
    chunk->free = wl_buffer_state(fw)->slot_next[slot];
  } else {
    slot += chunk->fresh++;
  }
  if (++chunk->used == wl_buffer_state(fw)->chunk_lpages) slab_unlink(fw, c);
  return wl_buffer_state(fw)->read_slot0 + slot;
}

__attribute__((always_inline)) inline void wl_read_slots_release(struct wl_firmware* fw, wl_slot_t slot) {
  const uint32_t index = slot - wl_buffer_state(fw)->read_slot0;
  const uint32_t c = index / wl_buffer_state(fw)->chunk_lpages;
  struct wl_chunk* chunk = &wl_buffer_state(fw)->chunks[c];
  if (!chunk->slab) {
    chunk_release(fw, c);
    return;
  }
  if (chunk->used == wl_buffer_state(fw)->chunk_lpages) slab_link(fw, c);
  wl_buffer_state(fw)->slot_next[index] = chunk->free;
  chunk->free = (uint16_t)(index - c * wl_buffer_state(fw)->chunk_lpages);
  if (--chunk->used == 0) {
    slab_unlink(fw, c);
    chunk_release(fw, c);
  }
}
