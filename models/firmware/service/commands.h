/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Commands by tag, lists of them, and their end.
 */
#ifndef WORDLINE_FIRMWARE_SERVICE_COMMANDS_H
#define WORDLINE_FIRMWARE_SERVICE_COMMANDS_H

#include "models/firmware/context.h"
#include "models/firmware/core/arena.h"
#include "models/firmware/core/core.h"
#include "models/firmware/core/list.h"
#include "models/firmware/host/host.h"
#include "models/firmware/service/command.h"
#include "models/firmware/service/idle.h"
#include "models/firmware/space/pace.h"

void wl_commands_layout(struct wl_firmware* fw, struct wl_arena* tcm);
void wl_commands_boot(struct wl_firmware* fw);
/* Fills in the command with the tag of a read or write. */
void wl_command_take(struct wl_firmware* fw, const struct wl_request* request);

struct wl_command* wl_command_of(struct wl_firmware* fw, uint32_t tag);
void wl_command_push(struct wl_firmware* fw, struct wl_list* l, uint32_t tag);
/* The same for commands that are rare: with more places that call the one before, it would not be inlined in writes. */
void wl_command_push_seldom(struct wl_firmware* fw, struct wl_list* l, uint32_t tag);
uint32_t wl_command_pop(struct wl_firmware* fw, struct wl_list* l);
bool wl_command_listed(const struct wl_firmware* fw, const struct wl_list* l, uint32_t tag);
/* One that is in the list, wherever. */
void wl_command_unlist(struct wl_firmware* fw, struct wl_list* l, uint32_t tag);
/* Puts all of `from` before `l`. */
void wl_command_push_all_front(struct wl_firmware* fw, struct wl_list* l, struct wl_list* from);

/* The queues of the read and of the write step. */
void wl_read_push(struct wl_firmware* fw, uint32_t tag);
void wl_read_begins(struct wl_firmware* fw, uint32_t tag); /* kicks the step, too */
void wl_read_pop(struct wl_firmware* fw);
void wl_write_push(struct wl_firmware* fw, uint32_t tag);
void wl_write_pop(struct wl_firmware* fw);

/* Commands that wait for a logical page, or a page, queue again, before all others. */
void wl_write_resume(struct wl_firmware* fw, uint32_t hazard);

/* Taken up; ended without a completion job of the firmware's. */
void wl_command_begins(struct wl_firmware* fw, const struct wl_hal* hal);
void wl_command_ends(struct wl_firmware* fw);
/* Posts the completion entry. */
void wl_complete(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t tag, uint32_t status);

#endif
