/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the host task: the rings to the NVMe controller, the queues to the ftl task, commands that firmware parses.
 */
#ifndef WORDLINE_FIRMWARE_HOST_STATE_H
#define WORDLINE_FIRMWARE_HOST_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"

#include "models/firmware/contract/host_ring.h"
#include "models/firmware/core/queue.h"
#include "models/firmware/host/request.h"

struct wl_host {
  struct wl_queue requests; /* host task -> ftl task: wl_request */
  struct wl_queue replies;  /* ftl task -> host task: wl_host_job */
  struct wl_ring* event_ring;
  struct wl_host_event* events;
  uint32_t event_mask;
  struct wl_ring* job_ring;
  struct wl_host_job* jobs;
  uint32_t job_mask;
  uint8_t* tag_opcode; /* of the command with each tag */
  /* without WL_ENGINE_PARSE */
  struct wl_sqe* entries; /* by tag */
  uint32_t* extents;      /* by tag */
  struct wl_dsm_range* ranges;
  const struct wl_namespace_table* namespaces;
  uint32_t max_blocks; /* of a transfer */
  uint32_t fetches;    /* lists and ranges asked for and not there */
  uint32_t range_tag;  /* command whose ranges are being taken up, WL_NONE: none */
  uint32_t range_next;
  uint32_t range_last; /* the last one that is not empty */
  bool ranges_checked;
  uint32_t copy_lbas; /* of its source ranges that have been looked at */
};

#endif
