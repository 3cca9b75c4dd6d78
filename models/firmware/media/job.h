/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A flash job under way as its senders see it: media alone writes it.
 */
#ifndef WORDLINE_FIRMWARE_MEDIA_JOB_H
#define WORDLINE_FIRMWARE_MEDIA_JOB_H

#include <stdint.h>

#include "models/firmware/contract/address.h"

enum wl_job_kind {
  WL_JOB_KIND_READ,
  WL_JOB_KIND_MERGE,
  WL_JOB_KIND_PROGRAM,
  WL_JOB_KIND_ERASE,
  WL_JOB_KIND_MOUNT,
  WL_JOB_KIND_CHECK,
  WL_JOB_KIND_PATROL,
  WL_JOB_KIND_PARITY, /* a program of it; index: of its sum */
  WL_JOB_KIND_MAP,    /* a load of a map page; index: of its slot */
  /* Their owners release the ids: */
  WL_JOB_KIND_MOVE,
  WL_JOB_KIND_REBUILD /* a read of another page of the row; index: of the rebuild */
};
struct wl_job {    /* a flash job under way; what its owner notes about it */
  uint8_t kind;    /* whose completion it is */
  uint8_t command; /* on whose behalf, for profiles: NVMe opcode or wl_command_type */
  uint16_t index;  /* tag or unit, or the next free id */
  wl_superblock_t superblock;
  wl_slot_t slot;
  uint16_t count;
  uint16_t rest; /* mover: logical pages still to be read one by one */
  uint8_t segment;
};

#endif
