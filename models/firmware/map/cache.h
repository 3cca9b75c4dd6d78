/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A map that is larger than the DRAM it gets (ftl.map_cache). It lies on flash in map pages: logical pages behind the
 * exported ones (contract/boot_info.h), with entries of the map themselves, which stay in DRAM. Frames of DRAM hold
 * those in use. An entry is looked up or changed only while its map page is in a frame: whoever needs one that is not
 * there waits for it (wl_map_await), and what has to find it there later pins it. The victim among the frames is found
 * by CLOCK: not used since the hand passed it, not changed, not pinned. Changed ones are written in program units of
 * their own stream before frames without changes run out; a frame is kept until its program has ended. Moves of map
 * pages by GC, their superblocks and bad blocks are those of all data.
 *
 * A host that lends memory (NVMe Host Memory Buffer) gets copies there of map pages that come from flash or go there: a
 * miss that finds one is a read over the link instead of one of flash (map/host_copies.h).
 *
 * Accuracy: times and traffic of loads and writes are those of flash and channel; the copy between DRAM and data buffer
 * takes none. A table beside the cache keeps what entries say, and only what is in the cache is read or changed, but
 * for what `behind` counts; flash has the bytes of map pages with ftl.recovery alone (map/map_pages.h). Which PPAs of a
 * superblock hold valid data, and whose, is known without the map, as by a bit for each and by spare records; so is
 * which slots of the write buffer are up to date.
 */
#ifndef WORDLINE_FIRMWARE_MAP_CACHE_H
#define WORDLINE_FIRMWARE_MAP_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"

void wl_map_cache_layout(struct wl_firmware* fw, struct wl_arena* tcm, struct wl_arena* dram);
void wl_map_cache_boot(struct wl_firmware* fw, const struct wl_hal* hal);

/* Whether the entry of the logical page is in the cache; for CLOCK a use of its map page. */
WL_MUST_CHECK bool wl_map_look(struct wl_firmware* fw, wl_lpn_t lpn);
void wl_map_hit(struct wl_firmware* fw); /* counts one that nobody has waited for */
/* It stays there until as many wl_map_unpin() have come. */
void wl_map_pin(struct wl_firmware* fw, wl_lpn_t lpn);
void wl_map_unpin(struct wl_firmware* fw, wl_lpn_t lpn);
/* The entry has changed. */
void wl_map_cache_changed(struct wl_firmware* fw, wl_lpn_t lpn);

/* ---- waiting ---- */
/* Who waits: a command by its tag; a slot whose program has ended, of the host's or of moved data; deallocation. */
uint32_t wl_map_waiter_of_slot(const struct wl_firmware* fw, wl_slot_t slot);
uint32_t wl_map_waiter_of_trim(const struct wl_firmware* fw);
/* Whether the map page is pinned for who waits, when it has come. Writes wait for room in the write buffer then, which
 * programs make, whose ends need frames: so those of writes are few. */
enum wl_map_pin { WL_MAP_NOT_PINNED, WL_MAP_PINNED_IF_FEW, WL_MAP_PINNED };
/* `waiter` goes on when the map page of `lpn` is there. It waits for one at a time. */
void wl_map_await(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t waiter, enum wl_map_pin pin);
struct wl_map_ready {
  uint32_t waiter;
  bool pinned; /* the map page, for it */
};
/* The next of those whose map page has come. False: there is none. */
WL_MUST_CHECK bool wl_map_take_ready(struct wl_firmware* fw, struct wl_map_ready* ready);
/* A command that was ready, and pinned, has looked up its entry, or has ended. */
void wl_map_grant_ends(struct wl_firmware* fw, wl_lpn_t lpn);

/* ---- flash ---- */
/* Loads what is waited for, and writes what has changed: as far as frames, slots and jobs go. */
void wl_map_cache_step(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_map_load_done(struct wl_firmware* fw, const struct wl_hal* hal, wl_superblock_t superblock, uint32_t index,
                      bool ok);
/* The map page in this slot of a unit of moved data was written by the cache, not copied. */
bool wl_map_slot_written(const struct wl_firmware* fw, wl_slot_t slot);
/* It is programmed at `to`. */
void wl_map_page_written(struct wl_firmware* fw, const struct wl_hal* hal, wl_slot_t slot, wl_ppa_t to);

/* All superblocks will be erased, and no entry names a place on flash: no map page is on flash any more. False: some
 * are on their way, not now. */
WL_MUST_CHECK bool wl_map_cache_forget(struct wl_firmware* fw, const struct wl_hal* hal);

/* ---- shutdown and mount, with ftl.recovery ---- */
/* Changed map pages go to flash. True: all are there. */
WL_MUST_CHECK bool wl_map_cache_flushed(struct wl_firmware* fw, const struct wl_hal* hal);
/* Sequences given when the superblock was closed; WL_NONE: its closing record does not say it, or it has none. */
void wl_map_superblock_closed(struct wl_firmware* fw, wl_superblock_t superblock, uint32_t sequence);
/* Where all data are is known; map pages that may lack some of it are made anew from here on. */
void wl_map_cache_mounts(struct wl_firmware* fw);
/* Some of them. True, once: all are in frames, or on flash. */
WL_MUST_CHECK bool wl_map_cache_mount_step(struct wl_firmware* fw, const struct wl_hal* hal);
/* The map page is in a frame, as changed; flash has none that counts any more. False: not now, what kicks is under way.
 */
WL_MUST_CHECK bool wl_map_page_remake(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t page);

/* ---- host memory ---- */
/* The host has given so many pages of its memory, of a map page's size each, for copies of map pages, or (0) wants them
 * back: then it has them when what is under way has ended. */
void wl_map_host_buffer(struct wl_firmware* fw, uint32_t host_pages);
WL_MUST_CHECK bool wl_map_host_buffer_rests(const struct wl_firmware* fw);
/* The controller has moved a copy; flags: wl_event_flags. */
void wl_map_copy_moved(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t host_page, uint32_t flags);

/* ---- program units whose end waits for map pages ---- */
/* By unit: slots that wait, and logical pages that are valid so far. */
struct wl_map_late {
  uint32_t left;
  uint32_t valid;
  uint32_t copied;  /* of moved data */
  uint32_t written; /* map pages by the cache */
};
struct wl_map_late* wl_map_late(struct wl_firmware* fw, wl_unit_t unit);
/* A unit of the host is programmed. False: slots of it wait. */
WL_MUST_CHECK bool wl_map_commit_cached(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t unit);
/* One that has waited. */
void wl_map_commit_slot(struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t unit, wl_slot_t slot);

struct wl_map_cache_statistics* wl_map_cache_statistics(struct wl_firmware* fw);

#endif
