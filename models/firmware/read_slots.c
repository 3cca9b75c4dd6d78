/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Read slots. The slots of a job are consecutive, so they are handed out from chunks of chunk_sectors: a run of several
 * sectors takes a chunk of its own, single sectors share one (a slab). Both directions O(1).
 */
#include "models/firmware/tasks.h"

static void slab_link(struct wl_firmware* fw, uint32_t c) {
  fw->chunks[c].prev = WL_NO_INDEX;
  fw->chunks[c].next = (uint16_t)fw->slab;
  if (fw->slab != WL_NO_INDEX) fw->chunks[fw->slab].prev = (uint16_t)c;
  fw->slab = c;
}

static void slab_unlink(struct wl_firmware* fw, uint32_t c) {
  const struct wl_chunk* chunk = &fw->chunks[c];
  if (chunk->prev != WL_NO_INDEX)
    fw->chunks[chunk->prev].next = chunk->next;
  else
    fw->slab = chunk->next;
  if (chunk->next != WL_NO_INDEX) fw->chunks[chunk->next].prev = chunk->prev;
}

static uint32_t chunk_take(struct wl_firmware* fw) {
  const uint32_t c = fw->free_chunk;
  if (c == WL_NO_INDEX) return WL_NONE;
  fw->free_chunk = fw->chunks[c].next;
  ++fw->used_chunks;
  return c;
}

static void chunk_release(struct wl_firmware* fw, uint32_t c) {
  fw->chunks[c].next = (uint16_t)fw->free_chunk;
  fw->free_chunk = c;
  --fw->used_chunks;
}

uint32_t wl_read_slots_take(struct wl_firmware* fw, uint32_t count) {
  if (count > 1 || fw->chunk_sectors == 1) {
    const uint32_t c = chunk_take(fw);
    if (c == WL_NONE) return WL_NONE;
    fw->chunks[c].slab = 0;
    return fw->read_slot0 + c * fw->chunk_sectors;
  }
  uint32_t c = fw->slab;
  if (c == WL_NO_INDEX) {
    c = chunk_take(fw);
    if (c == WL_NONE) return WL_NONE;
    fw->chunks[c].slab = 1;
    fw->chunks[c].used = 0;
    fw->chunks[c].fresh = 0;
    fw->chunks[c].free = WL_NO_INDEX;
    slab_link(fw, c);
  }
  struct wl_chunk* chunk = &fw->chunks[c];
  uint32_t slot = c * fw->chunk_sectors;
  if (chunk->free != WL_NO_INDEX) {
    slot += chunk->free;
    chunk->free = fw->slot_next[slot];
  } else {
    slot += chunk->fresh++;
  }
  if (++chunk->used == fw->chunk_sectors) slab_unlink(fw, c);
  return fw->read_slot0 + slot;
}

void wl_read_slots_release(struct wl_firmware* fw, uint32_t slot, uint32_t count) {
  (void)count;
  const uint32_t index = slot - fw->read_slot0;
  const uint32_t c = index / fw->chunk_sectors;
  struct wl_chunk* chunk = &fw->chunks[c];
  if (!chunk->slab) {
    chunk_release(fw, c);
    return;
  }
  if (chunk->used == fw->chunk_sectors) slab_link(fw, c);
  fw->slot_next[index] = chunk->free;
  chunk->free = (uint16_t)(index - c * fw->chunk_sectors);
  if (--chunk->used == 0) {
    slab_unlink(fw, c);
    chunk_release(fw, c);
  }
}
