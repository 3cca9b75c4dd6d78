/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs with parameters of their own, and what the die measured of them: two tables in tightly coupled memory.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_PROGRAM_TABLES_H
#define WORDLINE_FIRMWARE_CONTRACT_PROGRAM_TABLES_H

#include <stdint.h>

#include "models/firmware/contract/layout.h"

/* wl_flash_job.control of a program: which set of parameters, whether a report is wanted, and how its page begins.
 * Other bits are 0. */
#define WL_PROGRAM_SET 0xffu     /* number of the set; 0: the device's own program */
#define WL_PROGRAM_REPORT 0x100u /* read Lmin, Lmax, BER_EP1 and loops, write wl_program_report, then complete */
#define WL_PROGRAM_CHECK \
  0x400u /* the same with BER_EP1 alone, the rest of the report is 0; not with WL_PROGRAM_REPORT */
#define WL_PROGRAM_MEASURES (WL_PROGRAM_REPORT | WL_PROGRAM_CHECK)
/* Read and modify in the die, where a program is one page of one plane: the page begins as a copy of page `source` of
 * the die, with the raw bit errors that it is sensed with; the `count` logical pages from `lpage` on, some but not all,
 * are replaced by those in the slots from `slot` on. */
#define WL_PROGRAM_MODIFY 0x200u

/* In SLC mode, one bit a cell, where a program is a word line: of the unit the first page alone is written, in all
 * planes, and `count` is that of this page. All programs of a block between two erases are in one mode. Reads of such
 * a block name the first page of a word line; the channel knows its mode. With no other of these. */
#define WL_PROGRAM_SLC 0x800u

/* Table of sets, base address in FLASH.PROGRAM_SETS, FLASH.PROGRAM_SET_COUNT entries; entry 0 is never read. An entry
 * does not change while a job that names it is outstanding. The features of a die that differ from what a program asks
 * for are set before its data, one by one; they stay until another program wants others. */
#define WL_PROGRAM_SETS 64u     /* at most, entry 0 included */
#define WL_CELL_STATES 16u      /* states that a cell may have; index s is Ps, 0 is unused */
struct wl_program_set {         /* 24 bytes */
  uint16_t step_mv;             /* ISPP step; 0: the device's */
  uint16_t start_raise_mv;      /* Vstart above the default, a multiple of 10 */
  uint16_t final_cut_mv;        /* Vfinal below the default, a multiple of 10 */
  uint16_t reserved;            /* 0 */
  uint8_t skip[WL_CELL_STATES]; /* verifies of Ps left out, counted from loop 1 of the uncut program */
};

/* Table of reports, base address in FLASH.PROGRAM_REPORTS, FLASH.PROGRAM_REPORT_COUNT entries, by id of the job.
 * Written before the completion. A program that failed has measured nothing: states is 0. */
struct wl_program_report { /* 40 bytes */
  uint8_t states;          /* programmed states of a cell; 0: nothing was measured */
  uint8_t loops;           /* of the uncut program: what the numbers below count in */
  uint16_t reserved;
  uint32_t ber_ep1;              /* errors per cell between erased and P1 right after the program, in 1e-9 */
  uint8_t l_min[WL_CELL_STATES]; /* loop in which the first cell of Ps passed, */
  uint8_t l_max[WL_CELL_STATES]; /* and the last; counted from the default Vstart */
};
WL_SIZE_IS(struct wl_program_set, 24);
WL_SIZE_IS(struct wl_program_report, 40);

#endif
