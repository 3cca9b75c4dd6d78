/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/modify.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/word_line.h"
#include "models/firmware/map/hazards.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/region.h"
#include "models/firmware/media/media.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/space.h"

static uint32_t lowest(uint32_t set) {
  uint32_t bit = 0;
  while ((set >> bit & 1) == 0) ++bit;
  return bit;
}
static uint32_t highest(uint32_t set) {
  uint32_t bit = 0;
  while (set >> bit != 1) ++bit;
  return bit;
}

/* The map unit of a logical page. One that goes to small pages is such a unit, wherever it lies now. */
static struct wl_mapped mapped(const struct wl_firmware* fw, wl_lpn_t lpn, bool in_region) {
  if (!in_region) return wl_mapped(fw, lpn / wl_map_unit(fw));
  const wl_map_value_t value = wl_map_get(fw, lpn);
  const struct wl_mapped one = {value, value >= WL_MAP_PPA0, value == WL_MAP_LOST};
  return one;
}

/* ---- what is kept is read from flash ---- */

/* A read of `count` logical pages from `ppa` on into those from `lpage` on of the slots of the map unit. */
static void read_into(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t segment, uint32_t lpage,
                      wl_ppa_t ppa, uint32_t count, uint32_t rest) {
  const struct wl_segment* s = &wl_command_of(fw, tag)->segment[segment];
  const uint32_t id = wl_job_take(fw, WL_STEP_WRITE);
  const wl_slot_t slot = s->slot - s->slot % wl_segment_unit(fw, s) + lpage;
  wl_job_is_merge(fw, id, tag, segment, wl_superblock_of(fw, ppa), slot, count, rest);
  wl_send_flash_read(fw, hal, id, ppa, count, slot, WL_PRIORITY_HOST, tag, 0);
}

/* The first of the reads of a segment from one page: logical pages from `lpage` on. */
static void begin_read(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t lpage, wl_ppa_t ppa,
                       uint32_t count) {
  struct wl_command* c = wl_command_of(fw, tag);
  wl_superblock_read_begins(fw, wl_superblock_of(fw, ppa));
  ++c->waiting;
  ++fw->statistics.modify.reads;
  fw->statistics.modify.lpages += count;
  read_into(fw, hal, tag, c->segments - 1u, lpage, ppa, count, 0);
}

/* The kept logical pages of the old page: one read, of what lies between the first and the last. `apart`: logical pages
 * of the change that come from small pages; then one on either side of it. */
static void read_rest(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, const struct wl_change* p,
                      uint32_t keep, bool apart) {
  struct wl_command* c = wl_command_of(fw, tag);
  const wl_ppa_t ppa = c->segment[c->segments - 1u].from;
  const uint32_t below = apart ? keep & ((2u << p->first) - 1) : keep;
  for (uint32_t set = below, again = 0; again != 2; set = keep & ~below, ++again)
    if (set != 0) begin_read(fw, hal, tag, lowest(set), ppa + lowest(set), highest(set) - lowest(set) + 1);
}

__attribute__((noinline)) bool wl_modify_read_done(struct wl_firmware* fw, const struct wl_hal* hal,
                                                   const struct wl_job* job, bool ok) {
  struct wl_command* c = wl_command_of(fw, job->index);
  const struct wl_segment* s = &c->segment[job->segment];
  const uint32_t n = wl_segment_unit(fw, s);
  const uint32_t lpage = job->slot % n;
  if (!ok && job->count > 1) {
    read_into(fw, hal, job->index, job->segment, lpage, s->from + lpage, 1, job->count - 1u);
    return false;
  }
  if (!ok) {
    const wl_lpn_t lpn = c->lpn + s->lpage - s->slot % n + lpage;
    const uint32_t at = lpn - c->lpn; /* beyond the command's logical pages where it lies before them */
    const bool edge = (at == 0 && c->first != 0) || (at + 1 == c->lpages && c->last != wl_lbas_per_lpage(fw));
    if (edge && wl_map_get(fw, lpn) != WL_MAP_DEALLOCATED)
      c->status = WL_STATUS_READ_ERROR;
    else if ((at >= c->lpages || wl_command_lacks_data(c)) && wl_map_get(fw, lpn) != WL_MAP_DEALLOCATED)
      wl_map_set_gone(fw, hal, lpn, WL_MAP_LOST); /* the lock keeps newer data away */
  }
  if (job->rest == 0) return true;
  read_into(fw, hal, job->index, job->segment, lpage + 1, s->from + lpage + 1, 1, job->rest - 1u);
  return false;
}

/* ---- with two page sizes: kept logical pages in small pages ---- */

#define MOST_READS 4u /* of a change: on either side of it, and of its first and its last logical page */

/* Those of which the change keeps blocks, by bit. */
static uint32_t small_edges(const struct wl_firmware* fw, const struct wl_change* p, uint32_t edges) {
  uint32_t small = 0;
  for (uint32_t i = 0; i < p->count && p->g.by_page; ++i)
    if ((edges >> (p->first + i) & 1) != 0 && wl_map_in_region(fw, p->lpn + i)) small |= 1u << (p->first + i);
  return small;
}

/* Whether they are on flash, to be read; else their programs are awaited. */
static bool on_flash(struct wl_firmware* fw, const struct wl_change* p, uint32_t small) {
  bool all = true;
  for (uint32_t i = 0; i < p->count; ++i) {
    const wl_map_value_t value = (small >> (p->first + i) & 1) != 0 ? wl_map_region_get(fw, p->lpn + i) : 0;
    if (value < WL_MAP_BUFFER) continue;
    wl_buffer_send(fw, value & ~WL_MAP_BUFFER);
    all = false;
  }
  return all;
}

/* With ftl.recovery the new page leaves out what small pages have of the map unit, and counts as a whole: the others of
 * it that are in the write buffer have to be on flash first, or a cut would lose what they replace. */
__attribute__((noinline, cold)) static bool others_on_flash(struct wl_firmware* fw, const struct wl_change* p) {
  const wl_lpn_t first = p->lpn - p->first;
  const uint32_t others = wl_map_unit_all(fw, first / wl_map_unit(fw)) & ~wl_bits(p->first, p->count);
  bool all = true;
  for (uint32_t k = 0; others >> k != 0; ++k) {
    if ((others >> k & 1) == 0 || !wl_map_in_region(fw, first + k)) continue;
    const wl_map_value_t value = wl_map_region_get(fw, first + k);
    if (value < WL_MAP_BUFFER) continue;
    wl_buffer_send(fw, value & ~WL_MAP_BUFFER);
    all = false;
  }
  return all;
}

/* Whether these logical pages, and `old` beside them, can be taken now. */
static bool may_join(struct wl_firmware* fw, const struct wl_change* p, uint32_t small, const struct wl_mapped* old,
                     bool in_place) {
  const bool leaves = old->value >= WL_MAP_BUFFER && !in_place;
  if (leaves) wl_buffer_send(fw, old->value & ~WL_MAP_BUFFER);
  if (!on_flash(fw, p, small) || leaves) return false; /* a program kicks */
  if (wl_jobs_free(fw) >= MOST_READS) return true;
  wl_job_await(fw, WL_STEP_WRITE);
  return false;
}

/* ---- a change is taken up ---- */

/* In new slots; `keep`: logical pages that stay. */
static struct wl_segment* take_anew(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag,
                                    const struct wl_change* p, const struct wl_mapped* old, uint32_t keep,
                                    uint32_t edges, uint32_t small, uint32_t stream) {
  struct wl_command* c = wl_command_of(fw, tag);
  const bool buffered = old->value >= WL_MAP_BUFFER;
  /* A logical page of which blocks are kept goes through the controller, which makes its codewords anew. */
  const bool in_die = keep != 0 && !buffered && ((keep | small) & edges) == 0 && fw->boot.ftl.modify_in_die != 0;
  const bool merge = keep != 0 && !buffered && !in_die;
  if (merge && wl_jobs_free(fw) == 0) {
    wl_job_await(fw, WL_STEP_WRITE);
    return NULL;
  }
  const wl_slot_t slot = wl_piece_slots(fw, tag, stream, p->g);
  if (slot == WL_NONE) return NULL;
  const uint32_t kind = keep == 0 ? WL_SEGMENT_PART
                        : merge   ? WL_SEGMENT_MERGE
                        : in_die  ? WL_SEGMENT_MODIFY
                                  : WL_SEGMENT_COPY;
  struct wl_segment* s = wl_piece_add(c, kind, slot + p->first, p->count);
  if (p->g.in_region) s->room = WL_OF_LPAGE;
  if (kind == WL_SEGMENT_COPY) {
    s->from = old->value & ~WL_MAP_BUFFER;
    wl_unit_read_begins(fw, wl_unit_of_slot(fw, s->from));
    ++fw->statistics.modify.copies;
  } else if (kind == WL_SEGMENT_MODIFY) {
    ++fw->statistics.modify.in_die;
  } else if (kind == WL_SEGMENT_MERGE) {
    s->from = old->value - WL_MAP_PPA0;
    read_rest(fw, hal, tag, p, keep, small != 0);
  }
  return s;
}

__attribute__((noinline)) enum wl_take wl_modify_take(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag,
                                                      const struct wl_change* p, uint32_t hazard, uint32_t stream) {
  struct wl_command* c = wl_command_of(fw, tag);
  FW_TASK(hal, WL_COST_FTL_WRITE_PART);
  if (c->segments >= wl_piece_limit(p->g)) return WL_WAIT_ROOM;
  if (p->g.by_page && wl_has_small_pages(fw) && fw->boot.ftl.recovery != 0 && !others_on_flash(fw, p))
    return WL_WAIT_ROOM; /* a program kicks */
  const struct wl_mapped old = mapped(fw, p->lpn, p->g.in_region);
  const uint32_t first = 1u << p->first, last = 1u << (p->first + p->count - 1);
  const uint32_t edges = (p->head ? first : 0) | (p->tail ? last : 0);
  const uint32_t keep = old.present & ~(wl_bits(p->first, p->count) & ~edges);
  const uint32_t small = small_edges(fw, p, edges);
  const wl_slot_t slot = old.value & ~WL_MAP_BUFFER;
  const bool in_place = old.value >= WL_MAP_BUFFER && wl_unit_may_change(fw, hal, wl_unit_of_slot(fw, slot));
  if (c->op == WL_OP_DEALLOCATE && old.value >= WL_MAP_BUFFER && !in_place) { /* it is copied from flash */
    wl_buffer_send(fw, slot);
    if (wl_word_lines_shared(fw)) wl_word_lines_flush(fw);
    return WL_WAIT_ROOM; /* a program kicks */
  }
  if (small != 0 && !may_join(fw, p, small, &old, in_place)) return WL_WAIT_ROOM;
  struct wl_segment* s;
  if (in_place) {
    wl_unit_expect(fw, wl_unit_of_slot(fw, slot));
    s = wl_piece_add(c, WL_SEGMENT_IN_PLACE, slot + p->first, p->count);
    if (p->g.in_region) s->room = WL_OF_LPAGE;
  } else {
    s = take_anew(fw, hal, tag, p, &old, keep, edges, small, stream);
    if (s == NULL) return WL_WAIT_ROOM;
  }
  for (uint32_t i = 0; i < p->count; ++i)
    if ((small >> (p->first + i) & 1) != 0)
      begin_read(fw, hal, tag, p->first + i, wl_map_region_get(fw, p->lpn + i) - WL_MAP_PPA0, 1);
  const uint32_t held = old.present | small;
  if (p->head && (held & first) == 0) s->room |= WL_ZERO_FIRST;
  if (p->tail && (held & last) == 0) s->room |= WL_ZERO_LAST;
  if ((old.lost & edges) != 0) c->status = WL_STATUS_READ_ERROR; /* what is to be kept is lost */
  wl_hazard_lock(fw, hazard, in_place ? WL_LOCKED_IN_PLACE : WL_LOCKED);
  return WL_TAKEN;
}

/* ---- its data ---- */

__attribute__((noinline)) void wl_modify_send_copy(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag,
                                                   const struct wl_segment* s) {
  const uint32_t n = wl_segment_unit(fw, s);
  const uint32_t present = mapped(fw, wl_command_of(fw, tag)->lpn + s->lpage, (s->room & WL_OF_LPAGE) != 0).present;
  if (present == 0) return;
  const uint32_t low = lowest(present); /* what is kept, and what lies between */
  struct wl_host_job job = {0};
  job.tag = (uint16_t)tag;
  job.op = WL_JOB_COPY;
  job.count = (uint16_t)(highest(present) - low + 1);
  job.slot = s->slot - s->slot % n + low;
  job.lpage = s->from + low;
  wl_host_reply(fw, hal, &job);
}

__attribute__((noinline)) void wl_modify_send_edges(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag,
                                                    const struct wl_segment* s, uint32_t flags) {
  struct wl_host_job job = {0};
  job.tag = (uint16_t)tag;
  job.op = WL_JOB_DMA_IN;
  for (uint32_t done = 0; done != s->count; done += job.count) {
    const uint32_t rest = s->count - done;
    const bool first = done == 0 && (s->room & WL_ZERO_FIRST) != 0;
    const bool last = rest == 1 && (s->room & WL_ZERO_LAST) != 0;
    job.flags = first || last ? WL_JOB_ZERO_REST : 0;
    job.count = (uint16_t)(first || last ? 1 : (s->room & WL_ZERO_LAST) != 0 ? rest - 1 : rest);
    job.slot = s->slot + done;
    job.lpage = s->lpage + done;
    if (rest == job.count) job.flags |= (uint8_t)flags;
    wl_host_reply(fw, hal, &job);
  }
}

__attribute__((noinline)) void wl_modify_count(struct wl_firmware* fw, const struct wl_command* c,
                                               const struct wl_segment* s, uint32_t lpages, uint32_t present) {
  const wl_unit_t unit = wl_unit_of_slot(fw, s->slot);
  const uint32_t count = wl_map_count(lpages);
  const uint32_t last = wl_lbas_per_lpage(fw) - c->last;
  fw->statistics.host_lpages_written += count;
  uint32_t missing = 0; /* blocks of the edges that the host has not written */
  if (s->kind != WL_SEGMENT_FULL && s->lpage == 0) missing += c->first;
  if (s->kind != WL_SEGMENT_FULL && s->lpage + s->count == c->lpages) missing += last;
  fw->statistics.host_lbas_missing += missing;
  if (s->kind != WL_SEGMENT_IN_PLACE) {
    if (!wl_maps_by_lpage(fw)) ++fw->statistics.page_writes;
    wl_unit_page(fw, unit, wl_map_count(present & ~lpages), wl_segment_unit(fw, s) - wl_map_count(present | lpages));
    wl_unit_merged(fw, unit, missing);
    return;
  }
  const uint32_t again = wl_map_count(lpages & present);
  fw->statistics.rewritten_lpages += again;
  wl_unit_filled_in(fw, unit, count - again);
  /* In place, a logical page that held nothing is new: what completes it, too. */
  uint32_t completed = 0;
  if ((s->room & WL_ZERO_FIRST) != 0) completed += c->first;
  if ((s->room & WL_ZERO_LAST) != 0) completed += last;
  wl_unit_merged(fw, unit, completed);
}

void wl_modify_shrink(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_segment* s, wl_lpn_t lpn,
                      uint32_t count) {
  uint32_t first;
  const wl_map_unit_t unit = wl_map_unit_of(fw, lpn, &first);
  const uint32_t lpages = wl_bits(first, count);
  const uint32_t kept = wl_map_count(wl_mapped(fw, unit).present & ~lpages);
  fw->statistics.recovery.tombstones += count;
  if (s->kind != WL_SEGMENT_IN_PLACE) {
    ++fw->statistics.page_writes;
    wl_unit_page(fw, wl_unit_of_slot(fw, s->slot), kept, wl_map_unit(fw) - kept);
  }
  wl_map_page_shrinks(fw, hal, unit, s->slot - first, lpages);
}

/* ---- in the die ---- */

static uint32_t map_unit_of(const struct wl_firmware* fw, wl_unit_t u) {
  return wl_slot_table(fw)[wl_unit(fw, u)->slot + wl_unit_part(fw, u)->first].lpn / wl_map_unit(fw);
}

static void unlock(struct wl_firmware* fw, wl_map_unit_t unit) {
  const uint32_t h = wl_hazard(unit);
  wl_hazard_unlock(fw, h);
  wl_write_resume(fw, h);
  wl_kick_queued(fw, WL_STEP_WRITE | WL_STEP_TRIM);
}

void wl_modify_put_apart(struct wl_firmware* fw, wl_map_unit_t unit, wl_slot_t slot, uint32_t first, uint32_t count) {
  const uint32_t sequence = wl_map_next_sequence(fw);
  for (uint32_t i = first; i < first + count; ++i)
    wl_slot_set_record(fw, slot + i, unit * wl_map_unit(fw) + i, sequence);
  wl_unit_set_part(fw, wl_unit_of_slot(fw, slot), first, count);
}

__attribute__((noinline)) void wl_modify_find_rests(struct wl_firmware* fw) {
  const uint32_t end = wl_plan(fw)->host_streams;
  for (uint32_t stream = WL_STREAM_HOST; stream != end; ++stream) {
    const wl_unit_t u = wl_unit_to_place(fw, stream);
    if (u == WL_NO_INDEX || wl_unit_part(fw, u) == NULL) continue;
    const wl_map_value_t value = wl_mapped(fw, map_unit_of(fw, u)).value;
    wl_unit_set_rest(fw, u, value >= WL_MAP_PPA0 ? value - WL_MAP_PPA0 : WL_NONE);
  }
}

__attribute__((noinline)) uint32_t wl_modify_programmed(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t u) {
  FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
  const struct wl_part* part = wl_unit_part(fw, u);
  const wl_map_unit_t unit = map_unit_of(fw, u);
  const uint32_t valid = wl_map_modified(fw, hal, unit, wl_unit(fw, u)->ppa, wl_bits(part->first, part->count));
  wl_unit_clear_part(fw, u);
  unlock(fw, unit);
  return valid;
}

__attribute__((noinline)) void wl_modify_stop(struct wl_firmware* fw) {
  if (fw->boot.ftl.modify_in_die == 0) return;
  for (wl_unit_t u = 0; u < wl_units_host(fw); ++u) {
    if (wl_unit_part(fw, u) == NULL || wl_unit(fw, u)->state == WL_UNIT_PROGRAMMING) continue;
    unlock(fw, map_unit_of(fw, u));
    wl_unit_abandon_part(fw, u);
  }
}
