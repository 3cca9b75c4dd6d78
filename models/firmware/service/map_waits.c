/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/map_waits.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/core/core.h"
#include "models/firmware/host/host.h"
#include "models/firmware/host/nvme.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/reloc/mover.h"
#include "models/firmware/service/commands.h"
#include "models/firmware/service/state.h"
#include "models/firmware/service/trim.h"

#if WL_HAS_LARGE_MAPS

__attribute__((noinline, cold)) void wl_command_ungrant(struct wl_firmware* fw, struct wl_command* c) {
  if (!c->granted) return;
  c->granted = 0;
  wl_map_grant_ends(fw, c->lpn + c->lpage);
}

__attribute__((noinline, cold)) void wl_command_uses_map(struct wl_firmware* fw, struct wl_command* c) {
  if (!c->granted) wl_map_hit(fw);
  wl_command_ungrant(fw, c);
}

static void command_goes_on(struct wl_firmware* fw, const struct wl_map_ready* ready) {
  struct wl_command* c = wl_command_of(fw, ready->waiter);
  c->granted = ready->pinned;
  if (c->op == WL_OP_READ) {
    wl_read_push(fw, ready->waiter);
    wl_kick(fw, WL_STEP_READ);
  } else {
    wl_write_push(fw, ready->waiter);
    wl_kick(fw, WL_STEP_WRITE);
  }
}

/* The unit of GC with this slot, or of the host. */
static wl_unit_t unit_of(const struct wl_firmware* fw, wl_slot_t slot) {
  const wl_slot_t first = wl_unit(fw, wl_units_host(fw))->slot;
  if (slot < first) return wl_unit_of_slot(fw, slot);
  return wl_units_host(fw) + (slot - first) / fw->geometry.unit_lpages;
}

static void slot_goes_on(struct wl_firmware* fw, const struct wl_hal* hal, wl_slot_t slot, wl_unit_end end) {
  const wl_unit_t u = unit_of(fw, slot);
  wl_lpn_t lpn;
  FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
  if (wl_stream_moves(wl_unit(fw, u)->stream)) {
    lpn = wl_source(fw, slot)->lpn;
    wl_mover_slot_programmed(fw, hal, u, slot);
  } else {
    lpn = wl_slot_table(fw)[slot].lpn;
    wl_map_commit_slot(fw, hal, u, slot);
  }
  wl_map_unpin(fw, lpn);
  if (--wl_map_late(fw, u)->left == 0) end(fw, hal, u);
}

__attribute__((noinline, cold)) void wl_map_waits_step(struct wl_firmware* fw, const struct wl_hal* hal,
                                                       wl_unit_end end) {
  wl_map_cache_step(fw, hal);
  if (wl_map_cache_mount_step(fw, hal)) wl_host_start(fw, hal);
  struct wl_map_ready ready;
  for (uint32_t budget = WL_LPAGE_BUDGET; budget != 0 && wl_map_take_ready(fw, &ready); --budget) {
    if (ready.waiter == wl_map_waiter_of_trim(fw))
      wl_trim_map_came(fw);
    else if (ready.waiter < fw->boot.host_tags)
      command_goes_on(fw, &ready);
    else
      slot_goes_on(fw, hal, ready.waiter - fw->boot.host_tags, end);
  }
}

#endif
