/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Dataset Management (deallocate) and Write Zeroes: the map forgets the logical pages. Deallocate ignores logical pages
 * that a range covers in part. Write Zeroes changes them as a write of its blocks does, one after the other (write.c),
 * and not where they read as zeros anyway. With ftl.recovery and map units of several logical pages, a deallocation of
 * a part of a unit is such a change, too: the rest of the unit is written anew, with tombstones for what is gone. All
 * is done in the order of arrival, so what comes behind a Write Zeroes waits for its parts.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_TRIM_H
#define WORDLINE_FIRMWARE_SERVICE_TRIM_H

#include "models/firmware/context.h"
#include "models/firmware/host/request.h"

void wl_trim_add(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_request* request);
/* Of the first in line, whose logical page has an edge or whose map unit shrinks: the command waits in the queue of
 * writes, has slots for its part, has written it or failed. */
void wl_trim_edge_taken(struct wl_firmware* fw);
bool wl_trim_edge_is_taken(const struct wl_firmware* fw);
void wl_trim_edge_done(struct wl_firmware* fw, uint32_t status);
void wl_trim_step(struct wl_firmware* fw, const struct wl_hal* hal);

/* With a cached map: the map page that the deallocation in line waits for has come. */
void wl_trim_map_came(struct wl_firmware* fw);

#endif
