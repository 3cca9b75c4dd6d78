/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Between the flash task and the channel controllers: jobs out, completions in.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_FLASH_RING_H
#define WORDLINE_FIRMWARE_CONTRACT_FLASH_RING_H

#include <stdint.h>

#include "models/firmware/contract/address.h"
#include "models/firmware/contract/layout.h"

/* flash task -> channel controller, one ring per channel, doorbell CHANNEL[i].JOB_DOORBELL.
 * A multi-plane page holds planes * lpages_per_page logical pages, plane 0 first. A program writes pages_per_program
 * multi-plane pages starting at `page` (a multiple of pages_per_program), logical pages in page order; `count` is
 * always the whole unit, but for WL_PROGRAM_MODIFY and WL_PROGRAM_SLC (program_tables.h). A read takes `count` logical
 * pages of one multi-plane page from `lpage` on: one plane, or a multi-plane read when the run crosses planes. Slots
 * are consecutive. Blocks are virtual (spare_blocks.h) but for WL_FLASH_MARKS: that reads whether a physical block left
 * the factory marked as bad, in all planes, and its completion's `history` has the planes where it did, as bits. */
enum wl_flash_op { WL_FLASH_READ = 1, WL_FLASH_PROGRAM = 2, WL_FLASH_ERASE = 3 /* all planes */, WL_FLASH_MARKS = 4 };
enum wl_flash_priority { WL_PRIORITY_HOST = 0, WL_PRIORITY_GC = 1 };
#define WL_NO_TAG 0xffffu
struct wl_flash_job { /* 32 bytes */
  uint8_t op;
  uint8_t priority;
  uint16_t id; /* comes back in the completion */
  uint16_t die;
  uint16_t tag; /* host command this job serves, WL_NO_TAG: none. Observation only. */
  uint32_t block;
  uint32_t page;
  uint16_t lpage;
  uint16_t count;
  wl_slot_t slot;
  union {
    uint32_t flags;  /* of a read: wl_flash_job_flags */
    uint32_t source; /* of a program with WL_PROGRAM_MODIFY: page of its die, block * pages + page */
    uint32_t sum;    /* of another program: 1 + the first slot of a sum, see below; 0: none */
  };
  uint32_t control; /* how: of a read WL_RETRY_..., of a program WL_PROGRAM_... (program_tables.h); 0: as the device */
};
/* A read that succeeds is finished by the completion engine: its data go to the host, the command of `tag` ends with
 * success. WL_FLASH_AUTOMATIC: then the firmware gets a DMA_DONE event instead of the completion; if the read fails,
 * the completion as always. WL_FLASH_ENGINE: built by the engines, the firmware hears nothing of it. */
enum wl_flash_job_flags {
  WL_FLASH_AUTOMATIC = 1,
  WL_FLASH_ENGINE = 2,
  WL_FLASH_COPY = 4, /* a read of the copy engine */
  WL_FLASH_SUM = 8   /* what it brings is XORed into its slots, content and spare record */
};
/* ---- parity over dies ----------------------------------------------------------------------------------------------
 * A program that names a sum, as many slots as it has itself: when it has succeeded, the XOR unit of the channel adds
 * its slots to these, content and spare record, before its completion is posted. A program of the sum itself names its
 * own slots: they are zeros when it has ended, however it has. */

/* channel controllers -> flash task, one ring for all channels. */
enum wl_flash_status {
  WL_FLASH_OK = 0,
  WL_FLASH_UNCORRECTABLE = 1,
  WL_FLASH_PROGRAM_FAIL = 2,
  WL_FLASH_ERASE_FAIL = 3,
  WL_FLASH_ATTEMPT_FAIL = 4, /* read, without WL_ENGINE_RETRY: codewords failed, the firmware decides */
};
struct wl_flash_completion { /* 8 bytes */
  uint16_t id;
  uint8_t status;
  uint8_t retries;  /* read: reference steps taken; ATTEMPT_FAIL: codewords without data */
  uint32_t history; /* read with all its data: bits corrected in its worst codeword; without: as ECC.LAST_STATUS;
                       ATTEMPT_FAIL: WL_REPORT_...; PROGRAM_FAIL, ERASE_FAIL: planes in which it failed, as bits, at
                       least one; else 0 */
};
WL_SIZE_IS(struct wl_flash_job, 32);
WL_SIZE_IS(struct wl_flash_completion, 8);

/* ---- where a read begins --------------------------------------------------------------------------------------------
 * A read with WL_RETRY_SET, a step and a number of senses begins there. When it fails, the retry controller, or the
 * firmware in its place, goes on: after a hard read as after one at the step of the table of optimal references, after
 * soft reads as if nothing had been read. With step 0 and one sense it begins at the default references whatever the
 * table says. Such a read shares its sense with no other and is no part of a READ CACHE sequence.
 *
 * ---- read retry by the firmware (without WL_ENGINE_RETRY; docs/ecc.md, docs/partitioning.md) ------------------------
 * A read senses and decodes once. When codewords fail, its logical pages that are complete lie in their slots, hardware
 * remembers which codewords the other slots lack, and the completion is WL_FLASH_ATTEMPT_FAIL. The firmware sends the
 * same job again with `control` set: the channel sets the references, senses and decodes what the slots lack, and
 * completes. The references stay after an attempt that failed and is not the last; a read without WL_RETRY_SET that
 * comes next sets them back first. */
#define WL_RETRY_STEP_SHIFT 0u   /* 4 bits: of the retry table, or the centre of the soft reads */
#define WL_RETRY_SENSES_SHIFT 4u /* 3 bits, reads that are put together: 0 and 1 hard; 2, 3, 5, 7 soft */
#define WL_RETRY_TAKEN_SHIFT 8u  /* 5 bits: reference steps taken after the first, with this one */
#define WL_RETRY_SET 0x10000u    /* sense at this step, so often; always set when `control` is not 0 */
#define WL_RETRY_REST 0x20000u   /* only what the slots lack since the attempt before */
#define WL_RETRY_LAST 0x40000u   /* nothing follows: restore the references, count what is lost */
#define WL_RETRY_CRC 0x80000u    /* an attempt before met a wrong CRC (for ECC.INJECT) */
/* The report of an attempt that failed. Weights are those of read retry (ECC): of codewords that tier 1 left.
 */
#define WL_REPORT_WEIGHT 0x7ffffu   /* their sum */
#define WL_REPORT_WEIGHED_SHIFT 19u /* 8 bits: codewords in it */
#define WL_REPORT_TIERS_SHIFT 27u   /* 3 bits: as in ECC.LAST_STATUS */
#define WL_REPORT_MISCORRECTED 0x40000000u
#define WL_REPORT_INJECTED 0x80000000u

/* Slot table: one entry per data buffer slot, in TCM, base address in FLASH.SLOT_TABLE: the spare record of its data.
 * The hardware writes the record of every slot of a program into the page's spare area, under the CRC of its logical
 * page, and fills it in from there on reads: what is torn, or fails otherwise, has no owner, as what is blank.
 *
 * Of all records of a logical page on flash that with the highest sequence has its data. Firmware gives the sequence
 * when the map changes to the data; copies keep it. It has 30 bits: so many logical pages can be written. Metadata that
 * name a logical page say that it is deallocated (a tombstone), with a sequence as data have one.
 *
 * Metadata of WL_LPN_TABLE are bytes of the firmware's own, in DRAM: FLASH.METADATA_TABLE is an array of bus addresses
 * in TCM, of the METADATA_COUNT slots from METADATA_FIRST on. What a program writes from such a slot with such a record
 * is the logical page at that address; what a read brings to such a slot goes there if its record is one of these, and
 * an address is given. All other slots hold content of the host.
 *
 * An address with one of the bits below is that of a map page, which has the record of a logical page: a program writes
 * what is at that address, or a read brings it there. */
#define WL_METADATA_WRITTEN 1u
#define WL_METADATA_READ 2u
#define WL_METADATA_BITS 3u
#define WL_LPN_TABLE 0xfffffffeu
#define WL_LPN_NONE 0xffffffffu
#define WL_RECORD_BLANK 0xffffffffu /* beside WL_LPN_NONE: blank, or nothing could be read */
#define WL_SPARE_KIND_SHIFT 30u
#define WL_SEQUENCE_STALE 0u /* of copies that were out of date before the run */
#define WL_SEQUENCE_FILL 1u  /* of the data that a drive begins with; those of the run have higher ones */
#define WL_SEQUENCE_MOST (0xffffffffu >> (32u - WL_SPARE_KIND_SHIFT))
enum wl_spare_kind { WL_SPARE_USER, WL_SPARE_METADATA, WL_SPARE_PARITY, WL_SPARE_PADDING };
struct wl_slot_info {
  wl_lpn_t lpn;    /* WL_LPN_NONE: padding, or nothing could be read */
  uint32_t record; /* wl_spare_kind << WL_SPARE_KIND_SHIFT | sequence; of padding any but WL_RECORD_BLANK, where
                      somebody is to tell it from blank cells */
};
WL_SIZE_IS(struct wl_slot_info, 8);
static inline uint32_t wl_spare_kind(const struct wl_slot_info* info) {
  return info->lpn == WL_LPN_NONE ? (uint32_t)WL_SPARE_PADDING : info->record >> WL_SPARE_KIND_SHIFT;
}
static inline uint32_t wl_spare_sequence(const struct wl_slot_info* info) { return info->record & WL_SEQUENCE_MOST; }

#endif
