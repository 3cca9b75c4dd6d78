/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/p2l.h"

#include "models/firmware/contract/closing.h"
#include "models/firmware/core/core.h"
#include "models/firmware/core/crc.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"
#include "models/firmware/space/stripes.h"
#include "models/firmware/space/wear.h"

#define CLOSING 2u /* tables of superblocks whose records are being programmed */

static uint32_t pages(const struct wl_firmware* fw) {
  return wl_closing_lpages(&fw->boot, fw->geometry.superblock_lpages);
}
static uint32_t page_bytes(const struct wl_firmware* fw) { return 512u << fw->boot.ftl.lpage_shift; }

void wl_p2l_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram) {
  struct wl_p2l* p = &wl_space_state(fw)->closings.p2l;
  if (fw->boot.ftl.recovery == 0) return;
  p->count = wl_superblocks_open_at_most(wl_plan(fw)) + CLOSING;
  p->tables = wl_arena_take(tcm, (uint64_t)p->count * sizeof(p->tables[0]));
  p->pages = wl_arena_take(dram, (uint64_t)p->count * pages(fw) * page_bytes(fw));
}

void wl_p2l_boot(struct wl_firmware* fw) {
  const struct wl_p2l* p = &wl_space_view(fw)->closings.p2l;
  for (uint32_t i = 0; p->tables != NULL && i != p->count; ++i) p->tables[i] = (struct wl_p2l_table){WL_NONE, 0, false};
}

static struct wl_p2l_table* table_of(const struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_p2l* p = &wl_space_view(fw)->closings.p2l;
  for (uint32_t i = 0; i != p->count; ++i)
    if (p->tables[i].superblock == superblock) return &p->tables[i];
  return NULL;
}

static uint8_t* page_of(const struct wl_firmware* fw, const struct wl_p2l_table* table, uint32_t page) {
  const struct wl_p2l* p = &wl_space_view(fw)->closings.p2l;
  const uint32_t index = (uint32_t)(table - p->tables);
  return p->pages + (index * pages(fw) + page) * page_bytes(fw);
}

static struct wl_closing_head* head_of(uint8_t* page) { return (struct wl_closing_head*)(void*)page; }

static struct wl_p2l_table* begin(struct wl_firmware* fw, wl_superblock_t superblock) {
  struct wl_p2l_table* table = table_of(fw, WL_NONE);
  if (table == NULL) return NULL;
  *table = (struct wl_p2l_table){superblock, 0, false};
  for (uint32_t i = 0; i != pages(fw); ++i) head_of(page_of(fw, table, i))->sum = 0;
  return table;
}

static void note(struct wl_firmware* fw, const struct wl_p2l_table* table, uint32_t place,
                 const struct wl_slot_info* info) {
  const uint32_t entries = wl_closing_entries(&fw->boot);
  uint32_t at;
  uint8_t* page = page_of(fw, table, wl_divide(place, entries, &at));
  struct wl_slot_info* to = (struct wl_slot_info*)(void*)(page + sizeof(struct wl_closing_head)) + at;
  uint32_t sum = 0;
  for (uint32_t i = 0; i != fw->geometry.unit_lpages; ++i) {
    if (at++ == entries) {
      head_of(page)->sum += sum;
      page += page_bytes(fw);
      to = (struct wl_slot_info*)(void*)(page + sizeof(struct wl_closing_head));
      at = 1;
      sum = 0;
    }
    const struct wl_slot_info entry = info == NULL ? (struct wl_slot_info){WL_LPN_NONE, 0} : info[i];
    sum += wl_closing_sum(at - 1, entry.lpn, entry.record);
    *to++ = entry;
  }
  head_of(page)->sum += sum;
}

__attribute__((noinline, cold)) void wl_p2l_note(struct wl_firmware* fw, wl_ppa_t ppa,
                                                 const struct wl_slot_info* info) {
  uint32_t place;
  const wl_superblock_t superblock = wl_divide(ppa, fw->geometry.superblock_lpages, &place);
  if (wl_superblock_is_small(fw, superblock)) return; /* its pages are read one by one */
  struct wl_p2l_table* table = table_of(fw, superblock);
  if (wl_superblock(fw, superblock)->units == 1 && table == NULL) table = begin(fw, superblock);
  if (table == NULL) return;
  ++table->units;
  note(fw, table, place, info);
}

__attribute__((noinline, cold)) void wl_p2l_void(struct wl_firmware* fw, wl_superblock_t superblock) {
  if (fw->boot.ftl.recovery == 0) return;
  struct wl_p2l_table* table = table_of(fw, superblock);
  if (table != NULL) table->superblock = WL_NONE;
}

/* Of a superblock that is full; with parity it may have been opened before a die has failed. */
static uint32_t data_units(const struct wl_firmware* fw, wl_superblock_t superblock) {
  return wl_has_parity(fw) ? wl_stripe_units(fw, superblock) : fw->kind[0].superblock_units;
}

__attribute__((noinline, cold)) bool wl_p2l_closes(struct wl_firmware* fw, wl_superblock_t superblock) {
  const struct wl_superblock* sb = wl_superblock(fw, superblock);
  struct wl_p2l_table* table = table_of(fw, superblock);
  if (table == NULL) return false;
  if (sb->bad || table->units != data_units(fw, superblock)) {
    table->superblock = WL_NONE;
    return false;
  }
  table->closes = true;
  ++wl_space_state(fw)->closings.p2l.closing;
  wl_kick(fw, WL_STEP_MOUNT);
  return true;
}

wl_superblock_t wl_p2l_next(const struct wl_firmware* fw) {
  const struct wl_p2l* p = &wl_space_view(fw)->closings.p2l;
  if (p->closing == 0) return WL_NONE;
  uint32_t i = 0;
  while (!p->tables[i].closes) ++i;
  return p->tables[i].superblock;
}

void* wl_p2l_page(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t page) {
  return page_of(fw, table_of(fw, superblock), page);
}

static uint32_t crc_of(const struct wl_closing_head* head) { return wl_crc32(&head->superblock, head + 1); }

static void keep_wear(struct wl_firmware* fw, struct wl_closing_head* head) {
  struct wl_closing_wear* wear = (struct wl_closing_wear*)(void*)(head + 1);
  head->sum = 0;
  for (uint32_t i = 0; i != head->count; ++i) {
    const wl_superblock_t superblock = head->first + i;
    const struct wl_superblock* sb = wl_superblock(fw, superblock);
    wear[i] = (struct wl_closing_wear){wl_wear_of(fw, superblock), sb->bad || sb->state == WL_SUPERBLOCK_RETIRED};
    head->sum += wl_closing_sum(i, wear[i].erases, wear[i].bad);
  }
}

/* Parity, what is left out of its rows, and the rows of the record. */
static void note_all_but_data(struct wl_firmware* fw, const struct wl_p2l_table* table) {
  const uint32_t parity = wl_stripe_parity_die(fw, table->superblock), hole = wl_stripe_hole(fw, table->superblock);
  for (uint32_t unit = 0; unit != fw->geometry.superblock_units; ++unit) {
    uint32_t die;
    const uint32_t row = wl_divide(unit, fw->geometry.dies, &die);
    if (row < wl_stripe_rows(fw) && die != parity && die != hole) continue;
    note(fw, table, unit * fw->geometry.unit_lpages, NULL);
  }
}

__attribute__((noinline, cold)) void wl_p2l_complete(struct wl_firmware* fw, wl_superblock_t superblock,
                                                     uint32_t version) {
  const struct wl_p2l_table* table = table_of(fw, superblock);
  const uint32_t lpages = fw->geometry.superblock_lpages, entries = wl_closing_entries(&fw->boot);
  if (wl_has_parity(fw)) note_all_but_data(fw, table);
  for (uint32_t unit = fw->kind[0].superblock_units; unit != fw->geometry.superblock_units && !wl_has_parity(fw);
       ++unit)
    note(fw, table, wl_unit_of(fw, superblock, unit) * fw->geometry.unit_lpages, NULL);
  const uint32_t p2l = wl_closing_p2l_lpages(&fw->boot, lpages);
  for (uint32_t i = 0; i != pages(fw); ++i) {
    struct wl_closing_head* head = head_of(page_of(fw, table, i));
    const uint32_t end = i < p2l ? lpages : fw->boot.blocks;
    head->magic = WL_CLOSING_MAGIC;
    head->superblock = superblock;
    head->version = version;
    head->first = (i < p2l ? i : i - p2l) * entries;
    head->count = end - head->first < entries ? end - head->first : entries;
    head->reserved = 0;
    if (i >= p2l) keep_wear(fw, head);
    head->crc = crc_of(head);
  }
}

void wl_p2l_recorded(struct wl_firmware* fw, wl_superblock_t superblock) {
  *table_of(fw, superblock) = (struct wl_p2l_table){WL_NONE, 0, false};
  --wl_space_state(fw)->closings.p2l.closing;
}

/* The bytes lie in DRAM, where each load waits: they are loaded once. */
__attribute__((noinline)) static uint32_t copy_and_sum(struct wl_slot_info* to, const struct wl_slot_info* from,
                                                       uint32_t count) {
  uint32_t sum = 0, place = 0;
  for (const struct wl_slot_info* end = from + count; from != end; ++from, ++to) {
    const struct wl_slot_info entry = *from;
    *to = entry;
    sum += wl_closing_sum(place++, entry.lpn, entry.record);
  }
  return sum;
}

__attribute__((noinline, cold)) bool wl_p2l_sound(const struct wl_firmware* fw, const void* page,
                                                  wl_superblock_t superblock, struct wl_slot_info* copy) {
  const struct wl_closing_head* head = page;
  if (head->magic != WL_CLOSING_MAGIC || head->superblock != superblock || head->crc != crc_of(head)) return false;
  if (head->count > wl_closing_entries(&fw->boot)) return false;
  return copy_and_sum(copy, (const void*)(head + 1), head->count) == head->sum;
}
