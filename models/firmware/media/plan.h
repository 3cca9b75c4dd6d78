/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a policy declares to the builder of flash jobs.
 */
#ifndef WORDLINE_FIRMWARE_MEDIA_PLAN_H
#define WORDLINE_FIRMWARE_MEDIA_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/contract/address.h"

struct wl_boot_info;
struct wl_firmware;
struct wl_media_plan {
  bool programs; /* it places units with parameter sets, and reads reports: the two tables */
  /* Whether it asks how many jobs a die has (wl_media_die_jobs); null: it does not. */
  bool (*die_jobs)(const struct wl_boot_info* boot);
  /* How a fresh read of `ppa` begins, `control` of its job; may be null. 0: as the table of optimal references says.
   */
  uint32_t (*read_start)(const struct wl_firmware* fw, wl_ppa_t ppa);
};

#endif
