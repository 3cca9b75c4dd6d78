/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/persist/closing.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/contract/closing.h"
#include "models/firmware/core/core.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/durable.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/tables.h"
#include "models/firmware/media/media.h"
#include "models/firmware/persist/checkpoint.h"
#include "models/firmware/persist/rows.h"
#include "models/firmware/persist/state.h"
#include "models/firmware/persist/turn.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/p2l.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/stripes.h"
#include "models/firmware/space/wear.h"

#define BUDGET 8u

static uint32_t lpages(const struct wl_firmware* fw) {
  return wl_closing_lpages(&fw->boot, fw->geometry.superblock_lpages);
}
static uint32_t lpage_bytes(const struct wl_firmware* fw) { return 512u << fw->boot.ftl.lpage_shift; }

void wl_closing_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram) {
  struct wl_persist* p = wl_persist_state(fw);
  const uint64_t bytes = (uint64_t)fw->geometry.page_lpages * lpage_bytes(fw);
  p->closing.pages = wl_arena_take(dram, p->lane_count * bytes);
  p->closing.taken = wl_arena_take(tcm, (uint64_t)wl_closing_entries(&fw->boot) * sizeof(p->closing.taken[0]));
}

static uint32_t units(const struct wl_firmware* fw) {
  if (wl_has_parity(fw)) return wl_closing_units(&fw->boot, fw->geometry.superblock_units, fw->geometry.unit_lpages);
  return fw->geometry.superblock_units - fw->kind[0].superblock_units;
}

/* The first PPA of a unit of the record; `hole`: as wl_stripe_hole(). */
static wl_ppa_t ppa_of(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t hole, uint32_t unit) {
  const uint32_t at = wl_has_parity(fw) ? wl_stripe_record_unit(fw, superblock, hole, unit)
                                        : wl_unit_of(fw, superblock, fw->kind[0].superblock_units + unit);
  return (superblock * fw->geometry.superblock_units + at) * fw->geometry.unit_lpages;
}

/* ---- the drive is at work ---- */

static uint32_t fill(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock, uint32_t unit) {
  const wl_slot_t slot = wl_buffer_record_slots(fw);
  const uint32_t first = unit * fw->geometry.unit_lpages;
  wl_slots_pad(fw, slot, fw->geometry.unit_lpages);
  for (uint32_t i = 0; i != fw->geometry.unit_lpages && first + i < lpages(fw); ++i) {
    wl_slot_set_record(fw, slot + i, WL_LPN_TABLE, wl_checkpoint_record(0));
    wl_checkpoint_place_at(fw, slot + i, wl_dram_address(hal, wl_p2l_page(fw, superblock, first + i)));
    ++fw->statistics.recovery.closing_lpages;
  }
  return slot;
}

__attribute__((noinline, cold)) bool wl_closing_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_closing* c = &wl_persist_state(fw)->closing;
  if (c->running || wl_superblocks_held(fw))
    return false; /* power has failed: what is left of it is for the host's data */
  if (c->unit == 0) c->superblock = wl_p2l_next(fw);
  const wl_superblock_t superblock = c->superblock;
  if (superblock == WL_NONE) return false;
  FW_TASK(hal, WL_COST_FTL_UNIT);
  const uint32_t id = wl_job_take(fw, WL_STEP_MOUNT);
  if (id == WL_NONE) return false;
  if (c->unit == 0) wl_p2l_complete(fw, superblock, wl_map_sequence(fw));
  const wl_ppa_t ppa = ppa_of(fw, superblock, wl_has_parity(fw) ? wl_stripe_hole(fw, superblock) : WL_NONE, c->unit);
  const wl_slot_t slot = fill(fw, hal, superblock, c->unit);
  wl_map_pad(fw, ppa, fw->geometry.unit_lpages);
  c->running = true;
  wl_job_is(fw, id, WL_JOB_KIND_MOUNT, WL_COMMAND_GC, 0, superblock);
  wl_send_flash_program(fw, hal, id, ppa, fw->geometry.unit_lpages, slot, WL_PRIORITY_GC, 0, 0);
  return true;
}

static void failed(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t unit) {
  if (!wl_has_parity(fw)) {
    wl_superblock_found_bad(fw, superblock);
    return;
  }
  const uint32_t die = wl_locate(&fw->geometry, ppa_of(fw, superblock, wl_stripe_hole(fw, superblock), unit)).die;
  if (die != wl_die_dead(fw)) wl_superblock_spoil(fw, superblock, die);
}

__attribute__((noinline, cold)) void wl_closing_programmed(struct wl_firmware* fw, wl_superblock_t superblock,
                                                           bool ok) {
  struct wl_closing* c = &wl_persist_state(fw)->closing;
  c->running = false;
  ++c->unit;
  if (!ok) failed(fw, superblock, c->unit - 1);
  if (!ok || c->unit == units(fw)) {
    c->unit = 0;
    wl_superblock_recorded(fw, superblock);
    wl_turn_superblock_closed(fw);
  }
  wl_kick(fw, WL_STEP_MOUNT);
}

/* ---- mount ---- */

static void has_all_rows(struct wl_firmware* fw, wl_superblock_t superblock) {
  uint16_t* rows = &wl_persist_state(fw)->rows[superblock * fw->boot.dies];
  for (uint32_t die = 0; die != fw->boot.dies; ++die) rows[die] = (uint16_t)(fw->boot.pages / fw->geometry.unit_pages);
}

__attribute__((noinline, cold)) void wl_closings_begin(struct wl_firmware* fw) {
  struct wl_persist* p = wl_persist_state(fw);
  const uint32_t blocks = fw->boot.blocks * fw->boot.dies;
  for (uint32_t block = 0; block != blocks; ++block) p->rows[block] = 0;
  if (p->checkpoint.base != WL_NONE) has_all_rows(fw, p->checkpoint.base); /* known already */
  for (wl_superblock_t s = 0; wl_map_cached(fw) && s != fw->boot.blocks; ++s) wl_map_superblock_closed(fw, s, WL_NONE);
  if (wl_has_parity(fw)) wl_rows_begin(fw);
  for (uint32_t lane = 0; lane < p->lane_count; ++lane) p->lanes[lane].block = WL_NONE;
  fw->statistics.recovery.recorded_superblocks = fw->statistics.recovery.unchanged_superblocks = 0;
  p->next = 0;
  p->phase = WL_MOUNT_CLOSINGS;
}

static wl_slot_t slots_of(const struct wl_firmware* fw, uint32_t lane) {
  uint32_t count;
  return wl_buffer_spare_slots(fw, &count) + lane * fw->geometry.page_lpages;
}

static uint8_t* page_at(const struct wl_firmware* fw, uint32_t lane, uint32_t i) {
  return wl_persist_view(fw)->closing.pages + (lane * fw->geometry.page_lpages + i) * lpage_bytes(fw);
}

/* With parity. A die that was given up, and left out when its superblocks were erased, may answer, and have the record
 * of an earlier life. So two pages of other dies are read first: the parity of the first row, which goes before
 * anything but the record in an erase, and a logical page that the record has to name. */
enum { CONFIRMED, BY_PARITY, BY_DATA };

/* That which has neither the record's first unit nor the parity, and answers. */
static uint32_t die_beside(const struct wl_firmware* fw, const struct wl_lane* lane) {
  uint32_t record, die = 0;
  (void)wl_divide(wl_stripe_record_unit(fw, lane->block, lane->hole, 0), fw->geometry.dies, &record);
  while (die == record || die == wl_die_dead(fw)) ++die;
  return die;
}

static void confirm(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index, uint8_t by) {
  struct wl_persist* p = wl_persist_state(fw);
  struct wl_lane* lane = &p->lanes[index];
  const uint32_t id = wl_job_take(fw, WL_STEP_MOUNT);
  WL_ASSERT(hal, id != WL_NONE); /* no more lanes than ids, and nobody else has any */
  lane->confirms = by;
  wl_stripes_found(fw, lane->block, lane->hole);
  const uint32_t die = by == BY_PARITY ? wl_stripe_parity_die(fw, lane->block) : die_beside(fw, lane);
  wl_checkpoint_place_at(fw, slots_of(fw, index), 0);
  ++p->jobs;
  ++fw->statistics.recovery.mount_reads;
  wl_job_is(fw, id, WL_JOB_KIND_MOUNT, WL_COMMAND_GC, index, lane->block);
  wl_send_flash_read(fw, hal, id, (lane->block * fw->geometry.superblock_units + die) * fw->geometry.unit_lpages, 1,
                     slots_of(fw, index), WL_PRIORITY_HOST, WL_NO_TAG, 0);
}

static bool names_what_is_there(const struct wl_firmware* fw, const struct wl_lane* lane,
                                const struct wl_closing_head* head) {
  const uint32_t place = die_beside(fw, lane) * fw->geometry.unit_lpages;
  if (place >= head->count) return false;
  const struct wl_slot_info* named = &wl_persist_view(fw)->closing.taken[place];
  return named->lpn == lane->beside.lpn && named->record == lane->beside.record;
}

/* The next page of flash of the record. */
static void read(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index) {
  struct wl_persist* p = wl_persist_state(fw);
  const struct wl_lane* lane = &p->lanes[index];
  const uint32_t id = wl_job_take(fw, WL_STEP_MOUNT), count = fw->geometry.page_lpages;
  WL_ASSERT(hal, id != WL_NONE); /* no more lanes than ids, and nobody else has any */
  uint32_t in_unit;
  const uint32_t unit = wl_divide(lane->page, fw->geometry.unit_pages, &in_unit);
  for (uint32_t i = 0; i != count; ++i) {
    const bool some = lane->page * count + i < lpages(fw);
    wl_checkpoint_place_at(fw, slots_of(fw, index) + i, some ? wl_dram_address(hal, page_at(fw, index, i)) : 0);
  }
  ++p->jobs;
  ++fw->statistics.recovery.mount_reads;
  wl_job_is(fw, id, WL_JOB_KIND_MOUNT, WL_COMMAND_GC, index, lane->block);
  wl_send_flash_read(fw, hal, id, ppa_of(fw, lane->block, lane->hole, unit) + in_unit * count, count,
                     slots_of(fw, index), WL_PRIORITY_HOST, WL_NO_TAG, 0);
}

__attribute__((noinline, cold)) bool wl_closings_read(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  uint32_t budget = BUDGET;
  for (uint32_t lane = 0; lane < p->lane_count && p->next != fw->kind[0].superblocks; ++lane) {
    if (p->lanes[lane].block != WL_NONE) continue;
    if (budget-- == 0) return false;
    if (p->next == p->checkpoint.base && ++p->next == fw->kind[0].superblocks) break;
    p->lanes[lane] = (struct wl_lane){.block = p->next++, .hole = WL_NONE};
    if (wl_has_parity(fw))
      confirm(fw, hal, lane, BY_PARITY);
    else
      read(fw, hal, lane);
  }
  if (p->jobs != 0) wl_rest(fw, WL_STEP_MOUNT); /* their ends kick */
  return p->jobs == 0;
}

static void take(struct wl_firmware* fw, const struct wl_closing_head* head) {
  const wl_ppa_t ppa = head->superblock * fw->geometry.superblock_lpages + head->first;
  const struct wl_slot_info* taken = wl_persist_view(fw)->closing.taken;
  fw->statistics.recovery.records += wl_map_found_all(fw, ppa, taken, head->count);
}

/* Erases only grow, and what has failed once is never trusted again: so the most that any record says. */
static void take_wear(struct wl_firmware* fw, const struct wl_closing_head* head) {
  const struct wl_closing_wear* wear = (const void*)wl_persist_view(fw)->closing.taken;
  for (uint32_t i = 0; i != head->count; ++i) {
    wl_wear_found_more(fw, head->first + i, wear[i].erases);
    if (wear[i].bad != 0) wl_superblock_found_bad(fw, head->first + i);
  }
}

/* Where a record lies in the same place whether its superblock leaves the dead die out or not, it says so itself. */
static uint32_t hole_of(const struct wl_firmware* fw, const struct wl_lane* lane, const struct wl_closing_head* head) {
  const uint32_t dead = wl_die_dead(fw);
  if (lane->hole != WL_NONE || dead == WL_NONE || dead * fw->geometry.unit_lpages >= head->count) return lane->hole;
  const struct wl_slot_info* named = &wl_persist_view(fw)->closing.taken[dead * fw->geometry.unit_lpages];
  return named->lpn == WL_LPN_NONE && named->record == 0 && dead != fw->boot.dies - 1u ? dead : WL_NONE;
}

enum found { UNSOUND, SOUND, UNCHANGED };

/* It was closed before the checkpoint that the mount has begun with: that has all of it that is still valid. An erase
 * since then would have begun with this page. */
static bool is_unchanged(const struct wl_firmware* fw, const struct wl_closing_head* head) {
  return wl_persist_view(fw)->checkpoint.based && head->version <= wl_checkpoint_root(fw)->sequence;
}

/* What is in the lane's slots is part of a record: it is taken, though the rest may be missing, since it is true. */
static enum found examine(struct wl_firmware* fw, uint32_t index) {
  const struct wl_closing* c = &wl_persist_view(fw)->closing;
  struct wl_lane* lane = &wl_persist_state(fw)->lanes[index];
  const uint32_t first = lane->page * fw->geometry.page_lpages;
  for (uint32_t i = 0; i != fw->geometry.page_lpages && first + i < lpages(fw); ++i) {
    const struct wl_closing_head* head = (const void*)page_at(fw, index, i);
    const struct wl_slot_info* info = &wl_slot_table(fw)[slots_of(fw, index) + i];
    if (info->lpn != WL_LPN_TABLE || !wl_p2l_sound(fw, head, lane->block, c->taken)) return UNSOUND;
    if (first + i == 0) lane->torn = head->version;
    if (first + i == 0 && wl_has_parity(fw)) {
      if (!names_what_is_there(fw, lane, head)) return UNSOUND;
      lane->hole = hole_of(fw, lane, head);
    }
    if (head->version != lane->torn) return UNSOUND;
    if (is_unchanged(fw, head)) return UNCHANGED;
    if (first + i < wl_closing_p2l_lpages(&fw->boot, fw->geometry.superblock_lpages))
      take(fw, head);
    else
      take_wear(fw, head);
  }
  return SOUND;
}

/* What comes before the record has been read. False: that is no true one. */
static bool goes_on(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index, bool ok) {
  struct wl_lane* lane = &wl_persist_state(fw)->lanes[index];
  const struct wl_slot_info* info = &wl_slot_table(fw)[slots_of(fw, index)];
  const bool blank = ok && info->lpn == WL_LPN_NONE && info->record == WL_RECORD_BLANK;
  const uint8_t by = lane->confirms;
  lane->confirms = CONFIRMED;
  if (blank || (by == BY_DATA && !ok)) return false;
  if (by == BY_PARITY) { /* its die may have failed */
    confirm(fw, hal, index, BY_DATA);
    return true;
  }
  lane->beside = *info;
  read(fw, hal, index);
  return true;
}

__attribute__((noinline, cold)) void wl_closing_read_done(struct wl_firmware* fw, const struct wl_hal* hal,
                                                          uint32_t index, bool ok) {
  struct wl_persist* p = wl_persist_state(fw);
  struct wl_lane* lane = &p->lanes[index];
  FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
  if (lane->confirms != CONFIRMED) {
    if (goes_on(fw, hal, index, ok)) return;
    ok = false;
  }
  const enum found found = ok ? examine(fw, index) : UNSOUND;
  if (found == SOUND && ++lane->page * fw->geometry.page_lpages < lpages(fw)) {
    read(fw, hal, index);
    return;
  }
  if (found == UNSOUND && wl_has_parity(fw) &&
      lane->hole != wl_die_dead(fw)) { /* it lies beside that die, or nowhere */
    *lane = (struct wl_lane){.block = lane->block, .hole = wl_die_dead(fw)};
    confirm(fw, hal, index, BY_PARITY);
    return;
  }
  if (wl_has_parity(fw)) wl_stripes_found(fw, lane->block, found == UNSOUND ? WL_NONE : lane->hole);
  if (found != UNSOUND) {
    has_all_rows(fw, lane->block);
    if (wl_map_cached(fw)) wl_map_superblock_closed(fw, lane->block, lane->torn);
    ++*(found == SOUND ? &fw->statistics.recovery.recorded_superblocks
                       : &fw->statistics.recovery.unchanged_superblocks);
  }
  lane->block = WL_NONE;
  wl_kick(fw, WL_STEP_MOUNT);
}
