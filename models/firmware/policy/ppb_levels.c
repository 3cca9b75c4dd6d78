/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/policy/ppb_levels.h"

#define NO_NODE WL_PPB_NO_NODE

void wl_ppb_levels_begin(struct wl_ppb_levels* levels, void* memory, uint32_t units, const struct wl_ppb_rules* rules) {
  const uint32_t most[2] = {rules->hot_units, rules->iron_hot_units};
  wl_ppb_table_begin(&levels->table, memory, rules);
  levels->units = units;
  for (uint32_t i = 0; i < 2; ++i) levels->list[i] = (struct wl_ppb_list){NO_NODE, NO_NODE, 0, most[i]};
  for (uint32_t i = 0; i <= WL_PPB_FLAT_READS; ++i) levels->units_with[i] = 0;
  levels->units_with[0] = units;
  levels->most_reads = wl_ppb_is_bounded(&levels->table) ? WL_PPB_BOUNDED_READS : WL_PPB_FLAT_READS;
  levels->cut = 1;
  levels->above = 0;
  levels->aging_reads = levels->next_aged = 0;
  levels->cold_256th = rules->cold_256th;
  levels->reads_a_unit = rules->aging_reads;
}

/* What is called from several places is not inlined: the compiler's limit for the whole firmware is for what every read
 * and write passes. */

/* ---- the table of the cold area ---- */

/* Keeps the cut where as many units as the share says, or a few more, are cold. */
__attribute__((noinline)) static void sort(struct wl_ppb_levels* levels) {
  const uint32_t unlisted = levels->units - levels->list[0].length - levels->list[1].length;
  const uint32_t cold = (uint32_t)((uint64_t)unlisted * levels->cold_256th >> 8);
  while (levels->cut < levels->most_reads && levels->above - levels->units_with[levels->cut] >= cold)
    levels->above -= levels->units_with[levels->cut++];
  while (levels->cut > 1 && levels->above < cold) levels->above += levels->units_with[--levels->cut];
}

static void count_in(struct wl_ppb_levels* levels, uint32_t unit, uint32_t reads, bool bounded) {
  wl_ppb_set_reads(&levels->table, unit, reads, bounded);
  ++levels->units_with[reads];
  if (reads >= levels->cut) ++levels->above;
}

static void count_out(struct wl_ppb_levels* levels, uint32_t reads) {
  --levels->units_with[reads];
  if (reads >= levels->cut) --levels->above;
}

/* Halves every count: that of each unit at its next access, the sums at once. */
static void age_all(struct wl_ppb_levels* levels) {
  if (++levels->aging_reads < (uint64_t)levels->reads_a_unit * levels->units) return;
  levels->aging_reads = 0;
  ++levels->table.epoch;
  for (uint32_t i = 0; i <= levels->most_reads / 2; ++i)
    levels->units_with[i] = levels->units_with[2 * i] + levels->units_with[2 * i + 1];
  for (uint32_t i = levels->most_reads / 2 + 1; i <= levels->most_reads; ++i) levels->units_with[i] = 0;
  levels->above = 0;
  for (uint32_t i = levels->cut; i <= levels->most_reads; ++i) levels->above += levels->units_with[i];
}

/* Halves the count of the unit whose turn it is. */
static void age_one(struct wl_ppb_levels* levels) {
  if (++levels->aging_reads < levels->reads_a_unit) return;
  levels->aging_reads = 0;
  const uint32_t unit = levels->next_aged;
  levels->next_aged = unit + 1 == levels->units ? 0 : unit + 1;
  if (wl_ppb_list_of(&levels->table, unit, true) != WL_PPB_UNLISTED) return;
  const uint32_t reads = wl_ppb_reads_of(&levels->table, unit, true);
  count_out(levels, reads);
  count_in(levels, unit, reads / 2, true);
}

/* ---- the lists ---- */

static void put_at_head(struct wl_ppb_levels* levels, uint32_t node, uint32_t level, bool bounded) {
  struct wl_ppb_list* list = &levels->list[level];
  wl_ppb_node_links(&levels->table, node, WL_PPB_LISTED + level, list->head, bounded);
  if (list->head != NO_NODE)
    wl_ppb_entry_of(&levels->table, list->head, bounded)->prev = node;
  else
    list->tail = node;
  list->head = node;
  ++list->length;
}

__attribute__((noinline)) static void take_out(struct wl_ppb_levels* levels, uint32_t node, bool bounded) {
  const struct wl_ppb_entry e = *wl_ppb_entry_of(&levels->table, node, bounded);
  struct wl_ppb_list* list = &levels->list[e.list - WL_PPB_LISTED];
  if (e.prev != NO_NODE)
    wl_ppb_entry_of(&levels->table, e.prev, bounded)->next = e.next;
  else
    list->head = e.next;
  if (e.next != NO_NODE)
    wl_ppb_entry_of(&levels->table, e.next, bounded)->prev = e.prev;
  else
    list->tail = e.prev;
  --list->length;
}

/* A node that was taken out: its unit is icy-cold. */
static void go_cold(struct wl_ppb_levels* levels, uint32_t node, bool bounded) {
  const uint32_t unit = wl_ppb_unit_of(&levels->table, node, bounded);
  wl_ppb_node_release(&levels->table, node, bounded);
  count_in(levels, unit, 0, bounded);
}

static void demote(struct wl_ppb_levels* levels, bool bounded) {
  const uint32_t last = levels->list[WL_PPB_IRON_HOT].tail;
  take_out(levels, last, bounded);
  put_at_head(levels, last, WL_PPB_HOT, bounded);
}

/* The least recently used of a list that is too long go where the next lower level is. */
__attribute__((noinline)) static void shorten(struct wl_ppb_levels* levels, bool bounded) {
  const struct wl_ppb_list* hot = &levels->list[WL_PPB_HOT];
  const struct wl_ppb_list* iron_hot = &levels->list[WL_PPB_IRON_HOT];
  while (iron_hot->length > iron_hot->most) demote(levels, bounded);
  while (hot->length > hot->most) {
    const uint32_t last = hot->tail;
    take_out(levels, last, bounded);
    go_cold(levels, last, bounded);
  }
}

/* ---- both, compiled for each form of the table ---- */

#define FOR_EACH_FORM static inline __attribute__((always_inline))

FOR_EACH_FORM enum wl_ppb_level level_of(const struct wl_ppb_levels* levels, uint32_t unit, bool bounded) {
  const uint32_t list = wl_ppb_list_of(&levels->table, unit, bounded);
  if (list != WL_PPB_UNLISTED) return (enum wl_ppb_level)(list - WL_PPB_LISTED);
  return wl_ppb_reads_of(&levels->table, unit, bounded) >= levels->cut ? WL_PPB_COLD : WL_PPB_ICY_COLD;
}

FOR_EACH_FORM enum wl_ppb_level level_of_write(const struct wl_ppb_levels* levels, uint32_t unit, bool hot,
                                               bool bounded) {
  const enum wl_ppb_level before = level_of(levels, unit, bounded);
  const bool was_hot = (before & WL_PPB_COLD_AREA) == 0;
  if (was_hot == hot) return before;
  return hot ? WL_PPB_HOT : WL_PPB_ICY_COLD; /* new data begin in slow pages */
}

FOR_EACH_FORM void written(struct wl_ppb_levels* levels, uint32_t unit, bool hot, bool bounded) {
  const enum wl_ppb_level level = level_of_write(levels, unit, hot, bounded);
  const bool cold = (level & WL_PPB_COLD_AREA) != 0;
  uint32_t node;
  if (wl_ppb_list_of(&levels->table, unit, bounded) != WL_PPB_UNLISTED) {
    node = wl_ppb_node_of(&levels->table, unit, bounded);
    take_out(levels, node, bounded);
  } else {
    if (cold) return; /* its count goes on */
    count_out(levels, wl_ppb_reads_of(&levels->table, unit, bounded));
    node = wl_ppb_node_take(&levels->table, unit, bounded);
  }
  if (cold) {
    go_cold(levels, node, bounded);
  } else {
    put_at_head(levels, node, level, bounded);
    shorten(levels, bounded);
  }
  sort(levels);
}

FOR_EACH_FORM void read(struct wl_ppb_levels* levels, uint32_t unit, bool bounded) {
  if (wl_ppb_list_of(&levels->table, unit, bounded) != WL_PPB_UNLISTED) {
    const uint32_t node = wl_ppb_node_of(&levels->table, unit, bounded);
    take_out(levels, node, bounded);
    put_at_head(levels, node, WL_PPB_IRON_HOT, bounded);
    shorten(levels, bounded);
  } else {
    const uint32_t reads = wl_ppb_reads_of(&levels->table, unit, bounded);
    count_out(levels, reads);
    count_in(levels, unit, reads < levels->most_reads ? reads + 1 : reads, bounded);
    if (bounded)
      age_one(levels);
    else
      age_all(levels);
  }
  sort(levels);
}

enum wl_ppb_level wl_ppb_level_of(const struct wl_ppb_levels* levels, uint32_t unit) {
  return wl_ppb_is_bounded(&levels->table) ? level_of(levels, unit, true) : level_of(levels, unit, false);
}

enum wl_ppb_level wl_ppb_level_of_write(const struct wl_ppb_levels* levels, uint32_t unit, bool hot) {
  return wl_ppb_is_bounded(&levels->table) ? level_of_write(levels, unit, hot, true)
                                           : level_of_write(levels, unit, hot, false);
}

void wl_ppb_written(struct wl_ppb_levels* levels, uint32_t unit, bool hot) {
  if (wl_ppb_is_bounded(&levels->table))
    written(levels, unit, hot, true);
  else
    written(levels, unit, hot, false);
}

void wl_ppb_read(struct wl_ppb_levels* levels, uint32_t unit) {
  if (wl_ppb_is_bounded(&levels->table))
    read(levels, unit, true);
  else
    read(levels, unit, false);
}

void wl_ppb_demote(struct wl_ppb_levels* levels) {
  if (levels->list[WL_PPB_IRON_HOT].length == 0) return;
  const bool bounded = wl_ppb_is_bounded(&levels->table);
  demote(levels, bounded);
  shorten(levels, bounded);
  sort(levels);
}
