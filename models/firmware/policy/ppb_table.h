/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the policy ppb keeps of each map unit: links, if it is in one of the two lists of the hot area; else how often
 * it was read. In one of two forms (ftl.ppb.table):
 *
 * Flat: an entry of eight bytes for each unit.
 * Bounded: half a byte for each unit, which says the list or counts the reads; links only for as many units as the
 * lists can hold, found by a hash of the unit. A unit that is not listed is not looked up.
 *
 * A node is where the links of a listed unit are: the unit itself in the flat form.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_PPB_TABLE_H
#define WORDLINE_FIRMWARE_POLICY_PPB_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/firmware/contract/boot_info.h"
#include "models/firmware/policy/keys.h"

#define WL_PPB_NO_NODE 0x3fffffffu
#define WL_PPB_UNLISTED 0u /* of a unit: no list, the cold area */
#define WL_PPB_LISTED 1u   /* + level: that list */

#define WL_PPB_FLAT_READS 63u    /* reads are counted so far, */
#define WL_PPB_BOUNDED_READS 13u /* ... in half a byte beside the two lists */

/* Flat: of a unit, zeros are the cold area, never read. Bounded: of a node. */
struct wl_ppb_entry {
  uint32_t list : 2;
  uint32_t prev : 30; /* node, to the head; flat, unlisted: reads counted */
  uint32_t next;      /* ... to the tail; flat, unlisted: epoch of that count */
};

struct wl_ppb_node { /* bounded */
  struct wl_ppb_entry entry;
  uint32_t unit;
  uint32_t chain; /* the next of its bucket, or of those not used; 0: none */
};

struct wl_ppb_table {
  void* entries;  /* flat: wl_ppb_entry by unit; bounded: wl_ppb_node, of which the first is not used */
  uint32_t epoch; /* flat: counts are halved when it changes */
  /* bounded, else null: */
  uint8_t* marks;   /* half a byte by unit: reads, or above these the list */
  uint32_t* bucket; /* 0: empty */
  uint32_t hash_shift;
  uint32_t unused; /* nodes, by `chain` */
  uint32_t fresh;  /* nodes from here on were never used */
};

uint64_t wl_ppb_table_bytes(uint32_t units, const struct wl_ppb_rules* rules);
/* `memory`: so many bytes, zeros. */
void wl_ppb_table_begin(struct wl_ppb_table* table, void* memory, const struct wl_ppb_rules* rules);

/* What follows is asked for one form at a time (`bounded`: wl_ppb_is_bounded), so that callers may be compiled for
 * each: else the flat form reads its entry from DRAM again after every question that the other answers in its own way.
 */
static inline bool wl_ppb_is_bounded(const struct wl_ppb_table* table) { return table->marks != NULL; }
static inline struct wl_ppb_entry* wl_ppb_entry_of(const struct wl_ppb_table* table, uint32_t node, bool bounded) {
  return bounded ? &((struct wl_ppb_node*)table->entries)[node].entry : (struct wl_ppb_entry*)table->entries + node;
}

/* ---- of the bounded form alone: what follows calls them ---- */
uint32_t wl_ppb_mark(const struct wl_ppb_table* table, uint32_t unit);
void wl_ppb_set_mark(struct wl_ppb_table* table, uint32_t unit, uint32_t mark);
uint32_t wl_ppb_find_node(const struct wl_ppb_table* table, uint32_t unit);
uint32_t wl_ppb_new_node(struct wl_ppb_table* table, uint32_t unit);
void wl_ppb_free_node(struct wl_ppb_table* table, uint32_t node);

/* ---- of units ---- */
static inline uint32_t wl_ppb_list_of(const struct wl_ppb_table* table, uint32_t unit, bool bounded) {
  if (!bounded) return wl_ppb_entry_of(table, unit, bounded)->list;
  const uint32_t mark = wl_ppb_mark(table, unit);
  return mark > WL_PPB_BOUNDED_READS ? mark - WL_PPB_BOUNDED_READS : WL_PPB_UNLISTED;
}
static inline uint32_t wl_ppb_reads_of(const struct wl_ppb_table* table, uint32_t unit, bool bounded) { /* unlisted */
  if (bounded) return wl_ppb_mark(table, unit);
  const struct wl_ppb_entry e = *wl_ppb_entry_of(table, unit, bounded);
  const uint32_t halvings = table->epoch - e.next;
  return halvings < 32 ? (uint32_t)e.prev >> halvings : 0;
}
static inline void wl_ppb_set_reads(struct wl_ppb_table* table, uint32_t unit, uint32_t reads,
                                    bool bounded) { /* unlisted from now on */
  if (bounded)
    wl_ppb_set_mark(table, unit, reads);
  else
    *wl_ppb_entry_of(table, unit, bounded) = (struct wl_ppb_entry){WL_PPB_UNLISTED, reads, table->epoch};
}

/* ---- of nodes ---- */
static inline uint32_t wl_ppb_node_of(const struct wl_ppb_table* table, uint32_t unit, bool bounded) { /* listed */
  return bounded ? wl_ppb_find_node(table, unit) : unit;
}
static inline uint32_t wl_ppb_node_take(struct wl_ppb_table* table, uint32_t unit, bool bounded) { /* will be listed */
  return bounded ? wl_ppb_new_node(table, unit) : unit;
}
static inline uint32_t wl_ppb_unit_of(const struct wl_ppb_table* table, uint32_t node, bool bounded) {
  return bounded ? ((const struct wl_ppb_node*)table->entries)[node].unit : node;
}
/* It becomes the head of a list. */
static inline void wl_ppb_node_links(struct wl_ppb_table* table, uint32_t node, uint32_t list, uint32_t next,
                                     bool bounded) {
  *wl_ppb_entry_of(table, node, bounded) = (struct wl_ppb_entry){list, WL_PPB_NO_NODE, next};
  if (bounded) wl_ppb_set_mark(table, wl_ppb_unit_of(table, node, bounded), WL_PPB_BOUNDED_READS + list);
}
/* wl_ppb_set_reads of its unit follows. */
static inline void wl_ppb_node_release(struct wl_ppb_table* table, uint32_t node, bool bounded) {
  if (bounded) wl_ppb_free_node(table, node);
}

#endif
