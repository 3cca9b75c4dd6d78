/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/policy/page_mapping.h"

#include "models/firmware/core/core.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"

static uint32_t line_for(struct wl_firmware* fw, uint32_t stream) {
  const bool host = !wl_stream_moves(stream);
  if (host && !wl_pace_places(fw)) return WL_NONE;
  const uint32_t line = wl_line_opened(fw, stream);
  if (line != WL_NONE) return line;
  if (host && wl_lines_short(fw) && !wl_line_prepared(fw)) return wl_line_of_another_class(fw);
  const uint32_t opened = wl_line_open(fw, stream);
  if (opened != WL_NONE || host) return opened;
  return wl_line_take_over(fw, stream) ? wl_line_opened(fw, stream) : WL_NONE;
}

bool wl_page_place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  at->line = line_for(fw, stream);
  at->unit = WL_NEXT_UNIT;
  at->control = 0;
  return at->line != WL_NONE;
}

bool wl_page_collect(const struct wl_firmware* fw) {
  const uint32_t free = wl_lines_free(fw) + wl_lines_erasing(fw) + wl_lines_draining(fw);
  return free <= wl_lines_start(fw) || (wl_host_silent(fw) && free < fw->boot.idle_free_lines);
}

bool wl_page_idle(struct wl_firmware* fw, const struct wl_hal* hal) {
  (void)hal;
  if (wl_page_collect(fw)) wl_kick(fw, WL_STEP_GC);
  return false; /* garbage collection goes on by itself */
}
