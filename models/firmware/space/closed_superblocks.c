/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/closed_superblocks.h"

#include "models/firmware/engines/engines.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"

void wl_closed_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  for (uint32_t i = 0; i < 1u + wl_has_small_pages(fw); ++i) {
    struct wl_buckets* bucket = &wl_space_state(fw)->region[i].bucket;
    bucket->head = wl_arena_take(tcm, (WL_BUCKETS + 1) * sizeof(bucket->head[0]));
    bucket->tail = wl_arena_take(tcm, (WL_BUCKETS + 1) * sizeof(bucket->tail[0]));
  }
  if (!wl_space_state(fw)->plan.by_age) return;
  struct wl_region* r = &wl_space_state(fw)->region[0];
  r->by_age.older = wl_arena_take(tcm, (uint64_t)wl_space_state(fw)->superblocks * sizeof(r->by_age.older[0]));
  r->by_age.younger = wl_arena_take(tcm, (uint64_t)wl_space_state(fw)->superblocks * sizeof(r->by_age.younger[0]));
}

void wl_closed_boot(struct wl_firmware* fw) {
  for (uint32_t i = 0; i < 1u + wl_has_small_pages(fw); ++i) {
    struct wl_buckets* bucket = &wl_space_state(fw)->region[i].bucket;
    bucket->shift = 0;
    const uint32_t lpages = i == 0 ? fw->geometry.superblock_lpages : fw->kind[i].superblock_lpages;
    while (lpages >> bucket->shift > WL_BUCKETS) ++bucket->shift;
    for (uint32_t b = 0; b <= WL_BUCKETS; ++b) bucket->head[b] = bucket->tail[b] = WL_NONE;
    bucket->min = WL_BUCKETS + 1;
  }
  wl_space_state(fw)->region[0].by_age.oldest = wl_space_state(fw)->region[0].by_age.youngest = WL_NONE;
}

static uint32_t bucket_of(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t valid) {
  return valid >> wl_space_view(fw)->region[wl_superblock_is_small(fw, superblock)].bucket.shift;
}

static void bucket_insert(struct wl_firmware* fw, wl_superblock_t superblock) {
  if (wl_has_engines(fw, WL_ENGINE_VICTIM)) return;
  struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  struct wl_buckets* bucket = &wl_region_of(fw, superblock)->bucket;
  const uint32_t b = bucket_of(fw, superblock, sb->valid);
  sb->next = WL_NONE;
  sb->prev = bucket->tail[b];
  if (sb->prev != WL_NONE)
    wl_space_state(fw)->superblock[sb->prev].next = superblock;
  else
    bucket->head[b] = superblock;
  bucket->tail[b] = superblock;
  if (b < bucket->min) bucket->min = b;
}

static void age_insert(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_by_age* age = &wl_space_state(fw)->region[0].by_age;
  if (age->older == NULL) return;
  age->older[superblock] = age->youngest;
  age->younger[superblock] = WL_NONE;
  if (age->youngest != WL_NONE)
    age->younger[age->youngest] = superblock;
  else
    age->oldest = superblock;
  age->youngest = superblock;
}

static void age_remove(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_by_age* age = &wl_space_state(fw)->region[0].by_age;
  if (age->older == NULL) return;
  if (age->older[superblock] != WL_NONE)
    age->younger[age->older[superblock]] = age->younger[superblock];
  else
    age->oldest = age->younger[superblock];
  if (age->younger[superblock] != WL_NONE)
    age->older[age->younger[superblock]] = age->older[superblock];
  else
    age->youngest = age->older[superblock];
}

void wl_closed_insert(struct wl_firmware* fw, wl_superblock_t superblock) {
  wl_space_state(fw)->superblock[superblock].closed_at = wl_space_state(fw)->closings.count++;
  age_insert(fw, superblock);
  bucket_insert(fw, superblock);
}

static void bucket_remove(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t b) {
  if (wl_has_engines(fw, WL_ENGINE_VICTIM)) return;
  const struct wl_superblock* sb = &wl_space_state(fw)->superblock[superblock];
  struct wl_buckets* bucket = &wl_region_of(fw, superblock)->bucket;
  if (sb->prev != WL_NONE)
    wl_space_state(fw)->superblock[sb->prev].next = sb->next;
  else
    bucket->head[b] = sb->next;
  if (sb->next != WL_NONE)
    wl_space_state(fw)->superblock[sb->next].prev = sb->prev;
  else
    bucket->tail[b] = sb->prev;
}

void wl_closed_remove(struct wl_firmware* fw, wl_superblock_t superblock) {
  age_remove(fw, superblock);
  bucket_remove(fw, superblock, bucket_of(fw, superblock, wl_space_state(fw)->superblock[superblock].valid));
}

/* Once this was called, little is left of a stretch of code that a cost tag marks: the move has a tag of its own. */
void wl_closed_emptier(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock) {
  const uint32_t valid = wl_space_state(fw)->superblock[superblock].valid;
  const uint32_t shift = wl_space_state(fw)->region[wl_superblock_is_small(fw, superblock)].bucket.shift;
  const uint32_t before = (valid + 1) >> shift;
  if (wl_has_engines(fw, WL_ENGINE_VICTIM) || valid >> shift == before) return;
  FW_TASK(hal, WL_COST_FTL_SUPERBLOCK_MOVE);
  bucket_remove(fw, superblock, before);
  bucket_insert(fw, superblock);
}

static uint32_t emptiest(struct wl_buckets* buckets) {
  uint32_t bucket = buckets->min;
  while (bucket <= WL_BUCKETS && buckets->head[bucket] == WL_NONE) ++bucket;
  buckets->min = bucket;
  return bucket > WL_BUCKETS ? WL_NONE : buckets->head[bucket];
}

wl_superblock_t wl_closed_emptiest(struct wl_firmware* fw) { return emptiest(&wl_space_state(fw)->region[0].bucket); }
wl_superblock_t wl_closed_emptiest_small(struct wl_firmware* fw) {
  return emptiest(&wl_space_state(fw)->region[1].bucket);
}

wl_superblock_t wl_closed_next_emptiest(const struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_buckets* buckets = &wl_space_view(fw)->region[0].bucket;
  uint32_t bucket = bucket_of(fw, superblock, wl_space_view(fw)->superblock[superblock].valid) + 1;
  while (bucket <= WL_BUCKETS && buckets->head[bucket] == WL_NONE) ++bucket;
  return bucket > WL_BUCKETS ? WL_NONE : buckets->head[bucket];
}

wl_superblock_t wl_closed_oldest(const struct wl_firmware* fw) {
  const struct wl_by_age* age = &wl_space_view(fw)->region[0].by_age;
  wl_superblock_t superblock = age->oldest;
  while (superblock != WL_NONE && wl_space_view(fw)->superblock[superblock].valid >= fw->kind[0].superblock_lpages)
    superblock = age->younger[superblock];
  return superblock;
}
