/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * cube and agcr: data are programmed coarsely, by the device's own step or finely by how their pages were accessed, and
 * word lines as the first one of their h-layer measured at the same step. agcr gives the class, its step and where
 * reads begin; each class has a superblock. cube gives a word line of that in a die that is free, and its parameters.
 *
 * Each step is a base of cube's parameters (cube_parameters.h). Where space is short and a superblock takes data of
 * another class, these keep their own step: they measure the layer anew rather than follow its leader.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/policy/agcr_classes.h"
#include "models/firmware/policy/cube_choice.h"
#include "models/firmware/policy/keys.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/policy/state.h"
#include "models/firmware/space/space.h"

struct both {
  struct wl_agcr agcr;
  struct wl_cube cube;
};

static uint64_t table_bytes(const struct wl_boot_info* boot) {
  return wl_agcr_bytes(boot) + wl_cube_table_bytes(boot, 2 * WL_AGCR_STEPS);
}

static void begin(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct both* s = wl_policies_state(fw)->arena;
  uint8_t* table = wl_policies_state(fw)->table;
  wl_agcr_begin(fw, hal, &s->agcr);
  wl_cube_begin(fw, &s->cube, table + wl_agcr_bytes(&fw->boot));
  wl_cube_add_base(&s->cube.parameters,
                   wl_policy_keys(&fw->boot)->agcr.coarse_step_mv); /* in the order of wl_agcr_step */
  wl_cube_add_base(&s->cube.parameters, wl_policy_keys(&fw->boot)->agcr.fine_step_mv);
}

static uint32_t whole(const struct wl_firmware* fw, wl_superblock_t superblock) {
  (void)fw;
  (void)superblock;
  return WL_CUBE_ALL;
}

static bool place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  const wl_superblock_t superblock = wl_page_superblock(fw, stream);
  return superblock != WL_NONE && wl_cube_place(fw, stream, superblock, whole, wl_stream_class(stream), at);
}

static enum wl_verdict programmed(struct wl_firmware* fw, wl_ppa_t at, uint32_t control,
                                  const struct wl_program_report* report, bool failed) {
  const enum wl_agcr_step step = (enum wl_agcr_step)wl_cube_base(&wl_policies_state(fw)->cube->parameters, control);
  const enum wl_verdict verdict = wl_cube_programmed(fw, at, control, report, failed);
  if (!failed && verdict == WL_PROGRAM_OK) wl_agcr_lies(fw, at, step);
  return verdict;
}

const struct wl_policy wl_policy_cube_agcr = {
    .space = {.host_streams = WL_AGCR_STEPS, .move_streams = WL_AGCR_STEPS, .by_word_line = true},
    .media = {.programs = true, .read_start = wl_agcr_read_start},
    .refused = WL_ENGINE_L2P | WL_ENGINE_COPY,
    .table_bytes = table_bytes,
    .arena_bytes = sizeof(struct both),
    .begin = begin,
    .class_of_write = wl_agcr_class_of_write,
    .class_of_move = wl_agcr_class_of_move,
    .on_write = wl_agcr_on_write,
    .on_read = wl_agcr_on_read,
    .place = place,
    .programmed = programmed,
    .collect = wl_page_collect_classes,
    .idle = wl_agcr_idle,
    .move = wl_agcr_move,
    .victim = wl_superblock_emptiest,
};
