/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Between the ftl task and the hardware engines.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_ENGINES_H
#define WORDLINE_FIRMWARE_CONTRACT_ENGINES_H

#include <stdint.h>

#include "models/firmware/contract/address.h"
#include "models/firmware/contract/layout.h"

/* ---- hardware engines (registers: ENGINES) ------------------------------------------------------------------------
 * docs/partitioning.md describes each. The map in DRAM is the only truth: firmware alone writes it, engines
 * read it.
 *
 * Reads that never come to a core ("hardware-served": looked up, then served from the write buffer or from flash by
 * engines) must not be older than writes whose completion the host has. A write's completion entry leaves before the
 * firmware has changed the map, so writes are counted by hashed logical page: hardware counts `opened` before the
 * command's event, firmware `closed` after the map; while they differ, reads of the logical page go to the firmware,
 * whose rings keep the order.
 *
 * A hardware-served read may have many logical pages, each from another source. It is served as a whole: the source of
 * each of its logical pages is resolved when it begins, and it uses what it found from then to its end. When a run of
 * it fails, it is returned to the firmware, as a whole and once nothing of it is under way: to the firmware it is a new
 * command without WL_EVENT_LOOKED_UP.
 *
 * A hardware-served read holds no lock on the PPAs or the slots that it found. Before firmware erases a superblock
 * that nothing points to, or uses a slot again, it asks for a grace period (ENGINES.GRACE): it ends when all
 * hardware-served reads that had begun before have let go of their PPAs, or slots. Then hardware counts up grace.done
 * and raises WL_IRQ_ENGINE. One at a time of each kind. A slot that the map still names is changed in place only when
 * ENGINES.SLOTS_READ is 0 after a write of its logical page was opened: reads from then on go to the firmware. */
enum wl_engine {
#define WL_ENGINE_ROW(id, NAME, bit, ...) WL_ENGINE_##NAME = 1 << (bit),
#include "models/firmware/contract/engine_rows.h"
};
#define WL_ENGINES_BLOCK 0xffu /* those behind the registers ENGINES */
/* The valid logical pages of a superblock go from the scan to the copy without a core. */
#define WL_ENGINES_COLLECT (WL_ENGINE_GC | WL_ENGINE_COPY)
/* Reads are served without a core: from flash, from the write buffer. */
#define WL_ENGINES_FLASH (WL_ENGINE_L2P | WL_ENGINE_JOB | WL_ENGINE_COMPLETION)
#define WL_ENGINES_BUFFER (WL_ENGINE_L2P | WL_ENGINE_BUFFER | WL_ENGINE_COMPLETION)

/* By hashed logical page, in TCM. */
#define WL_LPAGE_STATES 1024u
struct wl_lpage_state {      /* 16 bytes */
  volatile uint32_t opened;  /* hardware: logical pages of write commands given to the firmware */
  volatile uint32_t closed;  /* firmware: of these, the map is as they want it */
  volatile uint32_t changes; /* firmware: map entries changed, counted after the change */
  uint32_t reserved;
};
/* Answer of the lookup engine, by tag, in TCM: map values of the first logical pages of a read with WL_EVENT_LOOKED_UP
 * (the initial value resolved). Each is good as long as the logical page's `changes` still has the value it had before
 * the lookup. Reads of more logical pages are never served by hardware; this many are 128 KiB. */
#define WL_LOOKUP_LPAGES 32u
struct wl_lookup {
  uint32_t value[WL_LOOKUP_LPAGES];
  uint32_t changes[WL_LOOKUP_LPAGES];
};
enum wl_grace { WL_GRACE_SLOTS = 0, WL_GRACE_PPAS = 1, WL_GRACES = 2 };
struct wl_grace_state {              /* in TCM */
  volatile uint32_t done[WL_GRACES]; /* grace periods that have ended */
};
/* Answer of the scan engine, in TCM: valid logical pages of the PPAs from ENGINES.SCAN on, in order. They were valid
 * when the scan began; firmware checks again before it changes the map. At the end hardware writes count and next,
 * counts up done and raises WL_IRQ_ENGINE. */
#define WL_GC_FOUND 256u
#define WL_GC_SCAN 512u /* PPAs that one scan examines, at most */
struct wl_gc_found {
  wl_ppa_t ppa;
  wl_lpn_t lpn;
};
struct wl_gc_list {
  volatile uint32_t done;
  volatile uint32_t count;
  volatile uint32_t next; /* PPA at which the scan stopped */
  uint32_t reserved;
  struct wl_gc_found found[WL_GC_FOUND];
};

/* The slots of GC, in TCM, by slot from ENGINES.COPY_SLOT_FIRST on: what each is a copy of. */
#define WL_COPY_FAILED 0x80000000u /* in `ppa`: the copy engine could not read it */
struct wl_gc_source {
  wl_ppa_t ppa; /* where it lies so far, WL_LPN_NONE: padding */
  wl_lpn_t lpn;
};
/* ftl task -> copy engine, doorbell ENGINES.COPY_DOORBELL: a unit of GC. The engine reads what its slots'
 * sources name, writes the owners into the slot table, and programs the unit. Then the completion `id` comes as
 * that of a program. Units are programmed as they become ready, each at the first `ppa` that is left of those posted;
 * hardware writes it into the table ENGINES.COPY_PPAS, by unit. So blocks are written in order, if the firmware posts
 * PPAs in order, whichever unit is first.
 *
 * If something could not be read, the sources mark it, and the completion is WL_FLASH_UNCORRECTABLE: firmware does for
 * these what it can, and posts the unit again with WL_COPY_READY, which means that the slots have their data; a unit
 * that was held for that brings no new PPA, one whose program has failed does.
 *
 * WL_COPY_FILL (with WL_ENGINES_COLLECT): the sources are not known yet. Such units are filled in their order with the
 * valid logical pages of the superblock whose scan ENGINES.SCAN begins, a unit in part by the end of one superblock and
 * the beginning of the next. At the end of a scan wl_gc_list has its count, its list is not used. WL_COPY_CLOSE is no
 * unit: those that are not full get padding. */
enum wl_copy_flags { WL_COPY_READY = 1, WL_COPY_FILL = 2, WL_COPY_CLOSE = 4 };
struct wl_copy_job { /* 12 bytes */
  uint16_t id;
  uint16_t flags;
  wl_slot_t slot; /* first */
  wl_ppa_t ppa;
};

/* Superblock table in TCM, ENGINES.SUPERBLOCK_TABLE, entries ENGINES.SUPERBLOCK_STRIDE bytes apart: what the victim
 * engine reads of an entry, at its beginning. ENGINES.SEARCH begins a search at a superblock: the one with
 * WL_SUPERBLOCK_SEARCHED that has the fewest valid logical pages, of equal ones the first from there on, round the
 * table. At the end hardware writes superblock, counts up done and raises WL_IRQ_ENGINE. The table may have changed
 * since; firmware checks the superblock again. */
#define WL_SUPERBLOCK_SEARCHED 3u
struct wl_superblock_head {
  uint32_t valid; /* logical pages that the map points to */
  uint8_t state;
  uint8_t bad; /* a program or erase failed: retire instead of reuse */
  uint16_t reserved;
};
struct wl_victim {
  volatile uint32_t done;
  volatile wl_superblock_t superblock; /* WL_LPN_NONE: there is none */
};
/* ftl task -> job engine, doorbell ENGINES.JOB_DOORBELL: a flash job by PPA. */
struct wl_ppa_job { /* 24 bytes */
  uint8_t op;
  uint8_t priority;
  uint16_t id;
  uint16_t tag;
  uint16_t count;
  wl_ppa_t ppa;
  wl_slot_t slot;
  uint32_t flags;
  uint32_t control; /* wl_flash_job.control */
};
WL_SIZE_IS(struct wl_lpage_state, 16);
WL_SIZE_IS(struct wl_gc_source, 8);
WL_SIZE_IS(struct wl_copy_job, 12);
WL_SIZE_IS(struct wl_superblock_head, 8);
WL_SIZE_IS(struct wl_ppa_job, 24);

#endif
