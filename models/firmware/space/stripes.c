/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/space/stripes.h"

#include "models/firmware/contract/closing.h"
#include "models/firmware/space/space.h"
#include "models/firmware/space/state.h"

static uint32_t words_of(const struct wl_firmware* fw) { return (fw->geometry.superblock_units + 31u) / 32u; }

void wl_stripes_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram) {
  struct wl_stripes* s = &wl_space_state(fw)->spares.stripes;
  if (!wl_has_parity(fw)) return;
  s->holes = wl_arena_take(tcm, (uint64_t)fw->boot.blocks * sizeof(s->holes[0]));
  s->failed = wl_arena_take(tcm, (uint64_t)fw->boot.blocks * sizeof(s->failed[0]));
  s->lacking = wl_arena_take(dram, (uint64_t)fw->boot.blocks * words_of(fw) * sizeof(s->lacking[0]));
}

void wl_stripes_boot(struct wl_firmware* fw) {
  struct wl_stripes* s = &wl_space_state(fw)->spares.stripes;
  s->dead = s->second = WL_NONE;
  for (uint32_t i = 0; i != WL_DIE_SUSPECTS; ++i) s->suspect[i].die = WL_NONE;
  for (uint32_t i = 0; s->holes != NULL && i != fw->boot.blocks; ++i) s->holes[i] = s->failed[i] = WL_NO_HOLE;
}

uint32_t wl_die_dead(const struct wl_firmware* fw) { return wl_space_view(fw)->spares.stripes.dead; }
bool wl_dies_dead(const struct wl_firmware* fw) { return wl_space_view(fw)->spares.stripes.second != WL_NONE; }
void wl_die_leave_out(struct wl_firmware* fw, uint32_t die) { wl_space_state(fw)->spares.stripes.dead = die; }

uint32_t wl_stripe_hole(const struct wl_firmware* fw, wl_superblock_t superblock) {
  const uint16_t hole = wl_space_view(fw)->spares.stripes.holes[superblock];
  return hole == WL_NO_HOLE ? WL_NONE : hole;
}

static uint32_t width(const struct wl_firmware* fw, uint32_t hole) {
  return fw->geometry.dies - (hole == WL_NONE ? 1u : 2u);
}

uint32_t wl_stripe_width(const struct wl_firmware* fw) { return width(fw, wl_die_dead(fw)); }

bool wl_stripe_full(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t placed) {
  return placed == width(fw, wl_stripe_hole(fw, superblock));
}

uint32_t wl_stripe_unit(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t count) {
  const uint32_t hole = wl_stripe_hole(fw, superblock);
  uint32_t die;
  const uint32_t row = wl_divide(count, width(fw, hole), &die);
  return row * fw->geometry.dies + die + (die >= hole);
}

uint32_t wl_stripe_parity_die(const struct wl_firmware* fw, wl_superblock_t superblock) {
  const uint32_t last = fw->geometry.dies - 1u;
  return wl_stripe_hole(fw, superblock) == last ? last - 1u : last;
}

uint32_t wl_stripe_rows(const struct wl_firmware* fw) {
  const uint32_t room = wl_closing_room(&fw->boot, fw->geometry.superblock_units, fw->geometry.unit_lpages);
  return (fw->geometry.superblock_units - room) / fw->geometry.dies;
}

uint32_t wl_stripe_units(const struct wl_firmware* fw, wl_superblock_t superblock) {
  return wl_stripe_rows(fw) * width(fw, wl_stripe_hole(fw, superblock));
}

__attribute__((noinline, cold)) uint32_t wl_stripe_record_unit(const struct wl_firmware* fw, wl_superblock_t superblock,
                                                               uint32_t hole, uint32_t number) {
  const uint32_t dies = fw->geometry.dies;
  uint32_t at, first, die;
  const uint32_t row = wl_stripe_rows(fw) + wl_divide(number, dies - 1u, &at);
  /* Not in the block of the parity, from which a mount knows whether it is true. But where the last die is left out it
   * is there: both go first in an erase, and parity without a record would be taken for data. */
  (void)wl_divide(superblock, dies - 1u, &first);
  if (hole == dies - 1u) first = hole - 1u;
  if (hole != WL_NONE && at >= (hole >= first ? hole - first : hole + dies - first)) ++at;
  (void)wl_divide(first + at, dies, &die);
  return row * dies + die;
}

static uint32_t* word_of(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t unit) {
  return &wl_space_view(fw)->spares.stripes.lacking[superblock * words_of(fw) + unit / 32u];
}

bool wl_stripe_member(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row, uint32_t die) {
  const uint32_t hole = wl_stripe_hole(fw, superblock);
  const uint32_t unit = row * fw->geometry.dies + die;
  if (die == hole) return false;
  if (die == wl_stripe_parity_die(fw, superblock)) return true;
  const uint32_t count = row * width(fw, hole) + die - (die > hole);
  if (count >= wl_space_view(fw)->superblock[superblock].units) return false;
  return (*word_of(fw, superblock, unit) >> unit % 32u & 1u) == 0;
}

bool wl_stripe_has_parity(const struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row) {
  const uint32_t unit = row * fw->geometry.dies + wl_stripe_parity_die(fw, superblock);
  return (*word_of(fw, superblock, unit) >> unit % 32u & 1u) == 0;
}

void wl_stripe_lacks(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t row, uint32_t die) {
  const uint32_t unit = row * fw->geometry.dies + die;
  *word_of(fw, superblock, unit) |= 1u << unit % 32u;
}

__attribute__((noinline, cold)) void wl_stripes_found(struct wl_firmware* fw, wl_superblock_t superblock,
                                                      uint32_t hole) {
  struct wl_stripes* s = &wl_space_state(fw)->spares.stripes;
  s->holes[superblock] = hole == WL_NONE ? WL_NO_HOLE : (uint16_t)hole;
  for (uint32_t i = 0; i != words_of(fw); ++i) s->lacking[superblock * words_of(fw) + i] = 0;
}

void wl_stripes_opened(struct wl_firmware* fw, wl_superblock_t superblock) {
  wl_stripes_found(fw, superblock, wl_die_dead(fw));
}

uint32_t wl_stripes_words(const struct wl_firmware* fw) {
  return wl_has_parity(fw) ? fw->boot.blocks * words_of(fw) : 0;
}

__attribute__((noinline, cold)) void wl_stripes_keep(const struct wl_firmware* fw, uint32_t* to) {
  const uint32_t* from = wl_space_view(fw)->spares.stripes.lacking;
  for (uint32_t i = 0; i != wl_stripes_words(fw); ++i) to[i] = from[i];
}

__attribute__((noinline, cold)) void wl_stripes_take(struct wl_firmware* fw, const uint32_t* from) {
  uint32_t* to = wl_space_state(fw)->spares.stripes.lacking;
  for (uint32_t i = 0; i != wl_stripes_words(fw); ++i) to[i] = from[i];
}

__attribute__((noinline, cold)) void wl_superblock_spoil(struct wl_firmware* fw, wl_superblock_t superblock,
                                                         uint32_t die) {
  wl_space_state(fw)->superblock[superblock].bad = 1;
  if (!wl_has_parity(fw)) return;
  uint16_t* failed = &wl_space_state(fw)->spares.stripes.failed[superblock];
  *failed = *failed == WL_NO_HOLE || *failed == die ? (uint16_t)die : (uint16_t)WL_SEVERAL_DIES;
}
