/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Page mapping, two classes of logical pages: those that are written often lie in superblocks of their own, which
 * become empty by themselves if they are left alone for a while. So victims are weighed by age: the emptiest superblock
 * would leave hot and cold ones equally full, and nothing would be won by keeping them apart. The rate of a logical
 * page's writes is a count that halves with every epoch, an epoch being as many writes as half of the exported logical
 * pages. A logical page is hot from a count of kHot on; one that is moved is judged again.
 *
 * One byte for each logical page: 4 bits of the epoch of its last write, 4 bits of the count then. After 16 epochs
 * without a write a logical page looks as if it were just written; its count is low then, so it stays cold.
 */
#include "models/firmware/core/core.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/state.h"
#include "models/firmware/space/space.h"

enum { kHot = 4, kMost = 15 }; /* in halves of a write, so that halving keeps something */
enum { kHotClass, kColdClass };

struct state {
  uint32_t epoch;
  uint32_t writes; /* of it */
};

static const struct state* state_of(const struct wl_firmware* fw) { return wl_policies_view(fw)->arena; }

static uint32_t count_now(const struct wl_firmware* fw, wl_lpn_t lpn) {
  const uint32_t entry = wl_policies_view(fw)->lpages[lpn];
  return (entry & 0xfu) >> ((state_of(fw)->epoch - (entry >> 4)) & 0xfu);
}

static void note(struct wl_firmware* fw, wl_lpn_t lpn) {
  struct state* s = wl_policies_state(fw)->arena;
  const uint32_t count = count_now(fw, lpn) + 2;
  wl_policies_state(fw)->lpages[lpn] = (uint8_t)((s->epoch & 0xfu) << 4 | (count < kMost ? count : kMost));
  if (++s->writes < fw->boot.user_lpages / 2) return;
  s->writes = 0;
  ++s->epoch;
}

static void on_write(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, uint32_t lpages) {
  (void)lpages;
  for (uint32_t i = 0; i < count; ++i) note(fw, lpn + i);
}

/* A logical page that was just written counts one write more than one that is moved. */
static uint32_t class_of_write(const struct wl_firmware* fw, wl_lpn_t lpn, uint32_t lpages, uint32_t flags) {
  (void)lpages;
  (void)flags;
  return count_now(fw, lpn) + 2 > kHot ? kHotClass : kColdClass;
}

static uint32_t class_of_move(const struct wl_firmware* fw, wl_lpn_t lpn, wl_ppa_t ppa) {
  (void)ppa;
  return count_now(fw, lpn) >= kHot ? kHotClass : kColdClass;
}

const struct wl_policy wl_policy_page_hot_cold = {.space = {.host_streams = 2, .move_streams = 2},
                                                  .refused = WL_ENGINE_COPY | WL_ENGINE_VICTIM,
                                                  .lpage_bytes = 1,
                                                  .arena_bytes = sizeof(struct state),
                                                  .class_of_write = class_of_write,
                                                  .class_of_move = class_of_move,
                                                  .on_write = on_write,
                                                  WL_PAGE_MAPPING(wl_cost_benefit_victim)};
