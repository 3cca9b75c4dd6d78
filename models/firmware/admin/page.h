/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of a log page.
 */
#ifndef WORDLINE_FIRMWARE_ADMIN_PAGE_H
#define WORDLINE_FIRMWARE_ADMIN_PAGE_H

#include <stdint.h>

static inline void wl_page_clear(uint8_t* page, uint32_t bytes) {
  for (uint32_t i = 0; i != bytes; ++i) page[i] = 0;
}
/* The lower `bytes` bytes of a value, at any byte. */
static inline void wl_page_put(uint8_t* page, uint32_t at, uint32_t bytes, uint32_t value) {
  for (uint32_t i = 0; i != bytes; ++i) page[at + i] = (uint8_t)(value >> 8u * i);
}

#endif
