/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines (superblocks): which are free, open, closed, how many of their sectors are valid, and their way back to free.
 * Free lines are used in the order in which they became free, or least erased first (wear.h). Of a line with a failed
 * program or erase the blocks that failed are replaced by spares (spares.h); where there are none, the line is retired
 * when it would become free. Too many of these make the drive read-only.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_SPACE_H
#define WORDLINE_FIRMWARE_SPACE_SPACE_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_space_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram,
                     const struct wl_space_plan* plan);
void wl_space_boot(struct wl_firmware* fw, const struct wl_hal* hal);

/* ---- what a policy and others look at ---- */
static inline uint32_t wl_lines(const struct wl_firmware* fw) { return fw->space.lines; }
static inline const struct wl_line* wl_line(const struct wl_firmware* fw, uint32_t line) {
  return &fw->space.line[line];
}
static inline uint32_t wl_line_of(const struct wl_firmware* fw, uint32_t place) {
  return place / fw->geometry.line_sectors;
}
static inline uint32_t wl_lines_free(const struct wl_firmware* fw) { return fw->statistics.free_lines; }
static inline uint32_t wl_lines_erasing(const struct wl_firmware* fw) { return WL_REGION(fw)->erasing_lines; }
static inline uint32_t wl_lines_draining(const struct wl_firmware* fw) { return WL_REGION(fw)->leaving.draining; }
static inline uint32_t wl_lines_reserve(const struct wl_firmware* fw) { return WL_REGION(fw)->reserve_lines; }
static inline uint32_t wl_lines_start(const struct wl_firmware* fw) { return WL_REGION(fw)->start_lines; }
static inline uint32_t wl_line_opened(const struct wl_firmware* fw, uint32_t stream) {
  return fw->space.open_line[stream];
} /* or WL_NONE */
/* Superblocks that are written at a time, at most. */
static inline uint32_t wl_lines_open_at_most(const struct wl_space_plan* plan) {
  return plan->host_streams + (uint32_t)plan->move_streams;
}
static inline uint32_t wl_line_rest(const struct wl_firmware* fw, uint32_t line) { /* sectors that fit; or WL_NONE */
  return line == WL_NONE ? 0 : (fw->geometry.line_units - wl_line(fw, line)->units) * fw->geometry.unit_sectors;
}
static inline uint32_t wl_line_age(const struct wl_firmware* fw,
                                   uint32_t line) { /* lines closed after it, since boot */
  const uint32_t age = fw->space.closings - fw->space.line[line].closed_at;
  const uint32_t most = fw->space.closings - fw->space.closings_at_boot;
  return age < most ? age : most;
}
static inline uint32_t wl_lines_taken(const struct wl_firmware* fw) { return fw->space.taken; } /* victims so far */
static inline bool wl_space_read_only(const struct wl_firmware* fw) { return fw->space.read_only; }
static inline bool wl_space_stopped(const struct wl_firmware* fw) { return fw->space.stopped; }
/* A unit of `stream` got no place. If nothing is under way that makes room, the drive is read-only from now on: too
 * many superblocks were lost at once. Reads go on, what is in the write buffer stays there. */
void wl_space_no_place(struct wl_firmware* fw, uint32_t stream);
static inline void wl_space_starve(struct wl_firmware* fw) {
  fw->space.starved = true;
} /* nothing is worth collecting */

/* So few lines are free that the host may not open one. */
static inline bool wl_lines_short(const struct wl_firmware* fw) { return wl_lines_free(fw) <= wl_lines_reserve(fw); }
/* No line is free, and the last sectors of drained ones may wait for company: each class of moved data fills units of
 * its own. These lines come back before another is taken, or the copies of several could lack room in the end. */
static inline bool wl_lines_wait_for_classes(const struct wl_firmware* fw) {
  return fw->space.plan.move_streams > 1 && wl_lines_free(fw) == 0 && wl_lines_draining(fw) != 0;
}
/* Sectors that fit into the open lines for moved data. */
static inline uint32_t wl_lines_move_rest(const struct wl_firmware* fw) {
  uint32_t rest = 0;
  for (uint32_t s = WL_STREAM_GC; s - WL_STREAM_GC != fw->space.plan.move_streams; ++s)
    rest += wl_line_rest(fw, wl_line_opened(fw, s));
  return rest;
}
/* Sectors until the host may need a line: the least that fits into one of its open ones. A class without one goes on in
 * another's. */
static inline uint32_t wl_lines_host_rest(const struct wl_firmware* fw) {
  uint32_t least = wl_line_rest(fw, wl_line_opened(fw, WL_STREAM_HOST));
  for (uint32_t s = WL_STREAM_HOST + 1; s < fw->space.plan.host_streams; ++s) {
    const uint32_t rest = wl_line_rest(fw, wl_line_opened(fw, s));
    if (least == 0 || (rest != 0 && rest < least)) least = rest;
  }
  return least;
}
/* Whether collecting can win a line: all closed ones together, and the rest of the open ones for moved data, lack data
 * for a line, beside those that the others of these may be short of. Without this the collector would move the same
 * data round and round. */
static inline bool wl_lines_can_win(const struct wl_firmware* fw) {
  uint32_t open = 0;
  for (uint32_t s = WL_STREAM_GC; s - WL_STREAM_GC != fw->space.plan.move_streams; ++s)
    open += wl_line_opened(fw, s) != WL_NONE;
  return WL_REGION(fw)->stale_sectors + wl_lines_move_rest(fw) >=
         (uint64_t)(open > 1 ? open : 1) * fw->geometry.line_sectors;
}

/* ---- life of a line ---- */
uint32_t wl_line_open(struct wl_firmware* fw, uint32_t stream); /* takes a free line, WL_NONE: none */
/* Open line of another class, of the host's or of moved data as `stream` is, with the most room: while space is short,
 * classes mix rather than wait for a whole line. WL_NONE: none is open. */
uint32_t wl_line_of_another_class(const struct wl_firmware* fw, uint32_t stream);
uint32_t wl_line_write_point(const struct wl_firmware* fw, uint32_t line); /* the stream whose open line it is */
/* Lays the next line of the host by while it is the only one beyond the reserve, and the open one is nearly full: else
 * garbage collection may open it, and the host waits for a whole victim more. */
void wl_line_prepare(struct wl_firmware* fw);
static inline bool wl_line_prepared(const struct wl_firmware* fw) { return fw->space.next_line != WL_NONE; }
/* Moved data need a line, none is free, and none will be, since nothing is programmed or erased: `stream` goes on in
 * an open one of the host. False: not so, or there is none. */
bool wl_line_take_over(struct wl_firmware* fw, uint32_t stream);
/* The open line of stream `from` is that of `to` from now on, which has none. Programs of the host and of moved data
 * may overtake each other: between these, only while none is under way. */
void wl_line_hand_over(struct wl_firmware* fw, uint32_t from, uint32_t to);
/* A unit of the open line of `stream`, by its number in it, or WL_NEXT_UNIT: its first place. A program of it is under
 * way until wl_line_program_done. */
uint32_t wl_line_place_unit(struct wl_firmware* fw, uint32_t stream, uint32_t line, uint32_t unit);
void wl_line_program_done(struct wl_firmware* fw, uint32_t line, uint32_t valid);
/* A program, in `planes` of `die` (bits): no more of them. When the line is empty, the blocks are replaced by spares;
 * if there are none, it is retired. */
void wl_line_failed(struct wl_firmware* fw, uint32_t line, uint32_t die, uint32_t planes);
void wl_line_invalidate(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t line); /* one sector less */
/* The closed line with the fewest valid sectors. WL_NONE: collecting gains nothing; WL_ASKED: hardware searches, its
 * answer kicks garbage collection. From the buckets: to their grain, oldest first among equals. By the victim engine:
 * exactly, among equals the next after the last victim, round the lines. */
/* A closed line on whose bad blocks data lie, while free lines are not short: to be emptied first. WL_NONE: none. */
uint32_t wl_line_urgent(const struct wl_firmware* fw);
#define WL_ASKED 0xfffffffeu /* beside lines and WL_NONE */
uint32_t wl_line_emptiest(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_lines_searched(struct wl_firmware* fw); /* the victim engine has answered */
static inline void wl_lines_forget_answer(struct wl_firmware* fw) { fw->space.answered = false; } /* it will be old */
void wl_line_take(struct wl_firmware* fw, uint32_t line);                                         /* as victim */
static inline void wl_line_moving(struct wl_firmware* fw, uint32_t line, uint32_t count) {
  fw->space.line[line].moving += count;
}
/* Nothing is left to read of the victim. It is erased when its reads and moves have ended: wl_line_try_erase. */
static inline void wl_line_drain(struct wl_firmware* fw, uint32_t line) {
  fw->space.line[line].state = WL_LINE_DRAINING;
  ++WL_REGION(fw)->leaving.draining;
}
static inline bool wl_line_draining(const struct wl_firmware* fw, uint32_t line) {
  return fw->space.line[line].state == WL_LINE_DRAINING;
}
void wl_line_try_erase(struct wl_firmware* fw, uint32_t line);
static inline void wl_line_moved(struct wl_firmware* fw, uint32_t line) { /* one sector is elsewhere, or lost */
  if (--fw->space.line[line].moving == 0) wl_line_try_erase(fw, line);
}
static inline void wl_line_read_begins(struct wl_firmware* fw, uint32_t line) { ++fw->space.line[line].reads; }
static inline void wl_line_read_done(struct wl_firmware* fw, uint32_t line) {
  if (--fw->space.line[line].reads == 0) wl_line_try_erase(fw, line);
}
void wl_lines_quiescent(struct wl_firmware* fw, const struct wl_hal* hal); /* hardware-served reads let go of places */
void wl_erase_step(struct wl_firmware* fw, const struct wl_hal* hal);
/* Of one die; `failed`: its planes in which it did, as bits. These blocks are replaced, and the die is erased again.
 * Before there are lines, at the first boot: of a read of marks (marks.h). True: that was the last, the host may begin.
 */
bool wl_erase_done(struct wl_firmware* fw, uint32_t line, uint32_t die, uint32_t failed);

#endif
