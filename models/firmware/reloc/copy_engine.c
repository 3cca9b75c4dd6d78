/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/reloc/copy_engine.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/program.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/media/media.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/reloc/move_pace.h"
#include "models/firmware/reloc/moved.h"
#include "models/firmware/reloc/state.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"

/* The copy engine fills units with what the scan engine finds. It has so many slots as the superblock and the
 * superblocks before it need, and always a unit, since a logical page that becomes invalid while it waits for one is
 * counted no more. */
enum wl_progress wl_copy_fill(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_reloc* r = wl_reloc_state(fw);
  const struct wl_superblock* sb = wl_superblock(fw, r->victim);
  if (r->scan != 0 && !wl_engine_waits(fw, WL_ANSWER_SCAN)) return WL_SCANNED;
  if (r->scan == 0) {
    FW_TASK(hal, WL_COST_FTL_GC);
    if (sb->valid == 0) return WL_SCANNED;
    const uint32_t base = r->victim * fw->geometry.superblock_lpages;
    r->scan = fw->geometry.superblock_lpages;
    wl_engine_ask_scan(fw, hal, base, base + fw->geometry.superblock_lpages);
  }
  while (r->filling == 0 || r->filling < sb->valid + r->draining) {
    FW_TASK(hal, WL_COST_FTL_UNIT);
    if (r->filling != 0 && !wl_mover_may_copy(fw)) return WL_WAIT;
    const bool room = wl_gc_unit_available(fw);
    wl_waits(fw, hal, WL_WAITER_COLLECTION, room ? WL_POOL_NONE : WL_POOL_GC_BUFFER);
    if (!room) return WL_WAIT;
    struct wl_placement at;
    if (!fw->policy->place(fw, WL_STREAM_GC, &at)) {
      wl_space_no_place(fw, WL_STREAM_GC);
      return WL_WAIT;
    }
    const uint32_t id = wl_job_take(fw, WL_STEP_GC);
    if (id == WL_NONE) return WL_WAIT;
    const wl_unit_t u = wl_unit_open(fw, WL_STREAM_GC);
    (void)wl_unit_fill(fw, u, fw->geometry.unit_lpages);
    wl_unit_full_and_read(fw, u);
    wl_unit_place(fw, u, &at, id);
    if (r->reason == WL_MOVE_GC) wl_pace_copies_taken(fw, fw->geometry.unit_lpages);
    r->filling += fw->geometry.unit_lpages;
    r->fill_open = true;
    wl_unit_post_copy(fw, hal, id, u, WL_COPY_FILL);
  }
  return WL_WAIT;
}

void wl_copy_fill_close(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (!wl_reloc_state(fw)->fill_open) return;
  wl_reloc_state(fw)->fill_open = false;
  const struct wl_copy_job job = {0, WL_COPY_CLOSE, 0, 0};
  wl_engine_post_copy_job(fw, hal, &job);
}

/* The next logical page of the unit that the engine could not read, from `slot` on; false: there is none. */
static bool read_failed(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, wl_slot_t slot) {
  const uint32_t end = wl_unit(fw, wl_job(fw, id)->index)->slot + fw->geometry.unit_lpages;
  for (; slot != end; ++slot) {
    struct wl_gc_source* source = wl_source(fw, slot);
    if (source->ppa == WL_NONE || (source->ppa & WL_COPY_FAILED) == 0) continue;
    source->ppa &= ~WL_COPY_FAILED;
    wl_job_reads_slot(fw, id, slot);
    wl_send_flash_read(fw, hal, id, source->ppa, 1, slot, WL_PRIORITY_GC, WL_NO_TAG, 0);
    return true;
  }
  return false;
}

/* Job `id` goes over the unit and keeps its PPA; one logical page is read at a time, to lose no more than necessary. */
void wl_copy_failed(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id) {
  FW_TASK(hal, WL_COST_FTL_READ_DONE);
  FW_COMMAND(hal, WL_COMMAND_GC);
  const bool some = read_failed(fw, hal, id, wl_unit(fw, wl_job(fw, id)->index)->slot);
  WL_ASSERT(hal, some);
}

void wl_copy_read_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, bool ok) {
  const struct wl_job* job = wl_job(fw, id);
  if (!ok) wl_move_lost(fw, hal, job->slot);
  if (read_failed(fw, hal, id, job->slot + 1)) return;
  wl_job_programs_again(fw, id);
  wl_unit_post_copy(fw, hal, id, job->index, WL_COPY_READY);
}
