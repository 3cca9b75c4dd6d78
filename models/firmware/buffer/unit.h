/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program unit of the data buffer as other rooms see it.
 */
#ifndef WORDLINE_FIRMWARE_BUFFER_UNIT_H
#define WORDLINE_FIRMWARE_BUFFER_UNIT_H

#include <stdint.h>

#include "models/firmware/contract/address.h"

enum wl_unit_state {
  WL_UNIT_FREE,
  WL_UNIT_OPEN,    /* slots are handed out */
  WL_UNIT_CLOSING, /* all handed out, data still arriving */
  WL_UNIT_READY,   /* waits for a PPA */
  WL_UNIT_PROGRAMMING,
  WL_UNIT_DONE, /* programmed, readers left */
};
#define WL_UNIT_ENDED 0x80000000u /* the program has, its word line is not complete: word_line.h */
struct wl_unit {                  /* consecutive slots */
  uint8_t state;
  uint8_t stream;
  uint16_t next;
  uint16_t filled;  /* slots handed out */
  uint16_t pending; /* slots whose data have not arrived */
  uint16_t readers; /* read segments that use its slots */
  uint16_t copied;  /* GC's: the data are in the slots */
  uint16_t padding; /* the host's: slots without data */
  uint16_t merged;  /* the host's: blocks of 512 bytes that are not from the host */
  uint16_t kept;    /* the host's: logical pages that are not from the host, the rest of pages written in part */
  uint16_t unused;  /* slots that were not handed out when it was closed */
  uint16_t lpages;  /* slots that it has in all, for data or padding */
  wl_slot_t slot;   /* first */
  wl_ppa_t ppa;     /* first, while programming */
  uint32_t control; /* of the program, beside WL_UNIT_ENDED */
  uint32_t sequence;
};

/* A unit of the host that is one page, of which a part is in its slots: the rest stays in the die. */
struct wl_part {
  wl_ppa_t rest;         /* PPA of the page that it begins as; WL_NONE: nothing is left of the rest */
  uint16_t first, count; /* logical pages in the slots; count 0: the page is there as a whole */
};

#endif
