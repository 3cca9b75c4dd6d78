/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Logical pages apart by when they will be written again, inferred from how long what they replace has lived. Source:
 * Wang et al., "Separating Data via Block Invalidation Time Inference for Write Amplification Reduction in
 * Log-Structured Storage", FAST 2022: time is counted in logical pages that the host writes. A write of a logical page
 * that lived less than the mean of what superblocks of short-lived data have lived is short-lived, too; the rest of the
 * host's data are long-lived. Moved data are those of short-lived superblocks, and the others by their age, in three
 * classes that begin at four and at sixteen times that mean. Victims are weighed as by page_cost_benefit, which is what
 * the source uses.
 *
 * Four bytes for each logical page, the time of its last write, and eight for each superblock.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/policy/state.h"
#include "models/firmware/space/space.h"

enum { kShort, kLong, kHostClasses };                     /* of the host's data */
enum { kFromShort, kYoung, kMiddle, kOld, kMoveClasses }; /* of moved data */
#define WINDOW 16u                                        /* short-lived superblocks that the mean is taken of */

struct of_superblock {
  uint32_t opened;   /* when */
  uint32_t is_short; /* opened for short-lived data */
};

struct state {
  uint32_t now;  /* logical pages written by the host */
  uint32_t mean; /* life of short-lived superblocks; at first longer than anything */
  uint32_t sum;  /* of the lives of `collected` superblocks */
  uint32_t collected;
  uint32_t counted;  /* victims so far, when the last one was counted */
  uint32_t* written; /* by logical page: when, 0: never */
  struct of_superblock* superblock;
};

static struct state* state_of(const struct wl_firmware* fw) { return wl_policies_view(fw)->arena; }

static uint64_t table_bytes(const struct wl_boot_info* boot) {
  return (uint64_t)boot->user_lpages * sizeof(uint32_t) + (uint64_t)boot->blocks * sizeof(struct of_superblock);
}

static void begin(struct wl_firmware* fw, const struct wl_hal* hal) {
  (void)hal;
  struct state* s = state_of(fw);
  s->mean = UINT32_MAX;
  s->superblock = wl_policies_state(fw)->table;
  s->written = (uint32_t*)(s->superblock + fw->boot.blocks);
}

static void on_write(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, uint32_t lpages) {
  (void)lpages;
  struct state* s = state_of(fw);
  for (uint32_t i = 0; i < count; ++i) s->written[lpn + i] = ++s->now;
}

static uint32_t class_of_write(const struct wl_firmware* fw, wl_lpn_t lpn, uint32_t lpages, uint32_t flags) {
  (void)lpages;
  (void)flags;
  const struct state* s = state_of(fw);
  const uint32_t written = s->written[lpn];
  return written != 0 && s->now - written < s->mean ? kShort : kLong;
}

static uint32_t class_of_move(const struct wl_firmware* fw, wl_lpn_t lpn, wl_ppa_t ppa) {
  const struct state* s = state_of(fw);
  if (s->superblock[wl_superblock_of(fw, ppa)].is_short != 0) return kFromShort;
  const uint32_t age = s->now - s->written[lpn];
  return age / 4 < s->mean ? kYoung : age / 16 < s->mean ? kMiddle : kOld;
}

static bool place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  if (!wl_page_place(fw, stream, at)) return false;
  if (wl_superblock(fw, at->superblock)->units == 0) { /* just opened */
    const struct of_superblock opened = {state_of(fw)->now, stream == WL_STREAM_HOST + kShort};
    state_of(fw)->superblock[at->superblock] = opened;
  }
  return true;
}

static wl_superblock_t victim(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct state* s = state_of(fw);
  const wl_superblock_t superblock = wl_cost_benefit_victim(fw, hal);
  /* Asked again before it is taken, it is the same one, and counts once. */
  if (superblock == WL_NONE || s->superblock[superblock].is_short == 0 || s->counted == wl_superblocks_taken(fw) + 1)
    return superblock;
  s->counted = wl_superblocks_taken(fw) + 1;
  s->sum += s->now - s->superblock[superblock].opened;
  if (++s->collected < WINDOW) return superblock;
  s->mean = s->sum / WINDOW;
  s->sum = s->collected = 0;
  return superblock;
}

const struct wl_policy wl_policy_sepbit = {
    .space = {.host_streams = kHostClasses, .move_streams = kMoveClasses},
    .refused = WL_ENGINE_COPY | WL_ENGINE_VICTIM,
    .arena_bytes = sizeof(struct state),
    .table_bytes = table_bytes,
    .begin = begin,
    .class_of_write = class_of_write,
    .class_of_move = class_of_move,
    .on_write = on_write,
    .place = place,
    .collect = wl_page_collect_classes,
    .idle = wl_page_idle,
    .victim = victim,
};
