/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * cubeFTL: word lines of an h-layer are alike, so the first one to be programmed, the leader, shows how the others, the
 * followers, can be programmed faster (cube_parameters.h). Which kind takes the host's next data follows from the fill
 * level of the write buffer: while it is high followers are used, which finish early; else leaders, so that followers
 * are there when the next burst comes. Source: Shim, SNU 2020, chapter 5; docs/cube.md has what it leaves open, and
 * what is done here.
 *
 * A unit gets its place when a die has no program of the host, or of moved data: so the fill level is that of the
 * moment, and a follower knows what its leader measured. Free dies take units in turn.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/policy/cube_parameters.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/cursors.h"
#include "models/firmware/space/pace.h"
#include "models/firmware/space/space.h"

#define FIRST WL_STREAM_HOST /* the host's two open superblocks; its data are of one class */
#define SECOND (WL_STREAM_HOST + 1u)

struct state {
  struct wl_cube_parameters parameters;
  uint32_t next_die[2]; /* of the host's data, of moved data */
  uint32_t most_dirty;  /* units of the write buffer: with more, much is to be written */
};

static struct state* state_of(struct wl_firmware* fw) { return fw->policies.arena; }

static void begin(struct wl_firmware* fw, const struct wl_hal* hal) {
  (void)hal;
  struct state* s = state_of(fw);
  wl_cube_parameters_begin(fw, &s->parameters, fw->policies.table);
  s->most_dirty = fw->boot.write_slots / fw->geometry.unit_sectors * fw->boot.ftl.cube.demand_permille / 1000;
}

static uint32_t place_of(const struct wl_firmware* fw, uint32_t line, uint32_t unit) {
  return line * fw->geometry.line_sectors + unit * fw->geometry.unit_sectors;
}

/* ---- units of an open superblock in a die; false: it has none ---- */

static bool follower(struct wl_firmware* fw, uint32_t stream, uint32_t die, struct wl_placement* at) {
  at->line = wl_line_opened(fw, stream);
  if (at->line == WL_NONE) return false;
  at->unit = wl_cursor_follower(fw, stream, die);
  return at->unit != WL_NONE;
}

static bool leader(struct wl_firmware* fw, uint32_t stream, uint32_t die, struct wl_placement* at) {
  at->line = wl_line_opened(fw, stream);
  if (at->line == WL_NONE) return false;
  at->unit = wl_cursor_leader(fw, stream, die);
  return at->unit != WL_NONE;
}

/* Layer by layer. */
static bool next_of(struct wl_firmware* fw, uint32_t stream, uint32_t die, struct wl_placement* at) {
  return follower(fw, stream, die, at) || leader(fw, stream, die, at);
}

/* ---- superblocks ---- */

static bool open(struct wl_firmware* fw, uint32_t stream) {
  const uint32_t line = wl_page_open(fw, stream);
  if (line == WL_NONE) return false;
  /* One of the host that moved data have taken over is known already. */
  const bool fresh = wl_line(fw, line)->units == 0;
  wl_cube_opened(fw, &state_of(fw)->parameters, line, wl_stream_moves(stream), fresh);
  return true;
}

/* The fuller one of the host's open superblocks comes first. */
static uint32_t first_of_host(const struct wl_firmware* fw) {
  const uint32_t a = wl_line_opened(fw, FIRST), b = wl_line_opened(fw, SECOND);
  if (a == WL_NONE || b == WL_NONE) return a == WL_NONE ? SECOND : FIRST;
  return wl_line(fw, a)->units >= wl_line(fw, b)->units ? FIRST : SECOND;
}

/* A second one is opened where the first has no leader left; not while the collector has to work, which would lack it
 * as spare. */
static bool open_second(struct wl_firmware* fw, uint32_t second) {
  if (fw->boot.ftl.cube.active_lines == 1 || wl_line_opened(fw, second) != WL_NONE) return false;
  return !wl_page_collect(fw) && open(fw, second);
}

/* ---- the host's data ---- */

static bool follower_of_host(struct wl_firmware* fw, uint32_t first, uint32_t die, struct wl_placement* at) {
  return follower(fw, first, die, at) || follower(fw, first ^ 1u, die, at);
}

static bool leader_of_host(struct wl_firmware* fw, uint32_t first, uint32_t die, struct wl_placement* at) {
  return leader(fw, first, die, at) || leader(fw, first ^ 1u, die, at);
}

static bool unit_of_host(struct wl_firmware* fw, uint32_t die, struct wl_placement* at) {
  if (wl_cube_busy(&state_of(fw)->parameters, die, false)) return false;
  const uint32_t first = first_of_host(fw);
  if (!fw->boot.ftl.cube.by_demand) return next_of(fw, first, die, at) || next_of(fw, first ^ 1u, die, at);
  if (at->dirty_units > state_of(fw)->most_dirty && follower_of_host(fw, first, die, at)) return true;
  if (leader_of_host(fw, first, die, at)) return true;
  if (open_second(fw, first ^ 1u) && leader(fw, first ^ 1u, die, at)) return true;
  return follower_of_host(fw, first, die, at);
}

/* ---- moved data ---- */

/* Leaders of the host's superblocks while little is to be written: in bursts they would make the host wait. */
static bool unit_of_moved(struct wl_firmware* fw, uint32_t die, struct wl_placement* at) {
  const struct wl_cube_parameters* p = &state_of(fw)->parameters;
  const bool may = fw->boot.ftl.cube.moves_to_leaders && at->dirty_units <= state_of(fw)->most_dirty;
  if (may && !wl_cube_busy(p, die, false) && leader_of_host(fw, FIRST, die, at)) return true;
  return !wl_cube_busy(p, die, true) && next_of(fw, WL_STREAM_GC, die, at);
}

/* ---- both ---- */

/* The first die in turn that is free and has a unit. */
static bool choose(struct wl_firmware* fw, bool moves, struct wl_placement* at) {
  uint32_t* next = &state_of(fw)->next_die[moves];
  const uint32_t dies = fw->geometry.dies;
  uint32_t die = *next;
  for (uint32_t i = 0; i < dies; ++i) {
    const bool found = moves ? unit_of_moved(fw, die, at) : unit_of_host(fw, die, at);
    die = die + 1 == dies ? 0 : die + 1;
    if (!found) continue;
    *next = die;
    return true;
  }
  return false;
}

static bool has_line(const struct wl_firmware* fw, bool moves) {
  if (moves) return wl_line_opened(fw, WL_STREAM_GC) != WL_NONE;
  return wl_line_opened(fw, FIRST) != WL_NONE || wl_line_opened(fw, SECOND) != WL_NONE;
}

static bool place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at) {
  const bool moves = wl_stream_moves(stream);
  if (!moves && !wl_pace_places(fw)) return false;
  bool found = choose(fw, moves, at);
  if (!found && !has_line(fw, moves)) found = open(fw, stream) && choose(fw, moves, at);
  at->for_program = !found && has_line(fw, moves);
  if (!found) return false;
  at->control = wl_cube_control(fw, &state_of(fw)->parameters, place_of(fw, at->line, at->unit));
  return true;
}

static enum wl_verdict programmed(struct wl_firmware* fw, uint32_t at, uint32_t control,
                                  const struct wl_program_report* report, bool failed) {
  return wl_cube_judge(fw, &state_of(fw)->parameters, at, control, report, failed);
}

const struct wl_policy wl_policy_cube = {
    .space = {.host_streams = 2, .move_streams = 1, .by_word_line = true},
    .media = {.programs = true},
    .refused = WL_ENGINE_COPY,
    .arena_bytes = sizeof(struct state),
    .table_bytes = wl_cube_table_bytes,
    .begin = begin,
    .place = place,
    .programmed = programmed,
    .collect = wl_page_collect,
    .idle = wl_page_idle,
    .victim = wl_line_emptiest,
};
