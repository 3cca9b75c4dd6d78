/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/persist/rows.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/parity.h"
#include "models/firmware/core/core.h"
#include "models/firmware/map/durable.h"
#include "models/firmware/media/media.h"
#include "models/firmware/persist/checkpoint.h"
#include "models/firmware/persist/state.h"
#include "models/firmware/space/dead_die.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/stripes.h"

#define NONE 0xffffu
#define SEVERAL 0xfffeu
#define OF_HOST 1u
#define OF_FIRMWARE 2u
#define OF_SOMETHING 4u /* of a unit: not all of it is padding */
#define PADDING ((uint32_t)WL_SPARE_PADDING << WL_SPARE_KIND_SHIFT)
#define BUDGET 8u  /* reads of a step */
#define PROBES 16u /* first pages of a die that are asked for, at most */

/* ---- rows ---- */

static uint32_t last_die(const struct wl_firmware* fw) { return fw->geometry.dies - 1u; }

static struct wl_row* row_at(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row) {
  return &wl_persist_view(fw)->of_rows[superblock * wl_stripe_rows(fw) + row];
}

static uint32_t filled(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t die) {
  return wl_persist_view(fw)->rows[superblock * fw->boot.dies + die] & ~WL_BLOCK_DESTROYED;
}

static wl_ppa_t ppa_of(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row, uint32_t die,
                       uint32_t in_unit) {
  const uint32_t unit = superblock * fw->geometry.superblock_units + row * fw->geometry.dies + die;
  return unit * fw->geometry.unit_lpages + in_unit * fw->geometry.page_lpages;
}

void wl_rows_layout(struct wl_firmware* fw, struct wl_arena* dram) {
  if (!wl_has_parity(fw)) return;
  const uint64_t rows = (uint64_t)fw->boot.blocks * wl_stripe_rows(fw);
  wl_persist_state(fw)->of_rows = wl_arena_take(dram, rows * sizeof(struct wl_row));
  wl_persist_state(fw)->answered = wl_arena_take(dram, fw->boot.dies);
  wl_persist_state(fw)->yields = wl_arena_take(dram, fw->boot.blocks);
}

void wl_rows_begin(struct wl_firmware* fw) {
  for (wl_superblock_t superblock = 0; superblock != fw->boot.blocks; ++superblock) {
    for (uint32_t row = 0; row != wl_stripe_rows(fw); ++row)
      *row_at(fw, superblock, row) = (struct wl_row){.unread = NONE};
    wl_persist_state(fw)->yields[superblock] = 0;
    wl_stripes_found(fw, superblock, WL_NONE);
  }
}

/* What keeps records of different places apart, and yet XORs as they do. */
static uint32_t turned(uint32_t word, uint32_t place) {
  const uint32_t by = 7u * place & 31u;
  return by == 0 ? word : word << by | word >> (32u - by);
}

static void add(struct wl_row* unit, const struct wl_slot_info* info, uint32_t count, uint32_t place) {
  for (uint32_t i = 0; i != count; ++i) {
    unit->all.lpns ^= turned(info[i].lpn, place + i);
    unit->all.records ^= turned(info[i].record, place + i);
    if (info[i].lpn == WL_LPN_TABLE && wl_spare_kind(&info[i]) == WL_SPARE_METADATA) unit->names |= OF_FIRMWARE;
    if (info[i].lpn != WL_LPN_NONE) unit->names |= OF_HOST;
    if (info[i].lpn != WL_LPN_NONE || info[i].record != PADDING) unit->names |= OF_SOMETHING;
  }
}

/* What the last die holds is parity, and names nobody. */
static void join(struct wl_row* row, const struct wl_row* unit, bool is_last) {
  row->all.lpns ^= unit->all.lpns;
  row->all.records ^= unit->all.records;
  row->names |= unit->names & (is_last ? OF_FIRMWARE : OF_FIRMWARE | OF_HOST);
  if (is_last) return;
  row->data.lpns ^= unit->all.lpns;
  row->data.records ^= unit->all.records;
}

static bool is_zero(const struct wl_row_sum* sum) { return sum->lpns == 0 && sum->records == 0; }

static uint32_t with(uint32_t unread, uint32_t die) { return unread == NONE || unread == die ? die : SEVERAL; }

/* Of a die that answers, a block of which nothing can be read: nothing in the superblock is valid. */
static bool is_half_erased(const struct wl_firmware* fw, wl_superblock_t superblock) {
  for (uint32_t die = 0; die != fw->boot.dies; ++die) {
    const uint32_t rows = wl_persist_view(fw)->rows[superblock * fw->boot.dies + die];
    if (die != wl_die_dead(fw) && (rows & WL_BLOCK_DESTROYED) != 0) return true;
  }
  return false;
}

enum row_is {
  ROW_EMPTY,  /* nothing of the host's */
  ROW_WHOLE,  /* with its parity, in which what cannot be read has no part */
  ROW_LACKS,  /* ... in which one unit that cannot be read has a part */
  ROW_OPEN,   /* without parity, which may be programmed */
  ROW_BROKEN, /* the parity cannot be read, or says something else */
};

static enum row_is judge(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row, uint32_t* lost) {
  const struct wl_row* r = row_at(fw, superblock, row);
  const uint32_t dead = wl_die_dead(fw), parity = wl_stripe_parity_die(fw, superblock);
  if (!r->used || (r->names & OF_FIRMWARE) != 0 || is_half_erased(fw, superblock)) return ROW_EMPTY;
  *lost = r->unread;
  if (parity == dead) return ROW_BROKEN;
  if (filled(fw, superblock, parity) <= row) return ROW_OPEN;
  if (r->unread == parity || r->unread == SEVERAL) return ROW_BROKEN;
  if (is_zero(&r->all)) return ROW_WHOLE;
  if (dead != WL_NONE) *lost = with(r->unread, dead);
  return *lost == NONE || *lost == SEVERAL ? ROW_BROKEN : ROW_LACKS;
}

/* ---- dies that may have failed ---- */

void wl_die_answers(struct wl_firmware* fw, uint32_t die) { wl_persist_state(fw)->answered[die] = 1; }

bool wl_probes_again(struct wl_firmware* fw) {
  struct wl_persist* p = wl_persist_state(fw);
  if (p->probed_again) return false;
  for (uint32_t block = 0; block != fw->boot.blocks * fw->boot.dies; ++block) {
    if ((p->rows[block] & WL_BLOCK_DESTROYED) == 0) continue;
    p->answered[block % fw->boot.dies] = 0;
    p->probed_again = true;
  }
  if (p->probed_again) wl_probes_begin(fw);
  return p->probed_again;
}

void wl_probes_begin(struct wl_firmware* fw) {
  struct wl_persist* p = wl_persist_state(fw);
  p->next = 0;
  p->lanes[0].page = 0;
  p->phase = WL_MOUNT_PROBES;
}

/* None, where no die at all has answered: then everything was being erased. */
static void give_up_silent(struct wl_firmware* fw, const struct wl_hal* hal) {
  const uint8_t* answered = wl_persist_view(fw)->answered;
  uint32_t silent = 0;
  for (uint32_t die = 0; die != fw->boot.dies; ++die) silent += answered[die] == 0;
  if (silent == fw->boot.dies) return;
  for (uint32_t die = 0; die != fw->boot.dies; ++die)
    if (answered[die] == 0 && die != wl_die_dead(fw)) wl_die_found_dead(fw, hal, die);
}

static uint32_t probes(const struct wl_firmware* fw) { return fw->boot.blocks < PROBES ? fw->boot.blocks : PROBES; }

bool wl_probes_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  if (p->jobs != 0) {
    wl_rest(fw, WL_STEP_MOUNT); /* its end kicks */
    return false;
  }
  while (p->next != fw->boot.dies && (p->answered[p->next] != 0 || p->next == wl_die_dead(fw))) ++p->next;
  if (p->next == fw->boot.dies) {
    give_up_silent(fw, hal);
    return true;
  }
  const uint32_t id = wl_job_take(fw, WL_STEP_MOUNT);
  WL_ASSERT(hal, id != WL_NONE); /* nobody else has any */
  const wl_superblock_t superblock = p->lanes[0].page * fw->boot.blocks / probes(fw);
  uint32_t count;
  const wl_slot_t slot = wl_buffer_spare_slots(fw, &count);
  wl_checkpoint_place_at(fw, slot, 0);
  ++p->jobs;
  ++fw->statistics.recovery.mount_reads;
  wl_job_is(fw, id, WL_JOB_KIND_MOUNT, WL_COMMAND_GC, 0, superblock);
  wl_send_flash_read(fw, hal, id, ppa_of(fw, superblock, 0, p->next, 0), 1, slot, WL_PRIORITY_HOST, WL_NO_TAG, 0);
  return false;
}

void wl_probe_done(struct wl_firmware* fw, bool ok) {
  struct wl_persist* p = wl_persist_state(fw);
  if (ok) wl_die_answers(fw, p->next);
  if (ok || ++p->lanes[0].page == probes(fw)) {
    ++p->next;
    p->lanes[0].page = 0;
  }
  wl_kick(fw, WL_STEP_MOUNT);
}

/* ---- pages ---- */

/* Its parity lies in the last die but one where the last has failed: what that holds is known when the others have been
 * read. */
static bool is_doubtful(const struct wl_firmware* fw, uint32_t die) {
  return wl_die_dead(fw) == last_die(fw) && die == last_die(fw) - 1u;
}

bool wl_rows_skip(const struct wl_firmware* fw, uint32_t block) {
  uint32_t die;
  const wl_superblock_t superblock = wl_divide(block, fw->boot.dies, &die);
  if (!wl_persist_view(fw)->reads_again) return die == wl_die_dead(fw);
  return !is_doubtful(fw, die) || filled(fw, superblock, last_die(fw)) != 0 ||
         wl_stripe_hole(fw, superblock) != WL_NONE;
}

bool wl_rows_yield(const struct wl_firmware* fw, wl_superblock_t superblock) {
  return wl_die_dead(fw) != last_die(fw) && wl_persist_view(fw)->yields[superblock] != 0;
}

void wl_rows_peeked(struct wl_firmware* fw, const struct wl_lane* lane, const struct wl_slot_info* info, bool ok) {
  bool written = false;
  for (uint32_t i = 0; i != fw->geometry.page_lpages; ++i)
    written |= info[i].lpn != WL_LPN_NONE || info[i].record != WL_RECORD_BLANK;
  wl_persist_state(fw)->yields[lane->block / fw->boot.dies] = !ok || !written;
}

/* Of a unit with a page that cannot be read, or a plane, nothing counts: its program may have failed, and then its
 * parity says nothing of the rest. Padding in place of parity is none (program() below). */
bool wl_row_read(struct wl_firmware* fw, struct wl_lane* lane, const struct wl_slot_info* info, bool ok, bool written) {
  uint32_t die, in_unit;
  const wl_superblock_t superblock = wl_divide(lane->block, fw->boot.dies, &die);
  const uint32_t row = wl_divide(lane->page, fw->geometry.unit_pages, &in_unit), lpages = fw->geometry.page_lpages;
  if (row >= wl_stripe_rows(fw) || wl_persist_view(fw)->reads_again) return true;
  struct wl_row* r = row_at(fw, superblock, row);
  if (in_unit == 0) lane->unit = (struct wl_row){.unread = NONE};
  if (!ok) lane->unit.unread = (uint16_t)die;
  if (ok && written) add(&lane->unit, info, lpages, in_unit * lpages);
  r->used |= written || !ok;
  const bool last = die == last_die(fw), ends = in_unit + 1 == fw->geometry.unit_pages || (ok && !written);
  if (ends && last && written && (lane->unit.names & OF_SOMETHING) == 0) lane->unit.unread = (uint16_t)die;
  if (ends && lane->unit.unread != NONE) r->unread = (uint16_t)with(r->unread, die);
  if (ends && lane->unit.unread == NONE) join(r, &lane->unit, last);
  return !last && !is_doubtful(fw, die);
}

/* Whether the die that has failed is left out of its rows. */
static bool leaves_out(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t dead) {
  bool without = false;
  for (uint32_t row = 0; row != wl_stripe_rows(fw); ++row) {
    const struct wl_row* r = row_at(fw, superblock, row);
    uint32_t lost;
    if ((r->names & OF_HOST) == 0) continue;
    if (dead != last_die(fw) && judge(fw, superblock, row, &lost) == ROW_LACKS && lost == dead) return false;
    without |= is_zero(dead == last_die(fw) ? &r->data : &r->all);
  }
  return without;
}

bool wl_rows_name_the_last_die(const struct wl_firmware* fw) {
  if (wl_die_dead(fw) != WL_NONE) return false;
  const uint32_t rows = fw->boot.blocks * wl_stripe_rows(fw);
  for (uint32_t i = 0; i != rows; ++i) {
    const struct wl_row* r = &wl_persist_view(fw)->of_rows[i];
    if (r->names == OF_HOST && r->unread == NONE && is_zero(&r->data)) return true;
  }
  return false;
}

bool wl_rows_read(struct wl_firmware* fw) {
  struct wl_persist* p = wl_persist_state(fw);
  const uint32_t dead = wl_die_dead(fw);
  const bool again = p->reads_again;
  p->reads_again = false;
  if (again || dead == WL_NONE) return false;
  for (wl_superblock_t superblock = 0; superblock != fw->boot.blocks; ++superblock)
    if (filled(fw, superblock, dead) == 0 && leaves_out(fw, superblock, dead)) wl_stripes_found(fw, superblock, dead);
  p->reads_again = dead == last_die(fw);
  return p->reads_again;
}

/* ---- what rows lack ---- */

/* What its parity says nothing of. */
static void note(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row, enum row_is is, uint32_t lost) {
  const uint32_t parity = wl_stripe_parity_die(fw, superblock);
  const struct wl_row* r = row_at(fw, superblock, row);
  if (is == ROW_BROKEN) wl_stripe_lacks(fw, superblock, row, parity);
  if (is != ROW_WHOLE && is != ROW_LACKS) return;
  for (uint32_t die = 0; die != fw->boot.dies; ++die) {
    if (die == parity || die == wl_stripe_hole(fw, superblock) || (is == ROW_LACKS && die == lost)) continue;
    if (filled(fw, superblock, die) <= row || die == r->unread) wl_stripe_lacks(fw, superblock, row, die);
  }
}

/* The next unit of its row, in order of dies, that says something of the one that is looked for. False: there is none.
 */
static bool read_member(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index) {
  struct wl_persist* p = wl_persist_state(fw);
  struct wl_lane* lane = &p->lanes[index];
  uint32_t own, in_unit, count;
  const wl_superblock_t superblock = wl_divide(lane->block, fw->boot.dies, &own);
  const uint32_t row = wl_divide(lane->page, fw->geometry.unit_pages, &in_unit);
  const uint32_t hole = wl_stripe_hole(fw, superblock);
  while (lane->next != fw->boot.dies &&
         (lane->next == own || lane->next == hole || filled(fw, superblock, lane->next) <= row))
    ++lane->next;
  if (lane->next == fw->boot.dies) return false;
  const uint32_t id = wl_job_take(fw, WL_STEP_MOUNT);
  const wl_slot_t slot = wl_buffer_spare_slots(fw, &count) + index * fw->geometry.page_lpages;
  WL_ASSERT(hal, id != WL_NONE); /* no more lanes than ids, and nobody else has any */
  for (uint32_t i = 0; i != fw->geometry.page_lpages && lane->joined == 0; ++i) wl_checkpoint_place_at(fw, slot + i, 0);
  ++p->jobs;
  ++fw->statistics.recovery.mount_reads;
  ++wl_parity_statistics(fw)->member_reads;
  wl_job_is(fw, id, WL_JOB_KIND_MOUNT, WL_COMMAND_GC, index, superblock);
  wl_send_flash_read(fw, hal, id, ppa_of(fw, superblock, row, lane->next, in_unit), fw->geometry.page_lpages, slot,
                     WL_PRIORITY_HOST, WL_NO_TAG, lane->joined == 0 ? 0u : (uint32_t)WL_FLASH_SUM);
  ++lane->joined;
  ++lane->next;
  return true;
}

bool wl_rows_rebuild_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  uint32_t budget = WL_LPAGE_BUDGET;
  for (uint32_t index = 0; index != p->lane_count; ++index) {
    if (p->lanes[index].block != WL_NONE) continue;
    for (; p->next != fw->boot.blocks * wl_stripe_rows(fw); ++p->next) {
      uint32_t row, lost = NONE;
      if (budget-- == 0) return false;
      const wl_superblock_t superblock = wl_divide(p->next, wl_stripe_rows(fw), &row);
      const enum row_is is = judge(fw, superblock, row, &lost);
      note(fw, superblock, row, is, lost);
      if (is != ROW_LACKS) continue;
      ++p->next;
      ++wl_parity_statistics(fw)->rebuilds;
      p->lanes[index] =
          (struct wl_lane){.block = superblock * fw->boot.dies + lost, .page = row * fw->geometry.unit_pages};
      if (!read_member(fw, hal, index)) p->lanes[index].block = WL_NONE;
      break;
    }
  }
  if (p->jobs != 0) wl_rest(fw, WL_STEP_MOUNT); /* their ends kick */
  return p->jobs == 0 && p->next == fw->boot.blocks * wl_stripe_rows(fw);
}

static void take(struct wl_firmware* fw, const struct wl_lane* lane, uint32_t index) {
  uint32_t die, in_unit, count;
  const wl_superblock_t superblock = wl_divide(lane->block, fw->boot.dies, &die);
  const uint32_t row = wl_divide(lane->page, fw->geometry.unit_pages, &in_unit);
  const wl_slot_t slot = wl_buffer_spare_slots(fw, &count) + index * fw->geometry.page_lpages;
  wl_parity_statistics(fw)->rebuilt_lpages += fw->geometry.page_lpages;
  fw->statistics.recovery.records += wl_map_found_all(fw, ppa_of(fw, superblock, row, die, in_unit),
                                                      &wl_slot_table(fw)[slot], fw->geometry.page_lpages);
}

void wl_row_rebuild_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index, bool ok) {
  struct wl_persist* p = wl_persist_state(fw);
  struct wl_lane* lane = &p->lanes[index];
  if (ok && read_member(fw, hal, index)) return;
  uint32_t in_unit;
  (void)wl_divide(lane->page, fw->geometry.unit_pages, &in_unit);
  if (ok) {
    take(fw, lane, index);
    ++lane->page;
    lane->next = 0;
    lane->joined = 0;
    if (in_unit + 1 != fw->geometry.unit_pages && read_member(fw, hal, index)) return;
  } else {
    ++wl_parity_statistics(fw)->lost;
  }
  lane->block = WL_NONE;
  wl_kick(fw, WL_STEP_MOUNT);
}

static uint32_t used_rows(const struct wl_firmware* fw, wl_superblock_t superblock) {
  uint32_t rows = wl_stripe_rows(fw);
  while (rows != 0 && !row_at(fw, superblock, rows - 1u)->used) --rows;
  return rows;
}

uint32_t wl_rows_units(const struct wl_firmware* fw, wl_superblock_t superblock) {
  uint32_t rows = used_rows(fw, superblock);
  for (uint32_t die = 0; die != fw->boot.dies && rows == 0; ++die) /* as its closing record says, or a checkpoint's */
    if (filled(fw, superblock, die) != 0) rows = wl_stripe_rows(fw);
  return rows * (wl_stripe_units(fw, superblock) / wl_stripe_rows(fw));
}

bool wl_rows_go_on(const struct wl_firmware* fw, wl_superblock_t superblock) {
  const uint32_t parity = wl_stripe_parity_die(fw, superblock), hole = wl_stripe_hole(fw, superblock);
  if (hole != wl_die_dead(fw)) return false;
  for (uint32_t row = 0; row != used_rows(fw, superblock); ++row) {
    if ((row_at(fw, superblock, row)->names & OF_FIRMWARE) != 0) return false;
    if (filled(fw, superblock, parity) <= row) continue;
    for (uint32_t die = 0; die != fw->boot.dies; ++die)
      if (die != hole && filled(fw, superblock, die) <= row) return false;
  }
  return true;
}

/* ---- rows that were open ---- */

void wl_rows_padded(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t unit) {
  uint32_t die;
  const uint32_t row = wl_divide(unit, fw->boot.dies, &die);
  uint16_t* rows = &wl_persist_state(fw)->rows[superblock * fw->boot.dies + die];
  if (row < wl_stripe_rows(fw) && filled(fw, superblock, die) <= row) *rows = (uint16_t)(row + 1u);
  row_at(fw, superblock, row)->used = 1;
}

/* Of lanes that make parity `block` is a superblock, `page` one of the unit of parity. */

/* The row from lane->row on that is to get parity; false: none. */
static bool next_open(struct wl_firmware* fw, struct wl_lane* lane) {
  for (const uint32_t rows = used_rows(fw, lane->block); lane->row < rows; ++lane->row) {
    uint32_t lost;
    if (judge(fw, lane->block, lane->row, &lost) == ROW_OPEN) return true;
  }
  return false;
}

/* Pages of a block are programmed in order, so there is something in place of a parity that cannot be told, too:
 * padding, from which the next mount knows. */
static void program(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index, uint32_t id) {
  const struct wl_lane* lane = &wl_persist_view(fw)->lanes[index];
  const wl_slot_t slot = wl_parity_slot(fw, index);
  if (row_at(fw, lane->block, lane->row)->unread == SEVERAL) wl_slots_pad(fw, slot, fw->geometry.unit_lpages);
  wl_job_is(fw, id, WL_JOB_KIND_MOUNT, WL_COMMAND_GC, index, lane->block);
  wl_send_flash_program(fw, hal, id, ppa_of(fw, lane->block, lane->row, wl_stripe_parity_die(fw, lane->block), 0),
                        fw->geometry.unit_lpages, slot, WL_PRIORITY_HOST, 0, 1u + slot);
}

/* Reads what comes next into the sum, or programs it. */
static void go_on(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index) {
  struct wl_persist* p = wl_persist_state(fw);
  struct wl_lane* lane = &p->lanes[index];
  const uint32_t hole = wl_stripe_hole(fw, lane->block), parity = wl_stripe_parity_die(fw, lane->block);
  const struct wl_row* r = row_at(fw, lane->block, lane->row);
  const uint32_t id = wl_job_take(fw, WL_STEP_MOUNT);
  lane->waits = id == WL_NONE;
  if (id == WL_NONE) return;
  ++p->jobs;
  for (; lane->page != fw->geometry.unit_pages; ++lane->page, lane->next = 0) {
    for (; lane->next != fw->boot.dies; ++lane->next) {
      const uint32_t die = lane->next;
      if (die == hole || die == parity) continue;
      if (filled(fw, lane->block, die) > lane->row && die != r->unread && r->unread != SEVERAL) break;
      if (lane->page == 0) wl_stripe_lacks(fw, lane->block, lane->row, die);
    }
    if (lane->next != fw->boot.dies) break;
  }
  if (lane->page == fw->geometry.unit_pages) {
    program(fw, hal, index, id);
    return;
  }
  ++fw->statistics.recovery.mount_reads;
  wl_job_is(fw, id, WL_JOB_KIND_MOUNT, WL_COMMAND_GC, index, lane->block);
  wl_send_flash_read(fw, hal, id, ppa_of(fw, lane->block, lane->row, lane->next, lane->page), fw->geometry.page_lpages,
                     wl_parity_slot(fw, index) + lane->page * fw->geometry.page_lpages, WL_PRIORITY_HOST, WL_NO_TAG,
                     WL_FLASH_SUM);
}

bool wl_rows_parity_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  const uint32_t lanes = p->lane_count < wl_parity_sums_of(fw) ? p->lane_count : wl_parity_sums_of(fw);
  uint32_t budget = BUDGET;
  bool waits = false;
  for (uint32_t index = 0; index != lanes; ++index) {
    struct wl_lane* lane = &p->lanes[index];
    if (lane->block != WL_NONE && lane->waits) go_on(fw, hal, index);
    waits |= lane->block != WL_NONE && lane->waits;
    if (lane->block != WL_NONE || waits) continue;
    for (; p->next != fw->boot.blocks && lane->block == WL_NONE; ++p->next) {
      if (budget-- == 0) return false;
      if (wl_superblock(fw, p->next)->valid == 0) continue;
      *lane = (struct wl_lane){.block = p->next};
      if (!next_open(fw, lane)) lane->block = WL_NONE;
    }
    if (lane->block == WL_NONE) continue;
    go_on(fw, hal, index);
    waits |= lane->waits;
  }
  const bool all = p->next == fw->boot.blocks && p->jobs == 0 && !waits;
  if (!all && (p->jobs != 0 || waits)) wl_rest(fw, WL_STEP_MOUNT); /* an end kicks, or an id that is free */
  return all;
}

void wl_rows_parity_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index, bool ok) {
  struct wl_persist* p = wl_persist_state(fw);
  struct wl_lane* lane = &p->lanes[index];
  const uint32_t parity = wl_stripe_parity_die(fw, lane->block);
  if (lane->page != fw->geometry.unit_pages) {
    /* It could be read a moment ago: its die fails. The rest of its unit may be in the sum. */
    if (!ok) row_at(fw, lane->block, lane->row)->unread = SEVERAL;
    ++lane->next;
    go_on(fw, hal, index);
    return;
  }
  struct wl_parity_statistics* s = wl_parity_statistics(fw);
  ++s->programs;
  if (ok) {
    s->lpages += fw->geometry.unit_lpages;
    fw->statistics.lpages_programmed += fw->geometry.unit_lpages;
  } else {
    ++s->failed;
    fw->statistics.failed_lpages += fw->geometry.unit_lpages;
    wl_superblock_spoil(fw, lane->block, parity);
  }
  if (!ok || row_at(fw, lane->block, lane->row)->unread == SEVERAL) wl_stripe_lacks(fw, lane->block, lane->row, parity);
  p->rows[lane->block * fw->boot.dies + parity] = (uint16_t)(lane->row + 1u);
  *lane = (struct wl_lane){.block = lane->block, .row = lane->row + 1u};
  if (next_open(fw, lane)) {
    go_on(fw, hal, index);
    return;
  }
  lane->block = WL_NONE;
  wl_kick(fw, WL_STEP_MOUNT);
}
