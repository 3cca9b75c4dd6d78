/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Boot information: written by the platform at WL_TCM_BASE before the cores leave reset.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_BOOT_INFO_H
#define WORDLINE_FIRMWARE_CONTRACT_BOOT_INFO_H

#include <stdint.h>

#include "models/firmware/contract/layout.h"

/* Of the images for cores one of its own has maps that are not flat, behind the MAP port or cached (firmware_port.elf):
 * compiled into the other they would move instructions of drives without them. */
#if defined(__riscv) && !defined(WL_MAP_PORT)
#define WL_HAS_LARGE_MAPS 0
#else
#define WL_HAS_LARGE_MAPS 1
#endif

#define WL_BOOT_MAGIC 0x574c4254u      /* "WLBT" */
#define WL_BOOT_MAGIC_PORT 0x574c4250u /* "WLBP": the map lies behind the MAP port (contract/map_port.h) */
#define WL_TASK_COUNT 3u
#define WL_TASK_HOST 0u  /* commands in, completions out */
#define WL_TASK_FTL 1u   /* map, write buffer, GC */
#define WL_TASK_FLASH 2u /* flash jobs out, flash completions in */

struct wl_layers { /* h-layer of a page: page / pages % count */
  uint32_t count;
  uint32_t pages;
  uint32_t references_by_block; /* 1: optimal references are kept by layer of each block, 0: of each die */
};

/* space/cursors.h; the last: all programs of a word line one after another. */
enum wl_word_line_order { WL_ORDER_HORIZONTAL, WL_ORDER_VERTICAL, WL_ORDER_MIXED, WL_ORDER_WHOLE };

struct wl_replacement {      /* of blocks: see spare_blocks.h */
  uint32_t spares;           /* per plane, behind the others */
  uint32_t by_plane;         /* 1: a block is replaced in its plane alone; 0: in all planes of its die */
  uint32_t least_worn_first; /* 1: of the free superblocks the one erased least is used first; 0: the oldest */
};

/* How a program places its cells. The number of its parameter set (program_tables.h), and the class of its data. */
enum wl_agcr_step { WL_AGCR_DEFAULT, WL_AGCR_COARSE, WL_AGCR_FINE, WL_AGCR_STEPS };
#define WL_AGCR_BY_HISTORY 3u
/* Data of read-only map units that are programmed anew, finely, while the host is silent. */
enum wl_agcr_rewrite { WL_AGCR_REWRITE_NONE, WL_AGCR_REWRITE_COARSE, WL_AGCR_REWRITE_ALL /* not fine */ };

/* A second kind of blocks in each die, whose pages are smaller (nand.region): the last superblocks. PPAs are numbered
 * as if its pages were as wide, and its blocks as long, as those of the first kind, so all of geometry.h holds: logical
 * page s of a page of one plane is logical page plane * wl_boot_info.lpages_per_page + s of the page of all planes,
 * and s stays below lpages_per_page. A program of it writes as many logical pages as its pages have. */
struct wl_small_region {
  uint32_t blocks;          /* of wl_boot_info.blocks, the last ones; 0: there are none */
  uint32_t pages;           /* per block, no more than wl_boot_info.pages */
  uint32_t lpages_per_page; /* of one plane's page, fewer than wl_boot_info.lpages_per_page */
};

struct wl_health_terms {  /* what the SMART log goes by */
  uint32_t erases_before; /* of each block, before the drive's first boot */
  uint32_t rated_erases;  /* of a block, in its life */
  uint32_t temperature;   /* of the cells, in kelvins: it does not change */
};

/* What is moved for another reason than what an erase of it wins: docs/wear.md. Times are counted in ticks. */
struct wl_upkeep_rules {
  uint32_t any;         /* 1: one of the others is not 0 */
  uint32_t wear_gap;    /* erases between superblocks beyond which data that rest are moved; 0: never */
  uint32_t reads;       /* of a superblock, after which its data are moved; 0: never */
  uint32_t errors;      /* bits corrected in a codeword, with which they are moved; 0: never */
  uint32_t age;         /* of data, in ticks, at which they are moved; 0: never */
  uint32_t age_at_boot; /* of what the drive begins with, in ticks */
  uint32_t tick_us;     /* 0: nothing is visited */
  uint32_t visits;      /* superblocks that a tick visits */
  uint32_t patrol;      /* 1: a visit reads a page */
};

/* Superblocks that are filled with one bit a cell: models/firmware/space/slc_cache.h. */
struct wl_slc_cache_rules {
  uint16_t superblocks; /* at most; 0: there is no such cache */
  uint16_t kept;        /* 1: GC keeps them free for it (static); 0: it takes what is free beyond GC's need (dynamic) */
};

#define WL_HANDLES 16u      /* of reclaim units, at most */
struct wl_placement_rules { /* Flexible Data Placement: docs/fdp.md */
  uint32_t handles;         /* that the host may name, 1 to WL_HANDLES; 0: it names none */
  uint32_t persistent;      /* 1: moved data of a handle stay apart from those of others, too */
};

/* How the host's writes and GC keep step: models/firmware/space/pace.h. */
struct wl_pace_rules {
  uint16_t lead_16ths;  /* units a die that the host places ahead of the copies that they cost */
  uint16_t gain_256ths; /* copies more for each superblock of room that is missing */
};

#define WL_POLICY_WORDS 36u
struct wl_ftl_rules {
  uint32_t lpage_shift;     /* LBAs of 512 bytes in a logical page: 1 << lpage_shift, 4 to 32 */
  uint16_t policy;          /* wl_policy_number, models/firmware/policy/policies.def */
  uint16_t word_line_order; /* wl_word_line_order: in which superblocks are filled */
  uint32_t map_page; /* logical pages of a map unit that has a bit for each, a whole number of them to the page of all
                        planes; 0: the map unit is the logical page */
  uint32_t pages_apart;   /* 1: logical pages of different writes share no page of a plane (ftl.packing = false) */
  uint32_t write_through; /* 1: a write completes after its program (ftl.write_back = false) */
  uint32_t modify_in_die; /* 1: the rest of a page stays in the die (ftl.read_modify = die) */
  uint32_t map_frames;    /* map pages that DRAM has room for, the others lie on flash alone; 0: all have */
  uint8_t gc_pacing;      /* 1: the host's writes and GC keep step */
  uint8_t reads_wait;     /* 1: a read waits behind writes that came before it (ftl.who_waits = both) */
  uint16_t admission;     /* 1: at the mean rate at which flash takes writes (ftl.admission = mean_rate) */
  struct wl_pace_rules pace;
  uint32_t idle_after_us;         /* idle work begins when the host has been silent so long; 0: never */
  uint32_t idle_free_superblocks; /* while idle, GC works until so many superblocks are free */
  uint32_t recovery;              /* 1: what is on flash at any instant is enough to mount it (ftl.recovery = scan) */
  uint16_t word_line_programs;    /* with recovery: programs of a word line, WL_ORDER_WHOLE where there are several */
  uint16_t checkpoint_after; /* with recovery: superblocks closed between checkpoints of a drive at work; 0: none */
  struct wl_small_region small;
  struct wl_health_terms health;
  struct wl_placement_rules placement;
  struct wl_upkeep_rules upkeep;
  struct wl_slc_cache_rules slc_cache;
  uint32_t parity_slots; /* parity over dies: data buffer slots for sums, behind the others; 0: there is none */
  uint32_t policy_words[WL_POLICY_WORDS]; /* values of their keys (policy/keys.h) */
  uint32_t host_pages; /* of a map page's size, that are used of host memory at most (host_ring.h); 0: none */
};

struct wl_boot_info {
  uint32_t magic; /* WL_BOOT_MAGIC, or WL_BOOT_MAGIC_PORT: then ftl.map_page is not 0 */
  uint32_t cores;
  uint32_t task_core[WL_TASK_COUNT];
  uint32_t channels;
  uint32_t dies; /* channel of a die = die % channels */
  uint32_t planes;
  uint32_t blocks;            /* per plane, without the spares: superblocks */
  uint32_t pages;             /* per block */
  uint32_t lpages_per_page;   /* of one plane's page */
  uint32_t pages_per_program; /* pages of one plane written by one program operation */
  uint32_t user_lpages;       /* exported */
  uint32_t write_slots;       /* data buffer slots for host writes */
  uint32_t read_slots;        /* for reads and their retries */
  uint32_t gc_slots;          /* for GC */
  uint32_t host_tags;         /* commands the NVMe controller keeps in flight */
  uint32_t gc_start_superblocks;
  uint32_t gc_reserve_superblocks;
  uint32_t power_safe;     /* 1: data in the buffer survive power loss, FLUSH has nothing to do */
  uint32_t preconditioned; /* 1: used before: the sequential fill of geometry.h, or what wl_initial_state says */
  uint32_t dram_bytes;     /* DRAM the firmware may use from WL_DRAM_BASE */
  uint32_t tcm_bytes;      /* TCM the firmware may use from WL_TCM_BASE, boot info included */
  uint32_t engines;        /* hardware engines that are there: wl_engine */
  uint32_t engine_slots;   /* of read_slots, the last ones: they belong to the engines */
  struct wl_layers layers;
  struct wl_ftl_rules ftl;
  struct wl_replacement replacement;
};
WL_SIZE_IS(struct wl_boot_info, 256 + 4 * WL_POLICY_WORDS);

/* The drive begins with what flash says, not with tables or a rule. */
static inline uint32_t wl_boot_mounts(const struct wl_boot_info* boot) {
  return boot->ftl.recovery != 0 && boot->preconditioned == 0;
}

/* A cached map (ftl.map_cache) lies on flash in map pages, logical pages behind those that are exported: map page i is
 * logical page user_lpages + i and has the entries of the logical pages from i * wl_boot_map_entries() on. */
/* Free superblocks that only GC may open, more than without: the map pages that its moves change are programmed. */
#define WL_MAP_RESERVE 2u
#define WL_MAP_LOADS 32u /* of map pages at a time, at least */
static inline uint32_t wl_boot_map_entries(const struct wl_boot_info* boot) { return 128u << boot->ftl.lpage_shift; }
static inline uint32_t wl_boot_map_pages(const struct wl_boot_info* boot) {
  if (!WL_HAS_LARGE_MAPS || boot->ftl.map_frames == 0) return 0;
  return (boot->user_lpages + wl_boot_map_entries(boot) - 1) / wl_boot_map_entries(boot);
}
/* All logical pages that flash holds. */
static inline uint32_t wl_boot_stored_lpages(const struct wl_boot_info* boot) {
  return boot->user_lpages + wl_boot_map_pages(boot);
}

/* Logical pages of a map unit. */
static inline uint32_t wl_boot_map_unit(const struct wl_boot_info* boot) {
  return boot->ftl.map_page == 0 ? 1 : boot->ftl.map_page;
}

#endif
