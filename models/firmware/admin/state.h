/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the admin room.
 */
#ifndef WORDLINE_FIRMWARE_ADMIN_STATE_H
#define WORDLINE_FIRMWARE_ADMIN_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/admin/self_test.h"
#include "models/firmware/context.h"

struct wl_self_test_result {
  uint8_t status; /* self-test code << 4 | wl_self_test_end */
  uint8_t segment;
  bool names_lpn;
  wl_lpn_t lpn;
};
struct wl_self_test {
  uint8_t code;           /* wl_self_test_code: of what runs */
  uint8_t failed_segment; /* wl_self_test_segment, of the drive itself; 0: none */
  wl_lpn_t first, end;    /* what is tested */
  uint32_t count, newest; /* results */
  struct wl_self_test_result result[WL_SELF_TEST_RESULTS];
};

struct wl_admin {
  const struct wl_sqe* entry;         /* of the command, as the host wrote it */
  uint8_t* page;                      /* WL_ADMIN_PAGE_BYTES: the data of the answer */
  uint16_t resets;                    /* of the controller, as of the last command */
  uint16_t over, under;               /* temperature thresholds, in kelvins */
  uint32_t events;                    /* Features 0Bh: which events the host wants */
  uint8_t told;                       /* critical warnings that the host has been told of, and that still hold */
  uint8_t erasure;                    /* wl_erasure_phase */
  wl_lpn_t erasure_lpn;               /* the next one to be deallocated */
  bool removes;                       /* the logical pages of a namespace */
  wl_lpn_t removal_next, removal_end; /* ... those that are left */
  uint32_t to_erase;                  /* superblocks, when the erases began */
  uint8_t sanitized;                  /* wl_sanitize_status */
  uint32_t sanitize_dw10;             /* of the last Sanitize */
  uint32_t sanitize_writes;           /* of the host, when it ended */
  bool lends;                         /* the host gives memory or takes it back: to be answered */
  uint32_t lent;                      /* ... map pages that it has room for then */
  struct wl_self_test test;
  bool awaits_reading; /* it has been told by an event, and has not read the log since */
};

#endif
