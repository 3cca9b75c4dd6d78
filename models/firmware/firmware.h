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
#define WL_FIRMWARE_CONTEXT_OFFSET 0x140u

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

/* One round of the scheduling loop of `core`: each of its tasks takes up one piece of work. False: nothing to do, the
 * core may sleep until its interrupt. Run to completion, bounded time. */
bool wl_firmware_poll(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core);

/* The interrupt woke the core: claim it. Call before polling again. */
void wl_firmware_wake(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core);

/* Whether `core` may sleep: announces it to the other cores and polls the rings once more. False: poll again. */
bool wl_firmware_may_sleep(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core);

/* Host writes lost nothing and all rings are empty: used by tests and at the end of a run. */
bool wl_firmware_idle(const struct wl_firmware* fw);

struct wl_block_statistics {    /* blocks and wear */
  uint64_t superblock_erases;   /* superblocks erased */
  uint32_t erases_least;        /* of a superblock that is not retired, */
  uint32_t erases_most;         /* ... and of any */
  uint32_t marked_blocks;       /* of a plane: bad from the factory, as the marks say, */
  uint32_t failed_blocks;       /* ... and found bad by a failed program or erase */
  uint32_t spares_in_use;       /* spare blocks that stand in for others */
  uint32_t retired_superblocks; /* superblocks given up: one of their blocks had no spare */
};

struct wl_program_statistics {           /* the first four only where the policy chooses word lines */
  uint64_t host_leaders, host_followers; /* of the host's data: on first and on other word lines of h-layers */
  uint64_t moved_leaders, moved_followers;
  uint64_t with_parameters;  /* with a parameter set */
  uint64_t repeated_sectors; /* of programs that succeeded and that the policy did not accept */
};

struct wl_modify_statistics { /* read-and-modify */
  uint64_t reads;             /* the rest of what a write changes in part is read from flash */
  uint64_t sectors;           /* ... sectors of these reads */
  uint64_t copies;            /* ... is copied within the buffer */
  uint64_t in_die;            /* ... or within the die */
};

struct wl_small_page_statistics { /* where there are two page sizes: of the smaller one, part of what all pages count */
  uint64_t superblock_erases;     /* superblocks */
  uint64_t erased_sectors;
  uint64_t sectors_programmed; /* all from the host */
  uint64_t host_pages;         /* of one plane */
  uint64_t victims;            /* superblocks that GC has scanned, */
  uint64_t returned;           /* ... and left with data whose page was in the write buffer, or in a merge */
  uint64_t mapped_sectors;     /* on flash, valid */
  uint64_t merged_pages;       /* of the larger size, programmed with what lay in smaller pages: */
  uint64_t merged_sectors;     /* ... so many sectors, */
  uint64_t joined_sectors;     /* ... and so many of larger pages */
};

struct wl_step_statistics {           /* of the policies agcr and agcr_li */
  uint64_t programmed[WL_AGCR_STEPS]; /* sectors of units, padding included, of the host and moved */
  uint64_t read[WL_AGCR_STEPS];       /* sectors that the host reads from flash */
  uint64_t judged;                    /* accesses to map units that were read-only or write-only until then, */
  uint64_t judged_right;              /* ... and that were of this kind, too */
};

/* Counters the results need, readable at any time by the platform through the context's address. */
struct wl_firmware_statistics {
  uint64_t host_sectors_written; /* accepted from the host, whole or in part */
  uint64_t host_blocks_missing;  /* of these, in blocks of 512 bytes: not written */
  uint64_t rewritten_sectors;    /* of these: in place in the write buffer, or deallocated in a page of it */
  /* Programs that have ended: sectors_programmed is the sum of the next three, and has no part in programs that
   * failed or were repeated (programs.repeated_sectors). */
  uint64_t sectors_programmed;
  uint64_t data_sectors; /* of the write buffer */
  uint64_t gc_sectors_copied;
  uint64_t pad_sectors;    /* fill a unit that is not waited for: FLUSH, the end of GC, writes that failed; and
                            * what holds nothing in pages that are programmed whole */
  uint64_t failed_sectors; /* of programs that failed, whatever was in them */
  uint64_t merged_blocks;  /* in data_sectors, not from the host: what completes sectors written in part */
  uint64_t gc_superblocks; /* superblocks collected */
  uint64_t buffer_read_hits;
  uint32_t free_superblocks;
  uint32_t lost_history; /* of the last read without all its data, as ECC.LAST_STATUS */
  struct wl_block_statistics blocks;
  /* Pages of one plane. */
  uint64_t host_pages;    /* programmed with data of the host */
  uint64_t false_sectors; /* of host_pages: hold nothing */
  uint64_t idle_sectors;  /* taken up to be moved while the host was silent, from superblocks that stay */
  uint64_t moved_pages;   /* programmed by GC */
  struct wl_modify_statistics modify;
  uint64_t erased_sectors; /* of programs, in superblocks that were erased since */
  struct wl_program_statistics programs;
  /* Only where the map unit is the page. */
  uint64_t page_writes;    /* pages that writes have begun in the buffer: each is programmed */
  uint64_t kept_sectors;   /* in data_sectors, not from the host: the rest of pages written in part */
  uint64_t mapped_sectors; /* on flash, valid */
  struct wl_step_statistics steps;
  struct wl_small_page_statistics small;
};
/* Behind the statistics, once booted: where the state of the drive is, for readers of its memory. */
struct wl_tables {
  uint32_t map, owners; /* contract/map.h; bus addresses */
  uint32_t superblocks; /* struct wl_superblock, superblock_bytes apart */
  uint32_t superblock_bytes;
  uint32_t erases;   /* of each superblock, 32 bits */
  uint32_t presence; /* struct wl_presence by page, where the map is by pages */
};
static inline uint64_t wl_host_blocks(const struct wl_firmware_statistics* s) { /* of 512 bytes, accepted */
  return s->host_sectors_written * 8 - s->host_blocks_missing;
}
static inline uint64_t wl_buffered_sectors(const struct wl_firmware_statistics* s) { /* accepted, not programmed */
  return s->host_sectors_written - s->rewritten_sectors - (s->data_sectors - s->kept_sectors);
}
const struct wl_firmware_statistics* wl_firmware_statistics(const struct wl_firmware* fw);

#ifdef __cplusplus
}
#endif
#endif
