/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Mounts from a checkpoint, or leaves that to the spare records.
 */
#include "models/firmware/buffer/buffer.h"
#include "models/firmware/core/core.h"
#include "models/firmware/host/host.h"
#include "models/firmware/map/durable.h"
#include "models/firmware/map/durable_pages.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/map_pages.h"
#include "models/firmware/map/tables.h"
#include "models/firmware/media/media.h"
#include "models/firmware/persist/checkpoint.h"
#include "models/firmware/persist/rows.h"
#include "models/firmware/persist/state.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/stripes.h"
#include "models/firmware/space/wear.h"

#define BUDGET 8u
#define END 0x80000000u /* beside pages of the content */
#define MARK (END + 1u)

static wl_slot_t slots_of(const struct wl_firmware* fw, uint32_t lane) {
  uint32_t count;
  return wl_buffer_spare_slots(fw, &count) + lane * fw->geometry.page_lpages;
}

static void no_lanes(struct wl_persist* p) {
  p->next = 0;
  p->failed = false;
  for (uint32_t lane = 0; lane < p->lane_count; ++lane) p->lanes[lane].block = WL_NONE;
}

static void look_below(struct wl_firmware* fw, uint32_t version) {
  struct wl_persist* p = wl_persist_state(fw);
  p->phase = WL_MOUNT_ROOTS;
  p->checkpoint.superblock = WL_NONE;
  p->checkpoint.version = 0;
  p->checkpoint.below = version;
  p->checkpoint.based = false;
  p->checkpoint.chunk = 0;
  no_lanes(p);
}

void wl_roots_begin(struct wl_firmware* fw) {
  wl_persist_state(fw)->checkpoint.complete = true; /* a mount by records knows all sequences */
  look_below(fw, UINT32_MAX);
  wl_kick(fw, WL_STEP_MOUNT);
}

/* Pages of flash that hold the content, or the first logical pages of it. */
static uint32_t flash_pages(const struct wl_firmware* fw, uint32_t lpages) {
  return (lpages + fw->geometry.page_lpages - 1) / fw->geometry.page_lpages;
}

/* Logical pages of the content that this phase brings. */
static uint32_t lpages_of(const struct wl_firmware* fw) {
  const struct wl_persist* p = wl_persist_view(fw);
  if (p->phase == WL_MOUNT_STATE) return p->checkpoint.pages.state;
  const bool tables = p->phase == WL_MOUNT_TABLES && !p->checkpoint.based;
  return tables ? wl_checkpoint_root(fw)->owners : wl_checkpoint_root(fw)->pages;
}

/* `what`: a superblock whose root is looked for, a page of flash of the content, the end or the mark. False: no id. */
static bool read(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lane, uint32_t what) {
  struct wl_persist* p = wl_persist_state(fw);
  struct wl_checkpoint* c = &p->checkpoint;
  const wl_slot_t slot = slots_of(fw, lane);
  wl_superblock_t superblock = c->superblock;
  uint32_t unit = 0, in_unit = 0, count = 1;
  const uint32_t id = wl_job_take(fw, WL_STEP_MOUNT);
  if (id == WL_NONE) return false;
  wl_checkpoint_place(fw, hal, slot, WL_NONE);
  if (p->phase == WL_MOUNT_ROOTS) {
    superblock = what;
  } else if (what >= END) {
    const uint32_t pages = wl_checkpoint_root(fw)->pages;
    unit = what == END ? wl_checkpoint_end_unit(fw, pages) : wl_checkpoint_mark_unit(fw, pages);
    if (what == END) wl_checkpoint_place_at(fw, slot, wl_dram_address(hal, c->end));
  } else {
    const uint32_t lpages = lpages_of(fw);
    /* The host may have changed what was read before it was let in. */
    const uint32_t from = p->phase == WL_MOUNT_OWNERS ? wl_checkpoint_root(fw)->owners : 0;
    unit = wl_divide(what, fw->geometry.unit_pages, &in_unit);
    count = fw->geometry.page_lpages;
    for (uint32_t i = 0; i != count; ++i) {
      const uint32_t page = what * count + i;
      wl_checkpoint_place(fw, hal, slot + i, page >= from && page < lpages ? page : WL_NONE);
    }
  }
  ++p->jobs;
  ++fw->statistics.recovery.mount_reads;
  p->lanes[lane].block = what;
  wl_job_is(fw, id, WL_JOB_KIND_MOUNT, WL_COMMAND_GC, lane, superblock);
  wl_send_flash_read(fw, hal, id, wl_checkpoint_ppa(fw, superblock, unit) + in_unit * fw->geometry.page_lpages, count,
                     slot, p->phase == WL_MOUNT_OWNERS ? WL_PRIORITY_GC : WL_PRIORITY_HOST, WL_NO_TAG, 0);
  return true;
}

/* From `next` to `to`, or until something is missing; true: their reads have ended. */
static bool read_to(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t to) {
  struct wl_persist* p = wl_persist_state(fw);
  uint32_t budget = BUDGET;
  p->checkpoint.to = to;
  for (uint32_t lane = 0; lane < p->lane_count && p->next != to && !p->failed; ++lane) {
    if (p->lanes[lane].block != WL_NONE) continue;
    if (budget-- == 0 || !read(fw, hal, lane, p->next)) return false;
    ++p->next;
  }
  if (p->jobs != 0) wl_rest(fw, WL_STEP_MOUNT); /* their ends kick */
  return p->jobs == 0 && (p->next == to || p->failed);
}

/* What is younger than the checkpoint, records say. */
static bool may_be_base(const struct wl_firmware* fw) {
  return fw->boot.ftl.checkpoint_after != 0 && wl_checkpoint_root(fw)->complete != 0;
}

static void examine(struct wl_firmware* fw, uint32_t lane, bool ok) {
  struct wl_persist* p = wl_persist_state(fw);
  struct wl_checkpoint* c = &p->checkpoint;
  const struct wl_slot_info* info = &wl_slot_table(fw)[slots_of(fw, lane)];
  const uint32_t what = p->lanes[lane].block;
  p->lanes[lane].block = WL_NONE;
  if (p->phase == WL_MOUNT_ROOTS) {
    const uint32_t version = ok && info->lpn == WL_LPN_TABLE ? wl_spare_sequence(info) : 0;
    if (ok && wl_has_parity(fw)) wl_die_answers(fw, wl_locate(&fw->geometry, wl_checkpoint_ppa(fw, what, 0)).die);
    if (version > c->newest) c->newest = version;
    if (version <= c->version || version >= c->below) return;
    c->version = version;
    c->superblock = what;
  } else if (what == MARK) {
    c->opened = info->record != WL_RECORD_BLANK;
    p->failed |= !ok || info->lpn != WL_LPN_NONE || (c->opened && !may_be_base(fw));
  } else {
    const uint32_t lpages = lpages_of(fw);
    const uint32_t count = what == END ? 1 : fw->geometry.page_lpages, first = what == END ? 0 : what * count;
    p->failed |= !ok;
    for (uint32_t i = 0; i != count && first + i < lpages; ++i)
      p->failed |= info[i].lpn != WL_LPN_TABLE || info[i].record != wl_checkpoint_record(c->version);
  }
}

/* ---- map pages ---- */
#if WL_HAS_LARGE_MAPS

static wl_lpn_t lpn_of(const struct wl_firmware* fw, uint32_t page) { return fw->boot.user_lpages + page; }

/* Those of lanes that are free; true: all have been read, or one cannot be. */
static bool read_map_pages(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  uint32_t budget = BUDGET;
  for (uint32_t lane = 0; lane != p->lane_count && !p->failed; ++lane) {
    if (p->lanes[lane].block != WL_NONE) continue;
    while (p->next != wl_boot_map_pages(&fw->boot) && wl_map_get(fw, lpn_of(fw, p->next)) == WL_MAP_DEALLOCATED)
      ++p->next;
    if (p->next == wl_boot_map_pages(&fw->boot)) break;
    p->failed = wl_map_get(fw, lpn_of(fw, p->next)) == WL_MAP_LOST; /* GC could not read it: records say what it said */
    if (p->failed) break;
    const uint32_t id = budget-- == 0 ? WL_NONE : wl_job_take(fw, WL_STEP_MOUNT);
    if (id == WL_NONE) return false;
    const wl_ppa_t ppa = wl_map_get(fw, lpn_of(fw, p->next)) - WL_MAP_PPA0;
    wl_map_page_read_to(fw, slots_of(fw, lane), p->next);
    p->lanes[lane].block = p->next++;
    ++p->jobs;
    ++fw->statistics.recovery.mount_reads;
    wl_job_is(fw, id, WL_JOB_KIND_MOUNT, WL_COMMAND_GC, lane, wl_superblock_of(fw, ppa));
    wl_send_flash_read(fw, hal, id, ppa, 1, slots_of(fw, lane), WL_PRIORITY_HOST, WL_NO_TAG, 0);
  }
  if (p->jobs != 0) wl_rest(fw, WL_STEP_MOUNT); /* their ends kick */
  return p->jobs == 0;
}

static void take_map_page(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lane, bool ok) {
  (void)hal; /* marks are calls natively, instructions on a core */
  struct wl_persist* p = wl_persist_state(fw);
  const uint32_t page = p->lanes[lane].block;
  p->lanes[lane].block = WL_NONE;
  p->failed |= !ok || wl_slot_table(fw)[slots_of(fw, lane)].lpn != lpn_of(fw, page);
  wl_map_page_out_of_slot(fw, slots_of(fw, lane));
  if (!p->failed) {
    FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
    wl_map_page_taken(fw, page);
  }
  wl_kick(fw, WL_STEP_MOUNT);
}
#endif

/* The lane goes on with what is next. */
void wl_checkpoint_read_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lane, bool ok) {
  struct wl_persist* p = wl_persist_state(fw);
#if WL_HAS_LARGE_MAPS
  if (p->phase == WL_MOUNT_MAP_PAGES) {
    take_map_page(fw, hal, lane, ok);
    return;
  }
#endif
  examine(fw, lane, ok);
  if (!p->failed && p->next != p->checkpoint.to && read(fw, hal, lane, p->next)) ++p->next;
  if (p->jobs == 0) wl_kick(fw, WL_STEP_MOUNT);
}

/* ---- what it says ---- */

static bool root_is_sound(const struct wl_firmware* fw) {
  const struct wl_checkpoint_root* root = wl_checkpoint_root(fw);
  return root->magic == WL_CHECKPOINT_MAGIC && root->version == wl_persist_view(fw)->checkpoint.version &&
         root->user_lpages == fw->boot.user_lpages && root->superblocks == fw->boot.blocks &&
         wl_checkpoint_mark_unit(fw, root->pages) < fw->geometry.superblock_units && root->crc == wl_checkpoint_crc(fw);
}

static bool end_is_sound(const struct wl_firmware* fw) {
  const struct wl_checkpoint_end* end = (const void*)wl_persist_view(fw)->checkpoint.end;
  const struct wl_checkpoint_root* root = wl_checkpoint_root(fw);
  return end->magic == WL_CHECKPOINT_END_MAGIC && end->crc == root->crc && end->version == root->version;
}

static void take_wear(struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_kept_superblock* kept = wl_kept_superblock(fw, superblock);
  wl_wear_found(fw, superblock, kept->erases);
  if (kept->bad != 0 || kept->state == WL_SUPERBLOCK_RETIRED) wl_superblock_found_bad(fw, superblock);
}

static void take_superblock(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_persist* p = wl_persist_state(fw);
  const struct wl_kept_superblock* kept = wl_kept_superblock(fw, superblock);
  take_wear(fw, superblock);
  wl_superblock_found_again(fw, superblock, kept->state, kept->valid, kept->units);
  if (wl_has_parity(fw)) wl_superblock_found_filled(fw, superblock, kept->units);
  if (kept->state != WL_SUPERBLOCK_OPEN) return;
  if (kept->stream == WL_NO_STREAM) {
    if (superblock != p->checkpoint.superblock) p->checkpoint.base = superblock; /* that of the life before */
    return;
  }
  for (uint32_t i = 0; i != p->unfinished_count; ++i)
    if (wl_unfinished_stream(fw, i) == kept->stream)
      p->unfinished[i] = (struct wl_unfinished){superblock, kept->units, 0, kept->stream};
}

static void take_sequences(struct wl_firmware* fw) {
  const struct wl_checkpoint_root* root = wl_checkpoint_root(fw);
  const uint32_t words = (wl_tombstone_chunks(fw) + 31u) / 32u;
  for (uint32_t i = 0; i != words; ++i)
    for (uint32_t bit = 0, left = wl_kept_chunks(fw)[i]; left != 0; ++bit, left >>= 1u)
      if ((left & 1u) != 0) wl_tombstone_chunk_found(fw, 32u * i + bit);
  wl_map_sequence_found(fw, root->sequence);
  wl_persist_state(fw)->checkpoint.complete = root->complete != 0;
}

/* Superblocks are what flash says; of what is valid in them, the records of those that have changed say more. */
static void take_base(struct wl_firmware* fw) {
  struct wl_persist* p = wl_persist_state(fw);
  const struct wl_checkpoint_root* root = wl_checkpoint_root(fw);
  for (wl_superblock_t s = 0; s != fw->boot.blocks; ++s) {
    take_wear(fw, s);
    wl_superblock_found_more(fw, s, wl_kept_superblock(fw, s)->valid);
  }
  take_sequences(fw);
  p->power_cycles = root->power_cycles;
  p->unsafe_shutdowns = root->unsafe_shutdowns;
  p->checkpoint.base = p->checkpoint.superblock;
  p->checkpoint.superblock = WL_NONE;
  ++fw->statistics.recovery.based_mounts;
}

static void owners_end(struct wl_firmware* fw) {
  wl_persist_state(fw)->phase = WL_MOUNTED;
  wl_rest(fw, WL_STEP_MOUNT);
  wl_kick(fw, WL_STEP_PLACE); /* may wait for the mark */
  wl_kick_queued(fw, WL_STEP_WRITE | WL_STEP_TRIM);
}

static void take(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  const struct wl_checkpoint_root* root = wl_checkpoint_root(fw);
  for (wl_superblock_t s = 0; s != fw->boot.blocks; ++s) take_superblock(fw, s);
  if (wl_has_parity(fw)) wl_stripes_take(fw, wl_kept_stripes(fw));
  wl_wear_all_found(fw);
  if (!wl_maps_by_lpage(fw)) wl_map_pages_counted(fw);
  wl_cursors_found(fw, wl_kept_cursors(fw));
  take_sequences(fw);
  p->power_cycles = root->power_cycles + 1;
  p->unsafe_shutdowns = root->unsafe_shutdowns;
  ++fw->statistics.recovery.clean_mounts;
  p->next = root->owners / fw->geometry.page_lpages;
  p->phase = WL_MOUNT_OWNERS; /* goes on where it is, and ends before anything is programmed */
  wl_superblocks_all_found(fw, WL_HOLD_SEALED);
  if (wl_map_cached(fw)) owners_end(fw); /* slots of GC may be needed for map pages */
  wl_host_start(fw, hal);
}

/* The host may write meanwhile: it changes nothing that the inverse says. */
static void rebuild(struct wl_firmware* fw) {
  struct wl_persist* p = wl_persist_state(fw);
  for (uint32_t budget = WL_LPAGE_BUDGET; budget != 0 && p->next != fw->boot.user_lpages; --budget)
    wl_owner_rebuild(fw, p->next++);
  if (p->next == fw->boot.user_lpages) owners_end(fw);
}

bool wl_checkpoint_read_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  struct wl_checkpoint* c = &p->checkpoint;
  bool whole = false;
  switch (p->phase) {
    case WL_MOUNT_ROOTS:
      if (!read_to(fw, hal, fw->boot.blocks)) return true;
      whole = c->superblock != WL_NONE;
      p->phase = WL_MOUNT_STATE;
      break;
    case WL_MOUNT_STATE:
      if (p->next < END) {
        if (!read_to(fw, hal, flash_pages(fw, wl_checkpoint_state_pages(fw)))) return true;
        whole = !p->failed && root_is_sound(fw);
        if (!whole) break;
        p->next = END;
        return true;
      }
      if (!read_to(fw, hal, MARK + 1u)) return true;
      whole = !p->failed && end_is_sound(fw);
      c->based = c->opened;
      p->phase = WL_MOUNT_TABLES;
      break;
    case WL_MOUNT_TABLES:
      if (!read_to(fw, hal, flash_pages(fw, lpages_of(fw)))) return true;
      if (!p->failed && c->based) {
        take_base(fw);
        return false;
      }
      if (!p->failed && wl_map_cached(fw)) {
        p->next = 0;
        p->phase = WL_MOUNT_MAP_PAGES;
        return true;
      }
      if (!p->failed) {
        take(fw, hal);
        return true;
      }
      wl_map_forget(fw);
      break;
#if WL_HAS_LARGE_MAPS
    case WL_MOUNT_MAP_PAGES:
      if (!read_map_pages(fw, hal)) return true;
      if (!p->failed) {
        take(fw, hal);
        return true;
      }
      wl_map_forget(fw);
      break;
#endif
    case WL_MOUNT_OWNERS:
      if (!read_to(fw, hal, flash_pages(fw, wl_checkpoint_root(fw)->pages))) return true;
      if (p->failed) {
        p->next = 0;
        p->phase = WL_MOUNT_REBUILDS;
        return true;
      }
      owners_end(fw);
      return true;
    default:
      rebuild(fw);
      return true;
  }
  if (!whole && c->superblock != WL_NONE && fw->boot.ftl.checkpoint_after != 0) {
    c->met = true;
    look_below(fw, c->version);
    return true;
  }
  no_lanes(p);
  c->chunk = 0;
  if (!whole) c->based = false;
  return whole;
}
