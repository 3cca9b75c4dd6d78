/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/found.h"
#include "models/firmware/space/life.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"

struct wl_region* wl_region_of(struct wl_firmware* fw, wl_superblock_t superblock) {
  return &wl_space_state(fw)->region[superblock >= fw->kind[1].first_superblock];
}

bool wl_superblocks_resting(const struct wl_firmware* fw) { return wl_space_view(fw)->held.hold != WL_HOLD_NONE; }
bool wl_superblocks_held(const struct wl_firmware* fw) { return wl_space_view(fw)->held.hold >= WL_HOLD_COPIES; }
bool wl_superblocks_sealed(const struct wl_firmware* fw) { return wl_space_view(fw)->held.hold == WL_HOLD_SEALED; }
const struct wl_space_plan* wl_plan(const struct wl_firmware* fw) { return &wl_space_view(fw)->plan; }

uint32_t wl_superblocks(const struct wl_firmware* fw) { return wl_space_view(fw)->superblocks; }
const struct wl_superblock* wl_superblock(const struct wl_firmware* fw, wl_superblock_t superblock) {
  return &wl_space_view(fw)->superblock[superblock];
}

uint32_t wl_superblocks_free(const struct wl_firmware* fw) { return wl_space_view(fw)->region[0].free_superblocks; }

uint32_t wl_superblocks_erasing(const struct wl_firmware* fw) {
  return wl_space_view(fw)->region[0].erasing_superblocks;
}

uint32_t wl_superblocks_draining(const struct wl_firmware* fw) { return wl_space_view(fw)->region[0].leaving.draining; }

uint32_t wl_superblocks_reserve(const struct wl_firmware* fw) {
  return wl_space_view(fw)->region[0].reserve_superblocks;
}

uint32_t wl_superblocks_start(const struct wl_firmware* fw) { return wl_space_view(fw)->region[0].start_superblocks; }

bool wl_superblock_draining(const struct wl_firmware* fw, wl_superblock_t superblock) {
  return wl_space_view(fw)->superblock[superblock].state == WL_SUPERBLOCK_DRAINING;
}

bool wl_stream_is_small(const struct wl_firmware* fw, uint32_t stream) {
  return stream != WL_STREAM_HOST && stream == wl_space_view(fw)->plan.small_stream;
}

const struct wl_page_kind* wl_kind_of_stream(const struct wl_firmware* fw, uint32_t stream) {
  const struct wl_space* s = wl_space_view(fw);
  if (stream != WL_STREAM_HOST && stream == s->plan.slc_stream) return &s->slc_cache.units;
  return &fw->kind[wl_stream_is_small(fw, stream)];
}

wl_superblock_t wl_superblock_opened(const struct wl_firmware* fw, uint32_t stream) {
  return wl_space_view(fw)->open_superblock[stream];
}

uint32_t wl_superblock_age(const struct wl_firmware* fw, wl_superblock_t superblock) {
  const uint32_t age = wl_space_view(fw)->closings.count - wl_space_view(fw)->superblock[superblock].closed_at;
  const uint32_t most = wl_space_view(fw)->closings.count - wl_space_view(fw)->closings.at_boot;
  return age < most ? age : most;
}

uint32_t wl_superblocks_taken(const struct wl_firmware* fw) { return wl_space_view(fw)->taken; }
struct wl_spare_capacity wl_space_spare(const struct wl_firmware* fw) {
  const uint32_t blocks = fw->boot.dies * fw->boot.planes; /* of a superblock */
  struct wl_spare_capacity spare = {fw->boot.replacement.spares * blocks, 0};
  spare.left = spare.blocks - fw->statistics.blocks.spares_in_use;
  for (uint32_t i = 0; i != WL_REGIONS; ++i) {
    const struct wl_region* r = &wl_space_view(fw)->region[i];
    const uint32_t beyond = fw->kind[i].superblocks - r->needed_superblocks;
    spare.blocks += beyond * blocks;
    if (r->retired_superblocks < beyond) spare.left += (beyond - r->retired_superblocks) * blocks;
  }
  return spare;
}
bool wl_space_read_only(const struct wl_firmware* fw) { return wl_space_view(fw)->read_only; }
bool wl_space_refuses(const struct wl_firmware* fw) { return wl_space_view(fw)->held.refuses; }
bool wl_space_host_is_stuck(const struct wl_firmware* fw) { return wl_space_view(fw)->held.host_waits; }
bool wl_space_stopped(const struct wl_firmware* fw) { return wl_space_view(fw)->stopped; }
void wl_space_starve(struct wl_firmware* fw) { wl_space_state(fw)->starved = true; }
bool wl_small_superblocks_short(const struct wl_firmware* fw) {
  const struct wl_region* r = &wl_space_view(fw)->region[1];
  return wl_has_small_pages(fw) && r->free_superblocks == 0 && r->erasing_superblocks == 0;
}

bool wl_small_superblocks_wanted(const struct wl_firmware* fw) {
  const struct wl_region* r = &wl_space_view(fw)->region[1];
  return r->free_superblocks + r->erasing_superblocks + r->leaving.draining <= r->start_superblocks;
}

bool wl_small_superblocks_wait(const struct wl_firmware* fw) { return wl_space_view(fw)->small_waits; }
void wl_small_superblocks_await(struct wl_firmware* fw) { wl_space_state(fw)->small_waits = true; }
void wl_small_superblocks_go_on(struct wl_firmware* fw) {
  if (!wl_space_state(fw)->small_waits) return;
  wl_space_state(fw)->small_waits = false;
  wl_kick(fw, WL_STEP_GC);
}

bool wl_superblocks_wait_for_classes(const struct wl_firmware* fw) {
  return wl_space_view(fw)->plan.move_streams > 1 && wl_superblocks_free(fw) == 0 && wl_superblocks_draining(fw) != 0;
}

uint32_t wl_superblocks_move_rest(const struct wl_firmware* fw) {
  uint32_t rest = 0;
  for (uint32_t s = WL_STREAM_GC; s - WL_STREAM_GC != wl_space_view(fw)->plan.move_streams; ++s)
    rest += wl_superblocks_rest(fw, s);
  return rest;
}

uint32_t wl_superblocks_host_rest(const struct wl_firmware* fw) {
  uint32_t least = wl_superblock_rest(fw, wl_superblock_opened(fw, WL_STREAM_HOST));
  for (uint32_t s = WL_STREAM_HOST + 1; s < wl_space_view(fw)->plan.host_streams; ++s) {
    if (wl_stream_is_apart(fw, s)) continue;
    const uint32_t rest = wl_superblock_rest(fw, wl_superblock_opened(fw, s));
    if (least == 0 || (rest != 0 && rest < least)) least = rest;
  }
  return least;
}

bool wl_superblocks_can_win(const struct wl_firmware* fw) {
  uint32_t open = 0;
  for (uint32_t s = WL_STREAM_GC; s - WL_STREAM_GC != wl_space_view(fw)->plan.move_streams; ++s)
    open += wl_superblocks_opened(fw, s);
  return wl_space_view(fw)->region[0].stale_lpages + wl_superblocks_move_rest(fw) >=
         (int64_t)(open > 1 ? open : 1) * fw->kind[0].superblock_lpages;
}

void wl_superblocks_silence_boot(struct wl_firmware* fw) {
  wl_space_state(fw)->silence.victims = wl_space_state(fw)->superblocks; /* a state may come with as much to collect */
}

void wl_superblocks_fall_silent(struct wl_firmware* fw) {
  if (wl_space_state(fw)->region[0].stale_lpages > wl_space_state(fw)->silence.stale)
    wl_space_state(fw)->silence.victims = wl_space_state(fw)->superblocks;
}

void wl_superblocks_silence_ends(struct wl_firmware* fw) {
  wl_space_state(fw)->silence.stale = wl_space_state(fw)->region[0].stale_lpages;
}

bool wl_superblocks_silence_spent(const struct wl_firmware* fw) { return wl_space_view(fw)->silence.victims == 0; }
void wl_superblocks_spend_silence(struct wl_firmware* fw) {
  if (wl_space_state(fw)->silence.victims != 0) --wl_space_state(fw)->silence.victims;
}

bool wl_superblock_prepared(const struct wl_firmware* fw) { return wl_space_view(fw)->next_superblock != WL_NONE; }

uint8_t wl_handle_of_stream(const struct wl_firmware* fw, uint32_t stream) {
  const struct wl_space_plan* plan = &wl_space_view(fw)->plan;
  const bool shared = wl_stream_moves(stream) && plan->apart && !plan->moves_apart;
  return (uint8_t)(shared ? WL_HANDLE_SHARED : wl_stream_class(stream));
}
