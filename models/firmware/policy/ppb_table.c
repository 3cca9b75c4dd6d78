/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/policy/ppb_table.h"

/* What the lists hold, and one that has entered before another leaves; number 0 is none. */
static uint32_t nodes(const struct wl_ppb_rules* rules) { return rules->hot_units + rules->iron_hot_units + 2; }

/* A power of two: one or two nodes to a bucket when the lists are full. */
static uint32_t bucket_bits(const struct wl_ppb_rules* rules) {
  uint32_t bits = 1;
  while (nodes(rules) >> bits > 1) ++bits;
  return bits;
}

uint64_t wl_ppb_table_bytes(uint32_t units, const struct wl_ppb_rules* rules) {
  if (rules->bounded_table == 0) return (uint64_t)units * sizeof(struct wl_ppb_entry);
  return (uint64_t)nodes(rules) * sizeof(struct wl_ppb_node) + ((uint64_t)sizeof(uint32_t) << bucket_bits(rules)) +
         ((uint64_t)units + 1) / 2;
}

void wl_ppb_table_begin(struct wl_ppb_table* table, void* memory, const struct wl_ppb_rules* rules) {
  *table = (struct wl_ppb_table){.entries = memory};
  if (rules->bounded_table == 0) return;
  const uint32_t bits = bucket_bits(rules);
  table->bucket = (uint32_t*)(void*)((struct wl_ppb_node*)memory + nodes(rules));
  table->marks = (uint8_t*)(table->bucket + (1u << bits));
  table->hash_shift = 32 - bits;
  table->fresh = 1;
}

uint32_t wl_ppb_mark(const struct wl_ppb_table* table, uint32_t unit) {
  return table->marks[unit / 2] >> unit % 2 * 4 & 0xfu;
}

void wl_ppb_set_mark(struct wl_ppb_table* table, uint32_t unit, uint32_t mark) {
  uint8_t* both = &table->marks[unit / 2];
  const uint32_t shift = unit % 2 * 4;
  *both = (uint8_t)((*both & ~(0xfu << shift)) | mark << shift);
}

/* ---- nodes by unit ---- */

static struct wl_ppb_node* at(const struct wl_ppb_table* table, uint32_t node) {
  return (struct wl_ppb_node*)table->entries + node;
}

/* Multiplied by 2^32 over the golden ratio: neighbours, as requests of many units have, lie apart. */
static uint32_t* bucket_of(const struct wl_ppb_table* table, uint32_t unit) {
  return &table->bucket[unit * 2654435769u >> table->hash_shift];
}

uint32_t wl_ppb_find_node(const struct wl_ppb_table* table, uint32_t unit) {
  uint32_t node = *bucket_of(table, unit);
  while (at(table, node)->unit != unit) node = at(table, node)->chain;
  return node;
}

uint32_t wl_ppb_new_node(struct wl_ppb_table* table, uint32_t unit) {
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

void wl_ppb_free_node(struct wl_ppb_table* table, uint32_t node) {
  uint32_t* link = bucket_of(table, at(table, node)->unit);
  while (*link != node) link = &at(table, *link)->chain;
  *link = at(table, node)->chain;
  at(table, node)->chain = table->unused;
  table->unused = node;
}
