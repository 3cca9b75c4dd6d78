/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Read retry controlled by the firmware, where hardware does not (WL_ENGINE_RETRY): the ftl task decides after each
 * attempt that failed what comes next, and sends the job again. The order of attempts is that of
 * models/ecc/retry/read_retry.h: other steps of the retry table from the step that worked last in the h-layer
 * outwards, then three and seven soft reads around the step with the least mean weight, then the end. A test holds the
 * two against each other, read by read.
 *
 * The die is free between attempts: other jobs may come in between.
 */
#include "models/firmware/media/retry.h"

#include "models/firmware/core/core.h"
#include "models/firmware/media/state.h"

/* Places of the history's fields: register ECC.LAST_STATUS. */
#define FIELD(name, value) ((uint32_t)(value) << WORDLINE__ECC_RF__LAST_STATUS__##name##_bp)
enum { CODE_UNCORRECTABLE = 1 };

static uint32_t entry_step(const struct wl_retry_rules* rules, const struct wl_retry* r) {
  const uint32_t step = r->entry & 0xfu;
  return step < rules->last_step ? step : rules->last_step;
}

static bool untried(const struct wl_retry_rules* rules, const struct wl_retry* r, int32_t step) {
  return step >= 0 && step <= (int32_t)rules->last_step && (r->tried >> step & 1u) == 0;
}

/* Step 0 after a first sensing at the table's step: the entry may be older than the data. Else outwards. -1: all tried.
 */
static int32_t next_step(const struct wl_retry_rules* rules, const struct wl_retry* r) {
  if (r->taken >= rules->max_retries) return -1;
  if (r->from_ort && untried(rules, r, 0)) return 0;
  const int32_t from = (r->entry & WL_ORT_VALID) != 0 ? (int32_t)entry_step(rules, r) : 1;
  for (int32_t distance = 0; distance < 16; ++distance) {
    if (untried(rules, r, from + distance)) return from + distance;
    if (untried(rules, r, from - distance)) return from - distance;
  }
  return -1;
}

static void note(struct wl_retry* r, uint32_t report) {
  r->flags |= FIELD(TIERS, report >> WL_REPORT_TIERS_SHIFT & 7u);
  if ((report & WL_REPORT_MISCORRECTED) != 0) r->flags |= FIELD(MISCORRECTED, 1);
  if (r->level != 0 || r->probe != 0) return;
  /* Means compared without dividing. */
  const uint32_t weight = report & WL_REPORT_WEIGHT;
  const uint32_t weighed = report >> WL_REPORT_WEIGHED_SHIFT & 0xffu;
  if (r->best_weighed != 0 && (uint64_t)weight * r->best_weighed >= (uint64_t)r->best_weight * weighed) return;
  r->best_weight = weight;
  r->best_weighed = (uint8_t)weighed;
  r->best_step = r->step;
}

static uint32_t senses_of(uint32_t level) { return level == 0 ? 0 : level == 1 ? 3u : 7u; }

static uint32_t order(const struct wl_retry_rules* rules, const struct wl_retry* r) {
  const bool last = r->level == rules->max_soft && (r->level != 0 || next_step(rules, r) < 0);
  const uint32_t step = r->level == 0 ? r->step : r->best_step;
  return WL_RETRY_SET | WL_RETRY_REST | step << WL_RETRY_STEP_SHIFT | senses_of(r->level) << WL_RETRY_SENSES_SHIFT |
         (uint32_t)r->taken << WL_RETRY_TAKEN_SHIFT | (last ? WL_RETRY_LAST : 0u) |
         ((r->flags & FIELD(MISCORRECTED, 1)) != 0 ? WL_RETRY_CRC : 0u);
}

void wl_retry_begin(const struct wl_firmware* fw, struct wl_retry* r, uint32_t ort) {
  const struct wl_retry_rules* rules = &wl_media_view(fw)->rules;
  r->best_weight = 0;
  r->best_weighed = 0;
  r->best_step = 0;
  r->tried = 1;
  r->ort = ort;
  r->entry = rules->ort_enable ? wl_media_view(fw)->ort[ort] : 0;
  r->flags = (r->entry & WL_ORT_VALID) != 0 ? FIELD(ORT_HIT, 1) : 0;
  r->step = 0;
  r->level = 0;
  r->taken = 0;
  r->active = 1;
  r->from_ort = 0;
  r->attempts = 0;
  r->probe = 0;
}

uint32_t wl_retry_next(const struct wl_retry_rules* rules, struct wl_retry* r, uint32_t report) {
  if ((report & WL_REPORT_INJECTED) != 0) r->flags |= FIELD(INJECTED, 1);
  /* The default references' first sensing is not weighed: hardware does not keep it either. */
  if (r->attempts != 0) note(r, report);
  ++r->attempts;
  if (r->probe != 0) { /* as if nothing had been read */
    r->probe = 0;
    r->step = 0;
    r->tried = 1;
    return order(rules, r);
  }
  const int32_t step = r->level == 0 ? next_step(rules, r) : -1;
  if (step >= 0) {
    r->step = (uint8_t)step;
    r->tried = (uint16_t)(r->tried | 1u << step);
    ++r->taken;
    return order(rules, r);
  }
  if (r->level == rules->max_soft) return 0;
  ++r->level;
  return order(rules, r);
}

uint32_t wl_retry_history(const struct wl_retry* r, uint32_t failed) {
  return r->flags | FIELD(CODE, CODE_UNCORRECTABLE) | FIELD(RETRIES, r->taken) |
         FIELD(STEP, r->level == 0 ? r->step : r->best_step) | FIELD(SOFT, r->level) | FIELD(FAILED, failed);
}

void wl_retry_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  const uint32_t control = wl_read32(hal, WL_REGISTER(ECC.CONTROL));
  const uint32_t escalation = wl_read32(hal, WL_REGISTER(ECC.ESCALATION));
  struct wl_retry_rules* rules = &wl_media_state(fw)->rules;
#define GET(name) \
  ((uint8_t)((escalation & WORDLINE__ECC_RF__ESCALATION__##name##_bm) >> WORDLINE__ECC_RF__ESCALATION__##name##_bp))
  rules->max_retries =
      (uint8_t)((control & WORDLINE__ECC_RF__CONTROL__MAX_RETRIES_bm) >> WORDLINE__ECC_RF__CONTROL__MAX_RETRIES_bp);
  rules->last_step = GET(LAST_STEP);
  rules->max_soft = GET(MAX_SOFT);
  rules->ort_enable = GET(ORT_ENABLE);
  rules->ort_first = GET(ORT_FIRST);
  rules->ort_update = GET(ORT_UPDATE);
#undef GET
}

static uint32_t ort_group(const struct wl_firmware* fw, uint32_t die, uint32_t block) {
  return fw->boot.layers.references_by_block ? die * fw->boot.blocks + block : die;
}

static uint32_t ort_index(const struct wl_firmware* fw, wl_ppa_t ppa) {
  const struct wl_location at = wl_locate(&fw->geometry, ppa);
  return ort_group(fw, at.die, at.block) * fw->boot.layers.count +
         at.page / fw->boot.layers.pages % fw->boot.layers.count;
}

uint64_t wl_retry_table_bytes(const struct wl_firmware* fw) {
  const struct wl_boot_info* b = &fw->boot;
  return (uint64_t)b->dies * (b->layers.references_by_block ? b->blocks : 1u) * b->layers.count;
}

void wl_retry_erased(struct wl_firmware* fw, uint32_t die, uint32_t block) {
  if (!fw->boot.layers.references_by_block || wl_media_state(fw)->ort == NULL) return;
  uint8_t* entry = &wl_media_state(fw)->ort[ort_group(fw, die, block) * fw->boot.layers.count];
  for (uint32_t i = 0; i < fw->boot.layers.count; ++i) entry[i] = 0;
}

uint32_t wl_retry_table_start(const struct wl_firmware* fw, wl_ppa_t ppa) {
  if (!wl_media_view(fw)->rules.ort_enable) return 0;
  const uint32_t entry = wl_media_view(fw)->ort[ort_index(fw, ppa)];
  /* Of a die, it is the level of whichever block was read last: only the step is of use. */
  const uint32_t level = fw->boot.layers.references_by_block ? entry >> 4 & 3u : 0;
  if ((entry & WL_ORT_VALID) == 0 || ((entry & 0xfu) == 0 && level == 0)) return 0;
  return WL_RETRY_SET | (entry & 0xfu) << WL_RETRY_STEP_SHIFT | senses_of(level) << WL_RETRY_SENSES_SHIFT;
}

uint32_t wl_retry_started(struct wl_firmware* fw, uint32_t id, wl_ppa_t ppa, uint32_t start) {
  const struct wl_retry_rules* rules = &wl_media_state(fw)->rules;
  const uint32_t step = start >> WL_RETRY_STEP_SHIFT & 0xfu;
  const uint32_t senses = start >> WL_RETRY_SENSES_SHIFT & 7u;
  if (step == 0 && senses <= 1) return 0;
  struct wl_retry* r = &wl_media_state(fw)->retry[id];
  wl_retry_begin(fw, r, ort_index(fw, ppa));
  r->attempts = 1; /* what it weighs counts */
  if (senses > 1) {
    r->probe = (uint8_t)senses;
    r->tried = 0;
    return start;
  }
  if ((r->entry & (WL_ORT_VALID | 0xfu)) != (WL_ORT_VALID | step)) r->entry = (uint8_t)(WL_ORT_VALID | step);
  r->flags = FIELD(ORT_HIT, 1);
  r->step = (uint8_t)entry_step(rules, r);
  r->tried = (uint16_t)(1u << r->step);
  r->from_ort = 1;
  return order(rules, r) & ~WL_RETRY_REST;
}

void wl_retry_succeeded(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t id) {
  FW_TASK(hal, WL_COST_FTL_RETRY_DONE);
  struct wl_retry* r = &wl_media_state(fw)->retry[id];
  wl_mark(hal, r->read.tag, WL_MARK_WORK);
  const struct wl_retry_rules* rules = &wl_media_state(fw)->rules;
  r->active = 0;
  if (!rules->ort_enable || !rules->ort_update || (r->taken == 0 && r->level == 0)) return;
  const uint8_t entry = (uint8_t)(WL_ORT_VALID | r->level << 4 | (r->level == 0 ? r->step : r->best_step));
  if (entry != r->entry) wl_media_state(fw)->ort[r->ort] = entry;
}

uint32_t wl_retry_failed(struct wl_firmware* fw, const struct wl_hal* hal, struct wl_flash_completion* done) {
  struct wl_retry* r = &wl_media_state(fw)->retry[done->id];
  FW_TASK(hal, WL_COST_FTL_RETRY);
  wl_mark(hal, r->read.tag, WL_MARK_WORK);
  if (!r->active) wl_retry_begin(fw, r, ort_index(fw, r->read.ppa));
  const uint32_t retry = wl_retry_next(&wl_media_state(fw)->rules, r, done->history);
  if (retry != 0) return retry;
  r->active = 0;
  done->status = WL_FLASH_UNCORRECTABLE;
  done->history = wl_retry_history(r, done->retries);
  done->retries = r->taken;
  return 0;
}
