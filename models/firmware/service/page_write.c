/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/page_write.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/map/hazards.h"
#include "models/firmware/map/map.h"
#include "models/firmware/map/pages.h"
#include "models/firmware/map/small_pages.h"
#include "models/firmware/media/media.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/service/commands.h"
#include "models/firmware/service/through.h"
#include "models/firmware/space/space.h"

/* A part of a page has up to two jobs more than its own: those of a piece fit the ring. */
#define PAGE_SEGMENTS (WL_MAX_SEGMENTS - 8u)

static uint32_t bits(uint32_t first, uint32_t count) { return ((1u << count) - 1) << first; }
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

/* What a command changes of a page. */
struct part {
  uint32_t page;
  uint32_t first, count; /* sectors */
  bool head, tail;       /* of the first, the last one not all blocks */
};

static struct part part_of(const struct wl_firmware* fw, const struct wl_command* c) {
  struct part p;
  p.page = wl_map_page_of(fw, c->lpn + c->sector, &p.first);
  const uint32_t room = fw->boot.ftl.map_page - p.first;
  const uint32_t left = c->sectors - c->sector;
  p.count = left < room ? left : room;
  p.head = c->sector == 0 && c->first != 0;
  p.tail = p.count == left && c->last != wl_sector_blocks(fw);
  return p;
}

static enum wl_take take_whole(struct wl_firmware* fw, struct wl_command* c, const struct part* p, uint32_t h,
                               uint32_t stream) {
  const uint32_t open = wl_unit_opened(fw, stream);
  struct wl_segment* s = c->segments != 0 ? &c->segment[c->segments - 1] : NULL;
  const bool extend = s != NULL && s->kind == WL_SEGMENT_FULL && open != WL_NONE && open == s->from;
  if (!extend && c->segments >= PAGE_SEGMENTS) return WL_WAIT_ROOM;
  const uint32_t slot = wl_buffer_page(fw, stream);
  if (slot == WL_NONE) return WL_WAIT_ROOM;
  wl_hazard_write(fw, h);
  if (extend && s->slot + s->count == slot)
    s->count = (uint16_t)(s->count + p->count);
  else
    wl_piece_add(c, WL_SEGMENT_FULL, slot, p->count)->from = wl_unit_of_slot(fw, slot);
  c->sector += p->count;
  return WL_TAKEN_PAGE;
}

/* A read of `count` sectors from `ppa` on into those from `sector` on of the page of new slots. */
static void read_into(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t segment, uint32_t sector,
                      uint32_t ppa, uint32_t count, uint32_t rest) {
  struct wl_command* c = wl_command_of(fw, tag);
  const struct wl_segment* s = &c->segment[segment];
  const uint32_t id = wl_job_take(fw, WL_STEP_WRITE);
  struct wl_job* job = wl_job(fw, id);
  job->kind = WL_JOB_KIND_MERGE;
  job->command = WL_OP_WRITE;
  job->segment = (uint8_t)segment;
  job->index = (uint16_t)tag;
  job->superblock = wl_superblock_of(fw, ppa);
  job->slot = s->slot - s->slot % fw->boot.ftl.map_page + sector;
  job->count = (uint16_t)count;
  job->rest = (uint16_t)rest;
  wl_send_flash_read(fw, hal, id, ppa, count, job->slot, WL_PRIORITY_HOST, tag, 0);
}

/* The first of the reads of a segment from one page: sectors from `sector` on. */
static void begin_read(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t sector, uint32_t ppa,
                       uint32_t count) {
  struct wl_command* c = wl_command_of(fw, tag);
  wl_superblock_read_begins(fw, wl_superblock_of(fw, ppa));
  ++c->waiting;
  ++fw->statistics.modify.reads;
  fw->statistics.modify.sectors += count;
  read_into(fw, hal, tag, c->segments - 1u, sector, ppa, count, 0);
}

/* The kept sectors of the old page: one read, of what lies between the first and the last. `apart`: sectors of the part
 * that come from small pages; then one on either side of it. */
static void read_rest(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, const struct part* p,
                      uint32_t keep, bool apart) {
  struct wl_command* c = wl_command_of(fw, tag);
  const uint32_t ppa = c->segment[c->segments - 1u].from;
  const uint32_t below = apart ? keep & ((2u << p->first) - 1) : keep;
  for (uint32_t set = below, again = 0; again != 2; set = keep & ~below, ++again)
    if (set != 0) begin_read(fw, hal, tag, lowest(set), ppa + lowest(set), highest(set) - lowest(set) + 1);
}

/* With two page sizes: sectors of which the part keeps blocks that lie in small pages, by bit. */
static uint32_t small_edges(const struct wl_firmware* fw, const struct part* p, uint32_t edges) {
  const uint32_t lpn = p->page * fw->boot.ftl.map_page;
  uint32_t small = 0;
  for (uint32_t i = p->first; i < p->first + p->count; ++i)
    if ((edges >> i & 1) != 0 && wl_map_in_small(fw, lpn + i)) small |= 1u << i;
  return small;
}

/* Whether they are on flash, to be read; else their programs are awaited. */
static bool on_flash(struct wl_firmware* fw, const struct part* p, uint32_t small) {
  bool all = true;
  for (uint32_t i = p->first; i < p->first + p->count; ++i) {
    const uint32_t value = (small >> i & 1) != 0 ? wl_map_small(fw, p->page * fw->boot.ftl.map_page + i) : 0;
    if (value < WL_MAP_BUFFER) continue;
    wl_buffer_send(fw, value & ~WL_MAP_BUFFER);
    all = false;
  }
  return all;
}

#define MOST_READS 4u /* of a part: on either side of it, and of its first and its last sector */

static enum wl_take take_part(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, const struct part* p,
                              uint32_t h, uint32_t stream) {
  struct wl_command* c = wl_command_of(fw, tag);
  FW_TASK(hal, WL_COST_FTL_WRITE_PART);
  if (c->segments >= PAGE_SEGMENTS) return WL_WAIT_ROOM;
  const struct wl_mapped_page old = wl_map_page(fw, p->page);
  const uint32_t first = 1u << p->first, last = 1u << (p->first + p->count - 1);
  const uint32_t edges = (p->head ? first : 0) | (p->tail ? last : 0);
  const uint32_t keep = old.present & ~(bits(p->first, p->count) & ~edges);
  const uint32_t small = small_edges(fw, p, edges);
  const bool buffered = old.value >= WL_MAP_BUFFER;
  const uint32_t from = buffered ? old.value & ~WL_MAP_BUFFER : 0;
  const uint32_t unit = buffered ? wl_unit_of_slot(fw, from) : WL_NONE;
  struct wl_segment* s;
  const bool in_place = buffered && wl_unit_may_change(fw, hal, unit);
  if (small != 0 && buffered && !in_place) wl_buffer_send(fw, from);
  if (small != 0 && (!on_flash(fw, p, small) || (buffered && !in_place))) return WL_WAIT_ROOM; /* a program kicks */
  if (small != 0 && wl_jobs_free(fw) < MOST_READS) {
    wl_job_await(fw, WL_STEP_WRITE);
    return WL_WAIT_ROOM;
  }
  if (in_place) {
    wl_unit_expect(fw, unit);
    s = wl_piece_add(c, WL_SEGMENT_IN_PLACE, from + p->first, p->count);
  } else {
    /* A sector of which blocks are kept goes through the controller, which makes its codewords anew. */
    const bool in_die = keep != 0 && !buffered && ((keep | small) & edges) == 0 && fw->boot.ftl.modify_in_die != 0;
    const bool merge = keep != 0 && !buffered && !in_die;
    if (merge && wl_jobs_free(fw) == 0) {
      wl_job_await(fw, WL_STEP_WRITE);
      return WL_WAIT_ROOM;
    }
    const uint32_t slot = wl_buffer_page(fw, stream);
    if (slot == WL_NONE) return WL_WAIT_ROOM;
    const uint32_t kind = keep == 0 ? WL_SEGMENT_PART
                          : merge   ? WL_SEGMENT_MERGE
                          : in_die  ? WL_SEGMENT_MODIFY
                                    : WL_SEGMENT_COPY;
    s = wl_piece_add(c, kind, slot + p->first, p->count);
    if (kind == WL_SEGMENT_COPY) {
      wl_unit_read_begins(fw, unit);
      s->from = from;
      ++fw->statistics.modify.copies;
    } else if (kind == WL_SEGMENT_MODIFY) {
      ++fw->statistics.modify.in_die;
    } else if (kind == WL_SEGMENT_MERGE) {
      s->from = old.value - WL_MAP_PPA0;
      read_rest(fw, hal, tag, p, keep, small != 0);
    }
  }
  for (uint32_t i = p->first; i < p->first + p->count; ++i)
    if ((small >> i & 1) != 0)
      begin_read(fw, hal, tag, i, wl_map_small(fw, p->page * fw->boot.ftl.map_page + i) - WL_MAP_PPA0, 1);
  const uint32_t held = old.present | small;
  s->room = (uint16_t)((p->head && (held & first) == 0 ? WL_ZERO_FIRST : 0) |
                       (p->tail && (held & last) == 0 ? WL_ZERO_LAST : 0));
  if ((old.lost & edges) != 0) c->status = WL_STATUS_READ_ERROR; /* what is to be kept is lost */
  wl_hazard_lock(fw, h, in_place ? WL_LOCKED_IN_PLACE : WL_LOCKED);
  c->sector += p->count;
  return WL_TAKEN_PAGE;
}

/* Not inlined, nor the others that write.c calls: see map/pages.c. */
__attribute__((noinline)) enum wl_take wl_page_take(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag,
                                                    uint32_t stream) {
  struct wl_command* c = wl_command_of(fw, tag);
  const struct part p = part_of(fw, c);
  const uint32_t h = wl_hazard(p.page);
  const bool whole = !p.head && !p.tail && bits(p.first, p.count) == wl_map_page_all(fw, p.page);
  if (wl_hazard_locked(fw, h) || !wl_list_empty(&fw->service.waiters[h])) return WL_WAIT_SECTOR;
  if (whole) return take_whole(fw, c, &p, h, stream);
  return wl_hazard_written(fw, h) ? WL_WAIT_SECTOR : take_part(fw, hal, tag, &p, h, stream);
}

__attribute__((noinline)) bool wl_page_read_done(struct wl_firmware* fw, const struct wl_hal* hal,
                                                 const struct wl_job* job, bool ok) {
  struct wl_command* c = wl_command_of(fw, job->index);
  const struct wl_segment* s = &c->segment[job->segment];
  const uint32_t sector = job->slot % fw->boot.ftl.map_page;
  if (!ok && job->count > 1) {
    read_into(fw, hal, job->index, job->segment, sector, s->from + sector, 1, job->count - 1u);
    return false;
  }
  if (!ok) {
    const uint32_t lpn = c->lpn + s->sector - s->slot % fw->boot.ftl.map_page + sector;
    const uint32_t at = lpn - c->lpn; /* beyond the command's sectors where it lies before them */
    const bool edge = (at == 0 && c->first != 0) || (at + 1 == c->sectors && c->last != wl_sector_blocks(fw));
    if (edge && wl_map_get(fw, lpn) != WL_MAP_DEALLOCATED)
      c->status = WL_STATUS_READ_ERROR;
    else if (at >= c->sectors && wl_map_get(fw, lpn) != WL_MAP_DEALLOCATED)
      wl_map_set_gone(fw, hal, lpn, WL_MAP_LOST); /* the lock keeps newer data away */
  }
  if (job->rest == 0) return true;
  read_into(fw, hal, job->index, job->segment, sector + 1, s->from + sector + 1, 1, job->rest - 1u);
  return false;
}

__attribute__((noinline)) void wl_page_send(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag,
                                            uint32_t segment, bool last, bool later) {
  struct wl_command* c = wl_command_of(fw, tag);
  const struct wl_segment* s = &c->segment[segment];
  const uint32_t size = fw->boot.ftl.map_page;
  struct wl_host_job job = {0};
  job.tag = (uint16_t)tag;
  if (s->kind == WL_SEGMENT_COPY) { /* what is kept, and what lies between */
    uint32_t sector;
    const uint32_t page = wl_map_page_of(fw, c->lpn + s->sector, &sector);
    const uint32_t present = wl_map_page(fw, page).present;
    if (present != 0) {
      const uint32_t low = lowest(present);
      job.op = WL_JOB_COPY;
      job.count = (uint16_t)(highest(present) - low + 1);
      job.slot = s->slot - s->slot % size + low;
      job.sector = s->from + low;
      wl_host_reply(fw, hal, &job);
    }
  }
  job.op = WL_JOB_DMA_IN;
  for (uint32_t done = 0; done != s->count;) {
    const uint32_t rest = s->count - done;
    uint32_t count = rest;
    bool zero = false;
    if (done == 0 && (s->room & WL_ZERO_FIRST) != 0) {
      count = 1;
      zero = true;
    } else if ((s->room & WL_ZERO_LAST) != 0) {
      zero = rest == 1;
      if (!zero) count = rest - 1;
    }
    job.flags = zero ? WL_JOB_ZERO_REST : 0;
    job.count = (uint16_t)count;
    job.slot = s->slot + done;
    job.sector = s->sector + done;
    done += count;
    if (last && done == s->count) {
      job.flags |= WL_JOB_NOTIFY;
      if (c->sector == c->sectors && !later) job.flags |= WL_JOB_THEN_COMPLETE;
    }
    wl_host_reply(fw, hal, &job);
  }
}

/* The rest stays in the die: the slots lack it, so the map points to the old page until the program has ended. */
static void put_apart(struct wl_firmware* fw, uint32_t page, uint32_t slot, uint32_t sectors) {
  const uint32_t first = lowest(sectors), count = wl_map_count(sectors);
  for (uint32_t i = first; i < first + count; ++i) wl_slot_set_owner(fw, slot + i, page * fw->boot.ftl.map_page + i);
  wl_unit_set_part(fw, wl_unit_of_slot(fw, slot), first, count);
}

/* The host's data are in `sectors` of the page of slots from `slot` on. */
static void put(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_command* c,
                const struct wl_segment* s, uint32_t page, uint32_t slot, uint32_t sectors) {
  const uint32_t old = wl_map_page(fw, page).present;
  const uint32_t unit = wl_unit_of_slot(fw, slot);
  const uint32_t count = wl_map_count(sectors);
  fw->statistics.host_sectors_written += count;
  if (s->kind == WL_SEGMENT_IN_PLACE) {
    const uint32_t again = wl_map_count(sectors & old);
    fw->statistics.rewritten_sectors += again;
    wl_unit_filled_in(fw, unit, count - again);
  } else {
    ++fw->statistics.page_writes;
    wl_unit_page(fw, unit, wl_map_count(old & ~sectors), fw->boot.ftl.map_page - wl_map_count(old | sectors));
  }
  if (s->kind == WL_SEGMENT_MODIFY)
    put_apart(fw, page, slot, sectors);
  else
    wl_map_page_put(fw, hal, page, slot, sectors);
  uint32_t missing = 0; /* blocks of the edges that the host has not written */
  if (s->kind != WL_SEGMENT_FULL && s->sector == 0) missing += c->first;
  if (s->kind != WL_SEGMENT_FULL && s->sector + s->count == c->sectors) missing += wl_sector_blocks(fw) - c->last;
  fw->statistics.host_blocks_missing += missing;
  if (s->kind != WL_SEGMENT_IN_PLACE) {
    wl_unit_merged(fw, unit, missing);
    return;
  }
  /* In place, a sector that held nothing is new: what completes it, too. */
  uint32_t completed = 0;
  if ((s->room & WL_ZERO_FIRST) != 0) completed += c->first;
  if ((s->room & WL_ZERO_LAST) != 0) completed += wl_sector_blocks(fw) - c->last;
  wl_unit_merged(fw, unit, completed);
}

__attribute__((noinline)) void wl_page_release(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag,
                                               uint32_t segment, bool commit) {
  struct wl_command* c = wl_command_of(fw, tag);
  const uint32_t size = fw->boot.ftl.map_page;
  const struct wl_segment* s = &c->segment[segment];
  for (uint32_t done = 0; done != s->count;) {
    FW_TASK(hal, WL_COST_FTL_COMMIT_SECTOR);
    uint32_t first;
    const uint32_t page = wl_map_page_of(fw, c->lpn + s->sector + done, &first);
    const uint32_t room = size - first;
    const uint32_t count = s->count - done < room ? s->count - done : room;
    const uint32_t slot = s->slot + done - first;
    const uint32_t unit = wl_unit_of_slot(fw, slot);
    const uint32_t h = wl_hazard(page);
    const bool held = commit && s->kind == WL_SEGMENT_MODIFY; /* until it is programmed */
    if (s->kind == WL_SEGMENT_FULL)
      wl_hazard_end_write(fw, h);
    else if (!held)
      wl_hazard_unlock(fw, h);
    if (s->kind == WL_SEGMENT_IN_PLACE) wl_kick_queued(fw, WL_STEP_READ);
    if (!held) wl_write_resume(fw, h);
    if (commit) {
      put(fw, hal, c, s, page, slot, bits(first, count));
      if (fw->policy->on_write != NULL) {
        FW_TASK(hal, WL_COST_FTL_NOTE);
        fw->policy->on_write(fw, c->lpn + s->sector + done, count, c->sectors);
      }
      if (wl_writes_through(fw)) wl_through_awaits(fw, tag, unit);
    } else if (s->kind != WL_SEGMENT_IN_PLACE) {
      for (uint32_t k = 0; k < size; ++k) wl_slot_set_owner(fw, slot + k, WL_LPN_NONE);
      wl_unit_padded(fw, unit, size);
    }
    wl_unit_arrived(fw, unit, 1);
    done += count;
  }
  FW_TASK(hal, WL_COST_FTL_COMMIT);
  if (s->kind == WL_SEGMENT_COPY) wl_unit_read_done(fw, wl_unit_of_slot(fw, s->from));
}

/* ---- read and modify in the die ---- */

static uint32_t page_of(const struct wl_firmware* fw, uint32_t u) {
  return wl_slot_table(fw)[wl_unit(fw, u)->slot + wl_unit_part(fw, u)->first].lpn / fw->boot.ftl.map_page;
}

static void unlock(struct wl_firmware* fw, uint32_t page) {
  const uint32_t h = wl_hazard(page);
  wl_hazard_unlock(fw, h);
  wl_write_resume(fw, h);
  wl_kick_queued(fw, WL_STEP_WRITE | WL_STEP_TRIM);
}

__attribute__((noinline)) void wl_page_find_rests(struct wl_firmware* fw) {
  for (uint32_t stream = WL_STREAM_HOST; stream != WL_STREAM_HOST + WL_CLASSES; ++stream) {
    const uint32_t u = wl_unit_to_place(fw, stream);
    if (u == WL_NO_INDEX || wl_unit_part(fw, u) == NULL) continue;
    const uint32_t value = wl_map_page(fw, page_of(fw, u)).value;
    wl_unit_set_rest(fw, u, value >= WL_MAP_PPA0 ? value - WL_MAP_PPA0 : WL_NONE);
  }
}

__attribute__((noinline)) uint32_t wl_page_modified(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t u) {
  FW_TASK(hal, WL_COST_FTL_PROGRAM_SECTOR);
  const struct wl_part* part = wl_unit_part(fw, u);
  const uint32_t page = page_of(fw, u);
  const uint32_t valid = wl_map_page_modified(fw, hal, page, wl_unit(fw, u)->ppa, bits(part->first, part->count));
  wl_unit_clear_part(fw, u);
  unlock(fw, page);
  return valid;
}

__attribute__((noinline)) void wl_page_stop(struct wl_firmware* fw) {
  if (fw->boot.ftl.modify_in_die == 0) return;
  for (uint32_t u = 0; u < wl_units_host(fw); ++u) {
    if (wl_unit_part(fw, u) == NULL || wl_unit(fw, u)->state == WL_UNIT_PROGRAMMING) continue;
    unlock(fw, page_of(fw, u));
    wl_unit_abandon_part(fw, u);
  }
}
