/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/buffer/read_slots.h"

static uint32_t read_slots(const struct wl_firmware* fw) {
  return fw->boot.read_slots - fw->boot.engine_slots;
} /* the engines' apart */

void wl_read_slots_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  struct wl_buffer* buffer = &fw->buffer;
  /* A chunk holds a run, at most a page; at least eight chunks, so that one long command does not take all slots. */
  buffer->chunk_sectors = fw->geometry.page_sectors;
  while (buffer->chunk_sectors > 1 && read_slots(fw) / buffer->chunk_sectors < 8) buffer->chunk_sectors /= 2;
  buffer->chunk_count = read_slots(fw) / buffer->chunk_sectors;
  buffer->chunks = wl_arena_take(tcm, (uint64_t)buffer->chunk_count * sizeof(buffer->chunks[0]));
  buffer->slot_next = wl_arena_take(tcm, (uint64_t)fw->boot.read_slots * sizeof(buffer->slot_next[0]));
}

void wl_read_slots_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_buffer* buffer = &fw->buffer;
  WL_ASSERT(hal, fw->boot.engine_slots < fw->boot.read_slots);
  WL_ASSERT(hal, buffer->chunk_count >= 2 && buffer->chunk_count < WL_NO_INDEX && buffer->chunk_sectors < WL_NO_INDEX);
  for (uint32_t i = 0; i < buffer->chunk_count; ++i)
    buffer->chunks[i].next = (uint16_t)(i + 1 == buffer->chunk_count ? WL_NO_INDEX : i + 1);
  buffer->slab = WL_NO_INDEX;
}

static void slab_link(struct wl_firmware* fw, uint32_t c) {
  fw->buffer.chunks[c].prev = WL_NO_INDEX;
  fw->buffer.chunks[c].next = (uint16_t)fw->buffer.slab;
  if (fw->buffer.slab != WL_NO_INDEX) fw->buffer.chunks[fw->buffer.slab].prev = (uint16_t)c;
  fw->buffer.slab = c;
}

static void slab_unlink(struct wl_firmware* fw, uint32_t c) {
  const struct wl_chunk* chunk = &fw->buffer.chunks[c];
  if (chunk->prev != WL_NO_INDEX)
    fw->buffer.chunks[chunk->prev].next = chunk->next;
  else
    fw->buffer.slab = chunk->next;
  if (chunk->next != WL_NO_INDEX) fw->buffer.chunks[chunk->next].prev = chunk->prev;
}

static uint32_t chunk_take(struct wl_firmware* fw) {
  const uint32_t c = fw->buffer.free_chunk;
  if (c == WL_NO_INDEX) return WL_NONE;
  fw->buffer.free_chunk = fw->buffer.chunks[c].next;
  ++fw->buffer.used_chunks;
  return c;
}

static void chunk_release(struct wl_firmware* fw, uint32_t c) {
  fw->buffer.chunks[c].next = (uint16_t)fw->buffer.free_chunk;
  fw->buffer.free_chunk = c;
  --fw->buffer.used_chunks;
}

uint32_t wl_read_slots_take(struct wl_firmware* fw, uint32_t count) {
  if (count > 1 || fw->buffer.chunk_sectors == 1) {
    const uint32_t c = chunk_take(fw);
    if (c == WL_NONE) return WL_NONE;
    fw->buffer.chunks[c].slab = 0;
    return fw->buffer.read_slot0 + c * fw->buffer.chunk_sectors;
  }
  uint32_t c = fw->buffer.slab;
  if (c == WL_NO_INDEX) {
    c = chunk_take(fw);
    if (c == WL_NONE) return WL_NONE;
    fw->buffer.chunks[c].slab = 1;
    fw->buffer.chunks[c].used = 0;
    fw->buffer.chunks[c].fresh = 0;
    fw->buffer.chunks[c].free = WL_NO_INDEX;
    slab_link(fw, c);
  }
  struct wl_chunk* chunk = &fw->buffer.chunks[c];
  uint32_t slot = c * fw->buffer.chunk_sectors;
  if (chunk->free != WL_NO_INDEX) {
    slot += chunk->free;
    chunk->free = fw->buffer.slot_next[slot];
  } else {
    slot += chunk->fresh++;
  }
  if (++chunk->used == fw->buffer.chunk_sectors) slab_unlink(fw, c);
  return fw->buffer.read_slot0 + slot;
}

void wl_read_slots_release(struct wl_firmware* fw, uint32_t slot) {
  const uint32_t index = slot - fw->buffer.read_slot0;
  const uint32_t c = index / fw->buffer.chunk_sectors;
  struct wl_chunk* chunk = &fw->buffer.chunks[c];
  if (!chunk->slab) {
    chunk_release(fw, c);
    return;
  }
  if (chunk->used == fw->buffer.chunk_sectors) slab_link(fw, c);
  fw->buffer.slot_next[index] = chunk->free;
  chunk->free = (uint16_t)(index - c * fw->buffer.chunk_sectors);
  if (--chunk->used == 0) {
    slab_unlink(fw, c);
    chunk_release(fw, c);
  }
}
