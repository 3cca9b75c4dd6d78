/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * cubeFTL: word lines of an h-layer are alike, so the first one to be programmed, the leader, shows how the others, the
 * followers, can be programmed faster (cube_parameters.h). Which kind takes the host's next data follows from the fill
 * level of the write buffer: while it is high followers are used, which finish early; else leaders, so that followers
 * are there when the next burst comes. Source: Shim, SNU 2020, chapter 5; docs/cube.md has what it leaves open, and
 * what is done here.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/policy/cube_choice.h"
#include "models/firmware/policy/keys.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/policy/state.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"

#define FIRST WL_STREAM_HOST /* the host's two open superblocks; its data are of one class */
#define SECOND (WL_STREAM_HOST + 1u)

static uint64_t table_bytes(const struct wl_boot_info* boot) {
  return wl_cube_table_bytes(boot, boot->ftl.upkeep.wear_gap != 0 ? 4 : 3);
}

static void begin(struct wl_firmware* fw, const struct wl_hal* hal) {
  (void)hal;
  wl_cube_begin(fw, wl_policies_state(fw)->arena, wl_policies_state(fw)->table);
}

/* ---- superblocks ---- */

/* The stream whose superblock takes the data of `stream`: its own or, of moved data where none is free, another one's.
 * WL_NONE: there is none. */
static uint32_t open(struct wl_firmware* fw, uint32_t stream) {
  const wl_superblock_t superblock = wl_page_open(fw, stream);
  if (superblock == WL_NONE) return WL_NONE;
  wl_cube_superblock_opened(fw, superblock, wl_stream_moves(stream));
  return wl_superblock_write_point(fw, superblock);
}

/* The fuller one of the host's open superblocks comes first. */
static uint32_t first_of_host(const struct wl_firmware* fw) {
  const uint32_t a = wl_superblock_opened(fw, FIRST), b = wl_superblock_opened(fw, SECOND);
  if (a == WL_NONE || b == WL_NONE) return a == WL_NONE ? SECOND : FIRST;
  return wl_superblock(fw, a)->units >= wl_superblock(fw, b)->units ? FIRST : SECOND;
}

/* A second one is opened where the first has no leader left; not while GC has to work, which would lack it
 * as spare, unless its followers are kept in stock: then as long as the host may open one. */
static bool open_second(struct wl_firmware* fw, uint32_t second) {
  const struct wl_cube_rules* keys = &wl_policy_keys(&fw->boot)->cube;
  if (keys->active_superblocks == 1 || wl_superblock_opened(fw, second) != WL_NONE) return false;
  return !(keys->keeps_stock != 0 ? wl_superblocks_short(fw) : wl_page_short(fw)) && open(fw, second) != WL_NONE;
}

/* ---- the host's data ---- */

static bool follower_of_host(struct wl_firmware* fw, uint32_t first, uint32_t die, struct wl_placement* at) {
  return wl_cube_follower(fw, first, die, at) || wl_cube_follower(fw, first ^ 1u, die, at);
}

static bool leader_of_host(struct wl_firmware* fw, uint32_t first, uint32_t die, struct wl_placement* at) {
  return wl_cube_leader(fw, first, WL_CUBE_ALL, die, at) || wl_cube_leader(fw, first ^ 1u, WL_CUBE_ALL, die, at);
}

static bool next_of_host(struct wl_firmware* fw, uint32_t first, uint32_t die, struct wl_placement* at) {
  return wl_cube_next(fw, first, WL_CUBE_ALL, die, at) || wl_cube_next(fw, first ^ 1u, WL_CUBE_ALL, die, at);
}

static bool in_die_of_host(struct wl_firmware* fw, const struct wl_cube_ranges* ranges, uint32_t die,
                           struct wl_placement* at) {
  (void)ranges;
  if (wl_cube_busy(&wl_policies_state(fw)->cube->parameters, die, false)) return false;
  const uint32_t first = first_of_host(fw);
  if (!wl_policy_keys(&fw->boot)->cube.by_demand) return next_of_host(fw, first, die, at);
  if (wl_cube_much(fw, at) && follower_of_host(fw, first, die, at)) return true;
  if (leader_of_host(fw, first, die, at)) return true;
  if (open_second(fw, first ^ 1u) && wl_cube_leader(fw, first ^ 1u, WL_CUBE_ALL, die, at)) return true;
  return follower_of_host(fw, first, die, at);
}

/* ---- moved data ---- */

/* Leaders of the host's superblocks while little is to be written: in bursts they would make the host wait. Data at
 * rest (static wear levelling) keep to their own superblock. */
static bool in_die_of_moved(struct wl_firmware* fw, const struct wl_cube_ranges* ranges, uint32_t die,
                            struct wl_placement* at) {
  const struct wl_cube_parameters* p = &wl_policies_state(fw)->cube->parameters;
  const struct wl_cube_rules* keys = &wl_policy_keys(&fw->boot)->cube;
  const bool may = keys->moves_to_leaders != 0 && ranges->stream == WL_STREAM_GC;
  if (may && !wl_cube_much(fw, at) && !wl_cube_busy(p, die, false)) {
    if (leader_of_host(fw, FIRST, die, at)) return true;
    const uint32_t second = first_of_host(fw) ^ 1u;
    if (keys->keeps_stock != 0 && open_second(fw, second) && wl_cube_leader(fw, second, WL_CUBE_ALL, die, at))
      return true;
  }
  return !wl_cube_busy(p, die, true) && wl_cube_next(fw, ranges->stream, WL_CUBE_ALL, die, at);
}

/* ---- both ---- */

static bool choose(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  const bool moves = wl_stream_moves(stream);
  const struct wl_cube_ranges ranges = {stream, WL_CUBE_ALL, WL_NONE, 0};
  return wl_cube_in_turn(fw, moves, &ranges, moves ? in_die_of_moved : in_die_of_host, at);
}

static bool has_superblock(const struct wl_firmware* fw, uint32_t stream) {
  if (wl_stream_moves(stream)) return wl_superblock_opened(fw, stream) != WL_NONE;
  return wl_superblock_opened(fw, FIRST) != WL_NONE || wl_superblock_opened(fw, SECOND) != WL_NONE;
}

static bool place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  const bool moves = wl_stream_moves(stream);
  if (!moves && !wl_pace_places(fw)) return false;
  bool found = choose(fw, stream, at);
  uint32_t opened = WL_NONE;
  if (!found && !has_superblock(fw, stream)) opened = open(fw, stream);
  if (opened != WL_NONE) found = choose(fw, opened, at);
  at->for_program = !found && (opened != WL_NONE || has_superblock(fw, stream));
  if (!found) return false;
  wl_cube_sends(fw, 0, at);
  return true;
}

const struct wl_policy wl_policy_cube = {
    .space = {.host_streams = 2, .move_streams = 1, .by_word_line = true},
    .media = {.programs = true},
    .refused = WL_ENGINE_COPY,
    .arena_bytes = sizeof(struct wl_cube),
    .table_bytes = table_bytes,
    .begin = begin,
    .place = place,
    .programmed = wl_cube_programmed,
    .collect = wl_page_collect,
    .idle = wl_page_idle,
    .victim = wl_superblock_emptiest,
};
