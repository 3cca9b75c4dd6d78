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
#include "models/firmware/core/core.h"

/* Of a line. */
static inline struct wl_region* wl_region_of(struct wl_firmware* fw, uint32_t line) {
  return &fw->space.region[line >= fw->kind[1].first_line];
}

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
/* Of the first region, where moved data go. */
static inline uint32_t wl_lines_free(const struct wl_firmware* fw) { return fw->space.region[0].free_lines; }
static inline uint32_t wl_lines_erasing(const struct wl_firmware* fw) { return fw->space.region[0].erasing_lines; }
static inline uint32_t wl_lines_draining(const struct wl_firmware* fw) { return fw->space.region[0].leaving.draining; }
static inline uint32_t wl_lines_reserve(const struct wl_firmware* fw) { return fw->space.region[0].reserve_lines; }
static inline uint32_t wl_lines_start(const struct wl_firmware* fw) { return fw->space.region[0].start_lines; }
/* Which region, and which kind of pages, a line and a stream belong to. */
static inline bool wl_has_small_pages(const struct wl_firmware* fw) { return fw->kind[1].lines != 0; }
static inline bool wl_line_is_small(const struct wl_firmware* fw, uint32_t line) {
  return line >= fw->kind[1].first_line;
}
static inline bool wl_stream_is_small(const struct wl_firmware* fw, uint32_t stream) {
  return stream != WL_STREAM_HOST && stream == fw->space.plan.small_stream;
}
static inline const struct wl_page_kind* wl_kind_of_line(const struct wl_firmware* fw, uint32_t line) {
  return &fw->kind[wl_line_is_small(fw, line)];
}
static inline const struct wl_page_kind* wl_kind_of_stream(const struct wl_firmware* fw, uint32_t stream) {
  return &fw->kind[wl_stream_is_small(fw, stream)];
}
/* The open line of a stream, or WL_NONE; with several, the one that it has had longest. */
static inline uint32_t wl_line_opened(const struct wl_firmware* fw, uint32_t stream) {
  return fw->space.open_line[stream];
}
/* The open line that the stream got after `line`; WL_NONE: none. */
static inline uint32_t wl_line_opened_after(const struct wl_firmware* fw, uint32_t line) {
  return wl_line(fw, line)->next;
}
static inline uint32_t wl_lines_opened(const struct wl_firmware* fw, uint32_t stream) { /* how many */
  uint32_t lines = 0;
  for (uint32_t l = wl_line_opened(fw, stream); l != WL_NONE; l = wl_line_opened_after(fw, l)) ++lines;
  return lines;
}
/* Superblocks that are written at a time, at most; beside one with small pages. */
static inline uint32_t wl_lines_open_at_most(const struct wl_space_plan* plan) {
  return plan->host_streams + plan->move_streams + plan->more_lines - (plan->small_stream != 0);
}
static inline uint32_t wl_line_rest(const struct wl_firmware* fw, uint32_t line) { /* sectors that fit; or WL_NONE */
  if (line == WL_NONE) return 0;
  const struct wl_page_kind* kind = wl_kind_of_line(fw, line);
  return (kind->line_units - wl_line(fw, line)->units) * kind->unit_sectors;
}
static inline uint32_t wl_lines_rest(const struct wl_firmware* fw, uint32_t stream) { /* ... into its open lines */
  uint32_t rest = 0;
  for (uint32_t l = wl_line_opened(fw, stream); l != WL_NONE; l = wl_line_opened_after(fw, l))
    rest += wl_line_rest(fw, l);
  return rest;
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

/* ---- lines with small pages: what is in them is collected into lines of the first region ---- */
static inline bool wl_small_lines_short(const struct wl_firmware* fw) { /* none is free, none will be by itself */
  const struct wl_region* r = &fw->space.region[1];
  return wl_has_small_pages(fw) && r->free_lines == 0 && r->erasing_lines == 0;
}
/* Whether one is to be collected. */
static inline bool wl_small_lines_wanted(const struct wl_firmware* fw) {
  const struct wl_region* r = &fw->space.region[1];
  return r->free_lines + r->erasing_lines + r->leaving.draining <= r->start_lines;
}
/* Data of the victim cannot be moved while the host writes their page, or it is in the write buffer: a write of a part
 * that ends, or a program, may change that. */
static inline bool wl_small_lines_wait(const struct wl_firmware* fw) { return fw->space.small_waits; }
static inline void wl_small_lines_await(struct wl_firmware* fw) { fw->space.small_waits = true; }
static inline void wl_small_lines_go_on(struct wl_firmware* fw) {
  if (!fw->space.small_waits) return;
  fw->space.small_waits = false;
  wl_kick(fw, WL_STEP_GC);
}
/* The closed one with the fewest valid sectors, or WL_NONE. */
uint32_t wl_small_line_emptiest(struct wl_firmware* fw);

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
  for (uint32_t s = WL_STREAM_GC; s - WL_STREAM_GC != fw->space.plan.move_streams; ++s) rest += wl_lines_rest(fw, s);
  return rest;
}
/* Sectors until the host may need a line: the least that fits into the first open one of a class. A class without one
 * goes on in another's. */
static inline uint32_t wl_lines_host_rest(const struct wl_firmware* fw) {
  uint32_t least = wl_line_rest(fw, wl_line_opened(fw, WL_STREAM_HOST));
  for (uint32_t s = WL_STREAM_HOST + 1; s < fw->space.plan.host_streams; ++s) {
    if (wl_stream_is_small(fw, s)) continue;
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
  for (uint32_t s = WL_STREAM_GC; s - WL_STREAM_GC != fw->space.plan.move_streams; ++s) open += wl_lines_opened(fw, s);
  return fw->space.region[0].stale_sectors + wl_lines_move_rest(fw) >=
         (uint64_t)(open > 1 ? open : 1) * fw->geometry.line_sectors;
}

/* The host falls silent. What becomes stale from here on is of the collector itself, by padding, so moving it again
 * and again wins nothing: until the host makes more of it stale, each line is collected once at most. */
static inline void wl_lines_silence_boot(struct wl_firmware* fw) {
  fw->space.silent_victims = fw->space.lines; /* a state may come with as much to collect */
}
static inline void wl_lines_fall_silent(struct wl_firmware* fw) {
  if (fw->space.region[0].stale_sectors > fw->space.silent_stale) fw->space.silent_victims = fw->space.lines;
}
static inline void wl_lines_silence_ends(struct wl_firmware* fw) {
  fw->space.silent_stale = fw->space.region[0].stale_sectors;
}
static inline bool wl_lines_silence_spent(const struct wl_firmware* fw) { return fw->space.silent_victims == 0; }
static inline void wl_lines_spend_silence(struct wl_firmware* fw) {
  if (fw->space.silent_victims != 0) --fw->space.silent_victims;
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
/* The open line of stream `from` is that of `to` from now on, behind those that `to` has. Programs of the host and of
 * moved data may overtake each other: between these, only while none is under way. */
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
/* Nothing is left to read of the victim. When its reads and moves have ended (wl_line_try_erase) it is erased, or
 * closed again if valid data are left in it. */
static inline void wl_line_drain(struct wl_firmware* fw, uint32_t line) {
  fw->space.line[line].state = WL_LINE_DRAINING;
  ++wl_region_of(fw, line)->leaving.draining;
}
static inline bool wl_line_draining(const struct wl_firmware* fw, uint32_t line) {
  return fw->space.line[line].state == WL_LINE_DRAINING;
}
void wl_line_try_erase(struct wl_firmware* fw, uint32_t line);
void wl_line_closed(struct wl_firmware* fw, uint32_t line);               /* it may be collected from now on */
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
