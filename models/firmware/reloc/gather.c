/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/reloc/gather.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/word_line.h"
#include "models/firmware/core/core.h"
#include "models/firmware/media/media.h"
#include "models/firmware/reloc/copy_engine.h"
#include "models/firmware/reloc/state.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/space.h"

wl_unit_t wl_mover_unit(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t stream) {
  wl_unit_t unit = wl_unit_opened(fw, stream);
  if (unit == WL_NONE) unit = wl_unit_open(fw, stream);
  wl_waits(fw, hal, WL_WAITER_COLLECTION, unit == WL_NONE ? WL_POOL_GC_BUFFER : WL_POOL_NONE);
  return unit;
}

/* Reads job->count logical pages from the old PPA of job->slot on. A function by itself, so that a debugger can stop at
 * a move. */
__attribute__((noinline)) void wl_mover_read_run(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id) {
  const struct wl_job* job = wl_job(fw, id);
  wl_send_flash_read(fw, hal, id, wl_source(fw, job->slot)->ppa, job->count, job->slot, WL_PRIORITY_GC, WL_NO_TAG, 0);
}

void wl_mover_read(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u, uint32_t id, wl_slot_t slot,
                   uint32_t count) {
  const wl_superblock_t superblock = wl_superblock_of(fw, wl_source(fw, slot)->ppa);
  wl_job_is_move(fw, id, u, superblock, slot, count);
  wl_unit_expect(fw, u); /* one per read */
  wl_superblock_moving(fw, superblock, count);
  wl_superblock_read_begins(fw, superblock);
  wl_mover_read_run(fw, hal, id);
}

void wl_mover_flush(struct wl_firmware* fw, const struct wl_hal* hal) {
  const uint32_t end = (uint32_t)WL_STREAM_GC + wl_plan(fw)->move_streams;
  for (uint32_t stream = WL_STREAM_GC; stream != end; ++stream) {
    const uint32_t open = wl_unit_opened(fw, stream);
    if (open != WL_NONE && wl_unit(fw, open)->filled != 0) wl_unit_close(fw, open);
  }
  wl_reloc_state(fw)->tail = false;
  if (wl_word_lines_shared(fw)) wl_word_lines_complete(fw, true);
  wl_copy_fill_close(fw, hal);
}
