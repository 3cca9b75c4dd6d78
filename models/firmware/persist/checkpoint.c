/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/persist/checkpoint.h"

#include "models/firmware/buffer/buffer.h"
#include "models/firmware/contract/checkpoint.h"
#include "models/firmware/core/core.h"
#include "models/firmware/core/crc.h"
#include "models/firmware/map/map_pages.h"
#include "models/firmware/map/tables.h"
#include "models/firmware/persist/state.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/stripes.h"

static uint32_t chunk_bytes(const struct wl_firmware* fw) { return (wl_tombstone_chunks(fw) + 31u) / 32u * 4u; }
_Static_assert(sizeof(struct wl_kept_superblock) == WL_CHECKPOINT_SUPERBLOCK_BYTES, "as check counts it");
_Static_assert(WL_STREAMS * 4u <= WL_CHECKPOINT_CURSOR_BYTES, "as check counts it");
static uint32_t state_bytes(const struct wl_firmware* fw) {
  return (uint32_t)(sizeof(struct wl_checkpoint_root) + fw->boot.blocks * sizeof(struct wl_kept_superblock)) +
         chunk_bytes(fw) + (wl_cursors_words(fw) + wl_stripes_words(fw)) * 4u;
}

uint32_t wl_checkpoint_state_pages(const struct wl_firmware* fw) {
  return (state_bytes(fw) + wl_table_chunk(fw) - 1) >> (9u + fw->boot.ftl.lpage_shift);
}

void wl_checkpoint_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram) {
  struct wl_checkpoint* c = &wl_persist_state(fw)->checkpoint;
  c->addresses = wl_arena_take(tcm, (uint64_t)fw->boot.gc_slots * sizeof(c->addresses[0]));
  if (!wl_boot_mounts(&fw->boot)) return; /* closing records alone */
  c->state = wl_arena_take(dram, (uint64_t)wl_checkpoint_state_pages(fw) * wl_table_chunk(fw));
  c->end = wl_arena_take(dram, wl_table_chunk(fw));
}

void wl_checkpoint_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_checkpoint* c = &wl_persist_state(fw)->checkpoint;
  uint32_t count;
  const wl_slot_t first = wl_buffer_spare_slots(fw, &count);
  c->superblock = c->base = WL_NONE;
  c->pages.state = wl_checkpoint_state_pages(fw);
  c->pages.map = wl_map_chunks(fw);
#if WL_HAS_LARGE_MAPS
  if (wl_map_cached(fw)) wl_map_pages_boot(fw, hal, c->addresses, first);
#endif
  wl_write32(hal, WL_REGISTER(FLASH.METADATA_TABLE), wl_bus_address(hal, c->addresses));
  wl_write32(hal, WL_REGISTER(FLASH.METADATA_FIRST), first);
  wl_write32(hal, WL_REGISTER(FLASH.METADATA_COUNT), count);
}

static uint32_t word_line_units(const struct wl_firmware* fw) {
  return wl_word_lines_shared(fw) ? fw->boot.ftl.word_line_programs : 1;
}

/* The last of its word line: where it can be read no later program destroys it, and the next page is that of the mark.
 */
uint32_t wl_checkpoint_end_unit(const struct wl_firmware* fw, uint32_t pages) {
  const uint32_t content = (pages + fw->geometry.unit_lpages - 1) / fw->geometry.unit_lpages;
  const uint32_t of = word_line_units(fw);
  return (content + of) / of * of - 1;
}

/* In the block of the root: dies are erased one by one, and no root outlives its mark. */
uint32_t wl_checkpoint_mark_unit(const struct wl_firmware* fw, uint32_t pages) {
  const uint32_t row = word_line_units(fw) * fw->boot.dies;
  return (wl_checkpoint_end_unit(fw, pages) + row) / row * row;
}

wl_ppa_t wl_checkpoint_ppa(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t unit) {
  uint32_t die, shifted;
  const uint32_t row = wl_divide(wl_unit_in_order(fw, unit), fw->boot.dies, &die);
  (void)wl_divide(die + superblock, fw->boot.dies, &shifted);
  return (superblock * fw->geometry.superblock_units + row * fw->boot.dies + shifted) * fw->geometry.unit_lpages;
}

struct wl_checkpoint_root* wl_checkpoint_root(const struct wl_firmware* fw) {
  return (struct wl_checkpoint_root*)(void*)wl_persist_view(fw)->checkpoint.state;
}

struct wl_kept_superblock* wl_kept_superblock(const struct wl_firmware* fw, wl_superblock_t superblock) {
  return (struct wl_kept_superblock*)(void*)(wl_checkpoint_root(fw) + 1) + superblock;
}

uint32_t* wl_kept_chunks(const struct wl_firmware* fw) {
  return (uint32_t*)(void*)wl_kept_superblock(fw, (wl_superblock_t)fw->boot.blocks);
}

uint32_t* wl_kept_cursors(const struct wl_firmware* fw) { return wl_kept_chunks(fw) + chunk_bytes(fw) / 4u; }
uint32_t* wl_kept_stripes(const struct wl_firmware* fw) { return wl_kept_cursors(fw) + wl_cursors_words(fw); }

uint32_t wl_unfinished_stream(const struct wl_firmware* fw, uint32_t number) {
  const uint32_t moves = wl_plan(fw)->move_streams;
  return number < moves ? WL_STREAM_GC + number : WL_STREAM_HOST + (number - moves);
}

uint32_t wl_checkpoint_crc(const struct wl_firmware* fw) {
  const struct wl_checkpoint_root* root = wl_checkpoint_root(fw);
  return wl_crc32(&root->version, (const uint8_t*)root + state_bytes(fw));
}

uint32_t wl_checkpoint_record(uint32_t version) { return (uint32_t)WL_SPARE_METADATA << WL_SPARE_KIND_SHIFT | version; }

void wl_checkpoint_seen(struct wl_firmware* fw, const struct wl_slot_info* info) {
  struct wl_checkpoint* c = &wl_persist_state(fw)->checkpoint;
  if (info->lpn != WL_LPN_TABLE || wl_spare_sequence(info) == 0) return; /* 0: of a closing record */
  c->met = true;
  if (wl_spare_sequence(info) > c->newest) c->newest = wl_spare_sequence(info);
}

void wl_checkpoint_place_at(struct wl_firmware* fw, wl_slot_t slot, uint32_t address) {
  uint32_t count;
  wl_persist_state(fw)->checkpoint.addresses[slot - wl_buffer_spare_slots(fw, &count)] = address;
}

static void* content(struct wl_firmware* fw, uint32_t page) {
  struct wl_checkpoint* c = &wl_persist_state(fw)->checkpoint;
  if (page < c->pages.state) return c->state + page * wl_table_chunk(fw);
  page -= c->pages.state;
  if (page < c->pages.map) return wl_map_chunk(fw, page);
  page -= c->pages.map;
  const uint32_t owners = wl_checkpoint_root(fw)->owners - c->pages.state - c->pages.map;
  if (page >= owners) return wl_owner_chunk(fw, page - owners);
  while ((wl_kept_chunks(fw)[c->chunk / 32u] >> (c->chunk & 31u) & 1u) == 0) ++c->chunk;
  return wl_tombstone_chunk(fw, c->chunk++);
}

void wl_checkpoint_place(struct wl_firmware* fw, const struct wl_hal* hal, wl_slot_t slot, uint32_t page) {
  wl_checkpoint_place_at(fw, slot, page == WL_NONE ? 0 : wl_dram_address(hal, content(fw, page)));
}
