/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The struct of what the firmware counts (counters.def), which the platform reads at any time in the cores' memory.
 */
#ifndef WORDLINE_FIRMWARE_CONTRACT_COUNTERS_H
#define WORDLINE_FIRMWARE_CONTRACT_COUNTERS_H

#include <stdint.h>

#include "models/firmware/contract/boot_info.h"

/* By placement handle, and one more for superblocks in which GC puts data of any: apart from the others, since only a
 * drive with handles has them (wl_tables). By the handle of the superblock that data lay in. */
struct wl_handle_statistics {
  uint64_t host_lpages;   /* programmed, from the write buffer */
  uint64_t copied_lpages; /* out of its superblocks */
  uint64_t victim_lpages; /* valid in them when GC took them up */
  uint32_t victims;
  uint32_t erased; /* superblocks */
};

/* With parity over dies; apart, for the same reason. */
struct wl_parity_statistics {
#define WL_COUNTER(type, field, path, unit, text) type field;
#include "models/firmware/contract/parity_counters.def"
#undef WL_COUNTER
};

/* With an SLC cache. */
struct wl_slc_cache_statistics {
#define WL_COUNTER(type, field, path, unit, text) type field;
#include "models/firmware/contract/slc_cache_counters.def"
#undef WL_COUNTER
};

/* With a cached map. */
struct wl_map_cache_statistics {
#define WL_COUNTER(type, field, path, unit, text) type field;
#include "models/firmware/contract/map_cache_counters.def"
#undef WL_COUNTER
};

struct wl_firmware_statistics {
#define WL_COUNTER(type, field, path, unit, text) type field;
#define WL_BY_STEP(field, path, unit, text) uint64_t field[WL_AGCR_STEPS];
#define WL_INNER(type, field, what) type field;
#define WL_GROUP(tag, name, shown) struct tag {
#define WL_GROUP_END(name) \
  }                        \
  name;
#include "models/firmware/contract/counters.def"
#undef WL_COUNTER
#undef WL_BY_STEP
#undef WL_INNER
#undef WL_GROUP
#undef WL_GROUP_END
};

/* Of 512 bytes, accepted. `lpage_shift`: of wl_boot_info. */
static inline uint64_t wl_host_blocks(const struct wl_firmware_statistics* s, uint32_t lpage_shift) {
  return (s->host_lpages_written << lpage_shift) - s->host_lbas_missing;
}
static inline uint64_t wl_buffered_lpages(const struct wl_firmware_statistics* s) { /* accepted, not programmed */
  return s->host_lpages_written - s->rewritten_lpages - (s->data_lpages - s->kept_lpages);
}

#endif
