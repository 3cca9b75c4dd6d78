/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/persist/mount_read.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/core/core.h"
#include "models/firmware/map/durable.h"
#include "models/firmware/map/durable_pages.h"
#include "models/firmware/media/media.h"
#include "models/firmware/persist/checkpoint.h"
#include "models/firmware/persist/closing.h"
#include "models/firmware/persist/rows.h"
#include "models/firmware/persist/state.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/dead_die.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"

/* Cold: as in mount.c. */
#define ONCE __attribute__((noinline, cold))
#define BUDGET 8u /* blocks that a step begins */

static uint32_t blocks(const struct wl_firmware* fw) { return fw->boot.blocks * fw->boot.dies; }
static uint32_t rows(const struct wl_firmware* fw) { return fw->boot.pages / fw->geometry.unit_pages; }
static bool is_small(const struct wl_firmware* fw, uint32_t block) {
  return wl_superblock_is_small(fw, block / fw->boot.dies);
}
static uint32_t pages_of(const struct wl_firmware* fw, uint32_t block) {
  return is_small(fw, block) ? fw->boot.ftl.small.pages : fw->boot.pages;
}
static bool by_word_line(const struct wl_firmware* fw) { return wl_plan(fw)->by_word_line; }

static wl_ppa_t page_of(const struct wl_firmware* fw, const struct wl_lane* lane) {
  uint32_t die, in_unit;
  const wl_superblock_t superblock = wl_divide(lane->block, fw->boot.dies, &die);
  const uint32_t row = wl_divide(lane->page, fw->geometry.unit_pages, &in_unit);
  const uint32_t unit = superblock * fw->geometry.superblock_units + row * fw->boot.dies + die;
  return unit * fw->geometry.unit_lpages + in_unit * fw->geometry.page_lpages;
}

static wl_slot_t slots_of(const struct wl_firmware* fw, uint32_t lane) {
  uint32_t count;
  return wl_buffer_spare_slots(fw, &count) + lane * fw->geometry.page_lpages;
}

/* A page of all planes; of small ones, between which there are gaps, that of one plane. */
ONCE static void read_page(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lane) {
  struct wl_persist* p = wl_persist_state(fw);
  const uint32_t id = wl_job_take(fw, WL_STEP_MOUNT);
  const bool small = is_small(fw, p->lanes[lane].block);
  const uint32_t plane = p->lanes[lane].plane;
  WL_ASSERT(hal, id != WL_NONE); /* no more lanes than ids, and nobody else has any */
  for (uint32_t i = 0; i != fw->geometry.page_lpages; ++i) wl_checkpoint_place_at(fw, slots_of(fw, lane) + i, 0);
  ++p->jobs;
  ++fw->statistics.recovery.mount_reads;
  wl_job_is(fw, id, WL_JOB_KIND_MOUNT, WL_COMMAND_GC, lane, p->lanes[lane].block / fw->boot.dies);
  wl_send_flash_read(fw, hal, id, page_of(fw, &p->lanes[lane]) + plane * fw->boot.lpages_per_page,
                     small ? 1 : fw->geometry.page_lpages, slots_of(fw, lane) + plane, WL_PRIORITY_HOST, WL_NO_TAG, 0);
}

static bool is_skipped(const struct wl_firmware* fw, uint32_t block) {
  const struct wl_persist* p = wl_persist_view(fw);
  if (p->rows[block] != 0 && !p->reads_again) return true; /* its record has it */
  return wl_has_parity(fw) && wl_rows_skip(fw, block);
}

ONCE void wl_mount_rows_are_read(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  if (wl_rows_name_the_last_die(fw)) { /* once: it is known then */
    wl_die_found_dead(fw, hal, fw->boot.dies - 1u);
    wl_map_forget(fw);
    wl_superblocks_forget(fw);
    wl_closings_begin(fw);
    return;
  }
  p->next = 0;
  p->phase = wl_rows_read(fw) ? WL_MOUNT_READS : WL_MOUNT_ROWS;
}

/* With parity there are three passes: a page of each block with parity; superblocks that have some; the others. A
 * superblock that was being erased has lost its parity before its data, which lie elsewhere, too, and are to be found
 * there. */
static uint32_t begin_of_pass(const struct wl_firmware* fw, uint32_t pass) {
  return pass == 0 ? 0 : fw->boot.blocks + (pass - 1) * blocks(fw);
}

static uint32_t pass_of(const struct wl_firmware* fw, uint32_t place) {
  return place < fw->boot.blocks ? 0 : place < begin_of_pass(fw, 2) ? 1 : 2;
}

/* Places in the order of reads. */
static uint32_t places(const struct wl_firmware* fw) { return wl_has_parity(fw) ? begin_of_pass(fw, 3) : blocks(fw); }

/* The block at that place; WL_NONE: it is not for this pass. */
static uint32_t block_at(const struct wl_firmware* fw, uint32_t place) {
  const uint32_t pass = pass_of(fw, place), dies = fw->boot.dies;
  if (pass == 0) return place * dies + dies - 1u;
  const uint32_t block = place - begin_of_pass(fw, pass);
  return wl_rows_yield(fw, block / dies) == (pass == 2) ? block : WL_NONE;
}

/* The next one to be read, and whether only its first page is; a block of WL_NONE: none now. */
static struct wl_lane next_lane(struct wl_firmware* fw) {
  struct wl_persist* p = wl_persist_state(fw);
  for (; p->next != places(fw); ++p->next) {
    uint32_t block = p->next;
    bool peeks = false;
    if (wl_has_parity(fw)) {
      const uint32_t pass = pass_of(fw, p->next);
      if (p->next == begin_of_pass(fw, pass) && p->jobs != 0) break; /* what they find decides */
      wl_map_found_yields(fw, pass == 2);
      block = block_at(fw, p->next);
      peeks = pass == 0;
    }
    if (block == WL_NONE || is_skipped(fw, block)) continue;
    ++p->next;
    return (struct wl_lane){.block = block, .peeks = peeks};
  }
  return (struct wl_lane){.block = WL_NONE};
}

void wl_mount_read_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  uint32_t budget = BUDGET;
  for (uint32_t lane = 0; lane < p->lane_count && budget != 0; ++lane) {
    if (p->lanes[lane].block != WL_NONE) continue;
    p->lanes[lane] = next_lane(fw);
    if (p->lanes[lane].block == WL_NONE) break;
    read_page(fw, hal, lane);
    --budget;
  }
  if (budget == 0) return;
  if (p->jobs != 0) {
    wl_rest(fw, WL_STEP_MOUNT); /* their ends kick */
    return;
  }
  p->next = 0;
  wl_map_found_yields(fw, false);
  if (wl_has_parity(fw)) {
    if (!wl_probes_again(fw)) wl_mount_rows_are_read(fw, hal);
    return;
  }
  p->phase = wl_has_small_pages(fw) ? WL_MOUNT_JOINS : wl_word_lines_shared(fw) ? WL_MOUNT_COMPLETES : WL_MOUNT_SORTS;
}

/* The page in the lane's slots, which could be read or not: false, it is blank. */
ONCE static bool take_page(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_lane* lane, wl_slot_t slot,
                           bool ok) {
  (void)hal; /* marks are calls natively, instructions on a core */
  const wl_ppa_t ppa = page_of(fw, lane);
  const bool small = is_small(fw, lane->block);
  const uint32_t lpages = small ? fw->boot.planes : fw->geometry.page_lpages;
  bool written = false;
  for (uint32_t i = 0; i < lpages; ++i) {
    FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
    const struct wl_slot_info* info = &wl_slot_table(fw)[slot + i];
    written |= info->lpn != WL_LPN_NONE || info->record != WL_RECORD_BLANK;
    wl_checkpoint_seen(fw, info);
    if (small) fw->statistics.recovery.records += wl_map_small_found(fw, ppa + i * fw->boot.lpages_per_page, info);
  }
  if (small) return written;
  if (wl_has_parity(fw) && !wl_row_read(fw, lane, &wl_slot_table(fw)[slot], ok, written)) return written;
  fw->statistics.recovery.records += wl_map_found_all(fw, ppa, &wl_slot_table(fw)[slot], fw->geometry.page_lpages);
  return written;
}

/* In a v-layer word lines are programmed from the first on, whatever the others hold. */
ONCE static bool next_in_v_layers(const struct wl_firmware* fw, struct wl_lane* lane, bool written) {
  const uint32_t unit_pages = fw->geometry.unit_pages, wide = wl_layer_word_lines(fw);
  uint32_t in_unit, v_layer;
  uint32_t row = wl_divide(lane->page, unit_pages, &in_unit);
  (void)wl_divide(row, wide, &v_layer);
  if (!written)
    lane->ended |= 1u << v_layer;
  else if (in_unit == 0)
    ++*(v_layer == 0 ? &lane->leaders : &lane->followers);
  if (written && in_unit + 1 != unit_pages) {
    ++lane->page;
    return true;
  }
  do (void)wl_divide(++row, wide, &v_layer);
  while ((lane->ended >> v_layer & 1u) != 0 && row != rows(fw));
  lane->page = row * unit_pages;
  return row != rows(fw);
}

static bool next_page(const struct wl_firmware* fw, struct wl_lane* lane, bool written) {
  if (by_word_line(fw)) return next_in_v_layers(fw, lane, written);
  return written && ++lane->page != pages_of(fw, lane->block);
}

ONCE void wl_mount_read_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index, bool ok) {
  struct wl_persist* p = wl_persist_state(fw);
  struct wl_lane* lane = &p->lanes[index];
  if (lane->peeks) {
    wl_rows_peeked(fw, lane, &wl_slot_table(fw)[slots_of(fw, index)], ok);
    lane->block = WL_NONE;
    wl_kick(fw, WL_STEP_MOUNT);
    return;
  }
  lane->unread |= !ok;
  if (is_small(fw, lane->block) && ++lane->plane != fw->boot.planes) {
    read_page(fw, hal, index);
    return;
  }
  lane->plane = 0;
  ok = !lane->unread;
  lane->unread = false;
  if (!ok) ++lane->torn;
  const bool written = take_page(fw, hal, lane, slots_of(fw, index), ok) || !ok;
  if (next_page(fw, lane, written)) {
    read_page(fw, hal, index);
    return;
  }
  const uint32_t unit_pages = fw->geometry.unit_pages;
  if (by_word_line(fw)) {
    p->rows[lane->block] = (uint16_t)(lane->leaders + lane->followers);
    p->leads[lane->block] = lane->leaders;
  } else {
    p->rows[lane->block] = (uint16_t)((lane->page + unit_pages - 1) / unit_pages);
  }
  if (lane->torn == pages_of(fw, lane->block)) p->rows[lane->block] |= WL_BLOCK_DESTROYED;
  fw->statistics.recovery.torn_pages += lane->torn;
  lane->block = WL_NONE;
  wl_kick(fw, WL_STEP_MOUNT);
}
