/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * NVMe I/O opcodes and status values. Source: NVM Express Base Specification 2.0, 3.3.3.2.1; NVM Command Set
 * Specification 1.0, 3.
 */
#ifndef WORDLINE_FIRMWARE_HOST_NVME_H
#define WORDLINE_FIRMWARE_HOST_NVME_H

enum wl_opcode { WL_OP_FLUSH = 0, WL_OP_WRITE = 1, WL_OP_READ = 2, WL_OP_WRITE_ZEROES = 8, WL_OP_DEALLOCATE = 9 };

/* Status: type << 8 | code. */
#define WL_STATUS_OK 0x000u
#define WL_STATUS_INVALID_OPCODE 0x001u
#define WL_STATUS_INVALID_FIELD 0x002u
#define WL_STATUS_TRANSFER_ERROR 0x004u
#define WL_STATUS_INVALID_NAMESPACE 0x00bu
#define WL_STATUS_PRP_OFFSET 0x013u
#define WL_STATUS_LBA_RANGE 0x080u
#define WL_STATUS_WRITE_PROTECTED 0x020u
#define WL_STATUS_WRITE_FAULT 0x280u
#define WL_STATUS_READ_ERROR 0x281u
#define WL_STATUS_DNR 0x4000u /* do not retry */

#endif
