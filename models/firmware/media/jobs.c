/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/media/media.h"
#include "models/firmware/media/state.h"

static uint32_t kept_free(const struct wl_firmware* fw) {
  return wl_has_parity(fw) ? wl_media_view(fw)->parity->kept_free : 0;
}

bool wl_media_idle(const struct wl_firmware* fw) {
  return wl_media_view(fw)->free_jobs + kept_free(fw) == wl_media_view(fw)->job_count &&
         wl_queue_empty(&wl_media_view(fw)->to_flash) && wl_queue_empty(&wl_media_view(fw)->from_flash);
}

uint32_t wl_jobs(const struct wl_firmware* fw) { return wl_media_view(fw)->job_count; }
uint32_t wl_jobs_free(const struct wl_firmware* fw) { return wl_media_view(fw)->free_jobs; }
const struct wl_job* wl_job(const struct wl_firmware* fw, uint32_t id) { return &wl_media_view(fw)->jobs[id]; }
void wl_job_await(struct wl_firmware* fw, uint32_t steps) { wl_media_state(fw)->job_waiters |= steps; }
inline uint32_t wl_job_take(struct wl_firmware* fw,
                            uint32_t waiter) { /* WL_NONE: none left, `waiter` is kicked later */
  if (wl_media_state(fw)->free_jobs == 0) {
    wl_job_await(fw, waiter);
    return WL_NONE;
  }
  --wl_media_state(fw)->free_jobs;
  const uint32_t id = wl_media_state(fw)->free_job;
  wl_media_state(fw)->free_job = wl_media_state(fw)->jobs[id].index;
  return id;
}

void wl_job_release(struct wl_firmware* fw, uint32_t id) {
  wl_media_state(fw)->jobs[id].index = wl_media_state(fw)->free_job;
  wl_media_state(fw)->free_job = (uint16_t)id;
  ++wl_media_state(fw)->free_jobs;
  wl_kick(fw, wl_media_state(fw)->job_waiters);
  wl_media_state(fw)->job_waiters = 0;
}

uint32_t wl_job_take_kept(struct wl_firmware* fw) {
  struct wl_media_parity* p = wl_media_state(fw)->parity;
  if (p->kept_free == 0) return WL_NONE;
  --p->kept_free;
  const uint32_t id = p->kept_job;
  p->kept_job = wl_media_state(fw)->jobs[id].index;
  return id;
}

void wl_job_release_kept(struct wl_firmware* fw, uint32_t id) {
  struct wl_media_parity* p = wl_media_state(fw)->parity;
  wl_media_state(fw)->jobs[id].index = p->kept_job;
  p->kept_job = (uint16_t)id;
  ++p->kept_free;
}

void wl_job_is(struct wl_firmware* fw, uint32_t id, enum wl_job_kind kind, uint32_t command, uint32_t index,
               wl_superblock_t superblock) {
  struct wl_job* job = &wl_media_state(fw)->jobs[id];
  job->kind = (uint8_t)kind;
  job->command = (uint8_t)command;
  job->index = (uint16_t)index;
  job->superblock = superblock;
}

void wl_job_is_read(struct wl_firmware* fw, uint32_t id, uint32_t tag, uint32_t segment, wl_superblock_t superblock) {
  wl_job_is(fw, id, WL_JOB_KIND_READ, WL_OP_READ, tag, superblock);
  wl_media_state(fw)->jobs[id].segment = (uint8_t)segment;
}

void wl_job_is_merge(struct wl_firmware* fw, uint32_t id, uint32_t tag, uint32_t segment, wl_superblock_t superblock,
                     wl_slot_t slot, uint32_t count, uint32_t rest) {
  struct wl_job* job = &wl_media_state(fw)->jobs[id];
  wl_job_is(fw, id, WL_JOB_KIND_MERGE, WL_OP_WRITE, tag, superblock);
  job->segment = (uint8_t)segment;
  job->slot = slot;
  job->count = (uint16_t)count;
  job->rest = (uint16_t)rest;
}

void wl_job_is_move(struct wl_firmware* fw, uint32_t id, uint32_t unit, wl_superblock_t superblock, wl_slot_t slot,
                    uint32_t count) {
  struct wl_job* job = &wl_media_state(fw)->jobs[id];
  wl_job_is(fw, id, WL_JOB_KIND_MOVE, WL_COMMAND_GC, unit, superblock);
  job->slot = slot;
  job->count = (uint16_t)count;
  job->rest = 0;
}

void wl_job_split(struct wl_firmware* fw, uint32_t id) {
  wl_media_state(fw)->jobs[id].rest = (uint16_t)(wl_media_state(fw)->jobs[id].count - 1u);
  wl_media_state(fw)->jobs[id].count = 1;
}

void wl_job_next_lpage(struct wl_firmware* fw, uint32_t id) {
  ++wl_media_state(fw)->jobs[id].slot;
  --wl_media_state(fw)->jobs[id].rest;
}

void wl_job_reads_slot(struct wl_firmware* fw, uint32_t id, wl_slot_t slot) {
  wl_media_state(fw)->jobs[id].kind = WL_JOB_KIND_MOVE;
  wl_media_state(fw)->jobs[id].slot = slot;
}

void wl_job_programs_again(struct wl_firmware* fw, uint32_t id) {
  wl_media_state(fw)->jobs[id].kind = WL_JOB_KIND_PROGRAM;
}

void wl_job_untagged(struct wl_firmware* fw, uint32_t id) { wl_media_state(fw)->job_tag[id] = WL_NO_TAG; }
uint32_t wl_media_die_jobs(const struct wl_firmware* fw, uint32_t die) { return wl_media_view(fw)->die_jobs[die]; }
