/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/buffer/program.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/parity.h"
#include "models/firmware/buffer/state.h"
#include "models/firmware/buffer/unit_list.h"
#include "models/firmware/buffer/word_line.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/host/nvme.h"
#include "models/firmware/media/media.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/p2l.h"
#include "models/firmware/space/slc_cache.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/wear.h"

/* A mount is to tell padding from blank cells. */
__attribute__((noinline)) static void place_durably(struct wl_firmware* fw, wl_unit_t u) {
  struct wl_slot_info* info = &wl_buffer_state(fw)->slot_table[wl_buffer_state(fw)->units[u].slot];
  for (uint32_t i = 0; i < wl_unit_lpages(fw, u); ++i)
    if (info[i].lpn == WL_LPN_NONE) info[i].record = (uint32_t)WL_SPARE_PADDING << WL_SPARE_KIND_SHIFT;
  wl_p2l_note(fw, wl_buffer_view(fw)->units[u].ppa, info);
  if (wl_word_lines_shared(fw)) wl_word_line_placed(fw, u);
}

/* The SLC cache has no superblock for its unit after all: it is programmed as the others are, half empty. */
__attribute__((noinline, cold)) static void leave_slc_cache(struct wl_firmware* fw, uint32_t stream) {
  struct wl_buffer* b = wl_buffer_state(fw);
  const wl_unit_t u = b->ready[stream].head;
  struct wl_unit* unit = &b->units[u];
  const uint32_t lpages = wl_unit_lpages(fw, u);
  const uint32_t rest = fw->geometry.unit_lpages - lpages;
  b->ready[stream].head = unit->next;
  if (wl_list_empty(&b->ready[stream])) b->ready_streams &= ~(1u << stream);
  wl_slc_cache_gives_up(fw);
  wl_slots_pad(fw, unit->slot + lpages, rest);
  unit->stream = WL_STREAM_HOST;
  unit->filled = unit->lpages = (uint16_t)fw->geometry.unit_lpages;
  unit->unused = (uint16_t)(unit->unused + rest);
  unit->padding = (uint16_t)(unit->padding + rest);
  ++wl_slc_cache_statistics(fw)->refused_units;
  wl_unit_push_front(fw, &b->ready[WL_STREAM_HOST], u);
  wl_unit_ready(fw, u);
}

void wl_unit_place(struct wl_firmware* fw, wl_unit_t u, const struct wl_placement* at, uint32_t id) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  unit->state = WL_UNIT_PROGRAMMING;
  if (wl_stream_moves(unit->stream)) ++wl_buffer_state(fw)->gc_programs;
  wl_job_is_program(fw, id, u, at->superblock, wl_stream_moves(unit->stream));
  unit->ppa = wl_superblock_place_unit(fw, unit->stream, at->superblock, at->unit);
  unit->control = at->control;
  if (fw->boot.ftl.recovery != 0) place_durably(fw, u);
  if ((at->control & WL_PROGRAM_SET) != 0) ++fw->statistics.programs.with_parameters;
}

void wl_unit_post_copy(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, wl_unit_t u, uint32_t flags) {
  const struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  const struct wl_copy_job job = {(uint16_t)id, (uint16_t)flags, unit->slot, unit->ppa};
  wl_job_untagged(fw, id);
  wl_engine_post_copy_job(fw, hal, &job);
}

static bool has_rest(const struct wl_firmware* fw, wl_unit_t u) { /* of a unit of the host */
  const struct wl_part* part = wl_unit_part(fw, u);
  return part != NULL && part->rest != WL_NONE;
}

/* The rest of the unit's page comes from another one, whose superblock is not erased meanwhile. */
__attribute__((noinline)) static void send_part(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id,
                                                wl_unit_t u) {
  const struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  const struct wl_part* part = &wl_buffer_state(fw)->parts[u];
  wl_superblock_read_begins(fw, wl_superblock_of(fw, part->rest));
  wl_send_flash_modify(fw, hal, id, unit->ppa + part->first, part->count, unit->slot + part->first, part->rest,
                       unit->control);
}

/* The last one in `streams`, bits of those that are in use. */
static inline uint32_t last_stream(const struct wl_firmware* fw, uint32_t streams) {
  const struct wl_space_plan* plan = wl_plan(fw);
  uint32_t stream = plan->host_streams;
  if (streams >> WL_STREAM_GC != 0) stream = (uint32_t)WL_STREAM_GC + plan->move_streams;
  do --stream;
  while ((streams >> stream & 1u) == 0);
  return stream;
}

/* Places one unit: GC's first, because only it makes room. */
__attribute__((noinline)) void wl_place_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_word_lines_shared(fw)) wl_word_lines_go_on(fw);
  if (wl_has_parity(fw)) wl_parity_step(fw, hal);
  uint32_t left = wl_buffer_state(fw)->ready_streams;
  if (left != 0 && wl_jobs_free(fw) == 0) {
    wl_job_await(fw, WL_STEP_PLACE);
    wl_rest(fw, WL_STEP_PLACE);
    return;
  }
  if (wl_has_parity(fw) && !wl_parity_accepts(fw)) left = 0;
  while (left != 0) {
    const uint32_t stream = last_stream(fw, left);
    left &= ~(1u << stream);
    const bool moves = wl_stream_moves(stream);
    if (moves && wl_buffer_state(fw)->gc_programs == wl_buffer_state(fw)->gc_programs_most)
      continue; /* the end of one kicks */
    FW_TASK(hal, WL_COST_FTL_UNIT);
    FW_COMMAND(hal, moves ? WL_COMMAND_GC : WL_OP_WRITE);
    struct wl_placement at = {.dirty_units = wl_buffer_state(fw)->dirty_units};
    const bool placed = fw->policy->place(fw, stream, &at);
    const bool lacks_space = !placed && !at.for_program;
    if (!moves) wl_waits(fw, hal, WL_WAITER_PROGRAM, lacks_space ? WL_POOL_FREE_SPACE : WL_POOL_NONE);
    if (lacks_space && wl_stream_is_slc(fw, stream) && wl_pace_places(fw)) {
      leave_slc_cache(fw, stream);
      return; /* it has kicked: it is the turn of the other stream */
    }
    if (lacks_space) wl_space_no_place(fw, stream); /* a superblock that becomes free kicks again */
    if (!placed) continue;
    if (wl_stream_is_slc(fw, stream)) at.control |= WL_PROGRAM_SLC;
    const uint32_t id = wl_job_take(fw, WL_STEP_PLACE);
    struct wl_list* ready = &wl_buffer_state(fw)->ready[stream];
    const wl_unit_t u = ready->head;
    const struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
    ready->head = unit->next;
    if (wl_list_empty(ready)) wl_buffer_state(fw)->ready_streams &= ~(1u << stream);
    wl_unit_place(fw, u, &at, id);
    if (moves && wl_has_engines(fw, WL_ENGINE_COPY))
      wl_unit_post_copy(fw, hal, id, u, unit->copied ? WL_COPY_READY : 0);
    else if (!moves && has_rest(fw, u))
      send_part(fw, hal, id, u);
    else
      wl_send_flash_program(fw, hal, id, unit->ppa, wl_unit_lpages(fw, u), unit->slot,
                            moves ? WL_PRIORITY_GC : WL_PRIORITY_HOST, at.control,
                            wl_has_parity(fw) ? wl_parity_joins(fw, unit->ppa) : 0);
    return;
  }
  wl_rest(fw, WL_STEP_PLACE);
}

uint32_t wl_unit_programmed(struct wl_firmware* fw, const struct wl_job* job) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[job->index];
  if (!wl_stream_moves(unit->stream)) {
    if (has_rest(fw, job->index))
      wl_superblock_read_done(fw, wl_superblock_of(fw, wl_buffer_state(fw)->parts[job->index].rest));
    return job->superblock;
  }
  if (wl_buffer_state(fw)->gc_programs-- == wl_buffer_state(fw)->gc_programs_most) wl_kick(fw, WL_STEP_PLACE);
  if (!wl_has_engines(fw, WL_ENGINE_COPY)) return job->superblock;
  unit->ppa = wl_engine_copy_ppa(fw, job->index - wl_buffer_state(fw)->host_units);
  return wl_superblock_of(fw, unit->ppa);
}

void wl_unit_program_again(struct wl_firmware* fw, wl_unit_t u, wl_superblock_t superblock, uint32_t failed) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  if (failed == 0) {
    fw->statistics.programs.repeated_lpages += wl_unit_lpages(fw, u);
  } else {
    fw->statistics.failed_lpages += wl_unit_lpages(fw, u);
    wl_superblock_failed(fw, superblock, wl_locate(&fw->geometry, unit->ppa).die, failed);
  }
  wl_superblock_program_done(fw, superblock, 0);
  if (wl_word_lines_shared(fw)) wl_word_line_leaves(fw, u);
  unit->copied = 1;
  if (wl_stream_is_slc(fw, unit->stream)) wl_slc_cache_promises(fw);
  wl_unit_push_front(fw, &wl_buffer_state(fw)->ready[unit->stream], u);
  wl_unit_ready(fw, u);
}

__attribute__((noinline)) static void count_small(struct wl_firmware* fw, const struct wl_page_kind* kind,
                                                  uint32_t pages) {
  struct wl_small_page_statistics* s = &fw->statistics.small;
  s->lpages_programmed += kind->unit_lpages;
  s->host_pages += pages;
}

void wl_unit_committed(struct wl_firmware* fw, wl_unit_t u, wl_superblock_t superblock, uint32_t valid) {
  struct wl_unit* unit = &wl_buffer_state(fw)->units[u];
  const struct wl_page_kind* kind = wl_kind_of_stream(fw, unit->stream);
  const uint32_t data = kind->unit_lpages - unit->padding;
  wl_superblock_program_done(fw, superblock, valid);
  fw->statistics.data_lpages += data;
  fw->statistics.pad_lpages += unit->padding;
  fw->statistics.merged_lbas += unit->merged;
  fw->statistics.kept_lpages += unit->kept;
  const uint32_t page = kind->page_lpages;
  const uint32_t pages = (kind->unit_lpages - unit->unused + page - 1) / page;
  fw->statistics.host_pages += pages;
  fw->statistics.false_lpages += pages * page - data;
  if (wl_stream_is_small(fw, unit->stream)) count_small(fw, kind, pages);
  if (wl_stream_is_slc(fw, unit->stream)) {
    ++wl_slc_cache_statistics(fw)->programs;
    wl_slc_cache_statistics(fw)->data_lpages += data;
  }
  if (wl_has_handles(fw)) wl_handle_statistics(fw, unit->stream)->host_lpages += data;
  --wl_buffer_state(fw)->dirty_units;
  unit->state = WL_UNIT_DONE;
  if (unit->readers == 0) wl_unit_free(fw, u);
  wl_kick_queued(fw, WL_STEP_WRITE | WL_STEP_TRIM | WL_STEP_ADMIN); /* may wait for this unit to be on flash */
}
