/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/abort.h"

#include "models/firmware/map/hazards.h"
#include "models/firmware/service/commands.h"
#include "models/firmware/service/map_waits.h"
#include "models/firmware/service/state.h"
#include "models/firmware/service/write.h"

/* Of a deallocation other ranges may be done already. */
static bool begun(struct wl_firmware* fw, uint32_t tag) {
  const struct wl_command* c = wl_command_of(fw, tag);
  return c->op == WL_OP_DEALLOCATE || c->segments != 0 || c->lpage != 0;
}

static bool take_write(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_list* l, uint32_t tag) {
  if (!wl_command_listed(fw, l, tag) || begun(fw, tag)) return false;
  wl_command_unlist(fw, l, tag);
  if (wl_command_of(fw, tag)->op == WL_OP_READ)
    wl_complete(fw, hal, tag, WL_STATUS_ABORTED); /* it waited behind writes */
  else
    wl_write_aborted(fw, hal, tag);
  return true;
}

bool wl_command_abort(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  struct wl_service* s = wl_service_state(fw);
  if (tag >= fw->boot.host_tags) return false;
  if (wl_command_listed(fw, &s->reads, tag)) {
    if (begun(fw, tag)) return false;
    wl_command_unlist(fw, &s->reads, tag);
#if WL_HAS_LARGE_MAPS
    if (wl_map_cached(fw)) wl_command_ungrant(fw, wl_command_of(fw, tag));
#endif
    wl_complete(fw, hal, tag, WL_STATUS_ABORTED);
    wl_kick(fw, WL_STEP_READ); /* the next one may have what it needs */
    if (!wl_list_empty(&s->reads)) return true;
    wl_not_queued(fw, WL_STEP_READ);
    wl_waits(fw, hal, WL_WAITER_READ, WL_POOL_NONE);
    return true;
  }
  if (wl_command_listed(fw, &s->flush_next, tag)) {
    wl_command_unlist(fw, &s->flush_next, tag);
    wl_complete(fw, hal, tag, WL_STATUS_ABORTED);
    return true;
  }
  if (take_write(fw, hal, &s->writes, tag)) {
    wl_kick(fw, WL_STEP_WRITE);
    if (!wl_list_empty(&s->writes)) return true;
    wl_not_queued(fw, WL_STEP_WRITE);
    wl_waits(fw, hal, WL_WAITER_WRITE, WL_POOL_NONE);
    return true;
  }
  for (uint32_t h = 0; h != WL_HAZARDS; ++h)
    if (take_write(fw, hal, &s->waiters[h], tag)) return true;
  return false;
}
