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

/* One after the other: where the map is by pages, all that is kept of these; with two page sizes, of either. */
struct table {
  void* first;
  uint64_t bytes;
};
enum { TABLES = 7 };

static uint32_t tables_of(const struct wl_firmware* fw, struct table* tables) {
  const struct wl_map* m = wl_map_view(fw);
  if (wl_map_cached(fw)) { /* where map pages lie, which have the rest */
    tables[0] = (struct table){m->l2p + fw->boot.user_lpages, wl_boot_map_pages(&fw->boot) * sizeof(m->l2p[0])};
    return 1;
  }
  const uint64_t lpages = fw->boot.user_lpages, units = wl_map_unit_with(fw, fw->boot.user_lpages - 1) + 1u;
  tables[0] = (struct table){m->l2p, units * sizeof(m->l2p[0])};
  if (wl_maps_by_lpage(fw)) return 1;
  tables[1] = (struct table){m->presence, units * sizeof(m->presence[0])};
  tables[2] = (struct table){m->pages, units * sizeof(m->pages[0])};
  if (!wl_has_small_pages(fw)) return 3;
  tables[3] = (struct table){m->in_page, lpages * sizeof(m->in_page[0])};
  tables[4] = (struct table){m->durable, lpages * sizeof(m->durable[0])};
  tables[5] = (struct table){m->region_l2p, lpages * sizeof(m->region_l2p[0])};
  tables[6] = (struct table){m->in_region, (lpages + 31u) / 32u * sizeof(m->in_region[0])};
  return TABLES;
}

uint32_t wl_map_chunks(const struct wl_firmware* fw) {
  struct table tables[TABLES];
  uint32_t all = 0;
  for (uint32_t i = tables_of(fw, tables); i-- != 0;) all += chunks(fw, tables[i].bytes);
  return all;
}
uint32_t wl_owner_chunks(const struct wl_firmware* fw) {
  if (wl_map_cached(fw)) return 0; /* map pages say it */
  const uint64_t ppas = (uint64_t)wl_superblocks(fw) * fw->geometry.superblock_lpages;
  return chunks(fw, ppas / wl_map_unit(fw) * sizeof(wl_map_view(fw)->p2l[0]));
}
uint32_t wl_tombstone_chunks(const struct wl_firmware* fw) {
  if (!wl_maps_by_lpage(fw) || wl_map_cached(fw)) return 0; /* among the tables of the map */
  return chunks(fw, (uint64_t)fw->boot.user_lpages * sizeof(wl_map_view(fw)->durable[0]));
}

bool wl_tombstone_chunk_used(const struct wl_firmware* fw, uint32_t chunk) {
  return wl_map_view(fw)->tombstones[chunk] != 0;
}

static void* chunk_of(const struct wl_firmware* fw, void* table, uint32_t chunk) {
  return (uint8_t*)table + ((uint64_t)chunk << shift(fw));
}
void* wl_map_chunk(struct wl_firmware* fw, uint32_t chunk) {
  struct table tables[TABLES];
  (void)tables_of(fw, tables);
  uint32_t i = 0;
  for (; chunk >= chunks(fw, tables[i].bytes); ++i) chunk -= chunks(fw, tables[i].bytes);
  return chunk_of(fw, tables[i].first, chunk);
}
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
