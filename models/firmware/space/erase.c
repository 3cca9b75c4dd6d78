/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The way of a line back to free: when nothing of it is read or moved any more, a die at a time.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/media/media.h"
#include "models/firmware/space/free_lines.h"
#include "models/firmware/space/marks.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/spares.h"
#include "models/firmware/space/wear.h"

enum { NOW = 0, NEXT = 1 };

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
  const struct wl_region* region = &s->region[0];
  if (s->stopped || s->programs != 0 || region->erasing_lines != 0) return;
  if (wl_stream_is_small(fw, stream) || s->region[1].leaving.lines + s->region[1].erasing_lines != 0) return;
  /* The host may write on when the collector wins a line, or finds that it cannot and lets it use up the open one. */
  const bool last = wl_stream_moves(stream) || (s->pace.no_gain && region->leaving.lines == 0);
  if (!last || waits_for_reads(fw)) return;
  s->stopped = true;
  s->read_only = true;
  wl_kick(fw, WL_STEP_WRITE);
}

static void queue(struct wl_firmware* fw, uint32_t line) {
  fw->space.line[line].next = WL_NONE;
  if (fw->space.erase_head == WL_NONE)
    fw->space.erase_head = line;
  else
    fw->space.line[fw->space.erase_tail].next = line;
  fw->space.erase_tail = line;
  wl_kick(fw, WL_STEP_ERASE);
}

/* Nobody reads the line any more. Blocks of which a program has failed are replaced first. */
static void erase(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->space.line[line];
  while (wl_spares_promised(fw, line)) (void)wl_spares_replace(fw, line);
  l->erase_next = 0;
  l->erases = 0;
  queue(fw, line);
}

/* The die to erase next. The line leaves the queue with the last one. */
static uint32_t next_die(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->space.line[line];
  const uint32_t dies = fw->boot.dies;
  const uint32_t die = l->erase_next < dies ? l->erase_next++ : wl_spares_replace(fw, line);
  const bool again = l->erase_next > dies && wl_spares_promised(fw, line);
  if (l->erase_next < dies || again) return die;
  l->erase_next = dies;
  fw->space.erase_head = l->next;
  return die;
}

static void quiesce(struct wl_firmware* fw, uint32_t line) {
  fw->space.line[line].next = fw->space.quiescing[NEXT];
  fw->space.quiescing[NEXT] = line;
  wl_kick(fw, WL_STEP_ENGINES);
}

void wl_line_try_erase(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->space.line[line];
  if (l->state != WL_LINE_DRAINING || l->reads != 0 || l->moving != 0) return;
  struct wl_region* region = wl_region_of(fw, line);
  --region->leaving.draining;
  --region->leaving.lines;
  if (l->valid != 0) { /* what could not be merged stays */
    region->leaving.valid -= l->valid;
    ++fw->statistics.small.returned;
    wl_line_closed(fw, line);
    wl_kick(fw, WL_STEP_GC);
    return;
  }
  if (l->bad) {
    wl_line_retire(fw, line);
    return;
  }
  l->state = WL_LINE_ERASING;
  ++region->erasing_lines;
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
__attribute__((noinline)) void wl_erase_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_OTHER);
  FW_COMMAND(hal, WL_COMMAND_COLLECTION);
  if (wl_marks_are_read(fw)) {
    wl_marks_step(fw, hal);
    return;
  }
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
    const uint32_t die = next_die(fw, line);
    job->index = (uint16_t)die;
    wl_send_flash_erase(fw, hal, id, line, die);
  }
}

bool wl_erase_done(struct wl_firmware* fw, uint32_t line, uint32_t die, uint32_t failed) {
  if (wl_marks_are_read(fw)) return wl_marks_done(fw, line, die, failed);
  struct wl_line* l = &fw->space.line[line];
  if (failed != 0 && !wl_spares_promise(fw, line, die, failed)) l->bad = 1;
  if (--l->erases != 0 || l->erase_next != fw->boot.dies) return false;
  if (!l->bad && wl_spares_promised(fw, line)) {
    l->erase_next = fw->boot.dies + 1; /* only dies with a block that is replaced */
    queue(fw, line);
    return false;
  }
  --wl_region_of(fw, line)->erasing_lines;
  if (l->bad) {
    wl_line_retire(fw, line);
    return false;
  }
  fw->space.stopped = false;
  wl_wear_erased(fw, line);
  const uint64_t erased = (uint64_t)l->units * wl_kind_of_line(fw, line)->unit_sectors;
  fw->statistics.erased_sectors += erased;
  if (wl_line_is_small(fw, line)) {
    ++fw->statistics.small.line_erases;
    fw->statistics.small.erased_sectors += erased;
  }
  wl_line_free(fw, line);
  wl_line_prepare(fw);
  wl_kick(fw, WL_STEP_PLACE | WL_STEP_GC);
  wl_kick_queued(fw, WL_STEP_WRITE); /* the host may have followed copies */
  return false;
}
