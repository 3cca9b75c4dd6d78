/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Superblocks: which are free, open, closed, how many of their logical pages are valid, and their way back to free.
 * Free superblocks are used in the order in which they became free, or least erased first (wear.h). Of a superblock
 * with a failed program or erase the blocks that failed are replaced by spares (spares.h); where there are none, the
 * superblock is retired when it would become free. Too many of these make the drive read-only.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_SPACE_H
#define WORDLINE_FIRMWARE_SPACE_SPACE_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"
#include "models/firmware/core/core.h"
#include "models/firmware/space/plan.h"
#include "models/firmware/space/stripes.h"
#include "models/firmware/space/superblock.h"

void wl_space_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram,
                     const struct wl_space_plan* plan);
void wl_space_boot(struct wl_firmware* fw, const struct wl_hal* hal);

/* ---- what a policy and others read ---- */
uint32_t wl_superblocks(const struct wl_firmware* fw);
const struct wl_superblock* wl_superblock(const struct wl_firmware* fw, wl_superblock_t superblock);
static inline wl_superblock_t wl_superblock_of(const struct wl_firmware* fw, wl_ppa_t ppa) {
  return ppa / fw->geometry.superblock_lpages;
}
/* Of the first region, where moved data go. */
uint32_t wl_superblocks_free(const struct wl_firmware* fw);
uint32_t wl_superblocks_erasing(const struct wl_firmware* fw);
uint32_t wl_superblocks_draining(const struct wl_firmware* fw);
uint32_t wl_superblocks_reserve(const struct wl_firmware* fw);
/* Fewer usable ones, of the first region, cannot hold the exported logical pages and work. */
uint32_t wl_superblocks_needed(const struct wl_firmware* fw);
uint32_t wl_superblocks_start(const struct wl_firmware* fw);
/* Which region, and which kind of pages, a superblock and a stream belong to. */
static inline bool wl_has_small_pages(const struct wl_firmware* fw) { return fw->kind[1].superblocks != 0; }
static inline bool wl_superblock_is_small(const struct wl_firmware* fw, wl_superblock_t superblock) {
  return superblock >= fw->kind[1].first_superblock;
}
bool wl_stream_is_small(const struct wl_firmware* fw, uint32_t stream);
const struct wl_page_kind* wl_kind_of_stream(const struct wl_firmware* fw, uint32_t stream);
/* Superblocks of the stream take nothing of other ones, and their room is no room of others. */
static inline bool wl_stream_is_apart(const struct wl_firmware* fw, uint32_t stream) {
  return wl_kind_of_stream(fw, stream) != &fw->kind[0];
}
static inline const struct wl_page_kind* wl_kind_of_superblock(const struct wl_firmware* fw,
                                                               wl_superblock_t superblock) {
  return &fw->kind[wl_superblock_is_small(fw, superblock)];
}
const struct wl_space_plan* wl_plan(const struct wl_firmware* fw);
/* The open superblock of a stream, or WL_NONE; with several, the one that it has had longest. */
wl_superblock_t wl_superblock_opened(const struct wl_firmware* fw, uint32_t stream);
/* The open superblock that the stream got after `superblock`; WL_NONE: none. */
static inline wl_superblock_t wl_superblock_opened_after(const struct wl_firmware* fw, wl_superblock_t superblock) {
  return wl_superblock(fw, superblock)->next;
}
static inline uint32_t wl_superblocks_opened(const struct wl_firmware* fw, uint32_t stream) { /* how many */
  uint32_t superblocks = 0;
  for (wl_superblock_t sb = wl_superblock_opened(fw, stream); sb != WL_NONE; sb = wl_superblock_opened_after(fw, sb))
    ++superblocks;
  return superblocks;
}
/* Superblocks that are written at a time, at most; beside one with small pages. */
static inline uint32_t wl_superblocks_open_at_most(const struct wl_space_plan* plan) {
  return plan->host_streams + plan->move_streams + plan->more_superblocks - (plan->small_stream != 0);
}
/* Units that may be placed in it. */
static inline uint32_t wl_superblock_units(const struct wl_firmware* fw, wl_superblock_t superblock) {
  if (wl_has_parity(fw) && wl_die_dead(fw) != WL_NONE) return wl_stripe_units(fw, superblock);
  return wl_kind_of_superblock(fw, superblock)->superblock_units;
}
/* Logical pages that fit into `superblock`, an open one; none into WL_NONE. */
static inline uint32_t wl_superblock_rest(const struct wl_firmware* fw, wl_superblock_t superblock) {
  if (superblock == WL_NONE) return 0;
  const uint32_t units = wl_superblock_units(fw, superblock) - wl_superblock(fw, superblock)->units;
  return units * wl_kind_of_superblock(fw, superblock)->unit_lpages;
}
/* Room that an erase of it would win; what was filled before the run may hold more than fits beside a closing record.
 */
static inline uint32_t wl_superblock_stale(const struct wl_firmware* fw, wl_superblock_t superblock) {
  const uint32_t lpages = wl_kind_of_superblock(fw, superblock)->superblock_lpages;
  const uint32_t valid = wl_superblock(fw, superblock)->valid;
  return valid < lpages ? lpages - valid : 0;
}
/* ... into all open superblocks of `stream`. */
static inline uint32_t wl_superblocks_rest(const struct wl_firmware* fw, uint32_t stream) {
  uint32_t rest = 0;
  for (wl_superblock_t sb = wl_superblock_opened(fw, stream); sb != WL_NONE; sb = wl_superblock_opened_after(fw, sb))
    rest += wl_superblock_rest(fw, sb);
  return rest;
}
/* Superblocks closed after `superblock`, since boot. */
uint32_t wl_superblock_age(const struct wl_firmware* fw, wl_superblock_t superblock);
/* Victims so far. */
uint32_t wl_superblocks_taken(const struct wl_firmware* fw);
/* Blocks of single planes that may fail until the drive is read-only: spares, and superblocks beyond those needed. */
struct wl_spare_capacity {
  uint32_t blocks; /* of a new drive */
  uint32_t left;
};
struct wl_spare_capacity wl_space_spare(const struct wl_firmware* fw);
bool wl_space_read_only(const struct wl_firmware* fw);
bool wl_space_refuses(const struct wl_firmware* fw); /* so it does, or wl_space_gate() */
bool wl_space_stopped(const struct wl_firmware* fw);
/* A unit of `stream` got no place. If nothing is under way that makes room, the drive is read-only from now on: too
 * many superblocks were lost at once. Reads go on, what is in the write buffer stays there. */
void wl_space_no_place(struct wl_firmware* fw, uint32_t stream);
/* Nothing is worth collecting. */
void wl_space_starve(struct wl_firmware* fw);

/* ---- superblocks with small pages: what is in them is collected into superblocks of the first region ---- */
bool wl_small_superblocks_short(const struct wl_firmware* fw); /* none is free, none will be by itself */
/* Whether one is to be collected. */
bool wl_small_superblocks_wanted(const struct wl_firmware* fw);
/* Data of the victim cannot be moved while the host writes their page, or it is in the write buffer: a write of a part
 * that ends, or a program, may change that. */
bool wl_small_superblocks_wait(const struct wl_firmware* fw);
void wl_small_superblocks_await(struct wl_firmware* fw);
void wl_small_superblocks_go_on(struct wl_firmware* fw);
/* The closed one with the fewest valid logical pages, or WL_NONE. */
WL_MUST_CHECK wl_superblock_t wl_small_superblock_emptiest(struct wl_firmware* fw);

/* So few superblocks are free that the host may not open one. */
static inline bool wl_superblocks_short(const struct wl_firmware* fw) {
  return wl_superblocks_free(fw) <= wl_superblocks_reserve(fw);
}
/* No superblock is free, and the last logical pages of drained ones may wait for company: each class of moved data
 * fills units of its own. These superblocks come back before another is taken, or the copies of several could lack room
 * in the end. */
bool wl_superblocks_wait_for_classes(const struct wl_firmware* fw);
/* Logical pages that fit into the open superblocks for moved data. */
uint32_t wl_superblocks_move_rest(const struct wl_firmware* fw);
/* Logical pages until the host may need a superblock: the least that fits into the first open one of a class. A class
 * without one goes on in another's. */
uint32_t wl_superblocks_host_rest(const struct wl_firmware* fw);
/* Whether collecting can win a superblock: all closed ones together, and the rest of the open ones for moved data, lack
 * data for a superblock, beside those that the others of these may be short of. Without this GC would move
 * the same data round and round. */
bool wl_superblocks_can_win(const struct wl_firmware* fw);

/* The host falls silent. What becomes stale from here on is of GC itself, by padding, so moving it again
 * and again wins nothing: until the host makes more of it stale, each superblock is collected once at most. */
void wl_superblocks_silence_boot(struct wl_firmware* fw);
void wl_superblocks_fall_silent(struct wl_firmware* fw);
void wl_superblocks_silence_ends(struct wl_firmware* fw);
bool wl_superblocks_silence_spent(const struct wl_firmware* fw);
void wl_superblocks_spend_silence(struct wl_firmware* fw);

/* ---- life of a superblock ---- */
WL_MUST_CHECK wl_superblock_t wl_superblock_open(struct wl_firmware* fw,
                                                 uint32_t stream); /* takes a free superblock, WL_NONE: none */
/* Open superblock of another class, of the host's or of moved data as `stream` is, with the most room: while space is
 * short, classes mix rather than wait for a whole superblock. WL_NONE: none is open. */
wl_superblock_t wl_superblock_of_another_class(const struct wl_firmware* fw, uint32_t stream);
/* The stream whose open superblock it is. */
uint32_t wl_superblock_write_point(const struct wl_firmware* fw, wl_superblock_t superblock);
/* Lays the next superblock of the host by while it is the only one beyond the reserve, and the open one is nearly full:
 * else GC may open it, and the host waits for a whole victim more. */
void wl_superblock_prepare(struct wl_firmware* fw);
bool wl_superblock_prepared(const struct wl_firmware* fw);
/* Moved data need a superblock, none is free, and none will be, since nothing is programmed or erased: `stream` goes on
 * in an open one of the host. False: not so, or there is none. */
WL_MUST_CHECK bool wl_superblock_take_over(struct wl_firmware* fw, uint32_t stream);
/* The open superblock of stream `from` is that of `to` from now on, behind those that `to` has. Programs of the host
 * and of moved data may overtake each other: between these, only while none is under way. */
void wl_superblock_hand_over(struct wl_firmware* fw, uint32_t from, uint32_t to);
/* A unit of the open superblock of `stream`, by its number in it, or WL_NEXT_UNIT: its first PPA. A program of it is
 * under way until wl_superblock_program_done. */
WL_MUST_CHECK wl_ppa_t wl_superblock_place_unit(struct wl_firmware* fw, uint32_t stream, wl_superblock_t superblock,
                                                uint32_t unit);
void wl_superblock_program_done(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t valid);
/* It has ended, but its word line takes others: it counts as one of the superblock until wl_superblock_program_done,
 * before which it goes on. */
void wl_superblock_program_waits(struct wl_firmware* fw);
void wl_superblock_program_goes_on(struct wl_firmware* fw);
/* With parity: a row of it has got its first unit. It counts as a program of the superblock until its parity has been
 * programmed: then wl_superblock_program_goes_on() and wl_superblock_program_done(). */
void wl_superblock_row_begins(struct wl_firmware* fw, wl_superblock_t superblock);
enum wl_word_line_state {
  WL_WORD_LINE_LEFT, /* some of its programs never come: the superblock was closed */
  WL_WORD_LINE_OPEN, /* ... will be placed */
  WL_WORD_LINE_PLACED,
};
enum wl_word_line_state wl_superblock_word_line(const struct wl_firmware* fw, wl_ppa_t ppa);
/* A program, in `planes` of `die` (bits): no more of them. When the superblock is empty, the blocks are replaced by
 * spares; if there are none, it is retired. */
void wl_superblock_failed(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t die, uint32_t planes);
/* An open one: its stream has it no more, whatever room is left in it. */
void wl_superblock_close(struct wl_firmware* fw, wl_superblock_t superblock);
/* Its closing record is on flash, or never will be (p2l.h). */
void wl_superblock_recorded(struct wl_firmware* fw, wl_superblock_t superblock);
/* One logical page of it is valid no more. */
void wl_superblock_invalidate(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock);
/* A closed superblock on whose bad blocks data lie, while free superblocks are not short: to be emptied first. WL_NONE:
 * none. */
wl_superblock_t wl_superblock_urgent(const struct wl_firmware* fw);
#define WL_ASKED 0xfffffffeu /* beside superblocks and WL_NONE */
/* The closed superblock with the fewest valid logical pages. WL_NONE: GC gains nothing; WL_ASKED: hardware searches,
 * its answer kicks GC. From the buckets: to their grain, oldest first among equals. By the victim selector: exactly,
 * among equals the next after the last victim, round the superblocks. */
WL_MUST_CHECK wl_superblock_t wl_superblock_emptiest(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_superblocks_searched(struct wl_firmware* fw); /* the victim selector has answered */
/* An answer that is still to come will be out of date. */
void wl_superblocks_forget_answer(struct wl_firmware* fw);
void wl_superblock_take(struct wl_firmware* fw, wl_superblock_t superblock); /* as victim */
void wl_superblock_moving(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t count);
/* Nothing is left to read of the victim. When its reads and moves have ended (wl_superblock_try_erase) it is erased, or
 * closed again if valid data are left in it. */
void wl_superblock_drain(struct wl_firmware* fw, wl_superblock_t superblock);
bool wl_superblock_draining(const struct wl_firmware* fw, wl_superblock_t superblock);
void wl_superblock_try_erase(struct wl_firmware* fw, wl_superblock_t superblock);
/* One logical page of it is elsewhere, or lost. */
void wl_superblock_moved(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_superblock_read_begins(struct wl_firmware* fw, wl_superblock_t superblock);
void wl_superblock_read_done(struct wl_firmware* fw, wl_superblock_t superblock);
/* The hardware-served reads that could still need erased data have ended. */
void wl_superblocks_quiescent(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_erase_step(struct wl_firmware* fw, const struct wl_hal* hal);
/* Of one die; `failed`: its planes in which it did, as bits. These blocks are replaced, and the die is erased again.
 * Before there are superblocks, at the first boot: of a read of marks (marks.h). True: the last, the host may begin. */
WL_MUST_CHECK bool wl_erase_done(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t die, uint32_t failed);

#endif
