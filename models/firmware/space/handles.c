/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/handles.h"

#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"

uint32_t wl_handle_room(const struct wl_firmware* fw, uint32_t handle) {
  const wl_superblock_t superblock = wl_superblock_opened(fw, WL_STREAM_HOST + handle);
  return superblock == WL_NONE ? fw->kind[0].superblock_lpages : wl_superblock_rest(fw, superblock);
}

uint32_t wl_handle_update(struct wl_firmware* fw, uint32_t handle) {
  const wl_superblock_t superblock = wl_superblock_opened(fw, WL_STREAM_HOST + handle);
  if (superblock == WL_NONE || wl_superblock(fw, superblock)->units == 0) return 0;
  const uint32_t rest = wl_superblock_rest(fw, superblock);
  wl_superblock_close(fw, superblock);
  return rest;
}
