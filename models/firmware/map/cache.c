/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Frames, pins, and who waits. The map calls it when an entry changes, so it calls nothing of the map.
 */
#include "models/firmware/map/cache.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/core/core.h"
#include "models/firmware/map/cache_state.h"
#include "models/firmware/map/state.h"

#if WL_HAS_LARGE_MAPS

static struct wl_map_cache* cache_of(const struct wl_firmware* fw) { return wl_map_view(fw)->cache; }

struct wl_map_cache_statistics* wl_map_cache_statistics(struct wl_firmware* fw) {
  return &cache_of(fw)->statistics;
}

/* Tags, slots, and the deallocation that is first in line. */
static uint32_t slots(const struct wl_firmware* fw) {
  return fw->boot.write_slots + fw->boot.read_slots + fw->boot.gc_slots;
}
static uint32_t waiters(const struct wl_firmware* fw) { return fw->boot.host_tags + slots(fw) + 1; }
uint32_t wl_map_waiter_of_slot(const struct wl_firmware* fw, wl_slot_t slot) { return fw->boot.host_tags + slot; }
uint32_t wl_map_waiter_of_trim(const struct wl_firmware* fw) { return waiters(fw) - 1; }

void wl_map_cache_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram) {
  if (!wl_map_cached(fw)) return;
  struct wl_map_cache* c = wl_arena_take(tcm, sizeof(*c));
  struct wl_map_cache none = {0};
  struct wl_map_cache* to = tcm->base != NULL ? c : &none; /* else the room is counted only */
  const uint32_t pages = wl_boot_map_pages(&fw->boot), all = waiters(fw);
  const uint32_t units = wl_units_host(fw) + wl_units_gc(fw);
  to->frames = fw->boot.ftl.map_frames;
  to->loads_most = wl_buffer_map_slots(fw, &to->slot0);
  to->wanted_mask = wl_power_of_two(all) - 1;
  to->frame = wl_arena_take(dram, (uint64_t)to->frames * sizeof(to->frame[0]));
  to->frame_of = wl_arena_take(dram, (uint64_t)pages * sizeof(to->frame_of[0]));
  to->last = wl_arena_take(dram, (uint64_t)pages * sizeof(to->last[0]));
  to->next = wl_arena_take(dram, (uint64_t)all * sizeof(to->next[0]));
  to->pin = wl_arena_take(dram, (uint64_t)all * sizeof(to->pin[0]));
  to->wanted = wl_arena_take(dram, ((uint64_t)to->wanted_mask + 1) * sizeof(to->wanted[0]));
  to->loading = wl_arena_take(tcm, (uint64_t)to->loads_most * sizeof(to->loading[0]));
  to->late = wl_arena_take(tcm, (uint64_t)units * sizeof(to->late[0]));
  if (wl_boot_mounts(&fw->boot)) to->mount.closed = wl_arena_take(dram, (uint64_t)fw->boot.blocks * sizeof(uint32_t));
  wl_host_copies_layout(&to->copies, dram, fw->boot.ftl.host_pages, pages);
  wl_map_state(fw)->cache = c;
}

void wl_map_cache_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (!wl_map_cached(fw)) return;
  struct wl_map_cache* c = cache_of(fw);
  WL_ASSERT(hal, wl_maps_by_lpage(fw));
  c->page_shift = 7 + fw->boot.ftl.lpage_shift;
  c->free = c->frames;
  c->ready_first = c->ready_last = c->mount.next = WL_NONE;
  for (uint32_t i = 0; i != c->loads_most; ++i) c->loading[i] = WL_NONE;
  fw->tables.map_cache = wl_bus_address(hal, c);
}

bool wl_map_look(struct wl_firmware* fw, wl_lpn_t lpn) {
  struct wl_map_cache* c = cache_of(fw);
  if (wl_is_map_page(fw, lpn)) return true;
  struct wl_frame* frame = wl_frame_here(c, wl_map_page_of(c, lpn));
  if (frame == NULL) return false;
  frame->used = true;
  return true;
}

void wl_map_hit(struct wl_firmware* fw) { ++cache_of(fw)->statistics.hits; }

void wl_map_pin(struct wl_firmware* fw, wl_lpn_t lpn) {
  struct wl_map_cache* c = cache_of(fw);
  ++wl_frame_here(c, wl_map_page_of(c, lpn))->pins;
}

void wl_map_unpin(struct wl_firmware* fw, wl_lpn_t lpn) {
  struct wl_map_cache* c = cache_of(fw);
  if (--wl_frame_here(c, wl_map_page_of(c, lpn))->pins == 0 && c->wanted_in != c->wanted_out) wl_kick(fw, WL_STEP_MAP);
}

void wl_map_cache_changed(struct wl_firmware* fw, wl_lpn_t lpn) {
  struct wl_map_cache* c = cache_of(fw);
  if (wl_is_map_page(fw, lpn)) return;
  struct wl_frame* frame = wl_frame_here(c, wl_map_page_of(c, lpn));
  if (frame == NULL || !frame->changed) wl_host_copy_changed(&c->copies, wl_map_page_of(c, lpn));
  if (frame == NULL) {
    ++c->statistics.behind;
    return;
  }
  if (!frame->changed && !frame->is_written) --c->clean;
  if (!frame->changed) wl_kick(fw, WL_STEP_MAP); /* too few may be left without changes */
  frame->changed = true;
}

/* ---- waiting ---- */

void wl_map_await(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t waiter, enum wl_map_pin pin) {
  struct wl_map_cache* c = cache_of(fw);
  const uint32_t page = wl_map_page_of(c, lpn);
  ++c->statistics.misses;
  c->pin[waiter] = (uint8_t)pin;
  uint32_t* last = &c->last[page];
  if (*last == 0) {
    c->next[waiter] = waiter;
    if (c->frame_of[page] == 0) {
      c->wanted[c->wanted_in++ & c->wanted_mask] = page;
      wl_kick(fw, WL_STEP_MAP);
    }
  } else {
    c->next[waiter] = c->next[*last - 1];
    c->next[*last - 1] = waiter;
  }
  *last = waiter + 1;
}

static void make_ready(struct wl_firmware* fw, struct wl_frame* frame, uint32_t waiter) {
  struct wl_map_cache* c = cache_of(fw);
  const uint8_t pin = c->pin[waiter];
  const bool pinned = pin == WL_MAP_PINNED || (pin == WL_MAP_PINNED_IF_FEW && c->granted < c->frames / 2);
  c->pin[waiter] = pinned ? WL_MAP_PINNED : WL_MAP_NOT_PINNED;
  if (pinned) ++frame->pins;
  if (pinned && waiter < fw->boot.host_tags) ++c->granted;
  c->next[waiter] = WL_NONE;
  if (c->ready_first == WL_NONE)
    c->ready_first = waiter;
  else
    c->next[c->ready_last] = waiter;
  c->ready_last = waiter;
}

void wl_map_page_came(struct wl_firmware* fw, uint32_t page) {
  struct wl_map_cache* c = cache_of(fw);
  struct wl_frame* frame = &c->frame[c->frame_of[page] - 1];
  frame->state = WL_FRAME_HERE;
  frame->used = true;
  ++c->clean;
  if (c->last[page] == 0) return;
  const uint32_t last = c->last[page] - 1;
  uint32_t waiter = c->next[last];
  c->last[page] = 0;
  for (;;) {
    const uint32_t next = c->next[waiter];
    make_ready(fw, frame, waiter);
    if (waiter == last) break;
    waiter = next;
  }
  wl_kick(fw, WL_STEP_MAP);
}

bool wl_map_take_ready(struct wl_firmware* fw, struct wl_map_ready* ready) {
  struct wl_map_cache* c = cache_of(fw);
  if (c->ready_first == WL_NONE) return false;
  ready->waiter = c->ready_first;
  ready->pinned = c->pin[ready->waiter] == WL_MAP_PINNED;
  c->ready_first = c->next[ready->waiter];
  return true;
}

void wl_map_grant_ends(struct wl_firmware* fw, wl_lpn_t lpn) {
  --cache_of(fw)->granted;
  wl_map_unpin(fw, lpn);
}

struct wl_map_late* wl_map_late(struct wl_firmware* fw, wl_unit_t unit) {
  return &cache_of(fw)->late[unit];
}

#endif
