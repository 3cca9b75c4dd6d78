/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The collector's dealings with its engines (contract.h): asks for the line to collect, for its valid sectors, hands units to the copy
 * engine and reads what that could not read.
 */
#include "models/firmware/policy/policy.h"
#include "models/firmware/tasks.h"

/* ---- search for the victim ---- */

/* A search that finds nothing leaves gc_starved as it is: it is set when the search begins, and what becomes invalid, or is
 * closed, behind the search's back clears it. */
uint32_t wl_gc_search(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_GC_VICTIM);
  if ((fw->grace_running & WL_SEARCHING) != 0) return WL_ASKED;
  if (fw->answered) {
    fw->answered = false;
    const uint32_t line = fw->victim_answer->line;
    if (line == WL_LPN_NONE) {
      if (fw->gc_starved) return WL_NONE;
    } else if (fw->line[line].state == WL_LINE_CLOSED) {
      if (fw->line[line].valid < fw->geometry.line_sectors) {
        fw->gc_starved = false;
        fw->searched_from = line + 1 == fw->lines ? 0 : line + 1;
        return line;
      }
      if (fw->gc_starved) return WL_NONE; /* the emptiest is full */
    }
  }
  fw->gc_starved = true;
  ++fw->searches;
  fw->grace_running |= WL_SEARCHING;
  wl_write32(hal, WL_REGISTER(ENGINES.SEARCH), fw->searched_from);
  return WL_ASKED;
}

void wl_gc_searched(struct wl_firmware* fw) {
  fw->answered = true;
  fw->kick |= WL_KICK_GC;
}

/* ---- scan ---- */

void wl_gc_scan_begin(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t place, uint32_t end) {
  ++fw->scans;
  fw->grace_running |= WL_SCANNING;
  wl_write32(hal, WL_REGISTER(ENGINES.SCAN_END), end);
  wl_write32(hal, WL_REGISTER(ENGINES.SCAN), place);
}

void wl_gc_scanned(struct wl_firmware* fw) {
  fw->kick |= WL_KICK_GC;
  if (wl_engine(fw, WL_ENGINES_COLLECT)) {
    fw->line[fw->victim].moving += fw->gc_list->count; /* those whose programs have ended were taken off before */
    return;
  }
  fw->found = fw->gc_list->count;
  fw->found_used = 0;
  fw->scan = fw->gc_list->next - fw->victim * fw->geometry.line_sectors;
}

/* ---- copy ---- */

static void post(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_copy_job* job) {
  FW_TASK(hal, WL_COST_FTL_GC_COPY);
  const uint32_t produced = fw->copy_ring->produced;
  WL_ASSERT(hal, produced - fw->copy_ring->consumed <= fw->copy_mask);
  fw->copy_jobs[produced & fw->copy_mask] = *job;
  WL_FENCE();
  fw->copy_ring->produced = produced + 1;
  wl_write32(hal, WL_REGISTER(ENGINES.COPY_DOORBELL), produced + 1);
}

void wl_copy_post(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, uint32_t u, uint32_t flags) {
  const struct wl_unit* unit = &fw->units[u];
  const struct wl_copy_job job = {(uint16_t)id, (uint16_t)flags, unit->slot, unit->place};
  fw->job_tag[id] = WL_NO_TAG;
  post(fw, hal, &job);
}

/* The copy engine fills units with what its neighbour finds. It has so many slots as the victim and the lines before it need, and
 * always a unit, since a sector that becomes invalid while it waits for one is counted no more. */
enum wl_progress wl_gc_fill(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_line* l = &fw->line[fw->victim];
  if (fw->scan != 0 && (fw->grace_running & WL_SCANNING) == 0) return WL_SCANNED;
  if (fw->scan == 0) {
    FW_TASK(hal, WL_COST_FTL_GC);
    if (l->valid == 0) return WL_SCANNED;
    const uint32_t base = fw->victim * fw->geometry.line_sectors;
    fw->scan = fw->geometry.line_sectors;
    wl_gc_scan_begin(fw, hal, base, base + fw->geometry.line_sectors);
  }
  while (fw->filling == 0 || fw->filling < l->valid + fw->draining) {
    FW_TASK(hal, WL_COST_FTL_UNIT);
    if (fw->free_units[WL_STREAM_GC].head == WL_NO_INDEX) return WL_WAIT;
    const uint32_t line = fw->policy->place(fw, WL_STREAM_GC);
    if (line == WL_NONE) return WL_WAIT;
    const uint32_t id = wl_job_take(fw, WL_KICK_GC);
    if (id == WL_NONE) return WL_WAIT;
    const uint32_t u = wl_unit_open(fw, WL_STREAM_GC);
    fw->open_unit[WL_STREAM_GC] = WL_NONE;
    fw->units[u].filled = (uint16_t)fw->geometry.unit_sectors;
    wl_unit_place(fw, u, line, id);
    fw->filling += fw->geometry.unit_sectors;
    fw->fill_open = true;
    wl_copy_post(fw, hal, id, u, WL_COPY_FILL);
  }
  return WL_WAIT;
}

/* Units that are not full get padding: lines wait for them, and nothing is left to collect. */
void wl_gc_fill_close(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (!fw->fill_open) return;
  fw->fill_open = false;
  const struct wl_copy_job job = {0, WL_COPY_CLOSE, 0, 0};
  post(fw, hal, &job);
}

/* The next sector of the unit that the engine could not read, from job->slot on; false: there is none. */
static bool read_failed(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id) {
  struct wl_job* job = &fw->jobs[id];
  const uint32_t end = fw->units[job->index].slot + fw->geometry.unit_sectors;
  for (; job->slot != end; ++job->slot) {
    struct wl_gc_source* source = &fw->gc_from[job->slot - fw->gc_slot0];
    if (source->place == WL_NONE || (source->place & WL_COPY_FAILED) == 0) continue;
    source->place &= ~WL_COPY_FAILED;
    wl_send_flash_read(fw, hal, id, source->place, 1, job->slot, WL_PRIORITY_GC, WL_NO_TAG, 0);
    return true;
  }
  return false;
}

/* Job `id` goes over the unit and keeps its place; one sector is read at a time, to lose no more than necessary. */
void wl_gc_copy_failed(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id) {
  FW_TASK(hal, WL_COST_FTL_READ_DONE);
  struct wl_job* job = &fw->jobs[id];
  job->kind = WL_JOB_KIND_GC;
  job->slot = fw->units[job->index].slot;
  const bool some = read_failed(fw, hal, id);
  WL_ASSERT(hal, some);
}

void wl_gc_copy_read(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, bool ok) {
  struct wl_job* job = &fw->jobs[id];
  if (!ok) wl_gc_lose(fw, hal, job->slot - fw->gc_slot0);
  ++job->slot;
  if (read_failed(fw, hal, id)) return;
  job->kind = WL_JOB_KIND_PROGRAM;
  wl_copy_post(fw, hal, id, job->index, WL_COPY_READY);
}
