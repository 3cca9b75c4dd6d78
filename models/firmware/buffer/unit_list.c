/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/buffer/unit_list.h"

#include "models/firmware/buffer/state.h"
#include "models/firmware/core/core.h"

void wl_unit_push(struct wl_firmware* fw, struct wl_list* l, wl_unit_t u) {
  wl_buffer_state(fw)->units[u].next = WL_NO_INDEX;
  if (l->head == WL_NO_INDEX)
    l->head = (uint16_t)u;
  else
    wl_buffer_state(fw)->units[l->tail].next = (uint16_t)u;
  l->tail = (uint16_t)u;
}

void wl_unit_push_front(struct wl_firmware* fw, struct wl_list* l, wl_unit_t u) {
  wl_buffer_state(fw)->units[u].next = l->head;
  if (l->head == WL_NO_INDEX) l->tail = (uint16_t)u;
  l->head = (uint16_t)u;
}

void wl_unit_ready(struct wl_firmware* fw, wl_unit_t u) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  unit->state = WL_UNIT_READY;
  wl_buffer_state(fw)->ready_streams |= 1u << unit->stream;
  wl_kick(fw, WL_STEP_PLACE);
}
