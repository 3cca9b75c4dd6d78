/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the firmware call of each other.
 */
#ifndef WORDLINE_FIRMWARE_TASKS_H
#define WORDLINE_FIRMWARE_TASKS_H

#include <stddef.h>

#include "models/firmware/context.h"
#include "registers/wordline_regs.h"

#define WL_REGISTER(member) ((uint32_t)offsetof(wordline_t, member))
#define WL_REGISTER_AT(array, i, member) \
  (WL_REGISTER(array) + (i) * (uint32_t)sizeof(((wordline_t*)0)->array[0]) + \
   ((uint32_t)offsetof(wordline_t, array[0].member) - WL_REGISTER(array[0])))

/* After a push to a queue of `task`: wakes its core when that has announced its sleep. */
static inline void wl_notify(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t task) {
  const uint32_t core = fw->boot.task_core[task];
  WL_FENCE();
  if (fw->sleeping[core]) wl_write32(hal, WL_REGISTER_AT(IRQ, core, IPI), 1);
}

/* Whether the drive has all of these hardware engines. */
static inline bool wl_engine(const struct wl_firmware* fw, uint32_t engines) {
  return (fw->boot.engines & engines) == engines;
}

/* tasks: one piece of work each */
void wl_host_poll(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_ftl_poll(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_flash_poll(struct wl_firmware* fw, const struct wl_hal* hal);

/* host.c */
void wl_post_host_job(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_host_job* job);

/* parse.c: an event that only a controller without WL_ENGINE_PARSE sends. False: there is more to do, it stays in the ring. A
 * function of its own, so that the loop that a controller with a parser keeps busy is compiled as without. */
__attribute__((noinline)) bool wl_parse_event(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_host_event* e);

/* ftl.c: messages out, job ids */
void wl_send_host_job(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_host_job* job);
void wl_complete(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t status);
void wl_job_locate(const struct wl_firmware* fw, uint32_t place, struct wl_flash_job* job);
uint32_t wl_job_take(struct wl_firmware* fw, uint32_t waiter); /* WL_NONE: none left, `waiter` is kicked later */
void wl_job_release(struct wl_firmware* fw, uint32_t id);
void wl_send_flash_read(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, uint32_t place, uint32_t count,
                        uint32_t slot, uint32_t priority, uint32_t tag, uint32_t flags);
void wl_send_flash_program(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, uint32_t place, uint32_t slot,
                           uint32_t priority);
void wl_send_flash_erase(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, uint32_t line, uint32_t die);
/* On whose behalf a flash job is: an NVMe opcode or a wl_command_type. */
static inline uint32_t wl_job_command(const struct wl_firmware* fw, const struct wl_job* job) {
  switch (job->kind) {
    case WL_JOB_KIND_READ: return WL_OP_READ;
    case WL_JOB_KIND_MERGE: return WL_OP_WRITE;
    case WL_JOB_KIND_PROGRAM:
      return fw->units[job->index].stream == WL_STREAM_HOST ? (uint32_t)WL_OP_WRITE : (uint32_t)WL_COMMAND_COLLECTION;
    default: return WL_COMMAND_COLLECTION;
  }
}
static inline void wl_command_push(struct wl_firmware* fw, struct wl_list* l, uint32_t tag) {
  fw->commands[tag].next = WL_NO_INDEX;
  if (l->head == WL_NO_INDEX)
    l->head = (uint16_t)tag;
  else
    fw->commands[l->tail].next = (uint16_t)tag;
  l->tail = (uint16_t)tag;
}
/* Puts all of `from` before `l`. */
static inline void wl_command_push_all_front(struct wl_firmware* fw, struct wl_list* l, struct wl_list* from) {
  if (wl_list_empty(from)) return;
  fw->commands[from->tail].next = l->head;
  if (wl_list_empty(l)) l->tail = from->tail;
  l->head = from->head;
  wl_list_clear(from);
}
static inline uint32_t wl_command_pop(struct wl_firmware* fw, struct wl_list* l) {
  const uint32_t tag = l->head;
  l->head = fw->commands[tag].next;
  return tag;
}

/* map.c */
uint32_t wl_map_get(const struct wl_firmware* fw, uint32_t lpn); /* WL_MAP_INITIAL resolved */
/* Every change of the map goes through here: the lookup engine's answers are good until it is counted. */
static inline void wl_map_put(struct wl_firmware* fw, uint32_t lpn, uint32_t value) {
  fw->l2p[lpn] = value;
  if (fw->sector_states == NULL) return;
  struct wl_sector_state* state = &fw->sector_states[lpn % WL_SECTOR_STATES];
  WL_FENCE();
  state->changes = state->changes + 1;
}
void wl_map_set_buffer(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t slot);
/* deallocated or lost */
void wl_map_set_gone(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t lpn, uint32_t value);
bool wl_map_is_zero(uint32_t value);
uint32_t wl_place_owner(const struct wl_firmware* fw, uint32_t place); /* WL_NONE: padding or never written */
/* Sectors from `place` to the end of its page. */
static inline uint32_t wl_page_room(const struct wl_firmware* fw, uint32_t place) {
  return fw->geometry.page_sectors - place % fw->geometry.page_sectors;
}

/* read_slots.c: WL_NONE when there are none; 1 <= count <= chunk_sectors */
uint32_t wl_read_slots_take(struct wl_firmware* fw, uint32_t count);
void wl_read_slots_release(struct wl_firmware* fw, uint32_t slot, uint32_t count);

/* read.c */
void wl_read_step(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_read_flash_done(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_job* job, bool ok);
void wl_read_dma_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag);

/* retry.c */
void wl_retry_boot(struct wl_firmware* fw, const struct wl_hal* hal);
uint32_t wl_retry_first(struct wl_firmware* fw, uint32_t id, const struct wl_flash_job* job);
bool wl_retry_completed(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_flash_completion* done);
void wl_retry_succeeded(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id);
/* Decisions alone: `retry` of the next attempt, 0: give up. */
void wl_retry_begin(const struct wl_firmware* fw, struct wl_retry* r, uint32_t ort);
uint32_t wl_retry_next(const struct wl_retry_rules* rules, struct wl_retry* r, uint32_t report);
uint32_t wl_retry_history(const struct wl_retry* r, uint32_t failed);

/* write.c */
void wl_write_step(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_write_merge_done(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_job* job, bool ok);
void wl_write_dma_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag);
static inline uint32_t wl_hazard(uint32_t lpn) { return lpn & (WL_HAZARDS - 1); }

/* write_buffer.c */
uint32_t wl_unit_of_slot(const struct wl_firmware* fw, uint32_t slot); /* host slots */
uint32_t wl_unit_open(struct wl_firmware* fw, uint32_t stream);        /* WL_NONE: none free */
uint32_t wl_buffer_slot(struct wl_firmware* fw);                       /* next slot of the host's open unit, or WL_NONE */
void wl_unit_close(struct wl_firmware* fw, uint32_t unit);             /* the rest becomes padding */
void wl_unit_arrived(struct wl_firmware* fw, uint32_t unit, uint32_t count);
void wl_unit_reader_done(struct wl_firmware* fw, uint32_t unit);
void wl_unit_push(struct wl_firmware* fw, struct wl_list* l, uint32_t unit);
void wl_unit_free(struct wl_firmware* fw, uint32_t unit);
/* The unit gets the next place of `line`, where job `id` will program it. */
void wl_unit_place(struct wl_firmware* fw, uint32_t unit, uint32_t line, uint32_t id);
void wl_place_step(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_program_done(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_job* job, bool ok);
void wl_flush(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag);

/* lines.c */
void wl_lines_boot(struct wl_firmware* fw);
void wl_line_invalidate(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t line); /* one sector less */
uint32_t wl_line_open(struct wl_firmware* fw, uint32_t stream); /* takes a free line, WL_NONE: none */
void wl_line_close(struct wl_firmware* fw, uint32_t line);
void wl_line_program_done(struct wl_firmware* fw, uint32_t line, uint32_t valid);
void wl_line_take(struct wl_firmware* fw, uint32_t line); /* out of its bucket, as victim */
void wl_line_read_done(struct wl_firmware* fw, uint32_t line);
void wl_line_try_erase(struct wl_firmware* fw, uint32_t line);
void wl_line_erase(struct wl_firmware* fw, uint32_t line);
void wl_erase_step(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_erase_done(struct wl_firmware* fw, const struct wl_job* job, bool ok);

/* gc.c */
void wl_gc_step(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_gc_read_done(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, bool ok);
void wl_gc_program_done(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_unit* unit);

/* Marks a sector that cannot be read lost; the slot is the index-th of the collector's. */
void wl_gc_lose(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t index);

/* gc_engines.c */
#define WL_ASKED 0xfffffffeu /* beside lines and WL_NONE: the victim engine searches, its answer kicks the collector */
enum wl_progress { WL_MORE, WL_WAIT, WL_SCANNED };
void wl_gc_scan_begin(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t place, uint32_t end);
void wl_gc_scanned(struct wl_firmware* fw);
uint32_t wl_gc_search(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_gc_searched(struct wl_firmware* fw);
void wl_copy_post(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, uint32_t unit, uint32_t flags);
enum wl_progress wl_gc_fill(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_gc_fill_close(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_gc_copy_failed(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id);
void wl_gc_copy_read(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id, bool ok);

/* engines.c */
void wl_post_place_job(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_place_job* job);
void wl_grace_unit(struct wl_firmware* fw, uint32_t unit);
void wl_grace_line(struct wl_firmware* fw, uint32_t line);
void wl_grace_step(struct wl_firmware* fw, const struct wl_hal* hal);
static inline bool wl_grace_ended(const struct wl_firmware* fw) {
  if ((fw->grace_running & WL_SCANNING) != 0 && fw->gc_list->done == fw->scans) return true;
  if ((fw->grace_running & WL_SEARCHING) != 0 && fw->victim_answer->done == fw->searches) return true;
  for (uint32_t kind = 0; kind < WL_GRACES; ++kind)
    if ((fw->grace_running & 1u << kind) != 0 && fw->grace->done[kind] == fw->grace_begun[kind]) return true;
  return false;
}
/* A write is over for these sectors: the map is as it wants it, or will not change. */
static inline void wl_write_closed(struct wl_firmware* fw, uint32_t lpn) {
  struct wl_sector_state* state = &fw->sector_states[lpn % WL_SECTOR_STATES];
  state->closed = state->closed + 1;
}

/* trim.c */
void wl_trim_add(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_request* request);
void wl_trim_step(struct wl_firmware* fw, const struct wl_hal* hal);

#endif
