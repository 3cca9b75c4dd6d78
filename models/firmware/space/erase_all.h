/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Erases the whole drive, whose host has been refused until it is over: for Format NVM and Sanitize.
 */
#ifndef WORDLINE_FIRMWARE_SPACE_ERASE_ALL_H
#define WORDLINE_FIRMWARE_SPACE_ERASE_ALL_H

#include "models/firmware/context.h"

/* No program is under way, and no superblock between closed and free. What comes to that kicks the admin step. */
bool wl_superblocks_at_rest(const struct wl_firmware* fw);
/* No stream has an open one any more. */
void wl_superblocks_close_all(struct wl_firmware* fw);
/* At rest, and nothing on flash is valid: open superblocks are left as they are, all that hold something are erased. */
void wl_superblocks_erase_all(struct wl_firmware* fw);
uint32_t wl_superblocks_being_erased(const struct wl_firmware* fw);

#endif
