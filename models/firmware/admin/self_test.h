/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Device Self-test and its log (NVMe Base Specification 2.0, 5.9, 5.16.1.7, 8.6). Three segments: the health of the
 * drive, the map, the media. Short: 64 logical pages, spread over what is tested; extended: all. Each is looked up in
 * the map and read from flash, behind the host's reads (service/check.h), and the test goes on to its end when one
 * fails. A short test ends with a reset of the controller, both with a Format, a Sanitize or
 * the loss of the host's power, or the end of a namespace that is tested.
 *
 * Known gaps: the log does not outlive power; power-on hours are 0. What lies in the write buffer is not read.
 */
#ifndef WORDLINE_FIRMWARE_ADMIN_SELF_TEST_H
#define WORDLINE_FIRMWARE_ADMIN_SELF_TEST_H

#include "models/firmware/context.h"

#define WL_SELF_TEST_RESULTS 20u /* of the log */
#define WL_SELF_TEST_SAMPLE 64u  /* logical pages of a short test */

enum wl_self_test_code {
  WL_SELF_TEST_NONE = 0,
  WL_SELF_TEST_SHORT = 1,
  WL_SELF_TEST_EXTENDED = 2,
  WL_SELF_TEST_ABORT = 15
};
enum wl_self_test_segment { WL_TEST_HEALTH = 1, WL_TEST_MAP = 2, WL_TEST_MEDIA = 3 };
enum wl_self_test_end {
  WL_SELF_TEST_PASSED = 0,
  WL_SELF_TEST_ABORTED = 1,
  WL_SELF_TEST_RESET = 2,
  WL_SELF_TEST_REMOVED = 3, /* a namespace that it tests is deleted */
  WL_SELF_TEST_FORMAT = 4,
  WL_SELF_TEST_FAILED = 7, /* the segment says where first */
  WL_SELF_TEST_POWER = 8,  /* for a reason that NVMe does not name */
  WL_SELF_TEST_SANITIZE = 9,
  WL_SELF_TEST_UNUSED = 15
};

/* The command: its status. */
WL_MUST_CHECK uint32_t wl_self_test(struct wl_firmware* fw, const uint32_t* dw);
bool wl_self_test_runs(const struct wl_firmware* fw);
/* `warnings`: wl_critical_warning. */
void wl_self_test_step(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t warnings);
/* If one runs. */
void wl_self_test_stop(struct wl_firmware* fw, enum wl_self_test_end why);
/* These logical pages are deallocated with their namespace. */
void wl_self_test_remove(struct wl_firmware* fw, wl_lpn_t first, wl_lpn_t end);
/* The host has reset the controller. */
void wl_self_test_reset(struct wl_firmware* fw);
/* Fills in WL_SELF_TEST_LOG_BYTES. */
void wl_self_test_log(const struct wl_firmware* fw, uint8_t* page);

#endif
