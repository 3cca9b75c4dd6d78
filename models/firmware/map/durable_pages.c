/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/durable_pages.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/page_entries.h"
#include "models/firmware/map/port.h"
#include "models/firmware/map/state.h"
#include "models/firmware/map/tables.h"
#include "models/firmware/space/space.h"

#define COLD __attribute__((noinline, cold))

void wl_durable_pages_layout(struct wl_firmware* fw, struct wl_arena* dram) {
  if (fw->boot.ftl.recovery == 0 || wl_maps_by_lpage(fw)) return;
  struct wl_map* m = wl_map_state(fw);
  const uint64_t units = wl_map_unit_with(fw, fw->boot.user_lpages - 1) + 1u;
  m->pages = wl_arena_take(dram, wl_map_table_bytes(fw, units * sizeof(m->pages[0])));
  if (!wl_has_small_pages(fw)) return;
  m->in_page = wl_arena_take(dram, wl_map_table_bytes(fw, (uint64_t)fw->boot.user_lpages * sizeof(m->in_page[0])));
}

static bool on_flash(wl_map_value_t value) { return value >= WL_MAP_PPA0 && value < WL_MAP_BUFFER; }
/* Where the copy of the map unit is if the map does not point to flash, and its sequence. */
static struct wl_durable copy_of(const struct wl_firmware* fw, wl_map_unit_t unit) {
  if (wl_map_behind_port(fw)) return wl_port_copy(fw, unit);
  const struct wl_durable_page* page = &wl_map_view(fw)->pages[unit];
  const struct wl_durable copy = {page->place, page->sequence};
  return copy;
}
static void set_copy(struct wl_firmware* fw, wl_map_unit_t unit, uint32_t place, uint32_t sequence) {
  if (wl_map_behind_port(fw)) {
    wl_port_set_copy(fw, unit, (struct wl_durable){place, sequence});
    return;
  }
  struct wl_durable_page* page = &wl_map_state(fw)->pages[unit];
  page->place = place;
  page->sequence = sequence;
}
static struct wl_durable* small_of(struct wl_firmware* fw, wl_lpn_t lpn) { return &wl_map_state(fw)->durable[lpn]; }

static void invalidate(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_value_t place, uint32_t lpages) {
  if (place == WL_MAP_INITIAL) return;
  for (uint32_t i = 0; i < lpages; ++i) wl_superblock_invalidate(fw, hal, wl_superblock_of(fw, place - WL_MAP_PPA0));
}

/* Data in a slot that something newer replaces: a FLUSH that has found them waits for them. */
static void drop(struct wl_firmware* fw, wl_slot_t slot) {
  if (!wl_slot_awaited(fw, slot)) wl_slot_drop(fw, slot);
}

/* ---- large pages ---- */

COLD wl_map_value_t wl_durable_page_at(const struct wl_firmware* fw, wl_map_unit_t unit) {
  const wl_map_value_t value = wl_page_entry(fw, unit).value;
  return on_flash(value) ? value : (wl_map_value_t)copy_of(fw, unit).place;
}

/* Nothing was programmed since the drive was filled: all records are those of the fill. */
static bool is_filled(const struct wl_firmware* fw, wl_map_unit_t unit) {
  return fw->boot.preconditioned != 0 && copy_of(fw, unit).sequence == 0;
}

COLD uint32_t wl_durable_record(const struct wl_firmware* fw, wl_lpn_t lpn) {
  return is_filled(fw, wl_map_unit_with(fw, lpn)) ? WL_SEQUENCE_FILL : wl_map_view(fw)->in_page[lpn];
}

COLD uint32_t wl_durable_page_records(const struct wl_firmware* fw, wl_map_unit_t unit) {
  const uint32_t all = wl_map_unit_all(fw, unit);
  if (!wl_has_small_pages(fw)) return all; /* but what could not be read when it was copied: wl_durable_page_read */
  uint32_t records = 0;
  for (uint32_t k = 0; (all >> k & 1) != 0; ++k)
    if (wl_durable_record(fw, unit * wl_map_unit(fw) + k) != 0) records |= 1u << k;
  return records;
}

COLD void wl_durable_page_covered(struct wl_firmware* fw, wl_map_unit_t unit, wl_map_value_t old) {
  if (on_flash(old)) set_copy(fw, unit, old, copy_of(fw, unit).sequence);
  for (uint32_t k = 0; old >= WL_MAP_BUFFER && k < wl_map_unit(fw); ++k) drop(fw, (old & ~WL_MAP_BUFFER) + k);
}

/* The records of the page are those of the slots from `slot` on; small pages that say nothing newer go. */
static void take_records(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, wl_slot_t slot) {
  const uint32_t all = wl_has_small_pages(fw) ? wl_map_unit_all(fw, unit) : 0;
  for (uint32_t k = 0; (all >> k & 1) != 0; ++k) {
    const wl_lpn_t lpn = unit * wl_map_unit(fw) + k;
    const struct wl_slot_info* info = &wl_slot_table(fw)[slot + k];
    const uint32_t sequence = info->lpn == WL_LPN_NONE ? 0 : wl_spare_sequence(info);
    wl_map_state(fw)->in_page[lpn] = sequence;
    struct wl_durable* small = small_of(fw, lpn);
    if (small->place == WL_MAP_INITIAL || small->sequence > sequence) continue;
    invalidate(fw, hal, (wl_map_value_t)small->place, 1);
    small->place = WL_MAP_INITIAL;
  }
}

COLD uint32_t wl_durable_page_committed(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit,
                                        wl_slot_t slot, wl_ppa_t ppa) {
  const uint32_t n = wl_map_unit(fw);
  const struct wl_slot_info* info = &wl_slot_table(fw)[slot];
  while (info->lpn == WL_LPN_NONE) ++info;
  const uint32_t sequence = wl_spare_sequence(info);
  struct wl_mapped now = wl_page_entry(fw, unit);
  const bool newest = now.value == (WL_MAP_BUFFER | slot);
  const struct wl_durable before = copy_of(fw, unit);
  if (!newest && sequence <= before.sequence) return 0;
  invalidate(fw, hal, (wl_map_value_t)before.place, n);
  set_copy(fw, unit, newest ? WL_MAP_INITIAL : ppa + WL_MAP_PPA0, sequence);
  take_records(fw, hal, unit, slot);
  if (!newest) return n;
  now.value = ppa + WL_MAP_PPA0;
  wl_page_put(fw, unit, &now);
  fw->statistics.mapped_lpages += wl_map_count(now.present);
  return n;
}

COLD void wl_durable_page_read(struct wl_firmware* fw, wl_slot_t slot, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    if (wl_slot_table(fw)[slot + i].lpn == WL_LPN_NONE) wl_source(fw, slot + i)->lpn = WL_LPN_NONE;
}

COLD bool wl_durable_page_moved(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, wl_ppa_t from,
                                wl_ppa_t to, const struct wl_gc_source* source) {
  const wl_map_value_t old = from + WL_MAP_PPA0;
  if (wl_durable_page_at(fw, unit) != old) return false;
  const uint32_t n = wl_map_unit(fw), all = wl_map_unit_all(fw, unit);
  bool some = false;
  for (uint32_t k = 0; (all >> k & 1) != 0; ++k) { /* what could not be read has left no record */
    const wl_lpn_t lpn = unit * n + k;
    some |= source[k].lpn != WL_LPN_NONE;
    if (wl_has_small_pages(fw))
      wl_map_state(fw)->in_page[lpn] = source[k].lpn == WL_LPN_NONE ? 0 : wl_durable_record(fw, lpn);
  }
  const uint32_t sequence = copy_of(fw, unit).sequence != 0 ? copy_of(fw, unit).sequence : WL_SEQUENCE_FILL;
  struct wl_mapped now = wl_page_entry(fw, unit);
  invalidate(fw, hal, old, n);
  if (now.value != old) {
    set_copy(fw, unit, some ? to + WL_MAP_PPA0 : WL_MAP_INITIAL, sequence);
    return some;
  }
  set_copy(fw, unit, WL_MAP_INITIAL, sequence);
  now.value = to + WL_MAP_PPA0;
  wl_page_put(fw, unit, &now);
  return true;
}

uint32_t wl_durable_page_sequence(const struct wl_firmware* fw, wl_map_unit_t unit) {
  return copy_of(fw, unit).sequence;
}
void wl_durable_page_found(struct wl_firmware* fw, wl_map_unit_t unit, uint32_t place, uint32_t sequence) {
  set_copy(fw, unit, place, sequence);
}

/* ---- small pages ---- */

COLD wl_map_value_t wl_durable_small_at(const struct wl_firmware* fw, wl_lpn_t lpn) {
  const struct wl_map* m = wl_map_view(fw);
  if (wl_lies_in_region(m, lpn) && on_flash(m->region_l2p[lpn])) return m->region_l2p[lpn];
  return (wl_map_value_t)m->durable[lpn].place;
}

bool wl_durable_small_counts(const struct wl_firmware* fw, wl_lpn_t lpn) {
  return wl_durable_small_at(fw, lpn) != WL_MAP_INITIAL &&
         wl_map_view(fw)->durable[lpn].sequence > wl_durable_record(fw, lpn);
}

COLD void wl_durable_small_covered(struct wl_firmware* fw, wl_lpn_t lpn, wl_map_value_t old) {
  if (on_flash(old))
    small_of(fw, lpn)->place = old;
  else
    drop(fw, old & ~WL_MAP_BUFFER);
}

COLD uint32_t wl_durable_small_committed(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_slot_t slot,
                                         wl_ppa_t ppa, bool newest) {
  struct wl_durable* small = small_of(fw, lpn);
  const uint32_t sequence = wl_spare_sequence(&wl_slot_table(fw)[slot]);
  if (!newest && (sequence <= small->sequence || sequence <= wl_durable_record(fw, lpn))) return 0;
  invalidate(fw, hal, (wl_map_value_t)small->place, 1);
  small->sequence = sequence;
  small->place = newest ? WL_MAP_INITIAL : ppa + WL_MAP_PPA0;
  return 1;
}

/* ---- both ---- */

/* A large page of which nothing can be read is kept no longer. */
static void lost_in_page(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, wl_lpn_t lpn) {
  const uint32_t all = wl_map_unit_all(fw, unit);
  for (uint32_t k = 0; is_filled(fw, unit) && (all >> k & 1) != 0; ++k)
    wl_map_state(fw)->in_page[unit * wl_map_unit(fw) + k] = WL_SEQUENCE_FILL;
  struct wl_durable copy = copy_of(fw, unit);
  if (copy.sequence == 0) copy.sequence = WL_SEQUENCE_FILL;
  set_copy(fw, unit, copy.place, copy.sequence);
  wl_map_state(fw)->in_page[lpn] = 0;
  if (wl_durable_page_records(fw, unit) != 0) return;
  invalidate(fw, hal, (wl_map_value_t)copy.place, wl_map_unit(fw)); /* the map names it no more */
  set_copy(fw, unit, WL_MAP_INITIAL, copy.sequence);
}

COLD void wl_durable_pages_lost(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_ppa_t ppa) {
  const wl_map_value_t value = ppa + WL_MAP_PPA0;
  if (!wl_has_small_pages(fw)) return; /* its copy has no record of it */
  if (!wl_superblock_is_small(fw, wl_superblock_of(fw, ppa))) {
    uint32_t in_unit;
    const wl_map_unit_t unit = wl_map_unit_of(fw, lpn, &in_unit);
    if (wl_durable_page_at(fw, unit) == value - in_unit) lost_in_page(fw, hal, unit, lpn);
    return;
  }
  if (small_of(fw, lpn)->place != value) return;
  invalidate(fw, hal, value, 1);
  small_of(fw, lpn)->place = WL_MAP_INITIAL;
}

void wl_durable_page_arrives(struct wl_firmware* fw, wl_map_unit_t unit, uint32_t sequence) {
  if (wl_has_small_pages(fw)) wl_map_state(fw)->pages[unit].arrived = sequence;
}

bool wl_durable_page_newer(const struct wl_firmware* fw, wl_map_unit_t unit, uint32_t sequence) {
  return wl_map_view(fw)->pages[unit].arrived > sequence;
}

COLD void wl_durable_merged(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_unit_t unit, wl_slot_t slot,
                            wl_ppa_t to, uint32_t sequence, bool read_there) {
  /* Where the map names one, the caller does it. */
  invalidate(fw, hal, (wl_map_value_t)copy_of(fw, unit).place, wl_map_unit(fw));
  set_copy(fw, unit, read_there ? WL_MAP_INITIAL : to + WL_MAP_PPA0, sequence);
  take_records(fw, hal, unit, slot);
}

/* ---- deallocation ---- */

static uint32_t tombstone(struct wl_firmware* fw) {
  return (uint32_t)WL_SPARE_METADATA << WL_SPARE_KIND_SHIFT | ++wl_map_state(fw)->sequence;
}

void wl_map_entomb_small(struct wl_firmware* fw, wl_lpn_t lpn, wl_slot_t slot) {
  wl_slot_set_record(fw, slot, lpn, tombstone(fw));
}

void wl_map_entomb_page(struct wl_firmware* fw, wl_map_unit_t unit, wl_slot_t slot) {
  const uint32_t all = wl_map_unit_all(fw, unit), record = tombstone(fw);
  wl_durable_page_arrives(fw, unit, wl_map_view(fw)->sequence);
  for (uint32_t k = 0; (all >> k & 1) != 0; ++k) wl_slot_set_record(fw, slot + k, unit * wl_map_unit(fw) + k, record);
}
