/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What runs the firmware calls these: main.c on the RISC-V cores, tlm/device/cpu in native mode, the unit tests.
 */
#ifndef WORDLINE_FIRMWARE_FIRMWARE_H
#define WORDLINE_FIRMWARE_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/contract/boot_info.h"
#include "models/firmware/contract/counters.h"
#include "models/firmware/core/hal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The context lies at this offset in tightly coupled memory and begins with wl_firmware_statistics
 * (contract/counters.h). */
#define WL_FIRMWARE_CONTEXT_OFFSET 0x1c0u

struct wl_firmware; /* the context: placed in tightly coupled memory by wl_firmware_boot, no globals beside it */

/* Core 0, once: reads the boot information at WL_TCM_BASE, lays out memory, sets up rings and registers. Panics when
 * the configuration does not fit its memories. The context is shared by all cores. */
struct wl_firmware* wl_firmware_boot(const struct wl_hal* hal);

/* Core 0 has booted: the others wait for it. */
bool wl_firmware_booted(const struct wl_firmware* fw);

/* Memory that the firmware of such a drive lays out at boot, in bytes: pointers have the size of the caller's machine.
 */
struct wl_memory {
  uint64_t tcm; /* tightly coupled, boot information and stacks included */
  uint64_t dram;
};
struct wl_memory wl_memory_needed(const struct wl_boot_info* info);

/* Superblocks that such a drive writes at a time, at most. */
uint32_t wl_open_superblocks(const struct wl_boot_info* info);

/* What a policy (wl_policy_number) declares. Each stream has a superblock open, and a unit of the buffer. */
struct wl_declared {
  uint32_t host_streams;
  uint32_t move_streams;
  uint32_t refused;  /* engines that it cannot live with, bits of wl_engine */
  bool by_word_line; /* it names word lines itself, which dies permit in mixed order only */
  bool small_pages;  /* it is for dies with two page sizes, whose larger page is the map unit */
};
struct wl_declared wl_policy_declares(uint32_t number);
/* Its classes of host data may be placement handles instead. */
bool wl_policy_takes_handles(uint32_t number);

/* One round of the scheduling loop of `core`: each of its tasks takes up one piece of work. False: nothing to do, the
 * core may sleep until its interrupt. Run to completion, bounded time. */
WL_MUST_CHECK bool wl_firmware_poll(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core);

/* The interrupt woke the core: claim it. Call before polling again. */
void wl_firmware_wake(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core);

/* Whether `core` may sleep: announces it to the other cores and polls the rings once more. False: poll again. */
WL_MUST_CHECK bool wl_firmware_may_sleep(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core);

/* Host writes lost nothing and all rings are empty: used by tests and at the end of a run. */
bool wl_firmware_idle(const struct wl_firmware* fw);

/* Behind the statistics, once booted: where the state of the drive is, for readers of its memory. */
struct wl_tables {
  uint32_t map, owners; /* contract/map.h; bus addresses */
  uint32_t superblocks; /* struct wl_superblock, superblock_bytes apart */
  uint32_t superblock_bytes;
  uint32_t erases;    /* of each superblock, 32 bits */
  uint32_t by_handle; /* struct wl_handle_statistics, WL_HANDLES + 1; 0: there are no handles */
  uint32_t presence;  /* struct wl_presence by page, where the map is by pages */
  union {
    uint32_t small_map; /* ... with two page sizes: by logical page, of those in small pages, */
    uint32_t parity;    /* with parity over dies, which has one page size: struct wl_parity_statistics */
    uint32_t slc_cache; /* with an SLC cache, and neither of these: struct wl_slc_cache_statistics */
    uint32_t map_cache; /* with a cached map, and none of these: struct wl_map_cache_statistics */
  };
  uint32_t in_small; /* ... which has a bit for each logical page; 0: all pages have one size */
};
const struct wl_firmware_statistics* wl_firmware_statistics(const struct wl_firmware* fw);

#ifdef __cplusplus
}
#endif
#endif
