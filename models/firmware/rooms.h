/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the context and the states of the rooms lie in memory: for boot and layout, which hand it out.
 */
#ifndef WORDLINE_FIRMWARE_ROOMS_H
#define WORDLINE_FIRMWARE_ROOMS_H

#include "models/firmware/admin/state.h"
#include "models/firmware/buffer/state.h"
#include "models/firmware/core/state.h"
#include "models/firmware/engines/state.h"
#include "models/firmware/host/state.h"
#include "models/firmware/map/state.h"
#include "models/firmware/media/state.h"
#include "models/firmware/persist/state.h"
#include "models/firmware/policy/state.h"
#include "models/firmware/reloc/state.h"
#include "models/firmware/service/state.h"
#include "models/firmware/space/state.h"

struct wl_rooms {
  struct wl_firmware firmware; /* what the rooms hand each other */
  struct wl_core core;
  struct wl_host host;
  struct wl_service service;
  struct wl_map map;
  struct wl_media media;
  struct wl_buffer buffer;
  struct wl_space space;
  struct wl_engines engines;
  struct wl_reloc reloc;
  struct wl_policies policies;
  struct wl_persist persist;
  struct wl_admin admin;
  struct wl_parity_statistics parity;
  struct wl_slc_cache_statistics slc_cache;
  struct wl_initial_state initial; /* for boot; the cores reach the first 2 KiB with one instruction less */
};

#endif
