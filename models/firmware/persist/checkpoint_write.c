/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes a checkpoint, and opens it.
 */
#include "models/firmware/buffer/buffer.h"
#include "models/firmware/contract/map_port.h"
#include "models/firmware/core/core.h"
#include "models/firmware/map/tables.h"
#include "models/firmware/media/media.h"
#include "models/firmware/persist/checkpoint.h"
#include "models/firmware/persist/state.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/stripes.h"
#include "models/firmware/space/wear.h"

#define BUDGET 4u /* units of a step */

static wl_slot_t slots_of(const struct wl_firmware* fw, uint32_t lane) {
  uint32_t count;
  return wl_buffer_spare_slots(fw, &count) + lane * fw->geometry.unit_lpages;
}

static uint32_t lanes(const struct wl_firmware* fw) {
  uint32_t count;
  (void)wl_buffer_spare_slots(fw, &count);
  const uint32_t units = count / fw->geometry.unit_lpages;
  return units < wl_persist_view(fw)->lane_count ? units : wl_persist_view(fw)->lane_count;
}

/* ---- what it says ---- */

static void keep_superblock(struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_superblock* sb = wl_superblock(fw, superblock);
  struct wl_kept_superblock* kept = wl_kept_superblock(fw, superblock);
  *kept =
      (struct wl_kept_superblock){sb->valid, wl_wear_of(fw, superblock), sb->units, sb->state, sb->bad, WL_NO_STREAM};
}

static void keep_open(struct wl_firmware* fw, struct wl_unfinished* u, uint32_t stream) {
  *u = (struct wl_unfinished){wl_superblock_lay_by(fw, stream), 0, 0, stream};
  if (u->superblock != WL_NONE) u->units = wl_superblock(fw, u->superblock)->units;
}

/* For one that may be the base of a mount. */
static bool keeps_sequences(const struct wl_firmware* fw) {
  return fw->boot.ftl.checkpoint_after != 0 && wl_persist_view(fw)->checkpoint.complete;
}

static uint32_t keep_chunks(struct wl_firmware* fw) {
  const uint32_t chunks = wl_tombstone_chunks(fw);
  const bool all = keeps_sequences(fw);
  uint32_t used = 0;
  for (uint32_t i = 0; i < chunks; i += 32) {
    uint32_t bits = 0;
    for (uint32_t bit = 0; bit != 32 && i + bit != chunks; ++bit) {
      if (!all && !wl_tombstone_chunk_used(fw, i + bit)) continue;
      bits |= 1u << bit;
      ++used;
    }
    wl_kept_chunks(fw)[i / 32u] = bits;
  }
  return used;
}

bool wl_checkpoint_begin(struct wl_firmware* fw, const struct wl_hal* hal) {
  (void)hal;
  if (wl_has_parity(fw) && wl_die_dead(fw) != WL_NONE) return false;
  if (wl_boot_map_port(&fw->boot)) return false;
  struct wl_persist* p = wl_persist_state(fw);
  struct wl_checkpoint* c = &p->checkpoint;
  const uint32_t owners = c->pages.state + c->pages.map + keep_chunks(fw);
  const uint32_t pages = owners + wl_owner_chunks(fw);
  if (wl_checkpoint_mark_unit(fw, pages) >= fw->geometry.superblock_units) return false;
  c->superblock = wl_superblock_lay_aside(fw);
  if (c->superblock == WL_NONE) return false;
  c->chunk = 0;
  c->version = ++c->newest;
  for (uint32_t i = 0; i != p->unfinished_count; ++i) keep_open(fw, &p->unfinished[i], wl_unfinished_stream(fw, i));
  for (wl_superblock_t s = 0; s != fw->boot.blocks; ++s) keep_superblock(fw, s);
  for (uint32_t i = 0; i != p->unfinished_count; ++i) {
    const struct wl_unfinished* u = &p->unfinished[i];
    if (u->superblock != WL_NONE) wl_kept_superblock(fw, u->superblock)->stream = (uint16_t)u->stream;
  }
  wl_cursors_keep(fw, wl_kept_cursors(fw));
  if (wl_has_parity(fw)) wl_stripes_keep(fw, wl_kept_stripes(fw));
  struct wl_checkpoint_root* root = wl_checkpoint_root(fw);
  root->magic = WL_CHECKPOINT_MAGIC;
  root->version = c->version;
  root->pages = pages;
  root->owners = owners;
  root->user_lpages = fw->boot.user_lpages;
  root->superblocks = fw->boot.blocks;
  root->sequence = wl_map_sequence(fw);
  root->power_cycles = p->power_cycles;
  root->unsafe_shutdowns = p->unsafe_shutdowns;
  root->complete = keeps_sequences(fw);
  root->crc = wl_checkpoint_crc(fw);
  struct wl_checkpoint_end* end = (struct wl_checkpoint_end*)(void*)c->end;
  *end = (struct wl_checkpoint_end){WL_CHECKPOINT_END_MAGIC, root->crc, c->version};
  for (uint32_t lane = 0; lane != p->lane_count; ++lane) p->lanes[lane].block = WL_NONE;
  p->next = 0;
  p->failed = false;
  p->phase = WL_CHECKPOINT_CONTENT;
  wl_superblocks_hold(fw, WL_HOLD_SEALED);
  wl_kick(fw, WL_STEP_MOUNT);
  return true;
}

/* ---- programs ---- */

static void send(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, uint32_t lane, uint32_t unit) {
  struct wl_persist* p = wl_persist_state(fw);
  const wl_superblock_t superblock = p->checkpoint.superblock;
  ++p->jobs;
  p->lanes[lane].block = unit;
  wl_job_is(fw, id, WL_JOB_KIND_MOUNT, WL_COMMAND_GC, lane, superblock);
  wl_send_flash_program(fw, hal, id, wl_checkpoint_ppa(fw, superblock, unit), fw->geometry.unit_lpages,
                        slots_of(fw, lane), WL_PRIORITY_GC, 0, 0);
}

static void fill(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lane, uint32_t unit) {
  const struct wl_checkpoint* c = &wl_persist_view(fw)->checkpoint;
  const uint32_t pages = wl_checkpoint_root(fw)->pages, end = wl_checkpoint_end_unit(fw, pages);
  const wl_slot_t slot = slots_of(fw, lane);
  wl_slots_pad(fw, slot, fw->geometry.unit_lpages);
  for (uint32_t i = 0; i != fw->geometry.unit_lpages; ++i) {
    FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
    const uint32_t page = unit * fw->geometry.unit_lpages + i;
    const bool is_end = unit == end && i == 0;
    if (page >= pages && !is_end) return;
    wl_slot_set_record(fw, slot + i, WL_LPN_TABLE, wl_checkpoint_record(c->version));
    if (is_end)
      wl_checkpoint_place_at(fw, slot, wl_dram_address(hal, c->end));
    else
      wl_checkpoint_place(fw, hal, slot + i, page);
    ++fw->statistics.recovery.checkpoint_lpages;
  }
}

/* Units `next` to `to`; true: they have ended. */
static bool write_to(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t to) {
  struct wl_persist* p = wl_persist_state(fw);
  uint32_t budget = BUDGET;
  for (uint32_t lane = 0; lane != lanes(fw) && p->next != to && !p->failed; ++lane) {
    if (p->lanes[lane].block != WL_NONE) continue;
    const uint32_t id = budget-- == 0 ? WL_NONE : wl_job_take(fw, WL_STEP_MOUNT);
    if (id == WL_NONE) return false;
    fill(fw, hal, lane, p->next);
    send(fw, hal, id, lane, p->next++);
  }
  if (p->jobs != 0) wl_rest(fw, WL_STEP_MOUNT); /* their ends kick */
  return p->jobs == 0 && (p->next == to || p->failed);
}

static void go_on(struct wl_firmware* fw) {
  struct wl_persist* p = wl_persist_state(fw);
  p->phase = WL_MOUNTED;
  wl_rest(fw, WL_STEP_MOUNT);
  wl_kick(fw, WL_STEP_ADMIN | WL_STEP_PLACE);
  wl_kick_queued(fw, WL_STEP_WRITE | WL_STEP_TRIM);
}

/* The drive is written on. The checkpoint that was opened is the base of the next mount, or of no use. */
static void leave(struct wl_firmware* fw) {
  struct wl_persist* p = wl_persist_state(fw);
  struct wl_checkpoint* c = &p->checkpoint;
  for (uint32_t i = 0; i != p->unfinished_count; ++i) {
    const struct wl_unfinished* u = &p->unfinished[i];
    if (u->superblock == WL_NONE) continue;
    if (wl_has_parity(fw) && wl_die_dead(fw) != WL_NONE) { /* it has failed since */
      wl_superblock_found_used(fw, u->superblock);
      wl_superblock_found_filled(fw, u->superblock, u->units);
    } else {
      wl_superblock_found_unfinished(fw, u->superblock, u->stream, u->units);
    }
  }
  const bool stays = fw->boot.ftl.checkpoint_after != 0 && wl_checkpoint_root(fw)->complete != 0 && !p->failed;
  wl_superblock_t of_no_use = c->superblock;
  if (stays) {
    of_no_use = c->base;
    c->base = c->superblock;
    wl_map_sequence_found(fw, wl_map_sequence(fw) + 1); /* what is closed from now on has a higher version */
    if (c->turn != WL_TURN_NONE) ++fw->statistics.recovery.checkpoints;
  }
  if (of_no_use != WL_NONE) wl_superblock_found_used(fw, of_no_use); /* erased, or retired */
  if (c->base != WL_NONE && fw->boot.ftl.checkpoint_after == 0) {
    wl_superblock_found_used(fw, c->base);
    c->base = WL_NONE;
  }
  c->superblock = WL_NONE;
  wl_superblocks_hold(fw, WL_HOLD_NONE);
  wl_kick_queued(fw, WL_STEP_WRITE | WL_STEP_TRIM);
}

void wl_checkpoint_write_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  const uint32_t pages = wl_checkpoint_root(fw)->pages;
  switch (p->phase) {
    case WL_CHECKPOINT_CONTENT:
      if (!write_to(fw, hal, wl_checkpoint_end_unit(fw, pages))) return;
      /* The map has changed meanwhile: the host has reset the controller instead of waiting. */
      p->failed |= wl_map_sequence(fw) != wl_checkpoint_root(fw)->sequence;
      p->phase = WL_CHECKPOINT_END;
      return;
    case WL_CHECKPOINT_END:
      if (!write_to(fw, hal, wl_checkpoint_end_unit(fw, pages) + 1)) return;
      if (p->failed) leave(fw);
      go_on(fw);
      return;
    default: /* opens */
      if (p->jobs != 0) {
        wl_rest(fw, WL_STEP_MOUNT);
        return;
      }
      leave(fw);
      go_on(fw);
  }
}

void wl_checkpoint_write_done(struct wl_firmware* fw, uint32_t lane, bool ok) {
  struct wl_persist* p = wl_persist_state(fw);
  p->lanes[lane].block = WL_NONE;
  if (ok) return;
  p->failed = true;
  wl_superblock_found_bad(fw, p->checkpoint.superblock);
}

/* Padding is enough: what is not blank there, or cannot be read, is the mark. */
void wl_checkpoint_open(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  const uint32_t id = wl_job_take(fw, WL_STEP_MOUNT);
  if (id == WL_NONE) {
    wl_rest(fw, WL_STEP_MOUNT);
    return;
  }
  p->failed = false;
  p->phase = WL_CHECKPOINT_OPENS;
  wl_slots_pad(fw, slots_of(fw, 0), fw->geometry.unit_lpages);
  send(fw, hal, id, 0, wl_checkpoint_mark_unit(fw, wl_checkpoint_root(fw)->pages));
}
