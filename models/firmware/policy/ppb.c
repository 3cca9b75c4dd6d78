/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Progressive performance boosting: data that are read often lie in the pages that are read fast. Source: Chen et al.,
 * "Boosting the Performance of 3D Charge Trap NAND Flash with Asymmetric Feature Process Size Characteristic", DAC
 * 2017; docs/ppb.md has what it leaves open, what it contradicts, and what is done here.
 *
 * A superblock is cut into virtual blocks, h-layers that lie together: the first is the slowest, since holes narrow
 * from the top layer to the bottom one and a block is written from its top. It belongs to the hot or the cold area.
 * Slow pages take hot or icy-cold data, fast ones iron-hot or cold data, and since the slow ones come first a
 * superblock is opened for the former and handed over to the latter when its first virtual block is full. Data go to
 * the pages of their level when they are written or collected; nothing is copied for the level's sake. GC is
 * that of page_greedy.
 *
 * The host's data and moved data have superblocks of their own, as everywhere here: the host must not use up what the
 * GC needs to go on.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/policy/keys.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/policy/ppb_classes.h"
#include "models/firmware/policy/state.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"

static const struct wl_ppb* state_of(const struct wl_firmware* fw) { return wl_policies_view(fw)->ppb; }

static uint32_t units_of(const struct wl_boot_info* boot) {
  const uint32_t unit = wl_boot_map_unit(boot);
  return (boot->user_lpages + unit - 1) / unit;
}

/* A bit for each superblock, whole words of them; none without the key. */
static uint64_t bytes_of_cuts(const struct wl_boot_info* boot) {
  return wl_policy_keys(boot)->ppb.two_above_permille == 1000 ? 0
                                                              : ((uint64_t)boot->blocks + 31) / 32 * sizeof(uint32_t);
}

uint64_t wl_ppb_bytes(const struct wl_boot_info* boot) {
  return bytes_of_cuts(boot) + wl_ppb_table_bytes(units_of(boot), &wl_policy_keys(boot)->ppb);
}

/* Of an area: those whose first virtual block is full, beside the one that follows; see open_superblock. */
static uint32_t most_fast_superblocks(const struct wl_boot_info* boot) {
  return wl_policy_keys(boot)->ppb.half_full_blocks == 0 ? 1 : wl_policy_keys(boot)->ppb.half_full_blocks;
}

uint32_t wl_ppb_more_superblocks(const struct wl_boot_info* boot) {
  return WL_PPB_LEVELS * (most_fast_superblocks(boot) - 1); /* two areas of the host, two of moved data */
}

/* Units of a superblock up to the end of virtual block `v` of so many. */
static uint32_t end_of(const struct wl_firmware* fw, uint32_t v, uint32_t virtual_blocks) {
  const uint32_t pages = (v + 1) * fw->boot.layers.count / virtual_blocks * fw->boot.layers.pages;
  return pages / fw->geometry.unit_pages * fw->geometry.dies;
}

void wl_ppb_begin(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_ppb* s, void* table) {
  wl_policies_state(fw)->ppb = s;
  const struct wl_boot_info* b = &fw->boot;
  const struct wl_ppb_rules* rules = &wl_policy_keys(b)->ppb;
  WL_ASSERT(hal, rules->virtual_blocks >= 2 && rules->virtual_blocks <= WL_PPB_VIRTUAL_BLOCKS);
  WL_ASSERT(hal, b->layers.count >= rules->virtual_blocks && b->layers.count * b->layers.pages == b->pages);
  for (uint32_t v = 0; v != rules->virtual_blocks; ++v) s->end[v] = end_of(fw, v, rules->virtual_blocks);
  for (uint32_t v = 0; v != 2; ++v) s->end_of_two[v] = end_of(fw, v, 2);
  s->in_two = bytes_of_cuts(b) == 0 ? NULL : table;
  wl_ppb_levels_begin(&s->levels, (uint8_t*)table + bytes_of_cuts(b), units_of(b), rules);
}

/* ---- how hot data are ---- */

static uint32_t unit_of(const struct wl_firmware* fw, wl_lpn_t lpn) { return wl_map_unit_with(fw, lpn); }

/* The first stage: requests are small that write what is often updated (section 3.1, the size check). */
static bool is_hot(const struct wl_firmware* fw, uint32_t lpages) {
  return lpages <= wl_policy_keys(&fw->boot)->ppb.hot_lpages;
}

uint32_t wl_ppb_class_of_write(const struct wl_firmware* fw, wl_lpn_t lpn, uint32_t lpages, uint32_t flags) {
  (void)flags;
  return wl_ppb_level_of_write(&state_of(fw)->levels, unit_of(fw, lpn), is_hot(fw, lpages));
}

uint32_t wl_ppb_class_of_move(const struct wl_firmware* fw, wl_lpn_t lpn, wl_ppa_t ppa) {
  (void)ppa;
  return wl_ppb_level_of(&state_of(fw)->levels, unit_of(fw, lpn));
}

/* ---- virtual blocks ---- */

static const uint32_t* ends_of(const struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_ppb* s = state_of(fw);
  const bool in_two = s->in_two != NULL && (s->in_two[superblock / 8] >> superblock % 8 & 1u) != 0;
  return in_two ? s->end_of_two : s->end;
}

/* The one that the open superblock goes on in. */
static uint32_t virtual_block(const struct wl_firmware* fw, wl_superblock_t superblock) {
  const uint32_t* end = ends_of(fw, superblock);
  uint32_t v = 0;
  while (wl_superblock(fw, superblock)->units >= end[v]) ++v;
  return v;
}

uint32_t wl_ppb_end(const struct wl_firmware* fw, wl_superblock_t superblock) {
  return ends_of(fw, superblock)[virtual_block(fw, superblock)];
}

/* What the drive holds, not what is free: GC begins when few superblocks are free, however little is valid. Counted
 * once for each superblock that is opened. */
static bool holds_much(const struct wl_firmware* fw) {
  uint64_t valid = 0;
  for (uint32_t i = 0; i != fw->boot.blocks; ++i) valid += wl_superblock(fw, i)->valid;
  const uint64_t all = (uint64_t)fw->boot.blocks * fw->geometry.superblock_lpages;
  return valid * 1000 >= all * wl_policy_keys(&fw->boot)->ppb.two_above_permille;
}

/* How many virtual blocks a superblock has is decided when it is opened. */
static void cut(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_ppb* s = wl_policies_state(fw)->ppb;
  if (s->in_two == NULL || wl_superblock(fw, superblock)->units != 0) return;
  const uint32_t bit = 1u << superblock % 8;
  if (holds_much(fw))
    s->in_two[superblock / 8] |= (uint8_t)bit;
  else
    s->in_two[superblock / 8] &= (uint8_t)~bit;
}

static uint32_t slow_stream(uint32_t stream) { return stream & ~WL_PPB_FAST; }
static uint32_t fast_stream(uint32_t stream) { return stream | WL_PPB_FAST; }

/* The oldest superblock of the stream's area for fast pages, which is the farthest; WL_NONE: it is full, and none has
 * followed. */
static uint32_t fast_superblock(struct wl_firmware* fw, uint32_t stream) {
  const uint32_t slow = wl_superblock_opened(fw, slow_stream(stream));
  if (slow != WL_NONE && virtual_block(fw, slow) != 0 &&
      wl_superblocks_opened(fw, fast_stream(stream)) < most_fast_superblocks(&fw->boot))
    wl_superblock_hand_over(fw, slow_stream(stream), fast_stream(stream));
  return wl_superblock_opened(fw, fast_stream(stream));
}

/* Of `superblock` and those that its stream got after it, the one that goes on in the slowest pages, the older among
 * equals.
 */
static uint32_t slowest(const struct wl_firmware* fw, wl_superblock_t superblock) {
  uint32_t found = superblock;
  for (; superblock != WL_NONE; superblock = wl_superblock_opened_after(fw, superblock))
    if (wl_ppb_end(fw, superblock) < wl_ppb_end(fw, found)) found = superblock;
  return found;
}

static bool may_open(const struct wl_firmware* fw, uint32_t stream) {
  return wl_stream_moves(stream) ? wl_superblocks_free(fw) != 0
                                 : !wl_superblocks_short(fw) || wl_superblock_prepared(fw);
}

/* Superblock that is open for the stream's area, the best of them; WL_NONE: a new one is to be opened. */
static uint32_t open_superblock(struct wl_firmware* fw, uint32_t stream) {
  const uint32_t first = fast_superblock(fw, stream);
  const uint32_t slow = wl_superblock_opened(fw, slow_stream(stream));
  if (first == WL_NONE) return slow;
  if (stream == fast_stream(stream)) return first;
  const uint32_t fast = slowest(fw, first);
  /* The guard: a new one only if no other is half full, or so many as are allowed. With one more, which was not handed
   * over, slow data take fast pages. */
  if (slow == WL_NONE)
    return wl_policy_keys(&fw->boot)->ppb.half_full_blocks != 0 && may_open(fw, stream) ? WL_NONE : fast;
  return wl_ppb_end(fw, slow) < wl_ppb_end(fw, fast) ? slow : fast;
}

wl_superblock_t wl_ppb_superblock(struct wl_firmware* fw, uint32_t stream) {
  if (!wl_stream_moves(stream) && !wl_pace_places(fw)) return WL_NONE;
  wl_superblock_t superblock = open_superblock(fw, stream);
  if (superblock != WL_NONE) return superblock;
  superblock = wl_page_open(fw, slow_stream(stream));
  if (superblock != WL_NONE) cut(fw, superblock);
  return superblock;
}

bool wl_ppb_place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  at->superblock = wl_ppb_superblock(fw, stream);
  at->unit = WL_NEXT_UNIT;
  at->control = 0;
  return at->superblock != WL_NONE;
}

/* ---- notices ---- */

void wl_ppb_on_write(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, uint32_t lpages) {
  struct wl_ppb* s = wl_policies_state(fw)->ppb;
  const bool hot = is_hot(fw, lpages);
  const uint32_t last = unit_of(fw, lpn + count - 1);
  for (uint32_t unit = unit_of(fw, lpn); unit <= last; ++unit) {
    wl_ppb_written(&s->levels, unit, hot);
    if (wl_ppb_level_of(&s->levels, unit) == WL_PPB_IRON_HOT &&
        fast_superblock(fw, WL_STREAM_HOST + WL_PPB_HOT) == WL_NONE)
      wl_ppb_demote(&s->levels);
  }
}

void wl_ppb_on_read(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, wl_ppa_t from) {
  (void)from;
  struct wl_ppb* s = wl_policies_state(fw)->ppb;
  const uint32_t last = unit_of(fw, lpn + count - 1);
  for (uint32_t unit = unit_of(fw, lpn); unit <= last; ++unit) wl_ppb_read(&s->levels, unit);
}

static void begin(struct wl_firmware* fw, const struct wl_hal* hal) {
  wl_ppb_begin(fw, hal, wl_policies_state(fw)->arena, wl_policies_state(fw)->table);
}

const struct wl_policy wl_policy_ppb = {
    .space = {.host_streams = WL_PPB_LEVELS, .move_streams = WL_PPB_LEVELS},
    .refused = WL_ENGINE_L2P | WL_ENGINE_COPY,
    .table_bytes = wl_ppb_bytes,
    .more_superblocks = wl_ppb_more_superblocks,
    .arena_bytes = sizeof(struct wl_ppb),
    .begin = begin,
    .class_of_write = wl_ppb_class_of_write,
    .class_of_move = wl_ppb_class_of_move,
    .on_write = wl_ppb_on_write,
    .on_read = wl_ppb_on_read,
    .place = wl_ppb_place,
    .collect = wl_page_collect_classes,
    .idle = wl_page_idle,
    .victim = wl_superblock_emptiest,
};
