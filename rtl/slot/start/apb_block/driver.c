/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A start for the firmware of my_block: ten rounds of 1,000 clocks, the next one begun by the interrupt of the one
 * before. Both functions are called by Wordline's firmware when it is built with WORDLINE_OWN_DRIVER (docs/own_rtl.md).
 */
#include "models/firmware/core/own_driver.h"

#define COUNT (WL_APB_OFFSET + 0x000u)
#define DONE (WL_APB_OFFSET + 0x004u)
#define ROUNDS (WL_APB_OFFSET + 0x008u)

void wl_own_boot(const struct wl_hal* hal) { wl_write32(hal, COUNT, 1000); }

void wl_own_interrupt(const struct wl_hal* hal) {
  wl_write32(hal, DONE, 1);
  if (wl_read32(hal, ROUNDS) < 10) wl_write32(hal, COUNT, 1000);
}
