/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the host task hands to the ftl task.
 */
#ifndef WORDLINE_FIRMWARE_HOST_REQUEST_H
#define WORDLINE_FIRMWARE_HOST_REQUEST_H

#include <stdint.h>

#include "models/firmware/contract/address.h"

#define WL_REQUEST_DMA_DONE 0xf0u /* beside the NVMe opcodes */
#define WL_REQUEST_ADMIN 0xf1u    /* flags: wl_admin_flags, tag: of a command to abort, first: resets */
#define WL_REQUEST_COPY 0xf2u     /* of a copy in host memory; flags: wl_event_flags, first: page of host memory */
struct wl_request {               /* host task -> ftl task */
  uint8_t op;
  uint8_t flags; /* wl_event_flags */
  uint16_t tag;
  wl_lpn_t lpn;
  uint32_t blocks; /* 512 bytes each */
  uint32_t first;  /* first block within logical page lpn */
};

#endif
