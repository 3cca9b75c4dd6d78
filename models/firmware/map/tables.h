/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The tables of the map as a checkpoint keeps them: in chunks of the size of a logical page, which flash takes from
 * their place in DRAM, and puts there. Only with ftl.recovery, at rest: no entry of the map points to the buffer.
 */
#ifndef WORDLINE_FIRMWARE_MAP_TABLES_H
#define WORDLINE_FIRMWARE_MAP_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"

static inline uint32_t wl_table_chunk(const struct wl_firmware* fw) { return 512u << fw->boot.ftl.lpage_shift; }
/* Of a table of so many bytes: with ftl.recovery, of its last chunk, too. */
static inline uint64_t wl_map_table_bytes(const struct wl_firmware* fw, uint64_t bytes) {
  if (fw->boot.ftl.recovery == 0) return bytes;
  return (bytes + wl_table_chunk(fw) - 1) & ~(uint64_t)(wl_table_chunk(fw) - 1);
}
/* Chunks of the map, of its inverse, and of the table of tombstones (durable.h). Of that only those are kept that may
 * have some; the others are zeros. With two page sizes all tables of durable_pages.h and region.h are of the map. */
uint32_t wl_map_chunks(const struct wl_firmware* fw);
uint32_t wl_owner_chunks(const struct wl_firmware* fw);
uint32_t wl_tombstone_chunks(const struct wl_firmware* fw);
bool wl_tombstone_chunk_used(const struct wl_firmware* fw, uint32_t chunk);
void* wl_map_chunk(struct wl_firmware* fw, uint32_t chunk);
void* wl_owner_chunk(struct wl_firmware* fw, uint32_t chunk);
void* wl_tombstone_chunk(struct wl_firmware* fw, uint32_t chunk);
/* There is a tombstone of this logical page, or in this chunk. */
void wl_map_entombed(struct wl_firmware* fw, wl_lpn_t lpn);
void wl_tombstone_chunk_found(struct wl_firmware* fw, uint32_t chunk);
/* Sequences given so far: they go on from here. */
uint32_t wl_map_sequence(const struct wl_firmware* fw);
void wl_map_sequence_found(struct wl_firmware* fw, uint32_t sequence);

#endif
