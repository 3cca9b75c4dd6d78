/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/map.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/durable.h"
#include "models/firmware/map/durable_pages.h"
#include "models/firmware/map/map_pages.h"
#include "models/firmware/map/page_entries.h"
#include "models/firmware/map/port.h"
#include "models/firmware/map/region.h"
#include "models/firmware/map/state.h"
#include "models/firmware/map/tables.h"
#include "models/firmware/space/space.h"

/* Initial values of a drive with parity, which lies in the way of the fill. */
__attribute__((noinline, cold)) static wl_map_value_t filled_beside_parity(const struct wl_firmware* fw, wl_lpn_t lpn) {
  if (fw->boot.preconditioned == 0) return WL_MAP_DEALLOCATED;
  return wl_parity_fill_ppa(&fw->geometry, lpn) + WL_MAP_PPA0;
}
__attribute__((noinline, cold)) static wl_lpn_t owner_beside_parity(const struct wl_firmware* fw, wl_ppa_t ppa) {
  const uint32_t lpn = wl_parity_fill_lpn(&fw->geometry, ppa);
  return fw->boot.preconditioned != 0 && lpn < fw->boot.user_lpages ? lpn : WL_NONE;
}

/* An entry with its initial value resolved: of a logical page that is its own map unit. */
static inline wl_map_value_t resolve(const struct wl_firmware* fw, wl_map_value_t value, wl_lpn_t lpn) {
  if (value != WL_MAP_INITIAL) return value;
  if (wl_has_parity(fw)) return filled_beside_parity(fw, lpn);
  return wl_map_resolve(value, lpn, fw->boot.preconditioned);
}

inline wl_map_value_t wl_map_get(const struct wl_firmware* fw, wl_lpn_t lpn) {
  if (!wl_maps_by_lpage(fw)) return wl_map_get_in_page(fw, lpn);
  return resolve(fw, wl_map_view(fw)->l2p[lpn], lpn);
}

/* `filled`: bus address of the table of an initial state, which lies behind what the arena hands out; 0: none. */
static void* table(const struct wl_firmware* fw, struct wl_arena* dram, uint64_t entries, uint32_t filled) {
  if (filled != 0 && dram->base != NULL) return dram->base + (filled - WL_DRAM_BASE);
  return wl_arena_take(dram, wl_map_table_bytes(fw, entries * sizeof(uint32_t)));
}

void wl_map_layout(struct wl_firmware* fw, struct wl_arena* dram) {
  if (wl_map_behind_port(fw)) {
    wl_port_layout(fw);
    return;
  }
  const uint64_t ppas = (uint64_t)wl_superblocks(fw) * fw->geometry.superblock_lpages;
  const uint32_t n = wl_map_unit(fw);
  uint64_t units = ((uint64_t)wl_boot_stored_lpages(&fw->boot) + n - 1) / n;
  if (wl_map_pages_kept(fw)) units += wl_table_chunk(fw) / sizeof(uint32_t); /* tables.h: the last chunk of map pages */
  wl_map_state(fw)->l2p = table(fw, dram, units, wl_initial_state_of(fw)->map);
  if (!wl_maps_by_lpage(fw))
    wl_map_state(fw)->presence =
        table(fw, dram, units, wl_initial_state_of(fw)->presence); /* entries of four bytes, too */
  wl_map_state(fw)->p2l = table(fw, dram, ppas / n, wl_initial_state_of(fw)->owners);
  wl_map_region_layout(fw, dram);
#if WL_HAS_LARGE_MAPS
  wl_map_pages_layout(fw, dram);
#endif
  wl_durable_layout(fw, dram);
  wl_durable_pages_layout(fw, dram);
}

static void boot_by_page(struct wl_firmware* fw, const struct wl_hal* hal) {
  WL_ASSERT(hal, wl_map_unit(fw) <= 16 && fw->geometry.page_lpages % wl_map_unit(fw) == 0);
  /* Read and modify in the die: all pages are of one plane, a program is one of them. */
  WL_ASSERT(hal, fw->boot.ftl.modify_in_die == 0 || (fw->boot.dies == 1 && fw->boot.ftl.write_through != 0 &&
                                                     fw->geometry.unit_lpages == wl_map_unit(fw)));
  fw->statistics.mapped_lpages = fw->boot.preconditioned ? fw->boot.user_lpages : 0;
  if (wl_initial_state_of(fw)->map != 0) fw->statistics.mapped_lpages = wl_initial_state_of(fw)->mapped_lpages;
  if (wl_map_behind_port(fw)) return;
  fw->tables.presence = wl_dram_address(hal, wl_map_state(fw)->presence);
  if (!wl_has_small_pages(fw)) return;
  fw->tables.small_map = wl_dram_address(hal, wl_map_state(fw)->region_l2p);
  fw->tables.in_small = wl_dram_address(hal, wl_map_state(fw)->in_region);
}

void wl_map_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  wl_map_state(fw)->sequence = WL_SEQUENCE_FILL;
  const uint64_t ppas = (uint64_t)wl_superblocks(fw) * fw->geometry.superblock_lpages;
  WL_ASSERT(hal, ppas + WL_MAP_PPA0 < WL_MAP_BUFFER); /* in the window up to 8 TiB, behind the port 15.97 */
  if (!wl_maps_by_lpage(fw)) boot_by_page(fw, hal);
  if (wl_map_behind_port(fw)) return;
  fw->tables.map = wl_dram_address(hal, wl_map_state(fw)->l2p);
  fw->tables.owners = wl_dram_address(hal, wl_map_state(fw)->p2l);
  if (!wl_has_engine_block(fw)) return;
  wl_write32(hal, WL_REGISTER(ENGINES.MAP_BASE), wl_dram_address(hal, wl_map_state(fw)->l2p));
  wl_write32(hal, WL_REGISTER(ENGINES.MAP_LPAGES), fw->boot.user_lpages);
  wl_write32(hal, WL_REGISTER(ENGINES.MAP_INITIAL), fw->boot.preconditioned);
  wl_write32(hal, WL_REGISTER(ENGINES.OWNERS_BASE), wl_dram_address(hal, wl_map_state(fw)->p2l));
}

inline uint32_t wl_map_next_sequence(struct wl_firmware* fw) { return ++wl_map_state(fw)->sequence; }

/* ---- entries ---- */

static bool on_flash(wl_map_value_t value) { return value >= WL_MAP_PPA0 && value < WL_MAP_BUFFER; }

/* What is said for the MAP port comes first in each function, and the rest is as without it. */
WL_BOTH_GRAINS bool behind_port(const struct wl_firmware* fw, struct wl_grain g) {
  return g.by_page && wl_map_behind_port(fw);
}

WL_BOTH_GRAINS struct wl_mapped entry(const struct wl_firmware* fw, wl_map_unit_t unit, struct wl_grain g) {
  if (g.by_page) return wl_page_entry(fw, unit);
  const uint32_t resolved = resolve(fw, wl_map_view(fw)->l2p[unit], (wl_lpn_t)unit);
  const struct wl_mapped one = {resolved, resolved >= WL_MAP_PPA0, resolved == WL_MAP_LOST};
  return one;
}

struct wl_mapped wl_mapped(const struct wl_firmware* fw, wl_map_unit_t unit) {
  return entry(fw, unit, wl_grain(fw));
}

#if WL_HAS_LARGE_MAPS
__attribute__((noinline, cold)) static void cached_changed(struct wl_firmware* fw, wl_lpn_t lpn, wl_map_value_t to) {
  wl_map_cache_changed(fw, lpn);
  if (wl_map_pages_kept(fw) && on_flash(to)) wl_map_page_says(fw, lpn, to);
}
#endif

WL_BOTH_GRAINS void put(struct wl_firmware* fw, wl_map_unit_t unit, struct wl_mapped to, struct wl_grain g) {
  if (g.by_page) {
    wl_page_put(fw, unit, &to);
    return;
  }
  wl_map_state(fw)->l2p[unit] = to.value;
  wl_engine_map_changed(fw, (wl_lpn_t)unit);
#if WL_HAS_LARGE_MAPS
  if (wl_map_cached(fw)) cached_changed(fw, (wl_lpn_t)unit, to.value);
#endif
}

/* What the map unit pointed to so far holds no data any more. */
WL_BOTH_GRAINS void drop(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t old, struct wl_grain g) {
  for (uint32_t i = 0; i < g.lpages; ++i) {
    if (old >= WL_MAP_BUFFER)
      wl_slot_drop(fw, (old & ~WL_MAP_BUFFER) + i);
    else if (old >= WL_MAP_PPA0)
      wl_superblock_invalidate(fw, hal, wl_superblock_of(fw, old - WL_MAP_PPA0));
  }
}

__attribute__((noinline)) wl_map_value_t wl_map_get_in_page(const struct wl_firmware* fw, wl_lpn_t lpn) {
  uint32_t lpage;
  if (wl_map_in_region(fw, lpn)) return wl_map_region_get(fw, lpn);
  const struct wl_mapped mapped = wl_mapped(fw, wl_map_unit_of(fw, lpn, &lpage));
  if ((mapped.present >> lpage & 1) != 0) return mapped.value + lpage;
  return (mapped.lost >> lpage & 1) != 0 ? WL_MAP_LOST : WL_MAP_DEALLOCATED;
}

/* ---- data arrive ---- */

/* Of logical pages that nobody has the page says so, since it counts as a whole; those in small pages it leaves out. */
__attribute__((noinline, cold)) static void complete_records(struct wl_firmware* fw, wl_map_unit_t unit, wl_slot_t slot,
                                                             uint32_t present, uint32_t sequence) {
  wl_durable_page_arrives(fw, unit, sequence);
  const uint32_t rest = wl_map_unit_all(fw, unit) & ~present;
  for (uint32_t i = 0; rest >> i != 0; ++i) {
    const wl_lpn_t lpn = unit * wl_map_unit(fw) + i;
    if ((rest >> i & 1) != 0 && !wl_map_in_region(fw, lpn))
      wl_slot_set_record(fw, slot + i, lpn, (uint32_t)WL_SPARE_METADATA << WL_SPARE_KIND_SHIFT | sequence);
  }
}

/* What the map unit pointed to so far is not what the host reads any more. */
WL_BY_PAGE static void cover_page(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, uint32_t old) {
  if (wl_durable_kept(fw))
    wl_durable_page_covered(fw, unit, old);
  else
    drop(fw, hal, old, wl_by_page(fw));
}

WL_BOTH_GRAINS void arrived(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, wl_slot_t slot,
                            uint32_t lpages, struct wl_grain g) {
  const struct wl_mapped old = entry(fw, unit, g);
  const struct wl_mapped now = {WL_MAP_BUFFER | slot, old.present | lpages, old.lost & ~lpages};
  if (!g.by_page && old.value == now.value) return; /* rewritten in place */
  const uint32_t sequence = wl_map_next_sequence(fw);
  for (uint32_t i = 0; i < g.lpages; ++i) /* reads may have put owners there */
    wl_slot_set_record(fw, slot + i, (now.present >> i & 1) != 0 ? unit * g.lpages + i : WL_LPN_NONE, sequence);
  if (g.by_page) wl_map_region_leave(fw, hal, unit, lpages);
  if (g.by_page && wl_durable_kept(fw)) complete_records(fw, unit, slot, now.present, sequence);
  put(fw, unit, now, g);
  if (old.value == now.value) return; /* changed in place */
  if (g.by_page && on_flash(old.value)) fw->statistics.mapped_lpages -= wl_map_count(old.present);
  if (g.by_page)
    cover_page(fw, hal, unit, old.value);
  else if (wl_durable_kept(fw))
    wl_durable_covered(fw, (wl_lpn_t)unit, old.value);
  else
    drop(fw, hal, old.value, g);
}

void wl_map_lpage_arrived(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_slot_t slot) {
  arrived(fw, hal, (wl_map_unit_t)lpn, slot, 1, WL_BY_LPAGE);
}

WL_BY_PAGE void wl_map_page_arrived(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit,
                                    wl_slot_t slot, uint32_t lpages) {
  arrived(fw, hal, unit, slot, lpages, wl_by_page(fw));
}

/* What data of a page would change, and none come: the page leaves them out. */
__attribute__((noinline, cold)) void wl_map_page_shrinks(struct wl_firmware* fw, const struct wl_hal* hal,
                                                         wl_map_unit_t unit, wl_slot_t slot, uint32_t lpages) {
  const struct wl_mapped old = wl_mapped(fw, unit);
  struct wl_mapped now = {WL_MAP_BUFFER | slot, old.present & ~lpages, old.lost & ~lpages};
  const uint32_t sequence = wl_map_next_sequence(fw), n = wl_map_unit(fw);
  for (uint32_t i = 0; i < n; ++i)
    wl_slot_set_record(fw, slot + i, (now.present >> i & 1) != 0 ? unit * n + i : WL_LPN_NONE, sequence);
  complete_records(fw, unit, slot, now.present, sequence);
  if (now.present == 0) now.value = WL_MAP_DEALLOCATED;
  wl_page_put(fw, unit, &now);
  if (old.value == (WL_MAP_BUFFER | slot)) return; /* changed in place */
  if (on_flash(old.value)) fw->statistics.mapped_lpages -= wl_map_count(old.present);
  cover_page(fw, hal, unit, old.value);
}

/* ---- data go ---- */

WL_BOTH_GRAINS void gone(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, uint32_t lpage,
                         wl_map_value_t value, struct wl_grain g) {
  const struct wl_mapped old = entry(fw, unit, g);
  const uint32_t bit = 1u << lpage;
  struct wl_mapped now = {old.value, old.present & ~bit, value == WL_MAP_LOST ? old.lost | bit : old.lost & ~bit};
  if (now.present == old.present && now.lost == old.lost) return; /* an untouched map stays untouched */
  if (now.present == 0) now.value = !g.by_page ? value : WL_MAP_DEALLOCATED;
  if (g.by_page && now.present != old.present && on_flash(old.value)) --fw->statistics.mapped_lpages;
  put(fw, unit, now, g);
  if (now.present == 0 && g.by_page)
    cover_page(fw, hal, unit, old.value);
  else if (now.present == 0)
    drop(fw, hal, old.value, g);
  else if (now.present != old.present && old.value >= WL_MAP_BUFFER && !wl_durable_kept(fw))
    wl_slot_empty(fw, (old.value & ~WL_MAP_BUFFER) + lpage); /* flash gets the page as it was, else */
}

WL_BY_PAGE static void page_gone(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_map_value_t value) {
  uint32_t lpage;
  const wl_map_unit_t unit = wl_map_unit_of(fw, lpn, &lpage);
  if (wl_map_in_region(fw, lpn)) wl_map_region_drop(fw, hal, lpn);
  gone(fw, hal, unit, lpage, value, wl_by_page(fw));
}

void wl_map_set_gone(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_map_value_t value) {
  if (wl_maps_by_lpage(fw))
    gone(fw, hal, (wl_map_unit_t)lpn, 0, value, WL_BY_LPAGE);
  else
    page_gone(fw, hal, lpn, value);
}

void wl_map_lose(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_ppa_t ppa) {
  if (wl_durable_kept(fw) && wl_maps_by_lpage(fw)) {
    wl_durable_lost(fw, hal, lpn, ppa);
    return;
  }
  if (wl_map_get(fw, lpn) == ppa + WL_MAP_PPA0) wl_map_set_gone(fw, hal, lpn, WL_MAP_LOST);
  if (wl_durable_pages_kept(fw)) wl_durable_pages_lost(fw, hal, lpn, ppa);
}

/* ---- programs ---- */

/* Map unit that the slots' owners name, or WL_NONE: they hold nothing. */
WL_BOTH_GRAINS uint32_t owner_of(const struct wl_slot_info* owners, struct wl_grain g) {
  for (uint32_t i = 0; i < g.lpages; ++i)
    if (owners[i].lpn != WL_LPN_NONE) return owners[i].lpn / g.lpages;
  return WL_NONE;
}

WL_BOTH_GRAINS uint32_t commit(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u, struct wl_grain g) {
  (void)hal; /* marks are calls natively, instructions on a core */
  const struct wl_unit* program = wl_unit(fw, u);
  const struct wl_slot_info* owners = &wl_slot_table(fw)[program->slot];
  uint32_t valid = 0;
  const uint32_t lpages = wl_unit_lpages(fw, u);
  for (uint32_t i = 0; i < lpages; i += g.lpages) {
    FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
    const wl_map_unit_t unit = owner_of(&owners[i], g);
    const wl_ppa_t ppa = program->ppa + i;
    if (behind_port(fw, g)) {
      valid += wl_port_commit(fw, unit, program->slot + i, ppa);
      continue;
    }
    if (unit == WL_NONE) {
      wl_map_state(fw)->p2l[ppa / g.lpages] = WL_NONE;
      continue;
    }
    wl_map_state(fw)->p2l[ppa / g.lpages] = unit + 1;
    if (wl_map_state(fw)->l2p[unit] != (WL_MAP_BUFFER | (program->slot + i)))
      continue; /* overwritten or deallocated meanwhile */
    struct wl_mapped now = {ppa + WL_MAP_PPA0, 1, 0};
    if (g.by_page) {
      now.present = wl_map_state(fw)->presence[unit].present;
      now.lost = wl_map_state(fw)->presence[unit].lost;
      fw->statistics.mapped_lpages += wl_map_count(now.present);
    }
    put(fw, unit, now, g);
    valid += g.lpages;
  }
  if (lpages != fw->geometry.unit_lpages) /* in SLC mode nothing lies behind them */
    wl_map_pad(fw, program->ppa + lpages, fw->geometry.unit_lpages - lpages);
  return valid;
}

__attribute__((noinline, cold)) static uint32_t commit_pages_durably(struct wl_firmware* fw, const struct wl_hal* hal,
                                                                     wl_unit_t u) {
  const struct wl_grain g = wl_by_page(fw);
  const struct wl_unit* program = wl_unit(fw, u);
  uint32_t valid = 0;
  for (uint32_t i = 0; i < fw->geometry.unit_lpages; i += g.lpages) {
    FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
    const wl_slot_t slot = program->slot + i;
    const wl_map_unit_t unit = owner_of(&wl_slot_table(fw)[slot], g);
    const wl_ppa_t ppa = program->ppa + i;
    wl_page_own(fw, ppa, unit == WL_NONE ? WL_NONE : unit + 1);
    if (unit != WL_NONE) valid += wl_durable_page_committed(fw, hal, unit, slot, ppa);
  }
  return valid;
}

WL_BY_PAGE static uint32_t commit_pages(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u) {
  if (wl_stream_is_small(fw, wl_unit(fw, u)->stream)) return wl_map_region_commit(fw, hal, u);
  return wl_durable_kept(fw) ? commit_pages_durably(fw, hal, u) : commit(fw, hal, u, wl_by_page(fw));
}

__attribute__((noinline)) static uint32_t commit_durably(struct wl_firmware* fw, const struct wl_hal* hal,
                                                         wl_unit_t u) {
  const struct wl_unit* program = wl_unit(fw, u);
  uint32_t valid = 0;
  for (uint32_t i = 0; i < fw->geometry.unit_lpages; ++i) {
    FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
    const wl_lpn_t lpn = wl_slot_table(fw)[program->slot + i].lpn;
    const wl_ppa_t ppa = program->ppa + i;
    wl_map_state(fw)->p2l[ppa] = lpn == WL_LPN_NONE ? WL_NONE : lpn + 1;
    if (lpn != WL_LPN_NONE) valid += wl_durable_committed(fw, hal, lpn, program->slot + i, ppa);
  }
  return valid;
}

uint32_t wl_map_commit_unit(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u) {
  if (wl_durable_kept(fw) && wl_maps_by_lpage(fw)) return commit_durably(fw, hal, u);
  return wl_maps_by_lpage(fw) ? commit(fw, hal, u, WL_BY_LPAGE) : commit_pages(fw, hal, u);
}

__attribute__((noinline)) uint32_t wl_map_modified(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit,
                                                   wl_ppa_t ppa, uint32_t lpages) {
  const struct wl_grain g = wl_by_page(fw);
  const struct wl_mapped old = wl_mapped(fw, unit);
  const struct wl_mapped now = {ppa + WL_MAP_PPA0, old.present | lpages, old.lost & ~lpages};
  if (behind_port(fw, g))
    wl_port_set_owner(fw, ppa / g.lpages, unit + 1);
  else
    wl_map_state(fw)->p2l[ppa / g.lpages] = unit + 1;
  wl_map_region_leave(fw, hal, unit, lpages);
  put(fw, unit, now, g);
  fw->statistics.mapped_lpages += wl_map_count(now.present) - wl_map_count(old.present);
  drop(fw, hal, old.value, g);
  return g.lpages;
}

WL_BOTH_GRAINS uint32_t valid_at(const struct wl_firmware* fw, wl_ppa_t ppa, struct wl_grain g) {
  const uint32_t filled = fw->boot.preconditioned ? (wl_boot_stored_lpages(&fw->boot) + g.lpages - 1) / g.lpages : 0;
  const wl_map_value_t owner =
      behind_port(fw, g) ? wl_port_owner(fw, ppa / g.lpages) : wl_map_view(fw)->p2l[ppa / g.lpages];
  const wl_map_unit_t unit = owner == WL_OWNER_INITIAL && wl_has_parity(fw)
                                 ? (wl_map_unit_t)owner_beside_parity(fw, ppa)
                                 : (wl_map_unit_t)wl_owner_resolve(owner, ppa / g.lpages, filled);
  if (unit == WL_NONE || entry(fw, unit, g).value == ppa + WL_MAP_PPA0) return unit;
  if (!wl_durable_kept(fw)) return WL_NONE;
  const wl_map_value_t place = g.by_page ? wl_durable_page_at(fw, unit) : wl_durable_at(fw, (wl_lpn_t)unit);
  return place == ppa + WL_MAP_PPA0 ? unit : (wl_map_unit_t)WL_NONE;
}

inline wl_lpn_t wl_map_lpage_at(const struct wl_firmware* fw, wl_ppa_t ppa) { return valid_at(fw, ppa, WL_BY_LPAGE); }

WL_BY_PAGE wl_map_unit_t wl_map_page_at(const struct wl_firmware* fw, wl_ppa_t ppa) {
  return valid_at(fw, ppa, wl_by_page(fw));
}

WL_BOTH_GRAINS bool move(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, wl_ppa_t from,
                         wl_ppa_t to, struct wl_grain g) {
  if (behind_port(fw, g))
    wl_port_set_owner(fw, to / g.lpages, unit + 1);
  else
    wl_map_state(fw)->p2l[to / g.lpages] = unit + 1;
  const struct wl_mapped old = entry(fw, unit, g);
  if (old.value != from + WL_MAP_PPA0)
    return !g.by_page && wl_durable_kept(fw) && wl_durable_moved(fw, hal, (wl_lpn_t)unit, from, to);
  const struct wl_mapped now = {to + WL_MAP_PPA0, old.present, old.lost};
  put(fw, unit, now, g);
  drop(fw, hal, old.value, g);
  return true;
}

bool wl_map_lpage_move(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_ppa_t from, wl_ppa_t to) {
  return move(fw, hal, (wl_map_unit_t)lpn, from, to, WL_BY_LPAGE);
}

WL_BY_PAGE bool wl_map_page_move(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, wl_ppa_t from,
                                 wl_ppa_t to, const struct wl_gc_source* source) {
  if (!wl_durable_kept(fw)) return move(fw, hal, unit, from, to, wl_by_page(fw));
  wl_page_own(fw, to, unit + 1);
  return wl_durable_page_moved(fw, hal, unit, from, to, source);
}

#if WL_HAS_LARGE_MAPS
void wl_map_own(struct wl_firmware* fw, wl_ppa_t ppa, wl_lpn_t lpn) {
  wl_map_state(fw)->p2l[ppa] = lpn == WL_LPN_NONE ? WL_NONE : lpn + 1;
}

void wl_map_committed(struct wl_firmware* fw, wl_lpn_t lpn, wl_ppa_t ppa) {
  const struct wl_mapped now = {ppa + WL_MAP_PPA0, 1, 0};
  put(fw, (wl_map_unit_t)lpn, now, WL_BY_LPAGE);
}

void wl_map_rewritten(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_ppa_t to) {
  const wl_map_value_t old = wl_map_get(fw, lpn);
  wl_map_own(fw, to, lpn);
  wl_map_committed(fw, lpn, to);
  drop(fw, hal, old, WL_BY_LPAGE);
}
#endif

void wl_map_merged(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, wl_ppa_t to,
                   uint32_t present) {
  const struct wl_grain g = wl_by_page(fw);
  const struct wl_mapped old = wl_mapped(fw, unit);
  const struct wl_mapped now = {present != 0 ? to + WL_MAP_PPA0 : WL_MAP_DEALLOCATED, present, old.lost};
  wl_map_state(fw)->p2l[to / g.lpages] = unit + 1;
  put(fw, unit, now, g);
  drop(fw, hal, old.value, g);
}

void wl_map_pad(struct wl_firmware* fw, wl_ppa_t ppa, uint32_t count) {
  if (wl_map_behind_port(fw)) {
    wl_port_pad(fw, ppa, count);
    return;
  }
  const uint32_t n = wl_map_unit(fw);
  for (uint32_t i = 0; i < count; i += n) wl_map_state(fw)->p2l[(ppa + i) / n] = WL_NONE;
}
