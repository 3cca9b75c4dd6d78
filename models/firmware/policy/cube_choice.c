/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/policy/cube_choice.h"

#include "models/firmware/core/core.h"
#include "models/firmware/policy/keys.h"
#include "models/firmware/policy/state.h"
#include "models/firmware/space/space.h"

bool wl_cube_much(const struct wl_firmware* fw, const struct wl_placement* at) {
  return at->dirty_units > wl_policies_view(fw)->cube->most_dirty;
}

void wl_cube_begin(struct wl_firmware* fw, struct wl_cube* cube, void* table) {
  wl_policies_state(fw)->cube = cube;
  wl_cube_parameters_begin(fw, &cube->parameters, table);
  cube->most_dirty =
      fw->boot.write_slots / fw->geometry.unit_lpages * wl_policy_keys(&fw->boot)->cube.demand_permille / 1000;
}

void wl_cube_superblock_opened(struct wl_firmware* fw, wl_superblock_t superblock, bool moves) {
  /* One of the host that moved data have taken over is known already. */
  const bool fresh = wl_superblock(fw, superblock)->units == 0;
  wl_cube_opened(fw, &wl_policies_state(fw)->cube->parameters, superblock, moves, fresh);
}

/* ---- units of an open superblock in a die ---- */

bool wl_cube_follower(struct wl_firmware* fw, uint32_t stream, uint32_t die, struct wl_placement* at) {
  at->superblock = wl_superblock_opened(fw, stream);
  if (at->superblock == WL_NONE) return false;
  at->unit = wl_cursor_follower(fw, stream, die);
  return at->unit != WL_NONE;
}

bool wl_cube_leader(struct wl_firmware* fw, uint32_t stream, uint32_t end, uint32_t die, struct wl_placement* at) {
  at->superblock = wl_superblock_opened(fw, stream);
  if (at->superblock == WL_NONE) return false;
  at->unit = wl_cursor_leader(fw, stream, die);
  return at->unit != WL_NONE && at->unit < end;
}

bool wl_cube_next(struct wl_firmware* fw, uint32_t stream, uint32_t end, uint32_t die, struct wl_placement* at) {
  return wl_cube_follower(fw, stream, die, at) || wl_cube_leader(fw, stream, end, die, at);
}

/* ---- the die ---- */

bool wl_cube_in_turn(struct wl_firmware* fw, bool moves, const struct wl_cube_ranges* ranges, wl_cube_in_die* in_die,
                     struct wl_placement* at) {
  uint32_t* next = &wl_policies_state(fw)->cube->next_die[moves];
  const uint32_t dies = fw->geometry.dies;
  uint32_t die = *next;
  for (uint32_t i = 0; i < dies; ++i) {
    const bool found = in_die(fw, ranges, die, at);
    die = die + 1 == dies ? 0 : die + 1;
    if (!found) continue;
    *next = die;
    return true;
  }
  return false;
}

void wl_cube_sends(struct wl_firmware* fw, uint32_t base, struct wl_placement* at) {
  const wl_ppa_t ppa = at->superblock * fw->geometry.superblock_lpages + at->unit * fw->geometry.unit_lpages;
  at->control = wl_cube_control(fw, &wl_policies_state(fw)->cube->parameters, ppa, base);
}

enum wl_verdict wl_cube_programmed(struct wl_firmware* fw, wl_ppa_t ppa, uint32_t control,
                                   const struct wl_program_report* report, bool failed) {
  return wl_cube_judge(fw, &wl_policies_state(fw)->cube->parameters, ppa, control, report, failed);
}

/* ---- a superblock for each class ---- */

static bool in_die_of_host(struct wl_firmware* fw, const struct wl_cube_ranges* r, uint32_t die,
                           struct wl_placement* at) {
  if (wl_cube_busy(&wl_policies_state(fw)->cube->parameters, die, false)) return false;
  if (!wl_policy_keys(&fw->boot)->cube.by_demand || wl_cube_much(fw, at))
    return wl_cube_next(fw, r->stream, r->end, die, at);
  return wl_cube_leader(fw, r->stream, r->end, die, at) || wl_cube_follower(fw, r->stream, die, at);
}

static bool in_die_of_moved(struct wl_firmware* fw, const struct wl_cube_ranges* r, uint32_t die,
                            struct wl_placement* at) {
  const struct wl_cube_parameters* p = &wl_policies_state(fw)->cube->parameters;
  const bool may = r->host != WL_NONE && !wl_cube_busy(p, die, false);
  if (may && wl_cube_leader(fw, r->host, r->host_end, die, at)) return true;
  return !wl_cube_busy(p, die, true) && wl_cube_next(fw, r->stream, r->end, die, at);
}

bool wl_cube_place(struct wl_firmware* fw, uint32_t stream, wl_superblock_t superblock,
                   uint32_t (*end_of)(const struct wl_firmware* fw, wl_superblock_t superblock), uint32_t base,
                   struct wl_placement* at) {
  const bool moves = wl_stream_moves(stream);
  wl_cube_superblock_opened(fw, superblock, moves);
  struct wl_cube_ranges ranges = {wl_superblock_write_point(fw, superblock), end_of(fw, superblock), WL_NONE, 0};
  if (moves && wl_policy_keys(&fw->boot)->cube.moves_to_leaders && !wl_cube_much(fw, at)) {
    ranges.host = wl_stream_class(stream);
    const uint32_t of_host = wl_superblock_opened(fw, ranges.host);
    if (of_host == WL_NONE)
      ranges.host = WL_NONE;
    else
      ranges.host_end = end_of(fw, of_host);
  }
  at->for_program = !wl_cube_in_turn(fw, moves, &ranges, moves ? in_die_of_moved : in_die_of_host, at);
  if (at->for_program) return false;
  wl_cube_sends(fw, base, at);
  return true;
}
