/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/reloc/move_pace.h"

#include "models/firmware/engines/engines.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/reloc/state.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/upkeep.h"

bool wl_mover_one_by_one(const struct wl_firmware* fw) {
  return wl_reloc_view(fw)->reason != WL_MOVE_GC || wl_upkeep_waits(fw);
}

__attribute__((noinline, cold)) bool wl_mover_may_copy_for(struct wl_firmware* fw) {
  const struct wl_reloc* r = wl_reloc_view(fw);
  /* Rows that lack a die are not protected: nothing but GC, and programs of the host, is in the way of their data. */
  if (wl_has_parity(fw) && r->reason == WL_MOVE_REBUILD) return true;
  if (!wl_has_upkeep(fw)) return wl_pace_copies(fw);
  if (!wl_mover_one_by_one(fw)) return wl_pace_copies(fw);
  if (wl_word_lines_shared(fw) || wl_superblocks_short(fw)) return true;
  const bool waits = wl_has_engines(fw, WL_ENGINES_COLLECT) ? r->filling != 0 : r->slow_unit != WL_NONE;
  if (!waits) return true;
  return (r->reason == WL_MOVE_GC || fw->policy->collect(fw)) && wl_pace_copies(fw);
}
