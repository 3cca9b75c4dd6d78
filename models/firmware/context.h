/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What all rooms of the firmware may look at. The state of a room lies behind it in memory (rooms.c) and is opaque
 * outside the room: ROOM/state.h defines it and has the two functions that find it, and only the room's own files
 * include that; others call the functions of its header (ARCHITECTURE.md lists the rooms). Only the host task and the
 * flash task run beside the ftl task: they own the state of host/ and the flash task's half of that of media/, and meet
 * the ftl task in queues. Logical pages have 4 KiB, or 2, 8 or 16.
 */
#ifndef WORDLINE_FIRMWARE_CONTEXT_H
#define WORDLINE_FIRMWARE_CONTEXT_H

#include "models/firmware/contract/contract.h"
#include "models/firmware/core/hal.h"
#include "models/firmware/core/queue.h"
#include "models/firmware/firmware.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Steps of the ftl task, by bit. */
enum wl_step {
  WL_STEP_READ = 1,
  WL_STEP_WRITE = 2,
  WL_STEP_PLACE = 4,
  WL_STEP_ERASE = 8,
  WL_STEP_GC = 16,
  WL_STEP_ENGINES = 32,
  WL_STEP_ADMIN = 64, /* of the admin room, which is above the ftl task */
  WL_STEP_TRIM = 128, /* the first of those that are seldom: one comparison for all */
  WL_STEP_IDLE = 256,
  WL_STEP_MOUNT = 512, /* of persist/ */
  WL_STEP_PATROL = 1024,
  WL_STEP_ADMISSION = 2048,
  WL_STEP_REBUILD = 4096,
  WL_STEP_MAP = 8192, /* of a cached map */
};
#define WL_LPAGE_BUDGET 32u /* logical pages that one round examines for one command */

/* Bus address of the context is WL_TCM_BASE + WL_FIRMWARE_CONTEXT_OFFSET, its first members are the statistics and the
 * tables. */
struct wl_firmware {
  struct wl_firmware_statistics statistics; /* each counted by its owner; decisions need free_superblocks alone */
  struct wl_tables tables;
  struct wl_boot_info boot; /* constant, as is the next one */
  struct wl_geometry geometry;
  struct wl_page_kind kind[WL_REGIONS]; /* the second: smaller pages; without superblocks where there are none */
  const struct wl_policy* policy;       /* decides */
};

/* The state of a room: to change, and to look at. */
#define WL_ROOM(name)                                                                    \
  struct wl_##name;                                                                      \
  struct wl_##name* wl_##name##_state(struct wl_firmware* fw);                           \
  static inline const struct wl_##name* wl_##name##_view(const struct wl_firmware* fw) { \
    return wl_##name##_state((struct wl_firmware*)fw);                                   \
  }
WL_ROOM(core)
WL_ROOM(host)
WL_ROOM(admin)
WL_ROOM(service)
WL_ROOM(persist)
WL_ROOM(reloc)
WL_ROOM(map)
WL_ROOM(buffer)
WL_ROOM(policies)
WL_ROOM(space)
WL_ROOM(media)
WL_ROOM(engines)
#undef WL_ROOM

const struct wl_initial_state* wl_initial_state_of(const struct wl_firmware* fw); /* for boot */

/* The host names placement handles: its streams. */
static inline bool wl_has_handles(const struct wl_firmware* fw) {
  return __builtin_expect(fw->boot.ftl.placement.handles != 0, 0);
}

/* Of each row of units over the dies one is parity (contract/parity.h). */
static inline bool wl_has_parity(const struct wl_firmware* fw) {
  return __builtin_expect(fw->boot.ftl.parity_slots != 0, 0);
}

/* Map pages lie on flash, and DRAM has a part of them (map/cache.h). */
static inline bool wl_map_cached(const struct wl_firmware* fw) {
  return WL_HAS_LARGE_MAPS && __builtin_expect(fw->boot.ftl.map_frames != 0, 0);
}
/* One of them, as a logical page behind the exported ones. */
static inline bool wl_is_map_page(const struct wl_firmware* fw, wl_lpn_t lpn) { return lpn >= fw->boot.user_lpages; }

/* Counted by their owners, too. */
struct wl_parity_statistics* wl_parity_statistics(struct wl_firmware* fw);
struct wl_slc_cache_statistics* wl_slc_cache_statistics(struct wl_firmware* fw);

/* Data are moved for other reasons than GC's, too. */
static inline bool wl_has_upkeep(const struct wl_firmware* fw) {
  return __builtin_expect(fw->boot.ftl.upkeep.any != 0, 0);
}

/* LBAs of 512 bytes in a logical page. */
static inline uint32_t wl_lbas_per_lpage(const struct wl_firmware* fw) { return 1u << fw->boot.ftl.lpage_shift; }
/* The logical page of an LBA of 512 bytes, which comes in halves, and the LBA's place in it. */
static inline wl_lpn_t wl_lpage_of_lba(const struct wl_firmware* fw, uint32_t low, uint32_t high) {
  return low >> fw->boot.ftl.lpage_shift | high << (32u - fw->boot.ftl.lpage_shift);
}
static inline uint32_t wl_lba_in_lpage(const struct wl_firmware* fw, uint32_t lba) {
  return lba & (wl_lbas_per_lpage(fw) - 1u);
}

/* What a map unit is (map/map.h): a logical page; a page of one plane, of which each logical page has a bit, even if it
 * is the only one; or, in the region of small pages that a drive by pages may have, a logical page. */
struct wl_grain {
  uint32_t lpages;
  bool by_page;
  bool in_region;
};
#define WL_BY_LPAGE ((struct wl_grain){1, false, false})
#define WL_IN_REGION ((struct wl_grain){1, false, true})
static inline uint32_t wl_map_unit(const struct wl_firmware* fw) { /* in logical pages */
  return wl_boot_map_unit(&fw->boot);
}
static inline bool wl_maps_by_lpage(const struct wl_firmware* fw) {
  return __builtin_expect(fw->boot.ftl.map_page == 0, 1);
}
static inline struct wl_grain wl_by_page(const struct wl_firmware* fw) { /* where it is not the logical page */
  const struct wl_grain page = {fw->boot.ftl.map_page, true, false};
  return page;
}
static inline struct wl_grain wl_grain(const struct wl_firmware* fw) {
  const struct wl_grain any = {wl_map_unit(fw), !wl_maps_by_lpage(fw), false};
  return any;
}
static inline bool wl_is_by_lpage(struct wl_grain g) { return !g.by_page && !g.in_region; }
/* What is passed for each logical page is compiled twice: by logical page, without bits and divisions, and by page, not
 * inlined so that it is not in the way of the first. */
#define WL_BOTH_GRAINS static inline __attribute__((always_inline))
#define WL_BY_PAGE __attribute__((noinline))
static inline wl_map_unit_t wl_map_unit_with(const struct wl_firmware* fw,
                                             wl_lpn_t lpn) { /* the map unit of a logical page */
  return wl_maps_by_lpage(fw) ? (wl_map_unit_t)lpn : (wl_map_unit_t)(lpn / fw->boot.ftl.map_page);
}
/* The same, and the logical page's place in it. */
static inline wl_map_unit_t wl_map_unit_of(const struct wl_firmware* fw, wl_lpn_t lpn, uint32_t* lpage) {
  if (!wl_maps_by_lpage(fw)) return wl_divide(lpn, fw->boot.ftl.map_page, lpage);
  *lpage = 0;
  return (wl_map_unit_t)lpn;
}

#ifdef __cplusplus
}
#endif

#endif
