/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the parsers of entries share (parse.c, copy.c). What every read passes is inlined.
 */
#ifndef WORDLINE_FIRMWARE_HOST_ENTRY_H
#define WORDLINE_FIRMWARE_HOST_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/core/core.h"
#include "models/firmware/host/nvme.h"
#include "models/firmware/host/state.h"

enum {
  WL_DW_PRP1 = 6,
  WL_DW_PRP2 = 8,
  WL_DW_SLBA = 10,
  WL_DW_DSM_RANGES = 10,
  WL_DW_DSM = 11,
  WL_DW_LENGTH = 12,
  WL_DW_PLACEMENT = 13
};
#define WL_HOST_PAGE_MASK 4095u
#define WL_RANGE_BUDGET 32u /* ranges of one poll */

/* Blocks of 512 bytes among all namespaces. */
struct wl_extent {
  uint64_t first;
  uint32_t blocks;
};

/* LBAs of the namespace that the entry names; false: they end beyond it. */
static inline __attribute__((always_inline)) bool wl_entry_extent(const struct wl_firmware* fw, const uint32_t* dw,
                                                                  uint64_t slba, uint32_t lbas,
                                                                  struct wl_extent* extent) {
  const struct wl_namespace_table* table = wl_host_view(fw)->namespaces;
  const struct wl_namespace* own = &table->namespaces[dw[WL_DW_NSID] - 1];
  const uint64_t end = own->blocks >> table->lba_shift;
  if (slba > end || lbas > end - slba) return false;
  extent->first = own->first + (slba << table->lba_shift);
  extent->blocks = lbas << table->lba_shift;
  return true;
}

/* A valid identifier of a namespace that is not attached. */
static inline bool wl_entry_is_inactive(const struct wl_firmware* fw, const uint32_t* dw) {
  return wl_host_view(fw)->namespaces->namespaces[dw[WL_DW_NSID] - 1].blocks == 0;
}

/* PRPs of `bytes` bytes, the first at a multiple of `unit`. *pages: how many host pages they are. */
static inline __attribute__((always_inline)) uint32_t wl_entry_check_prps(const uint32_t* dw, uint32_t bytes,
                                                                          uint32_t unit, uint32_t* pages) {
  if ((dw[WL_DW_PRP1] & (unit - 1)) != 0) return WL_STATUS_PRP_OFFSET;
  *pages = ((dw[WL_DW_PRP1] & WL_HOST_PAGE_MASK) + bytes + WL_HOST_PAGE_MASK) / (WL_HOST_PAGE_MASK + 1);
  if (*pages == 1) return WL_STATUS_OK;
  if (*pages == 2) return (dw[WL_DW_PRP2] & WL_HOST_PAGE_MASK) != 0 ? WL_STATUS_PRP_OFFSET : WL_STATUS_OK;
  if (dw[WL_DW_PRP2] % 8 != 0) return WL_STATUS_PRP_OFFSET;
  return dw[WL_DW_PRP2] == 0 && dw[WL_DW_PRP2 + 1] == 0 ? WL_STATUS_INVALID_FIELD : WL_STATUS_OK; /* no list */
}

/* The directive of a write or copy is one that there is. */
uint32_t wl_entry_check_directive(const struct wl_firmware* fw, const uint32_t* dw);
/* The placement handle of a write or copy. One that names none, or one that there is not, belongs to the first. */
WL_MUST_CHECK uint8_t wl_entry_handle(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw);
/* A job of the controller for `tag`. */
void wl_entry_post(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t op, uint32_t tag, uint32_t status,
                   uint32_t count);

#endif
