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
#include "models/firmware/host/copy.h"
#include "models/firmware/host/entry.h"
#include "models/firmware/host/host.h"
#include "models/firmware/host/job_ring.h"
#include "models/firmware/host/state.h"

#define FUSE_OR_PSDT 0xc300u /* of dword 0: fused operations and SGLs are not supported */
#define FUA (1u << 30)
#define DEALLOCATE (1u << 2)
#define BLOCK_BYTES 512u
#define COLD __attribute__((noinline, cold))

#define BIT(opcode) (1u << (opcode))
#define KNOWN                                                                                                    \
  (BIT(WL_OP_FLUSH) | BIT(WL_OP_WRITE) | BIT(WL_OP_READ) | BIT(WL_OP_WRITE_UNCORRECTABLE) | BIT(WL_OP_COMPARE) | \
   BIT(WL_OP_WRITE_ZEROES) | BIT(WL_OP_DEALLOCATE) | BIT(WL_OP_VERIFY) | BIT(WL_OP_COPY))
#define AS_READ (BIT(WL_OP_READ) | BIT(WL_OP_COMPARE) | BIT(WL_OP_VERIFY))

/* Reads and writes first, here and below: the others are seldom. */
static bool known(uint32_t opcode) { return opcode <= WL_OP_READ || (opcode < 32 && (KNOWN >> opcode & 1) != 0); }

/* What the command is for all but the controller, which knows what becomes of the data. */
static uint32_t kind_of(uint32_t opcode) {
  if (opcode <= WL_OP_READ) return opcode;
  if ((AS_READ >> opcode & 1) != 0) return WL_OP_READ;
  return opcode == WL_OP_WRITE_UNCORRECTABLE || opcode == WL_OP_COPY ? WL_OP_WRITE : opcode;
}

static bool is_namespace(const struct wl_firmware* fw, uint32_t nsid) {
  return nsid - 1 < wl_host_view(fw)->namespaces->count;
}

/* That of a read, write or write zeroes. */
static bool extent_of_entry(const struct wl_firmware* fw, const uint32_t* dw, struct wl_extent* extent) {
  const uint64_t slba = (uint64_t)dw[WL_DW_SLBA + 1] << 32 | dw[WL_DW_SLBA];
  return wl_entry_extent(fw, dw, slba, (dw[WL_DW_LENGTH] & 0xffff) + 1, extent);
}

/* `extent` NULL: of a FLUSH, which has none. */
static void request(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw, uint32_t tag,
                    const struct wl_extent* extent) {
  struct wl_request* r = WL_QUEUE_IN(&wl_host_state(fw)->requests, struct wl_request);
  const uint32_t opcode = dw[WL_DW_OPCODE] & 0xff;
  r->op = wl_host_state(fw)->tag_opcode[tag];
  r->flags = WL_EVENT_LAST;
  r->tag = (uint16_t)tag;
  r->lpn = 0;
  r->first = 0;
  r->blocks = 0;
  if (extent != NULL) {
    if ((dw[WL_DW_LENGTH] & FUA) != 0 && opcode != WL_OP_WRITE_UNCORRECTABLE) r->flags |= WL_EVENT_FUA;
    if (wl_has_handles(fw) && opcode == WL_OP_WRITE) r->flags |= wl_entry_handle(fw, hal, dw) << WL_EVENT_HANDLE_SHIFT;
    r->lpn = wl_lpage_of_lba(fw, (uint32_t)extent->first, (uint32_t)(extent->first >> 32));
    r->first = wl_lba_in_lpage(fw, (uint32_t)extent->first);
    r->blocks = extent->blocks;
  }
  wl_queue_push(&wl_host_state(fw)->requests, hal);
  wl_notify(fw, hal, WL_TASK_FTL);
}

/* All with an LBA and a length. Write zeroes alone has no data that are the host's. */
static uint32_t parse_blocks(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw, uint32_t tag) {
  const uint32_t blocks = ((dw[WL_DW_LENGTH] & 0xffff) + 1) << wl_host_view(fw)->namespaces->lba_shift;
  struct wl_extent extent;
  const bool moves_data = (dw[WL_DW_OPCODE] & 0xff) != WL_OP_WRITE_ZEROES;
  if (moves_data && blocks > wl_host_state(fw)->max_blocks) return WL_STATUS_INVALID_FIELD;
  if (!extent_of_entry(fw, dw, &extent)) return WL_STATUS_LBA_RANGE;
  if ((dw[WL_DW_OPCODE] & 0xff) == WL_OP_WRITE && wl_entry_check_directive(fw, dw) != WL_STATUS_OK)
    return WL_STATUS_INVALID_FIELD;
  wl_host_state(fw)->extents[tag] = wl_lba_in_lpage(fw, (uint32_t)extent.first) | blocks << WL_EXTENT_FIRST_BITS;
  if (moves_data) {
    uint32_t pages = 0;
    const uint32_t opcode = dw[WL_DW_OPCODE] & 0xff;
    const bool has_prps = opcode <= WL_OP_READ || opcode == WL_OP_COMPARE; /* to its data */
    const uint32_t status =
        has_prps ? wl_entry_check_prps(dw, blocks * BLOCK_BYTES, BLOCK_BYTES, &pages) : WL_STATUS_OK;
    if (status != WL_STATUS_OK) return status;
    if (pages > 2) {
      FW_TASK(hal, WL_COST_HOST_LIST);
      ++wl_host_state(fw)->fetches;
      wl_entry_post(fw, hal, WL_JOB_PRP_LIST, tag, WL_STATUS_OK, 0);
      return WL_STATUS_OK;
    }
  }
  request(fw, hal, dw, tag, &extent);
  return WL_STATUS_OK;
}

static uint32_t parse_ranges(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw, uint32_t tag) {
  if (wl_entry_is_inactive(fw, dw)) return WL_STATUS_INVALID_FIELD;
  const uint32_t count = (dw[WL_DW_DSM_RANGES] & 0xff) + 1;
  uint32_t pages = 0;
  const uint32_t status = wl_entry_check_prps(dw, count * (uint32_t)sizeof(struct wl_dsm_range), 4, &pages);
  if (status != WL_STATUS_OK) return status;
  if ((dw[WL_DW_DSM] & DEALLOCATE) == 0) { /* hints only: nothing to do */
    wl_entry_post(fw, hal, WL_JOB_COMPLETE, tag, WL_STATUS_OK, 0);
    return WL_STATUS_OK;
  }
  FW_TASK(hal, WL_COST_HOST_LIST);
  ++wl_host_state(fw)->fetches;
  wl_entry_post(fw, hal, WL_JOB_RANGES, tag, WL_STATUS_OK, count);
  return WL_STATUS_OK;
}

static uint32_t parse(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw, uint32_t tag) {
  const uint32_t opcode = dw[WL_DW_OPCODE] & 0xff;
  if (!known(opcode)) return WL_STATUS_INVALID_OPCODE;
  const uint32_t kind = kind_of(opcode);
  FW_FOR(hal, kind, tag);
  wl_host_state(fw)->tag_opcode[tag] = (uint8_t)kind;
  if ((dw[WL_DW_OPCODE] & FUSE_OR_PSDT) != 0) return WL_STATUS_INVALID_FIELD;
  const bool all = opcode == WL_OP_FLUSH && dw[WL_DW_NSID] == WL_ALL_NAMESPACES;
  if (!is_namespace(fw, dw[WL_DW_NSID]) && !all) return WL_STATUS_INVALID_NAMESPACE;
  if (opcode == WL_OP_DEALLOCATE) return parse_ranges(fw, hal, dw, tag);
  if (opcode == WL_OP_COPY) return wl_copy_parse(fw, hal, dw, tag);
  if (opcode != WL_OP_FLUSH) return parse_blocks(fw, hal, dw, tag);
  if (!all && wl_entry_is_inactive(fw, dw)) return WL_STATUS_INVALID_FIELD;
  if (fw->boot.power_safe)
    wl_entry_post(fw, hal, WL_JOB_COMPLETE, tag, WL_STATUS_OK, 0);
  else
    request(fw, hal, dw, tag, NULL);
  return WL_STATUS_OK;
}

/* That the namespace has no blocks is the first reason against a read or write of one that is not active; it is found
 * as the last, so that good ones need not ask. */
static COLD uint32_t refusal(const struct wl_firmware* fw, const uint32_t* dw, uint32_t status) {
  if (status == WL_STATUS_INVALID_OPCODE || status == WL_STATUS_INVALID_NAMESPACE) return status;
  return is_namespace(fw, dw[WL_DW_NSID]) && wl_entry_is_inactive(fw, dw) ? WL_STATUS_INVALID_FIELD : status;
}

/* All ranges are checked before the first is handed over. True: done with the event. */
static bool take_ranges(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw, uint32_t tag) {
  const uint32_t count = (dw[WL_DW_DSM_RANGES] & 0xff) + 1;
  for (uint32_t budget = WL_RANGE_BUDGET; budget != 0; --budget) {
    FW_TASK(hal, WL_COST_HOST_RANGE);
    const uint32_t i = wl_host_state(fw)->range_next++;
    const struct wl_dsm_range* range = &wl_host_state(fw)->ranges[i];
    const uint64_t slba = (uint64_t)range->slba_high << 32 | range->slba_low;
    struct wl_extent extent = {0, 0};
    const bool inside = wl_entry_extent(fw, dw, slba, range->blocks, &extent);
    if (!wl_host_state(fw)->ranges_checked) {
      if (!inside) {
        wl_entry_post(fw, hal, WL_JOB_COMPLETE, tag, WL_STATUS_LBA_RANGE, 0);
        return true;
      }
      if (range->blocks != 0) wl_host_state(fw)->range_last = i;
      if (i + 1 < count) continue;
      if (wl_host_state(fw)->range_last == WL_NONE) { /* all are empty */
        wl_entry_post(fw, hal, WL_JOB_COMPLETE, tag, WL_STATUS_OK, 0);
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
    if (status != WL_STATUS_OK) wl_entry_post(fw, hal, WL_JOB_COMPLETE, tag, refusal(fw, dw, status), 0);
    return true;
  }
  WL_ASSERT(hal, e->type == WL_EVENT_LIST || e->type == WL_EVENT_RANGES);
  FW_FOR(hal, wl_host_state(fw)->tag_opcode[tag], tag);
  if (e->type == WL_EVENT_RANGES && wl_host_state(fw)->range_tag == tag) {
    const bool copy = (dw[WL_DW_OPCODE] & 0xff) == WL_OP_COPY;
    if (!(copy ? wl_copy_take_ranges(fw, hal, dw, tag) : take_ranges(fw, hal, dw, tag))) return false;
    wl_host_state(fw)->range_tag = WL_NONE;
    return true;
  }
  FW_TASK(hal, WL_COST_HOST_LIST);
  --wl_host_state(fw)->fetches;
  if (e->count != WL_STATUS_OK) {
    wl_entry_post(fw, hal, WL_JOB_COMPLETE, tag, e->count, 0);
    return true;
  }
  if (e->type == WL_EVENT_LIST) {
    struct wl_extent extent;
    WL_ASSERT(hal, extent_of_entry(fw, dw, &extent)); /* it was found so before the list was asked for */
    request(fw, hal, dw, tag, &extent);
    return true;
  }
  wl_host_state(fw)->range_tag = tag;
  wl_host_state(fw)->range_next = 0;
  wl_host_state(fw)->range_last = WL_NONE;
  wl_host_state(fw)->ranges_checked = false;
  wl_host_state(fw)->copy_lbas = 0;
  return false;
}
