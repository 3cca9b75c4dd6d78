/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Boot information: written by the platform at WL_TCM_BASE before the cores leave reset.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_BOOT_INFO_H
#define WORDLINE_FIRMWARE_CONTRACT_BOOT_INFO_H

#include <stdint.h>

#include "models/firmware/contract/layout.h"

#define WL_BOOT_MAGIC 0x574c4254u /* "WLBT" */
#define WL_TASK_COUNT 3u
#define WL_TASK_HOST 0u  /* commands in, completions out */
#define WL_TASK_FTL 1u   /* map, write buffer, GC */
#define WL_TASK_FLASH 2u /* flash jobs out, flash completions in */

struct wl_layers { /* h-layer of a page: page / pages % count */
  uint32_t count;
  uint32_t pages;
  uint32_t references_by_block; /* 1: optimal references are kept by layer of each block, 0: of each die */
};

enum wl_word_line_order { WL_ORDER_HORIZONTAL, WL_ORDER_VERTICAL, WL_ORDER_MIXED }; /* space/cursors.h */

struct wl_replacement {      /* of blocks: see spare_blocks.h */
  uint32_t spares;           /* per plane, behind the others */
  uint32_t by_plane;         /* 1: a block is replaced in its plane alone; 0: in all planes of its die */
  uint32_t least_worn_first; /* 1: of the free superblocks the one erased least is used first; 0: the oldest */
};

#define WL_PPB_VIRTUAL_BLOCKS 8u
struct wl_ppb_rules {           /* of the policy ppb; map units are pages of a plane or sectors, as map_page says */
  uint8_t virtual_blocks;       /* of a superblock: 2 to WL_PPB_VIRTUAL_BLOCKS */
  uint8_t half_full_blocks : 4; /* others of the area that may be half full when a superblock is opened */
  uint8_t bounded_table : 4;    /* 1: links for listed map units alone, and short counts; 0: an entry for each unit */
  uint16_t hot_sectors;         /* commands that write no more write hot data */
  uint32_t hot_units;           /* map units in the hot list, */
  uint32_t iron_hot_units;      /* ... in the iron-hot list, at most */
};

struct wl_cube_rules {        /* of the policy cube */
  uint8_t by_demand;          /* 1: leaders or followers by the fill level of the write buffer; 0: h-layer by h-layer */
  uint8_t active_superblocks; /* of the host: 1 or 2 */
  uint8_t moves_to_leaders;   /* 1: moved data take leaders of the host's superblocks first */
  uint8_t skips;              /* 1: followers leave out verifies, */
  uint32_t narrows;           /* ... 1: have a narrower program window */
  uint16_t demand_permille;   /* of the write buffer's units: above, followers are used */
  uint16_t bad_percent;       /* of the errors of the word line before it in its layer: above, a word line is bad */
  uint16_t margin_mv;         /* by which the window may be narrower for each unit of margin, */
  uint16_t most_mv;           /* ... and at most: */
  uint32_t full_margin;       /* ... the margin from which on it is, in 1e-9 as the next ones */
  uint32_t most_ber_ep1;      /* BER_EP1 without margin */
  uint32_t ber_ep1_unit;      /* unit of margin, at most 1e6 */
};

/* How a program places its cells. The number of its parameter set (program_tables.h), and the class of its data. */
enum wl_agcr_step { WL_AGCR_DEFAULT, WL_AGCR_COARSE, WL_AGCR_FINE, WL_AGCR_STEPS };
#define WL_AGCR_BY_HISTORY 3u
/* Data of read-only map units that are programmed anew, finely, while the host is silent. */
enum wl_agcr_rewrite { WL_AGCR_REWRITE_NONE, WL_AGCR_REWRITE_COARSE, WL_AGCR_REWRITE_ALL /* not fine */ };
struct wl_agcr_rules {           /* of the policies agcr and agcr_li */
  uint16_t coarse_step_mv;       /* of WL_AGCR_COARSE */
  uint16_t fine_step_mv;         /* of WL_AGCR_FINE */
  uint16_t queue;                /* agcr_li: jobs at a die from which on its programs are coarse */
  uint8_t window;                /* agcr: accesses that a class is judged by, the upcoming one among them, 2 to 8 */
  uint8_t classes;               /* agcr: WL_AGCR_BY_HISTORY, or the one step of all programs */
  uint8_t initial;               /* wl_agcr_step of the data that the drive begins with */
  uint8_t senses[WL_AGCR_STEPS]; /* that a read of such data begins with; 0: as any read */
  uint8_t rewrite;               /* wl_agcr_rewrite */
  uint8_t reserved[3];
};

/* A second kind of blocks in each die, whose pages are smaller (nand.region): the last superblocks. PPAs are numbered
 * as if its pages were as wide, and its blocks as long, as those of the first kind, so all of geometry.h holds: sector
 * s of a page of one plane is sector plane * wl_boot_info.sectors_per_page + s of the page of all planes, and s stays
 * below sectors_per_page. A program of it writes as many sectors as its pages have. */
struct wl_small_region {
  uint32_t blocks;           /* of wl_boot_info.blocks, the last ones; 0: there are none */
  uint32_t pages;            /* per block, no more than wl_boot_info.pages */
  uint32_t sectors_per_page; /* of one plane's page, fewer than wl_boot_info.sectors_per_page */
};

struct wl_mpnfm_rules {          /* of the policy mpnfm */
  uint32_t threshold;            /* commands of at most so many blocks of 512 bytes write small pages */
  uint32_t gc_start_superblocks; /* superblocks of small pages are collected with so many free */
};

struct wl_ftl_rules {
  uint32_t sector_shift;    /* blocks of 512 bytes in a sector: 1 << sector_shift, 8 or 4 */
  uint32_t policy;          /* wl_policy_number, models/firmware/policy/policies.def */
  uint32_t map_page;        /* sectors of a map unit where it is the page of a plane: sectors_per_page; 0: the sector */
  uint32_t pages_apart;     /* 1: sectors of different writes share no page of a plane (ftl.packing = false) */
  uint32_t write_through;   /* 1: a write completes after its program (ftl.write_back = false) */
  uint32_t modify_in_die;   /* 1: the rest of a page stays in the die (ftl.read_modify = die) */
  uint32_t word_line_order; /* wl_word_line_order: in which superblocks are filled */
  uint32_t gc_pacing;       /* 1: the host's writes and GC keep step */
  uint32_t idle_after_us;   /* idle work begins when the host has been silent so long; 0: never */
  uint32_t idle_free_superblocks; /* while idle, GC works until so many superblocks are free */
  struct wl_ppb_rules ppb;
  struct wl_cube_rules cube;
  uint32_t vert_cut_mv; /* of the policy vert: Vfinal below the default */
  struct wl_agcr_rules agcr;
  struct wl_small_region small;
  struct wl_mpnfm_rules mpnfm;
};

struct wl_boot_info {
  uint32_t magic;
  uint32_t cores;
  uint32_t task_core[WL_TASK_COUNT];
  uint32_t channels;
  uint32_t dies; /* channel of a die = die % channels */
  uint32_t planes;
  uint32_t blocks;            /* per plane, without the spares: superblocks */
  uint32_t pages;             /* per block */
  uint32_t sectors_per_page;  /* of one plane's page */
  uint32_t pages_per_program; /* pages of one plane written by one program operation */
  uint32_t user_sectors;      /* exported */
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
WL_SIZE_IS(struct wl_boot_info, 244);

/* Sectors of a map unit. */
static inline uint32_t wl_boot_map_unit(const struct wl_boot_info* boot) {
  return boot->ftl.map_page == 0 ? 1 : boot->ftl.map_page;
}

#endif
