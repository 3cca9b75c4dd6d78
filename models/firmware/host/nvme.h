/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * NVMe opcodes, identifiers and status values that firmware knows. Source: NVM Express Base
 * Specification 2.0, 3.3.3.2.1; NVM Command Set Specification 1.0, 3.
 */
#ifndef WORDLINE_FIRMWARE_HOST_NVME_H
#define WORDLINE_FIRMWARE_HOST_NVME_H

/* Double words of a submission entry that all commands have, and a namespace identifier. */
enum wl_sqe_dword {
  WL_DW_OPCODE = 0,
  WL_DW_NSID = 1,
  WL_DW10 = 10,
  WL_DW11 = 11,
  WL_DW12 = 12,
  WL_DW13 = 13,
  WL_DW14 = 14,
  WL_DW15 = 15
};
#define WL_ALL_NAMESPACES 0xffffffffu

enum wl_opcode {
  WL_OP_FLUSH = 0x00,
  WL_OP_WRITE = 0x01,
  WL_OP_READ = 0x02,
  WL_OP_WRITE_UNCORRECTABLE = 0x04,
  WL_OP_COMPARE = 0x05,
  WL_OP_WRITE_ZEROES = 0x08,
  WL_OP_DEALLOCATE = 0x09,
  WL_OP_VERIFY = 0x0c,
  WL_OP_COPY = 0x19
};

enum wl_admin_opcode {
  WL_ADMIN_GET_LOG_PAGE = 0x02,
  WL_ADMIN_ABORT = 0x08,
  WL_ADMIN_SET_FEATURES = 0x09,
  WL_ADMIN_GET_FEATURES = 0x0a,
  WL_ADMIN_NAMESPACE = 0x0d, /* Namespace Management: to delete */
  WL_ADMIN_SELF_TEST = 0x14,
  WL_ADMIN_FORMAT = 0x80,
  WL_ADMIN_SANITIZE = 0x84
};
/* I/O commands that come by way of the admin commands. */
enum wl_management_opcode { WL_MANAGEMENT_RECEIVE = 0x12, WL_MANAGEMENT_SEND = 0x1d };
/* FDP events (TP4146). */
enum wl_placement_event {
  WL_PLACEMENT_NOT_FULL = 0x00, /* a reclaim unit was left before it was full */
  WL_PLACEMENT_INVALID = 0x03,  /* a write names a placement identifier that there is not */
  WL_PLACEMENT_MOVED = 0x80,    /* GC takes up data of the handle */
};
#define WL_FEATURE_TEMPERATURE 0x04u
#define WL_FEATURE_ASYNC_EVENTS 0x0bu
#define WL_FEATURE_HOST_MEMORY 0x0du
#define WL_LOG_SMART 0x02u
#define WL_LOG_SELF_TEST 0x06u
#define WL_LOG_PLACEMENT 0x22u /* FDP statistics */
#define WL_LOG_SANITIZE 0x81u
#define WL_LOG_EXTENDED_SMART 0xc0u /* of OCP */

/* Status: type << 8 | code. */
#define WL_STATUS_OK 0x000u
#define WL_STATUS_ABORTED 0x007u /* by request */
#define WL_STATUS_INVALID_OPCODE 0x001u
#define WL_STATUS_INVALID_FIELD 0x002u
#define WL_STATUS_TRANSFER_ERROR 0x004u
#define WL_STATUS_INTERNAL_ERROR 0x006u
#define WL_STATUS_INVALID_NAMESPACE 0x00bu
#define WL_STATUS_PRP_OFFSET 0x013u
#define WL_STATUS_LBA_RANGE 0x080u
#define WL_STATUS_WRITE_PROTECTED 0x020u
#define WL_STATUS_NOT_SAVEABLE 0x10du
#define WL_STATUS_SELF_TEST_RUNS 0x11du
#define WL_STATUS_SIZE_LIMIT 0x183u /* of a Copy */
#define WL_STATUS_WRITE_FAULT 0x280u
#define WL_STATUS_READ_ERROR 0x281u
#define WL_STATUS_DNR 0x4000u /* do not retry */

#endif
