/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a driver of a block of a user's own has to have (docs/own_rtl.md). The image has one when it is built with
 * WORDLINE_OWN_DRIVER; the shipped one knows of no such block, and spends no cycle on it. Natively a program has one
 * when driver.c is among its sources.
 */
#ifndef WORDLINE_FIRMWARE_CORE_OWN_DRIVER_H
#define WORDLINE_FIRMWARE_CORE_OWN_DRIVER_H

#include "models/firmware/core/hal.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef WL_NATIVE
#define WL_OWN_FUNCTION __attribute__((weak)) /* else a program without a driver would not link */
#define WL_HAS_OWN_DRIVER (wl_own_boot != 0)
#elif defined(WL_OWN_DRIVER)
#define WL_OWN_FUNCTION
#define WL_HAS_OWN_DRIVER 1
#else
#define WL_OWN_FUNCTION
#define WL_HAS_OWN_DRIVER 0
#endif

/* The driver's variables: driver.c defines the struct and says WL_OWN_STATE; behind it. There is one for the drive, in
 * the tightly coupled memory that all cores see, zero at the boot; no two calls with it overlap. Globals would be those
 * of a program with several drives in it, and the image has no memory for any. */
struct wl_own_state;
#define WL_OWN_STATE_LIMIT 1024u /* bytes */
#define WL_OWN_STATE                                                                                              \
  _Static_assert(sizeof(struct wl_own_state) <= WL_OWN_STATE_LIMIT,                                               \
                 "struct wl_own_state is larger than WL_OWN_STATE_LIMIT: keep large tables in the block itself"); \
  const uint32_t wl_own_state_bytes = sizeof(struct wl_own_state)

/* By WL_OWN_STATE. */
extern WL_OWN_FUNCTION const uint32_t wl_own_state_bytes;
/* Once, at the end of the boot; on core 0. */
WL_OWN_FUNCTION void wl_own_boot(const struct wl_hal* hal, struct wl_own_state* state);
/* irq_o has risen since the last call; on the core of the ftl task. */
WL_OWN_FUNCTION void wl_own_interrupt(const struct wl_hal* hal, struct wl_own_state* state);

#ifdef __cplusplus
}
#endif
#endif
