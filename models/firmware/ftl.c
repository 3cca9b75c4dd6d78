/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The ftl task: takes up requests of the host task and completions of the flash task, and runs the steps that may go on.
 * A step that has to wait drops its bit of `kick`; whatever it waits for sets it again. So nothing is polled.
 */
#include "models/firmware/tasks.h"

void wl_send_host_job(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_host_job* job) {
  *WL_QUEUE_IN(&fw->ftl_to_host, struct wl_host_job) = *job;
  wl_queue_push(&fw->ftl_to_host, hal);
  wl_notify(fw, hal, WL_TASK_HOST);
}

void wl_complete(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t status) {
  struct wl_host_job job = {0};
  job.op = WL_JOB_COMPLETE;
  job.tag = (uint16_t)tag;
  job.status = (uint16_t)status;
  --fw->active;
  wl_send_host_job(fw, hal, &job);
}

uint32_t wl_job_take(struct wl_firmware* fw, uint32_t waiter) {
  if (fw->free_jobs == 0) {
    fw->job_waiters |= waiter;
    return WL_NONE;
  }
  --fw->free_jobs;
  const uint32_t id = fw->free_job;
  fw->free_job = fw->jobs[id].index;
  return id;
}

void wl_job_release(struct wl_firmware* fw, uint32_t id) {
  fw->jobs[id].index = fw->free_job;
  fw->free_job = (uint16_t)id;
  ++fw->free_jobs;
  fw->kick |= fw->job_waiters;
  fw->job_waiters = 0;
}

static void send_flash_job(struct wl_firmware* fw, const struct wl_hal* hal) {
  wl_queue_push(&fw->ftl_to_flash, hal);
  wl_notify(fw, hal, WL_TASK_FLASH);
}

void wl_job_locate(const struct wl_firmware* fw, uint32_t place, struct wl_flash_job* job) {
  const struct wl_location at = wl_locate(&fw->geometry, place);
  job->die = (uint16_t)at.die;
  job->block = at.block;
  job->page = at.page;
  job->sector = (uint16_t)at.sector;
}

/* By the job engine, if there is one. */
static bool post(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t op, uint32_t id, uint32_t place, uint32_t count,
                 uint32_t slot, uint32_t priority, uint32_t tag, uint32_t flags) {
  if (!wl_engine(fw, WL_ENGINE_JOB)) {
    FW_TASK(hal, WL_COST_FTL_JOB);
    return false;
  }
  FW_TASK(hal, WL_COST_FTL_JOB_POST);
  const struct wl_place_job job = {(uint8_t)op, (uint8_t)priority, (uint16_t)id, (uint16_t)tag,
                                   (uint16_t)count, place, slot, flags};
  wl_post_place_job(fw, hal, &job);
  return true;
}

void wl_send_flash_read(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, uint32_t place, uint32_t count,
                        uint32_t slot, uint32_t priority, uint32_t tag, uint32_t flags) {
  if (post(fw, hal, WL_FLASH_READ, id, place, count, slot, priority, tag, flags)) return;
  struct wl_flash_job* job = WL_QUEUE_IN(&fw->ftl_to_flash, struct wl_flash_job);
  job->op = WL_FLASH_READ;
  job->priority = (uint8_t)priority;
  job->id = (uint16_t)id;
  job->tag = (uint16_t)tag;
  wl_job_locate(fw, place, job);
  job->count = (uint16_t)count;
  job->slot = slot;
  job->flags = flags;
  job->retry = fw->retry_rules.ort_first ? wl_retry_first(fw, id, job) : 0; /* no rules where hardware leads it */
  send_flash_job(fw, hal);
}

void wl_send_flash_program(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, uint32_t place, uint32_t slot,
                           uint32_t priority) {
  if (post(fw, hal, WL_FLASH_PROGRAM, id, place, fw->geometry.unit_sectors, slot, priority, WL_NO_TAG, 0)) return;
  struct wl_flash_job* job = WL_QUEUE_IN(&fw->ftl_to_flash, struct wl_flash_job);
  job->op = WL_FLASH_PROGRAM;
  job->priority = (uint8_t)priority;
  job->id = (uint16_t)id;
  job->tag = WL_NO_TAG;
  wl_job_locate(fw, place, job);
  job->count = (uint16_t)fw->geometry.unit_sectors;
  job->slot = slot;
  job->flags = 0;
  job->retry = 0;
  send_flash_job(fw, hal);
}

void wl_send_flash_erase(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, uint32_t line, uint32_t die) {
  struct wl_flash_job* job = WL_QUEUE_IN(&fw->ftl_to_flash, struct wl_flash_job);
  job->op = WL_FLASH_ERASE;
  job->priority = WL_PRIORITY_GC;
  job->id = (uint16_t)id;
  job->die = (uint16_t)die;
  job->tag = WL_NO_TAG;
  job->block = line;
  job->page = 0;
  job->sector = 0;
  job->count = 0;
  job->slot = 0;
  job->flags = 0;
  job->retry = 0;
  send_flash_job(fw, hal);
}

static void take_completion(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_flash_completion done = *WL_QUEUE_OUT(&fw->flash_to_ftl, struct wl_flash_completion);
  wl_queue_pop(&fw->flash_to_ftl);
  if (fw->retry != NULL) {
    struct wl_flash_completion attempt = done; /* apart: `done` stays in registers */
    if (wl_retry_completed(fw, hal, &attempt)) return;
    done = attempt;
  }
  const bool ok = done.status == WL_FLASH_OK;
  if (!ok && done.status == WL_FLASH_UNCORRECTABLE) fw->statistics.lost_history = done.history;
  const struct wl_job job = fw->jobs[done.id];
  if (job.kind == WL_JOB_KIND_PROGRAM && done.status == WL_FLASH_UNCORRECTABLE) { /* only the copy engine says so */
    FW_COMMAND(hal, WL_COMMAND_COLLECTION);
    wl_gc_copy_failed(fw, hal, done.id);
    return;
  }
  if (job.kind != WL_JOB_KIND_GC) wl_job_release(fw, done.id);
  switch (job.kind) {
    case WL_JOB_KIND_READ:
      FW_COMMAND(hal, WL_OP_READ);
      wl_read_flash_done(fw, hal, &job, ok);
      break;
    case WL_JOB_KIND_MERGE:
      FW_COMMAND(hal, WL_OP_WRITE);
      wl_write_merge_done(fw, hal, &job, ok);
      break;
    case WL_JOB_KIND_GC:
      FW_COMMAND(hal, WL_COMMAND_COLLECTION);
      wl_gc_read_done(fw, hal, done.id, ok);
      break;
    case WL_JOB_KIND_PROGRAM:
      FW_COMMAND(hal, wl_job_command(fw, &job));
      wl_program_done(fw, hal, &job, ok);
      break;
    case WL_JOB_KIND_ERASE:
      FW_COMMAND(hal, WL_COMMAND_COLLECTION);
      FW_TASK(hal, WL_COST_FTL_OTHER);
      wl_erase_done(fw, &job, ok);
      break;
    default: WL_ASSERT(hal, false);
  }
}

static void take_command(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_request* r) {
  struct wl_command* c = &fw->commands[r->tag];
  const uint32_t end = r->first + r->blocks;
  c->op = r->op;
  c->flags = r->flags;
  c->segments = 0;
  c->formed = 0;
  c->waiting = 0;
  c->status = WL_STATUS_OK;
  c->first = (uint8_t)r->first;
  c->last = (uint8_t)((end - 1) % 8 + 1);
  c->holds = 0;
  c->holds_unit = 0;
  c->automatic = 0;
  c->lpn = r->lpn;
  c->sectors = (end + 7) / 8;
  c->sector = 0;
  if (r->op == WL_OP_READ) {
    FW_COMMAND(hal, WL_OP_READ);
    FW_TASK(hal, WL_COST_FTL_READ);
    if (wl_list_empty(&fw->reads)) fw->kick |= WL_KICK_READ;
    wl_command_push(fw, &fw->reads, r->tag);
  } else {
    FW_COMMAND(hal, WL_OP_WRITE);
    FW_TASK(hal, WL_COST_FTL_WRITE);
    if (wl_list_empty(&fw->writes)) fw->kick |= WL_KICK_WRITE;
    wl_command_push(fw, &fw->writes, r->tag);
  }
}

static void take_request(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_request r = *WL_QUEUE_OUT(&fw->host_to_ftl, struct wl_request);
  /* Counted before it leaves the queue, so that wl_firmware_idle never misses it. */
  if (r.op != WL_REQUEST_DMA_DONE && (r.op != WL_OP_DEALLOCATE || (r.flags & WL_EVENT_LAST) != 0)) ++fw->active;
  wl_queue_pop(&fw->host_to_ftl);
  switch (r.op) {
    case WL_OP_READ:
    case WL_OP_WRITE: take_command(fw, hal, &r); break;
    case WL_REQUEST_DMA_DONE:
      if (fw->commands[r.tag].op == WL_OP_READ) {
        FW_COMMAND(hal, WL_OP_READ);
        wl_read_dma_done(fw, hal, r.tag);
      } else {
        FW_COMMAND(hal, WL_OP_WRITE);
        wl_write_dma_done(fw, hal, r.tag);
      }
      break;
    case WL_OP_FLUSH:
      FW_COMMAND(hal, WL_OP_FLUSH);
      FW_TASK(hal, WL_COST_FTL_OTHER);
      wl_flush(fw, hal, r.tag);
      break;
    case WL_OP_WRITE_ZEROES:
    case WL_OP_DEALLOCATE:
      FW_COMMAND(hal, WL_OP_DEALLOCATE);
      FW_TASK(hal, WL_COST_FTL_TRIM);
      wl_trim_add(fw, hal, &r);
      break;
    default: WL_ASSERT(hal, false);
  }
}

void wl_ftl_poll(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (!wl_queue_empty(&fw->flash_to_ftl)) take_completion(fw, hal);
  if (!wl_queue_empty(&fw->host_to_ftl)) take_request(fw, hal);
  if (fw->grace_running != 0 && wl_grace_ended(fw)) fw->kick |= WL_KICK_GRACE;
  const uint32_t kick = fw->kick;
  if (kick == 0) return;
  if (kick & WL_KICK_GRACE) {
    FW_COMMAND(hal, WL_COMMAND_COLLECTION);
    wl_grace_step(fw, hal);
  }
  if (kick & WL_KICK_READ) {
    FW_COMMAND(hal, WL_OP_READ);
    wl_read_step(fw, hal);
  }
  if (kick & WL_KICK_WRITE) {
    FW_COMMAND(hal, WL_OP_WRITE);
    wl_write_step(fw, hal);
  }
  if (kick & WL_KICK_PLACE) wl_place_step(fw, hal);
  if (kick & (WL_KICK_ERASE | WL_KICK_GC)) FW_COMMAND(hal, WL_COMMAND_COLLECTION);
  if (kick & WL_KICK_ERASE) wl_erase_step(fw, hal);
  if (kick & WL_KICK_GC) wl_gc_step(fw, hal);
  if (kick & WL_KICK_TRIM) {
    FW_COMMAND(hal, WL_OP_DEALLOCATE);
    wl_trim_step(fw, hal);
  }
}
