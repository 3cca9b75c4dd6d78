/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which superblock GC takes next, where the policy leaves it to this room.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/space/closed_superblocks.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"

void wl_superblocks_forget_answer(struct wl_firmware* fw) { wl_space_state(fw)->answered = false; }

/* A search that finds nothing leaves `starved` as it is: it is set when the search begins, and what becomes invalid, or
 * is closed, behind the search's back clears it. */
static wl_superblock_t search(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_space* s = wl_space_state(fw);
  FW_TASK(hal, WL_COST_FTL_GC_VICTIM);
  if (wl_engine_waits(fw, WL_ANSWER_SEARCH)) return WL_ASKED;
  if (s->answered) {
    s->answered = false;
    const wl_superblock_t superblock = wl_engine_victim(fw);
    if (superblock == WL_LPN_NONE) {
      if (s->starved) return WL_NONE;
    } else if (s->superblock[superblock].state == WL_SUPERBLOCK_CLOSED) {
      if (s->superblock[superblock].valid < fw->geometry.superblock_lpages) {
        s->starved = false;
        s->searched_from = superblock + 1 == s->superblocks ? 0 : superblock + 1;
        return superblock;
      }
      if (s->starved) return WL_NONE; /* the emptiest is full */
    }
  }
  s->starved = true;
  wl_engine_ask_search(fw, hal, s->searched_from);
  return WL_ASKED;
}

void wl_superblocks_searched(struct wl_firmware* fw) {
  wl_space_state(fw)->answered = true;
  wl_kick(fw, WL_STEP_GC);
}

wl_superblock_t wl_small_superblock_emptiest(struct wl_firmware* fw) { return wl_closed_emptiest_small(fw); }

wl_superblock_t wl_superblock_emptiest(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_has_engines(fw, WL_ENGINE_VICTIM)) return search(fw, hal);
  const wl_superblock_t superblock = wl_closed_emptiest(fw);
  if (superblock == WL_NONE) return WL_NONE;
  return wl_space_state(fw)->superblock[superblock].valid < fw->kind[0].superblock_lpages ? superblock : WL_NONE;
}

wl_superblock_t wl_superblock_urgent(const struct wl_firmware* fw) {
  if (wl_space_view(fw)->spares.urgent == 0 || wl_superblocks_short(fw)) return WL_NONE;
  wl_superblock_t superblock = 0;
  while (wl_space_view(fw)->superblock[superblock].state != WL_SUPERBLOCK_CLOSED ||
         wl_space_view(fw)->spares.promised[superblock] == WL_NONE)
    ++superblock;
  return superblock;
}
