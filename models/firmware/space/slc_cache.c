/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/slc_cache.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/state.h"

/* Where it is static GC begins with as many more free as it may still open. */
static void keep(struct wl_firmware* fw, bool one_more) {
  struct wl_space* s = wl_space_state(fw);
  if (fw->boot.ftl.slc_cache.kept == 0) return;
  if (one_more)
    ++s->region[0].start_superblocks;
  else
    --s->region[0].start_superblocks;
}

void wl_slc_cache_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (!wl_has_slc_cache(fw)) return;
  struct wl_space* s = wl_space_state(fw);
  s->slc_cache.units = fw->kind[0];
  s->slc_cache.units.unit_lpages /= fw->geometry.unit_pages;
  if (fw->boot.ftl.slc_cache.kept != 0) s->region[0].start_superblocks += fw->boot.ftl.slc_cache.superblocks;
  fw->tables.slc_cache = wl_bus_address(hal, wl_slc_cache_statistics(fw));
}

__attribute__((noinline, cold)) uint32_t wl_slc_cache_may_open(const struct wl_firmware* fw) {
  const struct wl_slc_cache_rules* rules = &fw->boot.ftl.slc_cache;
  const uint32_t in_use = wl_space_view(fw)->slc_cache.superblocks;
  const uint32_t left = in_use < rules->superblocks ? rules->superblocks - in_use : 0;
  /* Those that are kept for it may be taken down to the reserve, others while there are more than GC begins with. */
  const uint32_t stay = rules->kept != 0 ? wl_superblocks_reserve(fw) : wl_superblocks_start(fw) + 1;
  const uint32_t free = wl_superblocks_free(fw);
  const uint32_t room = free > stay ? free - stay : 0;
  return left < room ? left : room;
}

__attribute__((noinline, cold)) bool wl_slc_cache_takes(const struct wl_firmware* fw) {
  const struct wl_space* s = wl_space_view(fw);
  const uint32_t units = fw->kind[0].superblock_units;
  const wl_superblock_t open = wl_superblock_opened(fw, s->plan.slc_stream);
  const uint32_t rest = open != WL_NONE ? units - wl_superblock(fw, open)->units : 0;
  return s->slc_cache.promised < rest + wl_slc_cache_may_open(fw) * units;
}

void wl_slc_cache_promises(struct wl_firmware* fw) { ++wl_space_state(fw)->slc_cache.promised; }
void wl_slc_cache_gives_up(struct wl_firmware* fw) { --wl_space_state(fw)->slc_cache.promised; }

__attribute__((noinline, cold)) void wl_slc_cache_opened(struct wl_firmware* fw, wl_superblock_t superblock) {
  wl_space_state(fw)->superblock[superblock].slc_mode = 1;
  ++wl_space_state(fw)->slc_cache.superblocks;
  keep(fw, false);
  ++wl_slc_cache_statistics(fw)->opened_superblocks;
}

__attribute__((noinline, cold)) void wl_slc_cache_left(struct wl_firmware* fw, wl_superblock_t superblock) {
  if (wl_superblock(fw, superblock)->slc_mode == 0) return;
  wl_space_state(fw)->superblock[superblock].slc_mode = 0;
  keep(fw, true);
  --wl_space_state(fw)->slc_cache.superblocks;
}

/* Looked for when superblocks have been closed since the last look: each that is opened has GC look. */
static wl_superblock_t empty(struct wl_firmware* fw) {
  struct wl_slc_cache* cache = &wl_space_state(fw)->slc_cache;
  if (cache->looked_at == wl_space_view(fw)->closings.count) return WL_NONE;
  for (wl_superblock_t s = 0; s != wl_superblocks(fw); ++s) {
    const struct wl_superblock* sb = wl_superblock(fw, s);
    if (sb->slc_mode != 0 && sb->state == WL_SUPERBLOCK_CLOSED && sb->valid == 0) return s;
  }
  cache->looked_at = wl_space_view(fw)->closings.count;
  return WL_NONE;
}

__attribute__((noinline, cold)) wl_superblock_t wl_slc_cache_victim(struct wl_firmware* fw) {
  const wl_superblock_t done = empty(fw);
  if (done != WL_NONE) return done;
  if (!wl_host_silent(fw) || wl_space_read_only(fw) || wl_superblocks_short(fw)) return WL_NONE;
  wl_superblock_t found = WL_NONE;
  for (wl_superblock_t s = 0; s != wl_superblocks(fw); ++s) {
    const struct wl_superblock* sb = wl_superblock(fw, s);
    if (sb->slc_mode == 0 || sb->state != WL_SUPERBLOCK_CLOSED) continue;
    if (found == WL_NONE || wl_superblock_age(fw, s) > wl_superblock_age(fw, found)) found = s;
  }
  return found;
}
