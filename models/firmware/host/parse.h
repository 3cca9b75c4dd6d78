/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WORDLINE_FIRMWARE_HOST_PARSE_H
#define WORDLINE_FIRMWARE_HOST_PARSE_H

#include "models/firmware/context.h"

/* An event that only a controller without WL_ENGINE_PARSE sends. False: there is more to do, it stays in the ring. A
 * function of its own, so that the loop that a controller with a parser keeps busy is compiled as without. */
__attribute__((noinline)) bool wl_parse_event(struct wl_firmware* fw, const struct wl_hal* hal,
                                              const struct wl_host_event* e);

#endif
