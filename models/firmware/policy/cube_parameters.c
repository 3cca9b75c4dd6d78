/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/policy/cube_parameters.h"

#include "models/firmware/core/core.h"
#include "models/firmware/media/media.h"
#include "models/firmware/policy/keys.h"
#include "models/firmware/space/space.h"

#define GRAIN_MV 10u /* of the voltages of a set (program_tables.h) */

static uint64_t layers_bytes(const struct wl_boot_info* boot, uint32_t superblocks) {
  return (uint64_t)superblocks * boot->dies * boot->layers.count * sizeof(struct wl_cube_layer);
}

uint64_t wl_cube_table_bytes(const struct wl_boot_info* boot, uint32_t open) {
  return layers_bytes(boot, 2 * open) + 2 * boot->dies;
}

void wl_cube_parameters_begin(const struct wl_firmware* fw, struct wl_cube_parameters* p, void* table) {
  p->superblock_count = 2 * wl_superblocks_open_at_most(wl_plan(fw));
  p->layers = table;
  p->busy = (uint8_t*)table + layers_bytes(&fw->boot, p->superblock_count);
  for (uint32_t i = 0; i < p->superblock_count; ++i) p->superblocks[i] = WL_NONE;
  p->bases = 1;
}

void wl_cube_add_base(struct wl_cube_parameters* p, uint32_t step_mv) { p->step_mv[p->bases++] = (uint16_t)step_mv; }

/* ---- layers ---- */

static uint32_t slot_of(const struct wl_cube_parameters* p,
                        wl_superblock_t superblock) { /* superblock_count: it has none */
  wl_slot_t slot = 0;
  while (slot != p->superblock_count && p->superblocks[slot] != superblock) ++slot;
  return slot;
}

static struct wl_cube_layer* layer_of(const struct wl_firmware* fw, const struct wl_cube_parameters* p, wl_ppa_t ppa) {
  const struct wl_location at = wl_locate(&fw->geometry, ppa);
  const wl_slot_t slot = slot_of(p, at.block);
  if (slot == p->superblock_count) return NULL;
  uint32_t rest;
  const uint32_t layer = wl_divide(at.page, fw->boot.layers.pages, &rest);
  return &p->layers[(slot * fw->geometry.dies + at.die) * fw->boot.layers.count + layer];
}

/* One whose superblock is full and has no program under way. */
static uint32_t free_slot(const struct wl_firmware* fw, const struct wl_cube_parameters* p) {
  for (uint32_t i = 0; i < p->superblock_count; ++i) {
    const wl_superblock_t superblock = p->superblocks[i];
    if (superblock == WL_NONE ||
        (wl_superblock(fw, superblock)->state != WL_SUPERBLOCK_OPEN && wl_superblock(fw, superblock)->programs == 0))
      return i;
  }
  return p->superblock_count;
}

void wl_cube_opened(const struct wl_firmware* fw, struct wl_cube_parameters* p, wl_superblock_t superblock, bool moves,
                    bool fresh) {
  wl_slot_t slot = slot_of(p, superblock);
  if (slot == p->superblock_count) {
    slot = free_slot(fw, p);
    fresh = true; /* a mount has found it open */
  }
  if (slot == p->superblock_count) return;
  p->superblocks[slot] = superblock;
  p->of_moved[slot] = moves;
  const uint32_t count = fw->geometry.dies * fw->boot.layers.count;
  for (uint32_t i = 0; fresh && i < count; ++i) p->layers[slot * count + i].known = 0;
}

/* ---- dies ---- */

bool wl_cube_busy(const struct wl_cube_parameters* p, uint32_t die, bool of_moved) {
  return p->busy[2 * die + of_moved] != 0;
}

static uint8_t* busy_at(const struct wl_firmware* fw, const struct wl_cube_parameters* p, wl_ppa_t ppa) {
  const struct wl_location at = wl_locate(&fw->geometry, ppa);
  const wl_slot_t slot = slot_of(p, at.block);
  return &p->busy[2 * at.die + (slot != p->superblock_count && p->of_moved[slot])];
}

/* ---- sets ---- */

static bool equal(const struct wl_program_set* a, const struct wl_program_set* b) {
  if (a->start_raise_mv != b->start_raise_mv || a->final_cut_mv != b->final_cut_mv) return false;
  for (uint32_t s = 1; s < WL_CELL_STATES; ++s)
    if (a->skip[s] != b->skip[s]) return false;
  return true;
}

/* Number of the set in the controller's table, with the step of `base`; the base itself: there is no room. */
static uint32_t take_set(struct wl_firmware* fw, struct wl_cube_parameters* p, const struct wl_program_set* set,
                         uint32_t base) {
  uint32_t unused = WL_CUBE_SETS;
  for (uint32_t i = 0; i < WL_CUBE_SETS; ++i) {
    if (p->base_of[i] == base && equal(&p->sets[i], set)) {
      ++p->users[i];
      return p->bases + i;
    }
    if (p->users[i] == 0) unused = i;
  }
  if (unused == WL_CUBE_SETS) return base;
  p->sets[unused] = *set;
  p->sets[unused].step_mv = p->step_mv[base];
  if (!wl_media_program_set(fw, p->bases + unused, &p->sets[unused])) return base;
  p->base_of[unused] = (uint8_t)base;
  ++p->users[unused];
  return p->bases + unused;
}

uint32_t wl_cube_base(const struct wl_cube_parameters* p, uint32_t control) {
  const uint32_t number = control & WL_PROGRAM_SET;
  return number < p->bases ? number : p->base_of[number - p->bases];
}

struct wl_program_set wl_cube_set(const struct wl_cube_rules* rules, const struct wl_program_report* report) {
  struct wl_program_set set = {0, 0, 0, 0, {0}};
  for (uint32_t s = 1; rules->skips && s <= report->states; ++s)
    set.skip[s] = report->l_min[s] == 0 ? 0 : (uint8_t)(report->l_min[s] - 1);
  if (!rules->narrows || report->ber_ep1 >= rules->most_ber_ep1) return set;
  const uint32_t margin = rules->most_ber_ep1 - report->ber_ep1;
  uint32_t rest;
  const uint32_t total =
      margin >= rules->full_margin ? rules->most_mv : wl_divide(margin * rules->margin_mv, rules->ber_ep1_unit, &rest);
  const uint32_t grains = wl_divide(total, GRAIN_MV, &rest);
  set.start_raise_mv = (uint16_t)(grains / 2 * GRAIN_MV);
  set.final_cut_mv = (uint16_t)((grains - grains / 2) * GRAIN_MV);
  return set;
}

static bool is_own(const struct wl_program_set* set) { /* as a leader's */
  static const struct wl_program_set own;
  return equal(set, &own);
}

uint32_t wl_cube_control(struct wl_firmware* fw, struct wl_cube_parameters* p, wl_ppa_t ppa, uint32_t base) {
  const wl_superblock_t superblock = wl_superblock_of(fw, ppa);
  if (__builtin_expect(slot_of(p, superblock) == p->superblock_count, 0))
    wl_cube_opened(fw, p, superblock, wl_stream_moves(wl_superblock_write_point(fw, superblock)), true);
  *busy_at(fw, p, ppa) = 1;
  struct wl_cube_layer* layer = layer_of(fw, p, ppa);
  if (layer == NULL) return base;
  if (layer->base != base) layer->known = 0;
  layer->base = (uint8_t)base;
  if (!layer->known) return base | WL_PROGRAM_REPORT;
  return (is_own(&layer->set) ? base : take_set(fw, p, &layer->set, base)) | WL_PROGRAM_CHECK;
}

enum wl_verdict wl_cube_judge(struct wl_firmware* fw, struct wl_cube_parameters* p, wl_ppa_t ppa, uint32_t control,
                              const struct wl_program_report* report, bool failed) {
  const uint32_t number = control & WL_PROGRAM_SET;
  if (number >= p->bases) --p->users[number - p->bases];
  *busy_at(fw, p, ppa) = 0;
  wl_kick(fw, WL_STEP_PLACE); /* units may wait for the die */
  struct wl_cube_layer* layer = layer_of(fw, p, ppa);
  if (report == NULL || layer == NULL || failed) return WL_PROGRAM_OK;
  const struct wl_cube_rules* rules = &wl_policy_keys(&fw->boot)->cube;
  const bool measured = (control & WL_PROGRAM_REPORT) != 0;
  if (!measured && (uint64_t)report->ber_ep1 * 100 > (uint64_t)layer->ber_ep1 * rules->bad_percent) {
    layer->known = 0;
    return WL_PROGRAM_AGAIN;
  }
  layer->ber_ep1 = report->ber_ep1;
  if (!measured) return WL_PROGRAM_OK;
  layer->set = wl_cube_set(rules, report);
  layer->known = 1;
  return WL_PROGRAM_OK;
}
