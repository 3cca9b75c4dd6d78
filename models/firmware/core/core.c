/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/core/core.h"
#include "models/firmware/core/state.h"

void wl_notify(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t task) {
  const uint32_t core = fw->boot.task_core[task];
  WL_FENCE();
  if (wl_core_state(fw)->sleeping[core]) wl_write32(hal, WL_REGISTER_AT(IRQ, core, IPI), 1);
}

void wl_kick(struct wl_firmware* fw, uint32_t steps) { wl_core_state(fw)->kick |= steps; }
void wl_rest(struct wl_firmware* fw, uint32_t steps) { wl_core_state(fw)->kick &= ~steps; }
uint32_t wl_kicked(const struct wl_firmware* fw) { return wl_core_view(fw)->kick; }
void wl_queued(struct wl_firmware* fw, uint32_t steps) { wl_core_state(fw)->queued |= steps; }
void wl_not_queued(struct wl_firmware* fw, uint32_t steps) { wl_core_state(fw)->queued &= ~steps; }
void wl_kick_queued(struct wl_firmware* fw, uint32_t steps) {
  wl_core_state(fw)->kick |= wl_core_state(fw)->queued & steps;
}
enum wl_silence wl_silence(const struct wl_firmware* fw) { return (enum wl_silence)wl_core_view(fw)->silence; }
void wl_host_silence(struct wl_firmware* fw, enum wl_silence silence) { wl_core_state(fw)->silence = silence; }
inline void wl_waits(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t waiter, uint32_t pool) {
  const uint32_t shift = 8 * waiter;
  if ((wl_core_state(fw)->waits >> shift & 0xffu) == pool) return;
  wl_core_state(fw)->waits = (wl_core_state(fw)->waits & ~(0xffu << shift)) | pool << shift;
  wl_mark(hal, waiter | pool << 8, WL_MARK_WAIT);
}
