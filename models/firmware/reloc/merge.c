/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/reloc/merge.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/core/core.h"
#include "models/firmware/map/durable_pages.h"
#include "models/firmware/map/exchange.h"
#include "models/firmware/map/hazards.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/region.h"
#include "models/firmware/media/media.h"
#include "models/firmware/reloc/gather.h"
#include "models/firmware/reloc/moved.h"
#include "models/firmware/reloc/state.h"
#include "models/firmware/reloc/under_way.h"
#include "models/firmware/space/space.h"

bool wl_merge_awaited(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page) {
  if (!wl_under_way(fw, page, true)) return false;
  wl_mover_flush(fw, hal); /* it may be in the unit that gathers data */
  return true;
}

/* ---- a merge begins ---- */

/* Where the logical pages of a page lie on flash, beside those that the write buffer has. */
struct group {
  uint32_t page;
  wl_ppa_t from;  /* PPA of the larger page, or WL_NONE */
  uint32_t large; /* logical pages in it, by bit */
  uint32_t small; /* logical pages in small pages */
  /* With ftl.recovery: */
  uint32_t kept; /* of both: the write buffer has something newer */
  uint32_t gone; /* of those in small pages: deallocated since */
};

/* The merged page will count as a whole. What is deallocated, and flash has in a small page, it has a tombstone of.
 * What flash has of logical pages whose newest data are in the write buffer goes with it, too, and keeps its record, so
 * that these data are newer when they are programmed. */
__attribute__((noinline, cold)) static void add_durable(const struct wl_firmware* fw, struct group* g) {
  const wl_map_value_t from = wl_durable_page_at(fw, g->page);
  if (from != WL_MAP_INITIAL) g->from = from - WL_MAP_PPA0;
  const uint32_t all = wl_map_unit_all(fw, g->page);
  for (uint32_t k = 0; (all >> k & 1) != 0; ++k) {
    const wl_lpn_t lpn = g->page * wl_map_unit(fw) + k;
    const bool small = wl_durable_small_counts(fw, lpn);
    const bool in_region = wl_map_in_region(fw, lpn);
    const bool buffered = in_region && wl_map_region_get(fw, lpn) >= WL_MAP_BUFFER;
    if (small) g->small |= 1u << k;
    if (small && !in_region) g->gone |= 1u << k;
    if (!small && buffered && wl_durable_record(fw, lpn) != 0) g->large |= 1u << k;
    if (buffered) g->kept |= 1u << k;
  }
}

static struct group group_of(const struct wl_firmware* fw, uint32_t page, const struct wl_mapped* mapped) {
  struct group g = {page, WL_NONE, mapped->present, 0, 0, 0};
  if (mapped->present != 0) g.from = mapped->value - WL_MAP_PPA0;
  for (uint32_t k = 0; k < wl_map_unit(fw); ++k) {
    const wl_lpn_t lpn = page * wl_map_unit(fw) + k;
    if (lpn >= fw->boot.user_lpages) break;
    if (wl_map_in_region(fw, lpn) && wl_map_region_get(fw, lpn) < WL_MAP_BUFFER) g.small |= 1u << k;
  }
  if (wl_durable_kept(fw)) add_durable(fw, &g);
  return g;
}

/* Logical pages of a read that begins with logical page k: those that lie behind one another in the larger page, or a
 * small page. 0: there is nothing. */
static uint32_t read_length(const struct wl_firmware* fw, const struct group* g, uint32_t k) {
  if ((g->small >> k & 1) != 0) return 1;
  uint32_t count = 0;
  while (k + count < wl_map_unit(fw) && (g->large >> (k + count) & 1) != 0) ++count;
  return count;
}

static uint32_t reads_of(const struct wl_firmware* fw, const struct group* g) {
  uint32_t reads = 0;
  for (uint32_t k = 0; k < wl_map_unit(fw);) {
    const uint32_t count = read_length(fw, g, k);
    reads += count != 0;
    k += count == 0 ? 1 : count;
  }
  return reads;
}

/* Logical pages that nobody has: the merged page says so, for what flash still has of them. */
__attribute__((noinline, cold)) static void begin_records(struct wl_firmware* fw, wl_slot_t slot,
                                                          const struct group* g) {
  const uint32_t sequence = wl_map_next_sequence(fw);
  const uint32_t none = wl_map_unit_all(fw, g->page) & ~(g->small | g->large);
  wl_under_way_records(fw, slot, (struct wl_merged_records){sequence, g->kept, g->gone});
  for (uint32_t k = 0; none >> k != 0; ++k) {
    const wl_lpn_t lpn = g->page * wl_map_unit(fw) + k;
    if ((none >> k & 1) == 0 || wl_map_in_region(fw, lpn)) continue;
    wl_slot_set_record(fw, slot + k, lpn, (uint32_t)WL_SPARE_METADATA << WL_SPARE_KIND_SHIFT | sequence);
  }
}

static wl_ppa_t small_place(const struct wl_firmware* fw, wl_lpn_t lpn) {
  return (wl_durable_kept(fw) ? wl_durable_small_at(fw, lpn) : wl_map_region_get(fw, lpn)) - WL_MAP_PPA0;
}

static void read_all(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u, const struct group* g) {
  const wl_slot_t slot = wl_unit_fill(fw, u, wl_map_unit(fw));
  struct wl_gc_source* source = wl_source(fw, slot);
  wl_under_way_begins(fw, slot, g->page, true);
  for (uint32_t k = 0; k < wl_map_unit(fw); ++k) {
    const wl_lpn_t lpn = g->page * wl_map_unit(fw) + k;
    const bool small = (g->small >> k & 1) != 0, large = (g->large >> k & 1) != 0;
    source[k].lpn = small || large ? lpn : WL_LPN_NONE;
    source[k].ppa = small ? small_place(fw, lpn) : large ? g->from + k : WL_NONE;
    wl_slot_set_owner(fw, slot + k, WL_LPN_NONE); /* until it is read */
  }
  if (wl_durable_kept(fw)) begin_records(fw, slot, g);
  for (uint32_t k = 0; k < wl_map_unit(fw);) {
    const uint32_t count = read_length(fw, g, k);
    if (count != 0) wl_mover_read(fw, hal, u, wl_job_take(fw, WL_STEP_GC), slot + k, count);
    k += count == 0 ? 1 : count;
  }
  if (wl_unit_full(fw, u)) wl_unit_full_and_read(fw, u);
}

enum begun { BEGUN, LEFT, WAITS };

/* The page of the logical page whose valid data are in the small page at `ppa`. */
static enum begun begin(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_ppa_t ppa) {
  const uint32_t page = lpn / wl_map_unit(fw);
  const uint32_t merging = wl_under_way_slot(fw, page, true);
  if (merging != WL_NONE) {
    /* What was written since that merge began has to wait for its end. Nothing else ends it where the host waits for
     * this superblock: the unit of GC would wait for company, and this victim would be taken again and again. */
    if (wl_source(fw, merging + lpn % wl_map_unit(fw))->ppa != ppa) {
      wl_mover_flush(fw, hal);
      wl_small_superblocks_await(fw);
    }
    return LEFT;
  }
  if (wl_under_way(fw, page, false)) {
    wl_mover_flush(fw, hal);
    return WAITS;
  }
  const struct wl_mapped mapped = wl_mapped(fw, page);
  if (mapped.value >= WL_MAP_BUFFER || wl_hazard_locked(fw, wl_hazard(page))) {
    if (mapped.value >= WL_MAP_BUFFER) wl_buffer_send(fw, mapped.value & ~WL_MAP_BUFFER);
    wl_small_superblocks_await(fw);
    return LEFT;
  }
  const struct group g = group_of(fw, page, &mapped);
  if (wl_jobs_free(fw) < reads_of(fw, &g)) {
    wl_job_await(fw, WL_STEP_GC);
    return WAITS;
  }
  FW_TASK(hal, WL_COST_FTL_GC_RUN);
  const wl_unit_t u = wl_mover_unit(fw, hal, WL_STREAM_GC);
  if (u == WL_NONE) return WAITS;
  read_all(fw, hal, u, &g);
  return BEGUN;
}

enum wl_progress wl_merge_scan(struct wl_firmware* fw, const struct wl_hal* hal) {
  const wl_superblock_t victim = wl_reloc_state(fw)->victim;
  const uint32_t base = victim * fw->geometry.superblock_lpages;
  const uint32_t end = fw->kind[1].superblock_units * fw->geometry.unit_lpages;
  for (uint32_t budget = WL_LPAGE_BUDGET; wl_reloc_state(fw)->scan < end && wl_superblock(fw, victim)->valid != 0;
       --budget) {
    if (budget == 0) return WL_MORE;
    FW_TASK(hal, WL_COST_FTL_GC_SECTOR);
    const wl_lpn_t lpn = wl_map_region_at(fw, base + wl_reloc_state(fw)->scan);
    if (lpn != WL_NONE && begin(fw, hal, lpn, base + wl_reloc_state(fw)->scan) == WAITS) return WL_WAIT;
    wl_reloc_state(fw)->scan += wl_map_unit(fw);
  }
  return WL_SCANNED;
}

void wl_merge_read(struct wl_firmware* fw, wl_slot_t slot, uint32_t count) {
  const struct wl_merged_records* records = wl_under_way_merged(fw, slot);
  if (records == NULL) return;
  for (uint32_t i = 0; i < count; ++i) {
    const wl_lpn_t lpn = wl_slot_table(fw)[slot + i].lpn;
    const uint32_t bit = 1u << lpn % wl_map_unit(fw);
    if (lpn == WL_LPN_NONE || (records->kept & bit) != 0) continue;
    const uint32_t kind = (records->gone & bit) != 0 ? WL_SPARE_METADATA : WL_SPARE_USER;
    wl_slot_set_record(fw, slot + i, lpn, kind << WL_SPARE_KIND_SHIFT | records->sequence);
  }
}

/* ---- it is programmed ---- */

bool wl_merge_programmed(struct wl_firmware* fw, const struct wl_hal* hal, wl_slot_t slot, wl_ppa_t ppa,
                         uint32_t* valid, uint32_t* copied) {
  const struct wl_merged_records* records = wl_under_way_merged(fw, slot);
  const uint32_t sequence = records != NULL ? records->sequence : 0;
  const uint32_t page = wl_under_way_ends(fw, slot);
  if (page == WL_NONE) return false;
  const struct wl_gc_source* source = wl_source(fw, slot);
  wl_ppa_t from = WL_NONE, small = 0, large = 0;
  for (uint32_t k = 0; k < wl_map_unit(fw); ++k) {
    if (source[k].ppa == WL_NONE) continue;
    const bool is_small = wl_superblock_is_small(fw, wl_superblock_of(fw, source[k].ppa));
    if (!is_small) from = source[k].ppa - k;
    if (source[k].lpn == WL_LPN_NONE) continue; /* lost */
    ++*(is_small ? &small : &large);
  }
  *copied += small + large;
  ++fw->statistics.moved_pages;
  const struct wl_merge merge = {page, from, slot, sequence};
  if (wl_map_region_merge(fw, hal, &merge, source, ppa)) {
    *valid += wl_map_unit(fw);
    ++fw->statistics.small.merged_pages;
    fw->statistics.small.merged_lpages += small;
    fw->statistics.small.joined_lpages += large;
  }
  for (uint32_t k = 0; k < wl_map_unit(fw); ++k)
    if (source[k].ppa != WL_NONE) wl_moved(fw, wl_superblock_of(fw, source[k].ppa));
  return true;
}
