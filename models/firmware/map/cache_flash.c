/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Map pages between the cache and flash.
 */
#include "models/firmware/buffer/buffer.h"
#include "models/firmware/core/core.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/cache_host.h"
#include "models/firmware/map/cache_state.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/map_pages.h"
#include "models/firmware/map/state.h"
#include "models/firmware/media/media.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"

#if WL_HAS_LARGE_MAPS

static struct wl_map_cache* cache_of(const struct wl_firmware* fw) { return wl_map_view(fw)->cache; }
static wl_lpn_t lpn_of(const struct wl_firmware* fw, uint32_t page) { return fw->boot.user_lpages + page; }
static bool on_flash(wl_map_value_t value) { return value >= WL_MAP_PPA0 && value < WL_MAP_BUFFER; }

/* ---- frames ---- */

/* The hand goes round twice at most: what it has passed is not used until somebody uses it. */
static struct wl_frame* victim(struct wl_map_cache* c) {
  if (c->clean == 0) return NULL;
  for (uint32_t i = 0; i != 2 * c->frames; ++i) {
    struct wl_frame* frame = &c->frame[c->hand];
    if (++c->hand == c->frames) c->hand = 0;
    if (frame->state != WL_FRAME_HERE || frame->pins != 0 || frame->changed || frame->is_written) continue;
    if (!frame->used) return frame;
    frame->used = false;
  }
  return NULL;
}

/* A frame for another map page. Null: there is none now. */
static struct wl_frame* take(struct wl_map_cache* c) {
  if (c->free != 0) return &c->frame[c->frames - c->free--];
  struct wl_frame* frame = victim(c);
  if (frame == NULL) return NULL;
  --c->clean;
  c->frame_of[frame->page] = 0;
  return frame;
}

/* ---- loads ---- */

static uint32_t free_slot(const struct wl_map_cache* c) {
  for (uint32_t i = 0; i != c->loads_most; ++i)
    if (c->loading[i] == WL_NONE) return i;
  return WL_NONE;
}

enum load { LOADED, NO_FRAME, NOT_NOW };

/* One for the map page. False: there is none now. */
static bool give_frame(struct wl_map_cache* c, uint32_t page) {
  if (c->frame_of[page] != 0) return true; /* its copy in host memory was no good */
  struct wl_frame* frame = take(c);
  if (frame == NULL) return false;
  *frame = (struct wl_frame){page, 0, WL_FRAME_LOADS, false, false, false};
  c->frame_of[page] = (uint32_t)(frame - c->frame) + 1;
  return true;
}

/* Reads the map page that waits longest for a frame. */
static enum load load(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_map_cache* c = cache_of(fw);
  const uint32_t page = c->wanted[c->wanted_out & c->wanted_mask];
  const wl_map_value_t place = wl_map_get(fw, lpn_of(fw, page));
  const uint32_t slot = free_slot(c);
  if (slot == WL_NONE || wl_map_fetch_waits(fw, page)) return NOT_NOW; /* the end of a load kicks */
  if (on_flash(place) && wl_jobs_free(fw) == 0) {
    wl_job_await(fw, WL_STEP_MAP);
    return NOT_NOW;
  }
  if (!give_frame(c, page)) return NO_FRAME;
  ++c->wanted_out;
  if (wl_map_fetch(fw, hal, page)) return LOADED;
  FW_TASK(hal, WL_COST_FTL_GC_RUN);
  if (!on_flash(place)) {
    ++c->statistics.blank_loads;
    wl_map_page_came(fw, page);
    return LOADED;
  }
  ++c->statistics.loads;
  c->loading[slot] = page;
  const wl_ppa_t ppa = place - WL_MAP_PPA0;
  const wl_superblock_t superblock = wl_superblock_of(fw, ppa);
  const uint32_t id = wl_job_take(fw, WL_STEP_MAP);
  wl_superblock_read_begins(fw, superblock);
  wl_job_is(fw, id, WL_JOB_KIND_MAP, WL_COMMAND_GC, slot, superblock);
  wl_send_flash_read(fw, hal, id, ppa, 1, c->slot0 + slot, WL_PRIORITY_HOST, WL_NO_TAG, 0);
  return LOADED;
}

void wl_map_load_done(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock, uint32_t index,
                      bool ok) {
  struct wl_map_cache* c = cache_of(fw);
  const uint32_t page = c->loading[index];
  if (!ok) ++c->statistics.failed_loads;
  c->loading[index] = WL_NONE;
  wl_superblock_read_done(fw, superblock);
  wl_map_page_came(fw, page);
  wl_map_store(fw, hal, &c->frame[c->frame_of[page] - 1]);
  if (c->wanted_in != c->wanted_out) wl_kick(fw, WL_STEP_MAP);
}

/* ---- writes ---- */

static void write(struct wl_firmware* fw, struct wl_frame* frame, wl_unit_t u) {
  struct wl_map_cache* c = cache_of(fw);
  const wl_lpn_t lpn = lpn_of(fw, frame->page);
  const wl_slot_t slot = wl_unit_fill(fw, u, 1);
  wl_slot_set_record(fw, slot, lpn, wl_map_next_sequence(fw));
  *wl_source(fw, slot) = (struct wl_gc_source){.ppa = WL_NONE, .lpn = WL_LPN_TABLE}; /* no copy */
  if (wl_map_pages_kept(fw)) wl_map_page_in_slot(fw, slot, frame->page);
  frame->changed = false;
  frame->is_written = true;
  ++c->under_way;
}

/* Changed frames, from the hand on, into the unit: those that were not used lately, or, with `any`, all. */
static void gather(struct wl_firmware* fw, wl_unit_t u, bool any) {
  struct wl_map_cache* c = cache_of(fw);
  uint32_t at = c->hand;
  for (uint32_t i = 0; i != c->frames && !wl_unit_full(fw, u); ++i) {
    struct wl_frame* frame = &c->frame[at];
    if (++at == c->frames) at = 0;
    if (frame->state != WL_FRAME_HERE || !frame->changed || frame->is_written || frame->pins != 0) continue;
    if (any || !frame->used) write(fw, frame, u);
  }
}

/* False: no unit is free; one that comes free kicks. */
static bool write_back(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_map_cache* c = cache_of(fw);
  const uint32_t stream = wl_plan(fw)->map_stream;
  if (wl_superblocks_sealed(fw)) { /* a checkpoint has the slots of GC; it is to be opened, which kicks */
    wl_kick(fw, WL_STEP_MOUNT);
    return false;
  }
  wl_unit_t u = wl_unit_opened(fw, stream);
  if (u == WL_NONE) u = wl_unit_open(fw, stream);
  if (u == WL_NONE) return false;
  FW_TASK(hal, WL_COST_FTL_UNIT);
  const uint32_t before = c->under_way;
  gather(fw, u, false);
  gather(fw, u, true);
  if (wl_unit_full(fw, u)) {
    wl_unit_full_and_read(fw, u);
    wl_unit_arrived(fw, u, 0); /* copies of GC may still be read into it */
    return true;
  }
  return c->under_way != before;
}

/* Frames in the unit that is open, which no program frees. */
static uint32_t parked(const struct wl_firmware* fw) {
  const wl_unit_t u = wl_unit_opened(fw, wl_plan(fw)->map_stream);
  uint32_t count = 0;
  for (uint32_t i = 0; u != WL_NONE && i != wl_unit(fw, u)->filled; ++i)
    count += wl_map_slot_written(fw, wl_unit(fw, u)->slot + i);
  return count;
}

/* Somebody waits for a frame. If none comes back by itself, changed ones go to flash, though they do not fill a unit.
 */
static void relieve(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_map_cache* c = cache_of(fw);
  if (c->under_way == parked(fw)) (void)write_back(fw, hal);
  const uint32_t waiting = parked(fw);
  if (waiting != 0 && c->under_way == waiting) wl_unit_close(fw, wl_unit_opened(fw, wl_plan(fw)->map_stream));
}

/* Frames that are, or will be, without changes. */
static bool lacks_clean(const struct wl_firmware* fw) {
  const struct wl_map_cache* c = cache_of(fw);
  const uint32_t unit = fw->geometry.unit_lpages;
  return c->free + c->clean + c->under_way < (unit < c->frames / 4 ? unit : c->frames / 4);
}

/* All that has changed is on its way at once: nothing uses the map. */
bool wl_map_cache_flushed(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_map_cache* c = cache_of(fw);
  while (c->free + c->clean + c->under_way != c->frames && write_back(fw, hal)) {
  }
  const wl_unit_t u = wl_unit_opened(fw, wl_plan(fw)->map_stream);
  if (u != WL_NONE && parked(fw) != 0) wl_unit_close(fw, u);
  return c->free + c->clean == c->frames;
}

/* A copy on flash is loaded meanwhile, though it lacks something: the table beside the cache is right. */
bool wl_map_page_remake(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page) {
  struct wl_map_cache* c = cache_of(fw);
  if (c->frame_of[page] == 0) {
    if (!give_frame(c, page)) {
      while (write_back(fw, hal)) { /* to all dies: nobody uses what is in the frames */
      }
      relieve(fw, hal);
      return false;
    }
    wl_map_page_came(fw, page);
  }
  if (wl_frame_here(c, page) == NULL) return false; /* GC loads it, whose end kicks */
  wl_map_cache_changed(fw, page << c->page_shift);
  wl_map_set_gone(fw, hal, lpn_of(fw, page), WL_MAP_DEALLOCATED);
  return true;
}

__attribute__((noinline, cold)) void wl_map_cache_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_map_cache* c = cache_of(fw);
  FW_COMMAND(hal, WL_COMMAND_GC);
  enum load end = LOADED;
  while (c->wanted_in != c->wanted_out && end == LOADED) end = load(fw, hal);
  while (lacks_clean(fw) && write_back(fw, hal)) {
  }
  if (end == NO_FRAME) relieve(fw, hal);
  if (c->ready_first == WL_NONE) wl_rest(fw, WL_STEP_MAP);
}

bool wl_map_slot_written(const struct wl_firmware* fw, wl_slot_t slot) {
  const wl_lpn_t lpn = wl_slot_table(fw)[slot].lpn;
  return lpn != WL_LPN_NONE && wl_is_map_page(fw, lpn) && wl_source((struct wl_firmware*)fw, slot)->lpn == WL_LPN_TABLE;
}

void wl_map_page_written(struct wl_firmware* fw, const struct wl_hal* hal, wl_slot_t slot, wl_ppa_t to) {
  struct wl_map_cache* c = cache_of(fw);
  const wl_lpn_t lpn = wl_slot_table(fw)[slot].lpn;
  struct wl_frame* frame = wl_frame_here(c, lpn - fw->boot.user_lpages);
  wl_map_rewritten(fw, hal, lpn, to);
  ++c->statistics.written;
  frame->is_written = false;
  --c->under_way;
  if (!frame->changed) {
    ++c->clean;
    wl_map_store(fw, hal, frame);
  }
  wl_kick(fw, WL_STEP_MAP);
}

bool wl_map_cache_forget(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_map_cache* c = cache_of(fw);
  if (c->under_way != 0 || c->fetches != 0) return false;
  for (uint32_t i = 0; i != c->loads_most; ++i)
    if (c->loading[i] != WL_NONE) return false;
  for (uint32_t page = 0; page != wl_boot_map_pages(&fw->boot); ++page)
    wl_map_set_gone(fw, hal, lpn_of(fw, page), WL_MAP_DEALLOCATED);
  wl_host_copies_given(&c->copies, c->copies.count); /* none is right any more */
  for (uint32_t i = 0; i != c->frames; ++i) {
    if (c->frame[i].state == WL_FRAME_HERE && c->frame[i].changed) ++c->clean;
    c->frame[i].changed = false;
  }
  return true;
}

#endif
