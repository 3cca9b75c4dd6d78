/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pages on their way in units of GC, where there are two page sizes: a page is moved and merged one
 * after the other. With one page size nothing is kept, and no page is under way.
 */
#ifndef WORDLINE_FIRMWARE_RELOC_UNDER_WAY_H
#define WORDLINE_FIRMWARE_RELOC_UNDER_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_under_way_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_under_way_boot(struct wl_firmware* fw);
/* The page of slots from `slot` on will be a copy of the page, moved or merged. */
void wl_under_way_begins(struct wl_firmware* fw, wl_slot_t slot, uint32_t page, bool merged);
/* With ftl.recovery, of a merged one: its records get this sequence, but for those of `kept`, which stay as they are
 * read; those of `gone` become tombstones. Logical pages by bit. */
struct wl_merged_records {
  uint32_t sequence;
  uint32_t kept;
  uint32_t gone;
};
void wl_under_way_records(struct wl_firmware* fw, wl_slot_t slot, struct wl_merged_records records);
/* Of the page with this slot; null: it is not merged. */
const struct wl_merged_records* wl_under_way_merged(const struct wl_firmware* fw, wl_slot_t slot);
bool wl_under_way(const struct wl_firmware* fw, uint32_t page, bool merged);
uint32_t wl_under_way_slot(const struct wl_firmware* fw, uint32_t page,
                           bool merged); /* its first; WL_NONE: it is not */
/* It is programmed. Returns the page if it was merged, else WL_NONE. */
WL_MUST_CHECK uint32_t wl_under_way_ends(struct wl_firmware* fw, wl_slot_t slot);

#endif
