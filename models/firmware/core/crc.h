/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WORDLINE_FIRMWARE_CORE_CRC_H
#define WORDLINE_FIRMWARE_CORE_CRC_H

#include <stdint.h>

/* CRC-32 (IEEE 802.3) of the bytes from `begin` up to `end`. */
uint32_t wl_crc32(const void* begin, const void* end);

#endif
