/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the state of a driver of a user's own lies: in tightly coupled memory below the stacks, so that nothing of the
 * firmware moves when there is a driver.
 */
#ifndef WORDLINE_FIRMWARE_CORE_OWN_STATE_H
#define WORDLINE_FIRMWARE_CORE_OWN_STATE_H

#include "models/firmware/contract/boot_info.h"
#include "models/firmware/core/core.h"
#include "models/firmware/core/own_driver.h"

#define WL_OWN_STATE_ALIGN 32u
static inline uint32_t wl_own_state_room(void) {
  if (!WL_HAS_OWN_DRIVER) return 0;
  return (wl_own_state_bytes + WL_OWN_STATE_ALIGN - 1) & ~(WL_OWN_STATE_ALIGN - 1);
}
static inline uint32_t wl_own_state_offset(const struct wl_boot_info* boot) {
  const uint32_t end = boot->tcm_bytes - boot->cores * WL_STACK_BYTES;
  return WL_HAS_OWN_DRIVER ? (end & ~(WL_OWN_STATE_ALIGN - 1)) - wl_own_state_room() : end;
}
static inline struct wl_own_state* wl_own_state_at(const struct wl_boot_info* boot, const struct wl_hal* hal) {
  return (struct wl_own_state*)(void*)(wl_tcm(hal) + wl_own_state_offset(boot));
}

#endif
