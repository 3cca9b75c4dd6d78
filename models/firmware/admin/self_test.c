/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/admin/self_test.h"

#include "models/firmware/admin/health.h"
#include "models/firmware/admin/page.h"
#include "models/firmware/admin/state.h"
#include "models/firmware/core/core.h"
#include "models/firmware/host/nvme.h"
#include "models/firmware/service/check.h"

enum { /* bytes of the log */
       OPERATION = 0,
       COMPLETION = 1,
       RESULTS = 4,
       RESULT_BYTES = 28
};
enum { /* bytes of a result */
       STATUS = 0,
       SEGMENT = 1,
       VALID = 2,
       BLOCK = 16,
       STATUS_TYPE = 24,
       STATUS_CODE = 25
};
#define VALID_BLOCK (1u << 1 | 1u << 2 | 1u << 3) /* the failing LBA, and its status */
#define CODE_MASK 15u
/* What reads and writes do not pass takes nothing from the compiler's budget for what they do. */
#define COLD __attribute__((noinline, cold))

static struct wl_self_test* test_of(struct wl_firmware* fw) { return &wl_admin_state(fw)->test; }

bool wl_self_test_runs(const struct wl_firmware* fw) { return wl_admin_view(fw)->test.code != WL_SELF_TEST_NONE; }

static void end(struct wl_firmware* fw, enum wl_self_test_end how, uint32_t segment, const wl_lpn_t* lpn) {
  struct wl_self_test* t = test_of(fw);
  t->newest = t->newest == 0 ? WL_SELF_TEST_RESULTS - 1 : t->newest - 1;
  t->result[t->newest] = (struct wl_self_test_result){(uint8_t)(t->code << 4u | how), (uint8_t)segment, lpn != NULL,
                                                      lpn != NULL ? *lpn : 0};
  if (t->count != WL_SELF_TEST_RESULTS) ++t->count;
  t->code = WL_SELF_TEST_NONE;
}

COLD void wl_self_test_stop(struct wl_firmware* fw, enum wl_self_test_end why) {
  if (!wl_self_test_runs(fw)) return;
  wl_check_stop(fw);
  end(fw, why, 0, NULL);
}

COLD void wl_self_test_reset(struct wl_firmware* fw) {
  if (test_of(fw)->code == WL_SELF_TEST_SHORT) wl_self_test_stop(fw, WL_SELF_TEST_RESET);
}

COLD void wl_self_test_remove(struct wl_firmware* fw, wl_lpn_t first, wl_lpn_t end) {
  if (first < test_of(fw)->end && test_of(fw)->first < end) wl_self_test_stop(fw, WL_SELF_TEST_REMOVED);
}

/* The logical pages of the blocks that dwords 15:12 name. */
static void begin(struct wl_firmware* fw, const uint32_t* dw) {
  struct wl_self_test* t = test_of(fw);
  const uint64_t first = (uint64_t)dw[WL_DW13] << 32u | dw[WL_DW12];
  const uint64_t blocks = (uint64_t)dw[WL_DW15] << 32u | dw[WL_DW14];
  const wl_lpn_t lpn = (wl_lpn_t)(first >> fw->boot.ftl.lpage_shift);
  uint32_t pages = (uint32_t)(blocks >> fw->boot.ftl.lpage_shift), stride = 1;
  if (t->code == WL_SELF_TEST_SHORT && pages > WL_SELF_TEST_SAMPLE) {
    stride = pages / WL_SELF_TEST_SAMPLE;
    pages = WL_SELF_TEST_SAMPLE;
  }
  t->failed_segment = 0;
  t->first = lpn;
  t->end = (wl_lpn_t)((first + blocks) >> fw->boot.ftl.lpage_shift);
  wl_check_begin(fw, lpn, stride, pages);
}

COLD uint32_t wl_self_test(struct wl_firmware* fw, const uint32_t* dw) {
  const uint32_t code = dw[WL_DW10] & CODE_MASK;
  if (code == WL_SELF_TEST_ABORT) {
    wl_self_test_stop(fw, WL_SELF_TEST_ABORTED);
    return WL_STATUS_OK;
  }
  if (wl_self_test_runs(fw)) return WL_STATUS_SELF_TEST_RUNS;
  test_of(fw)->code = (uint8_t)code;
  begin(fw, dw);
  return WL_STATUS_OK;
}

COLD void wl_self_test_step(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t warnings) {
  struct wl_self_test* t = test_of(fw);
  if (warnings != 0) t->failed_segment = WL_TEST_HEALTH;
  if (!wl_check_step(fw, hal)) return;
  const struct wl_check_result result = wl_check_result(fw);
  if (t->failed_segment != 0)
    end(fw, WL_SELF_TEST_FAILED, t->failed_segment, NULL);
  else if (result.fault != WL_CHECK_GOOD)
    end(fw, WL_SELF_TEST_FAILED, result.fault == WL_CHECK_MAP ? WL_TEST_MAP : WL_TEST_MEDIA, &result.lpn);
  else
    end(fw, WL_SELF_TEST_PASSED, 0, NULL);
}

static uint32_t percent(const struct wl_firmware* fw) {
  const struct wl_check_result result = wl_check_result(fw);
  return result.pages == 0 ? 0 : (uint32_t)((uint64_t)result.looked_at * 100u / result.pages);
}

static void put(const struct wl_firmware* fw, const struct wl_self_test_result* result, uint8_t* at) {
  wl_page_put(at, STATUS, 1, result->status);
  wl_page_put(at, SEGMENT, 1, result->segment);
  if (!result->names_lpn) return;
  const uint64_t block = (uint64_t)result->lpn << fw->boot.ftl.lpage_shift;
  const uint32_t status = result->segment == WL_TEST_MEDIA ? WL_STATUS_READ_ERROR : WL_STATUS_INTERNAL_ERROR;
  wl_page_put(at, VALID, 1, VALID_BLOCK);
  wl_page_put(at, BLOCK, 4, (uint32_t)block);
  wl_page_put(at, BLOCK + 4, 4, (uint32_t)(block >> 32u));
  wl_page_put(at, STATUS_TYPE, 1, status >> 8u);
  wl_page_put(at, STATUS_CODE, 1, status);
}

COLD void wl_self_test_log(const struct wl_firmware* fw, uint8_t* page) {
  const struct wl_self_test* t = &wl_admin_view(fw)->test;
  wl_page_clear(page, WL_SELF_TEST_LOG_BYTES);
  wl_page_put(page, OPERATION, 1, t->code);
  if (t->code != WL_SELF_TEST_NONE) wl_page_put(page, COMPLETION, 1, percent(fw));
  for (uint32_t i = 0; i != WL_SELF_TEST_RESULTS; ++i) {
    uint8_t* at = page + RESULTS + i * RESULT_BYTES;
    if (i < t->count)
      put(fw, &t->result[(t->newest + i) % WL_SELF_TEST_RESULTS], at);
    else
      wl_page_put(at, STATUS, 1, WL_SELF_TEST_UNUSED);
  }
}
