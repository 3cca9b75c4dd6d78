/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/persist/turn.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/word_line.h"
#include "models/firmware/core/core.h"
#include "models/firmware/persist/checkpoint.h"
#include "models/firmware/persist/state.h"
#include "models/firmware/reloc/gather.h"
#include "models/firmware/reloc/mover.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/erase_all.h"
#include "models/firmware/space/found.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"

static bool is_shut_down(const struct wl_firmware* fw) { return wl_persist_view(fw)->shutdown != WL_SHUTDOWN_NONE; }

bool wl_persist_flushed(struct wl_firmware* fw) {
  wl_buffer_close(fw);
  if (wl_word_lines_shared(fw)) wl_word_lines_flush(fw);
  return wl_buffer_dirty(fw) == 0 || wl_space_stopped(fw);
}

bool wl_turn_runs(const struct wl_firmware* fw) { return wl_persist_view(fw)->checkpoint.turn != WL_TURN_NONE; }

static void end(struct wl_firmware* fw, uint32_t closed) {
  struct wl_checkpoint* c = &wl_persist_state(fw)->checkpoint;
  c->turn = WL_TURN_NONE;
  c->closed = closed;
  if (!is_shut_down(fw)) wl_not_queued(fw, WL_STEP_ADMIN);
  wl_space_gate(fw, false);
}

/* The next superblock that is closed tries again. */
static void give_up(struct wl_firmware* fw) {
  end(fw, fw->boot.ftl.checkpoint_after);
  wl_superblocks_hold(fw, WL_HOLD_NONE);
}

void wl_turn_cancel(struct wl_firmware* fw) {
  if (wl_turn_runs(fw) && wl_persist_view(fw)->checkpoint.turn != WL_TURN_WRITES) give_up(fw);
}

__attribute__((noinline, cold)) void wl_turn_superblock_closed(struct wl_firmware* fw) {
  struct wl_checkpoint* c = &wl_persist_state(fw)->checkpoint;
  if (fw->boot.ftl.checkpoint_after == 0 || !c->complete || ++c->closed < fw->boot.ftl.checkpoint_after) return;
  if (c->turn != WL_TURN_NONE || is_shut_down(fw) || wl_superblocks_resting(fw) || wl_space_read_only(fw)) return;
  c->turn = WL_TURN_WAITS;
  wl_superblocks_hold(fw, WL_HOLD_VICTIMS);
  wl_queued(fw, WL_STEP_ADMIN); /* units that are programmed kick it */
  wl_kick(fw, WL_STEP_ADMIN);
}

/* What a superblock with failed blocks or a pause of GC keeps the host from is not worth a checkpoint. */
static bool is_in_the_way(const struct wl_firmware* fw) {
  return wl_space_read_only(fw) ||
         (wl_persist_view(fw)->checkpoint.turn == WL_TURN_FLUSHES && wl_space_host_is_stuck(fw));
}

static void rest(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_checkpoint* c = &wl_persist_state(fw)->checkpoint;
  if (is_in_the_way(fw)) {
    give_up(fw);
    return;
  }
  if (c->turn == WL_TURN_WAITS) {
    if (wl_mover_busy(fw)) return;
    c->turn = WL_TURN_FLUSHES;
    wl_space_gate(fw, true);
  }
  wl_pace_give_up(fw); /* no copies come that would pay for the host's data */
  if (!wl_persist_flushed(fw)) return;
  wl_mover_flush(fw, hal);
  if (wl_mover_busy(fw) || !wl_buffer_at_rest(fw) || !wl_superblocks_at_rest(fw)) return;
  c->turn = WL_TURN_WRITES;
  if (!wl_checkpoint_begin(fw, hal)) give_up(fw);
}

void wl_turn_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_persist* p = wl_persist_view(fw);
  if (p->checkpoint.turn != WL_TURN_WRITES) {
    rest(fw, hal);
    return;
  }
  if (p->phase != WL_MOUNTED) return;
  if (wl_superblocks_sealed(fw))
    wl_kick(fw, WL_STEP_MOUNT); /* opens it */
  else
    end(fw, 0); /* it is opened, or has failed */
}
