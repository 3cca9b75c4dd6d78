/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Spare blocks. Firmware, engines and the map speak of virtual blocks: superblock n is virtual block n on every plane
 * of every die. Virtual block n is physical block n, unless that one is bad: then it is a spare block of the same
 * plane. The spares are the blocks of a plane behind the virtual ones.
 *
 * The table of spares has an entry for each spare of each plane of each die, in this order, and says which virtual
 * block the spare stands in for. The firmware writes it, the channel controllers search it when they build address
 * cycles. It lies at the beginning of DRAM (base in FLASH.SPARE_TABLE), where an earlier boot has left it if the drive
 * was in use before. An entry changes only while no job of its virtual block is under way.
 *
 * Where the planes of an operation must address the same block (wl_replacement.by_plane is 0) all planes of a die
 * get the same spare at once.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_SPARE_BLOCKS_H
#define WORDLINE_FIRMWARE_CONTRACT_SPARE_BLOCKS_H

#include <stdint.h>

#define WL_SPARE_FREE 0u          /* else the virtual block + 1, or: */
#define WL_SPARE_PROMISED 0xfffeu /* will stand in for a block that is still in use */
#define WL_SPARE_BAD 0xffffu
#define WL_SPARE_BLOCKS_MAX 0xfffdu /* virtual blocks that an entry can name */

/* The physical block behind a virtual one, by the entries of its plane. In hardware: compared with all at once. */
static inline uint32_t wl_physical_block(const uint16_t* of_plane, uint32_t spares, uint32_t virtual_blocks,
                                         uint32_t block) {
  for (uint32_t k = 0; k < spares; ++k)
    if (of_plane[k] == block + 1) return virtual_blocks + k;
  return block;
}

#endif
