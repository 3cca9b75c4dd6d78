/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * GC of superblocks with small pages: what is valid in one goes to larger pages, each with all that lies in
 * small pages of its logical page, in whichever superblock, and with what its larger page holds already. Source: Kim et
 * al., TVLSI 2016, section IV-C.
 *
 * The host may write meanwhile. What it has written since stays as it has left it; a page that it has begun to write as
 * larger pages are is left alone, and the superblock with what was to be merged is closed again.
 */
#ifndef WORDLINE_FIRMWARE_RELOC_MERGE_H
#define WORDLINE_FIRMWARE_RELOC_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/reloc/mover.h"

/* Scans the victim, whose pages are small. */
WL_MUST_CHECK enum wl_progress wl_merge_scan(struct wl_firmware* fw, const struct wl_hal* hal);
/* A page of slots of GC is programmed at `ppa`. False: it is no merged one. Adds to the logical pages that
 * are valid there, and to those that were copied. */
WL_MUST_CHECK bool wl_merge_programmed(struct wl_firmware* fw, const struct wl_hal* hal, wl_slot_t slot, wl_ppa_t ppa,
                                       uint32_t* valid, uint32_t* copied);

/* With ftl.recovery: slots of GC have been read. Those of a merged page get its records. */
void wl_merge_read(struct wl_firmware* fw, wl_slot_t slot, uint32_t count);

/* The page is being merged, and the end of its program is awaited, which kicks. */
WL_MUST_CHECK bool wl_merge_awaited(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page);

#endif
