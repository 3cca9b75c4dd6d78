/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Page mapping, one open line per stream, greedy collection: the line with the fewest valid sectors. From the buckets: to their
 * grain, oldest first among equals. By the victim engine: exactly, among equals the next after the last victim, round the
 * lines. The host may not open the last reserve_lines free lines.
 */
#include "models/firmware/policy/policy.h"

#include "models/firmware/tasks.h"

static uint32_t place(struct wl_firmware* fw, uint32_t stream) {
  if (fw->open_line[stream] != WL_NONE) return fw->open_line[stream];
  if (stream == WL_STREAM_HOST && fw->statistics.free_lines <= fw->reserve_lines) return WL_NONE;
  return wl_line_open(fw, stream);
}

static bool collect(const struct wl_firmware* fw) {
  return fw->statistics.free_lines + fw->erasing_lines <= fw->start_lines;
}

static uint32_t victim(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_engine(fw, WL_ENGINE_VICTIM)) return wl_gc_search(fw, hal);
  uint32_t bucket = fw->bucket_min;
  while (bucket <= WL_BUCKETS && fw->bucket_head[bucket] == WL_NONE) ++bucket;
  fw->bucket_min = bucket;
  if (bucket > WL_BUCKETS) return WL_NONE;
  const uint32_t line = fw->bucket_head[bucket];
  return fw->line[line].valid < fw->geometry.line_sectors ? line : WL_NONE;
}

const struct wl_policy wl_policy_page_greedy = {place, collect, victim};
