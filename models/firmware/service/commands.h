/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Commands by tag, lists of them, and their end.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_COMMANDS_H
#define WORDLINE_FIRMWARE_SERVICE_COMMANDS_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"
#include "models/firmware/core/core.h"
#include "models/firmware/host/host.h"
#include "models/firmware/service/idle.h"
#include "models/firmware/space/pace.h"

void wl_commands_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_commands_boot(struct wl_firmware* fw);
/* Fills in the command with the tag of a read or write. */
void wl_command_take(struct wl_firmware* fw, const struct wl_request* request);

static inline struct wl_command* wl_command_of(struct wl_firmware* fw, uint32_t tag) {
  return &fw->service.commands[tag];
}
static inline void wl_command_push(struct wl_firmware* fw, struct wl_list* l, uint32_t tag) {
  fw->service.commands[tag].next = WL_NO_INDEX;
  if (l->head == WL_NO_INDEX)
    l->head = (uint16_t)tag;
  else
    fw->service.commands[l->tail].next = (uint16_t)tag;
  l->tail = (uint16_t)tag;
}
static inline uint32_t wl_command_pop(struct wl_firmware* fw, struct wl_list* l) {
  const uint32_t tag = l->head;
  l->head = fw->service.commands[tag].next;
  return tag;
}
/* Puts all of `from` before `l`. */
static inline void wl_command_push_all_front(struct wl_firmware* fw, struct wl_list* l, struct wl_list* from) {
  if (wl_list_empty(from)) return;
  fw->service.commands[from->tail].next = l->head;
  if (wl_list_empty(l)) l->tail = from->tail;
  l->head = from->head;
  wl_list_clear(from);
}

/* The queues of the read and of the write step. */
static inline void wl_read_push(struct wl_firmware* fw, uint32_t tag) {
  wl_command_push(fw, &fw->service.reads, tag);
  wl_queued(fw, WL_STEP_READ);
}
static inline void wl_read_pop(struct wl_firmware* fw) {
  (void)wl_command_pop(fw, &fw->service.reads);
  if (wl_list_empty(&fw->service.reads)) wl_not_queued(fw, WL_STEP_READ);
}
static inline void wl_write_push(struct wl_firmware* fw, uint32_t tag) {
  wl_command_push(fw, &fw->service.writes, tag);
  wl_queued(fw, WL_STEP_WRITE);
}
static inline void wl_write_pop(struct wl_firmware* fw) {
  (void)wl_command_pop(fw, &fw->service.writes);
  if (wl_list_empty(&fw->service.writes)) wl_not_queued(fw, WL_STEP_WRITE);
}

/* Commands that wait for a sector, or a page, queue again, before all others. */
static inline void wl_write_resume(struct wl_firmware* fw, uint32_t hazard) {
  struct wl_list* waiters = &fw->service.waiters[hazard];
  if (wl_list_empty(waiters)) return;
  wl_command_push_all_front(fw, &fw->service.writes, waiters);
  wl_queued(fw, WL_STEP_WRITE);
}

/* Taken up; ended without a completion job of the firmware's. */
static inline void wl_command_begins(struct wl_firmware* fw, const struct wl_hal* hal) {
  ++fw->service.active;
  if (wl_silence(fw) > WL_BUSY) wl_idle_ends(fw, hal);
}
static inline void wl_command_ends(struct wl_firmware* fw) {
  const bool awaited = wl_pace_copies_wait(fw) || wl_silence(fw) == WL_BUSY;
  if (--fw->service.active == 0 && awaited) wl_last_command_ends(fw);
}
/* Posts the completion entry. */
static inline void wl_complete(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t status) {
  struct wl_host_job job = {0};
  job.op = WL_JOB_COMPLETE;
  job.tag = (uint16_t)tag;
  job.status = (uint16_t)status;
  wl_command_ends(fw);
  wl_host_reply(fw, hal, &job);
}

#endif
