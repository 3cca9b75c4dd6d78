/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/closed_lines.h"

#include "models/firmware/engines/engines.h"

static uint32_t bucket_of(const struct wl_firmware* fw, uint32_t valid) { return valid >> fw->space.bucket.shift; }

void wl_closed_insert(struct wl_firmware* fw, uint32_t line) {
  if (wl_has_engines(fw, WL_ENGINE_VICTIM)) return;
  struct wl_line* l = &fw->space.line[line];
  const uint32_t b = bucket_of(fw, l->valid);
  l->next = WL_NONE;
  l->prev = fw->space.bucket.tail[b];
  if (l->prev != WL_NONE)
    fw->space.line[l->prev].next = line;
  else
    fw->space.bucket.head[b] = line;
  fw->space.bucket.tail[b] = line;
  if (b < fw->space.bucket.min) fw->space.bucket.min = b;
}

static void bucket_remove(struct wl_firmware* fw, uint32_t line, uint32_t b) {
  if (wl_has_engines(fw, WL_ENGINE_VICTIM)) return;
  const struct wl_line* l = &fw->space.line[line];
  if (l->prev != WL_NONE)
    fw->space.line[l->prev].next = l->next;
  else
    fw->space.bucket.head[b] = l->next;
  if (l->next != WL_NONE)
    fw->space.line[l->next].prev = l->prev;
  else
    fw->space.bucket.tail[b] = l->prev;
}

void wl_closed_remove(struct wl_firmware* fw, uint32_t line) {
  bucket_remove(fw, line, bucket_of(fw, fw->space.line[line].valid));
}

/* Once this was called, little is left of a stretch of code that a cost tag marks: the move has a tag of its own. */
void wl_closed_emptier(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t line) {
  const uint32_t valid = fw->space.line[line].valid;
  const uint32_t before = bucket_of(fw, valid + 1);
  if (wl_has_engines(fw, WL_ENGINE_VICTIM) || bucket_of(fw, valid) == before) return;
  FW_TASK(hal, WL_COST_FTL_LINE_MOVE);
  bucket_remove(fw, line, before);
  wl_closed_insert(fw, line);
}

uint32_t wl_closed_emptiest(struct wl_firmware* fw) {
  uint32_t bucket = fw->space.bucket.min;
  while (bucket <= WL_BUCKETS && fw->space.bucket.head[bucket] == WL_NONE) ++bucket;
  fw->space.bucket.min = bucket;
  return bucket > WL_BUCKETS ? WL_NONE : fw->space.bucket.head[bucket];
}

uint32_t wl_closed_next_emptiest(const struct wl_firmware* fw, uint32_t line) {
  uint32_t bucket = bucket_of(fw, fw->space.line[line].valid) + 1;
  while (bucket <= WL_BUCKETS && fw->space.bucket.head[bucket] == WL_NONE) ++bucket;
  return bucket > WL_BUCKETS ? WL_NONE : fw->space.bucket.head[bucket];
}
