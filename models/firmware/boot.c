/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Boot: reads the boot information, hands out tightly coupled memory and DRAM room by room, and lets every room fill in
 * its lists and program its registers. Neither memory needs clearing: both are zero after reset.
 */
#include "models/firmware/admin/admin.h"
#include "models/firmware/buffer/buffer.h"
#include "models/firmware/contract/map_port.h"
#include "models/firmware/core/core.h"
#include "models/firmware/core/own_state.h"
#include "models/firmware/engines/engines.h"
#include "models/firmware/firmware.h"
#include "models/firmware/host/host.h"
#include "models/firmware/layout.h"
#include "models/firmware/map/cache.h"
#include "models/firmware/map/map.h"
#include "models/firmware/media/media.h"
#include "models/firmware/persist/mount.h"
#include "models/firmware/policy/policies.h"
#include "models/firmware/rooms.h"
#include "models/firmware/service/admission.h"
#include "models/firmware/service/ftl_task.h"
#include "models/firmware/service/idle.h"
#include "models/firmware/service/patrol.h"
#include "models/firmware/space/marks.h"
#include "models/firmware/space/space.h"

static void assign_tasks(struct wl_firmware* fw, const struct wl_hal* hal) {
  const struct wl_boot_info* b = &fw->boot;
  WL_ASSERT(hal, b->cores >= 1 && b->cores <= WL_MAX_CORES);
  for (uint32_t task = 0; task < WL_TASK_COUNT; ++task) {
    WL_ASSERT(hal, b->task_core[task] < b->cores);
    wl_core_state(fw)->tasks[b->task_core[task]] |= 1u << task;
  }
}

static void enable_interrupts(struct wl_firmware* fw, const struct wl_hal* hal) {
  for (uint32_t core = 0; core < fw->boot.cores; ++core) {
    const uint32_t tasks = wl_core_state(fw)->tasks[core];
    uint32_t sources = 1u << WL_IRQ_IPI;
    if (tasks & 1u << WL_TASK_HOST) sources |= 1u << WL_IRQ_HOST;
    if (tasks & 1u << WL_TASK_FLASH) sources |= 1u << WL_IRQ_FLASH;
    const bool timers = wl_idle_wanted(fw) || wl_patrol_wanted(fw) || wl_admission_wanted(fw);
    if (timers && tasks & 1u << WL_TASK_FTL) sources |= 1u << WL_IRQ_TIMER;
    if (wl_has_engine_block(fw) && tasks & 1u << WL_TASK_FTL) sources |= 1u << WL_IRQ_ENGINE;
    if (WL_HAS_OWN_DRIVER && tasks & 1u << WL_TASK_FTL) sources |= 1u << WL_IRQ_APB;
    wl_write32(hal, WL_REGISTER_AT(IRQ, core, ENABLE), sources);
  }
}

/* Not inlined, so that a debugger finds it: the first place to stop at. */
__attribute__((noinline)) struct wl_firmware* wl_firmware_boot(const struct wl_hal* hal) {
  FW_TASK(hal, WL_COST_BOOT);
  const struct wl_boot_info* info = (const struct wl_boot_info*)(const void*)wl_tcm(hal);
  WL_ASSERT(hal, WL_BOOT_IS_KNOWN(info));
  WL_ASSERT(hal, info->host_tags >= 1 && info->host_tags < WL_NO_INDEX);
  WL_ASSERT(hal, info->tcm_bytes > info->cores * WL_STACK_BYTES);
  struct wl_arena tcm = {wl_tcm(hal), WL_FIRMWARE_CONTEXT_OFFSET, info->tcm_bytes - info->cores * WL_STACK_BYTES};
  struct wl_arena dram = {wl_dram(hal), 0, info->dram_bytes};
  struct wl_rooms* rooms = wl_arena_take(&tcm, sizeof(*rooms));
  struct wl_firmware* fw = &rooms->firmware;
  WL_ASSERT(hal, tcm.used <= tcm.size);
  fw->boot = *info;
  rooms->initial = *(const struct wl_initial_state*)(const void*)(wl_tcm(hal) + WL_INITIAL_STATE_OFFSET);
  fw->policy = wl_policy_of_drive(info);
  WL_ASSERT(hal, fw->policy != NULL);
  wl_lay_out(fw, &tcm, &dram);
  WL_ASSERT(hal, tcm.used <= tcm.size);
  WL_ASSERT(hal, dram.used <= dram.size);
  if (WL_HAS_OWN_DRIVER && tcm.used > wl_own_state_offset(info)) {
    wl_panic(hal, "struct wl_own_state, for which tightly coupled memory has no room left: " __FILE__, __LINE__);
  }

  assign_tasks(fw, hal);
  wl_host_boot(fw, hal);
  wl_media_boot(fw, hal, wl_slot_table(fw));
  wl_engines_boot(fw, hal);
  wl_buffer_boot(fw, hal);
  wl_policy_boot(fw, hal);
  wl_space_boot(fw, hal);
  wl_map_boot(fw, hal);
  if (wl_map_cached(fw)) wl_map_cache_boot(fw, hal);
  wl_mount_boot(fw, hal);
  wl_ftl_boot(fw);
  wl_patrol_boot(fw, hal);
  wl_admission_boot(fw);
  wl_admin_boot(fw, hal);
  wl_engines_start(fw, hal);
  enable_interrupts(fw, hal);
  if (WL_HAS_OWN_DRIVER) wl_own_boot(hal, wl_own_state_at(&fw->boot, hal));
  const bool later = wl_marks_wanted(&fw->boot) || wl_boot_mounts(&fw->boot); /* when superblocks are known */
  if (!later) wl_host_start(fw, hal);
  WL_FENCE();
  wl_core_state(fw)->started = 1;
  return fw;
}
