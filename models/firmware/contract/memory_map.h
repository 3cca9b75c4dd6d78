/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bus addresses, as the cores and the hardware see them.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_MEMORY_MAP_H
#define WORDLINE_FIRMWARE_CONTRACT_MEMORY_MAP_H

#include <stdint.h>

#define WL_ITCM_BASE 0x00000000u /* code and constants, all cores */
#define WL_ITCM_SIZE 0x00040000u
#define WL_TCM_BASE 0x10000000u /* shared data, rings, stacks: one cycle */
#define WL_TCM_SIZE 0x00800000u
#define WL_MMIO_BASE 0x40000000u /* registers: see models/registers/wordline.rdl */
#define WL_MMIO_SIZE 0x00100000u
#define WL_APB_OFFSET 0x00007000u /* from WL_MMIO_BASE: registers of a block of a user's own (docs/own_rtl.md) */
#define WL_APB_SIZE 0x00001000u
#define WL_DRAM_BASE 0x80000000u /* L2P map and large tables; the data buffer's bytes are behind slots, not mapped */
#define WL_DRAM_SIZE 0x80000000u

#endif
