/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a policy decides. A policy is a constant table of functions; they run inside the ftl task and must be bounded.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_H
#define WORDLINE_FIRMWARE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

struct wl_firmware;
struct wl_hal;

struct wl_policy {
  /* Line in which the next unit of `stream` is placed; may open one. WL_NONE: the unit has to wait. */
  uint32_t (*place)(struct wl_firmware* fw, uint32_t stream);
  /* Whether the collector should take up another victim. */
  bool (*collect)(const struct wl_firmware* fw);
  /* Closed line to collect next. WL_NONE: collecting gains nothing; WL_ASKED: hardware searches, its answer kicks the collector. */
  uint32_t (*victim)(struct wl_firmware* fw, const struct wl_hal* hal);
};

extern const struct wl_policy wl_policy_page_greedy;

#endif
