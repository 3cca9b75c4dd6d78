/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What policies that map page by page and differ in their victims only have in common.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_PAGE_MAPPING_H
#define WORDLINE_FIRMWARE_POLICY_PAGE_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"

/* One open line per stream. The host may not open the last lines of the reserve. */
uint32_t wl_page_place(struct wl_firmware* fw, uint32_t stream);
/* While too few lines are free, or will be without further work. */
bool wl_page_collect(const struct wl_firmware* fw);

#endif
