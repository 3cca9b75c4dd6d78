/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The way of a line back to free: when nothing of it is read or moved any more, a die at a time.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/media/media.h"
#include "models/firmware/space/free_lines.h"
#include "models/firmware/space/space.h"

enum { NOW = 0, NEXT = 1 };

static void retire(struct wl_firmware* fw, uint32_t line) {
  fw->space.line[line].state = WL_LINE_RETIRED;
  if (fw->space.lines - ++fw->space.retired_lines < fw->space.needed_lines) fw->space.read_only = true;
  wl_kick(fw, WL_STEP_WRITE | WL_STEP_GC | WL_STEP_PLACE);
}

/* Lines that are empty but for reads will be erased. */
static bool waits_for_reads(const struct wl_firmware* fw) {
  for (uint32_t line = 0; line != fw->space.lines; ++line) {
    const struct wl_line* l = &fw->space.line[line];
    if (l->state == WL_LINE_DRAINING && l->moving == 0) return true;
  }
  return false;
}

__attribute__((noinline)) void wl_space_no_place(struct wl_firmware* fw, uint32_t stream) {
  struct wl_space* s = &fw->space;
  if (s->stopped || s->programs != 0 || s->erasing_lines != 0) return;
  /* The host may write on when the collector wins a line, or finds that it cannot and lets it use up the open one. */
  const bool last = stream == WL_STREAM_GC || (s->pace.no_gain && s->leaving.lines == 0);
  if (!last || waits_for_reads(fw)) return;
  s->stopped = true;
  s->read_only = true;
  wl_kick(fw, WL_STEP_WRITE);
}

/* Nobody reads the line any more. */
static void erase(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->space.line[line];
  l->erase_next = 0;
  l->erases = 0;
  l->next = WL_NONE;
  if (fw->space.erase_head == WL_NONE)
    fw->space.erase_head = line;
  else
    fw->space.line[fw->space.erase_tail].next = line;
  fw->space.erase_tail = line;
  wl_kick(fw, WL_STEP_ERASE);
}

static void quiesce(struct wl_firmware* fw, uint32_t line) {
  fw->space.line[line].next = fw->space.quiescing[NEXT];
  fw->space.quiescing[NEXT] = line;
  wl_kick(fw, WL_STEP_ENGINES);
}

void wl_line_try_erase(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->space.line[line];
  if (l->state != WL_LINE_DRAINING || l->reads != 0 || l->moving != 0) return;
  --fw->space.leaving.draining;
  --fw->space.leaving.lines;
  if (l->bad) {
    retire(fw, line);
    return;
  }
  l->state = WL_LINE_ERASING;
  ++fw->space.erasing_lines;
  if (wl_has_engines(fw, WL_ENGINES_FLASH))
    quiesce(fw, line);
  else
    erase(fw, line);
}

void wl_lines_quiescent(struct wl_firmware* fw, const struct wl_hal* hal) {
  uint32_t* waiting = fw->space.quiescing;
  uint32_t line = waiting[NOW];
  while (line != WL_NONE) {
    const uint32_t next = fw->space.line[line].next;
    erase(fw, line);
    line = next;
  }
  waiting[NOW] = waiting[NEXT];
  waiting[NEXT] = WL_NONE;
  if (waiting[NOW] != WL_NONE) wl_engine_ask_quiescence(fw, hal, WL_ANSWER_PLACES);
}

/* A few erases per poll; they leave job ids to reads and programs. */
void wl_erase_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_OTHER);
  FW_COMMAND(hal, WL_COMMAND_COLLECTION);
  for (uint32_t budget = 8; budget != 0; --budget) {
    const uint32_t line = fw->space.erase_head;
    if (line == WL_NONE) {
      wl_rest(fw, WL_STEP_ERASE);
      return;
    }
    if (wl_jobs_free(fw) <= wl_jobs(fw) / 4) {
      wl_rest(fw, WL_STEP_ERASE);
      wl_job_await(fw, WL_STEP_ERASE);
      return;
    }
    struct wl_line* l = &fw->space.line[line];
    WL_ASSERT(hal, l->valid == 0);
    const uint32_t id = wl_job_take(fw, WL_STEP_ERASE);
    struct wl_job* job = wl_job(fw, id);
    job->kind = WL_JOB_KIND_ERASE;
    job->command = WL_COMMAND_COLLECTION;
    job->line = line;
    ++l->erases;
    wl_send_flash_erase(fw, hal, id, line, l->erase_next);
    if (++l->erase_next == fw->boot.dies) fw->space.erase_head = l->next;
  }
}

void wl_erase_done(struct wl_firmware* fw, uint32_t line, bool ok) {
  struct wl_line* l = &fw->space.line[line];
  if (!ok) l->bad = 1;
  if (--l->erases != 0 || l->erase_next != fw->boot.dies) return;
  --fw->space.erasing_lines;
  if (l->bad) {
    retire(fw, line);
    return;
  }
  fw->space.stopped = false;
  fw->statistics.erased_sectors += (uint64_t)l->units * fw->geometry.unit_sectors;
  wl_line_free(fw, line);
  wl_line_prepare(fw);
  wl_kick(fw, WL_STEP_PLACE | WL_STEP_GC);
  wl_kick_queued(fw, WL_STEP_WRITE); /* the host may have followed copies */
}
