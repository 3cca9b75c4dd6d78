/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a piece of a write is made of: runs of logical pages (segments), each in slots of one program unit of the write
 * buffer.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_PIECE_H
#define WORDLINE_FIRMWARE_SERVICE_PIECE_H

#include <stdbool.h>

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/context.h"
#include "models/firmware/service/commands.h"

/* A part of a map unit may have two data jobs more than its own: those of a piece fit the ring. */
#define WL_PAGE_SEGMENTS (WL_MAX_SEGMENTS - 8u)

/* What a command changes of a map unit. */
struct wl_change {
  wl_lpn_t lpn; /* of the first logical page changed */
  struct wl_grain g;
  uint32_t first, count; /* logical pages of the map unit */
  bool head, tail;       /* of the first, the last one not all blocks */
};

enum wl_take {
  WL_TAKEN,
  WL_WAIT_LPAGE, /* another write of it is in flight, or was there before */
  WL_WAIT_ROOM,  /* for slots, job ids, or the end of this piece */
};

static inline struct wl_segment* wl_piece_add(struct wl_command* c, uint32_t kind, wl_slot_t slot, uint32_t count) {
  struct wl_segment* s = &c->segment[c->segments++];
  s->kind = (uint8_t)kind;
  s->state = WL_SEGMENT_READY;
  s->room = 0;
  s->slot = slot;
  s->lpage = (uint16_t)c->lpage;
  s->count = (uint16_t)count;
  return s;
}
static inline uint32_t wl_piece_limit(struct wl_grain g) { return g.by_page ? WL_PAGE_SEGMENTS : WL_MAX_SEGMENTS; }
/* Logical pages of the map unit that a segment of a write changes. */
static inline uint32_t wl_segment_unit(const struct wl_firmware* fw, const struct wl_segment* s) {
  return (s->room & WL_OF_LPAGE) != 0 ? 1 : wl_map_unit(fw);
}
static inline uint32_t wl_bits(uint32_t first, uint32_t count) { return ((1u << count) - 1) << first; }

void wl_piece_keep_apart(struct wl_firmware* fw, uint32_t tag, uint32_t stream);
/* The next slots of the stream, for a map unit of command `tag`: the first, or WL_NONE. A call would cost writes by
 * logical page 2 %; others call the second. */
static inline __attribute__((always_inline)) uint32_t wl_piece_slot(struct wl_firmware* fw, uint32_t tag,
                                                                    uint32_t stream) {
  if (__builtin_expect(fw->boot.ftl.pages_apart != 0, 0)) wl_piece_keep_apart(fw, tag, stream);
  return wl_buffer_slot(fw, stream);
}
WL_MUST_CHECK wl_slot_t wl_piece_slots(struct wl_firmware* fw, uint32_t tag, uint32_t stream, struct wl_grain g);

#endif
