/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/admin/erasure.h"

#include "models/firmware/admin/state.h"
#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/parity.h"
#include "models/firmware/core/core.h"
#include "models/firmware/host/nvme.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/map.h"
#include "models/firmware/reloc/gather.h"
#include "models/firmware/space/erase_all.h"
#include "models/firmware/space/space.h"

uint32_t wl_erasure_begin(struct wl_firmware* fw) {
  if (fw->boot.ftl.recovery != 0) return WL_STATUS_INVALID_OPCODE;
  if (wl_space_read_only(fw)) return WL_STATUS_WRITE_PROTECTED;
  wl_admin_state(fw)->erasure = WL_ERASURE_MAP;
  wl_admin_state(fw)->erasure_lpn = 0;
  wl_kick(fw, WL_STEP_ADMIN);
  return WL_STATUS_OK;
}

bool wl_erasure_runs(const struct wl_firmware* fw) { return wl_admin_view(fw)->erasure != WL_ERASURE_NONE; }

static void empty_map(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_admin* a = wl_admin_state(fw);
  for (uint32_t budget = WL_LPAGE_BUDGET; budget != 0 && a->erasure_lpn != fw->boot.user_lpages; --budget) {
    FW_TASK(hal, WL_COST_FTL_TRIM_SECTOR);
    wl_map_set_gone(fw, hal, a->erasure_lpn++, WL_MAP_DEALLOCATED);
  }
  wl_kick(fw, WL_STEP_ADMIN);
  if (a->erasure_lpn == fw->boot.user_lpages) a->erasure = WL_ERASURE_PROGRAMS;
}

/* What waits for company in a program unit would wait for ever. True: nothing is left to be programmed. */
static bool programs_end(struct wl_firmware* fw, const struct wl_hal* hal) {
  for (uint32_t stream = WL_STREAM_HOST; stream != WL_STREAM_HOST + WL_CLASSES; ++stream) {
    const uint32_t open = wl_unit_opened(fw, stream);
    if (open != WL_NONE) wl_unit_close(fw, open);
  }
  wl_mover_flush(fw, hal);
  wl_kick(fw, WL_STEP_GC); /* nothing is left to copy of its victim, nor will the host pay for it */
  if (wl_buffer_dirty(fw) != 0 || !wl_superblocks_at_rest(fw)) return false;
  if (!wl_has_parity(fw)) return true;
  wl_superblocks_close_all(fw); /* rows that are open get their parity, or their superblocks would be left out */
  return wl_parity_ended(fw);
}

bool wl_erasure_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_admin* a = wl_admin_state(fw);
  switch (a->erasure) {
    case WL_ERASURE_MAP:
      empty_map(fw, hal);
      return false;
    case WL_ERASURE_PROGRAMS:
      if (!programs_end(fw, hal)) return false;
#if WL_HAS_LARGE_MAPS
      if (wl_map_cached(fw) && !wl_map_cache_forget(fw, hal)) {
        wl_kick(fw, WL_STEP_ADMIN);
        return false;
      }
#endif
      a->erasure = WL_ERASURE_ERASES;
      wl_superblocks_erase_all(fw);
      a->to_erase = wl_superblocks_being_erased(fw);
      wl_kick(fw, WL_STEP_ADMIN); /* there may be none */
      return false;
    default:
      if (!wl_superblocks_at_rest(fw)) return false;
      a->erasure = WL_ERASURE_NONE;
      return true;
  }
}

uint32_t wl_erasure_progress(const struct wl_firmware* fw) {
  const struct wl_admin* a = wl_admin_view(fw);
  const uint64_t map = (uint64_t)(WL_PROGRESS_END / 4) * a->erasure_lpn / fw->boot.user_lpages;
  if (a->erasure != WL_ERASURE_ERASES || a->to_erase == 0) return (uint32_t)map;
  const uint32_t erased = a->to_erase - wl_superblocks_being_erased(fw);
  return (uint32_t)(map + (uint64_t)(WL_PROGRESS_END - WL_PROGRESS_END / 4) * erased / a->to_erase);
}
