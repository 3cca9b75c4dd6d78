/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rings live in tightly coupled memory. One side produces, one consumes; the counters run free and are taken modulo the
 * size (a power of two). A hardware producer writes the entry, then the counter, then raises its interrupt source. A
 * firmware producer writes the entry, then the counter, then writes the counter's value to the doorbell register;
 * hardware reads entries only up to the last doorbell value, at the doorbell's arrival time. Rings are sized so that
 * they cannot overflow (no more entries than commands, jobs or slots that can be outstanding); each side asserts it.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_RING_H
#define WORDLINE_FIRMWARE_CONTRACT_RING_H

#include <stdint.h>

#include "models/firmware/contract/layout.h"

struct wl_ring { /* header; entries follow at WL_RING_ENTRIES bytes */
  volatile uint32_t produced;
  uint32_t reserved0[3];
  volatile uint32_t consumed;
  uint32_t reserved1[3];
};
#define WL_RING_ENTRIES 32u
WL_SIZE_IS(struct wl_ring, WL_RING_ENTRIES);

#endif
