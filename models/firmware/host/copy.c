/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Source: NVM Command Set Specification 1.0, 3.2.2.
 */
#include "models/firmware/host/copy.h"

#include "models/firmware/host/entry.h"
#include "models/firmware/host/host.h"
#include "models/firmware/host/job_ring.h"
#include "models/firmware/host/state.h"

#define FORMAT_MASK 0xf00u /* of the dword of the length: format 0 alone */
#define NLB_MASK 0xffffu

static uint32_t ranges_of(const uint32_t* dw) { return (dw[WL_DW_LENGTH] & 0xff) + 1; }

uint32_t wl_copy_parse(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw, uint32_t tag) {
  if ((dw[WL_DW_LENGTH] & FORMAT_MASK) != 0 || wl_entry_is_inactive(fw, dw)) return WL_STATUS_INVALID_FIELD;
  const uint32_t count = ranges_of(dw);
  if (count > WL_COPY_RANGES) return WL_STATUS_SIZE_LIMIT;
  uint32_t pages = 0;
  uint32_t status = wl_entry_check_directive(fw, dw);
  if (status == WL_STATUS_OK)
    status = wl_entry_check_prps(dw, count * (uint32_t)sizeof(struct wl_copy_range), 4, &pages);
  if (status != WL_STATUS_OK) return status;
  FW_TASK(hal, WL_COST_HOST_LIST);
  ++wl_host_state(fw)->fetches;
  wl_entry_post(fw, hal, WL_JOB_RANGES, tag, WL_STATUS_OK,
                count * (uint32_t)(sizeof(struct wl_copy_range) / sizeof(struct wl_dsm_range)));
  return WL_STATUS_OK;
}

/* The next range is good; its LBAs count for the whole command. */
static uint32_t check_range(struct wl_firmware* fw, const uint32_t* dw, const struct wl_copy_range* range) {
  struct wl_host* h = wl_host_state(fw);
  const uint32_t shift = h->namespaces->lba_shift;
  const uint32_t lbas = (range->blocks & NLB_MASK) + 1;
  struct wl_extent extent;
  if (lbas << shift > WL_COPY_SOURCE_BLOCKS) return WL_STATUS_SIZE_LIMIT;
  const uint64_t slba = (uint64_t)range->slba_high << 32 | range->slba_low;
  if (!wl_entry_extent(fw, dw, slba, lbas, &extent)) return WL_STATUS_LBA_RANGE;
  h->copy_lbas += lbas;
  return WL_STATUS_OK;
}

/* All ranges together, and where they go. */
static uint32_t check_destination(const struct wl_firmware* fw, const uint32_t* dw) {
  const struct wl_host* h = wl_host_view(fw);
  struct wl_extent extent;
  if (h->copy_lbas << h->namespaces->lba_shift > WL_COPY_BLOCKS) return WL_STATUS_SIZE_LIMIT;
  const uint64_t slba = (uint64_t)dw[WL_DW_SLBA + 1] << 32 | dw[WL_DW_SLBA];
  return wl_entry_extent(fw, dw, slba, h->copy_lbas, &extent) ? WL_STATUS_OK : WL_STATUS_LBA_RANGE;
}

bool wl_copy_take_ranges(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw, uint32_t tag) {
  struct wl_host* h = wl_host_state(fw);
  const struct wl_copy_range* ranges = (const struct wl_copy_range*)h->ranges;
  const uint32_t count = ranges_of(dw);
  for (uint32_t budget = WL_RANGE_BUDGET; budget != 0; --budget) {
    FW_TASK(hal, WL_COST_HOST_RANGE);
    uint32_t status = check_range(fw, dw, &ranges[h->range_next]);
    const bool last = ++h->range_next == count;
    if (status == WL_STATUS_OK && !last) continue;
    if (status == WL_STATUS_OK) status = check_destination(fw, dw);
    if (status != WL_STATUS_OK) {
      wl_entry_post(fw, hal, WL_JOB_COMPLETE, tag, status, 0);
      return true;
    }
    struct wl_host_job job = {0};
    job.op = WL_JOB_BEGIN_COPY;
    job.flags = wl_has_handles(fw) ? wl_entry_handle(fw, hal, dw) : 0;
    job.tag = (uint16_t)tag;
    wl_host_post(fw, hal, &job);
    return true;
  }
  return false;
}
