/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes of a part of a map unit. What is kept of it is there before the host's data come: it is read from flash into
 * the new slots (one read, of what lies between the first and the last logical page to be kept), copied from a program
 * unit on its way to flash, or it is in place, in one that still gathers data. A map unit of which nothing is mapped
 * keeps its rest empty: false capacity.
 *
 * With ftl.read_modify = die the rest does not leave the die, unless the write keeps blocks of a logical page: the page
 * is programmed as a copy of the old one with new logical pages. The map points to the old page, and the map unit stays
 * locked, until the program has ended. The PPA of the old page is looked up when the program is sent, for GC moves it.
 *
 * A logical page of the rest that cannot be read is lost, and the write goes on; a logical page of which the write
 * itself keeps blocks fails the command.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_MODIFY_H
#define WORDLINE_FIRMWARE_SERVICE_MODIFY_H

#include <stdbool.h>

#include "models/firmware/context.h"
#include "models/firmware/core/list.h"
#include "models/firmware/media/job.h"
#include "models/firmware/service/piece.h"

/* Takes the change up, as the command's next segment. No other write of the map unit is in flight. */
WL_MUST_CHECK enum wl_take wl_modify_take(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag,
                                          const struct wl_change* p, uint32_t hazard, uint32_t stream);
/* False: the read goes on, logical page by logical page, to lose no more than necessary. */
WL_MUST_CHECK bool wl_modify_read_done(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_job* job,
                                       bool ok);
/* What is kept in the write buffer is copied into the new slots. */
void wl_modify_send_copy(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, const struct wl_segment* s);
/* The data of a segment with wl_segment_edges, in up to three jobs; `flags` of the last. */
void wl_modify_send_edges(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, const struct wl_segment* s,
                          uint32_t flags);
/* The host's `lpages` of a map unit are in its slots, of which `present` held data before. */
void wl_modify_count(struct wl_firmware* fw, const struct wl_command* c, const struct wl_segment* s, uint32_t lpages,
                     uint32_t present);

/* ---- in the die ---- */
/* The rest stays there: the slots lack it, so the map points to the old page until the program has ended. */
void wl_modify_put_apart(struct wl_firmware* fw, wl_map_unit_t unit, wl_slot_t slot, uint32_t first, uint32_t count);
/* Before program units are placed: where the rests of their pages lie now. */
void wl_modify_find_rests(struct wl_firmware* fw);
/* A program unit with a wl_unit_part is programmed. Returns how many logical pages are valid in it. */
WL_MUST_CHECK uint32_t wl_modify_programmed(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t unit);
/* What waits will not be programmed: its commands have failed, the old pages stay. */
void wl_modify_stop(struct wl_firmware* fw);

/* The slots of the segment hold what stays of a map unit, of which `count` logical pages from `lpn` on are deallocated.
 */
void wl_modify_shrink(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_segment* segment, wl_lpn_t lpn,
                      uint32_t count);

#endif
