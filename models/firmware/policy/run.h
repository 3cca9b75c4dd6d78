/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WORDLINE_FIRMWARE_POLICY_RUN_H
#define WORDLINE_FIRMWARE_POLICY_RUN_H

#include <stdint.h>

#include "models/firmware/contract/address.h"

/* Logical pages that lie on flash one behind the other; map units as a whole. */
struct wl_run {
  wl_lpn_t lpn;
  wl_ppa_t ppa;
  uint32_t count;
};

#endif
