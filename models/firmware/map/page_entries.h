/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Entries of a map by pages (map.h), and the inverse, in the cores' DRAM or behind the MAP port. Only map.c and what
 * keeps the copies on flash (durable_pages.h) write them.
 */
#ifndef WORDLINE_FIRMWARE_MAP_PAGE_ENTRIES_H
#define WORDLINE_FIRMWARE_MAP_PAGE_ENTRIES_H

#include "models/firmware/map/map.h"
#include "models/firmware/map/port.h"
#include "models/firmware/map/state.h"
#include "models/firmware/space/space.h"

/* Its initial value resolved. */
static inline struct wl_mapped wl_page_entry(const struct wl_firmware* fw, wl_map_unit_t unit) {
  if (wl_map_behind_port(fw)) return wl_port_entry(fw, unit);
  const struct wl_map* m = wl_map_view(fw);
  struct wl_mapped page = {m->l2p[unit], m->presence[unit].present, m->presence[unit].lost};
  if (page.value != WL_MAP_INITIAL) return page;
  page.value = fw->boot.preconditioned ? unit * wl_map_unit(fw) + WL_MAP_PPA0 : WL_MAP_DEALLOCATED;
  page.present = fw->boot.preconditioned ? wl_map_unit_all(fw, unit) : 0;
  return page;
}

static inline void wl_page_put(struct wl_firmware* fw, wl_map_unit_t unit, const struct wl_mapped* to) {
  if (wl_map_behind_port(fw)) {
    wl_port_put(fw, unit, to);
    return;
  }
  struct wl_map* m = wl_map_state(fw);
  m->l2p[unit] = to->value;
  m->presence[unit].present = (uint16_t)to->present;
  m->presence[unit].lost = (uint16_t)to->lost;
}

/* wl_owner value of what lies at `ppa`. */
static inline void wl_page_own(struct wl_firmware* fw, wl_ppa_t ppa, uint32_t owner) {
  if (wl_map_behind_port(fw))
    wl_port_set_owner(fw, ppa / wl_map_unit(fw), owner);
  else
    wl_map_state(fw)->p2l[ppa / wl_map_unit(fw)] = owner;
}

#endif
