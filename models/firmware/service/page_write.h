/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pieces of writes where the map unit is the page of a plane (ftl.map = page), in the place of sectors. A page written
 * as a whole takes new slots. Of a page written in part the rest, if it holds data, is there before the host's data
 * come: it is read from flash into the new slots (one read, of what lies between the first and the last sector to be
 * kept), copied from a unit on its way to flash, or it is in place, in a unit that still gathers data. A page of which
 * nothing is mapped keeps its rest empty: false capacity.
 *
 * With ftl.read_modify = die the rest does not leave the die, unless the write keeps blocks of a sector: the page is
 * programmed as a copy of the old one with new sectors. The map points to the old page, and the page stays locked,
 * until the program has ended. The PPA of the old page is looked up when the program is sent, for GC moves it.
 *
 * Hazards are by page: a part is exclusive while it is in flight. A sector of the rest that cannot be read is lost, and
 * the write goes on; a sector of which the write itself keeps blocks fails the command, as where sectors are mapped.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_PAGE_WRITE_H
#define WORDLINE_FIRMWARE_SERVICE_PAGE_WRITE_H

#include <stdbool.h>

#include "models/firmware/context.h"
#include "models/firmware/map/map.h"

enum wl_take {
  WL_TAKEN,
  WL_TAKEN_PAGE,  /* its sectors are counted */
  WL_WAIT_SECTOR, /* another write of it is in flight, or was there before */
  WL_WAIT_ROOM,   /* for slots, job ids, or the end of this piece */
};

static inline struct wl_segment* wl_piece_add(struct wl_command* c, uint32_t kind, uint32_t slot, uint32_t count) {
  struct wl_segment* s = &c->segment[c->segments++];
  s->kind = (uint8_t)kind;
  s->state = WL_SEGMENT_READY;
  s->room = 0;
  s->slot = slot;
  s->sector = (uint16_t)c->sector;
  s->count = (uint16_t)count;
  return s;
}
/* The page with the command's next sector. */
enum wl_take wl_page_take(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t stream);
/* The data jobs of a part of a page; `later`: the command does not end with its data. */
void wl_page_send(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t segment, bool last,
                  bool later);
void wl_page_release(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t segment, bool commit);
/* With two page sizes, small writes go by sectors, and so do sectors of which a write keeps blocks. */
static inline bool wl_segment_by_pages(const struct wl_firmware* fw, const struct wl_segment* s) {
  return wl_maps_pages(fw) && (s->room & WL_OF_SECTOR) == 0;
}
/* False: the read goes on, sector by sector, to lose no more than necessary. */
bool wl_page_read_done(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_job* job, bool ok);
/* Read and modify in the die. Before units are placed: where the rests of their pages lie now. */
void wl_page_find_rests(struct wl_firmware* fw);
/* A unit with a wl_unit_part is programmed. Returns how many sectors are valid in it. */
uint32_t wl_page_modified(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t unit);
/* What waits will not be programmed: its commands have failed, the old pages stay. */
void wl_page_stop(struct wl_firmware* fw);

#endif
