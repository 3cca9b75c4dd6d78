/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lists of indices: of commands by tag, of program units. Each element holds the index of the next one.
 */
#ifndef WORDLINE_FIRMWARE_CORE_LIST_H
#define WORDLINE_FIRMWARE_CORE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#define WL_NO_INDEX 0xffffu
struct wl_list {
  uint16_t head;
  uint16_t tail;
};

static inline void wl_list_clear(struct wl_list* l) { l->head = l->tail = WL_NO_INDEX; }
static inline bool wl_list_empty(const struct wl_list* l) { return l->head == WL_NO_INDEX; }

#endif
