/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/durable.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/durable_pages.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/map_pages.h"
#include "models/firmware/map/state.h"
#include "models/firmware/map/tables.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"

void wl_durable_layout(struct wl_firmware* fw, struct wl_arena* dram) {
  if (fw->boot.ftl.recovery == 0 || (!wl_maps_by_lpage(fw) && !wl_has_small_pages(fw))) return;
  const uint64_t bytes =
      wl_map_table_bytes(fw, (uint64_t)wl_boot_stored_lpages(&fw->boot) * sizeof(wl_map_state(fw)->durable[0]));
  wl_map_state(fw)->durable = wl_arena_take(dram, bytes);
  wl_map_state(fw)->tombstones = wl_arena_take(dram, bytes / wl_table_chunk(fw));
  if (fw->boot.ftl.checkpoint_after != 0) wl_map_state(fw)->seen = wl_arena_take(dram, fw->boot.user_lpages);
}

static bool on_flash(wl_map_value_t value) { return value >= WL_MAP_PPA0 && value < WL_MAP_BUFFER; }

static wl_map_value_t read(const struct wl_firmware* fw, wl_lpn_t lpn) {
  return wl_map_resolve(wl_map_view(fw)->l2p[lpn], lpn, fw->boot.preconditioned);
}

static struct wl_durable* of(struct wl_firmware* fw, wl_lpn_t lpn) { return &wl_map_state(fw)->durable[lpn]; }

/* By a mount: the map is not in use, no page of it in a cache. */
static void set(struct wl_firmware* fw, wl_lpn_t lpn, wl_map_value_t value) {
  wl_map_state(fw)->l2p[lpn] = value;
  wl_engine_map_changed(fw, lpn);
}

/* The entry, or where flash has its copy. */
static inline void changed(struct wl_firmware* fw, wl_lpn_t lpn) {
  if (wl_map_cached(fw)) wl_map_cache_changed(fw, lpn);
}

static void put(struct wl_firmware* fw, wl_lpn_t lpn, wl_map_value_t value) {
  set(fw, lpn, value);
  changed(fw, lpn);
  if (wl_map_pages_kept(fw) && (on_flash(value) || value == WL_MAP_LOST)) wl_map_page_says(fw, lpn, value);
}

/* By its spare record, flash has it at `place`. */
static void page_says(struct wl_firmware* fw, wl_lpn_t lpn, const struct wl_slot_info* record, wl_map_value_t place) {
  if (!wl_map_pages_kept(fw)) return;
  if (wl_spare_kind(record) == WL_SPARE_USER)
    wl_map_page_says(fw, lpn, place);
  else
    wl_map_page_says_tombstone(fw, lpn, place);
}

static void invalidate(struct wl_firmware* fw, const struct wl_hal* hal, wl_map_value_t place) {
  if (place != WL_MAP_INITIAL) wl_superblock_invalidate(fw, hal, wl_superblock_of(fw, place - WL_MAP_PPA0));
}

__attribute__((noinline)) wl_map_value_t wl_durable_at(const struct wl_firmware* fw, wl_lpn_t lpn) {
  const wl_map_value_t value = read(fw, lpn);
  return on_flash(value) ? value : (wl_map_value_t)wl_map_view(fw)->durable[lpn].place;
}

/* A FLUSH waits for the data that it has found in the buffer, though they are written anew meanwhile. */
void wl_durable_covered(struct wl_firmware* fw, wl_lpn_t lpn, wl_map_value_t old) {
  if (on_flash(old)) {
    of(fw, lpn)->place = old;
  } else if (old >= WL_MAP_BUFFER) {
    const wl_slot_t slot = old & ~WL_MAP_BUFFER;
    if (!wl_slot_awaited(fw, slot)) wl_slot_drop(fw, slot);
  }
}

/* Dies end in any order: an older copy may come behind a newer one. */
__attribute__((noinline)) uint32_t wl_durable_committed(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn,
                                                        wl_slot_t slot, wl_ppa_t ppa) {
  struct wl_durable* d = of(fw, lpn);
  const uint32_t sequence = wl_spare_sequence(&wl_slot_table(fw)[slot]);
  const bool newest = wl_map_view(fw)->l2p[lpn] == (WL_MAP_BUFFER | slot);
  if (!newest && sequence <= d->sequence) return 0;
  invalidate(fw, hal, (wl_map_value_t)d->place);
  d->sequence = sequence;
  d->place = newest ? WL_MAP_INITIAL : ppa + WL_MAP_PPA0;
  if (newest) {
    put(fw, lpn, ppa + WL_MAP_PPA0);
  } else {
    changed(fw, lpn);
    page_says(fw, lpn, &wl_slot_table(fw)[slot], ppa + WL_MAP_PPA0);
  }
  return 1;
}

bool wl_durable_is_newer(const struct wl_firmware* fw, wl_lpn_t lpn, wl_slot_t slot) {
  return wl_spare_sequence(&wl_slot_table((struct wl_firmware*)fw)[slot]) > wl_map_view(fw)->durable[lpn].sequence;
}

__attribute__((noinline)) bool wl_durable_moved(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn,
                                                wl_ppa_t from, wl_ppa_t to) {
  const wl_map_value_t old = from + WL_MAP_PPA0;
  if (wl_durable_at(fw, lpn) != old) return false;
  of(fw, lpn)->place = to + WL_MAP_PPA0;
  changed(fw, lpn);
  if (wl_map_pages_kept(fw)) wl_map_page_says_moved(fw, lpn, to + WL_MAP_PPA0);
  invalidate(fw, hal, old);
  return true;
}

__attribute__((noinline)) void wl_durable_lost(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn,
                                               wl_ppa_t ppa) {
  const wl_map_value_t old = ppa + WL_MAP_PPA0;
  if (wl_durable_at(fw, lpn) != old) return;
  if (wl_map_pages_kept(fw)) wl_map_page_says(fw, lpn, WL_MAP_INITIAL);
  if (read(fw, lpn) == old) put(fw, lpn, WL_MAP_LOST);
  of(fw, lpn)->place = WL_MAP_INITIAL;
  changed(fw, lpn);
  invalidate(fw, hal, old);
}

bool wl_map_needs_tombstone(const struct wl_firmware* fw, wl_lpn_t lpn) { return read(fw, lpn) != WL_MAP_DEALLOCATED; }

void wl_map_entomb(struct wl_firmware* fw, wl_lpn_t lpn, wl_slot_t slot) {
  const wl_map_value_t old = read(fw, lpn);
  const uint32_t sequence = ++wl_map_state(fw)->sequence;
  wl_slot_set_record(fw, slot, lpn, (uint32_t)WL_SPARE_METADATA << WL_SPARE_KIND_SHIFT | sequence);
  put(fw, lpn, WL_MAP_DEALLOCATED);
  wl_durable_covered(fw, lpn, old);
  wl_map_entombed(fw, lpn);
}

/* Where a checkpoint alone says it the copy may have gone meanwhile: then there is another, and it counts. */
static bool is_confirmed(struct wl_map* m, wl_lpn_t lpn, wl_ppa_t ppa, wl_map_value_t place) {
  if (m->seen == NULL) return true;
  if (place == ppa + WL_MAP_PPA0) m->seen[lpn] = 1;
  return m->seen[lpn] != 0;
}

void wl_map_found_yields(struct wl_firmware* fw, bool yields) { wl_map_state(fw)->found_yields = yields; }

/* Of two copies with one sequence, that in the superblock with the lower number counts: all that one GC has copied
 * falls to the same side, and its superblock is of use, or the victim is free. */
__attribute__((noinline)) void wl_map_found(struct wl_firmware* fw, wl_ppa_t ppa, const struct wl_slot_info* info) {
  struct wl_map* m = wl_map_state(fw);
  const wl_lpn_t lpn = info->lpn;
  const uint32_t kind = wl_spare_kind(info), sequence = wl_spare_sequence(info);
  const bool owned = lpn < wl_boot_stored_lpages(&fw->boot) && (kind == WL_SPARE_USER || kind == WL_SPARE_METADATA);
  m->p2l[ppa] = owned ? lpn + 1 : WL_NONE;
  if (!owned || sequence == WL_SEQUENCE_STALE) return;
  if (sequence > m->sequence) m->sequence = sequence;
  const wl_map_value_t place = wl_durable_at(fw, lpn);
  struct wl_durable* d = of(fw, lpn);
  if (place != WL_MAP_INITIAL) {
    const wl_superblock_t other = wl_superblock_of(fw, place - WL_MAP_PPA0);
    if (sequence < d->sequence) return;
    if (sequence == d->sequence && is_confirmed(m, lpn, ppa, place) &&
        (m->found_yields || wl_superblock_of(fw, ppa) >= other))
      return;
    wl_superblock_found_less(fw, other);
  }
  if (m->seen != NULL) m->seen[lpn] = 1;
  wl_superblock_found_more(fw, wl_superblock_of(fw, ppa), 1);
  d->sequence = sequence;
  d->place = kind == WL_SPARE_USER ? WL_MAP_INITIAL : ppa + WL_MAP_PPA0;
  set(fw, lpn, kind == WL_SPARE_USER ? ppa + WL_MAP_PPA0 : WL_MAP_DEALLOCATED);
  page_says(fw, lpn, info, ppa + WL_MAP_PPA0);
  if (kind != WL_SPARE_USER) wl_map_entombed(fw, lpn);
}

/* Most are met for the first time, or lose: of the tables in DRAM these take one load. */
__attribute__((noinline)) uint32_t wl_map_found_all(struct wl_firmware* fw, wl_ppa_t ppa,
                                                    const struct wl_slot_info* info, uint32_t count) {
  struct wl_map* m = wl_map_state(fw);
  if (!wl_maps_by_lpage(fw)) return wl_map_pages_found(fw, ppa, info, count);
  struct wl_durable* const durable = m->durable;
  uint8_t* const seen = m->seen;
  uint32_t* const l2p = m->l2p;
  uint32_t* owner = m->p2l + ppa;
  const uint32_t lpages = wl_boot_stored_lpages(&fw->boot);
  const bool kept = wl_map_pages_kept(fw);
  uint32_t owned = 0, more = 0, most = m->sequence, place = ppa;
  for (const struct wl_slot_info* end = info + count; info != end; ++info, ++owner, ++place) {
    const wl_lpn_t lpn = info->lpn;
    const uint32_t sequence = info->record; /* of kind user, which is 0 */
    const bool user = lpn < lpages && sequence - 1 < WL_SEQUENCE_MOST;
    owned += lpn != WL_LPN_NONE;
    if (user) {
      const uint32_t before = durable[lpn].sequence;
      *owner = lpn + 1;
      if (sequence < before) continue;
      if (before == 0) {
        durable[lpn].sequence = sequence;
        l2p[lpn] = place + WL_MAP_PPA0;
        if (kept) wl_map_page_says(fw, lpn, place + WL_MAP_PPA0);
        if (seen != NULL) seen[lpn] = 1;
        if (sequence > most) most = sequence;
        ++more;
        continue;
      }
    }
    wl_map_found(fw, place, info);
  }
  if (most > m->sequence) m->sequence = most;
  wl_superblock_found_more(fw, wl_superblock_of(fw, ppa), more);
  return owned;
}

void wl_owner_rebuild(struct wl_firmware* fw, wl_lpn_t lpn) {
  if (!wl_maps_by_lpage(fw)) {
    wl_owner_rebuild_page(fw, lpn);
    return;
  }
  const wl_map_value_t place = wl_durable_at(fw, lpn);
  if (place != WL_MAP_INITIAL) wl_map_state(fw)->p2l[place - WL_MAP_PPA0] = lpn + 1;
}

void wl_map_forget(struct wl_firmware* fw) {
  if (!wl_maps_by_lpage(fw)) {
    wl_map_pages_forget(fw);
    return;
  }
  for (wl_lpn_t lpn = 0; lpn < wl_boot_stored_lpages(&fw->boot); ++lpn) {
    wl_map_state(fw)->durable[lpn] = (struct wl_durable){0};
    if (wl_map_state(fw)->seen != NULL) wl_map_state(fw)->seen[lpn] = 0;
    set(fw, lpn, WL_MAP_INITIAL);
    if (wl_map_pages_kept(fw)) wl_map_page_says(fw, lpn, WL_MAP_INITIAL);
  }
  for (uint32_t i = 0; i != wl_tombstone_chunks(fw); ++i) wl_map_state(fw)->tombstones[i] = 0;
  const uint32_t ppas = wl_superblocks(fw) * fw->geometry.superblock_lpages;
  for (wl_ppa_t ppa = 0; ppa != ppas; ++ppa) wl_map_state(fw)->p2l[ppa] = WL_OWNER_INITIAL;
}

__attribute__((noinline, cold)) void wl_map_lose_all(struct wl_firmware* fw) {
  for (wl_lpn_t lpn = 0; lpn < fw->boot.user_lpages; ++lpn) {
    of(fw, lpn)->place = WL_MAP_INITIAL;
    set(fw, lpn, WL_MAP_LOST);
  }
}

/* Above all that were given to data in the buffer, and are lost. */
void wl_map_all_found(struct wl_firmware* fw) { wl_map_state(fw)->sequence += 2 * fw->boot.write_slots; }
