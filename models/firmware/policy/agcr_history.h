/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How a map unit was accessed, in half a byte: the kind of its last access, and how many before it were of the same
 * kind without a break. No more is needed to say whether the last so many were all reads, or all writes. What lies
 * before the first access is not known and breaks no run: a unit that has been written once has only been written.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_AGCR_HISTORY_H
#define WORDLINE_FIRMWARE_POLICY_AGCR_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#define WL_AGCR_RUN 7u   /* length of the run; 0: never accessed */
#define WL_AGCR_WRITE 8u /* the last access was a write */

/* Bits of the others stay. `most`: accesses that count, 1 to 7. */
static inline uint8_t wl_agcr_noted(uint8_t entry, bool write, uint32_t most) {
  const uint32_t run = entry & WL_AGCR_RUN;
  const bool goes_on = ((entry & WL_AGCR_WRITE) != 0) == write;
  const uint32_t length = run == 0 ? most : !goes_on ? 1 : run < most ? run + 1 : most;
  return (uint8_t)((entry & ~(WL_AGCR_RUN | WL_AGCR_WRITE)) | (write ? WL_AGCR_WRITE : 0) | length);
}
static inline bool wl_agcr_unknown(uint8_t entry) { return (entry & WL_AGCR_RUN) == 0; }
/* The last `most` accesses, all that are known if they are fewer, were of one kind: known, and reads or writes. */
static inline bool wl_agcr_pure(uint8_t entry, uint32_t most) { return (entry & WL_AGCR_RUN) >= most; }
static inline bool wl_agcr_only_reads(uint8_t entry, uint32_t most) {
  return wl_agcr_pure(entry, most) && (entry & WL_AGCR_WRITE) == 0;
}
static inline bool wl_agcr_only_writes(uint8_t entry, uint32_t most) {
  return wl_agcr_pure(entry, most) && (entry & WL_AGCR_WRITE) != 0;
}

#endif
