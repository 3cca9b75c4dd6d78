/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/through.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/service/commands.h"
#include "models/firmware/service/state.h"

void wl_through_begins(struct wl_firmware* fw) { ++wl_service_state(fw)->through.arriving; }

void wl_through_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  struct wl_through* t = &wl_service_state(fw)->through;
  if (!wl_writes_through(fw)) return;
  t->words = (fw->boot.host_tags + 31) / 32;
  t->waiting = wl_arena_take(tcm, (uint64_t)wl_units_host(fw) * t->words * sizeof(t->waiting[0]));
}

__attribute__((noinline)) void wl_through_awaits(struct wl_firmware* fw, uint32_t tag, wl_unit_t unit) {
  uint32_t* word = &wl_service_state(fw)->through.waiting[unit * wl_service_state(fw)->through.words + tag / 32];
  const uint32_t bit = 1u << tag % 32;
  if ((*word & bit) != 0) return;
  *word |= bit;
  ++wl_command_of(fw, tag)->programs;
}

__attribute__((noinline)) void wl_through_arrived(struct wl_firmware* fw) {
  if (--wl_service_state(fw)->through.arriving == 0) wl_buffer_close(fw);
}

void wl_through_blocked(struct wl_firmware* fw) {
  if (wl_writes_through(fw)) wl_buffer_close(fw);
}

/* Commands wait for one unit less; those that wait for no other end with `status`. One that still has data to
 * come waits for these. */
static void end_of(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t unit, uint32_t status) {
  const struct wl_through* t = &wl_service_state(fw)->through;
  for (uint32_t i = 0; i < t->words; ++i) {
    uint32_t* word = &t->waiting[unit * t->words + i];
    for (uint32_t bit = 0; *word != 0; ++bit) {
      if ((*word >> bit & 1) == 0) continue;
      *word &= ~(1u << bit);
      struct wl_command* c = wl_command_of(fw, i * 32 + bit);
      if (status != WL_STATUS_OK) c->status = (uint16_t)status;
      if (--c->programs == 0 && c->lpage == c->lpages && c->segments == 0)
        wl_complete(fw, hal, i * 32 + bit, c->status);
    }
  }
}

__attribute__((noinline)) void wl_through_programmed(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t unit) {
  end_of(fw, hal, unit, WL_STATUS_OK);
}

__attribute__((noinline)) void wl_through_stop(struct wl_firmware* fw, const struct wl_hal* hal) {
  for (wl_unit_t u = 0; u < wl_units_host(fw); ++u) end_of(fw, hal, u, WL_STATUS_WRITE_FAULT);
}
