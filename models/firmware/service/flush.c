/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/service/flush.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/buffer/word_line.h"
#include "models/firmware/service/commands.h"
#include "models/firmware/service/state.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/space.h"

static void complete_all(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t status) {
  struct wl_list* flushing = &wl_service_state(fw)->flushing;
  while (!wl_list_empty(flushing)) wl_complete(fw, hal, wl_command_pop(fw, flushing), status);
}

static void start(struct wl_firmware* fw, const struct wl_hal* hal) {
  while (!wl_list_empty(&wl_service_state(fw)->flush_next)) {
    wl_service_state(fw)->flushing = wl_service_state(fw)->flush_next;
    wl_list_clear(&wl_service_state(fw)->flush_next);
    const uint32_t end = wl_plan(fw)->host_streams;
    for (uint32_t stream = WL_STREAM_HOST; stream != end; ++stream) {
      const uint32_t open = wl_unit_opened(fw, stream);
      if (open != WL_NONE) wl_unit_close(fw, open);
    }
    wl_service_state(fw)->flush_sequence = wl_buffer_sequence(fw);
    wl_service_state(fw)->flush_remaining = wl_buffer_dirty(fw);
    if (wl_service_state(fw)->flush_remaining != 0 && !wl_space_stopped(fw)) {
      if (fw->boot.ftl.recovery != 0) wl_buffer_await(fw, wl_service_state(fw)->flush_sequence);
      if (wl_word_lines_shared(fw)) wl_word_lines_flush(fw);
      return;
    }
    complete_all(fw, hal, wl_service_state(fw)->flush_remaining != 0 ? WL_STATUS_WRITE_FAULT : WL_STATUS_OK);
    wl_service_state(fw)->flush_remaining = 0;
  }
}

__attribute__((noinline)) void wl_flush_stop(struct wl_firmware* fw, const struct wl_hal* hal) {
  complete_all(fw, hal, WL_STATUS_WRITE_FAULT);
  wl_service_state(fw)->flush_remaining = 0;
  wl_buffer_await_nothing(fw);
  start(fw, hal);
}

static inline __attribute__((always_inline)) void flush(struct wl_firmware* fw, const struct wl_hal* hal,
                                                        uint32_t tag) {
  wl_command_push(fw, &wl_service_state(fw)->flush_next, tag);
  if (wl_list_empty(&wl_service_state(fw)->flushing)) start(fw, hal);
  if (wl_service_state(fw)->flush_remaining != 0) wl_mark(hal, tag, WL_MARK_PROGRAM);
}

void wl_flush(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) { flush(fw, hal, tag); }

/* Apart: another place that calls the one before would keep it from being inlined. */
__attribute__((noinline, cold)) void wl_flush_behind(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag) {
  flush(fw, hal, tag);
}

void wl_flush_waits(struct wl_firmware* fw) {
  if (wl_service_view(fw)->flush_remaining != 0) wl_word_lines_flush(fw);
}

void wl_flush_programmed(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t sequence) {
  struct wl_service* s = wl_service_state(fw);
  if (s->flush_remaining == 0 || (int32_t)(sequence - s->flush_sequence) >= 0 || --s->flush_remaining != 0) return;
  wl_buffer_await_nothing(fw);
  complete_all(fw, hal, WL_STATUS_OK);
  start(fw, hal);
}
