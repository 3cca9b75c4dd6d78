/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What policies that fill one superblock per stream have in common.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_PAGE_MAPPING_H
#define WORDLINE_FIRMWARE_POLICY_PAGE_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/context.h"
#include "models/firmware/policy/policy.h"

/* The superblock that the next unit of `stream` goes to: its open one, or wl_page_open's. WL_NONE: it has to wait, for
 * that or for copies (space/pace.h). The host may not open the last superblocks of the reserve. */
WL_MUST_CHECK wl_superblock_t wl_page_superblock(struct wl_firmware* fw, uint32_t stream);
/* The next unit of that superblock. */
WL_MUST_CHECK bool wl_page_place(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at);
/* A superblock for `stream`, which has none open: a free one, or while space is short that of another class. WL_NONE:
 * it has to wait. */
WL_MUST_CHECK wl_superblock_t wl_page_open(struct wl_firmware* fw, uint32_t stream);
/* Too few superblocks are free, or will be without further work; while the host is silent, a few more are wanted. */
bool wl_page_short(const struct wl_firmware* fw);
/* That, until silence has had its victims. */
bool wl_page_collect(const struct wl_firmware* fw);
/* As that, for policies whose moved data have several classes: where space is short, a victim's last data must not wait
 * in units that are not full, or the next victims would use up what is free meanwhile. Then these units are padded. */
bool wl_page_collect_classes(const struct wl_firmware* fw);
/* Wakes GC. */
WL_MUST_CHECK bool wl_page_idle(struct wl_firmware* fw, const struct wl_hal* hal);

/* Of page_cost_benefit.c: old superblocks at a higher share of valid logical pages than young ones. */
WL_MUST_CHECK wl_superblock_t wl_cost_benefit_victim(struct wl_firmware* fw, const struct wl_hal* hal);

/* Those three, one class of host data and one of moved data, nothing remembered; victims by `choose`. */
#define WL_PAGE_MAPPING(choose) \
  .place = wl_page_place, .collect = wl_page_collect, .idle = wl_page_idle, .victim = (choose)

#endif
