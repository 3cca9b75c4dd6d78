/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Submission entries that the controller only fetched: without WL_ENGINE_PARSE the host task checks them and takes them
 * apart. A command is refused for the first reason in the order below; the host gets the same answer from the parser in
 * hardware. Source: NVMe Base Specification 2.0, 3.3.3.1 (entry), 4.1.1 (PRP); NVM Command Set Specification 1.0, 3
 * (commands).
 */
#include "models/firmware/host/parse.h"

#include "models/firmware/engines/engines.h"
#include "models/firmware/host/host.h"
#include "models/firmware/host/job_ring.h"
#include "models/firmware/host/state.h"

enum { DW_PRP1 = 6, DW_PRP2 = 8, DW_SLBA = 10, DW_RANGES = 10, DW_DSM = 11, DW_LENGTH = 12, DW_PLACEMENT = 13 };

#define FUSE_OR_PSDT 0xc300u /* of dword 0: fused operations and SGLs are not supported */
#define FUA (1u << 30)
#define DEALLOCATE (1u << 2)
#define DIRECTIVE_SHIFT 20u /* DTYPE, in the dword of the length */
#define DIRECTIVE_MASK 15u
#define DATA_PLACEMENT 2u
#define SPECIFIC_SHIFT 16u /* DSPEC: a placement identifier is the number of the handle */
#define PAGE_MASK 4095u
#define BLOCK_BYTES 512u

#define RANGE_BUDGET 32u /* ranges of one poll */

static bool known(uint32_t opcode) {
  return opcode <= WL_OP_READ || opcode == WL_OP_WRITE_ZEROES || opcode == WL_OP_DEALLOCATE;
}

/* Blocks of 512 bytes among all namespaces. */
struct extent {
  uint64_t first;
  uint32_t blocks;
};

static bool is_namespace(const struct wl_firmware* fw, uint32_t nsid) {
  return nsid - 1 < wl_host_view(fw)->namespaces->count;
}

/* LBAs of the namespace that the entry names; false: they end beyond it. */
static bool extent_of(const struct wl_firmware* fw, const uint32_t* dw, uint64_t slba, uint32_t lbas,
                      struct extent* extent) {
  const struct wl_namespace_table* table = wl_host_view(fw)->namespaces;
  const struct wl_namespace* own = &table->namespaces[dw[WL_DW_NSID] - 1];
  const uint64_t end = own->blocks >> table->lba_shift;
  if (slba > end || lbas > end - slba) return false;
  extent->first = own->first + (slba << table->lba_shift);
  extent->blocks = lbas << table->lba_shift;
  return true;
}

/* That of a read, write or write zeroes. */
static bool extent_of_entry(const struct wl_firmware* fw, const uint32_t* dw, struct extent* extent) {
  const uint64_t slba = (uint64_t)dw[DW_SLBA + 1] << 32 | dw[DW_SLBA];
  return extent_of(fw, dw, slba, (dw[DW_LENGTH] & 0xffff) + 1, extent);
}

/* PRPs of `bytes` bytes, the first at a multiple of `unit`. *pages: how many host pages they are. */
static uint32_t check_prps(const uint32_t* dw, uint32_t bytes, uint32_t unit, uint32_t* pages) {
  if ((dw[DW_PRP1] & (unit - 1)) != 0) return WL_STATUS_PRP_OFFSET;
  *pages = ((dw[DW_PRP1] & PAGE_MASK) + bytes + PAGE_MASK) / (PAGE_MASK + 1);
  if (*pages == 1) return WL_STATUS_OK;
  if (*pages == 2) return (dw[DW_PRP2] & PAGE_MASK) != 0 ? WL_STATUS_PRP_OFFSET : WL_STATUS_OK;
  if (dw[DW_PRP2] % 8 != 0) return WL_STATUS_PRP_OFFSET;
  return dw[DW_PRP2] == 0 && dw[DW_PRP2 + 1] == 0 ? WL_STATUS_INVALID_FIELD : WL_STATUS_OK; /* no list */
}

static void post(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t op, uint32_t tag, uint32_t status,
                 uint32_t count) {
  struct wl_host_job job = {0};
  job.op = (uint8_t)op;
  job.tag = (uint16_t)tag;
  job.status = (uint16_t)(status == WL_STATUS_OK ? status : status | WL_STATUS_DNR);
  job.count = (uint16_t)count;
  wl_host_post(fw, hal, &job);
}

/* Of a write. One that names none, or one that there is not, belongs to the first. */
static uint8_t handle_of(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw) {
  if ((dw[DW_LENGTH] >> DIRECTIVE_SHIFT & DIRECTIVE_MASK) != DATA_PLACEMENT) return 0;
  const uint32_t handle = dw[DW_PLACEMENT] >> SPECIFIC_SHIFT;
  if (handle < fw->boot.ftl.placement.handles) return (uint8_t)handle;
  struct wl_host_job job = {0};
  job.op = WL_JOB_PLACEMENT_EVENT;
  job.flags = WL_PLACEMENT_INVALID;
  job.tag = WL_NO_TAG;
  job.status = (uint16_t)handle;
  wl_host_post(fw, hal, &job);
  return 0;
}

/* `extent` NULL: of a FLUSH, which has none. */
static void request(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw, uint32_t tag,
                    const struct extent* extent) {
  struct wl_request* r = WL_QUEUE_IN(&wl_host_state(fw)->requests, struct wl_request);
  const uint32_t opcode = dw[WL_DW_OPCODE] & 0xff;
  r->op = (uint8_t)opcode;
  r->flags = WL_EVENT_LAST;
  r->tag = (uint16_t)tag;
  r->lpn = 0;
  r->first = 0;
  r->blocks = 0;
  if (extent != NULL) {
    if ((dw[DW_LENGTH] & FUA) != 0) r->flags |= WL_EVENT_FUA;
    if (wl_has_handles(fw) && opcode == WL_OP_WRITE) r->flags |= handle_of(fw, hal, dw) << WL_EVENT_HANDLE_SHIFT;
    r->lpn = wl_lpage_of_lba(fw, (uint32_t)extent->first, (uint32_t)(extent->first >> 32));
    r->first = wl_lba_in_lpage(fw, (uint32_t)extent->first);
    r->blocks = extent->blocks;
  }
  wl_queue_push(&wl_host_state(fw)->requests, hal);
  wl_notify(fw, hal, WL_TASK_FTL);
}

/* Read, write, write zeroes. */
static uint32_t parse_blocks(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw, uint32_t tag) {
  const uint32_t blocks = ((dw[DW_LENGTH] & 0xffff) + 1) << wl_host_view(fw)->namespaces->lba_shift;
  struct extent extent;
  const bool moves_data = (dw[WL_DW_OPCODE] & 0xff) != WL_OP_WRITE_ZEROES;
  if (moves_data && blocks > wl_host_state(fw)->max_blocks) return WL_STATUS_INVALID_FIELD;
  if (!extent_of_entry(fw, dw, &extent)) return WL_STATUS_LBA_RANGE;
  if (wl_has_handles(fw) && (dw[WL_DW_OPCODE] & 0xff) == WL_OP_WRITE) {
    const uint32_t directive = dw[DW_LENGTH] >> DIRECTIVE_SHIFT & DIRECTIVE_MASK;
    if (directive != 0 && directive != DATA_PLACEMENT) return WL_STATUS_INVALID_FIELD;
  }
  if (moves_data) {
    uint32_t pages = 0;
    const uint32_t status = check_prps(dw, blocks * BLOCK_BYTES, BLOCK_BYTES, &pages);
    if (status != WL_STATUS_OK) return status;
    wl_host_state(fw)->extents[tag] = wl_lba_in_lpage(fw, (uint32_t)extent.first) | blocks << WL_EXTENT_FIRST_BITS;
    if (pages > 2) {
      FW_TASK(hal, WL_COST_HOST_LIST);
      ++wl_host_state(fw)->fetches;
      post(fw, hal, WL_JOB_PRP_LIST, tag, WL_STATUS_OK, 0);
      return WL_STATUS_OK;
    }
  }
  request(fw, hal, dw, tag, &extent);
  return WL_STATUS_OK;
}

static uint32_t parse_ranges(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw, uint32_t tag) {
  const uint32_t count = (dw[DW_RANGES] & 0xff) + 1;
  uint32_t pages = 0;
  const uint32_t status = check_prps(dw, count * (uint32_t)sizeof(struct wl_dsm_range), 4, &pages);
  if (status != WL_STATUS_OK) return status;
  if ((dw[DW_DSM] & DEALLOCATE) == 0) { /* hints only: nothing to do */
    post(fw, hal, WL_JOB_COMPLETE, tag, WL_STATUS_OK, 0);
    return WL_STATUS_OK;
  }
  FW_TASK(hal, WL_COST_HOST_LIST);
  ++wl_host_state(fw)->fetches;
  post(fw, hal, WL_JOB_RANGES, tag, WL_STATUS_OK, count);
  return WL_STATUS_OK;
}

static uint32_t parse(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw, uint32_t tag) {
  const uint32_t opcode = dw[WL_DW_OPCODE] & 0xff;
  if (!known(opcode)) return WL_STATUS_INVALID_OPCODE;
  FW_FOR(hal, opcode, tag);
  wl_host_state(fw)->tag_opcode[tag] = (uint8_t)opcode;
  if ((dw[WL_DW_OPCODE] & FUSE_OR_PSDT) != 0) return WL_STATUS_INVALID_FIELD;
  const bool all = opcode == WL_OP_FLUSH && dw[WL_DW_NSID] == WL_ALL_NAMESPACES;
  if (!is_namespace(fw, dw[WL_DW_NSID]) && !all) return WL_STATUS_INVALID_NAMESPACE;
  if (opcode == WL_OP_DEALLOCATE) return parse_ranges(fw, hal, dw, tag);
  if (opcode != WL_OP_FLUSH) return parse_blocks(fw, hal, dw, tag);
  if (fw->boot.power_safe)
    post(fw, hal, WL_JOB_COMPLETE, tag, WL_STATUS_OK, 0);
  else
    request(fw, hal, dw, tag, NULL);
  return WL_STATUS_OK;
}

/* All ranges are checked before the first is handed over. True: done with the event. */
static bool take_ranges(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw, uint32_t tag) {
  const uint32_t count = (dw[DW_RANGES] & 0xff) + 1;
  for (uint32_t budget = RANGE_BUDGET; budget != 0; --budget) {
    FW_TASK(hal, WL_COST_HOST_RANGE);
    const uint32_t i = wl_host_state(fw)->range_next++;
    const struct wl_dsm_range* range = &wl_host_state(fw)->ranges[i];
    const uint64_t slba = (uint64_t)range->slba_high << 32 | range->slba_low;
    struct extent extent = {0, 0};
    const bool inside = extent_of(fw, dw, slba, range->blocks, &extent);
    if (!wl_host_state(fw)->ranges_checked) {
      if (!inside) {
        post(fw, hal, WL_JOB_COMPLETE, tag, WL_STATUS_LBA_RANGE, 0);
        return true;
      }
      if (range->blocks != 0) wl_host_state(fw)->range_last = i;
      if (i + 1 < count) continue;
      if (wl_host_state(fw)->range_last == WL_NONE) { /* all are empty */
        post(fw, hal, WL_JOB_COMPLETE, tag, WL_STATUS_OK, 0);
        return true;
      }
      wl_host_state(fw)->ranges_checked = true;
      wl_host_state(fw)->range_next = 0;
      continue;
    }
    if (range->blocks == 0) continue;
    struct wl_request* r = WL_QUEUE_IN(&wl_host_state(fw)->requests, struct wl_request);
    r->op = WL_OP_DEALLOCATE;
    r->flags = i == wl_host_state(fw)->range_last ? WL_EVENT_LAST : 0;
    r->tag = (uint16_t)tag;
    r->lpn = wl_lpage_of_lba(fw, (uint32_t)extent.first, (uint32_t)(extent.first >> 32));
    r->first = wl_lba_in_lpage(fw, (uint32_t)extent.first);
    r->blocks = extent.blocks;
    wl_queue_push(&wl_host_state(fw)->requests, hal);
    wl_notify(fw, hal, WL_TASK_FTL);
    if (i == wl_host_state(fw)->range_last) return true;
  }
  return false;
}

bool wl_parse_event(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_host_event* e) {
  const uint32_t tag = e->tag;
  WL_ASSERT(hal, !wl_has_engines(fw, WL_ENGINE_PARSE) && tag < fw->boot.host_tags);
  const uint32_t* dw = wl_host_state(fw)->entries[tag].dword;
  if (e->type == WL_EVENT_SQE) {
    FW_TASK(hal, WL_COST_HOST_PARSE);
    const uint32_t status = parse(fw, hal, dw, tag);
    if (status != WL_STATUS_OK) post(fw, hal, WL_JOB_COMPLETE, tag, status, 0);
    return true;
  }
  WL_ASSERT(hal, e->type == WL_EVENT_LIST || e->type == WL_EVENT_RANGES);
  FW_FOR(hal, wl_host_state(fw)->tag_opcode[tag], tag);
  if (e->type == WL_EVENT_RANGES && wl_host_state(fw)->range_tag == tag) {
    if (!take_ranges(fw, hal, dw, tag)) return false;
    wl_host_state(fw)->range_tag = WL_NONE;
    return true;
  }
  FW_TASK(hal, WL_COST_HOST_LIST);
  --wl_host_state(fw)->fetches;
  if (e->count != WL_STATUS_OK) {
    post(fw, hal, WL_JOB_COMPLETE, tag, e->count, 0);
    return true;
  }
  if (e->type == WL_EVENT_LIST) {
    struct extent extent;
    WL_ASSERT(hal, extent_of_entry(fw, dw, &extent)); /* it was found so before the list was asked for */
    request(fw, hal, dw, tag, &extent);
    return true;
  }
  wl_host_state(fw)->range_tag = tag;
  wl_host_state(fw)->range_next = 0;
  wl_host_state(fw)->range_last = WL_NONE;
  wl_host_state(fw)->ranges_checked = false;
  return false;
}
