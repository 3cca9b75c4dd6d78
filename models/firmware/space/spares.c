/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/spares.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/state.h"

bool wl_spares_promised(const struct wl_firmware* fw, wl_superblock_t superblock) {
  return fw->boot.replacement.spares != 0 && wl_space_view(fw)->spares.promised[superblock] != WL_NONE;
}

static uint32_t entries(const struct wl_boot_info* b) { return b->dies * b->planes * b->replacement.spares; }

void wl_spares_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram) {
  struct wl_spares* s = &wl_space_state(fw)->spares;
  if (fw->boot.replacement.spares == 0) return;
  s->table = wl_arena_take(dram, (uint64_t)entries(&fw->boot) * sizeof(s->table[0]));
  s->next = wl_arena_take(tcm, (uint64_t)entries(&fw->boot) * sizeof(s->next[0]));
  s->promised = wl_arena_take(tcm, (uint64_t)fw->boot.blocks * sizeof(s->promised[0]));
}

void wl_spares_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_spares* s = &wl_space_state(fw)->spares;
  if (fw->boot.replacement.spares == 0) return;
  WL_ASSERT(hal, fw->boot.blocks <= WL_SPARE_BLOCKS_MAX && wl_dram_address(hal, s->table) == WL_DRAM_BASE);
  for (wl_superblock_t superblock = 0; superblock < fw->boot.blocks; ++superblock) s->promised[superblock] = WL_NONE;
  for (uint32_t i = 0; fw->boot.preconditioned != 0 && i < entries(&fw->boot); ++i)
    if (s->table[i] != WL_SPARE_FREE && s->table[i] != WL_SPARE_BAD) ++fw->statistics.blocks.spares_in_use;
  wl_write32(hal, WL_REGISTER(FLASH.SPARE_TABLE), wl_dram_address(hal, s->table));
}

/* The first entry of a plane that says `what`; WL_NONE: none does. */
static uint32_t find(const struct wl_firmware* fw, uint32_t plane, uint32_t what) {
  const uint32_t first = plane * fw->boot.replacement.spares;
  for (uint32_t i = first; i < first + fw->boot.replacement.spares; ++i)
    if (wl_space_view(fw)->spares.table[i] == what) return i;
  return WL_NONE;
}

static uint32_t plane_of(const struct wl_firmware* fw, uint32_t entry) { return entry / fw->boot.replacement.spares; }

static bool has_promise(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t plane) {
  for (uint32_t i = wl_space_view(fw)->spares.promised[superblock]; i != WL_NONE; i = wl_space_view(fw)->spares.next[i])
    if (plane_of(fw, i) == plane) return true;
  return false;
}

bool wl_spares_promise(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t die, uint32_t planes) {
  struct wl_spares* s = &wl_space_state(fw)->spares;
  const uint32_t first = die * fw->boot.planes;
  if (fw->boot.replacement.spares == 0) return false;
  if (fw->boot.replacement.by_plane == 0) planes = (1u << fw->boot.planes) - 1;
  bool all = true;
  for (uint32_t p = 0; p < fw->boot.planes; ++p) {
    if ((planes >> p & 1u) == 0 || has_promise(fw, superblock, first + p)) continue;
    ++fw->statistics.blocks.failed_blocks;
    const uint32_t entry = find(fw, first + p, WL_SPARE_FREE);
    if (entry == WL_NONE) {
      all = false;
      continue;
    }
    s->table[entry] = WL_SPARE_PROMISED;
    s->next[entry] = s->promised[superblock];
    s->promised[superblock] = entry;
  }
  return all;
}

uint32_t wl_spares_replace(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_spares* s = &wl_space_state(fw)->spares;
  const uint32_t die = plane_of(fw, s->promised[superblock]) / fw->boot.planes;
  uint32_t* link = &s->promised[superblock];
  while (*link != WL_NONE) {
    const uint32_t entry = *link;
    const uint32_t plane = plane_of(fw, entry);
    if (plane / fw->boot.planes != die) {
      link = &s->next[entry];
      continue;
    }
    *link = s->next[entry];
    const uint32_t before = find(fw, plane, superblock + 1);
    if (before != WL_NONE)
      s->table[before] = WL_SPARE_BAD;
    else
      ++fw->statistics.blocks.spares_in_use;
    wl_kick(fw, WL_STEP_ADMIN);
    s->table[entry] = (uint16_t)(superblock + 1);
  }
  return die;
}

void wl_spares_bad(struct wl_firmware* fw, uint32_t die, uint32_t planes, uint32_t k) {
  for (uint32_t p = 0; p < fw->boot.planes; ++p)
    if ((planes >> p & 1u) != 0 || fw->boot.replacement.by_plane == 0)
      wl_space_state(fw)->spares.table[(die * fw->boot.planes + p) * fw->boot.replacement.spares + k] = WL_SPARE_BAD;
}

void wl_spares_give_back(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_spares* s = &wl_space_state(fw)->spares;
  if (fw->boot.replacement.spares == 0) return;
  for (uint32_t i = s->promised[superblock]; i != WL_NONE; i = s->next[i]) s->table[i] = WL_SPARE_FREE;
  s->promised[superblock] = WL_NONE;
}
