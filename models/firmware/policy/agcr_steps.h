/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs in three steps of voltage, for the policies agcr and agcr_li: the parameter sets, and how the data of each
 * program unit lie on flash. The source has a bit for it in each entry of the map; a bit cannot encode three steps,
 * and all data of a unit are programmed at once. So here it is a byte for each unit.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_AGCR_STEPS_H
#define WORDLINE_FIRMWARE_POLICY_AGCR_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/policy/policy.h"

/* Of the table, which lies first in what the policy declares. */
uint64_t wl_agcr_steps_bytes(const struct wl_boot_info* boot);
void wl_agcr_steps_begin(struct wl_firmware* fw, const struct wl_hal* hal);
enum wl_agcr_step wl_agcr_step_at(const struct wl_firmware* fw, wl_ppa_t ppa);
/* The unit at `ppa` has been programmed so. */
void wl_agcr_lies(struct wl_firmware* fw, wl_ppa_t ppa, enum wl_agcr_step step);
/* A slot of policies whose sets are the steps alone. */
WL_MUST_CHECK enum wl_verdict wl_agcr_programmed(struct wl_firmware* fw, wl_ppa_t ppa, uint32_t control,
                                                 const struct wl_program_report* report, bool failed);
/* The die that takes the next unit of the superblock has ftl.agcr.queue jobs, or more. */
bool wl_agcr_is_busy(const struct wl_firmware* fw, wl_superblock_t superblock);
/* How a read of such data begins, where that is assumed. */
uint32_t wl_agcr_read_start(const struct wl_firmware* fw, wl_ppa_t ppa);
/* The host reads logical pages from `ppa` on, of one page. */
void wl_agcr_read(struct wl_firmware* fw, uint32_t count, wl_ppa_t ppa);

#endif
