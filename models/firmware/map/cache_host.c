/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/map/cache_host.h"

#include "models/firmware/core/core.h"
#include "models/firmware/host/host.h"
#include "models/firmware/map/state.h"

#if WL_HAS_LARGE_MAPS

static struct wl_map_cache* cache_of(const struct wl_firmware* fw) { return wl_map_view(fw)->cache; }

static void move(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t op, uint32_t page, uint32_t host_page) {
  const uint32_t first = page << cache_of(fw)->page_shift;
  const uint32_t left = fw->boot.user_lpages - first, most = wl_boot_map_entries(&fw->boot);
  struct wl_host_job job = {0};
  job.op = (uint8_t)op;
  job.tag = WL_NO_TAG;
  job.count = (uint16_t)(left < most ? left : most);
  job.slot = (wl_slot_t)host_page;
  job.lpage = wl_dram_address(hal, &wl_map_view(fw)->l2p[first]);
  FW_TASK(hal, WL_COST_FTL_GC_RUN);
  wl_host_reply(fw, hal, &job);
}

bool wl_map_fetch_waits(struct wl_firmware* fw, uint32_t page) {
  struct wl_host_copies* h = &cache_of(fw)->copies;
  return h->moves == WL_HOST_BUFFER_MOVES && wl_host_copy_find(h, page) != WL_NONE;
}

bool wl_map_fetch(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page) {
  struct wl_map_cache* c = cache_of(fw);
  const uint32_t host_page = wl_host_copy_find(&c->copies, page);
  if (host_page == WL_NONE) return false;
  ++c->fetches;
  wl_host_copy_fetch(&c->copies, host_page);
  move(fw, hal, WL_JOB_FETCH_COPY, page, host_page);
  return true;
}

void wl_map_store(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_frame* frame) {
  struct wl_map_cache* c = cache_of(fw);
  if (c->copies.count == 0 || c->copies.moves >= WL_HOST_BUFFER_MOVES / 2) return; /* fetches go before */
  const uint32_t host_page = wl_host_copy_place(&c->copies, frame->page);
  if (host_page == WL_NONE) return;
  ++frame->pins; /* until the controller has read it */
  move(fw, hal, WL_JOB_STORE_COPY, frame->page, host_page);
}

/* `failed`: it is not what was stored. Else it may have been given up meanwhile. */
static void fetched(struct wl_firmware* fw, uint32_t page, bool right, bool failed) {
  struct wl_map_cache* c = cache_of(fw);
  --c->fetches;
  if (right) {
    ++c->statistics.fetched;
    wl_map_page_came(fw, page);
    return;
  }
  if (failed) ++c->statistics.spoiled;
  c->wanted[c->wanted_in++ & c->wanted_mask] = page; /* from flash, into the frame that it has */
}

void wl_map_copy_moved(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t host_page, uint32_t flags) {
  struct wl_map_cache* c = cache_of(fw);
  const struct wl_host_copy copy = c->copies.copy[host_page];
  WL_ASSERT(hal, copy.state == WL_COPY_STORES || copy.state == WL_COPY_FETCHES);
  /* An old copy would have been taken for the new one. */
  WL_ASSERT(hal, (flags & WL_EVENT_DIFFERS) == 0 || !wl_host_copy_is_current(&c->copies, host_page));
  FW_TASK(hal, WL_COST_FTL_READ_DONE);
  const bool right = wl_host_copy_moved(&c->copies, host_page, (flags & (WL_EVENT_FAILED | WL_EVENT_DIFFERS)) == 0);
  if (copy.state == WL_COPY_FETCHES) {
    fetched(fw, copy.page, right, (flags & WL_EVENT_FAILED) != 0);
  } else {
    if (right) ++c->statistics.stored;
    --wl_frame_here(c, copy.page)->pins;
  }
  wl_kick(fw, WL_STEP_MAP);
  if (c->copies.moves == 0) wl_kick(fw, WL_STEP_ADMIN); /* the host may wait to have its memory back */
}

void wl_map_host_buffer(struct wl_firmware* fw, uint32_t host_pages) {
  wl_host_copies_given(&cache_of(fw)->copies, host_pages);
}

bool wl_map_host_buffer_rests(const struct wl_firmware* fw) { return cache_of(fw)->copies.moves == 0; }

#endif
