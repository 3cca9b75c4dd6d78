/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table of policies.
 */
#include "models/firmware/policy/policy.h"

#include <stddef.h>

const struct wl_policy* wl_policy_of(uint32_t number) {
#define WL_POLICY(name, text) &wl_policy_##name,
  static const struct wl_policy* const kPolicies[] = {
#include "models/firmware/policy/policies.def"
  };
#undef WL_POLICY
  return number < WL_POLICIES ? kPolicies[number] : NULL;
}
