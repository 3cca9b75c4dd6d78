/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * ppb and agcr: what is read often lies in the layers that are read fast, and data are programmed coarsely, by the
 * device's own step or finely. Four levels in three steps would be twelve classes, of which each fills units and
 * superblocks of its own; there are four (space/plan.h). So ppb gives class and place, and the step follows from the
 * level, which says what agcr asks: is it read, is it written. docs/combinations.md says what is lost.
 *
 * The host writes a page now, so it is never read-only, as with agcr: what is not read often is write-only, the rest
 * interleaved. Moved data: hot is write-only, cold read-only; iron-hot is both, icy-cold neither.
 *
 * What is written anew while the host is silent, and when, is agcr's: by its history of accesses. Only if the level
 * says a finer step than the data have, or they would be written again and again.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/policy/agcr_classes.h"
#include "models/firmware/policy/keys.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/policy/ppb_classes.h"
#include "models/firmware/policy/state.h"
#include "models/firmware/space/space.h"

struct both {
  struct wl_ppb ppb;
  struct wl_agcr agcr;
};

static uint64_t table_bytes(const struct wl_boot_info* boot) { return wl_agcr_bytes(boot) + wl_ppb_bytes(boot); }

static void begin(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct both* s = wl_policies_state(fw)->arena;
  uint8_t* table = wl_policies_state(fw)->table;
  wl_agcr_begin(fw, hal, &s->agcr);
  wl_ppb_begin(fw, hal, &s->ppb, table + wl_agcr_bytes(&fw->boot));
}

static enum wl_agcr_step step_of(const struct wl_firmware* fw, uint32_t level, bool moves) {
  static const uint8_t of_host[WL_PPB_LEVELS] = {[WL_PPB_HOT] = WL_AGCR_COARSE,
                                                 [WL_PPB_IRON_HOT] = WL_AGCR_DEFAULT,
                                                 [WL_PPB_ICY_COLD] = WL_AGCR_COARSE,
                                                 [WL_PPB_COLD] = WL_AGCR_DEFAULT};
  static const uint8_t of_moved[WL_PPB_LEVELS] = {[WL_PPB_HOT] = WL_AGCR_COARSE,
                                                  [WL_PPB_IRON_HOT] = WL_AGCR_DEFAULT,
                                                  [WL_PPB_ICY_COLD] = WL_AGCR_DEFAULT,
                                                  [WL_PPB_COLD] = WL_AGCR_FINE};
  const uint32_t classes = wl_policy_keys(&fw->boot)->agcr.classes;
  if (classes != WL_AGCR_BY_HISTORY) return (enum wl_agcr_step)classes;
  return (enum wl_agcr_step)(moves ? of_moved : of_host)[level];
}

static bool place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  if (!wl_ppb_place(fw, stream, at)) return false;
  at->control = step_of(fw, wl_stream_class(stream), wl_stream_moves(stream));
  return true;
}

/* ---- notices ---- */

static void on_write(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, uint32_t lpages) {
  wl_ppb_on_write(fw, lpn, count, lpages);
  wl_agcr_on_write(fw, lpn, count, lpages);
}

static void on_read(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, wl_ppa_t from) {
  wl_ppb_on_read(fw, lpn, count, from);
  const uint32_t size = wl_map_unit(fw);
  while (count != 0) { /* map units have levels of their own */
    const uint32_t rest = size - lpn % size;
    const uint32_t now = rest < count ? rest : count;
    wl_agcr_read_of(fw, lpn, now, from, step_of(fw, wl_ppb_class_of_move(fw, lpn, from), true));
    lpn += now;
    from += now;
    count -= now;
  }
}

const struct wl_policy wl_policy_ppb_agcr = {
    .space = {.host_streams = WL_PPB_LEVELS, .move_streams = WL_PPB_LEVELS},
    .media = {.programs = true, .read_start = wl_agcr_read_start},
    .refused = WL_ENGINE_L2P | WL_ENGINE_COPY,
    .table_bytes = table_bytes,
    .more_superblocks = wl_ppb_more_superblocks,
    .arena_bytes = sizeof(struct both),
    .begin = begin,
    .class_of_write = wl_ppb_class_of_write,
    .class_of_move = wl_ppb_class_of_move,
    .on_write = on_write,
    .on_read = on_read,
    .place = place,
    .programmed = wl_agcr_programmed,
    .collect = wl_page_collect_classes,
    .idle = wl_agcr_idle,
    .move = wl_agcr_move,
    .victim = wl_superblock_emptiest,
};
