/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The firmware's side of the hardware engines (contract/engines.h): rings to them, questions and answers, and the
 * counters that keep hardware-served reads from being older than writes whose completion the host has. The use of an
 * answer is its owner's.
 */
#ifndef WORDLINE_FIRMWARE_ENGINES_ENGINES_H
#define WORDLINE_FIRMWARE_ENGINES_ENGINES_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

/* What an engine is asked for and answers later; one at a time of each kind. */
enum wl_answer {
  WL_ANSWER_SLOTS = WL_GRACE_SLOTS, /* hardware-served reads have let go of their slots ... */
  WL_ANSWER_PPAS = WL_GRACE_PPAS,   /* ... and of their PPAs */
  WL_ANSWER_SCAN,
  WL_ANSWER_SEARCH,
  WL_ANSWERS,
};

/* Whether the drive has all of these. */
static inline bool wl_has_engines(const struct wl_firmware* fw, uint32_t engines) {
  return (fw->boot.engines & engines) == engines;
}
/* Whether it has any behind the registers ENGINES. */
static inline bool wl_has_engine_block(const struct wl_firmware* fw) {
  return (fw->boot.engines & WL_ENGINES_BLOCK) != 0;
}

void wl_engines_layout(struct wl_firmware* fw, struct wl_arena* tcm, uint32_t flash_jobs, uint32_t gc_units);
void wl_engines_boot(struct wl_firmware* fw, const struct wl_hal* hal); /* the rings; then every room its tables */
void wl_engines_start(struct wl_firmware* fw, const struct wl_hal* hal);

void wl_engine_post_ppa_job(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_ppa_job* job);
void wl_engine_post_copy_job(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_copy_job* job);

void wl_engine_ask_quiescence(struct wl_firmware* fw, const struct wl_hal* hal, enum wl_answer kind);
void wl_engine_ask_scan(struct wl_firmware* fw, const struct wl_hal* hal, wl_ppa_t ppa, uint32_t end);
void wl_engine_ask_search(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock);

bool wl_engine_waits(const struct wl_firmware* fw, enum wl_answer kind);
bool wl_engine_answered(const struct wl_firmware* fw, enum wl_answer kind);
/* Any of them. */
bool wl_engines_any_answered(const struct wl_firmware* fw);
bool wl_engines_answered(const struct wl_firmware* fw);
/* True: there is an answer, and it counts as taken. */
bool wl_engine_take(struct wl_firmware* fw, enum wl_answer kind);
const struct wl_gc_list* wl_engine_found(const struct wl_firmware* fw);
wl_superblock_t wl_engine_victim(const struct wl_firmware* fw);
/* First PPA at which the copy engine programmed a unit of GC, by its number. */
wl_ppa_t wl_engine_copy_ppa(const struct wl_firmware* fw, uint32_t unit);

/* The map has changed: an answer of the lookup engine is good until this is counted. */
void wl_engine_map_changed(struct wl_firmware* fw, wl_lpn_t lpn);
/* Whether hardware counts the writes of logical pages; then every logical page of a write is closed once: */
static inline bool wl_engine_counts_writes(const struct wl_firmware* fw) {
  return wl_has_engines(fw, WL_ENGINE_L2P | WL_ENGINE_COMPLETION);
}
/* the map is as the write wants it, or will not change. */
void wl_engine_write_closed(struct wl_firmware* fw, wl_lpn_t lpn);
/* Map entry of the index-th logical page, `lpn`, of the read with `tag`, if the lookup engine's answer is still good.
 */
bool wl_engine_looked_up(const struct wl_firmware* fw, uint32_t tag, uint32_t index, wl_lpn_t lpn,
                         wl_map_value_t* value);

#endif
