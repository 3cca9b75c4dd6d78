/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/tables.h"

#include "models/firmware/map/state.h"
#include "models/firmware/space/space.h"

static uint32_t shift(const struct wl_firmware* fw) { return 9u + fw->boot.ftl.lpage_shift; }
static uint32_t chunks(const struct wl_firmware* fw, uint64_t bytes) {
  return (uint32_t)(wl_map_table_bytes(fw, bytes) >> shift(fw));
}

uint32_t wl_map_chunks(const struct wl_firmware* fw) {
  return chunks(fw, (uint64_t)fw->boot.user_lpages * sizeof(wl_map_view(fw)->l2p[0]));
}
uint32_t wl_owner_chunks(const struct wl_firmware* fw) {
  const uint64_t ppas = (uint64_t)wl_superblocks(fw) * fw->geometry.superblock_lpages;
  return chunks(fw, ppas * sizeof(wl_map_view(fw)->p2l[0]));
}
uint32_t wl_tombstone_chunks(const struct wl_firmware* fw) {
  return chunks(fw, (uint64_t)fw->boot.user_lpages * sizeof(wl_map_view(fw)->durable[0]));
}

bool wl_tombstone_chunk_used(const struct wl_firmware* fw, uint32_t chunk) {
  return wl_map_view(fw)->tombstones[chunk] != 0;
}

static void* chunk_of(const struct wl_firmware* fw, void* table, uint32_t chunk) {
  return (uint8_t*)table + ((uint64_t)chunk << shift(fw));
}
void* wl_map_chunk(struct wl_firmware* fw, uint32_t chunk) { return chunk_of(fw, wl_map_state(fw)->l2p, chunk); }
void* wl_owner_chunk(struct wl_firmware* fw, uint32_t chunk) { return chunk_of(fw, wl_map_state(fw)->p2l, chunk); }
void* wl_tombstone_chunk(struct wl_firmware* fw, uint32_t chunk) {
  return chunk_of(fw, wl_map_state(fw)->durable, chunk);
}

void wl_map_entombed(struct wl_firmware* fw, wl_lpn_t lpn) {
  wl_map_state(fw)->tombstones[(uint64_t)lpn * sizeof(wl_map_view(fw)->durable[0]) >> shift(fw)] = 1;
}

void wl_tombstone_chunk_found(struct wl_firmware* fw, uint32_t chunk) { wl_map_state(fw)->tombstones[chunk] = 1; }

uint32_t wl_map_sequence(const struct wl_firmware* fw) { return wl_map_view(fw)->sequence; }
void wl_map_sequence_found(struct wl_firmware* fw, uint32_t sequence) { wl_map_state(fw)->sequence = sequence; }
