/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a policy decides: where data go, when to collect, which line. A policy is a constant table of functions, in a
 * file of its own and named in policies.def. They run inside the ftl task and must be bounded; they look at lines
 * through space/space.h.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_POLICY_H
#define WORDLINE_FIRMWARE_POLICY_POLICY_H

#include <stdbool.h>
#include <stdint.h>

struct wl_firmware;
struct wl_hal;

struct wl_policy {
  /* Line in which the next unit of `stream` is placed; may open one. WL_NONE: the unit has to wait. */
  uint32_t (*place)(struct wl_firmware* fw, uint32_t stream);
  /* Whether garbage collection should take up another victim. */
  bool (*collect)(const struct wl_firmware* fw);
  /* Closed line to collect next. WL_NONE: collecting gains nothing; WL_ASKED: hardware searches, its answer kicks
   * garbage collection. */
  uint32_t (*victim)(struct wl_firmware* fw, const struct wl_hal* hal);
};

#define WL_POLICY(name, text) extern const struct wl_policy wl_policy_##name;
#include "models/firmware/policy/policies.def"
#undef WL_POLICY

/* Their numbers: wl_boot_info.ftl. */
#define WL_POLICY(name, text) WL_POLICY_##name,
enum wl_policy_number {
#include "models/firmware/policy/policies.def"
  WL_POLICIES
};
#undef WL_POLICY

const struct wl_policy* wl_policy_of(uint32_t number); /* null: there is none */

#endif
