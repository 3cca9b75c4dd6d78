/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/buffer/parity.h"

#include "models/firmware/buffer/state.h"
#include "models/firmware/core/core.h"
#include "models/firmware/media/media.h"
#include "models/firmware/space/p2l.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/stripes.h"

uint32_t wl_parity_sums_of(const struct wl_firmware* fw) {
  return fw->boot.ftl.parity_slots / fw->geometry.unit_lpages;
}

void wl_parity_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  if (!wl_has_parity(fw)) return;
  struct wl_parity* p = wl_arena_take(tcm, sizeof(*p) + wl_parity_sums_of(fw) * sizeof(p->sums[0]));
  wl_buffer_state(fw)->word_lines.parity = p;
}

void wl_parity_boot(struct wl_firmware* fw, wl_slot_t slot0) {
  if (!wl_has_parity(fw)) return;
  struct wl_parity* p = wl_buffer_state(fw)->word_lines.parity;
  *p = (struct wl_parity){(struct wl_sum*)(void*)(p + 1), wl_parity_sums_of(fw), wl_parity_sums_of(fw), slot0};
  for (uint32_t i = 0; i != p->count; ++i) p->sums[i].superblock = WL_NONE;
}

bool wl_parity_accepts(const struct wl_firmware* fw) { return wl_buffer_view(fw)->word_lines.parity->free != 0; }

struct place {
  wl_superblock_t superblock;
  uint32_t row, die;
};
static struct place place_of(const struct wl_firmware* fw, wl_ppa_t ppa) {
  struct place at;
  uint32_t in_superblock;
  at.superblock = wl_divide(ppa, fw->geometry.superblock_lpages, &in_superblock);
  at.row = wl_divide(in_superblock / fw->geometry.unit_lpages, fw->geometry.dies, &at.die);
  return at;
}

/* WL_NONE: there is none. */
static uint32_t find(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row) {
  const struct wl_parity* p = wl_buffer_view(fw)->word_lines.parity;
  for (uint32_t i = 0; i != p->count; ++i)
    if (p->sums[i].superblock == superblock && p->sums[i].row == row) return i;
  return WL_NONE;
}

static uint32_t begin(struct wl_firmware* fw, const struct place* at) {
  struct wl_parity* p = wl_buffer_state(fw)->word_lines.parity;
  uint32_t i = 0;
  while (p->sums[i].superblock != WL_NONE) ++i;
  --p->free;
  p->sums[i] = (struct wl_sum){.superblock = at->superblock, .row = at->row};
  wl_superblock_row_begins(fw, at->superblock);
  return i;
}

wl_slot_t wl_parity_slot(const struct wl_firmware* fw, uint32_t sum) {
  return wl_buffer_view(fw)->word_lines.parity->slot0 + sum * fw->geometry.unit_lpages;
}

uint32_t wl_parity_joins(struct wl_firmware* fw, wl_ppa_t ppa) {
  const struct place at = place_of(fw, ppa);
  uint32_t i = find(fw, at.superblock, at.row);
  if (i == WL_NONE) i = begin(fw, &at);
  struct wl_sum* sum = &wl_buffer_state(fw)->word_lines.parity->sums[i];
  ++sum->placed;
  ++sum->running;
  return 1u + wl_parity_slot(fw, i);
}

__attribute__((noinline, cold)) void wl_parity_member_done(struct wl_firmware* fw, wl_ppa_t ppa, bool ok) {
  const struct place at = place_of(fw, ppa);
  struct wl_sum* sum = &wl_buffer_state(fw)->word_lines.parity->sums[find(fw, at.superblock, at.row)];
  --sum->running;
  if (!ok) {
    wl_stripe_lacks(fw, at.superblock, at.row, at.die);
    wl_p2l_void(fw, at.superblock);
  }
  if (sum->running == 0) wl_kick(fw, WL_STEP_PLACE);
}

/* The row has ended. */
static void end(struct wl_firmware* fw, struct wl_sum* sum) {
  const wl_superblock_t superblock = sum->superblock;
  sum->superblock = WL_NONE;
  ++wl_buffer_state(fw)->word_lines.parity->free;
  wl_superblock_program_done(fw, superblock, 0);
  wl_kick(fw, WL_STEP_PLACE);
  wl_kick_queued(fw, WL_STEP_REBUILD | WL_STEP_ADMIN);
}

/* The pages of a block are programmed in order: a row that is left half filled may end before the one before it. */
static bool is_first(const struct wl_firmware* fw, const struct wl_sum* sum) {
  const struct wl_parity* p = wl_buffer_view(fw)->word_lines.parity;
  for (uint32_t i = 0; i != p->count; ++i)
    if (p->sums[i].superblock == sum->superblock && p->sums[i].row < sum->row && !p->sums[i].programs) return false;
  return true;
}

/* A row of which all programs have failed gets its parity, too, for the same reason. */
static bool complete(const struct wl_firmware* fw, const struct wl_sum* sum) {
  if (sum->superblock == WL_NONE || sum->running != 0 || sum->programs) return false;
  const bool full = wl_stripe_full(fw, sum->superblock, sum->placed);
  if (!full && wl_superblock(fw, sum->superblock)->state == WL_SUPERBLOCK_OPEN) return false;
  return is_first(fw, sum);
}

static wl_ppa_t ppa_of(const struct wl_firmware* fw, const struct wl_sum* sum) {
  const uint32_t unit = sum->row * fw->geometry.dies + wl_stripe_parity_die(fw, sum->superblock);
  return (sum->superblock * fw->geometry.superblock_units + unit) * fw->geometry.unit_lpages;
}

__attribute__((noinline, cold)) void wl_parity_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_parity* p = wl_buffer_state(fw)->word_lines.parity;
  for (uint32_t i = 0; i != p->count; ++i) {
    struct wl_sum* sum = &p->sums[i];
    if (!complete(fw, sum)) continue;
    FW_TASK(hal, WL_COST_FTL_UNIT);
    const uint32_t id = wl_job_take(fw, WL_STEP_PLACE);
    if (id == WL_NONE) return;
    sum->programs = true;
    wl_kick(fw, WL_STEP_PLACE); /* the next row may have waited for it */
    wl_superblock_program_goes_on(fw);
    wl_job_is(fw, id, WL_JOB_KIND_PARITY, WL_OP_WRITE, i, sum->superblock);
    wl_send_flash_program(fw, hal, id, ppa_of(fw, sum), fw->geometry.unit_lpages, wl_parity_slot(fw, i),
                          WL_PRIORITY_HOST, 0, 1u + wl_parity_slot(fw, i));
  }
}

__attribute__((noinline, cold)) void wl_parity_programmed(struct wl_firmware* fw, const struct wl_job* job,
                                                          uint32_t failed) {
  struct wl_sum* sum = &wl_buffer_state(fw)->word_lines.parity->sums[job->index];
  struct wl_parity_statistics* s = wl_parity_statistics(fw);
  ++s->programs;
  if (failed == 0) {
    s->lpages += fw->geometry.unit_lpages;
    fw->statistics.lpages_programmed += fw->geometry.unit_lpages;
  } else {
    ++s->failed;
    fw->statistics.failed_lpages += fw->geometry.unit_lpages;
    const uint32_t die = wl_stripe_parity_die(fw, sum->superblock);
    wl_stripe_lacks(fw, sum->superblock, sum->row, die);
    wl_superblock_failed(fw, sum->superblock, die, failed);
  }
  end(fw, sum);
}

bool wl_parity_ended(const struct wl_firmware* fw) {
  const struct wl_parity* p = wl_buffer_view(fw)->word_lines.parity;
  return p->free == p->count;
}

bool wl_parity_open(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row) {
  return find(fw, superblock, row) != WL_NONE;
}
