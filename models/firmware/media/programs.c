/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/media/programs.h"

#include "models/firmware/core/core.h"
#include "models/firmware/media/media.h"
#include "models/firmware/media/state.h"

void wl_programs_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  struct wl_media* m = wl_media_state(fw);
  if (!m->plan.programs) return;
  m->program_sets = wl_arena_take(tcm, WL_PROGRAM_SETS * sizeof(m->program_sets[0]));
  m->program_reports = wl_arena_take(tcm, (uint64_t)m->job_count * sizeof(m->program_reports[0]));
}

void wl_programs_boot(const struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_media* m = wl_media_view(fw);
  if (!m->plan.programs) return;
  wl_write32(hal, WL_REGISTER(FLASH.PROGRAM_SETS), wl_bus_address(hal, m->program_sets));
  wl_write32(hal, WL_REGISTER(FLASH.PROGRAM_SET_COUNT), WL_PROGRAM_SETS);
  wl_write32(hal, WL_REGISTER(FLASH.PROGRAM_REPORTS), wl_bus_address(hal, m->program_reports));
  wl_write32(hal, WL_REGISTER(FLASH.PROGRAM_REPORT_COUNT), m->job_count);
}

bool wl_media_program_set(struct wl_firmware* fw, uint32_t number, const struct wl_program_set* set) {
  struct wl_media* m = wl_media_state(fw);
  if (!m->plan.programs || number == 0 || number >= WL_PROGRAM_SETS) return false;
  m->program_sets[number] = *set;
  return true;
}

const struct wl_program_report* wl_media_report(const struct wl_firmware* fw, uint32_t id) {
  const struct wl_media* m = wl_media_view(fw);
  return m->plan.programs ? &m->program_reports[id] : NULL;
}
