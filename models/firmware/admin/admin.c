/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "models/firmware/admin/admin.h"

#include "models/firmware/admin/erasure.h"
#include "models/firmware/admin/extended_health.h"
#include "models/firmware/admin/health.h"
#include "models/firmware/admin/host_buffer.h"
#include "models/firmware/admin/placement.h"
#include "models/firmware/admin/removal.h"
#include "models/firmware/admin/sanitize.h"
#include "models/firmware/admin/self_test.h"
#include "models/firmware/admin/state.h"
#include "models/firmware/core/core.h"
#include "models/firmware/host/host.h"
#include "models/firmware/persist/shutdown.h"
#include "models/firmware/persist/turn.h"
#include "models/firmware/service/abort.h"
#include "models/firmware/service/ftl_task.h"

#define RETAIN_EVENT (1u << 15) /* of Get Log Page, dword 10 */
#define SAVE (1u << 31)         /* of Set Features, dword 10 */
#define SELECT_SHIFT 8u         /* of Get Features, dword 10 */
#define SELECT_MASK 7u

#define OVER_BY_DEFAULT 343u /* WCTEMP of Identify Controller */
#define SENSOR_SHIFT 16u     /* of the temperature threshold */
#define SENSOR_MASK 15u
#define ALL_SENSORS 15u
#define KIND_SHIFT 20u
#define KIND_MASK 3u
enum { KIND_OVER = 0, KIND_UNDER = 1 };

#define EVENT_SMART 1u /* type; the information says what of it */
#define EVENT_NVM 6u
#define SANITIZE_COMPLETED 1u
enum { SMART_RELIABILITY = 0, SMART_TEMPERATURE = 1, SMART_SPARE = 2 };
#define ALL_WARNINGS 0xffu /* bits 7:0 of Features 0Bh */

static void forget(struct wl_admin* a) {
  a->over = OVER_BY_DEFAULT;
  a->under = 0;
  a->events = 0;
  a->told = 0;
  a->awaits_reading = false;
}

void wl_admin_layout(struct wl_firmware* fw, struct wl_arena* tcm) {
  wl_admin_state(fw)->entry = wl_arena_take(tcm, sizeof(struct wl_sqe));
  wl_admin_state(fw)->page = wl_arena_take(tcm, WL_ADMIN_PAGE_BYTES);
}

void wl_admin_boot(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_admin* a = wl_admin_state(fw);
  forget(a);
  wl_write32(hal, WL_REGISTER(NVME.ADMIN_ENTRY), wl_bus_address(hal, a->entry));
  wl_write32(hal, WL_REGISTER(NVME.ADMIN_PAGE), wl_bus_address(hal, a->page));
}

static void post(struct wl_firmware* fw, const struct wl_hal* hal, uint32_t op, uint32_t flags, uint32_t status,
                 uint32_t dw0, uint32_t bytes) {
  struct wl_host_job job = {0};
  job.op = (uint8_t)op;
  job.flags = (uint8_t)flags;
  job.tag = WL_NO_TAG;
  job.status = (uint16_t)(status == WL_STATUS_OK ? status : status | WL_STATUS_DNR);
  job.count = wl_admin_view(fw)->resets;
  job.slot = (wl_slot_t)bytes;
  job.lpage = dw0;
  wl_host_reply(fw, hal, &job);
}

static uint32_t warnings(const struct wl_firmware* fw) {
  return wl_critical_warnings(fw, wl_admin_view(fw)->over, wl_admin_view(fw)->under);
}

static uint32_t log_page(struct wl_firmware* fw, const struct wl_hal* hal, const uint32_t* dw, uint32_t* bytes) {
  struct wl_admin* a = wl_admin_state(fw);
  *bytes = WL_LOG_BYTES;
  if ((dw[WL_DW10] & 0xff) == WL_LOG_SELF_TEST) {
    wl_self_test_log(fw, a->page);
    *bytes = WL_SELF_TEST_LOG_BYTES;
  } else if ((dw[WL_DW10] & 0xff) == WL_LOG_SANITIZE) {
    wl_sanitize_log(fw, hal, a->page);
  } else if ((dw[WL_DW10] & 0xff) == WL_LOG_EXTENDED_SMART) {
    wl_extended_smart_log(fw, hal, a->page);
  } else if ((dw[WL_DW10] & 0xff) == WL_LOG_PLACEMENT) {
    wl_placement_log(fw, a->page);
  } else {
    if (dw[WL_DW_NSID] != 0 && dw[WL_DW_NSID] != WL_ALL_NAMESPACES)
      return WL_STATUS_INVALID_FIELD; /* not kept by namespace */
    wl_smart_log(fw, hal, warnings(fw), a->page);
    if ((dw[WL_DW10] & RETAIN_EVENT) == 0) a->awaits_reading = false;
  }
  return WL_STATUS_OK;
}

/* Only the composite temperature has thresholds; "all sensors" may be set, since it is all there are. */
static uint32_t temperature_threshold(struct wl_admin* a, bool set, uint32_t value, uint32_t* dw0) {
  const uint32_t sensor = value >> SENSOR_SHIFT & SENSOR_MASK;
  const uint32_t kind = value >> KIND_SHIFT & KIND_MASK;
  if (kind > KIND_UNDER || (sensor != 0 && (!set || sensor != ALL_SENSORS))) return WL_STATUS_INVALID_FIELD;
  uint16_t* threshold = kind == KIND_OVER ? &a->over : &a->under;
  if (set) {
    *threshold = (uint16_t)value;
    a->told &= (uint8_t)~WL_WARNING_TEMPERATURE; /* if it still holds it is reported again */
  } else {
    *dw0 = *threshold;
  }
  return WL_STATUS_OK;
}

static uint32_t feature(struct wl_admin* a, const uint32_t* dw, uint32_t* dw0) {
  const bool set = (dw[WL_DW_OPCODE] & 0xff) == WL_ADMIN_SET_FEATURES;
  const uint32_t id = dw[WL_DW10] & 0xff;
  if (set && (dw[WL_DW10] & SAVE) != 0) return WL_STATUS_NOT_SAVEABLE;
  if (!set && (dw[WL_DW10] >> SELECT_SHIFT & SELECT_MASK) != 0)
    return WL_STATUS_INVALID_FIELD; /* current values only */
  if (id == WL_FEATURE_TEMPERATURE) return temperature_threshold(a, set, dw[WL_DW11], dw0);
  if (set) {
    a->events = dw[WL_DW11];
    a->told = 0;
  } else {
    *dw0 = a->events;
  }
  return WL_STATUS_OK;
}

static void carry_out(struct wl_firmware* fw, const struct wl_hal* hal, const struct wl_request* r) {
  struct wl_admin* a = wl_admin_state(fw);
  const uint32_t* dw = a->entry->dword;
  uint32_t dw0 = 0, bytes = 0, flags = 0, status = WL_STATUS_INVALID_OPCODE;
  if ((r->flags & WL_ADMIN_FIRST) != 0) {
    forget(a);
#if WL_HAS_LARGE_MAPS
    wl_host_buffer_reset(fw);
#endif
  }
  a->resets = (uint16_t)r->first;
  if ((r->flags & WL_ADMIN_POWER_FAILS) != 0) {
    wl_self_test_stop(fw, WL_SELF_TEST_POWER);
    wl_removal_stop(fw);
    wl_shutdown_without_power(fw);
    return;
  }
  if ((r->flags & WL_ADMIN_SHUTDOWN) != 0) {
    wl_shutdown_begin(fw);
    return;
  }
  if ((r->flags & WL_ADMIN_RESET) != 0) {
    wl_self_test_reset(fw);
    post(fw, hal, WL_JOB_ADMIN, 0, WL_STATUS_OK, 0, 0);
    return;
  }
  switch (dw[WL_DW_OPCODE] & 0xff) {
    case WL_ADMIN_GET_LOG_PAGE:
      status = log_page(fw, hal, dw, &bytes);
      break;
    case WL_ADMIN_ABORT:
      status = WL_STATUS_OK;
      dw0 = wl_command_abort(fw, hal, r->tag) ? 0 : 1;
      break;
    case WL_ADMIN_SET_FEATURES:
#if WL_HAS_LARGE_MAPS
      if ((dw[WL_DW10] & 0xff) == WL_FEATURE_HOST_MEMORY) {
        wl_host_buffer_begin(fw, dw);
        return;
      }
#endif
      /* fallthrough */
    case WL_ADMIN_GET_FEATURES:
      status = feature(a, dw, &dw0);
      break;
    case WL_ADMIN_SELF_TEST:
      status = wl_self_test(fw, dw);
      break;
    case WL_ADMIN_NAMESPACE:
      wl_removal_begin(fw, dw);
      return;
    case WL_ADMIN_FORMAT:
      status = wl_erasure_begin(fw);
      if (status != WL_STATUS_OK) break;
      wl_self_test_stop(fw, WL_SELF_TEST_FORMAT);
      return;
    case WL_ADMIN_SANITIZE:
      status = wl_sanitize_begin(fw, dw[WL_DW10]);
      if (status != WL_STATUS_OK) break;
      wl_self_test_stop(fw, WL_SELF_TEST_SANITIZE);
      flags = WL_ADMIN_BEGUN;
      break;
    case WL_MANAGEMENT_RECEIVE:
      bytes = wl_placement_status(fw, a->page);
      status = WL_STATUS_OK;
      break;
    case WL_MANAGEMENT_SEND:
      wl_placement_update(fw, hal, dw[WL_DW11]);
      status = WL_STATUS_OK;
      break;
    default:
      break;
  }
  post(fw, hal, WL_JOB_ADMIN, flags, status, dw0, bytes);
}

/* Of a Format the answer, of a Sanitize its end. */
static void erased(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (!wl_sanitizes(fw)) {
    post(fw, hal, WL_JOB_ADMIN, 0, WL_STATUS_OK, 0, 0);
    return;
  }
  wl_sanitize_ends(fw, hal);
  post(fw, hal, WL_JOB_SANITIZED, 0, WL_STATUS_OK, 0, 0);
  post(fw, hal, WL_JOB_ASYNC_EVENT, 0, WL_STATUS_OK, WL_LOG_SANITIZE << 16 | SANITIZE_COMPLETED << 8 | EVENT_NVM, 0);
}

/* One event at a time: the next one after the host has read the log. */
static void tell(struct wl_firmware* fw, const struct wl_hal* hal) {
  struct wl_admin* a = wl_admin_state(fw);
  const uint32_t held = warnings(fw);
  a->told &= (uint8_t)held;
  const uint32_t news = held & a->events & ALL_WARNINGS & ~(uint32_t)a->told;
  if (news == 0 || a->awaits_reading) return;
  uint32_t information = SMART_RELIABILITY;
  uint32_t what = WL_WARNING_RELIABILITY | WL_WARNING_READ_ONLY;
  if ((news & WL_WARNING_SPARE) != 0) {
    information = SMART_SPARE;
    what = WL_WARNING_SPARE;
  } else if ((news & WL_WARNING_TEMPERATURE) != 0) {
    information = SMART_TEMPERATURE;
    what = WL_WARNING_TEMPERATURE;
  }
  a->told |= (uint8_t)(news & what);
  a->awaits_reading = true;
  post(fw, hal, WL_JOB_ASYNC_EVENT, 0, WL_STATUS_OK, (uint32_t)WL_LOG_SMART << 16 | information << 8 | EVENT_SMART, 0);
}

static bool shutdown_ends(struct wl_firmware* fw, const struct wl_hal* hal) {
  if (wl_shutdown_has_no_power(fw)) return wl_shutdown_step(fw, hal);
  if (wl_erasure_runs(fw)) return false;
  if (!wl_ftl_has_commands(fw)) return wl_shutdown_step(fw, hal);
  wl_shutdown_leave(fw);
  return true;
}

void wl_admin_step(struct wl_firmware* fw, const struct wl_hal* hal) {
  wl_rest(fw, WL_STEP_ADMIN);
  struct wl_request r;
  const bool command = wl_ftl_admin_request(fw, &r);
#if WL_HAS_LARGE_MAPS
  const bool lends = wl_host_buffer_runs(fw);
#else
  const bool lends = false;
#endif
  const bool works = wl_erasure_runs(fw) || wl_removal_runs(fw) || wl_shutdown_runs(fw) || wl_self_test_runs(fw) ||
                     wl_turn_runs(fw) || lends;
  if (!command && wl_admin_view(fw)->events == 0 && !works) return; /* nobody wants to know */
  FW_TASK(hal, WL_COST_FTL_OTHER);
  FW_COMMAND(hal, WL_COMMAND_ADMIN);
  if (command) carry_out(fw, hal, &r);
  if (wl_erasure_runs(fw) && wl_erasure_step(fw, hal)) erased(fw, hal);
#if WL_HAS_LARGE_MAPS
  if (wl_host_buffer_runs(fw) && wl_host_buffer_step(fw)) post(fw, hal, WL_JOB_ADMIN, 0, WL_STATUS_OK, 0, 0);
#endif
  if (wl_removal_runs(fw) && wl_removal_step(fw, hal)) post(fw, hal, WL_JOB_ADMIN, 0, WL_STATUS_OK, 0, 0);
  if (wl_self_test_runs(fw)) wl_self_test_step(fw, hal, warnings(fw));
  if (wl_turn_runs(fw)) wl_turn_step(fw, hal);
  if (wl_shutdown_runs(fw)) {
    const uint32_t op = wl_shutdown_has_no_power(fw) ? WL_JOB_POWER_SAFE : WL_JOB_ADMIN;
    if (shutdown_ends(fw, hal)) post(fw, hal, op, 0, WL_STATUS_OK, 0, 0);
    if (wl_self_test_runs(fw) && !wl_shutdown_runs(fw))
      wl_kick(fw, WL_STEP_ADMIN); /* it may wait for the same wake-ups */
  }
  tell(fw, hal);
}
