/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Program parameters of the policy cube: what the leader of an h-layer, its first word line, measured when it was
 * programmed with the device's own parameters becomes parameters of the followers, the layer's other word lines.
 * Source: Shim, SNU 2020, sections 4.1 and 5.1 (the optimal parameter manager).
 *
 * Kept by layer and die of the superblocks that are written, in DRAM. Sets of the controller's table (program_tables.h)
 * are shared by all layers whose parameters agree; while they are all in use a follower is programmed as a leader.
 *
 * Leaders are programmed by a base set, the device's own for this policy alone. With a policy that chooses the step of
 * the voltage there is a base for each step, which followers have, too: what was measured at one step says nothing of
 * another. A unit of another base than that of its layer measures the layer anew, as a leader does.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_CUBE_PARAMETERS_H
#define WORDLINE_FIRMWARE_POLICY_CUBE_PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/policy/keys.h"
#include "models/firmware/policy/policy.h"

/* Superblocks whose layers are known, at most: those that the policy has open, and as many that have programs which
 * have not ended. */
#define WL_CUBE_SUPERBLOCKS (2u * WL_STREAMS)
#define WL_CUBE_SETS 24u
#define WL_CUBE_BASES 3u

struct wl_cube_layer {
  uint8_t known; /* 0: the next program of the layer is the device's own, and measures */
  uint8_t base;  /* set that the layer was measured with */
  uint8_t reserved[2];
  uint32_t ber_ep1; /* of the layer's last program that was good */
  struct wl_program_set set;
};
WL_SIZE_IS(struct wl_cube_layer, 32);

struct wl_cube_parameters {
  struct wl_cube_layer* layers; /* by superblock of `superblocks`, die and h-layer */
  uint8_t* busy; /* by die, for the host's superblocks and for those of moved data: a program is under way */
  uint32_t superblock_count;
  uint32_t superblocks[WL_CUBE_SUPERBLOCKS];
  bool of_moved[WL_CUBE_SUPERBLOCKS];
  uint32_t bases;                  /* sets 0 to bases - 1 are those of leaders, */
  uint16_t step_mv[WL_CUBE_BASES]; /* ... with these steps; 0: the device's */
  /* The sets behind them: */
  struct wl_program_set sets[WL_CUBE_SETS];
  uint8_t base_of[WL_CUBE_SETS];
  uint16_t users[WL_CUBE_SETS]; /* programs under way */
};

/* Of a policy with so many open superblocks. */
uint64_t wl_cube_table_bytes(const struct wl_boot_info* boot, uint32_t open);
/* Leaders have the device's own program. */
void wl_cube_parameters_begin(const struct wl_firmware* fw, struct wl_cube_parameters* p, void* table);
/* Another base: the next set is that of leaders with this step. In the controller's table it is already. */
void wl_cube_add_base(struct wl_cube_parameters* p, uint32_t step_mv);
/* The superblock is written from now on, by the host or with moved data. `fresh`: nothing is known of it, its blocks
 * are erased. */
void wl_cube_opened(const struct wl_firmware* fw, struct wl_cube_parameters* p, wl_superblock_t superblock, bool moves,
                    bool fresh);
/* Whether the die has a program of the host's superblocks, or of those of moved data. In its queue programs of the
 * host's data go before others, which the word lines of one superblock must not. */
bool wl_cube_busy(const struct wl_cube_parameters* p, uint32_t die, bool of_moved);
/* `control` of the program of the unit at `ppa`, which is sent now by `base`; its die is not busy. */
WL_MUST_CHECK uint32_t wl_cube_control(struct wl_firmware* fw, struct wl_cube_parameters* p, wl_ppa_t ppa,
                                       uint32_t base);
/* The base of a program that is under way. */
uint32_t wl_cube_base(const struct wl_cube_parameters* p, uint32_t control);
/* A program has ended. The safety check, section 4.1.4: a word line with many more errors than the one before it in its
 * layer is bad, its data are programmed again, and the layer is measured again. */
WL_MUST_CHECK enum wl_verdict wl_cube_judge(struct wl_firmware* fw, struct wl_cube_parameters* p, wl_ppa_t ppa,
                                            uint32_t control, const struct wl_program_report* report, bool failed);

/* Decisions alone: parameters of the followers of a leader with this report. */
struct wl_program_set wl_cube_set(const struct wl_cube_rules* rules, const struct wl_program_report* report);

#endif
