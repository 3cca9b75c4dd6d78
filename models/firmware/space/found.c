/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/found.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/life.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"

void wl_superblock_found_more(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t lpages) {
  wl_space_state(fw)->superblock[superblock].valid += lpages;
}
void wl_superblock_found_less(struct wl_firmware* fw, wl_superblock_t superblock) {
  --wl_space_state(fw)->superblock[superblock].valid;
}

void wl_superblock_found_bad(struct wl_firmware* fw, wl_superblock_t superblock) {
  wl_space_state(fw)->superblock[superblock].bad = 1;
}

void wl_superblocks_forget(struct wl_firmware* fw) {
  for (wl_superblock_t s = 0; s < wl_space_view(fw)->superblocks; ++s) wl_space_state(fw)->superblock[s].valid = 0;
}

void wl_superblock_found_blank(struct wl_firmware* fw, wl_superblock_t superblock) {
  wl_superblock_free(fw, superblock);
}

/* Without valid data it may be half erased, or hold what was on its way when power failed: it is erased before use. */
void wl_superblock_found_used(struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_superblock* sb = wl_superblock(fw, superblock);
  if (sb->valid != 0)
    wl_superblock_found_closed(fw, superblock, sb->valid, sb->bad != 0);
  else if (sb->bad)
    wl_superblock_retire(fw, superblock);
  else
    wl_superblock_found_stale(fw, superblock);
}

void wl_superblock_found_unfinished(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t stream,
                                    uint32_t units) {
  struct wl_space* s = wl_space_state(fw);
  wl_superblock_found_open(fw, superblock, s->superblock[superblock].valid, units);
  s->open_superblock[stream] = superblock;
}

void wl_superblock_found_filled(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t units) {
  struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  if (sb->state == WL_SUPERBLOCK_CLOSED) sb->units = units;
}

bool wl_superblocks_unknown(const struct wl_firmware* fw) { return wl_space_view(fw)->held.hold == WL_HOLD_MOUNT; }

void wl_superblocks_hold(struct wl_firmware* fw, enum wl_hold hold) {
  wl_space_state(fw)->held.hold = (uint8_t)hold;
  wl_kick(fw, WL_STEP_GC | WL_STEP_PLACE | WL_STEP_ERASE | WL_STEP_MOUNT);
  if (wl_map_cached(fw)) wl_kick(fw, WL_STEP_MAP);
}

void wl_space_host_waits(struct wl_firmware* fw) {
  if (wl_superblocks_sealed(fw)) wl_kick(fw, WL_STEP_MOUNT);
  if (wl_space_view(fw)->held.hold != WL_HOLD_VICTIMS) return;
  wl_space_state(fw)->held.host_waits = true;
  wl_kick(fw, WL_STEP_ADMIN); /* it has reset the controller and writes on: the shutdown is off */
}

void wl_space_gate(struct wl_firmware* fw, bool shut) {
  struct wl_space* s = wl_space_state(fw);
  s->held.host_waits = false;
  s->held.refuses = shut || s->read_only;
  if (!shut) wl_kick_queued(fw, WL_STEP_WRITE | WL_STEP_TRIM);
}

void wl_space_power_fails(struct wl_firmware* fw) {
  wl_space_state(fw)->read_only = wl_space_state(fw)->held.refuses = true;
  if (wl_space_view(fw)->held.hold == WL_HOLD_NONE) wl_superblocks_hold(fw, WL_HOLD_COPIES);
}

void wl_superblocks_all_found(struct wl_firmware* fw, enum wl_hold hold) {
  struct wl_space* s = wl_space_state(fw);
  s->closings.at_boot = s->closings.count;
  wl_superblocks_hold(fw, hold);
}

wl_superblock_t wl_superblock_lay_aside(struct wl_firmware* fw) {
  return wl_superblock_use(fw, &wl_space_state(fw)->region[0], false);
}

wl_superblock_t wl_superblock_lay_by(struct wl_firmware* fw, uint32_t stream) {
  struct wl_space* s = wl_space_state(fw);
  if (s->next_superblock != WL_NONE) wl_superblock_free(fw, s->next_superblock);
  s->next_superblock = WL_NONE;
  const wl_superblock_t superblock = s->open_superblock[stream];
  if (superblock == WL_NONE) return WL_NONE;
  while (s->superblock[superblock].next != WL_NONE) wl_superblock_close(fw, s->superblock[superblock].next);
  s->open_superblock[stream] = WL_NONE;
  return superblock;
}

void wl_superblock_found_again(struct wl_firmware* fw, wl_superblock_t superblock, enum wl_superblock_state state,
                               uint32_t valid, uint32_t units) {
  if (state == WL_SUPERBLOCK_FREE)
    wl_superblock_free(fw, superblock);
  else if (state == WL_SUPERBLOCK_OPEN)
    wl_superblock_found_open(fw, superblock, valid, units);
  else if (state == WL_SUPERBLOCK_RETIRED)
    wl_superblock_retire(fw, superblock);
  else
    wl_superblock_found_closed(fw, superblock, valid, wl_superblock(fw, superblock)->bad != 0);
}
