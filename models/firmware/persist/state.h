/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the mount, of checkpoints, and of a shutdown.
 */
#ifndef WORDLINE_FIRMWARE_PERSIST_STATE_H
#define WORDLINE_FIRMWARE_PERSIST_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"

enum wl_mount_phase {
  WL_MOUNTED,
  WL_MOUNT_ROOTS,     /* looks for a checkpoint */
  WL_MOUNT_STATE,     /* reads what it says of superblocks, and whether it is whole and has not been opened */
  WL_MOUNT_TABLES,    /* ... the map; then the host is let in */
  WL_MOUNT_MAP_PAGES, /* with a cached map: the tables say where these are */
  WL_MOUNT_OWNERS,    /* ... its inverse */
  WL_MOUNT_REBUILDS,  /* that could not be read */
  WL_MOUNT_READS,     /* there is none: all pages of superblocks without a closing record, */
  WL_MOUNT_CLOSINGS,  /* ... after the closing records of the others */
  WL_MOUNT_PROBES,    /* ... and after dies that have not answered were asked again, */
  WL_MOUNT_ROWS,      /* ... and rows that lack a unit say what it held: with parity */
  WL_MOUNT_JOINS,     /* with two page sizes: which of them has each logical page */
  WL_MOUNT_COMPLETES,
  WL_MOUNT_SORTS,
  WL_MOUNT_PADS,
  WL_MOUNT_PARITY, /* rows that were open get theirs */
  WL_CHECKPOINT_CONTENT,
  WL_CHECKPOINT_END,
  WL_CHECKPOINT_OPENS
};
enum wl_shutdown_phase {
  WL_SHUTDOWN_NONE,
  WL_SHUTDOWN_FLUSHES,
  WL_SHUTDOWN_RESTS,
  WL_SHUTDOWN_WRITES,
  WL_SHUTDOWN_POWER_FAILS /* flushes, on what the capacitor holds */
};

struct wl_row_sum { /* of spare records of all logical pages, each word turned by its place, XORed */
  uint32_t lpns;
  uint32_t records;
};
struct wl_row {           /* of a superblock without a closing record, with parity: rows.h */
  struct wl_row_sum all;  /* zero where its parity is right */
  struct wl_row_sum data; /* ... of all but the last die */
  uint16_t unread;        /* the die whose unit could not be read; 0xffff: none, 0xfffe: several */
  uint8_t used;           /* something in it is not blank */
  uint8_t
      names; /* some logical page of the host, 1; a metadata page of the firmware, 2; of a unit: not padding alone, 4 */
};

struct wl_lane { /* reads a block, page by page, up to the first blank one; or a closing record; or holds a page or unit
                    of a checkpoint */
  uint32_t block;
  uint32_t page;
  uint32_t plane; /* of small pages: the one that is read, */
  bool unread;    /* ... and whether one before it could not be */
  uint32_t torn;  /* pages that could not be read, so far; the version of a closing record */
  /* With parity: */
  bool peeks;                 /* reads one page: wl_rows_peeked */
  struct wl_row unit;         /* what the pages of this unit say so far, as of a row */
  uint32_t hole;              /* of a closing record: the die that its superblock is taken to leave out */
  uint8_t confirms;           /* ... what is read before it: closing.c */
  struct wl_slot_info beside; /* ... what that says */
  uint32_t row;               /* that gets its parity */
  uint32_t next;              /* die of the row that is read next */
  uint32_t joined;            /* units of the row that have been read so far */
  bool waits;                 /* for an id, as superblocks are being erased */
  /* Where a policy chooses word lines (space/cursors.h): */
  uint16_t leaders, followers; /* that are not blank, so far */
  uint32_t ended;              /* v-layers whose first blank word line has been read, as bits */
};

struct wl_unfinished { /* a superblock that will be written on */
  wl_superblock_t superblock;
  uint32_t units; /* the last that is not blank, and all before it */
  uint32_t unit;  /* of these in order, examined: blank ones are padded */
  uint32_t stream;
};

enum wl_turn_phase { /* turn.h */
                     WL_TURN_NONE,
                     WL_TURN_WAITS,   /* GC ends with its victim */
                     WL_TURN_FLUSHES, /* no write is taken up */
                     WL_TURN_WRITES
};

struct wl_checkpoint {        /* checkpoint.h */
  wl_superblock_t superblock; /* that has it, or gets it; WL_NONE: there is none */
  uint32_t version;           /* of that */
  uint32_t newest;            /* the highest version so far */
  uint32_t below;             /* a mount looks for lower versions: that one was not whole */
  wl_superblock_t base;       /* has one that is out of date, and what a mount begins with; WL_NONE: there is none */
  bool based;                 /* this mount has begun with it */
  bool opened;                /* its mark can be read */
  bool complete;              /* the drive knows the sequence of each copy that it has */
  uint8_t turn;               /* wl_turn_phase */
  uint32_t closed;            /* superblocks, since the last one */
  bool met;                   /* a mount by records has met pages of one */
  uint32_t to;                /* `next` when all that this phase reads is under way */
  uint32_t chunk;             /* of tombstones: the next to be kept */
  struct {
    uint32_t state, map;
  } pages;             /* logical pages of these */
  uint32_t* addresses; /* FLASH.METADATA_TABLE */
  uint8_t* state;      /* in DRAM: wl_checkpoint_root and what follows it */
  uint8_t* end;        /* in DRAM: wl_checkpoint_end */
};

struct wl_closing {           /* closing.h */
  uint8_t* pages;             /* in DRAM, by lane: a page of flash */
  struct wl_slot_info* taken; /* of the logical page that is looked at: what follows its head */
  wl_superblock_t superblock; /* whose record is programmed, from its first unit to its last */
  uint32_t unit;              /* of the record: the next, or that under way */
  bool running;
};

#define WL_BLOCK_DESTROYED 0x8000u /* none of its pages can be read */
/* Blocks are numbered superblock by superblock: all dies are read at once. */
struct wl_persist {
  uint8_t phase;     /* wl_mount_phase */
  uint8_t shutdown;  /* wl_shutdown_phase */
  bool failed;       /* a program that was to complete a word line, or something of a checkpoint */
  bool reads_again;  /* with parity: blocks whose records could not be understood before all was read */
  uint16_t* rows;    /* by block: rows of units that are not blank, the first ones, and WL_BLOCK_DESTROYED; in DRAM */
  uint16_t* leads;   /* ... how many of them are leaders, where a policy chooses word lines: not the first ones */
  uint8_t* yields;   /* with parity, by superblock: wl_rows_yield; in DRAM */
  uint8_t* answered; /* with parity, by die: 1 when a read of it has succeeded; in DRAM */
  bool probed_again; /* dies with blocks of which nothing can be read, after all has been read */
  struct wl_row* of_rows; /* by superblock and row of data; in DRAM, null without parity */
  struct wl_lane* lanes;
  uint32_t lane_count;
  uint32_t next;                    /* block to read or to complete, superblock to sort; page or unit of a checkpoint */
  uint32_t jobs;                    /* under way */
  struct wl_unfinished* unfinished; /* by wl_unfinished_stream() */
  uint32_t unfinished_count;        /* a place for each stream */
  struct wl_checkpoint checkpoint;
  struct wl_closing closing;
  uint32_t power_cycles;
  uint32_t unsafe_shutdowns;
};

#endif
