/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The map behind the MAP port (ftl.map_access = port): in DRAM that the cores do not address, so it may be larger than
 * their window. Words of four bytes, numbered from 0: first the map, by exported map unit, then its inverse, by PPAs of
 * a map unit; with ftl.recovery, then two words for the copy that flash has of each map unit: its place and sequence
 * (map/durable_pages.h). An entry of the map is a wl_map value, and behind it a struct wl_presence where the unit has
 * several logical pages. Zeros mean what they mean in contract/map.h.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_MAP_PORT_H
#define WORDLINE_FIRMWARE_CONTRACT_MAP_PORT_H

#include <stdint.h>

#include "models/firmware/contract/boot_info.h"

static inline uint32_t wl_boot_map_port(const struct wl_boot_info* boot) {
  return WL_HAS_LARGE_MAPS && boot->magic == WL_BOOT_MAGIC_PORT;
}
/* The platform has written it, for this image: one without the port does not boot with its magic number. */
#if WL_HAS_LARGE_MAPS
#define WL_BOOT_IS_KNOWN(boot) ((boot)->magic == WL_BOOT_MAGIC || (boot)->magic == WL_BOOT_MAGIC_PORT)
#else
#define WL_BOOT_IS_KNOWN(boot) ((boot)->magic == WL_BOOT_MAGIC)
#endif

/* Words of an entry of the map. */
static inline uint32_t wl_map_port_entry(const struct wl_boot_info* boot) { return boot->ftl.map_page == 1 ? 1 : 2; }
static inline uint64_t wl_map_port_units(const struct wl_boot_info* boot) {
  return ((uint64_t)boot->user_lpages + boot->ftl.map_page - 1) / boot->ftl.map_page;
}
/* The first word of the inverse. */
static inline uint64_t wl_map_port_owners(const struct wl_boot_info* boot) {
  return wl_map_port_units(boot) * wl_map_port_entry(boot);
}
/* The first word of the copies on flash. */
static inline uint64_t wl_map_port_copies(const struct wl_boot_info* boot) {
  const uint64_t in_superblock = (uint64_t)boot->dies * boot->pages * boot->planes * boot->lpages_per_page;
  return wl_map_port_owners(boot) + boot->blocks * in_superblock / boot->ftl.map_page;
}
/* Words of all. MAP.BANK is needed where they are more than 2^32. */
static inline uint64_t wl_map_port_words(const struct wl_boot_info* boot) {
  if (!wl_boot_map_port(boot)) return 0;
  return wl_map_port_copies(boot) + (boot->ftl.recovery != 0 ? 2u * wl_map_port_units(boot) : 0);
}

#endif
