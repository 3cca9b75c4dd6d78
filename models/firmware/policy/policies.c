/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table of policies.
 */
#include "models/firmware/policy/policies.h"

#include <stddef.h>

#include "models/firmware/core/core.h"
#include "models/firmware/policy/state.h"

static const struct wl_policy* const kPolicies[] = {
#define WL_POLICY(identifier, name, text) &wl_policy_##identifier,
#include "models/firmware/policy/policies.def"
#undef WL_POLICY
};

const struct wl_policy* wl_policy_of(uint32_t number) { return number < WL_POLICIES ? kPolicies[number] : NULL; }

struct wl_declared wl_policy_declares(uint32_t number) {
  const struct wl_policy* p = wl_policy_of(number);
  const struct wl_declared declared = {p->space.host_streams, p->space.move_streams, p->refused, p->space.by_word_line,
                                       p->space.small_stream != 0};
  return declared;
}

bool wl_policy_takes_handles(uint32_t number) { return wl_policy_by_handle(number, false) != NULL; }

struct wl_space_plan wl_policy_space_plan(const struct wl_policy* policy, const struct wl_boot_info* boot) {
  struct wl_space_plan plan = policy->space;
  if (boot->ftl.placement.handles != 0) {
    plan.host_streams = (uint8_t)boot->ftl.placement.handles;
    if (boot->ftl.placement.persistent != 0) plan.move_streams = plan.host_streams;
  }
  if (boot->ftl.slc_cache.superblocks != 0) plan.slc_stream = plan.host_streams++;
  if (boot->ftl.upkeep.wear_gap != 0) plan.rest_stream = (uint8_t)(WL_STREAM_GC + plan.move_streams++);
  if (WL_HAS_LARGE_MAPS && boot->ftl.map_frames != 0) plan.map_stream = (uint8_t)(WL_STREAM_GC + plan.move_streams++);
  if (policy->more_superblocks != NULL) plan.more_superblocks = policy->more_superblocks(boot);
  if (policy->small_start_superblocks != NULL) plan.small_start_superblocks = policy->small_start_superblocks(boot);
  return plan;
}

uint32_t wl_open_superblocks(const struct wl_boot_info* info) {
  const struct wl_space_plan plan = wl_policy_space_plan(wl_policy_of_drive(info), info);
  return wl_superblocks_open_at_most(&plan);
}

void wl_policy_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram) {
  const struct wl_policy* policy = fw->policy;
  if (policy->arena_bytes != 0) wl_policies_state(fw)->arena = wl_arena_take(tcm, policy->arena_bytes);
  if (policy->lpage_bytes != 0)
    wl_policies_state(fw)->lpages = wl_arena_take(dram, (uint64_t)fw->boot.user_lpages * policy->lpage_bytes);
  if (policy->table_bytes != NULL) wl_policies_state(fw)->table = wl_arena_take(dram, policy->table_bytes(&fw->boot));
}

void wl_policy_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  WL_ASSERT(hal, (fw->boot.engines & fw->policy->refused) == 0);
  WL_ASSERT(hal, !fw->policy->space.by_word_line || fw->boot.layers.pages % fw->geometry.unit_pages == 0);
  if (fw->policy->begin != NULL) fw->policy->begin(fw, hal);
}
