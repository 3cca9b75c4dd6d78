/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * With ftl.recovery each superblock ends with a closing record: the spare records of all its logical pages (its P2L),
 * so that a mount reads these pages instead of all (docs/power_loss.md). Erases of all superblocks follow, and which
 * have failed. It fills the last word lines of the superblock in order, with padding, and shares none with data. Each
 * of its logical pages stands for itself: a head, and the records of the logical pages from head.first on, or what is
 * kept of the superblocks from there. All are metadata of WL_LPN_TABLE with sequence 0.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_CLOSING_H
#define WORDLINE_FIRMWARE_CONTRACT_CLOSING_H

#include <stdint.h>

#include "models/firmware/contract/boot_info.h"
#include "models/firmware/contract/geometry.h"

struct wl_closing_head {
  uint32_t magic;
  uint32_t crc; /* CRC-32 of what follows in the head */
  wl_superblock_t superblock;
  uint32_t version; /* the sequence given last when it was closed: one for all pages of a record */
  uint32_t first;
  uint32_t count;
  uint32_t sum; /* of wl_closing_sum() of the records */
  uint32_t reserved;
};
WL_SIZE_IS(struct wl_closing_head, 32);
/* What a drive should not forget, in place of a spare record. */
struct wl_closing_wear {
  uint32_t erases;
  uint32_t bad; /* a program or an erase of it has failed */
};
WL_SIZE_IS(struct wl_closing_wear, 8);
#define WL_CLOSING_MAGIC 0x574c434cu

/* In any order, since dies end in any: each record counts with its place. */
static inline uint32_t wl_closing_sum(uint32_t place, uint32_t lpn, uint32_t record) {
  return (lpn * 0x9e3779b1u ^ (record + 1u) * 0x85ebca6bu) * (2u * place + 1u);
}

/* Records in a logical page: of whole map units. */
static inline uint32_t wl_closing_entries(const struct wl_boot_info* boot) {
  const uint32_t most = (uint32_t)((512u << boot->ftl.lpage_shift) - sizeof(struct wl_closing_head)) / 8u;
  return most - most % wl_boot_map_unit(boot);
}
/* Logical pages of its P2L. */
static inline uint32_t wl_closing_p2l_lpages(const struct wl_boot_info* boot, uint32_t superblock_lpages) {
  return (superblock_lpages + wl_closing_entries(boot) - 1u) / wl_closing_entries(boot);
}
/* ... of all of it, but for padding: wl_closing_wear of all superblocks follow. */
static inline uint32_t wl_closing_lpages(const struct wl_boot_info* boot, uint32_t superblock_lpages) {
  const uint32_t wear = (boot->blocks + wl_closing_entries(boot) - 1u) / wl_closing_entries(boot);
  return wl_closing_p2l_lpages(boot, superblock_lpages) + wear;
}
/* Units that it takes, whole word lines; 0: there is none. */
static inline uint32_t wl_closing_units(const struct wl_boot_info* boot, uint32_t superblock_units,
                                        uint32_t unit_lpages) {
  const uint32_t shared = boot->ftl.word_line_programs > 1u ? boot->ftl.word_line_programs : 1u;
  if (boot->ftl.recovery == 0) return 0;
  const uint32_t units = (wl_closing_lpages(boot, superblock_units * unit_lpages) + unit_lpages - 1u) / unit_lpages;
  return (units + shared - 1u) / shared * shared;
}
/* Units that it keeps data from. With parity over dies its rows hold nothing else, and have no parity: the same rows,
 * though a die may be left out of them. */
static inline uint32_t wl_closing_room(const struct wl_boot_info* boot, uint32_t superblock_units,
                                       uint32_t unit_lpages) {
  const uint32_t units = wl_closing_units(boot, superblock_units, unit_lpages);
  if (boot->ftl.parity_slots == 0) return units;
  const uint32_t in_row = boot->dies - 1u;
  return (units + in_row - 1u) / in_row * boot->dies;
}

#endif
