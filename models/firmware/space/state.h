/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the superblocks.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_STATE_H
#define WORDLINE_FIRMWARE_SPACE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/firmware/context.h"

#include "models/firmware/contract/engines.h"
#include "models/firmware/space/plan.h"
#include "models/firmware/space/superblock.h"

#define WL_BUCKETS 1024u

struct wl_pace {            /* pace.h; copies and superblocks in parts of 256 */
  int32_t owed;             /* copies; below zero: made ahead */
  int32_t lead;             /* the host places while less is owed */
  uint32_t cost;            /* copies that win a logical page back from victims as the last one */
  uint32_t gain;            /* of control on it, by logical page */
  uint64_t emptied;         /* logical pages of the victim whose copies are taken up */
  uint32_t emptied_by_copy; /* ... by each */
  uint32_t granted;         /* copies that GC may take up though none are owed: the host is idle */
  bool copies_wait;         /* until they are owed */
  bool host_lacks;          /* a superblock of its own for some data: copies come though none are owed */
  bool wins_nothing;        /* the victim is emptied for another reason than room */
  bool apart;               /* it is not GC's: its copies are not paid for */
  bool no_gain;             /* the host need not wait for copies: none come */
};

struct wl_buckets {
  uint32_t* head;
  uint32_t* tail;
  uint32_t shift;
  uint32_t min; /* no superblock lies in a lower one */
};

struct wl_cursor {   /* of a write point in a die, in mixed order: space/cursors.h */
  uint16_t leader;   /* h-layers whose first word line is placed */
  uint16_t follower; /* other word lines placed, layer by layer */
};

struct wl_leaving { /* superblocks between closed and erased */
  uint32_t superblocks;
  uint32_t valid;    /* logical pages in them */
  uint32_t draining; /* of the superblocks, without the victim: free when what was read of them is programmed */
};

#define WL_DIE_STRIKES 3u
#define WL_DIE_SUSPECTS 2u /* two may die together */
#define WL_NO_HOLE 0xffffu
#define WL_SEVERAL_DIES 0xfffeu
struct wl_suspect { /* a die whose last jobs have failed */
  uint32_t die;     /* WL_NONE: none */
  uint32_t strikes;
  wl_superblock_t struck[WL_DIE_STRIKES]; /* where they were */
};
struct wl_stripes {  /* stripes.h, dead_die.h; none without parity */
  uint16_t* holes;   /* by superblock: the die that is left out of its rows, or WL_NO_HOLE */
  uint16_t* failed;  /* by superblock: the die in which a program or erase has failed, WL_NO_HOLE, WL_SEVERAL_DIES */
  uint32_t* lacking; /* by superblock, and in it by unit, a bit: its program failed */
  uint32_t dead;     /* the die that has failed; WL_NONE: none */
  uint32_t second;   /* ... another one, with it */
  struct wl_suspect suspect[WL_DIE_SUSPECTS];
  uint32_t died_us; /* when the die was given up */
  bool awaited;     /* a rebuild waits for a row of a superblock that moved data go to */
  bool rebuilds;    /* since then: superblocks may be left that were opened before */
  bool lent;        /* ... and GC has a superblock more than the host may open */
};

struct wl_spares {    /* spares.h; none: nothing is set, but with parity what it is rebuilt from */
  uint16_t* table;    /* in DRAM: as contract/spare_blocks.h */
  uint32_t* next;     /* by entry: of the promises to one superblock */
  uint32_t* promised; /* by superblock: entries of spares that take the place of its bad blocks when it is erased */
  uint32_t urgent;    /* closed superblocks with promises */
  struct wl_stripes stripes;
};

struct wl_marks { /* marks.h; block and die in one number, blocks by blocks of all dies */
  uint32_t next;  /* to read */
  uint32_t end;
  uint32_t reads; /* under way */
};

struct wl_p2l_table {         /* p2l.h */
  wl_superblock_t superblock; /* WL_NONE: free */
  uint32_t units;             /* noted so far */
  bool closes;                /* full: its record is, or will be, under way */
};
struct wl_p2l {
  struct wl_p2l_table* tables; /* null: there are none */
  uint8_t* pages;              /* in DRAM: those of the records, table by table */
  uint32_t count;
  uint32_t closing; /* tables that close */
};

struct wl_closings { /* of superblocks */
  uint32_t count;    /* so far, */
  uint32_t at_boot;  /* ... of these, found closed */
  struct wl_p2l p2l; /* what their closing records will say */
};

struct wl_upkeep {  /* upkeep.h */
  uint32_t* reads;  /* by superblock, since it was opened; null: they are not counted */
  uint32_t* opened; /* by superblock: the tick; null: nothing is kept */
  uint8_t* due;     /* by superblock: the wl_move_reason that it waits for, as a closed one; else 0 */
  uint32_t waiting; /* of these: how many */
  uint32_t tick;
  uint32_t next;    /* to be visited */
  uint32_t rounds;  /* of visits */
  uint32_t victims; /* of GC since the last for another reason */
  bool uneven;      /* erases may lie further apart than ftl.wear_levelling_gap */
};

struct wl_wear {
  uint32_t* erases;                       /* by superblock */
  struct wl_handle_statistics* by_handle; /* null: there are no placement handles */
  struct wl_upkeep upkeep;
  uint32_t least_superblocks; /* not retired, and erased as often as statistics.blocks.erases_least says */
};

/* Closed superblocks in the order in which they were closed, where the policy asks for it. */
struct wl_by_age {
  uint32_t oldest, youngest;
  uint32_t *older, *younger; /* by superblock; else null */
};

/* Superblocks with pages of one size, which share nothing with the others: free ones, victims and reserve are each
 * region's own. The second has the smaller pages (wl_small_region); it is empty where all pages have one size. */
struct wl_region {
  uint32_t free_superblocks;
  uint32_t reserve_superblocks; /* free superblocks that the host's data may not open */
  uint32_t start_superblocks;   /* GC begins with this many free */
  uint32_t needed_superblocks;  /* fewer usable ones cannot hold the exported logical pages and work */
  uint32_t free_head, free_tail;
  uint32_t retired_superblocks;
  uint32_t erasing_superblocks; /* will be free without further work */
  struct wl_leaving leaving;
  int64_t stale_lpages; /* room without valid data, of closed superblocks that can be erased; some may hold more than
                           fits */
  /* closed superblocks by valid logical pages; none with the victim selector */
  struct wl_buckets bucket;
  struct wl_by_age by_age;
};

struct wl_silent {  /* of the host */
  uint32_t victims; /* that may still be taken meanwhile */
  int64_t stale;    /* stale logical pages when it was silent last */
};

struct wl_slc_cache {        /* slc_cache.h */
  uint32_t superblocks;      /* in SLC mode, from open to erased */
  uint32_t promised;         /* units that wait for a place */
  uint32_t looked_at;        /* closings.count when none of its superblocks was without valid data */
  struct wl_page_kind units; /* what its units are like */
};

struct wl_held {
  uint8_t hold;    /* wl_hold */
  bool refuses;    /* it is read-only, or no write is taken up for now */
  bool host_waits; /* its data have no place while GC rests */
};

/* First what each write touches: the cores reach the first 2 KiB of all rooms with one instruction less. */
struct wl_space {
  struct wl_space_plan plan;
  struct wl_superblock* superblock;
  uint32_t superblocks;
  uint32_t programs;        /* running, in all superblocks */
  uint32_t next_superblock; /* prepared for the host */
  bool read_only;           /* too many are retired, or the drive had to stop programming */
  bool stopped;             /* what waits for a PPA gets none, unless deallocation empties a superblock */
  bool starved;             /* no superblock is worth collecting until something becomes invalid */
  bool small_waits;         /* superblocks with small pages are not collected for now: wl_small_superblocks_await */
  struct wl_held held;
  struct wl_pace pace;
  uint32_t open_superblock[WL_STREAMS]; /* write points: of each the first, the others follow by wl_superblock.next */
  struct wl_region region[WL_REGIONS];
  struct wl_closings closings;
  uint32_t taken; /* victims so far */
  struct wl_silent silence;
  /* the victim selector */
  uint32_t searched_from; /* superblock from which the next search begins */
  bool answered;          /* the last one's answer is not used yet */
  /* erase */
  uint32_t erase_head, erase_tail;
  uint32_t quiescing[2];     /* wait for the quiescence that runs, for the next; lists by wl_superblock.next */
  struct wl_cursor* cursors; /* by stream and die, where the policy places unit by unit; else null */
  struct wl_spares spares;
  struct wl_wear wear;
  struct wl_slc_cache slc_cache;
  struct wl_marks marks;
};

struct wl_region* wl_region_of(struct wl_firmware* fw, wl_superblock_t superblock);

#endif
