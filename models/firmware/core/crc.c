/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/core/crc.h"

/* Half a byte at a time: a table of 64 bytes, and two steps a byte. */
__attribute__((noinline, cold)) uint32_t wl_crc32(const void* begin, const void* end) {
  static const uint32_t kTable[16] = {0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu, 0x76dc4190u, 0x6b6b51f4u,
                                      0x4db26158u, 0x5005713cu, 0xedb88320u, 0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu,
                                      0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu};
  uint32_t crc = 0xffffffffu;
  for (const uint8_t* byte = begin; byte != end; ++byte) {
    crc ^= *byte;
    crc = crc >> 4u ^ kTable[crc & 15u];
    crc = crc >> 4u ^ kTable[crc & 15u];
  }
  return ~crc;
}
