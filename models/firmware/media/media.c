/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Flash jobs of the ftl task, by PPA: the job engine makes them, if there is one, else they are made here.
 */
#include "models/firmware/media/media.h"

#include "models/firmware/core/rings.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/media/programs.h"
#include "models/firmware/media/retry.h"
#include "models/firmware/media/state.h"

#define KEPT_SHARE 8u /* of the job ids one in so many, and */
#define KEPT_MOST 64u /* ... no more than so many, are kept for rebuilds */

static uint64_t channel_ring_bytes(const struct wl_media* m) {
  return WL_RING_ENTRIES + (uint64_t)m->job_count * sizeof(struct wl_flash_job); /* a multiple of 32 */
}

void wl_media_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram,
                     const struct wl_media_plan* plan) {
  struct wl_media* m = wl_media_state(fw);
  m->plan = *plan;
  const struct wl_boot_info* b = &fw->boot;
  /* Flash jobs in flight: one per slot at most, fewer when the rings of all channels would take more than a quarter of
   * the memory. A sender that finds no id waits. */
  uint32_t jobs = wl_power_of_two(b->write_slots + b->read_slots + b->gc_slots);
  if (jobs > 8192) jobs = 8192;
  while (jobs > 64 && (uint64_t)jobs * b->channels * sizeof(struct wl_flash_job) > b->tcm_bytes / 4) jobs /= 2;
  m->job_count = jobs;
  m->completion_mask = m->channel_mask = jobs - 1;
  m->completion_ring = wl_ring_take(tcm, jobs, sizeof(struct wl_flash_completion));
  m->completions = wl_ring_entries(m->completion_ring);
  m->channel_ring = wl_arena_take(tcm, b->channels * sizeof(m->channel_ring[0]));
  m->channel_jobs = wl_arena_take(tcm, b->channels * sizeof(m->channel_jobs[0]));
  m->channel_memory = wl_arena_take(tcm, b->channels * channel_ring_bytes(m));
  wl_queue_take(&m->to_flash, tcm, jobs, sizeof(struct wl_flash_job));
  wl_queue_take(&m->from_flash, tcm, jobs, sizeof(struct wl_flash_completion));
  m->jobs = wl_arena_take(tcm, (uint64_t)jobs * sizeof(m->jobs[0]));
  m->job_tag = wl_arena_take(tcm, (uint64_t)jobs * sizeof(m->job_tag[0]));
  wl_programs_layout(fw, tcm);
  if (m->plan.die_jobs != NULL && m->plan.die_jobs(b)) {
    m->die_jobs = wl_arena_take(tcm, (uint64_t)b->dies * sizeof(m->die_jobs[0]));
    m->job_die = wl_arena_take(tcm, (uint64_t)jobs * sizeof(m->job_die[0]));
  }
  if (wl_has_parity(fw))
    m->parity = wl_arena_take(tcm, sizeof(*m->parity) + jobs * (sizeof(m->parity->sent[0]) + sizeof(uint16_t)));
  if (wl_has_engines(fw, WL_ENGINE_RETRY)) return;
  m->retry = wl_arena_take(tcm, (uint64_t)jobs * sizeof(m->retry[0]));
  m->ort = wl_arena_take(b->layers.references_by_block ? dram : tcm, wl_retry_table_bytes(fw));
}

static void keep_jobs(struct wl_media* m) {
  struct wl_media_parity* p = m->parity;
  p->sent = (struct wl_flash_read*)(void*)(p + 1);
  p->given_up = (struct wl_queue){0, 0, m->job_count - 1u, p->sent + m->job_count};
  p->kept = m->job_count / KEPT_SHARE < KEPT_MOST ? m->job_count / KEPT_SHARE : KEPT_MOST;
  p->dead_die = WL_NONE;
  p->kept_free = p->kept;
  m->free_jobs -= p->kept;
  p->kept_job = (uint16_t)m->free_jobs;
}

void wl_media_boot(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_slot_info* slot_table) {
  struct wl_media* m = wl_media_state(fw);
  m->free_jobs = m->job_count;
  if (wl_has_parity(fw)) keep_jobs(m);
  for (uint32_t i = 0; i < m->job_count; ++i) m->jobs[i].index = (uint16_t)(i + 1);
  for (uint32_t i = 0; i < fw->boot.channels; ++i) {
    m->channel_ring[i] = (struct wl_ring*)(void*)(m->channel_memory + i * channel_ring_bytes(m));
    m->channel_jobs[i] = wl_ring_entries(m->channel_ring[i]);
  }
  if (m->retry != NULL) {
    WL_ASSERT(hal, fw->boot.layers.count != 0 && fw->boot.layers.pages != 0);
    wl_retry_boot(fw, hal);
  }
  m->read_starts = m->plan.read_start != NULL || m->rules.ort_first != 0; /* no rules where hardware controls it */
  wl_write32(hal, WL_REGISTER(FLASH.COMPLETION_RING_BASE), wl_bus_address(hal, m->completion_ring));
  wl_write32(hal, WL_REGISTER(FLASH.COMPLETION_RING_SIZE), m->completion_mask + 1);
  wl_write32(hal, WL_REGISTER(FLASH.SLOT_TABLE), wl_bus_address(hal, slot_table));
  wl_programs_boot(fw, hal);
  for (uint32_t i = 0; i < fw->boot.channels; ++i) {
    wl_write32(hal, WL_REGISTER_AT(CHANNEL, i, JOB_RING_BASE), wl_bus_address(hal, m->channel_ring[i]));
    wl_write32(hal, WL_REGISTER_AT(CHANNEL, i, JOB_RING_SIZE), m->channel_mask + 1);
  }
}

/* ---- jobs by die ---- */

__attribute__((noinline)) static void count_in(struct wl_firmware* fw, uint32_t id, uint32_t die) {
  wl_media_state(fw)->job_die[id] = (uint16_t)die;
  ++wl_media_state(fw)->die_jobs[die];
}
static inline void sent(struct wl_firmware* fw, uint32_t id, wl_ppa_t ppa) {
  if (__builtin_expect(wl_media_state(fw)->die_jobs != NULL, 0)) count_in(fw, id, wl_locate(&fw->geometry, ppa).die);
}
static inline void ended(struct wl_firmware* fw, uint32_t id) {
  if (__builtin_expect(wl_media_state(fw)->die_jobs != NULL, 0))
    --wl_media_state(fw)->die_jobs[wl_media_state(fw)->job_die[id]];
}

static void send_flash_job(struct wl_firmware* fw, const struct wl_hal* hal) {
  wl_queue_push(&wl_media_state(fw)->to_flash, hal);
  wl_notify(fw, hal, WL_TASK_FLASH);
}

static void locate(const struct wl_firmware* fw, wl_ppa_t ppa, struct wl_flash_job* job) {
  const struct wl_location at = wl_locate(&fw->geometry, ppa);
  job->die = (uint16_t)at.die;
  job->block = at.block;
  job->page = at.page;
  job->lpage = (uint16_t)at.lpage;
}

/* By the job engine, if there is one. */
static bool post(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t op, uint32_t id, wl_ppa_t ppa,
                 uint32_t count, wl_slot_t slot, uint32_t priority, uint32_t tag, uint32_t flags, uint32_t control) {
  if (!wl_has_engines(fw, WL_ENGINE_JOB)) {
    FW_TASK(hal, WL_COST_FTL_JOB);
    return false;
  }
  FW_TASK(hal, WL_COST_FTL_JOB_POST);
  const struct wl_ppa_job job = {
      (uint8_t)op, (uint8_t)priority, (uint16_t)id, (uint16_t)tag, (uint16_t)count, ppa, slot, flags, control};
  wl_media_state(fw)->job_tag[id] = (uint16_t)tag;
  wl_engine_post_ppa_job(fw, hal, &job);
  return true;
}

uint32_t wl_media_read_start(const struct wl_firmware* fw, wl_ppa_t ppa) {
  const uint32_t start = wl_media_view(fw)->plan.read_start != NULL ? wl_media_view(fw)->plan.read_start(fw, ppa) : 0;
  if (start != 0) return start;
  return wl_media_view(fw)->rules.ort_first ? wl_retry_table_start(fw, ppa) : 0;
}

void wl_media_reads_as_always(struct wl_firmware* fw) {
  wl_media_state(fw)->plan.read_start = NULL;
  wl_media_state(fw)->read_starts = wl_media_state(fw)->rules.ort_first != 0;
}

static uint32_t begin_read(struct wl_firmware* fw, uint32_t id, wl_ppa_t ppa) {
  const uint32_t start = wl_media_read_start(fw, ppa);
  return wl_media_state(fw)->retry == NULL ? start : wl_retry_started(fw, id, ppa, start);
}

/* ---- with parity ---- */

const struct wl_flash_read* wl_media_sent(const struct wl_firmware* fw, uint32_t id) {
  return &wl_media_view(fw)->parity->sent[id];
}

void wl_media_give_up(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id) {
  struct wl_media_parity* m = wl_media_state(fw)->parity;
  *WL_QUEUE_IN(&m->given_up, uint16_t) = (uint16_t)id;
  wl_queue_push(&m->given_up, hal);
  wl_kick(fw, WL_STEP_REBUILD);
}

void wl_media_wake(struct wl_firmware* fw) {
  struct wl_media* m = wl_media_state(fw);
  m->seen = m->from_flash.consumed ^ 0x80000000u; /* far from what can be produced */
}

void wl_media_awake(struct wl_firmware* fw) { wl_media_state(fw)->seen = wl_media_view(fw)->from_flash.consumed; }

uint32_t wl_media_take_given_up(struct wl_firmware* fw) {
  struct wl_media_parity* m = wl_media_state(fw)->parity;
  if (wl_queue_empty(&m->given_up)) return WL_NONE;
  const uint32_t id = *WL_QUEUE_OUT(&m->given_up, uint16_t);
  wl_queue_pop(&m->given_up);
  return id;
}

void wl_media_die_dead(struct wl_firmware* fw, uint32_t die) { wl_media_state(fw)->parity->dead_die = die; }

/* What is about to be sent. False: it is given up already. */
__attribute__((noinline, cold)) static bool note(struct wl_firmware* fw, const struct wl_hal* hal,
                                                 const struct wl_flash_job* job, wl_ppa_t ppa) {
  struct wl_media_parity* m = wl_media_state(fw)->parity;
  m->sent[job->id] =
      (struct wl_flash_read){ppa, job->slot, job->count, job->tag, job->priority, (uint8_t)(job->flags & 0xffu)};
  if (job->op != WL_FLASH_READ || job->die != m->dead_die) return true;
  ++wl_parity_statistics(fw)->degraded_reads;
  wl_media_give_up(fw, hal, job->id);
  return false;
}

void wl_send_flash_read(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, wl_ppa_t ppa, uint32_t count,
                        wl_slot_t slot, uint32_t priority, uint32_t tag, uint32_t flags) {
  if (wl_media_state(fw)->retry != NULL) {
    const struct wl_flash_read read = {ppa, slot, (uint16_t)count, (uint16_t)tag, (uint8_t)priority, (uint8_t)flags};
    wl_media_state(fw)->retry[id].read = read;
  }
  sent(fw, id, ppa);
  const uint32_t control = wl_media_state(fw)->read_starts ? begin_read(fw, id, ppa) : 0;
  if (post(fw, hal, WL_FLASH_READ, id, ppa, count, slot, priority, tag, flags, control)) return;
  struct wl_flash_job* job = WL_QUEUE_IN(&wl_media_state(fw)->to_flash, struct wl_flash_job);
  job->op = WL_FLASH_READ;
  job->priority = (uint8_t)priority;
  job->id = (uint16_t)id;
  job->tag = (uint16_t)tag;
  locate(fw, ppa, job);
  job->count = (uint16_t)count;
  job->slot = slot;
  job->flags = flags;
  job->control = control;
  if (wl_has_parity(fw) && !note(fw, hal, job, ppa)) return;
  send_flash_job(fw, hal);
}

void wl_send_flash_program(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, wl_ppa_t ppa, uint32_t count,
                           wl_slot_t slot, uint32_t priority, uint32_t control, uint32_t sum) {
  sent(fw, id, ppa);
  if (post(fw, hal, WL_FLASH_PROGRAM, id, ppa, count, slot, priority, WL_NO_TAG, 0, control)) return;
  struct wl_flash_job* job = WL_QUEUE_IN(&wl_media_state(fw)->to_flash, struct wl_flash_job);
  job->op = WL_FLASH_PROGRAM;
  job->priority = (uint8_t)priority;
  job->id = (uint16_t)id;
  job->tag = WL_NO_TAG;
  locate(fw, ppa, job);
  job->count = (uint16_t)count;
  job->slot = slot;
  job->sum = sum;
  job->control = control;
  if (wl_has_parity(fw)) (void)note(fw, hal, job, ppa); /* programs are sent */
  send_flash_job(fw, hal);
}

void wl_send_flash_modify(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, wl_ppa_t ppa, uint32_t count,
                          wl_slot_t slot, wl_ppa_t source, uint32_t control) {
  FW_TASK(hal, WL_COST_FTL_JOB);
  sent(fw, id, ppa);
  const struct wl_location from = wl_locate(&fw->geometry, source);
  struct wl_flash_job* job = WL_QUEUE_IN(&wl_media_state(fw)->to_flash, struct wl_flash_job);
  job->op = WL_FLASH_PROGRAM;
  job->priority = WL_PRIORITY_HOST;
  job->id = (uint16_t)id;
  job->tag = WL_NO_TAG;
  locate(fw, ppa, job);
  job->count = (uint16_t)count;
  job->slot = slot;
  job->source = from.block * fw->boot.pages + from.page;
  job->control = control | WL_PROGRAM_MODIFY;
  send_flash_job(fw, hal);
}

/* Of a block in all planes. */
static void send_block_job(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t op, uint32_t id, uint32_t block,
                           uint32_t die) {
  if (wl_media_state(fw)->die_jobs != NULL) count_in(fw, id, die);
  struct wl_flash_job* job = WL_QUEUE_IN(&wl_media_state(fw)->to_flash, struct wl_flash_job);
  job->op = (uint8_t)op;
  job->priority = WL_PRIORITY_GC;
  job->id = (uint16_t)id;
  job->die = (uint16_t)die;
  job->tag = WL_NO_TAG;
  job->block = block;
  job->page = 0;
  job->lpage = 0;
  job->count = 0;
  job->slot = 0;
  job->flags = 0;
  job->control = 0;
  send_flash_job(fw, hal);
}

void wl_send_flash_erase(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, wl_superblock_t superblock,
                         uint32_t die) {
  wl_retry_erased(fw, die, superblock);
  send_block_job(fw, hal, WL_FLASH_ERASE, id, superblock, die);
}

void wl_send_flash_marks(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, uint32_t block, uint32_t die) {
  send_block_job(fw, hal, WL_FLASH_MARKS, id, block, die);
}

/* The read as it was sent, with the references of the next attempt. */
static void send_again(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, uint32_t retry) {
  const struct wl_flash_read* read = &wl_media_state(fw)->retry[id].read;
  struct wl_flash_job* job = WL_QUEUE_IN(&wl_media_state(fw)->to_flash, struct wl_flash_job);
  job->op = WL_FLASH_READ;
  job->priority = read->priority;
  job->id = (uint16_t)id;
  job->tag = read->tag;
  locate(fw, read->ppa, job);
  job->count = read->count;
  job->slot = read->slot;
  job->flags = read->flags;
  job->control = retry;
  send_flash_job(fw, hal);
}

static void read_succeeded(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id) {
  if (wl_media_state(fw)->retry != NULL && wl_media_state(fw)->retry[id].active) wl_retry_succeeded(fw, hal, id);
}

/* Whether no attempt follows. */
static bool is_last(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_flash_completion* done) {
  if (wl_media_state(fw)->retry == NULL) return true;
  if (done->status == WL_FLASH_OK) {
    read_succeeded(fw, hal, done->id);
    return true;
  }
  if (done->status != WL_FLASH_ATTEMPT_FAIL) return true;
  const uint32_t retry = wl_retry_failed(fw, hal, done);
  if (retry == 0) return true;
  send_again(fw, hal, done->id, retry);
  return false;
}

bool wl_media_take_completion(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_flash_completion* done) {
  *done = *WL_QUEUE_OUT(&wl_media_state(fw)->from_flash, struct wl_flash_completion);
  wl_queue_pop(&wl_media_state(fw)->from_flash);
  ++wl_media_state(fw)->seen;
  if (!is_last(fw, hal, done)) return false;
  ended(fw, done->id);
  return true;
}

void wl_media_read_succeeded(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id) {
  ended(fw, id);
  read_succeeded(fw, hal, id);
}
