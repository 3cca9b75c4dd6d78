/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Encoding of the map in DRAM: logical page to PPA, four bytes per exported logical page, written by the firmware and
 * read by the lookup engine; and of its inverse, PPA to logical page, read by the engine that finds valid logical
 * pages. Both start as zeros, which mean the sequential fill (geometry.h) where the drive was preconditioned, so a huge
 * drive costs nothing until it is touched.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_MAP_H
#define WORDLINE_FIRMWARE_CONTRACT_MAP_H

#include <stdint.h>

#include "models/firmware/contract/address.h"

#define WL_NONE 0xffffffffu /* no logical page, no PPA, no index */

#define WL_MAP_INITIAL 0u     /* the sequential fill if the drive was preconditioned, else never written */
#define WL_MAP_DEALLOCATED 1u /* reads as zeros */
#define WL_MAP_LOST 2u        /* GC could not read it: reads end with an unrecovered read error */
#define WL_MAP_PPA0 3u        /* PPA + 3 */
/* From here on: | slot of the write buffer. Cores with the map in their window, where drives have less than 2^31
 * logical pages, test the sign. Behind the MAP port (map_port.h) PPAs have all values but the last 2^23. One library is
 * the firmware of both natively, so what reads the map in the window knows a slot by the sign and these bits of it. */
#define WL_MAP_SLOTS 0x800000u
#define WL_MAP_BUFFER_WINDOW 0x80000000u
#define WL_MAP_BUFFER_PORT (0u - WL_MAP_SLOTS)
#if defined(__cplusplus) || (defined(__riscv) && !defined(WL_MAP_PORT))
#define WL_MAP_BUFFER WL_MAP_BUFFER_WINDOW
#else
#define WL_MAP_BUFFER WL_MAP_BUFFER_PORT
#endif
/* The slot that a value from WL_MAP_BUFFER on names, of any firmware. */
static inline wl_slot_t wl_map_slot(wl_map_value_t value) { return value & (WL_MAP_SLOTS - 1); }

/* An entry with its initial value resolved. */
static inline wl_map_value_t wl_map_resolve(wl_map_value_t value, wl_lpn_t lpn, uint32_t preconditioned) {
  if (value != WL_MAP_INITIAL) return value;
  return preconditioned ? lpn + WL_MAP_PPA0 : WL_MAP_DEALLOCATED;
}

struct wl_presence { /* where the map is by pages: of the logical pages of a page, by bit */
  uint16_t present;  /* hold data */
  uint16_t lost;     /* could not be read when they were moved */
};

#define WL_OWNER_INITIAL 0u /* by the fill rule */
/* else WL_NONE: padding, or the logical page + 1 */

/* Logical page that an entry of the inverse names, or WL_NONE: padding or never written. The PPA holds its valid data
 * exactly when the map points to it. `filled`: logical pages of the sequential fill. */
static inline uint32_t wl_owner_resolve(wl_map_value_t value, wl_ppa_t ppa, uint32_t filled) {
  if (value == WL_NONE) return WL_NONE;
  if (value != WL_OWNER_INITIAL) return value - 1;
  return ppa < filled ? ppa : WL_NONE;
}

#endif
