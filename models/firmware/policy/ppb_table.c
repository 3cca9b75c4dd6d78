/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/policy/ppb_table.h"

#include <stddef.h>

#define ENTRY_BITS 3u
#define NODE_BITS 4u
_Static_assert(sizeof(struct wl_ppb_entry) == 1u << ENTRY_BITS, "what a map unit costs");
_Static_assert(sizeof(struct wl_ppb_node) == 1u << NODE_BITS, "what a listed one costs");

/* What the lists hold, and one that has entered before another leaves; number 0 is none. */
static uint32_t nodes(const struct wl_ppb_rules* rules) { return rules->hot_units + rules->iron_hot_units + 2; }

/* A power of two: one or two nodes to a bucket when the lists are full. */
static uint32_t bucket_bits(const struct wl_ppb_rules* rules) {
  uint32_t bits = 1;
  while (nodes(rules) >> bits > 1) ++bits;
  return bits;
}

uint64_t wl_ppb_table_bytes(uint32_t units, const struct wl_ppb_rules* rules) {
  if (rules->bounded_table == 0) return (uint64_t)units << ENTRY_BITS;
  return ((uint64_t)nodes(rules) << NODE_BITS) + ((uint64_t)sizeof(uint32_t) << bucket_bits(rules)) +
         ((uint64_t)units + 1) / 2;
}

void wl_ppb_table_begin(struct wl_ppb_table* table, void* memory, const struct wl_ppb_rules* rules) {
  *table = (struct wl_ppb_table){.entries = memory, .entry_bits = ENTRY_BITS};
  if (rules->bounded_table == 0) return;
  const uint32_t bits = bucket_bits(rules);
  table->entry_bits = NODE_BITS;
  table->bucket = (uint32_t*)(void*)((unsigned char*)memory + ((uint64_t)nodes(rules) << NODE_BITS));
  table->marks = (uint8_t*)(table->bucket + (1u << bits));
  table->hash_shift = 32 - bits;
  table->fresh = 1;
}

/* ---- half a byte of each unit ---- */

static uint32_t mark_of(const struct wl_ppb_table* table, uint32_t unit) {
  return table->marks[unit / 2] >> unit % 2 * 4 & 0xfu;
}

static void set_mark(struct wl_ppb_table* table, uint32_t unit, uint32_t mark) {
  uint8_t* both = &table->marks[unit / 2];
  const uint32_t shift = unit % 2 * 4;
  *both = (uint8_t)((*both & ~(0xfu << shift)) | mark << shift);
}

uint32_t wl_ppb_list_of(const struct wl_ppb_table* table, uint32_t unit) {
  if (!wl_ppb_is_bounded(table)) return wl_ppb_entry_of(table, unit)->list;
  const uint32_t mark = mark_of(table, unit);
  return mark > WL_PPB_BOUNDED_READS ? mark - WL_PPB_BOUNDED_READS : WL_PPB_UNLISTED;
}

uint32_t wl_ppb_reads_of(const struct wl_ppb_table* table, uint32_t unit) {
  if (wl_ppb_is_bounded(table)) return mark_of(table, unit);
  const struct wl_ppb_entry e = *wl_ppb_entry_of(table, unit);
  const uint32_t halvings = table->epoch - e.next;
  return halvings < 32 ? (uint32_t)e.prev >> halvings : 0;
}

void wl_ppb_set_reads(struct wl_ppb_table* table, uint32_t unit, uint32_t reads) {
  if (wl_ppb_is_bounded(table))
    set_mark(table, unit, reads);
  else
    *wl_ppb_entry_of(table, unit) = (struct wl_ppb_entry){WL_PPB_UNLISTED, reads, table->epoch};
}

/* ---- nodes ---- */

static struct wl_ppb_node* at(const struct wl_ppb_table* table, uint32_t node) {
  return (struct wl_ppb_node*)(void*)wl_ppb_entry_of(table, node);
}

/* Multiplied by 2^32 over the golden ratio: neighbours, as requests of many units have, lie apart. */
static uint32_t* bucket_of(const struct wl_ppb_table* table, uint32_t unit) {
  return &table->bucket[unit * 2654435769u >> table->hash_shift];
}

uint32_t wl_ppb_node_of(const struct wl_ppb_table* table, uint32_t unit) {
  if (!wl_ppb_is_bounded(table)) return unit;
  uint32_t node = *bucket_of(table, unit);
  while (at(table, node)->unit != unit) node = at(table, node)->chain;
  return node;
}

uint32_t wl_ppb_node_take(struct wl_ppb_table* table, uint32_t unit) {
  if (!wl_ppb_is_bounded(table)) return unit;
  uint32_t node = table->unused;
  if (node != 0)
    table->unused = at(table, node)->chain;
  else
    node = table->fresh++;
  uint32_t* bucket = bucket_of(table, unit);
  at(table, node)->unit = unit;
  at(table, node)->chain = *bucket;
  *bucket = node;
  return node;
}

uint32_t wl_ppb_unit_of(const struct wl_ppb_table* table, uint32_t node) {
  return wl_ppb_is_bounded(table) ? at(table, node)->unit : node;
}

void wl_ppb_node_links(struct wl_ppb_table* table, uint32_t node, uint32_t list, uint32_t next) {
  *wl_ppb_entry_of(table, node) = (struct wl_ppb_entry){list, WL_PPB_NO_NODE, next};
  if (wl_ppb_is_bounded(table)) set_mark(table, at(table, node)->unit, WL_PPB_BOUNDED_READS + list);
}

void wl_ppb_node_release(struct wl_ppb_table* table, uint32_t node) {
  if (!wl_ppb_is_bounded(table)) return;
  uint32_t* link = bucket_of(table, at(table, node)->unit);
  while (*link != node) link = &at(table, *link)->chain;
  *link = at(table, node)->chain;
  at(table, node)->chain = table->unused;
  table->unused = node;
}
