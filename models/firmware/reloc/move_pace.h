/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How fast the victim of the mover is copied: GC at the pace of the host's writes, which pay for it; all else one
 * program unit at a time.
 */
#ifndef WORDLINE_FIRMWARE_RELOC_MOVE_PACE_H
#define WORDLINE_FIRMWARE_RELOC_MOVE_PACE_H

#include <stdbool.h>

#include "models/firmware/context.h"
#include "models/firmware/space/pace.h"

/* Whether copies may be taken up now. False: what they wait for kicks. Where data are moved for room alone it is one
 * test: it stands in the path of each run of copies. */
WL_MUST_CHECK bool wl_mover_may_copy_for(struct wl_firmware* fw); /* ... for any reason */
WL_MUST_CHECK static inline bool wl_mover_may_copy(struct wl_firmware* fw) {
  return __builtin_expect(wl_has_upkeep(fw) || wl_has_parity(fw), 0) ? wl_mover_may_copy_for(fw) : wl_pace_copies(fw);
}
/* Each unit waits for the one before: the victim is no one of GC, or another one waits behind it. */
bool wl_mover_one_by_one(const struct wl_firmware* fw);

#endif
