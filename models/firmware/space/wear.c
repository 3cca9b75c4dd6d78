/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/wear.h"

#include "models/firmware/space/state.h"

uint32_t wl_wear_of(const struct wl_firmware* fw, wl_superblock_t superblock) {
  return wl_space_view(fw)->wear.erases[superblock];
}

void wl_wear_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  wl_space_state(fw)->wear.erases =
      wl_arena_take(tcm, (uint64_t)fw->boot.blocks * sizeof(wl_space_state(fw)->wear.erases[0]));
}

void wl_wear_boot(struct wl_firmware* fw) { wl_space_state(fw)->wear.least_superblocks = fw->boot.blocks; }

/* Examines all superblocks once in a round of erases. */
static void find_least(struct wl_firmware* fw) {
  struct wl_wear* w = &wl_space_state(fw)->wear;
  uint32_t least = UINT32_MAX;
  for (wl_superblock_t superblock = 0; superblock < fw->boot.blocks; ++superblock) {
    if (wl_space_state(fw)->superblock[superblock].state == WL_SUPERBLOCK_RETIRED || w->erases[superblock] > least)
      continue;
    if (w->erases[superblock] < least) w->least_superblocks = 0;
    least = w->erases[superblock];
    ++w->least_superblocks;
  }
  if (least != UINT32_MAX) fw->statistics.blocks.erases_least = least;
}

void wl_wear_found(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t erases) {
  wl_space_state(fw)->wear.erases[superblock] = erases;
  fw->statistics.blocks.superblock_erases += erases;
  if (erases > fw->statistics.blocks.erases_most) fw->statistics.blocks.erases_most = erases;
}

void wl_wear_found_more(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t erases) {
  const uint32_t before = wl_space_view(fw)->wear.erases[superblock];
  if (erases <= before) return;
  fw->statistics.blocks.superblock_erases -= before;
  wl_wear_found(fw, superblock, erases);
}

void wl_wear_all_found(struct wl_firmware* fw) { find_least(fw); }

static void leaves_least(struct wl_firmware* fw, uint32_t before) {
  if (before == fw->statistics.blocks.erases_least && --wl_space_state(fw)->wear.least_superblocks == 0) find_least(fw);
}

void wl_wear_erased(struct wl_firmware* fw, wl_superblock_t superblock) {
  const uint32_t before = wl_space_state(fw)->wear.erases[superblock]++;
  ++fw->statistics.blocks.superblock_erases;
  if (before + 1 > fw->statistics.blocks.erases_most) fw->statistics.blocks.erases_most = before + 1;
  leaves_least(fw, before);
}

void wl_wear_retired(struct wl_firmware* fw, wl_superblock_t superblock) {
  leaves_least(fw, wl_space_state(fw)->wear.erases[superblock]);
}

struct wl_handle_statistics* wl_handle_statistics(struct wl_firmware* fw, uint32_t handle) {
  return &wl_space_state(fw)->wear.by_handle[handle];
}
