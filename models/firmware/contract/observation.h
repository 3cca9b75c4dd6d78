/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a core is doing, for profiles and waveforms: written to custom CSRs on the instruction-set model, told by a call
 * in native mode.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_OBSERVATION_H
#define WORDLINE_FIRMWARE_CONTRACT_OBSERVATION_H

#include <stdint.h>

#include "models/firmware/contract/layout.h"

#define WL_CSR_TASK 0x7c0    /* write: cost tag from now on */
#define WL_CSR_MARK 0x7c1    /* write: host tag | mark << 16 */
#define WL_CSR_COMMAND 0x7c2 /* write: on whose behalf from now on: an NVMe opcode or a wl_command_type */
enum wl_command_type { WL_COMMAND_COLLECTION = 30 /* and erasing */, WL_COMMAND_NONE = 31 /* nothing found, sleep */ };
enum wl_mark { WL_MARK_FW_START = 1 /* the command is taken up */, WL_MARK_FW_RESUME = 2 /* its flash job is back */ };
/* What the core does. */
#define WL_COST(tag, name, text) WL_COST_##tag,
enum wl_cost_tag {
#include "models/firmware/contract/cost_tags.def"
  WL_COST_COUNT
};
#undef WL_COST
WL_STATIC_ASSERT(WL_COST_COUNT <= 64, "tags that a core counts");

#endif
