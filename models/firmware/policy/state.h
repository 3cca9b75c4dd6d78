/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the drive's policy remembers.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_STATE_H
#define WORDLINE_FIRMWARE_POLICY_STATE_H

#include <stdint.h>

#include "models/firmware/context.h"

struct wl_agcr;
struct wl_cube;
struct wl_ppb;

struct wl_policies { /* null where the policy declares none; zeros at first */
  uint8_t* lpages;   /* by exported logical page */
  void* table;
  void* arena;
  /* What a policy is made of, in its arena: so functions of two policies work side by side in one table. */
  struct wl_agcr* agcr;
  struct wl_cube* cube;
  struct wl_ppb* ppb;
};

#endif
