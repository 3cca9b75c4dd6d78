/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A firmware that does what its test asks for, in place of the real one: work and its kind are words in tightly coupled
 * memory.
 */
#ifndef WORDLINE_TESTBENCHES_FAKE_FIRMWARE_H
#define WORDLINE_TESTBENCHES_FAKE_FIRMWARE_H

#include "models/firmware/firmware.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FAKE_CONTEXT 0x1000u /* offset in tightly coupled memory */
#define FAKE_PANIC_LINE 42u  /* of the WL_ASSERT in fake_firmware.c */

enum fake_work { FAKE_DOORBELL, FAKE_IPI, FAKE_PANIC, FAKE_BAD_REGISTER, FAKE_BAD_TAG, FAKE_BAD_WAIT, FAKE_FREE };

struct fake_core {
  uint32_t work; /* polls that find something */
  uint32_t what; /* enum fake_work */
  uint32_t stay_awake;
  uint32_t sent;
  uint32_t polls;
  uint32_t wakes;
  uint32_t claimed;
  uint32_t after_panic;
};
struct wl_firmware {
  struct fake_core core[2];
};

struct wl_firmware* fake_boot(const struct wl_hal* hal);
bool fake_poll(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core);
void fake_wake(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core);
bool fake_may_sleep(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t core);

#ifdef __cplusplus
}
#endif
#endif
