/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Flash jobs: the only room that builds one. A sender takes an id, says what its completion is for (wl_job_is_KIND),
 * and sends; the completion comes back to the dispatcher (service/ftl_task.c) by kind. Reads may be tried several
 * times in between.
 */
#ifndef WORDLINE_FIRMWARE_MEDIA_MEDIA_H
#define WORDLINE_FIRMWARE_MEDIA_MEDIA_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"
#include "models/firmware/core/core.h"
#include "models/firmware/host/nvme.h"
#include "models/firmware/media/job.h"
#include "models/firmware/media/plan.h"

void wl_media_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram,
                     const struct wl_media_plan* plan);
void wl_media_boot(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_slot_info* slot_table);
void wl_flash_poll(struct wl_firmware* fw, const struct wl_hal* hal); /* the flash task: one piece of work */

bool wl_flash_ready(const struct wl_firmware* fw); /* the flash task has work */
bool wl_media_completed(const struct wl_firmware* fw);
/* It says so though flash has nothing to say, until wl_media_awake: reads do not pass a test of their own for what is
 * rebuilt. */
void wl_media_wake(struct wl_firmware* fw);
void wl_media_awake(struct wl_firmware* fw);
bool wl_media_idle(const struct wl_firmware* fw);

/* ---- job ids ---- */
uint32_t wl_jobs(const struct wl_firmware* fw);
uint32_t wl_jobs_free(const struct wl_firmware* fw);
const struct wl_job* wl_job(const struct wl_firmware* fw, uint32_t id);
/* `steps` are kicked when an id comes free. */
void wl_job_await(struct wl_firmware* fw, uint32_t steps);
WL_MUST_CHECK uint32_t wl_job_take(struct wl_firmware* fw, uint32_t waiter);
void wl_job_release(struct wl_firmware* fw, uint32_t id);
/* ---- what a job is for: once for each id that was taken, before it is sent. `unit`: of the data buffer. ---- */
void wl_job_is(struct wl_firmware* fw, uint32_t id, enum wl_job_kind kind, uint32_t command, uint32_t index,
               wl_superblock_t superblock);
/* A segment of a read command. */
void wl_job_is_read(struct wl_firmware* fw, uint32_t id, uint32_t tag, uint32_t segment, wl_superblock_t superblock);
/* What a segment of a write command keeps: `count` logical pages into the slots from `slot` on, `rest` more after them.
 */
void wl_job_is_merge(struct wl_firmware* fw, uint32_t id, uint32_t tag, uint32_t segment, wl_superblock_t superblock,
                     wl_slot_t slot, uint32_t count, uint32_t rest);
/* Data that GC copies: `count` logical pages into slots of a unit. */
void wl_job_is_move(struct wl_firmware* fw, uint32_t id, uint32_t unit, wl_superblock_t superblock, wl_slot_t slot,
                    uint32_t count);
static inline void wl_job_is_program(struct wl_firmware* fw, uint32_t id, uint32_t unit, wl_superblock_t superblock,
                                     bool moved) {
  wl_job_is(fw, id, WL_JOB_KIND_PROGRAM, moved ? (uint32_t)WL_COMMAND_GC : (uint32_t)WL_OP_WRITE, unit, superblock);
}
/* An erase of a superblock in one die, or a read of its marks. */
static inline void wl_job_is_erase(struct wl_firmware* fw, uint32_t id, wl_superblock_t superblock, uint32_t die) {
  wl_job_is(fw, id, WL_JOB_KIND_ERASE, WL_COMMAND_GC, die, superblock);
}
/* A move that failed goes on with its first logical page alone, then the next of the others. */
void wl_job_split(struct wl_firmware* fw, uint32_t id);
void wl_job_next_lpage(struct wl_firmware* fw, uint32_t id);
/* A program whose data the copy engine could not read reads what is in `slot`, and then is a program again. */
void wl_job_reads_slot(struct wl_firmware* fw, uint32_t id, wl_slot_t slot);
void wl_job_programs_again(struct wl_firmware* fw, uint32_t id);
/* The job will be sent by an engine, for no command. */
void wl_job_untagged(struct wl_firmware* fw, uint32_t id);

/* ---- reads that parity rebuilds; only on a drive with it ---- */
/* Where the job reads or programs, and the rest of it; until its id is released. */
struct wl_flash_read {
  wl_ppa_t ppa;
  wl_slot_t slot;
  uint16_t count;
  uint16_t tag;
  uint8_t priority;
  uint8_t flags;
};
const struct wl_flash_read* wl_media_sent(const struct wl_firmware* fw, uint32_t id);
/* The read is given up: it keeps its id, in a queue. Kicks WL_STEP_REBUILD. */
void wl_media_give_up(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id);
/* An id that is kept for reads of the rest of a row; WL_NONE: all are under way, and the end of one goes on. */
WL_MUST_CHECK uint32_t wl_job_take_kept(struct wl_firmware* fw);
void wl_job_release_kept(struct wl_firmware* fw, uint32_t id);
/* The next one of that queue; WL_NONE: it is empty. */
WL_MUST_CHECK uint32_t wl_media_take_given_up(struct wl_firmware* fw);
/* The die has failed: reads of it are given up instead of being sent. */
void wl_media_die_dead(struct wl_firmware* fw, uint32_t die);

/* ---- senders ---- */
/* `count` logical pages of one page from `ppa` on into consecutive slots; flags: WL_FLASH_AUTOMATIC, or WL_FLASH_SUM.
 * Programs: `count` is that of the unit; `control` is 0, or the number of a parameter set and WL_PROGRAM_REPORT; `sum`
 * is that of the job (contract/flash_ring.h). */
void wl_send_flash_read(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, wl_ppa_t ppa, uint32_t count,
                        wl_slot_t slot, uint32_t priority, uint32_t tag, uint32_t flags);
void wl_send_flash_program(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, wl_ppa_t ppa, uint32_t count,
                           wl_slot_t slot, uint32_t priority, uint32_t control, uint32_t sum);
/* A program of the page of `ppa` that begins as a copy of the one at `source`, of the same die: the `count` logical
 * pages from `ppa` on are replaced from slots. */
void wl_send_flash_modify(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, wl_ppa_t ppa, uint32_t count,
                          wl_slot_t slot, wl_ppa_t source, uint32_t control);
void wl_send_flash_erase(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, wl_superblock_t superblock,
                         uint32_t die);
/* Of a physical block, in all planes. */
void wl_send_flash_marks(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, uint32_t block, uint32_t die);

/* ---- programs with parameters of their own: for a policy that says so (wl_media_plan.programs) ---- */
/* Writes set `number`, 1 to WL_PROGRAM_SETS - 1; no program that names it is under way. False: the policy has no sets,
 * or the number is none. */
WL_MUST_CHECK bool wl_media_program_set(struct wl_firmware* fw, uint32_t number, const struct wl_program_set* set);
/* What program `id`, sent with WL_PROGRAM_REPORT, measured; until the id is used again. Null: the policy has none. */
const struct wl_program_report* wl_media_report(const struct wl_firmware* fw, uint32_t id);

/* Where a fresh read of `ppa` begins: `control` of its job. Asked of every read when wl_media.read_starts is set. */
uint32_t wl_media_read_start(const struct wl_firmware* fw, wl_ppa_t ppa);

/* All reads begin as the table of optimal references says, whatever the policy's plan has. For its begin(). */
void wl_media_reads_as_always(struct wl_firmware* fw);
/* Jobs of the die that have been sent and have not ended, the one that it carries out among them; for a policy that
 * says so (wl_media_plan.die_jobs). */
uint32_t wl_media_die_jobs(const struct wl_firmware* fw, uint32_t die);

/* ---- completions ---- */
/* The next completion; false: none for its owner, because a failed read is tried again. */
WL_MUST_CHECK bool wl_media_take_completion(struct wl_firmware* fw, const struct wl_hal* hal,
                                            struct wl_flash_completion* done);
/* Read `id` has succeeded without a completion: the completion engine ended its command. */
void wl_media_read_succeeded(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id);

#endif
