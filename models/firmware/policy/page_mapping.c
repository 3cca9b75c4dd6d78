/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/policy/page_mapping.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"

/* Not inlined: it is rare, and long with what it calls. */
__attribute__((noinline)) wl_superblock_t wl_page_open(struct wl_firmware* fw, uint32_t stream) {
  const bool host = !wl_stream_moves(stream);
  if (host && wl_superblocks_short(fw) && !wl_superblock_prepared(fw))
    return wl_superblock_of_another_class(fw, stream);
  const uint32_t opened = wl_superblock_open(fw, stream);
  if (opened != WL_NONE || host) return opened;
  const uint32_t other = wl_superblock_of_another_class(fw, stream);
  if (other != WL_NONE) return other;
  return wl_superblock_take_over(fw, stream) ? wl_superblock_opened(fw, stream) : WL_NONE;
}

wl_superblock_t wl_page_superblock(struct wl_firmware* fw, uint32_t stream) {
  if (!wl_stream_moves(stream) && !wl_pace_places(fw)) return WL_NONE;
  const wl_superblock_t superblock = wl_superblock_opened(fw, stream);
  return superblock != WL_NONE ? superblock : wl_page_open(fw, stream);
}

bool wl_page_place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  at->superblock = wl_page_superblock(fw, stream);
  at->unit = WL_NEXT_UNIT;
  at->control = 0;
  return at->superblock != WL_NONE;
}

bool wl_page_collect(const struct wl_firmware* fw) {
  if (wl_host_silent(fw) && wl_superblocks_silence_spent(fw)) return false;
  return wl_page_short(fw);
}

bool wl_page_short(const struct wl_firmware* fw) {
  const uint32_t free = wl_superblocks_free(fw) + wl_superblocks_erasing(fw) + wl_superblocks_draining(fw);
  return free <= wl_superblocks_start(fw) || (wl_host_silent(fw) && free < fw->boot.ftl.idle_free_superblocks);
}

bool wl_page_collect_classes(const struct wl_firmware* fw) {
  if (wl_superblocks_short(fw) && wl_superblocks_draining(fw) != 0) return false;
  return wl_page_collect(fw);
}

bool wl_page_idle(struct wl_firmware* fw, const struct wl_hal* hal) {
  (void)hal;
  if (wl_page_collect(fw)) wl_kick(fw, WL_STEP_GC);
  return false; /* GC goes on by itself */
}
