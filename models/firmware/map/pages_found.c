/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The map by pages, from what a mount reads.
 */
#include "models/firmware/map/durable_pages.h"
#include "models/firmware/map/page_entries.h"
#include "models/firmware/map/state.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"

#define COLD __attribute__((noinline, cold))

static wl_superblock_t superblock_at(const struct wl_firmware* fw, uint32_t place) {
  return wl_superblock_of(fw, place - WL_MAP_PPA0);
}

/* Whether it names a logical page of the drive, with a sequence of this life. */
static bool counts(const struct wl_firmware* fw, const struct wl_slot_info* info) {
  const uint32_t kind = wl_spare_kind(info);
  return info->lpn < fw->boot.user_lpages && (kind == WL_SPARE_USER || kind == WL_SPARE_METADATA) &&
         wl_spare_sequence(info) != WL_SEQUENCE_STALE;
}

static void found_in_region(struct wl_firmware* fw, wl_lpn_t lpn, bool there) {
  uint32_t* word = &wl_map_state(fw)->in_region[lpn / 32];
  *word = there ? *word | 1u << lpn % 32 : *word & ~(1u << lpn % 32);
}

/* The map unit of these records, or WL_NONE, and the highest sequence of them. */
static uint32_t unit_of(const struct wl_firmware* fw, const struct wl_slot_info* info, uint32_t* sequence) {
  uint32_t unit = WL_NONE;
  *sequence = 0;
  for (uint32_t k = 0; k < wl_map_unit(fw); ++k) {
    if (!counts(fw, &info[k])) continue;
    unit = wl_map_unit_with(fw, info[k].lpn);
    if (wl_spare_sequence(&info[k]) > *sequence) *sequence = wl_spare_sequence(&info[k]);
  }
  return unit;
}

/* Of two copies with one sequence, that in the superblock with the lower number, as wl_map_found has it. */
static bool is_newer(const struct wl_firmware* fw, uint32_t sequence, wl_ppa_t ppa, uint32_t than, uint32_t place) {
  if (sequence != than) return sequence > than;
  if (wl_map_view(fw)->found_yields) return false;
  return wl_superblock_of(fw, ppa) < superblock_at(fw, place);
}

/* Logical pages of the map unit of which the records have data, by bit. */
static uint32_t present_in(const struct wl_firmware* fw, wl_map_unit_t unit, const struct wl_slot_info* info) {
  const uint32_t all = wl_map_unit_all(fw, unit);
  uint32_t present = 0;
  for (uint32_t k = 0; (all >> k & 1) != 0; ++k)
    if (counts(fw, &info[k]) && wl_spare_kind(&info[k]) == WL_SPARE_USER) present |= 1u << k;
  return present;
}

/* With one page size the newest page alone says what the map says. */
static void page_found(struct wl_firmware* fw, wl_ppa_t ppa, const struct wl_slot_info* info, wl_map_unit_t unit,
                       uint32_t sequence) {
  const uint32_t n = wl_map_unit(fw), before = wl_durable_page_sequence(fw, unit);
  if (before != 0) {
    const wl_map_value_t place = wl_durable_page_at(fw, unit);
    if (!is_newer(fw, sequence, ppa, before, place)) return;
    for (uint32_t k = 0; k < n; ++k) wl_superblock_found_less(fw, superblock_at(fw, place));
    fw->statistics.mapped_lpages -= wl_map_count(wl_page_entry(fw, unit).present);
  }
  wl_superblock_found_more(fw, wl_superblock_of(fw, ppa), n);
  const uint32_t present = present_in(fw, unit, info);
  const struct wl_mapped now = {present != 0 ? ppa + WL_MAP_PPA0 : WL_MAP_DEALLOCATED, present, 0};
  wl_page_put(fw, unit, &now);
  wl_durable_page_found(fw, unit, present != 0 ? WL_MAP_INITIAL : ppa + WL_MAP_PPA0, sequence);
  fw->statistics.mapped_lpages += wl_map_count(present);
}

COLD uint32_t wl_map_pages_found(struct wl_firmware* fw, wl_ppa_t ppa, const struct wl_slot_info* info,
                                 uint32_t count) {
  struct wl_map* m = wl_map_state(fw);
  const uint32_t n = wl_map_unit(fw);
  uint32_t owned = 0;
  for (uint32_t i = 0; i < count; i += n, ppa += n, info += n) {
    uint32_t sequence;
    const uint32_t unit = unit_of(fw, info, &sequence);
    for (uint32_t k = 0; k < n; ++k) owned += info[k].lpn != WL_LPN_NONE;
    wl_page_own(fw, ppa, unit == WL_NONE ? WL_NONE : unit + 1);
    if (unit == WL_NONE) continue;
    if (sequence > m->sequence) m->sequence = sequence;
    if (!wl_has_small_pages(fw)) {
      page_found(fw, ppa, info, unit, sequence);
      continue;
    }
    struct wl_durable_page* page = &m->pages[unit];
    if (page->sequence != 0) {
      if (!is_newer(fw, sequence, ppa, page->sequence, page->place)) continue;
      for (uint32_t k = 0; k < n; ++k) wl_superblock_found_less(fw, superblock_at(fw, page->place));
    }
    wl_superblock_found_more(fw, wl_superblock_of(fw, ppa), n);
    *page = (struct wl_durable_page){ppa + WL_MAP_PPA0, sequence, 0};
    m->presence[unit].present = (uint16_t)present_in(fw, unit, info);
    const uint32_t all = wl_map_unit_all(fw, unit);
    for (uint32_t k = 0; (all >> k & 1) != 0; ++k)
      m->in_page[unit * n + k] = counts(fw, &info[k]) ? wl_spare_sequence(&info[k]) : 0;
  }
  return owned;
}

/* Until all are joined a bit of the region says that the newest small page of a logical page holds data. */
COLD uint32_t wl_map_small_found(struct wl_firmware* fw, wl_ppa_t ppa, const struct wl_slot_info* info) {
  struct wl_map* m = wl_map_state(fw);
  const uint32_t at = ppa / wl_map_unit(fw);
  m->p2l[at] = counts(fw, info) ? info->lpn + 1 : WL_NONE;
  if (!counts(fw, info)) return info->lpn != WL_LPN_NONE;
  struct wl_durable* small = &m->durable[info->lpn];
  const uint32_t sequence = wl_spare_sequence(info);
  if (sequence > m->sequence) m->sequence = sequence;
  if (small->sequence != 0) {
    if (!is_newer(fw, sequence, ppa, small->sequence, small->place)) return 1;
    wl_superblock_found_less(fw, superblock_at(fw, small->place));
  }
  wl_superblock_found_more(fw, wl_superblock_of(fw, ppa), 1);
  *small = (struct wl_durable){ppa + WL_MAP_PPA0, sequence};
  found_in_region(fw, info->lpn, wl_spare_kind(info) == WL_SPARE_USER);
  return 1;
}

/* Of a logical page: which of the two sizes has it. Returns whether it is in the large page. */
static bool join(struct wl_firmware* fw, wl_lpn_t lpn, bool in_page) {
  struct wl_map* m = wl_map_state(fw);
  struct wl_durable* small = &m->durable[lpn];
  if (small->place == WL_MAP_INITIAL) return in_page;
  const wl_map_value_t place = (wl_map_value_t)small->place;
  if (small->sequence <= m->in_page[lpn]) { /* as new: a merge has copied it */
    wl_superblock_found_less(fw, superblock_at(fw, place));
    small->place = WL_MAP_INITIAL;
    found_in_region(fw, lpn, false);
    return in_page;
  }
  if (!wl_lies_in_region(wl_map_view(fw), lpn)) return false; /* a tombstone, which stays */
  m->region_l2p[lpn] = place;
  small->place = WL_MAP_INITIAL;
  return false;
}

COLD bool wl_map_pages_join(struct wl_firmware* fw, wl_map_unit_t* next) {
  struct wl_map* m = wl_map_state(fw);
  const uint32_t n = wl_map_unit(fw);
  const uint32_t units = (uint32_t)wl_map_unit_with(fw, fw->boot.user_lpages - 1) + 1;
  for (uint32_t budget = WL_LPAGE_BUDGET; budget != 0 && *next != units; --budget) {
    const wl_map_unit_t unit = (*next)++;
    const uint32_t all = wl_map_unit_all(fw, unit);
    uint32_t present = 0;
    for (uint32_t k = 0; (all >> k & 1) != 0; ++k)
      if (join(fw, unit * n + k, (m->presence[unit].present >> k & 1) != 0)) present |= 1u << k;
    m->presence[unit].present = (uint16_t)present;
    if (present == 0) {
      m->l2p[unit] = WL_MAP_DEALLOCATED;
      continue;
    }
    m->l2p[unit] = m->pages[unit].place;
    m->pages[unit].place = WL_MAP_INITIAL;
  }
  if (*next != units) return false;
  wl_map_pages_counted(fw);
  return true;
}

COLD void wl_map_pages_counted(struct wl_firmware* fw) {
  const uint32_t units = (uint32_t)wl_map_unit_with(fw, fw->boot.user_lpages - 1) + 1;
  uint64_t large = 0, small = 0;
  for (wl_map_unit_t unit = 0; unit != units; ++unit) large += wl_map_count(wl_page_entry(fw, unit).present);
  for (wl_lpn_t lpn = 0; wl_has_small_pages(fw) && lpn != fw->boot.user_lpages; ++lpn)
    small += wl_lies_in_region(wl_map_view(fw), lpn);
  fw->statistics.small.mapped_lpages = small;
  fw->statistics.mapped_lpages = large + small;
}

COLD void wl_map_pages_forget(struct wl_firmware* fw) {
  struct wl_map* m = wl_map_state(fw);
  const uint32_t units = (uint32_t)wl_map_unit_with(fw, fw->boot.user_lpages - 1) + 1;
  const struct wl_mapped nothing = {WL_MAP_INITIAL, 0, 0};
  for (wl_map_unit_t unit = 0; unit != units; ++unit) {
    wl_page_put(fw, unit, &nothing);
    wl_durable_page_found(fw, unit, WL_MAP_INITIAL, 0);
  }
  for (wl_lpn_t lpn = 0; wl_has_small_pages(fw) && lpn != fw->boot.user_lpages; ++lpn) {
    m->durable[lpn] = (struct wl_durable){0};
    m->in_page[lpn] = 0;
    found_in_region(fw, lpn, false);
  }
  const uint32_t ppas = wl_superblocks(fw) * fw->geometry.superblock_lpages;
  for (wl_ppa_t ppa = 0; ppa != ppas; ppa += wl_map_unit(fw)) wl_page_own(fw, ppa, WL_OWNER_INITIAL);
  fw->statistics.mapped_lpages = 0;
}

COLD void wl_owner_rebuild_page(struct wl_firmware* fw, wl_lpn_t lpn) {
  const uint32_t n = wl_map_unit(fw);
  uint32_t in_unit;
  const wl_map_unit_t unit = wl_map_unit_of(fw, lpn, &in_unit);
  const wl_map_value_t page = wl_durable_page_at(fw, unit);
  if (in_unit == 0 && page != WL_MAP_INITIAL) wl_page_own(fw, page - WL_MAP_PPA0, unit + 1);
  if (!wl_has_small_pages(fw)) return;
  const wl_map_value_t small = wl_durable_small_at(fw, lpn);
  if (small != WL_MAP_INITIAL) wl_map_state(fw)->p2l[(small - WL_MAP_PPA0) / n] = lpn + 1;
}
