/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * ppb and cube: what is read often lies in the layers that are read fast, and word lines are programmed as the first
 * one of their h-layer measured. ppb gives the superblock and its virtual block, which is a range of h-layers; cube a
 * word line within this range in a die that is free, and its parameters. A virtual block is full when all dies have
 * filled it: only then are leaders of the next one placed. docs/combinations.md says what that costs.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/policy/cube_choice.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/policy/ppb_classes.h"
#include "models/firmware/policy/state.h"
#include "models/firmware/space/space.h"

struct both {
  struct wl_ppb ppb;
  struct wl_cube cube;
};

static uint64_t table_bytes(const struct wl_boot_info* boot) {
  return wl_ppb_bytes(boot) + wl_cube_table_bytes(boot, 2 * WL_PPB_LEVELS);
}

static void begin(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct both* s = wl_policies_state(fw)->arena;
  uint8_t* table = wl_policies_state(fw)->table;
  wl_ppb_begin(fw, hal, &s->ppb, table);
  wl_cube_begin(fw, &s->cube, table + wl_ppb_bytes(&fw->boot));
}

static bool place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  const wl_superblock_t superblock = wl_ppb_superblock(fw, stream);
  return superblock != WL_NONE && wl_cube_place(fw, stream, superblock, wl_ppb_end, 0, at);
}

const struct wl_policy wl_policy_ppb_cube = {
    .space = {.host_streams = WL_PPB_LEVELS, .move_streams = WL_PPB_LEVELS, .by_word_line = true},
    .media = {.programs = true},
    .refused = WL_ENGINE_L2P | WL_ENGINE_COPY,
    .table_bytes = table_bytes,
    .arena_bytes = sizeof(struct both),
    .begin = begin,
    .class_of_write = wl_ppb_class_of_write,
    .class_of_move = wl_ppb_class_of_move,
    .on_write = wl_ppb_on_write,
    .on_read = wl_ppb_on_read,
    .place = place,
    .programmed = wl_cube_programmed,
    .collect = wl_page_collect_classes,
    .idle = wl_page_idle,
    .victim = wl_superblock_emptiest,
};
