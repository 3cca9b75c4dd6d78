/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/persist/shutdown.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/row_padding.h"
#include "models/firmware/core/core.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/persist/checkpoint.h"
#include "models/firmware/persist/state.h"
#include "models/firmware/persist/turn.h"
#include "models/firmware/reloc/gather.h"
#include "models/firmware/reloc/mover.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/erase_all.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/space.h"

static void begin(struct wl_firmware* fw, enum wl_shutdown_phase phase) {
  wl_turn_cancel(fw);
  if (wl_host_silent(fw)) { /* its data need room, however much idle work has made */
    wl_superblocks_silence_ends(fw);
    wl_host_silence(fw, WL_BUSY);
    wl_kick(fw, WL_STEP_GC);
  }
  wl_persist_state(fw)->shutdown = (uint8_t)phase;
  wl_queued(fw, WL_STEP_ADMIN); /* units that are programmed kick it */
  wl_kick(fw, WL_STEP_ADMIN);
}

void wl_shutdown_begin(struct wl_firmware* fw) { begin(fw, WL_SHUTDOWN_FLUSHES); }

void wl_shutdown_without_power(struct wl_firmware* fw) {
  wl_space_power_fails(fw);
  begin(fw, WL_SHUTDOWN_POWER_FAILS);
}

bool wl_shutdown_has_no_power(const struct wl_firmware* fw) {
  return wl_persist_view(fw)->shutdown == WL_SHUTDOWN_POWER_FAILS;
}

bool wl_shutdown_runs(const struct wl_firmware* fw) { return wl_persist_view(fw)->shutdown != WL_SHUTDOWN_NONE; }

static bool over(struct wl_firmware* fw) {
  wl_persist_state(fw)->shutdown = WL_SHUTDOWN_NONE;
  if (!wl_turn_runs(fw)) wl_not_queued(fw, WL_STEP_ADMIN);
  return true;
}

void wl_shutdown_leave(struct wl_firmware* fw) {
  struct wl_persist* p = wl_persist_state(fw);
  if (p->shutdown == WL_SHUTDOWN_RESTS) wl_superblocks_hold(fw, WL_HOLD_NONE);
  if (p->phase == WL_CHECKPOINT_CONTENT) p->failed = true;
  (void)over(fw);
}

static bool leaves_checkpoint(const struct wl_firmware* fw) {
  return wl_boot_mounts(&fw->boot) && !wl_space_read_only(fw) && !wl_superblocks_sealed(fw);
}

__attribute__((noinline)) static bool rests(struct wl_firmware* fw, const struct wl_hal* hal) {
  wl_mover_flush(fw, hal);
  if (wl_map_cached(fw) && !wl_map_cache_flushed(fw, hal) && !wl_space_read_only(fw)) return false;
  if (!wl_space_read_only(fw)) {
    if (wl_mover_busy(fw) || !wl_rows_rest(fw) || !wl_buffer_at_rest(fw) || !wl_superblocks_at_rest(fw)) return false;
    wl_persist_state(fw)->shutdown = WL_SHUTDOWN_WRITES;
    if (wl_checkpoint_begin(fw, hal)) return false;
  }
  wl_superblocks_hold(fw, WL_HOLD_NONE);
  return over(fw);
}

/* What is moved from now on has its old copies beside it. */
static bool rows_end(struct wl_firmware* fw) {
  if (!wl_has_parity(fw)) return true;
  if (!wl_superblocks_resting(fw)) wl_superblocks_hold(fw, WL_HOLD_COPIES);
  return wl_rows_rest(fw);
}

bool wl_shutdown_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_persist* p = wl_persist_state(fw);
  if (wl_turn_runs(fw) && p->shutdown != WL_SHUTDOWN_POWER_FAILS) return false;
  switch (p->shutdown) {
    case WL_SHUTDOWN_FLUSHES: /* a buffer that outlives power, too: the host cuts it when this is over */
      if (!wl_persist_flushed(fw)) return false;
      if (!leaves_checkpoint(fw)) return over(fw);
      wl_superblocks_hold(fw, WL_HOLD_VICTIMS);
      p->shutdown = WL_SHUTDOWN_RESTS;
      return rests(fw, hal);
    case WL_SHUTDOWN_RESTS:
      return rests(fw, hal);
    case WL_SHUTDOWN_POWER_FAILS:
      return wl_persist_flushed(fw) && rows_end(fw) && over(fw);
    default:
      return p->phase == WL_MOUNTED && over(fw);
  }
}
