/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the parsers of entries share (parse.c, copy.c).
 */
#ifndef WORDLINE_FIRMWARE_HOST_ENTRY_H
#define WORDLINE_FIRMWARE_HOST_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/core/core.h"

enum {
  WL_DW_PRP1 = 6,
  WL_DW_PRP2 = 8,
  WL_DW_SLBA = 10,
  WL_DW_DSM_RANGES = 10,
  WL_DW_DSM = 11,
  WL_DW_LENGTH = 12,
  WL_DW_PLACEMENT = 13
};
#define WL_RANGE_BUDGET 32u /* ranges of one poll */

/* Blocks of 512 bytes among all namespaces. */
struct wl_extent {
  uint64_t first;
  uint32_t blocks;
};

/* LBAs of the namespace that the entry names; false: they end beyond it. */
WL_MUST_CHECK bool wl_entry_extent(const struct wl_firmware* fw, const uint32_t* dw, uint64_t slba, uint32_t lbas,
                                   struct wl_extent* extent);
/* PRPs of `bytes` bytes, the first at a multiple of `unit`. *pages: how many host pages they are. */
uint32_t wl_entry_check_prps(const uint32_t* dw, uint32_t bytes, uint32_t unit, uint32_t* pages);
/* The directive of a write or copy is one that there is. */
uint32_t wl_entry_check_directive(const struct wl_firmware* fw, const uint32_t* dw);
/* The placement handle of a write or copy. One that names none, or one that there is not, belongs to the first. */
WL_MUST_CHECK uint8_t wl_entry_handle(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw);
/* A job of the controller for `tag`. */
void wl_entry_post(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t op, uint32_t tag, uint32_t status,
                   uint32_t count);

#endif
