/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/piece.h"
#include "models/firmware/service/state.h"
#include "models/firmware/space/space.h"

/* ftl.packing = false: the next slot of the stream begins a page, unless the command has filled the one before it. */
__attribute__((noinline)) void wl_piece_keep_apart(struct wl_firmware* fw, uint32_t tag, uint32_t stream) {
  const struct wl_command* c = wl_command_of(fw, tag);
  uint16_t* filler = wl_service_state(fw)->filler;
  if (c->lpage == 0 && c->segments == 0) /* a new command, whose tag may have been another's */
    for (uint32_t i = 0; i < wl_plan(fw)->host_streams; ++i)
      if (filler[i] == tag) filler[i] = WL_NO_TAG;
  if (filler[stream] != tag) wl_buffer_align(fw, stream);
  filler[stream] = (uint16_t)tag;
}

__attribute__((noinline)) wl_slot_t wl_piece_slots(struct wl_firmware* fw, uint32_t tag, uint32_t stream,
                                                   struct wl_grain g) {
  return g.by_page ? wl_buffer_page(fw, stream) : wl_piece_slot(fw, tag, stream);
}
