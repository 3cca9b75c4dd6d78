/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * With ftl.recovery and a map by pages: which copies a mount would find if power failed now, as durable.h says it for a
 * map of logical pages.
 *
 * A page counts as a whole: of all copies of a map unit on flash that with the highest sequence is the one. It has a
 * record, with the same sequence, of each logical page of the unit: data, or a tombstone. So a deallocation of a part
 * of the unit writes the rest anew (service/trim.h).
 *
 * With two page sizes that is said of large pages, which may leave records out: then a small page has the logical page.
 * A small page counts where its sequence is higher than that of the record in the large page. So
 *   - a large page leaves a record out only when the small page that has the logical page is on flash already: a write
 *     of a part of a map unit waits for those in the buffer, a merge takes what flash has of them with its old record;
 *   - the records of a merged page have the sequence that was the next when the merge began: what arrives later wins;
 *   - GC copies a large page with all its records, though the host may read some of it elsewhere by now.
 *
 * Costs, in DRAM: twelve bytes for a map unit, and with two page sizes for a logical page. Behind the MAP port eight
 * for a map unit, and two accesses more of the port for each program of one. Known gap: when a logical page could not
 * be read, and power fails, an older copy of its map unit may count.
 */
#ifndef WORDLINE_FIRMWARE_MAP_DURABLE_PAGES_H
#define WORDLINE_FIRMWARE_MAP_DURABLE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/contract/engines.h"
#include "models/firmware/contract/flash_ring.h"
#include "models/firmware/core/arena.h"
#include "models/firmware/map/durable.h"

static inline bool wl_durable_pages_kept(const struct wl_firmware* fw) {
  return wl_durable_kept(fw) && !wl_maps_by_lpage(fw);
}
void wl_durable_pages_layout(struct wl_firmware* fw, struct wl_arena* dram);

/* ---- large pages ---- */
/* wl_map value of the copy of the map unit; WL_MAP_INITIAL: flash has none. */
wl_map_value_t wl_durable_page_at(const struct wl_firmware* fw, wl_map_unit_t unit);
/* Logical pages of which it has a record, by bit; the sequence of one of them, 0: none. */
uint32_t wl_durable_page_records(const struct wl_firmware* fw, wl_map_unit_t unit);
uint32_t wl_durable_record(const struct wl_firmware* fw, wl_lpn_t lpn);
/* What the map has pointed to until now, `old`, is not what the host reads any more. */
void wl_durable_page_covered(struct wl_firmware* fw, wl_map_unit_t unit, wl_map_value_t old);
/* A page of slots of the host is programmed at `ppa`. Returns how many logical pages are valid there. */
WL_MUST_CHECK uint32_t wl_durable_page_committed(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit,
                                                 wl_slot_t slot, wl_ppa_t ppa);
/* GC has read these: what the page has no record of is not copied. */
void wl_durable_page_read(struct wl_firmware* fw, wl_slot_t slot, uint32_t count);
/* A copy of it is programmed at `to`, as GC makes them. False: it is no copy of what counts. */
WL_MUST_CHECK bool wl_durable_page_moved(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit,
                                         wl_ppa_t from, wl_ppa_t to, const struct wl_gc_source* source);

/* ---- small pages ---- */
/* wl_map value of the copy of the logical page, or of its tombstone, in a small page; WL_MAP_INITIAL: there is none. */
wl_map_value_t wl_durable_small_at(const struct wl_firmware* fw, wl_lpn_t lpn);
/* A merge takes it from there: no large page says anything newer. */
bool wl_durable_small_counts(const struct wl_firmware* fw, wl_lpn_t lpn);
void wl_durable_small_covered(struct wl_firmware* fw, wl_lpn_t lpn, wl_map_value_t old);
/* What is in `slot` of a unit of the host is programmed at `ppa`. */
WL_MUST_CHECK uint32_t wl_durable_small_committed(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn,
                                                  wl_slot_t slot, wl_ppa_t ppa, bool newest);

/* ---- both ---- */
/* The logical page at `ppa` could not be read; the host reads it there no more. */
void wl_durable_pages_lost(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_ppa_t ppa);
/* A merged page is programmed at `to`, with the records that `slot` and those behind it have, and `sequence`. The large
 * page before, and small ones that say nothing newer, are kept no longer. `read_there`: the map will name it. */
void wl_durable_merged(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, wl_slot_t slot,
                       wl_ppa_t to, uint32_t sequence, bool read_there);
/* Data for a large page arrive, with this sequence. */
void wl_durable_page_arrives(struct wl_firmware* fw, wl_map_unit_t unit, uint32_t sequence);
/* Since a merge has begun with this sequence: whether it is programmed already or only will be, it counts, and of what
 * small pages have it leaves the records out. */
bool wl_durable_page_newer(const struct wl_firmware* fw, wl_map_unit_t unit, uint32_t sequence);

/* ---- deallocation ---- */
/* `slot`, of a unit of small pages, will say on flash that the logical page is deallocated. */
void wl_map_entomb_small(struct wl_firmware* fw, wl_lpn_t lpn, wl_slot_t slot);
/* A page of slots from `slot` on will say it of the whole map unit. */
void wl_map_entomb_page(struct wl_firmware* fw, wl_map_unit_t unit, wl_slot_t slot);

/* ---- mount (pages_found.c) ---- */
/* What the spare records of `count` logical pages from `ppa` on say: of whole large pages, or of a small page. Returns
 * how many name somebody. */
WL_MUST_CHECK uint32_t wl_map_pages_found(struct wl_firmware* fw, wl_ppa_t ppa, const struct wl_slot_info* info,
                                          uint32_t count);
WL_MUST_CHECK uint32_t wl_map_small_found(struct wl_firmware* fw, wl_ppa_t ppa, const struct wl_slot_info* info);
/* With two page sizes, all have been read: what the map says of the next units from `*unit` on; true: of all. */
WL_MUST_CHECK bool wl_map_pages_join(struct wl_firmware* fw, wl_map_unit_t* unit);
void wl_map_pages_forget(struct wl_firmware* fw);
/* Of the copy of the map unit that was found so far; 0: none was. */
uint32_t wl_durable_page_sequence(const struct wl_firmware* fw, wl_map_unit_t unit);
void wl_durable_page_found(struct wl_firmware* fw, wl_map_unit_t unit, uint32_t place, uint32_t sequence);
void wl_owner_rebuild_page(struct wl_firmware* fw, wl_lpn_t lpn);
/* The tables are those of a checkpoint: counts what they hold. */
void wl_map_pages_counted(struct wl_firmware* fw);

#endif
