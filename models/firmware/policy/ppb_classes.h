/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What policies that are combined with ppb take from it (ppb.c): its classes, which are levels, and the superblocks
 * that they go to. Its functions are slots of policies (policy.h); such a policy calls wl_ppb_begin with memory of its
 * arena and of its table.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_PPB_CLASSES_H
#define WORDLINE_FIRMWARE_POLICY_PPB_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/policy/ppb_levels.h"

#define WL_PPB_VIRTUAL_BLOCKS 8u /* at most: ftl.ppb.virtual_blocks */
struct wl_ppb {
  struct wl_ppb_levels levels;
  uint32_t end[WL_PPB_VIRTUAL_BLOCKS]; /* of each virtual block: units of a superblock */
  uint32_t end_of_two[2];              /* the same of one that was opened while much was valid: ftl.ppb.two_above */
  uint8_t* in_two;                     /* by superblock, a bit: it was. Null: never */
};

uint64_t wl_ppb_bytes(const struct wl_boot_info* boot); /* of `table` */
uint32_t wl_ppb_more_superblocks(const struct wl_boot_info* boot);
void wl_ppb_begin(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_ppb* s, void* table);
uint32_t wl_ppb_class_of_write(const struct wl_firmware* fw, wl_lpn_t lpn, uint32_t lpages, uint32_t flags);
uint32_t wl_ppb_class_of_move(const struct wl_firmware* fw, wl_lpn_t lpn, wl_ppa_t ppa);
void wl_ppb_on_write(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, uint32_t lpages);
void wl_ppb_on_read(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, wl_ppa_t from);
/* Superblock that takes the next unit of `stream`. WL_NONE: it has to wait, as with wl_page_superblock. */
WL_MUST_CHECK wl_superblock_t wl_ppb_superblock(struct wl_firmware* fw, uint32_t stream);
/* Units of that superblock up to which its virtual block goes, the one that it goes on in. */
uint32_t wl_ppb_end(const struct wl_firmware* fw, wl_superblock_t superblock);
WL_MUST_CHECK bool wl_ppb_place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at);

#endif
