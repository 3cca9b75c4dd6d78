/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/persist/mount.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/core/core.h"
#include "models/firmware/host/host.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/durable.h"
#include "models/firmware/map/durable_pages.h"
#include "models/firmware/map/map.h"
#include "models/firmware/media/media.h"
#include "models/firmware/persist/checkpoint.h"
#include "models/firmware/persist/closing.h"
#include "models/firmware/persist/mount_read.h"
#include "models/firmware/persist/rows.h"
#include "models/firmware/persist/state.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/dead_die.h"
#include "models/firmware/space/erase_all.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/stripes.h"
#include "models/firmware/space/wear.h"

/* Cold: what runs before the host takes nothing from the compiler's budget for what reads and writes pass. */
#define ONCE __attribute__((noinline, cold))

#define LANES_PER_DIE 2u /* one at work, one waiting */
#define BUDGET 8u        /* pieces of a step */

static uint32_t blocks(const struct wl_firmware* fw) { return fw->boot.blocks * fw->boot.dies; }
static uint32_t rows(const struct wl_firmware* fw) { return fw->boot.pages / fw->geometry.unit_pages; }
static bool by_word_line(const struct wl_firmware* fw) { return wl_plan(fw)->by_word_line; }

void wl_persist_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram) {
  struct wl_persist* p = wl_persist_state(fw);
  if (fw->boot.ftl.recovery == 0) return;
  wl_checkpoint_layout(fw, tcm, dram);
  if (!wl_boot_mounts(&fw->boot)) return;
  uint32_t slots;
  (void)wl_buffer_spare_slots(fw, &slots);
  p->lane_count = slots / fw->geometry.page_lpages;
  if (p->lane_count > LANES_PER_DIE * fw->boot.dies) p->lane_count = LANES_PER_DIE * fw->boot.dies;
  if (p->lane_count > wl_jobs(fw)) p->lane_count = wl_jobs(fw);
  p->lanes = wl_arena_take(tcm, (uint64_t)p->lane_count * sizeof(p->lanes[0]));
  p->rows = wl_arena_take(dram, (uint64_t)blocks(fw) * sizeof(p->rows[0]));
  if (by_word_line(fw)) p->leads = wl_arena_take(dram, (uint64_t)blocks(fw) * sizeof(p->leads[0]));
  wl_closing_layout(fw, tcm, dram);
  wl_rows_layout(fw, dram);
  p->unfinished_count = (uint32_t)wl_plan(fw)->move_streams + wl_plan(fw)->host_streams;
  p->unfinished = wl_arena_take(tcm, p->unfinished_count * sizeof(p->unfinished[0]));
}

static void by_records(struct wl_firmware* fw) {
  struct wl_persist* p = wl_persist_state(fw);
  p->failed = false;
  if (wl_has_parity(fw))
    wl_probes_begin(fw);
  else
    wl_closings_begin(fw);
  wl_kick(fw, WL_STEP_MOUNT);
}

void wl_mount_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  p->power_cycles = 1;
  if (fw->boot.ftl.recovery != 0) wl_checkpoint_boot(fw, hal);
  if (!wl_boot_mounts(&fw->boot)) return;
  WL_ASSERT(hal, p->lane_count != 0 && rows(fw) < WL_BLOCK_DESTROYED);
  for (uint32_t i = 0; i != p->unfinished_count; ++i) p->unfinished[i].superblock = WL_NONE;
  wl_roots_begin(fw);
}

uint32_t wl_power_cycles(const struct wl_firmware* fw) { return wl_persist_view(fw)->power_cycles; }
uint32_t wl_unsafe_shutdowns(const struct wl_firmware* fw) { return wl_persist_view(fw)->unsafe_shutdowns; }

/* ---- superblocks ---- */

static uint32_t rows_of(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t die) {
  return wl_persist_view(fw)->rows[superblock * fw->boot.dies + die] & ~WL_BLOCK_DESTROYED;
}

static uint32_t leads_of(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t die) {
  return wl_persist_view(fw)->leads[superblock * fw->boot.dies + die];
}

/* Units that are not blank, of a policy that chooses word lines; all that there are, where its closing record has been
 * begun. */
static uint32_t units_by_word_line(const struct wl_firmware* fw, wl_superblock_t superblock) {
  uint32_t units = 0;
  for (uint32_t die = 0; die < fw->boot.dies; ++die) {
    const uint32_t filled = rows_of(fw, superblock, die);
    if (filled == rows(fw)) return fw->geometry.superblock_units;
    const uint32_t leaders = leads_of(fw, superblock, die);
    if (!wl_cursor_in_data(fw, superblock, die, leaders, filled - leaders)) return fw->geometry.superblock_units;
    units += filled;
  }
  return units;
}

/* Units up to the last that is not blank. `destroyed`: an erase of it was cut short, or all its programs in a die were.
 */
static uint32_t units_of(const struct wl_firmware* fw, wl_superblock_t superblock, bool* destroyed) {
  const uint16_t* of = &wl_persist_view(fw)->rows[superblock * fw->boot.dies];
  const uint32_t shared = fw->boot.ftl.word_line_programs;
  uint32_t units = 0;
  *destroyed = false;
  for (uint32_t die = 0; die < fw->boot.dies; ++die) {
    const uint32_t filled = of[die] & ~WL_BLOCK_DESTROYED;
    *destroyed |= filled != of[die];
    const uint32_t word_lines = (filled + shared - 1) / shared;
    if (filled == 0) continue;
    uint32_t program;
    const uint32_t last = (word_lines - 1) * shared * fw->boot.dies + die;
    const uint32_t number = wl_word_line_of(fw, superblock, last, &program);
    if (number >= units) units = number + 1;
  }
  if (wl_has_parity(fw)) return wl_rows_units(fw, superblock);
  if (by_word_line(fw)) return units_by_word_line(fw, superblock);
  return units * shared;
}

/* Those with most room are written on, one for each stream: GC needs all of its own before it wins another. */
static void sort(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_persist* p = wl_persist_state(fw);
  if (superblock == p->checkpoint.base) {
    wl_superblock_found_again(fw, superblock, WL_SUPERBLOCK_OPEN, 0, fw->geometry.superblock_units);
    return;
  }
  bool destroyed;
  struct wl_unfinished u = {superblock, units_of(fw, superblock, &destroyed), 0, 0};
  if (by_word_line(fw)) u.unit = u.units; /* nothing is skipped: each die goes on where it is */
  if (u.units == 0 && wl_superblock(fw, superblock)->bad == 0) {
    wl_superblock_found_blank(fw, superblock);
    return;
  }
  const struct wl_superblock* sb = wl_superblock(fw, superblock);
  const bool goes_on = !destroyed && u.units < wl_superblock_units(fw, superblock) && sb->valid != 0 && sb->bad == 0 &&
                       (!wl_has_parity(fw) || wl_rows_go_on(fw, superblock));
  const bool small = wl_superblock_is_small(fw, superblock);
  for (uint32_t i = 0; i < p->unfinished_count && goes_on; ++i) {
    if (wl_stream_is_small(fw, wl_unfinished_stream(fw, i)) != small) continue;
    if (p->unfinished[i].superblock != WL_NONE && p->unfinished[i].units <= u.units) continue;
    const struct wl_unfinished other = p->unfinished[i];
    p->unfinished[i] = u;
    u = other;
    if (u.superblock == WL_NONE) return;
  }
  wl_superblock_found_used(fw, u.superblock);
}

static void join_more(struct wl_firmware* fw) {
  struct wl_persist* p = wl_persist_state(fw);
  wl_map_unit_t next = (wl_map_unit_t)p->next;
  const bool all = wl_map_pages_join(fw, &next);
  p->next = all ? 0 : next;
  if (all) p->phase = WL_MOUNT_SORTS;
}

static void sort_more(struct wl_firmware* fw) {
  struct wl_persist* p = wl_persist_state(fw);
  for (uint32_t budget = BUDGET; budget != 0; --budget) {
    if (p->next == fw->boot.blocks) {
      p->phase = WL_MOUNT_PADS;
      return;
    }
    sort(fw, p->next++);
  }
}

/* ---- padding ---- */

static bool is_blank(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t unit) {
  uint32_t die;
  const uint32_t row = wl_divide(unit, fw->boot.dies, &die);
  return rows_of(fw, superblock, die) <= row;
}

static void pad(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock, uint32_t unit,
                uint32_t id) {
  struct wl_persist* p = wl_persist_state(fw);
  const wl_ppa_t ppa = (superblock * fw->geometry.superblock_units + unit) * fw->geometry.unit_lpages;
  uint32_t count;
  const wl_slot_t slot = wl_buffer_spare_slots(fw, &count);
  const uint32_t lpages = wl_kind_of_superblock(fw, superblock)->unit_lpages;
  ++p->jobs;
  ++fw->statistics.recovery.padded_units;
  wl_slots_pad(fw, slot, lpages);
  wl_map_pad(fw, ppa, fw->geometry.unit_lpages);
  if (wl_has_parity(fw)) wl_rows_padded(fw, superblock, unit);
  wl_job_is(fw, id, WL_JOB_KIND_MOUNT, WL_COMMAND_GC, 0, superblock);
  wl_send_flash_program(fw, hal, id, ppa, lpages, slot, WL_PRIORITY_GC, 0, 0);
}

/* Of all superblocks that stay. What their last word lines hold was promised to nobody: the copies before it are still
 * on flash, where a cut in this padding leaves them. Once the host is let in, no later program can destroy anything. */
static void complete_more(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  uint32_t budget = WL_LPAGE_BUDGET;
  for (; p->next != blocks(fw); ++p->next) {
    uint32_t die;
    const wl_superblock_t superblock = wl_divide(p->next, fw->boot.dies, &die);
    if (budget-- == 0) return;
    for (; wl_superblock(fw, superblock)->valid != 0; ++p->rows[p->next]) {
      const uint32_t row = p->rows[p->next] & ~WL_BLOCK_DESTROYED;
      if (row % fw->boot.ftl.word_line_programs == 0) break;
      const uint32_t id = wl_job_take(fw, WL_STEP_MOUNT);
      if (id == WL_NONE) {
        wl_rest(fw, WL_STEP_MOUNT);
        return;
      }
      pad(fw, hal, superblock, row * fw->boot.dies + die, id);
    }
  }
  if (p->jobs != 0) {
    wl_rest(fw, WL_STEP_MOUNT);
    return;
  }
  if (p->failed) { /* and has destroyed its word line: other copies count */
    wl_map_forget(fw);
    wl_superblocks_forget(fw);
    p->checkpoint.based = false;
    p->checkpoint.base = WL_NONE;
    fw->statistics.recovery.based_mounts = 0;
    by_records(fw);
    return;
  }
  p->next = 0;
  p->phase = WL_MOUNT_SORTS;
}

static void go_on_in(struct wl_firmware* fw, const struct wl_unfinished* u, uint32_t stream) {
  if (wl_has_parity(fw) && wl_stripe_hole(fw, u->superblock) != wl_die_dead(fw) &&
      !wl_goes_on_with_dead_die(fw, u->superblock, u->units)) { /* it has failed meanwhile */
    wl_superblock_found_used(fw, u->superblock);
    wl_superblock_found_filled(fw, u->superblock, u->units);
    return;
  }
  wl_superblock_found_unfinished(fw, u->superblock, stream, u->units);
  for (uint32_t die = 0; die < fw->boot.dies && by_word_line(fw); ++die) {
    const uint32_t leaders = leads_of(fw, u->superblock, die);
    wl_cursor_found(fw, stream, die, leaders, rows_of(fw, u->superblock, die) - leaders);
  }
}

static void end(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  /* One that could not be read may be read by the next mount, and has no mark: nothing is written before it is gone. */
  if (p->checkpoint.met && wl_superblocks_being_erased(fw) != 0) {
    wl_rest(fw, WL_STEP_MOUNT); /* their ends kick */
    return;
  }
  for (uint32_t i = 0; i != p->unfinished_count; ++i) {
    const struct wl_unfinished* u = &p->unfinished[i];
    if (u->superblock != WL_NONE) go_on_in(fw, u, wl_unfinished_stream(fw, i));
  }
  p->phase = WL_MOUNTED;
  if (fw->statistics.recovery.records != 0 || p->checkpoint.based) {
    ++p->power_cycles;
    ++p->unsafe_shutdowns;
  }
  if (wl_has_parity(fw) && wl_dies_dead(fw)) wl_map_lose_all(fw);
  wl_map_all_found(fw);
  wl_wear_all_found(fw);
  wl_superblocks_all_found(fw, WL_HOLD_NONE);
  wl_rest(fw, WL_STEP_MOUNT);
#if WL_HAS_LARGE_MAPS
  if (wl_map_cached(fw)) { /* lets the host in when map pages are right */
    wl_map_cache_mounts(fw);
    return;
  }
#endif
  wl_host_start(fw, hal);
}

static void pad_more(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  uint32_t budget = WL_LPAGE_BUDGET;
  for (uint32_t i = 0; i != p->unfinished_count; ++i) {
    struct wl_unfinished* u = &p->unfinished[i];
    for (; u->superblock != WL_NONE && u->unit != u->units; ++u->unit) {
      if (budget-- == 0) return;
      const uint32_t unit = wl_unit_of(fw, u->superblock, u->unit);
      if (!is_blank(fw, u->superblock, unit)) continue;
      const uint32_t id = wl_job_take(fw, WL_STEP_MOUNT);
      if (id == WL_NONE) {
        wl_rest(fw, WL_STEP_MOUNT);
        return;
      }
      pad(fw, hal, u->superblock, unit, id);
    }
  }
  if (p->jobs != 0) {
    wl_rest(fw, WL_STEP_MOUNT);
  } else if (wl_has_parity(fw)) {
    p->next = 0;
    for (uint32_t lane = 0; lane != p->lane_count; ++lane) p->lanes[lane].block = WL_NONE;
    p->phase = WL_MOUNT_PARITY;
  } else {
    end(fw, hal);
  }
}

ONCE void wl_mount_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_OTHER);
  FW_COMMAND(hal, WL_COMMAND_GC);
  switch (wl_persist_view(fw)->phase) {
    case WL_MOUNT_ROOTS:
    case WL_MOUNT_STATE:
    case WL_MOUNT_TABLES:
    case WL_MOUNT_MAP_PAGES:
    case WL_MOUNT_OWNERS:
    case WL_MOUNT_REBUILDS:
      if (!wl_checkpoint_read_step(fw, hal)) by_records(fw);
      break;
    case WL_CHECKPOINT_CONTENT:
    case WL_CHECKPOINT_END:
    case WL_CHECKPOINT_OPENS:
      wl_checkpoint_write_step(fw, hal);
      break;
    case WL_MOUNT_PROBES:
      if (!wl_probes_step(fw, hal)) break;
      if (wl_persist_view(fw)->probed_again)
        wl_mount_rows_are_read(fw, hal);
      else
        wl_closings_begin(fw);
      break;
    case WL_MOUNT_ROWS:
      if (!wl_rows_rebuild_step(fw, hal)) break;
      wl_persist_state(fw)->next = 0;
      wl_persist_state(fw)->phase = WL_MOUNT_SORTS;
      break;
    case WL_MOUNT_PARITY:
      if (wl_rows_parity_step(fw, hal)) end(fw, hal);
      break;
    case WL_MOUNT_CLOSINGS:
      if (!wl_closings_read(fw, hal)) break;
      wl_persist_state(fw)->next = 0;
      wl_persist_state(fw)->phase = WL_MOUNT_READS;
      break;
    case WL_MOUNT_READS:
      wl_mount_read_step(fw, hal);
      break;
    case WL_MOUNT_JOINS:
      join_more(fw);
      break;
    case WL_MOUNT_COMPLETES:
      complete_more(fw, hal);
      break;
    case WL_MOUNT_SORTS:
      sort_more(fw);
      break;
    case WL_MOUNT_PADS:
      pad_more(fw, hal);
      break;
    default:
      if (wl_superblocks_sealed(fw))
        wl_checkpoint_open(fw, hal);
      else if (!wl_closing_step(fw, hal))
        wl_rest(fw, WL_STEP_MOUNT);
  }
}

ONCE void wl_mount_job_done(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock, uint32_t lane,
                            bool ok) {
  struct wl_persist* p = wl_persist_state(fw);
  FW_TASK(hal, WL_COST_FTL_READ_DONE);
  FW_COMMAND(hal, WL_COMMAND_GC);
  if (p->phase == WL_MOUNTED) {
    wl_closing_programmed(fw, superblock, ok);
    return;
  }
  --p->jobs;
  if (p->phase == WL_MOUNT_CLOSINGS) {
    wl_closing_read_done(fw, hal, lane, ok);
    return;
  }
  if (p->phase == WL_MOUNT_READS) {
    wl_mount_read_done(fw, hal, lane, ok);
    return;
  }
  if (p->phase == WL_MOUNT_PROBES) {
    wl_probe_done(fw, ok);
    return;
  }
  if (p->phase == WL_MOUNT_ROWS) {
    wl_row_rebuild_done(fw, hal, lane, ok);
    return;
  }
  if (p->phase == WL_MOUNT_PARITY) {
    wl_rows_parity_done(fw, hal, lane, ok);
    return;
  }
  if (p->phase < WL_MOUNT_READS) {
    wl_checkpoint_read_done(fw, hal, lane, ok);
    return;
  }
  if (p->phase >= WL_CHECKPOINT_CONTENT) {
    wl_checkpoint_write_done(fw, lane, ok);
  } else if (!ok) {
    p->failed = true;
    wl_superblock_found_bad(fw, superblock);
  }
  wl_kick(fw, WL_STEP_MOUNT);
}
