/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The image and the native library are each compiled as a whole, so none of these calls is left in them.
 */
#include "models/firmware/rooms.h"

static inline struct wl_rooms* rooms(struct wl_firmware* fw) { return (struct wl_rooms*)fw; }

struct wl_core* wl_core_state(struct wl_firmware* fw) {
  return &rooms(fw)->core;
}
struct wl_host* wl_host_state(struct wl_firmware* fw) {
  return &rooms(fw)->host;
}
struct wl_admin* wl_admin_state(struct wl_firmware* fw) {
  return &rooms(fw)->admin;
}
struct wl_service* wl_service_state(struct wl_firmware* fw) {
  return &rooms(fw)->service;
}
struct wl_persist* wl_persist_state(struct wl_firmware* fw) {
  return &rooms(fw)->persist;
}
struct wl_reloc* wl_reloc_state(struct wl_firmware* fw) {
  return &rooms(fw)->reloc;
}
struct wl_map* wl_map_state(struct wl_firmware* fw) {
  return &rooms(fw)->map;
}
struct wl_buffer* wl_buffer_state(struct wl_firmware* fw) {
  return &rooms(fw)->buffer;
}
struct wl_policies* wl_policies_state(struct wl_firmware* fw) {
  return &rooms(fw)->policies;
}
struct wl_space* wl_space_state(struct wl_firmware* fw) {
  return &rooms(fw)->space;
}
struct wl_media* wl_media_state(struct wl_firmware* fw) {
  return &rooms(fw)->media;
}
struct wl_engines* wl_engines_state(struct wl_firmware* fw) {
  return &rooms(fw)->engines;
}
struct wl_parity_statistics* wl_parity_statistics(struct wl_firmware* fw) {
  return &rooms(fw)->parity;
}
struct wl_slc_cache_statistics* wl_slc_cache_statistics(struct wl_firmware* fw) {
  return &rooms(fw)->slc_cache;
}
const struct wl_initial_state* wl_initial_state_of(const struct wl_firmware* fw) {
  return &((const struct wl_rooms*)fw)->initial;
}
