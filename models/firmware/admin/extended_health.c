/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/admin/extended_health.h"

#include "models/firmware/admin/health.h"
#include "models/firmware/admin/page.h"
#include "models/firmware/core/core.h"
#include "models/firmware/persist/mount.h"

enum { /* bytes of the page */
       MEDIA_WRITTEN = 0,
       BAD_USER_BLOCKS = 32,
       BAD_USER_NORMALIZED = 38,
       BAD_SYSTEM_NORMALIZED = 46,
       UNCORRECTABLE_READS = 56,
       MOST_ERASES = 88,
       LEAST_ERASES = 92,
       INCOMPLETE_SHUTDOWNS = 112,
       FREE_BLOCKS = 120,
       PLP_STARTS = 160,
       ENDURANCE = 176
};
#define ALL_GOOD 100u

static void put64(uint8_t* page, uint32_t at, uint64_t value) {
  wl_page_put(page, at, 4, (uint32_t)value);
  wl_page_put(page, at + 4, 4, (uint32_t)(value >> 32u));
}

static uint64_t bytes_of(const struct wl_firmware* fw, uint64_t lpages) {
  return lpages << (fw->boot.ftl.lpage_shift + 9u);
}

__attribute__((noinline, cold)) void wl_extended_smart_log(const struct wl_firmware* fw, const struct wl_hal* hal,
                                                           uint8_t* page) {
  const struct wl_firmware_statistics* s = &fw->statistics;
  const struct wl_health_terms* terms = &fw->boot.ftl.health;
  const uint32_t cuts = wl_unsafe_shutdowns(fw);
  const uint64_t programmed = s->lpages_programmed + s->failed_lpages + s->programs.repeated_lpages;
  const uint64_t lpages =
      (uint64_t)fw->boot.dies * fw->boot.planes * fw->boot.blocks * fw->boot.pages * fw->boot.lpages_per_page;
  wl_page_clear(page, WL_LOG_BYTES);
  put64(page, MEDIA_WRITTEN, bytes_of(fw, programmed));
  wl_page_put(page, BAD_USER_BLOCKS, 4, s->blocks.failed_blocks);
  wl_page_put(page, BAD_USER_NORMALIZED, 2, wl_spare_percent(fw));
  wl_page_put(page, BAD_SYSTEM_NORMALIZED, 2, ALL_GOOD);
  wl_page_put(page, UNCORRECTABLE_READS, 4, wl_read32(hal, WL_REGISTER(NVME.MEDIA_ERRORS)));
  wl_page_put(page, MOST_ERASES, 4, s->blocks.erases_most + terms->erases_before);
  wl_page_put(page, LEAST_ERASES, 4, s->blocks.erases_least + terms->erases_before);
  wl_page_put(page, INCOMPLETE_SHUTDOWNS, 4, fw->boot.power_safe ? 0 : cuts);
  wl_page_put(page, FREE_BLOCKS, 1, (uint32_t)((uint64_t)s->free_superblocks * 100u / fw->boot.blocks));
  wl_page_put(page, PLP_STARTS, 4, fw->boot.power_safe ? cuts : 0);
  put64(page, ENDURANCE, bytes_of(fw, lpages * terms->rated_erases));
}
