/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the drive's policy remembers.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_STATE_H
#define WORDLINE_FIRMWARE_POLICY_STATE_H

#include <stdint.h>

struct wl_policies { /* null where the policy declares none; zeros at first */
  uint8_t* sectors;  /* by exported sector */
  void* table;
  void* arena;
};

#endif
