/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a guest whose clock is the drive's says to it, and hears: messages of 16 bytes on a UNIX socket, each request
 * with an answer, while the guest stands still. In C, for the plugin of QEMU that speaks for the guest
 * (tlm/serve/qemu_plugin).
 */
#ifndef WORDLINE_SERVED_GUEST_CLOCK_WIRE_H
#define WORDLINE_SERVED_GUEST_CLOCK_WIRE_H

#include <stdint.h>

#define WL_CLOCK_VERSION 1u

enum wl_clock_operation {
  WL_CLOCK_HELLO = 1, /* the first: `argument` is WL_CLOCK_VERSION, `ns` wl_clock_flags */
  WL_CLOCK_TIME = 2,  /* the guest's clock has reached `ns` */
  WL_CLOCK_STORE =
      3, /* at `ns` the guest has stored to the device: its doorbell, if it was one, has come before this */
};
enum wl_clock_flags { WL_CLOCK_TAKES_INTERRUPTS = 1 }; /* else they go by eventfd, at instants that nobody knows */

struct wl_clock_request {
  uint32_t operation;
  uint32_t argument;
  uint64_t ns; /* of the guest's clock */
};
struct wl_clock_answer {
  uint64_t next;    /* the guest stops then, or at a store, whichever is first, and says so */
  uint64_t vectors; /* by bit: raise these now; none after a store */
};

#endif
