/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines (superblocks): free list, valid counts, buckets of closed lines by valid count (none with the victim engine), erase.
 * Free lines are used in the order in which they became free, which spreads wear. A line with a failed program or erase is
 * retired when it would become free; too many of these make the drive read-only.
 */
#include "models/firmware/tasks.h"

static uint32_t bucket_of(const struct wl_firmware* fw, uint32_t valid) { return valid >> fw->bucket_shift; }

static void bucket_insert(struct wl_firmware* fw, uint32_t line) {
  if (wl_engine(fw, WL_ENGINE_VICTIM)) return;
  struct wl_line* l = &fw->line[line];
  const uint32_t b = bucket_of(fw, l->valid);
  l->next = WL_NONE;
  l->prev = fw->bucket_tail[b];
  if (l->prev != WL_NONE)
    fw->line[l->prev].next = line;
  else
    fw->bucket_head[b] = line;
  fw->bucket_tail[b] = line;
  if (b < fw->bucket_min) fw->bucket_min = b;
}

static void bucket_remove(struct wl_firmware* fw, uint32_t line, uint32_t b) {
  if (wl_engine(fw, WL_ENGINE_VICTIM)) return;
  const struct wl_line* l = &fw->line[line];
  if (l->prev != WL_NONE)
    fw->line[l->prev].next = l->next;
  else
    fw->bucket_head[b] = l->next;
  if (l->next != WL_NONE)
    fw->line[l->next].prev = l->prev;
  else
    fw->bucket_tail[b] = l->prev;
}

static void free_push(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->line[line];
  l->state = WL_LINE_FREE;
  l->next = WL_NONE;
  if (fw->free_head == WL_NONE)
    fw->free_head = line;
  else
    fw->line[fw->free_tail].next = line;
  fw->free_tail = line;
  ++fw->statistics.free_lines;
}

void wl_lines_boot(struct wl_firmware* fw) {
  fw->bucket_shift = 0;
  while (fw->geometry.line_sectors >> fw->bucket_shift > WL_BUCKETS) ++fw->bucket_shift;
  for (uint32_t b = 0; b <= WL_BUCKETS; ++b) fw->bucket_head[b] = fw->bucket_tail[b] = WL_NONE;
  fw->bucket_min = WL_BUCKETS + 1;
  fw->free_head = fw->free_tail = WL_NONE;
  fw->erase_head = fw->erase_tail = WL_NONE;
  fw->open_line[WL_STREAM_HOST] = fw->open_line[WL_STREAM_GC] = WL_NONE;
  uint32_t filled = fw->boot.preconditioned ? fw->boot.user_sectors : 0;
  for (uint32_t line = 0; line < fw->lines; ++line) {
    struct wl_line* l = &fw->line[line];
    l->valid = filled < fw->geometry.line_sectors ? filled : fw->geometry.line_sectors;
    filled -= l->valid;
    if (l->valid != 0) {
      l->state = WL_LINE_CLOSED;
      l->units = fw->geometry.line_units;
      bucket_insert(fw, line);
    } else {
      free_push(fw, line);
    }
  }
}

/* Once this was called, little is left of a stretch of code that a cost tag marks: the move has a tag of its own. */
void wl_line_invalidate(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t line) {
  struct wl_line* l = &fw->line[line];
  const uint32_t before = bucket_of(fw, l->valid);
  --l->valid;
  if (fw->gc_starved) {
    fw->gc_starved = false;
    fw->kick |= WL_KICK_GC;
  }
  if (l->state != WL_LINE_CLOSED || wl_engine(fw, WL_ENGINE_VICTIM) || bucket_of(fw, l->valid) == before) return;
  FW_TASK(hal, WL_COST_FTL_LINE_MOVE);
  bucket_remove(fw, line, before);
  bucket_insert(fw, line);
}

uint32_t wl_line_open(struct wl_firmware* fw, uint32_t stream) {
  const uint32_t line = fw->free_head;
  if (line == WL_NONE) return WL_NONE;
  struct wl_line* l = &fw->line[line];
  fw->free_head = l->next;
  --fw->statistics.free_lines;
  l->state = WL_LINE_OPEN;
  l->units = 0;
  l->valid = 0;
  l->programs = 0;
  fw->open_line[stream] = line;
  fw->kick |= WL_KICK_GC;
  return line;
}

static void close_if_done(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->line[line];
  if (l->state != WL_LINE_CLOSING || l->programs != 0) return;
  l->state = WL_LINE_CLOSED;
  bucket_insert(fw, line);
  if (fw->gc_starved) {
    fw->gc_starved = false;
    fw->kick |= WL_KICK_GC;
  }
}

void wl_line_close(struct wl_firmware* fw, uint32_t line) {
  for (uint32_t s = 0; s < WL_STREAMS; ++s)
    if (fw->open_line[s] == line) fw->open_line[s] = WL_NONE;
  fw->line[line].state = WL_LINE_CLOSING;
  close_if_done(fw, line);
}

void wl_line_program_done(struct wl_firmware* fw, uint32_t line, uint32_t valid) {
  fw->line[line].valid += valid;
  --fw->line[line].programs;
  close_if_done(fw, line);
}

void wl_line_take(struct wl_firmware* fw, uint32_t line) {
  bucket_remove(fw, line, bucket_of(fw, fw->line[line].valid));
  fw->line[line].state = WL_LINE_VICTIM;
  fw->line[line].moving = 0;
}

void wl_line_read_done(struct wl_firmware* fw, uint32_t line) {
  if (--fw->line[line].reads == 0) wl_line_try_erase(fw, line);
}

static void retire(struct wl_firmware* fw, uint32_t line) {
  fw->line[line].state = WL_LINE_RETIRED;
  if (fw->lines - ++fw->retired_lines < fw->needed_lines) fw->read_only = true;
  fw->kick |= WL_KICK_WRITE | WL_KICK_GC;
}

void wl_line_try_erase(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->line[line];
  if (l->state != WL_LINE_DRAINING || l->reads != 0 || l->moving != 0) return;
  if (l->bad) {
    retire(fw, line);
    return;
  }
  l->state = WL_LINE_ERASING;
  ++fw->erasing_lines;
  if (wl_engine(fw, WL_ENGINES_FLASH))
    wl_grace_line(fw, line);
  else
    wl_line_erase(fw, line);
}

/* Nobody reads the line any more. */
void wl_line_erase(struct wl_firmware* fw, uint32_t line) {
  struct wl_line* l = &fw->line[line];
  l->erase_next = 0;
  l->erases = 0;
  l->next = WL_NONE;
  if (fw->erase_head == WL_NONE)
    fw->erase_head = line;
  else
    fw->line[fw->erase_tail].next = line;
  fw->erase_tail = line;
  fw->kick |= WL_KICK_ERASE;
}

/* A few erases per poll; they leave job ids to reads and programs. */
void wl_erase_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_OTHER);
  for (uint32_t budget = 8; budget != 0; --budget) {
    const uint32_t line = fw->erase_head;
    if (line == WL_NONE) {
      fw->kick &= ~(uint32_t)WL_KICK_ERASE;
      return;
    }
    if (fw->free_jobs <= fw->job_count / 4) {
      fw->kick &= ~(uint32_t)WL_KICK_ERASE;
      fw->job_waiters |= WL_KICK_ERASE;
      return;
    }
    struct wl_line* l = &fw->line[line];
    WL_ASSERT(hal, l->valid == 0);
    const uint32_t id = wl_job_take(fw, WL_KICK_ERASE);
    struct wl_job* job = &fw->jobs[id];
    job->kind = WL_JOB_KIND_ERASE;
    job->line = line;
    ++l->erases;
    wl_send_flash_erase(fw, hal, id, line, l->erase_next);
    if (++l->erase_next == fw->boot.dies) fw->erase_head = l->next;
  }
}

void wl_erase_done(struct wl_firmware* fw, const struct wl_job* job, bool ok) {
  struct wl_line* l = &fw->line[job->line];
  if (!ok) l->bad = 1;
  if (--l->erases != 0 || l->erase_next != fw->boot.dies) return;
  --fw->erasing_lines;
  if (l->bad) {
    retire(fw, job->line);
    return;
  }
  free_push(fw, job->line);
  fw->kick |= WL_KICK_PLACE | WL_KICK_GC;
}
