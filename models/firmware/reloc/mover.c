/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/reloc/mover.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/core/core.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/map/durable_pages.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/map_pages.h"
#include "models/firmware/media/media.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/reloc/copy_engine.h"
#include "models/firmware/reloc/gather.h"
#include "models/firmware/reloc/merge.h"
#include "models/firmware/reloc/move_pace.h"
#include "models/firmware/reloc/moved.h"
#include "models/firmware/reloc/state.h"
#include "models/firmware/reloc/under_way.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/upkeep.h"

bool wl_mover_busy(const struct wl_firmware* fw) { return wl_reloc_view(fw)->victim != WL_NONE; }

void wl_mover_boot(struct wl_firmware* fw) {
  wl_reloc_state(fw)->victim = WL_NONE;
  wl_reloc_state(fw)->idle_unit = wl_reloc_state(fw)->slow_unit = WL_NONE;
  wl_under_way_boot(fw);
}

void wl_mover_begin(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock,
                    enum wl_move_reason reason) {
  wl_mark(hal, 1u + (uint32_t)reason, WL_MARK_MOVE);
  wl_reloc_state(fw)->victim = superblock;
  wl_reloc_state(fw)->scan = 0;
  wl_reloc_state(fw)->reason = (uint8_t)reason;
}

/* A unit with a free slot, and a job id for the read, unless the copy engine reads; false: none, one that comes free
 * kicks. */
static bool slots(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t stream, wl_unit_t* unit, uint32_t* id) {
  *id = WL_NONE;
  *unit = wl_mover_unit(fw, hal, stream);
  if (*unit == WL_NONE) return false;
  if (wl_has_engines(fw, WL_ENGINE_COPY)) return true;
  *id = wl_job_take(fw, WL_STEP_GC);
  return *id != WL_NONE;
}

/* The same for a victim, at its pace. */
static bool room(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t stream, wl_unit_t* unit, uint32_t* id) {
  if (wl_mover_may_copy(fw)) return slots(fw, hal, stream, unit, id);
  wl_waits(fw, hal, WL_WAITER_COLLECTION, WL_POOL_NONE);
  return false;
}

/* Data that were never written again while others were often, or that static wear levelling has moved before. */
__attribute__((noinline, cold)) static bool at_rest(const struct wl_firmware* fw) {
  const struct wl_reloc* r = wl_reloc_view(fw);
  if (fw->boot.ftl.upkeep.wear_gap == 0 || r->victim == WL_NONE) return false; /* or the host is silent */
  return r->reason == WL_MOVE_WEAR || wl_superblock(fw, r->victim)->handle == wl_stream_class(wl_plan(fw)->rest_stream);
}

/* What is moved goes to one stream, whatever it is. */
static bool has_one_stream(const struct wl_firmware* fw) {
  return fw->policy->class_of_move == NULL && !wl_has_upkeep(fw) && !wl_map_cached(fw);
}

/* Of a logical page that is moved: each class fills units of its own. */
static uint32_t stream_of(struct wl_firmware* fw, const struct wl_hal* hal, wl_lpn_t lpn, wl_ppa_t ppa, bool one) {
  (void)hal;
  if (one) return WL_STREAM_GC;
  if (wl_map_cached(fw) && wl_is_map_page(fw, lpn)) return wl_plan(fw)->map_stream;
  if (wl_has_upkeep(fw) && at_rest(fw)) return wl_plan(fw)->rest_stream;
  if (fw->policy->class_of_move == NULL) return WL_STREAM_GC;
  FW_TASK(hal, WL_COST_FTL_CLASS);
  return WL_STREAM_GC + fw->policy->class_of_move(fw, lpn, ppa);
}

/* Logical pages of a run that begins at `ppa`, at most: of one page, into one unit. */
static uint32_t longest(const struct wl_firmware* fw, wl_unit_t unit, wl_ppa_t ppa) {
  const uint32_t page = wl_page_room(&fw->geometry, ppa);
  const uint32_t slots = fw->geometry.unit_lpages - wl_unit(fw, unit)->filled;
  return page < slots ? page : slots;
}

/* The next `count` slots of the unit are filled by a read of the first `held` of them, from `superblock`; their sources
 * are set. */
static void fill(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock, wl_unit_t u, uint32_t id,
                 uint32_t count, uint32_t held) {
  const wl_slot_t slot = wl_unit_fill(fw, u, count);
  if (id == WL_NONE) { /* the copy engine gets the unit with its PPA */
    wl_superblock_moving(fw, superblock, count);
    if (wl_unit_full(fw, u)) wl_unit_close(fw, u);
    return;
  }
  wl_superblock_moving(fw, superblock, count - held);
  wl_mover_read(fw, hal, u, id, slot, held);
  if (wl_unit_full(fw, u)) wl_unit_full_and_read(fw, u);
}

/* The next unit waits for this one. */
__attribute__((noinline, cold)) static void filled(struct wl_firmware* fw, wl_unit_t u) {
  if (wl_mover_one_by_one(fw) && wl_unit_full(fw, u)) wl_reloc_state(fw)->slow_unit = u;
}

static void send_run(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u, uint32_t id, uint32_t count,
                     uint32_t held) {
  /* What is copied for another reason than GC is not paid for. */
  if (wl_reloc_state(fw)->reason == WL_MOVE_GC) wl_pace_copies_taken(fw, count);
  fill(fw, hal, wl_reloc_state(fw)->victim, u, id, count, held);
  if (wl_has_upkeep(fw)) filled(fw, u);
}

/* What is moved of it. With ftl.recovery all that the page has a record of, wherever the host reads it: a mount takes
 * the page as a whole. */
WL_BY_PAGE static uint32_t moved_lpages(const struct wl_firmware* fw, wl_map_unit_t unit) {
  return wl_durable_kept(fw) ? wl_durable_page_records(fw, unit) : wl_mapped(fw, unit).present;
}

/* Sets the sources of a map unit that lies at `ppa`. Returns its logical pages up to the last that holds data. */
WL_BOTH_GRAINS uint32_t take_unit(const struct wl_firmware* fw, struct wl_gc_source* source, wl_map_unit_t unit,
                                  wl_ppa_t ppa, struct wl_grain g) {
  const uint32_t present = !g.by_page ? 1 : moved_lpages(fw, unit);
  uint32_t held = 0;
  for (uint32_t i = 0; i < g.lpages; ++i) {
    source[i].ppa = ppa + i;
    source[i].lpn = (present >> i & 1) != 0 ? unit * g.lpages + i : WL_LPN_NONE;
    if ((present >> i & 1) != 0) held = i + 1;
  }
  return held;
}

/* Scans the victim map unit by map unit: these are moved whole. */
WL_BOTH_GRAINS enum wl_progress scan(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_grain g) {
  const uint32_t base = wl_reloc_state(fw)->victim * fw->geometry.superblock_lpages;
  const bool one = has_one_stream(fw);
  uint32_t budget = WL_LPAGE_BUDGET;
  while (wl_reloc_state(fw)->scan != fw->geometry.superblock_lpages &&
         wl_superblock(fw, wl_reloc_state(fw)->victim)->valid != 0) {
    if (budget-- == 0) return WL_MORE;
    FW_TASK(hal, WL_COST_FTL_GC_SECTOR);
    const wl_ppa_t ppa = base + wl_reloc_state(fw)->scan;
    wl_map_unit_t unit = wl_map_unit_at(fw, ppa, g);
    if (unit == WL_NONE) {
      wl_reloc_state(fw)->scan += g.lpages;
      continue;
    }
    if (g.by_page && wl_merge_awaited(fw, hal, unit)) return WL_WAIT;
    const uint32_t stream = stream_of(fw, hal, unit * g.lpages, ppa, one);
    FW_TASK(hal, WL_COST_FTL_GC_RUN);
    wl_unit_t u;
    uint32_t id;
    if (!room(fw, hal, stream, &u, &id)) return WL_WAIT;
    const uint32_t first = wl_unit(fw, u)->slot + wl_unit(fw, u)->filled;
    struct wl_gc_source* source = wl_source(fw, first);
    const uint32_t most = longest(fw, u, ppa);
    uint32_t count = 0, held = 0;
    do {
      held = count + take_unit(fw, source + count, unit, ppa + count, g);
      if (g.by_page) wl_under_way_begins(fw, first + count, unit, false);
      count += g.lpages;
      if (count == most || budget == 0) break;
      --budget;
      FW_TASK(hal, WL_COST_FTL_GC_SECTOR);
      unit = wl_map_unit_at(fw, ppa + count, g);
    } while (unit != WL_NONE && (!g.by_page || !wl_under_way(fw, unit, true)) &&
             stream_of(fw, hal, unit * g.lpages, ppa + count, one) == stream);
    for (uint32_t i = held; i < count; ++i) wl_slot_set_owner(fw, first + i, WL_LPN_NONE); /* not read */
    wl_reloc_state(fw)->scan += count;
    send_run(fw, hal, u, id, count, held);
  }
  return WL_SCANNED;
}

WL_BY_PAGE static enum wl_progress scan_pages(struct wl_firmware* fw, const struct wl_hal* hal) {
  return scan(fw, hal, wl_by_page(fw));
}

/* Takes what the engine has found, and asks it for more. */
static enum wl_progress take_found(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_engine_waits(fw, WL_ANSWER_SCAN)) return WL_WAIT; /* its end kicks */
  const uint32_t base = wl_reloc_state(fw)->victim * fw->geometry.superblock_lpages;
  const bool one = has_one_stream(fw);
  for (uint32_t budget = WL_LPAGE_BUDGET; wl_superblock(fw, wl_reloc_state(fw)->victim)->valid != 0;) {
    if (wl_reloc_state(fw)->found_used == wl_reloc_state(fw)->found) {
      if (wl_reloc_state(fw)->scan == fw->geometry.superblock_lpages) break;
      FW_TASK(hal, WL_COST_FTL_GC);
      wl_engine_ask_scan(fw, hal, base + wl_reloc_state(fw)->scan, base + fw->geometry.superblock_lpages);
      return WL_WAIT;
    }
    if (budget == 0) return WL_MORE;
    FW_TASK(hal, WL_COST_FTL_GC_FOUND);
    const wl_ppa_t ppa = wl_engine_found(fw)->found[wl_reloc_state(fw)->found_used].ppa;
    const uint32_t stream =
        stream_of(fw, hal, wl_engine_found(fw)->found[wl_reloc_state(fw)->found_used].lpn, ppa, one);
    FW_TASK(hal, WL_COST_FTL_GC_RUN);
    wl_unit_t u;
    uint32_t id;
    if (!room(fw, hal, stream, &u, &id)) return WL_WAIT;
    struct wl_gc_source* source = wl_source(fw, wl_unit(fw, u)->slot + wl_unit(fw, u)->filled);
    const uint32_t most = longest(fw, u, ppa);
    uint32_t count = 0;
    for (;;) {
      source[count].ppa = ppa + count;
      source[count].lpn = wl_engine_found(fw)->found[wl_reloc_state(fw)->found_used].lpn;
      ++wl_reloc_state(fw)->found_used;
      --budget;
      if (++count == most || budget == 0 || wl_reloc_state(fw)->found_used == wl_reloc_state(fw)->found) break;
      const struct wl_gc_found* next = &wl_engine_found(fw)->found[wl_reloc_state(fw)->found_used];
      if (next->ppa != ppa + count || stream_of(fw, hal, next->lpn, next->ppa, one) != stream) break;
      FW_TASK(hal, WL_COST_FTL_GC_FOUND);
    }
    send_run(fw, hal, u, id, count, count);
  }
  wl_reloc_state(fw)->found = wl_reloc_state(fw)->found_used = 0;
  return WL_SCANNED;
}

enum wl_progress wl_mover_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  const enum wl_progress progress = wl_has_engines(fw, WL_ENGINES_COLLECT)                   ? wl_copy_fill(fw, hal)
                                    : wl_has_engines(fw, WL_ENGINE_GC)                       ? take_found(fw, hal)
                                    : wl_superblock_is_small(fw, wl_reloc_state(fw)->victim) ? wl_merge_scan(fw, hal)
                                    : wl_maps_by_lpage(fw) ? scan(fw, hal, WL_BY_LPAGE)
                                                           : scan_pages(fw, hal);
  if (progress != WL_SCANNED) return progress;
  const wl_superblock_t superblock = wl_reloc_state(fw)->victim;
  wl_superblock_drain(fw, superblock);
  wl_reloc_state(fw)->draining += wl_superblock(fw, superblock)->moving;
  wl_reloc_state(fw)->victim = WL_NONE;
  wl_reloc_state(fw)->tail |= wl_reloc_state(fw)->reason != WL_MOVE_GC;
  wl_mark(hal, 0, WL_MARK_MOVE);
  wl_superblock_try_erase(fw, superblock);
  return WL_SCANNED;
}

/* ---- while the host is silent ---- */

static void skip(struct wl_run* run, uint32_t count) {
  run->lpn += count;
  run->ppa += count;
  run->count -= count;
}

/* The host may have written the data since, and GC may have moved them or be about to. */
static bool is_there(const struct wl_firmware* fw, const struct wl_run* run) {
  if (run->count == 0 || wl_superblock_draining(fw, wl_superblock_of(fw, run->ppa))) return false;
  return wl_map_unit_at(fw, run->ppa, wl_grain(fw)) == run->lpn / wl_map_unit(fw);
}

/* A run of which something is there. */
static bool next_run(struct wl_firmware* fw) {
  struct wl_run* run = &wl_reloc_state(fw)->idle_run;
  while (run->count != 0 && !is_there(fw, run)) skip(run, wl_map_unit(fw));
  return run->count != 0;
}

static void move_run(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u, uint32_t id) {
  struct wl_run* run = &wl_reloc_state(fw)->idle_run;
  const wl_superblock_t superblock = wl_superblock_of(fw, run->ppa);
  const uint32_t first = wl_unit(fw, u)->slot + wl_unit(fw, u)->filled;
  const uint32_t most = longest(fw, u, run->ppa);
  uint32_t count = 0, held = 0;
  while (count < most && is_there(fw, run)) {
    held = count + take_unit(fw, wl_source(fw, first + count), run->lpn / wl_map_unit(fw), run->ppa, wl_grain(fw));
    count += wl_map_unit(fw);
    skip(run, wl_map_unit(fw));
  }
  for (uint32_t i = held; i < count; ++i) wl_slot_set_owner(fw, first + i, WL_LPN_NONE); /* not read */
  fw->statistics.idle_lpages += count;
  fill(fw, hal, superblock, u, id, count, held);
  if (wl_unit_full(fw, u)) wl_reloc_state(fw)->idle_unit = u;
}

__attribute__((noinline)) bool wl_mover_idle(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (fw->policy->move == NULL || !wl_host_silent(fw)) return false;
  if (wl_reloc_state(fw)->idle_unit != WL_NONE || wl_superblocks_free(fw) <= wl_superblocks_start(fw)) return false;
  FW_TASK(hal, WL_COST_FTL_GC_RUN);
  if (!next_run(fw)) return fw->policy->move(fw, &wl_reloc_state(fw)->idle_run);
  const struct wl_run* run = &wl_reloc_state(fw)->idle_run;
  wl_unit_t u;
  uint32_t id;
  if (!slots(fw, hal, stream_of(fw, hal, run->lpn, run->ppa, false), &u, &id)) return false;
  move_run(fw, hal, u, id);
  return true;
}

void wl_mover_scanned(struct wl_firmware* fw) {
  const struct wl_gc_list* list = wl_engine_found(fw);
  wl_kick(fw, WL_STEP_GC);
  if (wl_has_engines(fw, WL_ENGINES_COLLECT)) {
    wl_superblock_moving(fw, wl_reloc_state(fw)->victim,
                         list->count); /* those whose programs have ended were taken off before */
    return;
  }
  wl_reloc_state(fw)->found = list->count;
  wl_reloc_state(fw)->found_used = 0;
  wl_reloc_state(fw)->scan = list->next - wl_reloc_state(fw)->victim * fw->geometry.superblock_lpages;
}

/* What is in them goes to flash anew, from DRAM. */
__attribute__((noinline, cold)) static void map_pages_read(struct wl_firmware* fw, const struct wl_job* job) {
  for (wl_slot_t slot = job->slot; slot != job->slot + job->count; ++slot) {
    const wl_lpn_t lpn = wl_source(fw, slot)->lpn;
    if (wl_is_map_page(fw, lpn)) wl_map_page_in_slot(fw, slot, lpn - fw->boot.user_lpages);
  }
}

/* A failed run is read again logical page by logical page, to lose no more than necessary. */
void wl_mover_read_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, bool ok) {
  FW_TASK(hal, WL_COST_FTL_READ_DONE);
  FW_COMMAND(hal, WL_COMMAND_GC);
  if (wl_has_engines(fw, WL_ENGINE_COPY)) {
    wl_copy_read_done(fw, hal, id, ok);
    return;
  }
  const struct wl_job* job = wl_job(fw, id);
  if (!ok && job->count > 1) {
    wl_job_split(fw, id);
    wl_mover_read_run(fw, hal, id);
    return;
  }
  if (!ok) wl_move_lost(fw, hal, job->slot);
  if (ok && wl_durable_pages_kept(fw) && !wl_has_small_pages(fw)) wl_durable_page_read(fw, job->slot, job->count);
  const struct wl_gc_source* source = wl_source(fw, job->slot);
  for (uint32_t i = 0; i < job->count; ++i) wl_slot_set_owner(fw, job->slot + i, ok ? source[i].lpn : WL_LPN_NONE);
  if (wl_map_pages_kept(fw) && ok) map_pages_read(fw, job);
  if (wl_has_small_pages(fw) && wl_durable_kept(fw)) wl_merge_read(fw, job->slot, job->count);
  if (job->rest != 0) {
    wl_job_next_lpage(fw, id);
    wl_mover_read_run(fw, hal, id);
    return;
  }
  const wl_unit_t unit = job->index;
  const wl_superblock_t superblock = job->superblock;
  wl_job_release(fw, id);
  wl_unit_arrived(fw, unit, 1);
  wl_superblock_read_done(fw, superblock);
}
