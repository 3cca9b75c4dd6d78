/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How hot a map unit is, in the four levels of Chen et al., DAC 2017, section 3.2 and 3.4.
 *
 * Hot area: a two-level LRU. What is written there enters at the head of the hot list; a read takes it to the iron-hot
 * list. That list's overflow falls back to the head of the hot list, the hot list's leaves for the cold area.
 * Cold area: a table of how often each unit was read. The half that is read most is cold, the rest icy-cold. The source
 * gives neither the cut nor how the table ages: here counts are halved whenever as many reads have been counted as four
 * times the units of the drive. In the bounded form of the table (ppb_table.h) they are halved one by one, a unit for
 * each four reads. ftl.ppb.cold_share and ftl.ppb.aging_reads are the half and the four.
 *
 * A change of level moves no data.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_PPB_LEVELS_H
#define WORDLINE_FIRMWARE_POLICY_PPB_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/contract/boot_info.h"
#include "models/firmware/policy/keys.h"
#include "models/firmware/policy/ppb_table.h"

/* Classes of data. Bit 0: for the fast pages; bit 1: of the cold area. */
enum wl_ppb_level { WL_PPB_HOT, WL_PPB_IRON_HOT, WL_PPB_ICY_COLD, WL_PPB_COLD };
#define WL_PPB_LEVELS 4u
#define WL_PPB_FAST 1u
#define WL_PPB_COLD_AREA 2u

struct wl_ppb_list {
  uint32_t head, tail; /* nodes: most, least recently used */
  uint32_t length, most;
};

struct wl_ppb_levels {
  struct wl_ppb_table table;
  uint32_t units;
  struct wl_ppb_list list[2]; /* by level: hot, iron-hot */
  /* The cold area, sorted: */
  uint32_t units_with[WL_PPB_FLAT_READS + 1]; /* so many reads */
  uint32_t most_reads;                        /* that are counted */
  uint32_t cut;                               /* cold from so many reads on */
  uint32_t above;                             /* units with at least these */
  uint32_t aging_reads;                       /* since counts were halved */
  uint32_t next_aged;                         /* bounded: unit */
  uint32_t cold_256th, reads_a_unit;          /* wl_ppb_rules */
};

/* `memory`: wl_ppb_table_bytes, zeros. */
void wl_ppb_levels_begin(struct wl_ppb_levels* levels, void* memory, uint32_t units, const struct wl_ppb_rules* rules);
enum wl_ppb_level wl_ppb_level_of(const struct wl_ppb_levels* levels, uint32_t unit);
/* Level to which a write takes the unit, by what the first stage says of the write. */
enum wl_ppb_level wl_ppb_level_of_write(const struct wl_ppb_levels* levels, uint32_t unit, bool hot);
void wl_ppb_written(struct wl_ppb_levels* levels, uint32_t unit, bool hot);
void wl_ppb_read(struct wl_ppb_levels* levels, uint32_t unit);
/* There is more iron-hot data than fast pages: the least recently used falls back to the head of the hot list. */
void wl_ppb_demote(struct wl_ppb_levels* levels);

#endif
