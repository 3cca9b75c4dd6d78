/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * With ftl.recovery = scan: which copy of each logical page would be found if power failed now, the newest one on
 * flash, or its tombstone. The host reads what the map says, which may be newer and in the buffer alone. A copy on
 * flash is valid until a newer one is programmed, not until newer data arrive: so nothing that a mount would need is
 * erased, and no erase waits for the buffer. Where the map points to flash it is that copy; else the table here has it.
 *
 * Costs: eight bytes of DRAM for a logical page.
 */
#ifndef WORDLINE_FIRMWARE_MAP_DURABLE_H
#define WORDLINE_FIRMWARE_MAP_DURABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/contract/flash_ring.h"
#include "models/firmware/core/arena.h"

static inline bool wl_durable_kept(const struct wl_firmware* fw) {
  return __builtin_expect(fw->boot.ftl.recovery != 0, 0);
}
void wl_durable_layout(struct wl_firmware* fw, struct wl_arena* dram);
/* wl_map value of the copy; WL_MAP_INITIAL: flash has none. */
wl_map_value_t wl_durable_at(const struct wl_firmware* fw, wl_lpn_t lpn);
/* What the map has pointed to until now, `old`, is not what the host reads any more. */
void wl_durable_covered(struct wl_firmware* fw, wl_lpn_t lpn, wl_map_value_t old);
/* What is in `slot` of a unit of the host is programmed at `ppa`. Returns how many logical pages are valid there. */
WL_MUST_CHECK uint32_t wl_durable_committed(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn,
                                            wl_slot_t slot, wl_ppa_t ppa);
/* Whether the data in `slot` of a unit that is programmed are newer than the copy. */
bool wl_durable_is_newer(const struct wl_firmware* fw, wl_lpn_t lpn, wl_slot_t slot);
/* As wl_map_move, where the map does not point to `from`. */
WL_MUST_CHECK bool wl_durable_moved(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_ppa_t from,
                                    wl_ppa_t to);
/* As wl_map_lose. */
void wl_durable_lost(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_ppa_t ppa);

/* ---- deallocation ---- */
/* Flash may get a copy of the logical page, or has one, which a mount would find. */
bool wl_map_needs_tombstone(const struct wl_firmware* fw, wl_lpn_t lpn);
/* The logical page is deallocated; `slot` of a unit of the host will say so on flash. */
void wl_map_entomb(struct wl_firmware* fw, wl_lpn_t lpn, wl_slot_t slot);

/* ---- mount ---- */
/* What the spare record at `ppa` says. */
void wl_map_found(struct wl_firmware* fw, wl_ppa_t ppa, const struct wl_slot_info* info);
/* What those of `count` logical pages from `ppa` on say, all of one superblock. Returns how many name somebody. */
WL_MUST_CHECK uint32_t wl_map_found_all(struct wl_firmware* fw, wl_ppa_t ppa, const struct wl_slot_info* info,
                                        uint32_t count);
/* The inverse of the map says again whose data, or tombstone, flash has for this logical page. */
void wl_owner_rebuild(struct wl_firmware* fw, wl_lpn_t lpn);
/* What is found from here on loses against a copy with the same sequence that was found before, whatever its
 * superblock: that one has parity. */
void wl_map_found_yields(struct wl_firmware* fw, bool yields);
/* All are read again: nothing is found so far. */
void wl_map_forget(struct wl_firmware* fw);
/* Nobody can say which copy is the newest: each read of the host ends with an error. */
void wl_map_lose_all(struct wl_firmware* fw);
/* All have been read. */
void wl_map_all_found(struct wl_firmware* fw);

#endif
