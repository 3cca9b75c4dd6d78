/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/policy/ppb_levels.h"

#define NO_UNIT 0x3fffffffu
#define LISTED 1u /* + level: wl_ppb_entry.list */
#define READS_PER_UNIT 4u

void wl_ppb_levels_begin(struct wl_ppb_levels* levels, struct wl_ppb_entry* entry, uint32_t units, uint32_t most_hot,
                         uint32_t most_iron_hot) {
  levels->entry = entry;
  levels->units = units;
  const uint32_t most[2] = {most_hot, most_iron_hot};
  for (uint32_t i = 0; i < 2; ++i) levels->list[i] = (struct wl_ppb_list){NO_UNIT, NO_UNIT, 0, most[i]};
  for (uint32_t i = 0; i < WL_PPB_COUNTS; ++i) levels->units_with[i] = 0;
  levels->units_with[0] = units;
  levels->cut = 1;
  levels->above = 0;
  levels->epoch = levels->epoch_reads = 0;
}

/* What is called from several places is not inlined: the compiler's limit for the whole firmware is for what every read
 * and write passes. */

/* ---- the lists ---- */

static void put_at_head(struct wl_ppb_levels* levels, uint32_t unit, uint32_t level) {
  struct wl_ppb_list* list = &levels->list[level];
  levels->entry[unit] = (struct wl_ppb_entry){LISTED + level, NO_UNIT, list->head};
  if (list->head != NO_UNIT)
    levels->entry[list->head].prev = unit;
  else
    list->tail = unit;
  list->head = unit;
  ++list->length;
}

__attribute__((noinline)) static void take_out(struct wl_ppb_levels* levels, uint32_t unit) {
  const struct wl_ppb_entry e = levels->entry[unit];
  struct wl_ppb_list* list = &levels->list[e.list - LISTED];
  if (e.prev != NO_UNIT)
    levels->entry[e.prev].next = e.next;
  else
    list->head = e.next;
  if (e.next != NO_UNIT)
    levels->entry[e.next].prev = e.prev;
  else
    list->tail = e.prev;
  --list->length;
}

static void put_in(struct wl_ppb_levels* levels, uint32_t unit, uint32_t level);

/* Its least recently used go where the next lower level is. */
static void shorten(struct wl_ppb_levels* levels, uint32_t level) {
  while (levels->list[level].length > levels->list[level].most) {
    const uint32_t last = levels->list[level].tail;
    take_out(levels, last);
    put_in(levels, last, level == WL_PPB_IRON_HOT ? WL_PPB_HOT : WL_PPB_ICY_COLD);
  }
}

/* ---- the table of the cold area ---- */

static uint32_t reads_of(const struct wl_ppb_levels* levels, uint32_t unit) {
  const struct wl_ppb_entry e = levels->entry[unit];
  const uint32_t halvings = levels->epoch - e.next;
  return halvings < 32 ? (uint32_t)e.prev >> halvings : 0;
}

/* Keeps the cut where half of the units, or a few more, are cold. */
__attribute__((noinline)) static void sort(struct wl_ppb_levels* levels) {
  const uint32_t half = (levels->units - levels->list[0].length - levels->list[1].length) / 2;
  while (levels->cut + 1 < WL_PPB_COUNTS && levels->above - levels->units_with[levels->cut] >= half)
    levels->above -= levels->units_with[levels->cut++];
  while (levels->cut > 1 && levels->above < half) levels->above += levels->units_with[--levels->cut];
}

static void count_in(struct wl_ppb_levels* levels, uint32_t unit, uint32_t reads) {
  levels->entry[unit] = (struct wl_ppb_entry){0, reads, levels->epoch};
  ++levels->units_with[reads];
  if (reads >= levels->cut) ++levels->above;
}

static void count_out(struct wl_ppb_levels* levels, uint32_t reads) {
  --levels->units_with[reads];
  if (reads >= levels->cut) --levels->above;
}

/* Halves every count: that of each unit when it is looked at, the sums at once. */
static void age(struct wl_ppb_levels* levels) {
  if (++levels->epoch_reads / READS_PER_UNIT < levels->units) return;
  levels->epoch_reads = 0;
  ++levels->epoch;
  for (uint32_t i = 0; i < WL_PPB_COUNTS / 2; ++i)
    levels->units_with[i] = levels->units_with[2 * i] + levels->units_with[2 * i + 1];
  for (uint32_t i = WL_PPB_COUNTS / 2; i < WL_PPB_COUNTS; ++i) levels->units_with[i] = 0;
  levels->above = 0;
  for (uint32_t i = levels->cut; i < WL_PPB_COUNTS; ++i) levels->above += levels->units_with[i];
}

/* ---- both ---- */

__attribute__((noinline)) static void put_in(struct wl_ppb_levels* levels, uint32_t unit, uint32_t level) {
  if ((level & WL_PPB_COLD_AREA) != 0) {
    count_in(levels, unit, 0);
    return;
  }
  put_at_head(levels, unit, level);
  shorten(levels, level);
}

static void leave(struct wl_ppb_levels* levels, uint32_t unit) {
  if (levels->entry[unit].list != 0)
    take_out(levels, unit);
  else
    count_out(levels, reads_of(levels, unit));
}

enum wl_ppb_level wl_ppb_level_of(const struct wl_ppb_levels* levels, uint32_t unit) {
  const uint32_t list = levels->entry[unit].list;
  if (list != 0) return (enum wl_ppb_level)(list - LISTED);
  return reads_of(levels, unit) >= levels->cut ? WL_PPB_COLD : WL_PPB_ICY_COLD;
}

enum wl_ppb_level wl_ppb_level_of_write(const struct wl_ppb_levels* levels, uint32_t unit, bool hot) {
  const enum wl_ppb_level before = wl_ppb_level_of(levels, unit);
  const bool was_hot = (before & WL_PPB_COLD_AREA) == 0;
  if (was_hot == hot) return before;
  return hot ? WL_PPB_HOT : WL_PPB_ICY_COLD; /* new data begin in slow pages */
}

void wl_ppb_written(struct wl_ppb_levels* levels, uint32_t unit, bool hot) {
  const enum wl_ppb_level level = wl_ppb_level_of_write(levels, unit, hot);
  if ((level & WL_PPB_COLD_AREA) != 0 && levels->entry[unit].list == 0) return; /* its count goes on */
  leave(levels, unit);
  put_in(levels, unit, level);
  sort(levels);
}

void wl_ppb_read(struct wl_ppb_levels* levels, uint32_t unit) {
  if (levels->entry[unit].list != 0) {
    take_out(levels, unit);
    put_in(levels, unit, WL_PPB_IRON_HOT);
  } else {
    const uint32_t reads = reads_of(levels, unit);
    count_out(levels, reads);
    count_in(levels, unit, reads + 1 < WL_PPB_COUNTS ? reads + 1 : reads);
    age(levels);
  }
  sort(levels);
}

void wl_ppb_demote(struct wl_ppb_levels* levels) {
  const uint32_t last = levels->list[WL_PPB_IRON_HOT].tail;
  if (last == NO_UNIT) return;
  take_out(levels, last);
  put_in(levels, last, WL_PPB_HOT);
  sort(levels);
}
