/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/ftl_task.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/parity.h"
#include "models/firmware/buffer/program.h"
#include "models/firmware/buffer/word_line.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/host/host.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/map.h"
#include "models/firmware/media/media.h"
#include "models/firmware/persist/mount.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/reloc/copy_engine.h"
#include "models/firmware/reloc/gc.h"
#include "models/firmware/reloc/mover.h"
#include "models/firmware/service/admission.h"
#include "models/firmware/service/check.h"
#include "models/firmware/service/commands.h"
#include "models/firmware/service/flush.h"
#include "models/firmware/service/idle.h"
#include "models/firmware/service/map_waits.h"
#include "models/firmware/service/modify.h"
#include "models/firmware/service/patrol.h"
#include "models/firmware/service/read.h"
#include "models/firmware/service/rebuild.h"
#include "models/firmware/service/state.h"
#include "models/firmware/service/through.h"
#include "models/firmware/service/trim.h"
#include "models/firmware/service/write.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/upkeep.h"

bool wl_ftl_idle(const struct wl_firmware* fw) {
  if (WL_HAS_LARGE_MAPS && wl_map_cached(fw) && !wl_map_host_buffer_rests(fw)) return false;
  return wl_service_view(fw)->active == 0 && wl_kicked(fw) == 0;
}

bool wl_ftl_has_commands(const struct wl_firmware* fw) { return wl_service_view(fw)->active != 0; }

void wl_ftl_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  wl_commands_layout(fw, tcm);
  wl_through_layout(fw, tcm);
  wl_check_layout(fw, tcm);
  wl_patrol_layout(fw, tcm);
  wl_admission_layout(fw, tcm);
  wl_rebuild_layout(fw, tcm);
}

void wl_ftl_boot(struct wl_firmware* fw) {
  wl_commands_boot(fw);
  wl_mover_boot(fw);
  wl_idle_boot(fw);
  wl_rebuild_boot(fw);
  wl_kick(fw, WL_STEP_GC);
}

/* The policy may want a unit elsewhere although its program has succeeded. */
__attribute__((noinline)) static bool accepted(struct wl_firmware* fw, const struct wl_hal* hal,
                                               const struct wl_unit* unit, const struct wl_program_report* report,
                                               bool failed) {
  FW_TASK(hal, WL_COST_FTL_NOTE);
  const bool reported = (unit->control & WL_PROGRAM_MEASURES) != 0;
  return fw->policy->programmed(fw, unit->ppa, unit->control, reported ? report : NULL, failed) == WL_PROGRAM_OK;
}

#if WL_HAS_LARGE_MAPS
/* With a cached map: nothing of the unit waits for a map page any more. */
static void unit_ends(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u) {
  const struct wl_unit* unit = wl_unit(fw, u);
  const wl_superblock_t superblock = wl_superblock_of(fw, unit->ppa);
  if (wl_stream_moves(unit->stream)) {
    FW_TASK(hal, WL_COST_FTL_GC_END);
    wl_mover_unit_ends(fw, u, superblock);
    wl_unit_free(fw, u);
    return;
  }
  const uint32_t sequence = unit->sequence;
  FW_TASK(hal, WL_COST_FTL_PROGRAM_END);
  wl_unit_committed(fw, u, superblock, wl_map_late(fw, u)->valid);
  wl_flush_programmed(fw, hal, sequence);
  if (wl_writes_through(fw)) wl_through_programmed(fw, hal, u);
}

__attribute__((noinline, cold)) static void committed_cached(struct wl_firmware* fw, const struct wl_hal* hal,
                                                             wl_unit_t u) {
  const bool moves = wl_stream_moves(wl_unit(fw, u)->stream);
  if (moves ? wl_mover_programmed_cached(fw, hal, u) : wl_map_commit_cached(fw, hal, u)) unit_ends(fw, hal, u);
}
#endif

static inline __attribute__((always_inline)) void committed(struct wl_firmware* fw, const struct wl_hal* hal,
                                                            wl_unit_t u, wl_superblock_t superblock) {
  const struct wl_unit* unit = wl_unit(fw, u);
  fw->statistics.lpages_programmed += wl_unit_lpages(fw, u);
#if WL_HAS_LARGE_MAPS
  if (wl_map_cached(fw)) {
    committed_cached(fw, hal, u);
    return;
  }
#endif
  if (wl_stream_moves(unit->stream)) {
    wl_mover_programmed(fw, hal, u, superblock);
    wl_unit_free(fw, u);
    return;
  }
  const uint32_t sequence = unit->sequence;
  const bool modified = wl_unit_part(fw, u) != NULL;
  const uint32_t valid = modified ? wl_modify_programmed(fw, hal, u) : wl_map_commit_unit(fw, hal, u);
  FW_TASK(hal, WL_COST_FTL_PROGRAM_END);
  wl_unit_committed(fw, u, superblock, valid);
  wl_flush_programmed(fw, hal, sequence);
  if (wl_writes_through(fw)) wl_through_programmed(fw, hal, u);
}

/* A unit whose program has succeeded is programmed again: its word line has lost another, or stays half filled. */
__attribute__((noinline, cold)) static void goes_elsewhere(struct wl_firmware* fw, wl_unit_t u) {
  const wl_ppa_t ppa = wl_unit(fw, u)->ppa;
  wl_superblock_program_goes_on(fw);
  wl_map_pad(fw, ppa, fw->geometry.unit_lpages);
  wl_unit_program_again(fw, u, wl_superblock_of(fw, ppa), 0);
}

/* `failed`: its unit goes elsewhere already. */
__attribute__((noinline, cold)) static void word_line_done(struct wl_firmware* fw, const struct wl_hal* hal,
                                                           wl_unit_t u, wl_ppa_t ppa, bool failed) {
  enum wl_word_line_end end = WL_UNIT_IS_ALONE;
  if (!failed) {
    end = wl_word_line_ended(fw, u);
    wl_superblock_program_waits(fw);
  }
  if (end == WL_UNIT_WAITS) {
    if (wl_stream_moves(wl_unit(fw, u)->stream))
      wl_kick(fw, WL_STEP_GC); /* superblocks may wait for it */
    else
      wl_flush_waits(fw);
    return;
  }
  for (wl_unit_t next = wl_word_line_next(fw, ppa); next != WL_NONE; next = wl_word_line_next(fw, ppa)) {
    if (end == WL_UNIT_IS_ALONE) {
      goes_elsewhere(fw, next);
      continue;
    }
    wl_word_line_leaves(fw, next);
    wl_superblock_program_goes_on(fw);
    committed(fw, hal, next, wl_superblock_of(fw, ppa));
  }
  if (end == WL_UNIT_COMPLETES) return;
  for (wl_unit_t left = wl_word_line_next_left(fw); left != WL_NONE; left = wl_word_line_next_left(fw))
    goes_elsewhere(fw, left);
}

static void program_done(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_job* job, uint32_t failed,
                         const struct wl_program_report* report) {
  FW_TASK(hal, WL_COST_FTL_PROGRAM_DONE);
  FW_COMMAND(hal, job->command);
  const wl_unit_t u = job->index;
  const wl_superblock_t superblock = wl_unit_programmed(fw, job);
  const struct wl_unit* unit = wl_unit(fw, u);
  if (wl_has_parity(fw)) wl_parity_member_done(fw, unit->ppa, failed == 0);
  const bool good = fw->policy->programmed == NULL || accepted(fw, hal, unit, report, failed != 0);
  if (failed != 0 || !good) {
    const wl_ppa_t ppa = unit->ppa;
    wl_map_pad(fw, ppa, fw->geometry.unit_lpages);
    wl_unit_program_again(fw, u, superblock, failed);
    if (wl_word_lines_shared(fw)) word_line_done(fw, hal, u, ppa, true);
    return;
  }
  if (wl_word_lines_shared(fw))
    word_line_done(fw, hal, u, unit->ppa, false);
  else
    committed(fw, hal, u, superblock);
}

__attribute__((noinline, cold)) static void seldom_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id,
                                                        const struct wl_job* job, bool ok, uint32_t errors) {
  if (job->kind == WL_JOB_KIND_CHECK) {
    wl_check_read_done(fw, hal, job->superblock, job->index, ok);
    return;
  }
  if (job->kind == WL_JOB_KIND_PATROL) {
    wl_patrol_read_done(fw, hal, job->superblock, ok, errors);
    return;
  }
  if (job->kind == WL_JOB_KIND_PARITY) {
    FW_TASK(hal, WL_COST_FTL_PROGRAM_DONE);
    wl_parity_programmed(fw, job, errors);
    return;
  }
#if WL_HAS_LARGE_MAPS
  if (job->kind == WL_JOB_KIND_MAP) {
    FW_TASK(hal, WL_COST_FTL_READ_DONE);
    wl_map_load_done(fw, hal, job->superblock, job->index, ok);
    return;
  }
#endif
  if (job->kind == WL_JOB_KIND_REBUILD) {
    FW_TASK(hal, WL_COST_FTL_READ_DONE);
    wl_rebuild_read_done(fw, id, ok);
    return;
  }
  WL_ASSERT(hal, job->kind == WL_JOB_KIND_MOUNT);
  wl_mount_job_done(fw, hal, job->superblock, job->index, ok);
}

/* A read of the host, with ftl.reclaim_errors. */
__attribute__((noinline, cold)) static void measured(struct wl_firmware* fw, wl_superblock_t superblock, bool ok,
                                                     uint32_t errors) {
  if (ok)
    wl_upkeep_measured(fw, superblock, errors, WL_MOVE_RECLAIM);
  else
    wl_upkeep_failed(fw, superblock, WL_MOVE_RECLAIM);
}

/* With parity, a read that was rebuilt, or cannot be, comes before what flash has to say. Returns whether `done` is
 * one. */
__attribute__((noinline, cold)) static bool take_rebuilt(struct wl_firmware* fw, const struct wl_hal* hal,
                                                         struct wl_flash_completion* done) {
  struct wl_rebuilt ended;
  wl_media_awake(fw);
  if ((wl_kicked(fw) & WL_STEP_REBUILD) == 0 || !wl_rebuild_step(fw, hal, &ended)) return false;
  *done = (struct wl_flash_completion){(uint16_t)ended.id, ended.ok ? WL_FLASH_OK : WL_FLASH_UNCORRECTABLE, 0, 0};
  return true;
}

/* To the owner of its job. A second place from which this is called, or what it calls, would cost reads 2 %. */
static void take_completion(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_flash_completion done;
  const bool parity = wl_has_parity(fw);
  const bool rebuilt = parity && take_rebuilt(fw, hal, &done);
  if (!rebuilt) {
    if (parity && !wl_media_completed(fw)) return;
    if (!wl_media_take_completion(fw, hal, &done)) return;
    if (done.status == WL_FLASH_UNCORRECTABLE) fw->statistics.lost_history = done.history;
    if (parity && wl_rebuild_takes(fw, hal, done.id, done.status == WL_FLASH_OK)) return;
  }
  const bool ok = done.status == WL_FLASH_OK;
  const struct wl_job job = *wl_job(fw, done.id);
  if (job.kind == WL_JOB_KIND_PROGRAM && done.status == WL_FLASH_UNCORRECTABLE) { /* only the copy engine says so */
    wl_copy_failed(fw, hal, done.id);
    return;
  }
  if (job.kind < WL_JOB_KIND_MOVE) wl_job_release(fw, done.id);
  switch (job.kind) {
    case WL_JOB_KIND_READ:
      if (__builtin_expect(fw->boot.ftl.upkeep.errors != 0, 0)) measured(fw, job.superblock, ok, done.history);
      wl_read_flash_done(fw, hal, &job, ok);
      break;
    case WL_JOB_KIND_MERGE:
      wl_write_merge_done(fw, hal, &job, ok);
      break;
    case WL_JOB_KIND_MOVE:
      wl_mover_read_done(fw, hal, done.id, ok);
      break;
    case WL_JOB_KIND_PROGRAM:
      program_done(fw, hal, &job, done.history, wl_media_report(fw, done.id));
      break;
    case WL_JOB_KIND_ERASE:
      FW_TASK(hal, WL_COST_FTL_OTHER);
      FW_COMMAND(hal, WL_COMMAND_GC);
      if (wl_erase_done(fw, job.superblock, job.index, done.history)) wl_host_start(fw, hal);
      break;
    default: /* rare, and no case of its own: the compiler would make another search of the others */
      seldom_done(fw, hal, done.id, &job, ok, done.history);
  }
}

static void take_request(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_request r = *wl_host_request(fw);
  /* Counted before it leaves the queue, so that wl_firmware_idle never misses it. */
  if (r.op < WL_REQUEST_DMA_DONE && (r.op != WL_OP_DEALLOCATE || (r.flags & WL_EVENT_LAST) != 0))
    wl_command_begins(fw, hal);
  wl_host_request_taken(fw);
  switch (r.op) {
    case WL_OP_READ:
      wl_read_take(fw, hal, &r);
      break;
    case WL_OP_WRITE:
      wl_write_take(fw, hal, &r);
      break;
    case WL_REQUEST_DMA_DONE:
      if (wl_command_of(fw, r.tag)->op == WL_OP_READ)
        wl_read_dma_done(fw, hal, r.tag);
      else
        wl_write_dma_done(fw, hal, r.tag, (r.flags & WL_EVENT_FAILED) != 0);
      break;
    case WL_OP_FLUSH:
      FW_TASK(hal, WL_COST_FTL_OTHER);
      FW_FOR(hal, WL_OP_FLUSH, r.tag);
      wl_flush(fw, hal, r.tag);
      break;
    case WL_OP_WRITE_ZEROES:
    case WL_OP_DEALLOCATE:
      FW_TASK(hal, WL_COST_FTL_TRIM);
      FW_FOR(hal, WL_OP_DEALLOCATE, r.tag);
      wl_trim_add(fw, hal, &r);
      break;
    default:
#if WL_HAS_LARGE_MAPS
      if (r.op == WL_REQUEST_COPY) {
        FW_COMMAND(hal, WL_COMMAND_GC);
        wl_map_copy_moved(fw, hal, r.first, r.flags);
        break;
      }
#endif
      WL_ASSERT(hal, r.op == WL_REQUEST_ADMIN);
      wl_service_state(fw)->admin = r;
      wl_kick(fw, WL_STEP_ADMIN);
  }
}

bool wl_ftl_admin_request(struct wl_firmware* fw, struct wl_request* request) {
  *request = wl_service_view(fw)->admin;
  wl_service_state(fw)->admin.op = 0;
  return request->op == WL_REQUEST_ADMIN;
}

/* Answers of engines go to who asked; and what waits for a quiescence that has ended, or can begin, goes on. */
__attribute__((noinline)) static void engines_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_FTL_GRACE);
  FW_COMMAND(hal, WL_COMMAND_GC);
  wl_rest(fw, WL_STEP_ENGINES); /* what comes is kicked, what runs ends with an interrupt */
  if (wl_engine_take(fw, WL_ANSWER_SCAN)) wl_mover_scanned(fw);
  if (wl_engine_take(fw, WL_ANSWER_SEARCH)) wl_superblocks_searched(fw);
  (void)wl_engine_take(fw, WL_ANSWER_SLOTS);
  if (!wl_engine_waits(fw, WL_ANSWER_SLOTS)) wl_units_quiescent(fw, hal);
  (void)wl_engine_take(fw, WL_ANSWER_PPAS);
  if (!wl_engine_waits(fw, WL_ANSWER_PPAS)) wl_superblocks_quiescent(fw, hal);
}

/* Apart, so that every other round passes one test for these. */
__attribute__((noinline)) static void seldom(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t kick) {
  if (kick & WL_STEP_TRIM) wl_trim_step(fw, hal);
  if (kick & WL_STEP_IDLE) wl_idle_step(fw, hal);
  if (kick & WL_STEP_MOUNT) wl_mount_step(fw, hal);
  if (kick & WL_STEP_PATROL) wl_patrol_step(fw, hal);
  if (kick & WL_STEP_ADMISSION) wl_admission_step(fw, hal);
#if WL_HAS_LARGE_MAPS
  if (kick & WL_STEP_MAP) wl_map_waits_step(fw, hal, unit_ends);
#endif
  if (kick & WL_STEP_REBUILD) wl_media_wake(fw); /* take_completion begins with it */
}

/* The compiler inlines what is called once until the caller is large enough: steps that reads do not pass are kept out
 * (noinline, here and in their files), so that wl_read_step is in. It is worth 3 % of a read. */
void wl_ftl_poll(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_media_completed(fw)) take_completion(fw, hal);
  if (wl_host_requested(fw)) take_request(fw, hal);
  if (wl_engines_answered(fw)) wl_kick(fw, WL_STEP_ENGINES);
  const uint32_t kick = wl_kicked(fw);
  if (kick == 0) return;
  if (kick & WL_STEP_ENGINES) engines_step(fw, hal);
  if (kick & WL_STEP_READ) wl_read_step(fw, hal);
  if (kick & WL_STEP_WRITE) wl_write_step(fw, hal);
  if (kick & WL_STEP_PLACE) {
    if (__builtin_expect(fw->boot.ftl.modify_in_die != 0, 0)) wl_modify_find_rests(fw);
    wl_place_step(fw, hal);
  }
  if (kick & WL_STEP_ERASE) wl_erase_step(fw, hal);
  if (kick & WL_STEP_GC) {
    FW_COMMAND(hal, WL_COMMAND_GC); /* it may go on within a victim */
    wl_gc_step(fw, hal);
    if (wl_service_state(fw)->active == 0) wl_pace_host_idle(fw);
  }
  if (kick >= WL_STEP_TRIM) seldom(fw, hal, kick);
}
