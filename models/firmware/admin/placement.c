/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The room reported for a handle is less what waits in the write buffer, which will be in its reclaim unit. Known gap:
 * a unit of the buffer that is not placed when its handle is updated goes to the new reclaim unit.
 */
#include "models/firmware/admin/placement.h"

#include "models/firmware/admin/page.h"
#include "models/firmware/buffer/buffer.h"
#include "models/firmware/host/host.h"
#include "models/firmware/space/handles.h"
#include "models/firmware/space/space.h"

enum { HOST_BYTES = 0, MEDIA_BYTES = 16, ERASED_BYTES = 32 }; /* bytes of the log: 128 bits each */
#define WORD 4u
#define LBA_BYTES 512u

static void put_bytes(uint8_t* page, uint32_t at, uint64_t bytes) {
  wl_page_put(page, at, WORD, (uint32_t)bytes);
  wl_page_put(page, at + WORD, WORD, (uint32_t)(bytes >> 32u));
}

void wl_placement_log(const struct wl_firmware* fw, uint8_t* page) {
  const struct wl_firmware_statistics* s = &fw->statistics;
  const uint32_t lpage_bytes = LBA_BYTES << fw->boot.ftl.lpage_shift;
  wl_page_clear(page, WL_LOG_BYTES);
  put_bytes(page, HOST_BYTES, s->host_lpages_written * lpage_bytes - s->host_lbas_missing * (uint64_t)LBA_BYTES);
  put_bytes(page, MEDIA_BYTES, (s->lpages_programmed + s->failed_lpages + s->programs.repeated_lpages) * lpage_bytes);
  put_bytes(page, ERASED_BYTES, s->erased_lpages * lpage_bytes);
}

/* Of a handle, in the write buffer without a place. */
static uint32_t buffered(const struct wl_firmware* fw, uint32_t stream) {
  uint32_t lpages = 0;
  for (wl_unit_t u = 0; u != wl_units_host(fw); ++u) {
    const struct wl_unit* unit = wl_unit(fw, u);
    const bool waits = unit->state == WL_UNIT_OPEN || unit->state == WL_UNIT_CLOSING || unit->state == WL_UNIT_READY;
    if (waits && unit->stream == stream) lpages += unit->filled;
  }
  return lpages;
}

uint32_t wl_placement_status(const struct wl_firmware* fw, uint8_t* page) {
  wl_page_clear(page, WL_LOG_BYTES);
  for (uint32_t handle = 0; handle != fw->boot.ftl.placement.handles; ++handle) {
    uint32_t room = wl_handle_room(fw, handle);
    const uint32_t held = buffered(fw, WL_STREAM_HOST + handle);
    while (room < held) room += fw->kind[0].superblock_lpages; /* the next one is begun */
    wl_page_put(page, handle * WORD, WORD, (room - held) << fw->boot.ftl.lpage_shift);
  }
  return fw->boot.ftl.placement.handles * WORD;
}

void wl_placement_update(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t handles) {
  for (uint32_t handle = 0; handle != fw->boot.ftl.placement.handles; ++handle) {
    if ((handles >> handle & 1u) == 0) continue;
    const uint32_t rest = wl_handle_update(fw, handle);
    if (rest != 0) wl_host_placement_event(fw, hal, WL_PLACEMENT_NOT_FULL, handle, rest);
  }
}
