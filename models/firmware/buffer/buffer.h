/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Slots of the data buffer. Units are runs of unit_lpages slots that fill up, are placed, programmed and freed. The
 * host's units are the write buffer: reads are served from them until the program has ended and no reader is left. The
 * units of GC hold copies; the map points to the old PPA until the program has ended. Read slots are
 * apart: read_slots.h.
 */
#ifndef WORDLINE_FIRMWARE_BUFFER_BUFFER_H
#define WORDLINE_FIRMWARE_BUFFER_BUFFER_H

#include "models/firmware/buffer/unit.h"
#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"
#include "models/firmware/core/core.h"
#include "models/firmware/space/pace.h"

void wl_buffer_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_buffer_boot(struct wl_firmware* fw, const struct wl_hal* hal);

/* ---- units ---- */
const struct wl_unit* wl_unit(const struct wl_firmware* fw, wl_unit_t unit);
wl_unit_t wl_unit_of_slot(const struct wl_firmware* fw, wl_slot_t slot); /* of the write buffer */
/* Slots of a unit. */
uint32_t wl_unit_lpages(const struct wl_firmware* fw, wl_unit_t unit);
uint32_t wl_units_host(const struct wl_firmware* fw);
uint32_t wl_units_gc(const struct wl_firmware* fw);
wl_unit_t wl_unit_opened(const struct wl_firmware* fw, uint32_t stream); /* or WL_NONE */
/* Of GC. */
bool wl_gc_unit_available(const struct wl_firmware* fw);
const struct wl_slot_info* wl_slot_table(const struct wl_firmware* fw);
WL_MUST_CHECK wl_unit_t wl_unit_open(struct wl_firmware* fw, uint32_t stream); /* WL_NONE: none free */
void wl_unit_close(struct wl_firmware* fw, wl_unit_t unit);                    /* the rest becomes padding */
/* Programmed, and no firmware read of it is under way: freed at once, or after hardware-served reads have let go. */
void wl_unit_free(struct wl_firmware* fw, wl_unit_t unit);
void wl_units_quiescent(struct wl_firmware* fw, const struct wl_hal* hal);

/* The write buffer. */
/* Next slot of a host stream's open unit, or WL_NONE. */
WL_MUST_CHECK wl_slot_t wl_buffer_slot(struct wl_firmware* fw, uint32_t stream);
/* Its next slots for a page of one plane, aligned; data of one arrival are awaited. WL_NONE: none. */
WL_MUST_CHECK wl_slot_t wl_buffer_page(struct wl_firmware* fw, uint32_t stream);
/* The slot that wl_buffer_slot gives next begins a page of one plane: the rest of the last one becomes padding. */
void wl_buffer_align(struct wl_firmware* fw, uint32_t stream);
/* The next data of the host go to the SLC cache: a unit of it is open, or may be. */
bool wl_buffer_fills_slc_cache(const struct wl_firmware* fw);
/* The open units of the host are programmed though slots of them are free: all, or that of a slot. */
void wl_buffer_close(struct wl_firmware* fw);
void wl_buffer_send(struct wl_firmware* fw, wl_slot_t slot);
/* The unit of `stream` that gathers data, or another, is filled with padding and closed. False: no unit is free. */
WL_MUST_CHECK bool wl_buffer_pad(struct wl_firmware* fw, uint32_t stream);
void wl_unit_arrived(struct wl_firmware* fw, wl_unit_t unit, uint32_t count);
/* A new slot has so many blocks that complete the host's. */
void wl_unit_merged(struct wl_firmware* fw, wl_unit_t unit, uint32_t blocks);
void wl_unit_padded(struct wl_firmware* fw, wl_unit_t unit, uint32_t count); /* slots without data: a write failed */
/* A new page of it has `kept` logical pages that are not from the host, and `empty` ones without data. */
void wl_unit_page(struct wl_firmware* fw, wl_unit_t unit, uint32_t kept, uint32_t empty);
void wl_unit_filled_in(struct wl_firmware* fw, wl_unit_t unit, uint32_t count); /* slots without data have got some */
void wl_unit_expect(struct wl_firmware* fw, wl_unit_t unit);                    /* data of a slot again */
void wl_unit_read_begins(struct wl_firmware* fw, wl_unit_t unit);
/* Whether slots of it may get other data in place: it still gathers data, and nobody takes what they hold. */
bool wl_unit_may_change(const struct wl_firmware* fw, const struct wl_hal* hal, wl_unit_t unit);
void wl_unit_read_done(struct wl_firmware* fw, wl_unit_t unit);
/* Read and modify in the die: `count` logical pages of the unit's page, from `first` on, are in its slots, and own
 * them. */
void wl_unit_set_part(struct wl_firmware* fw, wl_unit_t unit, uint32_t first, uint32_t count);
const struct wl_part* wl_unit_part(const struct wl_firmware* fw, wl_unit_t unit); /* null: whole */
void wl_unit_set_rest(struct wl_firmware* fw, wl_unit_t unit, wl_ppa_t ppa); /* of its page; WL_NONE: none is left */
void wl_unit_clear_part(struct wl_firmware* fw, wl_unit_t unit);             /* it is programmed */
void wl_unit_abandon_part(struct wl_firmware* fw, wl_unit_t unit);           /* it is not: its slots are padding */
/* Of those that wait for a PPA, the one that gets it next; or WL_NO_INDEX. */
wl_unit_t wl_unit_to_place(const struct wl_firmware* fw, uint32_t stream);
/* Whose data they are; the rest of the spare record is that of the read that has brought them. */
void wl_slot_set_owner(struct wl_firmware* fw, wl_slot_t slot, wl_lpn_t lpn);
/* The whole record, of the host's data. */
void wl_slot_set_record(struct wl_firmware* fw, wl_slot_t slot, wl_lpn_t lpn, uint32_t sequence);
/* The slot's data are valid no more. */
void wl_slot_drop(struct wl_firmware* fw, wl_slot_t slot);
void wl_slot_empty(struct wl_firmware* fw, wl_slot_t slot); /* of a page that stays: it may be written in place */
/* Units opened so far; those before it with data that are not on flash. For FLUSH. */
uint32_t wl_buffer_sequence(const struct wl_firmware* fw);
uint32_t wl_buffer_dirty(const struct wl_firmware* fw);
/* No unit holds anything that is not on flash, of the host or of GC. */
bool wl_buffer_at_rest(const struct wl_firmware* fw);

/* With ftl.recovery: a FLUSH waits for the units opened before `sequence`, or none does. What these hold is
 * programmed, though it is written anew meanwhile. */
void wl_buffer_await(struct wl_firmware* fw, uint32_t sequence);
void wl_buffer_await_nothing(struct wl_firmware* fw);
bool wl_slot_awaited(const struct wl_firmware* fw, wl_slot_t slot);

/* Slots that nobody uses before the host is answered, those of GC. */
wl_slot_t wl_buffer_spare_slots(const struct wl_firmware* fw, uint32_t* count);
/* With ftl.recovery: a unit of these, for closing records. */
wl_slot_t wl_buffer_record_slots(const struct wl_firmware* fw);
/* With a cached map: those of loads of map pages. Returns how many. */
uint32_t wl_buffer_map_slots(const struct wl_firmware* fw, wl_slot_t* first);
/* Slots of a program that brings nothing. */
void wl_slots_pad(struct wl_firmware* fw, wl_slot_t slot, uint32_t count);

/* Units of GC: what their slots are copies of. */
struct wl_gc_source* wl_source(struct wl_firmware* fw, wl_slot_t slot);
wl_slot_t wl_unit_fill(struct wl_firmware* fw, wl_unit_t unit, uint32_t count); /* its next slots; returns the first */
bool wl_unit_full(const struct wl_firmware* fw, wl_unit_t unit);
void wl_unit_full_and_read(struct wl_firmware* fw, wl_unit_t unit); /* all slots are handed out to reads */

#endif
