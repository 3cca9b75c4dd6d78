/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The tables of a map that lies behind the MAP port (contract/map_port.h): each access is a write of the word's number,
 * in two registers where the port has banks, and a read or write of a register or two. Whatever is not said here is as
 * of a map in the cores' window, which is by map units with a bit for each logical page, too; a unit of one logical
 * page takes a word alone.
 *
 * A core's accesses of the port are in order, and the ftl task alone has it, so nothing comes between the number of a
 * word and its data.
 */
#ifndef WORDLINE_FIRMWARE_MAP_PORT_H
#define WORDLINE_FIRMWARE_MAP_PORT_H

#include "models/firmware/contract/map_port.h"
#include "models/firmware/map/map.h"

struct wl_durable; /* state.h */

static inline bool wl_map_behind_port(const struct wl_firmware* fw) {
  return __builtin_expect(wl_boot_map_port(&fw->boot), 0);
}

/* Before all others. */
void wl_port_layout(struct wl_firmware* fw);
/* An entry of the map, its initial value resolved. */
struct wl_mapped wl_port_entry(const struct wl_firmware* fw, wl_map_unit_t unit);
void wl_port_put(const struct wl_firmware* fw, wl_map_unit_t unit, const struct wl_mapped* to);
/* An entry of the inverse: wl_owner values by PPAs of a map unit. */
uint32_t wl_port_owner(const struct wl_firmware* fw, uint32_t at);
void wl_port_set_owner(const struct wl_firmware* fw, uint32_t at, uint32_t owner);
/* The map unit of the slots from `slot` on is programmed at `ppa`; WL_NONE: they hold nothing. Returns how many of its
 * logical pages are valid there. */
WL_MUST_CHECK uint32_t wl_port_commit(struct wl_firmware* fw, wl_map_unit_t unit, wl_slot_t slot, wl_ppa_t ppa);
/* With ftl.recovery: which copy flash has of a map unit (durable_pages.h). */
struct wl_durable wl_port_copy(const struct wl_firmware* fw, wl_map_unit_t unit);
void wl_port_set_copy(const struct wl_firmware* fw, wl_map_unit_t unit, struct wl_durable copy);
void wl_port_pad(const struct wl_firmware* fw, wl_ppa_t ppa, uint32_t count); /* as wl_map_pad() */

#endif
