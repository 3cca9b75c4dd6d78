/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/map.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/map/pages.h"
#include "models/firmware/map/small_pages.h"
#include "models/firmware/space/space.h"

/* `filled`: bus address of the table of an initial state, which lies behind what the arena hands out; 0: none. */
static void* table(struct wl_arena* dram, uint64_t entries, uint32_t filled) {
  if (filled != 0 && dram->base != NULL) return dram->base + (filled - WL_DRAM_BASE);
  return wl_arena_take(dram, entries * sizeof(uint32_t));
}

void wl_map_layout(struct wl_firmware* fw, struct wl_arena* dram) {
  const uint64_t ppas = (uint64_t)wl_superblocks(fw) * fw->geometry.superblock_sectors;
  if (wl_maps_pages(fw)) {
    const uint64_t pages = (fw->boot.user_sectors + fw->boot.ftl.map_page - 1) / fw->boot.ftl.map_page;
    fw->map.l2p = table(dram, pages, fw->initial.map);
    fw->map.presence = table(dram, pages, fw->initial.presence); /* entries of four bytes, too */
    fw->map.p2l = table(dram, ppas / fw->boot.ftl.map_page, fw->initial.owners);
    wl_map_small_layout(fw, dram);
    return;
  }
  fw->map.l2p = table(dram, fw->boot.user_sectors, fw->initial.map);
  fw->map.p2l = table(dram, ppas, fw->initial.owners);
}

void wl_map_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  const uint64_t ppas = (uint64_t)wl_superblocks(fw) * fw->geometry.superblock_sectors;
  WL_ASSERT(hal, ppas + WL_MAP_PPA0 < WL_MAP_BUFFER); /* map entries of 31 bits: up to 8 TiB */
  if (wl_maps_pages(fw)) {
    wl_map_pages_boot(fw, hal);
    fw->tables.presence = wl_dram_address(hal, fw->map.presence);
  }
  fw->tables.map = wl_dram_address(hal, fw->map.l2p);
  fw->tables.owners = wl_dram_address(hal, fw->map.p2l);
  if (!wl_has_engine_block(fw)) return;
  wl_write32(hal, WL_REGISTER(ENGINES.MAP_BASE), wl_dram_address(hal, fw->map.l2p));
  wl_write32(hal, WL_REGISTER(ENGINES.MAP_SECTORS), fw->boot.user_sectors);
  wl_write32(hal, WL_REGISTER(ENGINES.MAP_INITIAL), fw->boot.preconditioned);
  wl_write32(hal, WL_REGISTER(ENGINES.OWNERS_BASE), wl_dram_address(hal, fw->map.p2l));
}

uint32_t wl_map_valid_owner(const struct wl_firmware* fw, uint32_t ppa) {
  const uint32_t filled = fw->boot.preconditioned ? fw->boot.user_sectors : 0;
  const uint32_t lpn = wl_owner_resolve(fw->map.p2l[ppa], ppa, filled);
  return lpn != WL_NONE && wl_map_get(fw, lpn) == ppa + WL_MAP_PPA0 ? lpn : WL_NONE;
}

static void put(struct wl_firmware* fw, uint32_t lpn, uint32_t value) {
  fw->map.l2p[lpn] = value;
  wl_engine_map_changed(fw, lpn);
}

/* What `lpn` pointed to so far holds no data any more. */
static void drop_old(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t old) {
  if (old >= WL_MAP_BUFFER)
    wl_slot_drop(fw, old & ~WL_MAP_BUFFER);
  else if (old >= WL_MAP_PPA0)
    wl_superblock_invalidate(fw, hal, wl_superblock_of(fw, old - WL_MAP_PPA0));
}

void wl_map_set_buffer(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t slot) {
  const uint32_t old = wl_map_get(fw, lpn);
  const uint32_t value = WL_MAP_BUFFER | slot;
  if (old == value) return; /* rewritten in place */
  wl_slot_set_owner(fw, slot, lpn);
  put(fw, lpn, value);
  drop_old(fw, hal, old);
}

void wl_map_set_gone(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t value) {
  if (wl_maps_pages(fw)) {
    wl_map_page_gone(fw, hal, lpn, value);
    return;
  }
  const uint32_t old = wl_map_get(fw, lpn);
  if (old == value) return; /* an untouched map stays untouched */
  put(fw, lpn, value);
  drop_old(fw, hal, old);
}

void wl_map_lose(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t ppa) {
  if (wl_map_get(fw, lpn) == ppa + WL_MAP_PPA0) wl_map_set_gone(fw, hal, lpn, WL_MAP_LOST);
}

uint32_t wl_map_commit_unit(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t u) {
  (void)hal; /* marks are calls natively, instructions on a core */
  if (wl_maps_pages(fw))
    return wl_stream_is_small(fw, wl_unit(fw, u)->stream) ? wl_map_commit_small(fw, hal, u)
                                                          : wl_map_commit_pages(fw, hal, u);
  const struct wl_unit* unit = wl_unit(fw, u);
  const struct wl_slot_info* owners = &wl_slot_table(fw)[unit->slot];
  uint32_t valid = 0;
  for (uint32_t i = 0; i < fw->geometry.unit_sectors; ++i) {
    FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
    const uint32_t lpn = owners[i].lpn;
    const uint32_t ppa = unit->ppa + i;
    if (lpn == WL_LPN_NONE) {
      fw->map.p2l[ppa] = WL_NONE;
      continue;
    }
    fw->map.p2l[ppa] = lpn + 1;
    if (fw->map.l2p[lpn] != (WL_MAP_BUFFER | (unit->slot + i))) continue; /* overwritten or deallocated meanwhile */
    put(fw, lpn, ppa + WL_MAP_PPA0);
    ++valid;
  }
  return valid;
}

bool wl_map_move(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t from, uint32_t to) {
  fw->map.p2l[to] = lpn + 1;
  if (wl_map_get(fw, lpn) != from + WL_MAP_PPA0) return false;
  put(fw, lpn, to + WL_MAP_PPA0);
  wl_superblock_invalidate(fw, hal, wl_superblock_of(fw, from));
  return true;
}

void wl_map_pad(struct wl_firmware* fw, uint32_t ppa, uint32_t count) {
  const uint32_t unit = wl_maps_pages(fw) ? fw->boot.ftl.map_page : 1;
  for (uint32_t i = 0; i < count; i += unit) fw->map.p2l[(ppa + i) / unit] = WL_NONE;
}
