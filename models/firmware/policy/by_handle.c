/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Flexible Data Placement: policies whose classes of host data are the placement handles of its writes. A reclaim unit
 * is a superblock. Initially isolated: data that GC moves go to superblocks that all handles share. Persistently
 * isolated: each handle has a superblock for them, too. Source: NVM Express TP4146.
 */
#include <stddef.h>

#include "models/firmware/contract/host_ring.h"
#include "models/firmware/policy/page_mapping.h"
#include "models/firmware/policy/policy.h"
#include "models/firmware/space/space.h"

static uint32_t class_of_write(const struct wl_firmware* fw, wl_lpn_t lpn, uint32_t lpages, uint32_t flags) {
  (void)fw;
  (void)lpn;
  (void)lpages;
  return flags >> WL_EVENT_HANDLE_SHIFT;
}

static uint32_t class_of_move(const struct wl_firmware* fw, wl_lpn_t lpn, wl_ppa_t ppa) {
  (void)lpn;
  return wl_superblock(fw, wl_superblock_of(fw, ppa))->handle;
}

/* The streams are as many as the drive has handles: wl_policy_space_plan. */
#define INITIALLY(engines, choose)                                                        \
  {                                                                                       \
    .space = {.host_streams = 1, .move_streams = 1, .apart = true}, .refused = (engines), \
    .class_of_write = class_of_write, WL_PAGE_MAPPING(choose)                             \
  }
#define PERSISTENTLY(engines, choose)                                                                        \
  {                                                                                                          \
    .space = {.host_streams = 1, .move_streams = 1, .apart = true, .moves_apart = true},                     \
    .refused = WL_ENGINE_COPY | (engines), .class_of_write = class_of_write, .class_of_move = class_of_move, \
    .place = wl_page_place, .collect = wl_page_collect_classes, .idle = wl_page_idle, .victim = (choose)     \
  }

static const struct wl_policy kGreedy[2] = {INITIALLY(0, wl_superblock_emptiest),
                                            PERSISTENTLY(0, wl_superblock_emptiest)};
static const struct wl_policy kCostBenefit[2] = {INITIALLY(WL_ENGINE_VICTIM, wl_cost_benefit_victim),
                                                 PERSISTENTLY(WL_ENGINE_VICTIM, wl_cost_benefit_victim)};

const struct wl_policy* wl_policy_by_handle(uint32_t number, bool persistent) {
  if (number == WL_POLICY_page_greedy) return &kGreedy[persistent];
  return number == WL_POLICY_page_cost_benefit ? &kCostBenefit[persistent] : NULL;
}
