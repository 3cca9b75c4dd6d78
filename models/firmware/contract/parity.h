/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Parity over dies (ftl.parity): of each row of program units, one on each die of a superblock, one is the XOR of the
 * others, content and spare records. That of the last die; where a die has failed, its units of the superblocks opened
 * since are left out of their rows. PPAs keep their numbers: those of the parity and of what is left out are never
 * mapped.
 *
 * The sequential fill of a preconditioned drive goes on in the next row where the data of a row end, and the dies hold
 * the parity of its rows, of blank logical pages behind its end, too.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_PARITY_H
#define WORDLINE_FIRMWARE_CONTRACT_PARITY_H

#include "models/firmware/contract/boot_info.h"
#include "models/firmware/contract/geometry.h"

/* Sums of rows that are gathered at once: of each superblock that may be open one that is not full, and as many again
 * that wait for their last programs or for that of their parity, and more, so that dies need not wait for each other.
 */
static inline uint32_t wl_parity_sums(uint32_t open_superblocks) { return 2u * open_superblocks + 4u; }

/* Units with data of a superblock, one of whose `dies` has the parity. */
static inline uint32_t wl_parity_data_units(uint32_t superblock_units, uint32_t dies) {
  return superblock_units / dies * (dies - 1u);
}

/* Where the sequential fill has put a logical page. */
static inline wl_ppa_t wl_parity_fill_ppa(const struct wl_geometry* g, wl_lpn_t lpn) {
  return lpn + lpn / ((g->dies - 1u) * g->unit_lpages) * g->unit_lpages;
}
/* The inverse, whether there is data of the fill or not; 0xffffffff: parity. */
static inline uint32_t wl_parity_fill_lpn(const struct wl_geometry* g, wl_ppa_t ppa) {
  uint32_t in_row;
  const uint32_t row = wl_divide(ppa, g->dies * g->unit_lpages, &in_row);
  return in_row >= (g->dies - 1u) * g->unit_lpages ? 0xffffffffu : ppa - row * g->unit_lpages;
}

#endif
