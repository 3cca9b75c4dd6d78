/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/marks.h"

#include "models/firmware/core/core.h"
#include "models/firmware/media/media.h"
#include "models/firmware/space/life.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/spares.h"
#include "models/firmware/space/state.h"

bool wl_marks_are_read(const struct wl_firmware* fw) { return wl_space_view(fw)->marks.end != 0; }

#define READS_PER_DIE 2u /* one at work, one waiting */

static uint32_t superblocks(const struct wl_firmware* fw) { return fw->boot.blocks * fw->boot.dies; }

void wl_marks_begin(struct wl_firmware* fw) {
  struct wl_marks* m = &wl_space_state(fw)->marks;
  m->next = superblocks(fw);
  m->end = m->next + fw->boot.replacement.spares * fw->boot.dies;
  wl_kick(fw, WL_STEP_ERASE);
}

/* A few per poll. */
void wl_marks_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_marks* m = &wl_space_state(fw)->marks;
  for (uint32_t budget = 8; budget != 0; --budget) {
    const bool more = m->next != m->end && m->reads != READS_PER_DIE * fw->boot.dies;
    const uint32_t id = more ? wl_job_take(fw, WL_STEP_ERASE) : WL_NONE;
    if (id == WL_NONE) { /* what comes back kicks */
      wl_rest(fw, WL_STEP_ERASE);
      return;
    }
    uint32_t die;
    const wl_superblock_t superblock = wl_divide(m->next, fw->boot.dies, &die);
    wl_job_is_erase(fw, id, superblock, die);
    ++m->next;
    ++m->reads;
    wl_send_flash_marks(fw, hal, id, superblock, die);
  }
}

/* The superblocks get what stands in for their bad blocks, and are free. */
static void finish(struct wl_firmware* fw) {
  fw->statistics.blocks.failed_blocks = 0; /* these were bad before */
  for (wl_superblock_t superblock = 0; superblock < fw->boot.blocks; ++superblock) {
    if (wl_space_state(fw)->superblock[superblock].bad) {
      wl_superblock_retire(fw, superblock);
      continue;
    }
    while (wl_spares_promised(fw, superblock)) (void)wl_spares_replace(fw, superblock);
    wl_superblock_free(fw, superblock);
  }
  wl_space_state(fw)->starved = wl_space_state(fw)->pace.no_gain = false; /* GC has run before there was anything */
  wl_kick(fw, WL_STEP_GC);
}

bool wl_marks_done(struct wl_firmware* fw, uint32_t block, uint32_t die, uint32_t marked) {
  struct wl_marks* m = &wl_space_state(fw)->marks;
  --m->reads;
  for (uint32_t planes = marked; planes != 0; planes &= planes - 1) ++fw->statistics.blocks.marked_blocks;
  if (marked != 0 && block >= fw->boot.blocks)
    wl_spares_bad(fw, die, marked, block - fw->boot.blocks);
  else if (marked != 0 && !wl_spares_promise(fw, block, die, marked))
    wl_space_state(fw)->superblock[block].bad = 1;
  wl_kick(fw, WL_STEP_ERASE);
  if (m->next != m->end || m->reads != 0) return false;
  if (m->end > superblocks(fw)) { /* now that the good spares are known */
    m->next = 0;
    m->end = superblocks(fw);
    return false;
  }
  m->end = 0;
  finish(fw);
  return true;
}
