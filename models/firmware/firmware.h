/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What runs the firmware calls these: main.c on the RISC-V cores, tlm/cpu in native mode, the unit tests.
 */
#ifndef WORDLINE_FIRMWARE_FIRMWARE_H
#define WORDLINE_FIRMWARE_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/contract/boot_info.h"
#include "models/firmware/core/hal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The context lies at this offset in tightly coupled memory and begins with wl_firmware_statistics. */
#define WL_FIRMWARE_CONTEXT_OFFSET 0x100u

struct wl_firmware; /* the context: placed in tightly coupled memory by wl_firmware_boot, no globals beside it */

/* Core 0, once: reads the boot information at WL_TCM_BASE, lays out memory, sets up rings and registers. Panics when
 * the configuration does not fit its memories. The context is shared by all cores. */
struct wl_firmware* wl_firmware_boot(const struct wl_hal* hal);

/* Memory that the firmware of such a drive lays out at boot, in bytes: pointers have the size of the caller's machine.
 */
struct wl_memory {
  uint64_t tcm; /* tightly coupled, boot information and stacks included */
  uint64_t dram;
};
struct wl_memory wl_memory_needed(const struct wl_boot_info* info);

/* One round of the scheduling loop of `core`: each of its tasks takes up one piece of work. False: nothing to do, the
 * core may sleep until its interrupt. Run to completion, bounded time. */
bool wl_firmware_poll(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core);

/* The interrupt woke the core: claim it. Call before polling again. */
void wl_firmware_wake(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core);

/* Whether `core` may sleep: announces it to the other cores and looks at the rings once more. False: poll again. */
bool wl_firmware_may_sleep(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core);

/* Host writes lost nothing and all rings are empty: used by tests and at the end of a run. */
bool wl_firmware_idle(const struct wl_firmware* fw);

/* Counters the results need, readable at any time by the platform through the context's address. */
struct wl_firmware_statistics {
  uint64_t host_sectors_written; /* accepted from the host, whole or in part */
  uint64_t host_blocks_missing;  /* of these, in blocks of 512 bytes: not written */
  uint64_t rewritten_sectors;    /* of these: in place in the write buffer */
  /* Programs that have ended: sectors_programmed is the sum of the next three, and has no part in programs that
   * failed. */
  uint64_t sectors_programmed;
  uint64_t data_sectors; /* of the write buffer */
  uint64_t gc_sectors_copied;
  uint64_t pad_sectors;    /* fill a unit that is not waited for: FLUSH, the end of collection, writes that failed */
  uint64_t failed_sectors; /* of programs that failed, whatever was in them */
  uint64_t merged_blocks;  /* in data_sectors, not from the host: what completes sectors written in part */
  uint64_t gc_lines;       /* superblocks collected */
  uint64_t buffer_read_hits;
  uint32_t free_lines;
  uint32_t lost_history; /* of the last read without all its data, as ECC.LAST_STATUS */
};
/* Behind the statistics, once booted: where the state of the drive is, for who looks at its memory. */
struct wl_tables {
  uint32_t map, owners; /* contract/map.h; bus addresses */
  uint32_t lines;       /* struct wl_line, line_bytes apart */
  uint32_t line_bytes;
};
static inline uint64_t wl_host_blocks(const struct wl_firmware_statistics* s) { /* of 512 bytes, accepted */
  return s->host_sectors_written * 8 - s->host_blocks_missing;
}
static inline uint64_t wl_buffered_sectors(const struct wl_firmware_statistics* s) { /* accepted, not programmed */
  return s->host_sectors_written - s->rewritten_sectors - s->data_sectors;
}
const struct wl_firmware_statistics* wl_firmware_statistics(const struct wl_firmware* fw);

#ifdef __cplusplus
}
#endif
#endif
