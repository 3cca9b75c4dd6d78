/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/admin/health.h"

#include "models/firmware/admin/page.h"
#include "models/firmware/core/core.h"
#include "models/firmware/persist/mount.h"
#include "models/firmware/space/space.h"

enum { /* bytes of the page */
       CRITICAL_WARNING = 0,
       TEMPERATURE = 1,
       SPARE = 3,
       SPARE_THRESHOLD = 4,
       USED = 5,
       DATA_UNITS_READ = 32,
       DATA_UNITS_WRITTEN = 48,
       READ_COMMANDS = 64,
       WRITE_COMMANDS = 80,
       POWER_CYCLES = 112,
       UNSAFE_SHUTDOWNS = 144,
       MEDIA_ERRORS = 160,
       ERROR_LOG_ENTRIES = 176
};
#define MOST_USED 255u /* the field has no larger value */

uint32_t wl_spare_percent(const struct wl_firmware* fw) {
  struct wl_spare_capacity spare = wl_space_spare(fw);
  if (spare.blocks == 0) return wl_space_read_only(fw) ? 0 : 100;
  while (spare.blocks > UINT32_MAX / 100u) {
    spare.blocks >>= 1u;
    spare.left >>= 1u;
  }
  return spare.left * 100u / spare.blocks;
}

static uint32_t used_percent(const struct wl_firmware* fw) {
  const struct wl_health_terms* terms = &fw->boot.ftl.health;
  const uint64_t erases = fw->statistics.blocks.superblock_erases + (uint64_t)terms->erases_before * fw->boot.blocks;
  const uint64_t life = (uint64_t)terms->rated_erases * fw->boot.blocks;
  const uint64_t used = erases * 100u / life;
  return used < MOST_USED ? (uint32_t)used : MOST_USED;
}

uint32_t wl_critical_warnings(const struct wl_firmware* fw, uint32_t over, uint32_t under) {
  uint32_t warnings = 0;
  if (wl_spare_percent(fw) < WL_SPARE_THRESHOLD) warnings |= WL_WARNING_SPARE;
  if (fw->boot.ftl.health.temperature >= over || fw->boot.ftl.health.temperature <= under)
    warnings |= WL_WARNING_TEMPERATURE;
  if (wl_space_stopped(fw)) warnings |= WL_WARNING_RELIABILITY;
  if (wl_space_read_only(fw)) warnings |= WL_WARNING_READ_ONLY;
  return warnings;
}

void wl_smart_log(const struct wl_firmware* fw, const struct wl_hal* hal, uint32_t warnings, uint8_t* page) {
  wl_page_clear(page, WL_LOG_BYTES);
  wl_page_put(page, CRITICAL_WARNING, 1, warnings);
  wl_page_put(page, TEMPERATURE, 2, fw->boot.ftl.health.temperature);
  wl_page_put(page, SPARE, 1, wl_spare_percent(fw));
  wl_page_put(page, SPARE_THRESHOLD, 1, WL_SPARE_THRESHOLD);
  wl_page_put(page, USED, 1, used_percent(fw));
  wl_page_put(page, DATA_UNITS_READ, 4, wl_read32(hal, WL_REGISTER(NVME.DATA_UNITS_READ)));
  wl_page_put(page, DATA_UNITS_WRITTEN, 4, wl_read32(hal, WL_REGISTER(NVME.DATA_UNITS_WRITTEN)));
  wl_page_put(page, READ_COMMANDS, 4, wl_read32(hal, WL_REGISTER(NVME.READ_COMMANDS)));
  wl_page_put(page, WRITE_COMMANDS, 4, wl_read32(hal, WL_REGISTER(NVME.WRITE_COMMANDS)));
  wl_page_put(page, POWER_CYCLES, 4, wl_power_cycles(fw));
  wl_page_put(page, UNSAFE_SHUTDOWNS, 4, wl_unsafe_shutdowns(fw));
  wl_page_put(page, MEDIA_ERRORS, 4, wl_read32(hal, WL_REGISTER(NVME.MEDIA_ERRORS)));
  wl_page_put(page, ERROR_LOG_ENTRIES, 4, wl_read32(hal, WL_REGISTER(NVME.ERRORS)));
}
