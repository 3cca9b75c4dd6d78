/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A start for the firmware of my_block: ten rounds of 1,000 clocks, the next one begun by the interrupt of the one
 * before. Both functions are called by Wordline's firmware when it is built with WORDLINE_OWN_DRIVER (docs/own_rtl.md),
 * with the one place for variables that a driver has.
 */
#include "models/firmware/core/own_driver.h"

#define COUNT (WL_APB_OFFSET + 0x000u)
#define DONE (WL_APB_OFFSET + 0x004u)
#define ROUNDS (WL_APB_OFFSET + 0x008u)

/* At most WL_OWN_STATE_LIMIT bytes, zero before wl_own_boot(). */
struct wl_own_state {
  uint32_t rounds; /* interrupts so far */
};
WL_OWN_STATE;

void wl_own_boot(const struct wl_hal* hal, struct wl_own_state* state) {
  (void)state;
  wl_write32(hal, COUNT, 1000);
}

void wl_own_interrupt(const struct wl_hal* hal, struct wl_own_state* state) {
  wl_write32(hal, DONE, 1);
  WL_ASSERT(hal, wl_read32(hal, ROUNDS) == ++state->rounds);
  if (state->rounds < 10) wl_write32(hal, COUNT, 1000);
}
