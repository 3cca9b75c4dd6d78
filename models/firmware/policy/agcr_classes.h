/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Classes of data by how their pages were accessed, and what is to be programmed anew: the part of the policy agcr
 * (agcr.c) that does not say where data lie. Its functions are slots of policies (policy.h), alone or combined; each
 * such policy calls wl_agcr_begin with memory of its arena. The tables of steps and of histories, in this order, lie
 * first in the policy's table.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_AGCR_CLASSES_H
#define WORDLINE_FIRMWARE_POLICY_AGCR_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/policy/agcr_steps.h"
#include "models/firmware/policy/policy.h"

#define WL_AGCR_RUNS 128u
struct wl_agcr {
  uint8_t* history;                 /* by map unit: agcr_history.h */
  uint32_t first, runs;             /* of the ring: what is to be programmed anew */
  struct wl_run ring[WL_AGCR_RUNS]; /* what finds no room is noticed again when it is read again */
};

uint64_t wl_agcr_bytes(const struct wl_boot_info* boot); /* of both tables: words may follow */
void wl_agcr_begin(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_agcr* agcr);
/* A class is a wl_agcr_step. */
uint32_t wl_agcr_class_of_write(const struct wl_firmware* fw, wl_lpn_t lpn, uint32_t lpages, uint32_t flags);
uint32_t wl_agcr_class_of_move(const struct wl_firmware* fw, wl_lpn_t lpn, wl_ppa_t ppa);
void wl_agcr_on_write(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, uint32_t lpages);
void wl_agcr_on_read(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, wl_ppa_t from);
/* As that, of data that would be programmed by `step` if they were programmed anew. */
void wl_agcr_read_of(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, wl_ppa_t from, enum wl_agcr_step step);
WL_MUST_CHECK bool wl_agcr_idle(struct wl_firmware* fw, const struct wl_hal* hal);
WL_MUST_CHECK bool wl_agcr_move(struct wl_firmware* fw, struct wl_run* run);

#endif
