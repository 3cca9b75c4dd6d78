/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/pages.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/small_pages.h"
#include "models/firmware/space/space.h"

void wl_map_pages_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  WL_ASSERT(hal, fw->boot.ftl.map_page == fw->boot.sectors_per_page && fw->boot.ftl.map_page <= 16);
  /* Read and modify in the die: all pages are of one plane, a program is one of them. */
  WL_ASSERT(hal, fw->boot.ftl.modify_in_die == 0 || (fw->boot.dies == 1 && fw->boot.ftl.write_through != 0 &&
                                                     fw->geometry.unit_sectors == fw->boot.ftl.map_page));
  fw->statistics.mapped_sectors = fw->boot.preconditioned ? fw->boot.user_sectors : 0;
  if (fw->initial.map != 0) fw->statistics.mapped_sectors = fw->initial.mapped_sectors;
}

uint32_t wl_map_page_all(const struct wl_firmware* fw, uint32_t page) {
  const uint32_t unit = fw->boot.ftl.map_page;
  const uint32_t left = fw->boot.user_sectors - page * unit;
  return (1u << (left < unit ? left : unit)) - 1;
}

struct wl_mapped_page wl_map_page(const struct wl_firmware* fw, uint32_t page) {
  const uint32_t value = fw->map.l2p[page];
  struct wl_mapped_page p = {value, fw->map.presence[page].present, fw->map.presence[page].lost};
  if (value != WL_MAP_INITIAL) return p;
  p.value = fw->boot.preconditioned ? page * fw->boot.ftl.map_page + WL_MAP_PPA0 : WL_MAP_DEALLOCATED;
  p.present = fw->boot.preconditioned ? wl_map_page_all(fw, page) : 0;
  return p;
}

/* Not inlined, nor what follows: where sectors are mapped it would only be in the way of the compiler. */
__attribute__((noinline)) uint32_t wl_map_get_in_page(const struct wl_firmware* fw, uint32_t lpn) {
  uint32_t sector;
  if (wl_map_in_small(fw, lpn)) return wl_map_small(fw, lpn);
  const struct wl_mapped_page p = wl_map_page(fw, wl_map_page_of(fw, lpn, &sector));
  if ((p.present >> sector & 1) != 0) return p.value + sector;
  return (p.lost >> sector & 1) != 0 ? WL_MAP_LOST : WL_MAP_DEALLOCATED;
}

static bool on_flash(uint32_t value) { return value >= WL_MAP_PPA0 && value < WL_MAP_BUFFER; }

static void put(struct wl_firmware* fw, uint32_t page, uint32_t value, uint32_t present, uint32_t lost) {
  fw->map.l2p[page] = value;
  fw->map.presence[page].present = (uint16_t)present;
  fw->map.presence[page].lost = (uint16_t)lost;
}

/* Nothing of the page is left where it was. */
static void drop(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t old) {
  for (uint32_t i = 0; i < fw->boot.ftl.map_page; ++i) {
    if (old >= WL_MAP_BUFFER)
      wl_slot_drop(fw, (old & ~WL_MAP_BUFFER) + i);
    else if (old >= WL_MAP_PPA0)
      wl_superblock_invalidate(fw, hal, wl_superblock_of(fw, old - WL_MAP_PPA0));
  }
}

/* `sectors` of the page are elsewhere from now on. */
static void leave_small(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page, uint32_t sectors) {
  if (fw->map.in_small == NULL) return;
  for (uint32_t i = 0; i < fw->boot.ftl.map_page; ++i) {
    const uint32_t lpn = page * fw->boot.ftl.map_page + i;
    if ((sectors >> i & 1) != 0 && wl_map_in_small(fw, lpn)) wl_map_small_leave(fw, hal, lpn);
  }
}

void wl_map_page_put(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page, uint32_t slot, uint32_t sectors) {
  const struct wl_mapped_page old = wl_map_page(fw, page);
  const uint32_t value = WL_MAP_BUFFER | slot;
  const uint32_t present = old.present | sectors;
  const uint32_t lpn = page * fw->boot.ftl.map_page;
  for (uint32_t i = 0; i < fw->boot.ftl.map_page; ++i) /* reads may have put owners there */
    wl_slot_set_owner(fw, slot + i, (present >> i & 1) != 0 ? lpn + i : WL_LPN_NONE);
  leave_small(fw, hal, page, sectors);
  put(fw, page, value, present, old.lost & ~sectors);
  if (old.value == value) return; /* changed in place */
  if (on_flash(old.value)) fw->statistics.mapped_sectors -= wl_map_count(old.present);
  drop(fw, hal, old.value);
}

__attribute__((noinline)) uint32_t wl_map_page_modified(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page,
                                                        uint32_t ppa, uint32_t sectors) {
  const struct wl_mapped_page old = wl_map_page(fw, page);
  const uint32_t present = old.present | sectors;
  fw->map.p2l[ppa / fw->boot.ftl.map_page] = page + 1;
  leave_small(fw, hal, page, sectors);
  put(fw, page, ppa + WL_MAP_PPA0, present, old.lost & ~sectors);
  fw->statistics.mapped_sectors += wl_map_count(present) - wl_map_count(old.present);
  drop(fw, hal, old.value);
  return fw->boot.ftl.map_page;
}

__attribute__((noinline)) void wl_map_page_gone(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn,
                                                uint32_t value) {
  uint32_t sector;
  const uint32_t page = wl_map_page_of(fw, lpn, &sector);
  if (wl_map_in_small(fw, lpn)) wl_map_small_leave(fw, hal, lpn);
  const struct wl_mapped_page old = wl_map_page(fw, page);
  const uint32_t bit = 1u << sector;
  const uint32_t lost = value == WL_MAP_LOST ? old.lost | bit : old.lost & ~bit;
  const uint32_t present = old.present & ~bit;
  if (present == old.present && lost == old.lost) return; /* an untouched map stays untouched */
  if (present != old.present && on_flash(old.value)) --fw->statistics.mapped_sectors;
  put(fw, page, present != 0 ? old.value : WL_MAP_DEALLOCATED, present, lost);
  if (present == 0)
    drop(fw, hal, old.value);
  else if (present != old.present && old.value >= WL_MAP_BUFFER)
    wl_slot_empty(fw, (old.value & ~WL_MAP_BUFFER) + sector);
}

/* Page that the slots' owners name, or WL_NONE: they hold nothing. */
static uint32_t owner_of(const struct wl_firmware* fw, const struct wl_slot_info* owners) {
  for (uint32_t i = 0; i < fw->boot.ftl.map_page; ++i)
    if (owners[i].lpn != WL_LPN_NONE) return owners[i].lpn / fw->boot.ftl.map_page;
  return WL_NONE;
}

__attribute__((noinline)) uint32_t wl_map_commit_pages(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t u) {
  (void)hal;
  const struct wl_unit* unit = wl_unit(fw, u);
  const uint32_t size = fw->boot.ftl.map_page;
  uint32_t valid = 0;
  for (uint32_t i = 0; i < fw->geometry.unit_sectors; i += size) {
    FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
    const uint32_t ppa = unit->ppa + i;
    const uint32_t page = owner_of(fw, &wl_slot_table(fw)[unit->slot + i]);
    fw->map.p2l[ppa / size] = page == WL_NONE ? WL_NONE : page + 1;
    if (page == WL_NONE || fw->map.l2p[page] != (WL_MAP_BUFFER | (unit->slot + i))) continue;
    fw->map.l2p[page] = ppa + WL_MAP_PPA0;
    fw->statistics.mapped_sectors += wl_map_count(fw->map.presence[page].present);
    valid += size;
  }
  return valid;
}

uint32_t wl_map_page_at(const struct wl_firmware* fw, uint32_t ppa) {
  const uint32_t size = fw->boot.ftl.map_page;
  const uint32_t filled = fw->boot.preconditioned ? (fw->boot.user_sectors + size - 1) / size : 0;
  const uint32_t at = ppa / size;
  const uint32_t page = wl_owner_resolve(fw->map.p2l[at], at, filled);
  return page != WL_NONE && wl_map_page(fw, page).value == ppa + WL_MAP_PPA0 ? page : WL_NONE;
}

void wl_map_page_merged(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page, uint32_t to,
                        uint32_t present) {
  const struct wl_mapped_page old = wl_map_page(fw, page);
  fw->map.p2l[to / fw->boot.ftl.map_page] = page + 1;
  put(fw, page, to + WL_MAP_PPA0, present, old.lost);
  drop(fw, hal, old.value);
}

bool wl_map_page_move(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page, uint32_t from, uint32_t to) {
  fw->map.p2l[to / fw->boot.ftl.map_page] = page + 1;
  const struct wl_mapped_page old = wl_map_page(fw, page);
  if (old.value != from + WL_MAP_PPA0) return false;
  put(fw, page, to + WL_MAP_PPA0, old.present, old.lost);
  drop(fw, hal, old.value);
  return true;
}
