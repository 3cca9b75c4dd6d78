/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The ftl task's dealings with the hardware engines (contract.h): jobs for the job engine, and grace periods: a line is not
 * erased, a unit of the write buffer not used again, while a read that no core knows of may still use it.
 */
#include "models/firmware/tasks.h"

void wl_post_place_job(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_place_job* job) {
  const uint32_t produced = fw->place_ring->produced;
  WL_ASSERT(hal, produced - fw->place_ring->consumed <= fw->place_mask);
  fw->place_jobs[produced & fw->place_mask] = *job;
  fw->job_tag[job->id] = job->tag;
  WL_FENCE();
  fw->place_ring->produced = produced + 1;
  wl_write32(hal, WL_REGISTER(ENGINES.JOB_DOORBELL), produced + 1);
}

enum { NOW = 0, NEXT = 1 };

void wl_grace_unit(struct wl_firmware* fw, uint32_t unit) {
  wl_unit_push(fw, &fw->grace_units[NEXT], unit);
  fw->kick |= WL_KICK_GRACE;
}

void wl_grace_line(struct wl_firmware* fw, uint32_t line) {
  fw->line[line].next = fw->grace_lines[NEXT];
  fw->grace_lines[NEXT] = line;
  fw->kick |= WL_KICK_GRACE;
}

static bool ended(struct wl_firmware* fw, uint32_t kind) {
  if ((fw->grace_running & 1u << kind) == 0) return true;
  if (fw->grace->done[kind] != fw->grace_begun[kind]) return false;
  fw->grace_running &= ~(1u << kind);
  return true;
}

static void begin(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t kind) {
  fw->grace_running |= 1u << kind;
  ++fw->grace_begun[kind];
  wl_write32(hal, WL_REGISTER(ENGINES.GRACE), 1u << kind);
}

void wl_grace_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_GRACE);
  fw->kick &= ~(uint32_t)WL_KICK_GRACE; /* what comes is kicked, what runs ends with an interrupt */
  if ((fw->grace_running & WL_SCANNING) != 0 && fw->gc_list->done == fw->scans) {
    fw->grace_running &= ~WL_SCANNING;
    wl_gc_scanned(fw);
  }
  if ((fw->grace_running & WL_SEARCHING) != 0 && fw->victim_answer->done == fw->searches) {
    fw->grace_running &= ~WL_SEARCHING;
    wl_gc_searched(fw);
  }
  if (ended(fw, WL_GRACE_SLOTS)) {
    struct wl_list* now = &fw->grace_units[NOW];
    while (!wl_list_empty(now)) {
      const uint32_t unit = now->head;
      now->head = fw->units[unit].next;
      wl_unit_free(fw, unit);
    }
    *now = fw->grace_units[NEXT];
    wl_list_clear(&fw->grace_units[NEXT]);
    if (!wl_list_empty(now)) begin(fw, hal, WL_GRACE_SLOTS);
  }
  if (ended(fw, WL_GRACE_PLACES)) {
    uint32_t line = fw->grace_lines[NOW];
    while (line != WL_NONE) {
      const uint32_t next = fw->line[line].next;
      wl_line_erase(fw, line);
      line = next;
    }
    fw->grace_lines[NOW] = fw->grace_lines[NEXT];
    fw->grace_lines[NEXT] = WL_NONE;
    if (fw->grace_lines[NOW] != WL_NONE) begin(fw, hal, WL_GRACE_PLACES);
  }
}
