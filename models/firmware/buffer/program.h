/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How units get to flash: they are placed in the superblock that the policy names, programmed, and come back.
 */
#ifndef WORDLINE_FIRMWARE_BUFFER_PROGRAM_H
#define WORDLINE_FIRMWARE_BUFFER_PROGRAM_H

#include "models/firmware/context.h"
#include "models/firmware/media/job.h"
#include "models/firmware/policy/policy.h"

/* The unit gets a PPA, where job `id` will program it. */
void wl_unit_place(struct wl_firmware* fw, wl_unit_t unit, const struct wl_placement* at, uint32_t id);
void wl_unit_post_copy(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, wl_unit_t unit, uint32_t flags);
void wl_place_step(struct wl_firmware* fw, const struct wl_hal* hal);
/* The program of a unit has ended. Returns its superblock; wl_unit(...)->ppa is where it lies, though the copy engine
 * chose. */
WL_MUST_CHECK uint32_t wl_unit_programmed(struct wl_firmware* fw, const struct wl_job* job);
/* The unit is placed again elsewhere. Its program failed in these planes (bits): the superblock is closed, and their
 * blocks are replaced, or the superblock is retired, once it is empty; 0: it did not fail, but the policy does not
 * accept it. */
void wl_unit_program_again(struct wl_firmware* fw, wl_unit_t unit, wl_superblock_t superblock, uint32_t failed);
/* It succeeded: for a unit of the host, whose map entries are set. */
void wl_unit_committed(struct wl_firmware* fw, wl_unit_t unit, wl_superblock_t superblock, uint32_t valid);

#endif
