/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which word line of an open superblock takes the next unit, and in which die: the part of the policy cube (cube.c)
 * that does not say which superblocks are open. A die takes a unit when it has no program of the host, or of moved
 * data, so that the fill level of the write buffer is that of the moment, and a follower has what its leader
 * measured. Free dies take units in turn.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_CUBE_CHOICE_H
#define WORDLINE_FIRMWARE_POLICY_CUBE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/policy/cube_parameters.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/cursors.h"

struct wl_cube {
  struct wl_cube_parameters parameters;
  uint32_t next_die[2]; /* of the host's data, of moved data */
  uint32_t most_dirty;  /* units of the write buffer: with more, much is to be written */
};

/* `cube`: of the policy's arena; `table`: wl_cube_table_bytes of its table. */
void wl_cube_begin(struct wl_firmware* fw, struct wl_cube* cube, void* table);
bool wl_cube_much(const struct wl_firmware* fw, const struct wl_placement* at);
/* The one that opened: whether it is fresh follows from its units. */
void wl_cube_superblock_opened(struct wl_firmware* fw, wl_superblock_t superblock, bool moves);

/* ---- units of the open superblock of `stream` in a die; false: it has none ---- */
/* Below unit `end` of the superblock, which is where an h-layer begins. */
WL_MUST_CHECK bool wl_cube_leader(struct wl_firmware* fw, uint32_t stream, uint32_t end, uint32_t die,
                                  struct wl_placement* at);
WL_MUST_CHECK bool wl_cube_follower(struct wl_firmware* fw, uint32_t stream, uint32_t die, struct wl_placement* at);
/* Layer by layer. */
WL_MUST_CHECK bool wl_cube_next(struct wl_firmware* fw, uint32_t stream, uint32_t end, uint32_t die,
                                struct wl_placement* at);
#define WL_CUBE_ALL WL_NEXT_UNIT /* as `end` */

/* ---- the die ---- */
/* Open superblocks that a unit may go to, and where they end. `host`: of moved data, what has leaders for them, or
 * WL_NONE. */
struct wl_cube_ranges {
  uint32_t stream, end;
  uint32_t host, host_end;
};
typedef bool wl_cube_in_die(struct wl_firmware* fw, const struct wl_cube_ranges* ranges, uint32_t die,
                            struct wl_placement* at);
/* The first die in turn for which `in_die` is true. */
WL_MUST_CHECK bool wl_cube_in_turn(struct wl_firmware* fw, bool moves, const struct wl_cube_ranges* ranges,
                                   wl_cube_in_die* in_die, struct wl_placement* at);
/* Names the program of the unit that was found, by `base`. */
void wl_cube_sends(struct wl_firmware* fw, uint32_t base, struct wl_placement* at);
/* The slot of that name. */
WL_MUST_CHECK enum wl_verdict wl_cube_programmed(struct wl_firmware* fw, wl_ppa_t ppa, uint32_t control,
                                                 const struct wl_program_report* report, bool failed);

/* ---- for policies with a superblock for each class ---- */
/* The slot `ppa` where `superblock`, an open superblock, takes the next unit of `stream`, or units before `end_of`
 * it. The moved data of a class may take leaders of the host's superblock of that class. */
WL_MUST_CHECK bool wl_cube_place(struct wl_firmware* fw, uint32_t stream, wl_superblock_t superblock,
                                 uint32_t (*end_of)(const struct wl_firmware* fw, wl_superblock_t superblock),
                                 uint32_t base, struct wl_placement* at);

#endif
