/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * State of the rings to the hardware engines, and of what they were asked.
 */
#ifndef WORDLINE_FIRMWARE_ENGINES_STATE_H
#define WORDLINE_FIRMWARE_ENGINES_STATE_H

#include <stdint.h>

#include "models/firmware/engines/engines.h"

#include "models/firmware/contract/engines.h"
#include "models/firmware/contract/ring.h"

struct wl_engines {                              /* pointers: null where there is no such engine */
  uint32_t waiting;                              /* bit per wl_answer: asked, and the answer not taken */
  uint32_t asked[WL_ANSWERS];                    /* how often */
  const volatile uint32_t* answered[WL_ANSWERS]; /* how often; counted by hardware */
  struct wl_lpage_state* lpage_states;
  struct wl_lookup* lookups; /* by tag */
  struct wl_gc_list* gc_list;
  struct wl_victim* victim;
  struct wl_ring* ppa_ring;
  struct wl_ppa_job* ppa_jobs;
  uint32_t ppa_mask;
  struct wl_ring* copy_ring;
  struct wl_copy_job* copy_jobs;
  uint32_t copy_mask;
  volatile uint32_t* copy_ppas; /* by units of GC */
};

#endif
