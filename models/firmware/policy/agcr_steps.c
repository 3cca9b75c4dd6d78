/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/policy/agcr_steps.h"

#include "models/firmware/media/media.h"
#include "models/firmware/policy/keys.h"
#include "models/firmware/policy/state.h"
#include "models/firmware/space/space.h"

uint64_t wl_agcr_steps_bytes(const struct wl_boot_info* boot) {
  return (uint64_t)boot->blocks * boot->dies * (boot->pages / boot->pages_per_program);
}

void wl_agcr_steps_begin(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_agcr_rules* rules = &wl_policy_keys(&fw->boot)->agcr;
  const struct wl_program_set coarse = {.step_mv = rules->coarse_step_mv}, fine = {.step_mv = rules->fine_step_mv};
  const bool known = wl_media_program_set(fw, WL_AGCR_COARSE, &coarse) && wl_media_program_set(fw, WL_AGCR_FINE, &fine);
  WL_ASSERT(hal, known);
  if (rules->senses[WL_AGCR_DEFAULT] == 0) wl_media_reads_as_always(fw);
}

static uint8_t* entry_of(const struct wl_firmware* fw, wl_ppa_t ppa) {
  return (uint8_t*)wl_policies_view(fw)->table + ppa / fw->geometry.unit_lpages;
}

enum wl_agcr_step wl_agcr_step_at(const struct wl_firmware* fw, wl_ppa_t ppa) {
  const uint8_t* entry = entry_of(fw, ppa);
  return (enum wl_agcr_step)(*entry ^ wl_policy_keys(&fw->boot)->agcr.initial); /* memory is zeros at first */
}

void wl_agcr_lies(struct wl_firmware* fw, wl_ppa_t ppa, enum wl_agcr_step step) {
  *entry_of(fw, ppa) = (uint8_t)(step ^ wl_policy_keys(&fw->boot)->agcr.initial);
  fw->statistics.steps.programmed[step] += fw->geometry.unit_lpages;
}

enum wl_verdict wl_agcr_programmed(struct wl_firmware* fw, wl_ppa_t ppa, uint32_t control,
                                   const struct wl_program_report* report, bool failed) {
  (void)report;
  if (!failed) wl_agcr_lies(fw, ppa, (enum wl_agcr_step)(control & WL_PROGRAM_SET));
  return WL_PROGRAM_OK;
}

uint32_t wl_agcr_read_start(const struct wl_firmware* fw, wl_ppa_t ppa) {
  const uint32_t senses = wl_policy_keys(&fw->boot)->agcr.senses[wl_agcr_step_at(fw, ppa)];
  return senses <= 1 ? 0 : WL_RETRY_SET | senses << WL_RETRY_SENSES_SHIFT; /* one: as any read */
}

void wl_agcr_read(struct wl_firmware* fw, uint32_t count, wl_ppa_t ppa) {
  fw->statistics.steps.read[wl_agcr_step_at(fw, ppa)] += count;
}

bool wl_agcr_is_busy(const struct wl_firmware* fw, wl_superblock_t superblock) {
  const uint32_t die = wl_superblock(fw, superblock)->units % fw->geometry.dies; /* dies in turn, in every order */
  return wl_media_die_jobs(fw, die) >= wl_policy_keys(&fw->boot)->agcr.queue;
}
