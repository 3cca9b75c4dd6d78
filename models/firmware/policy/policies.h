/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The drive's policy: its memory, and what others ask of it before there is a drive.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_POLICIES_H
#define WORDLINE_FIRMWARE_POLICY_POLICIES_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/space.h"

/* What the policy declares to the owner of the superblocks of such a drive. */
struct wl_space_plan wl_policy_space_plan(const struct wl_policy* policy, const struct wl_boot_info* boot);
void wl_policy_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram);
void wl_policy_boot(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
