/* Copyright (c) Wordline contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a policy decides. It is a constant table, in a file of its own and named in policies.def: what it declares, and
 * functions, of which those marked "may be null" are not called where they are. They run inside the ftl task and must
 * be bounded; they read superblocks through space/space.h, and keep their state in memory that they declare.
 * A policy may take functions of others: so two become one.
 */
#ifndef WORDLINE_FIRMWARE_POLICY_POLICY_H
#define WORDLINE_FIRMWARE_POLICY_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "models/firmware/contract/address.h"
#include "models/firmware/contract/boot_info.h"
#include "models/firmware/contract/flash_ring.h"
#include "models/firmware/contract/program_tables.h"
#include "models/firmware/media/plan.h"
#include "models/firmware/policy/run.h"
#include "models/firmware/space/plan.h"

struct wl_firmware;
struct wl_hal;

/* Where a unit goes, and how it is programmed. */
struct wl_placement {
  wl_superblock_t superblock;
  uint32_t unit;    /* of the superblock; WL_NEXT_UNIT: the next in order */
  uint32_t control; /* of the job: 0, or WL_PROGRAM_... (program_tables.h) */
  /* Input of the policy: units of the write buffer with data that are not on flash. */
  uint32_t dirty_units;
  /* Of a unit that has no PPA: it waits for a program to end, not for space, and the policy kicks. */
  bool for_program;
};

enum wl_verdict { WL_PROGRAM_OK, WL_PROGRAM_AGAIN };

struct wl_policy {
  /* ---- what it declares ---- */
  struct wl_space_plan space; /* classes of host data and of moved data, and what it asks of superblocks */
  struct wl_media_plan media; /* parameters and reports of programs; where reads begin */
  uint32_t refused;           /* engines that it cannot work with, bits of wl_engine: see below */
  uint8_t lpage_bytes;        /* of memory for each exported logical page, in DRAM */
  uint32_t arena_bytes;       /* of memory beside it, in tightly coupled memory */
  /* Of memory in DRAM whose size follows from the drive. May be null. */
  uint64_t (*table_bytes)(const struct wl_boot_info* boot);
  /* Superblocks that are open at most beside one for each stream, where that follows from its keys. May be null. */
  uint32_t (*more_superblocks)(const struct wl_boot_info* boot);
  /* Where there are two page sizes: superblocks of small pages are collected with so many free. Else null. */
  uint32_t (*small_start_superblocks)(const struct wl_boot_info* boot);
  /* At boot: fills in its memory, which is zeros. May be null. */
  void (*begin)(struct wl_firmware* fw, const struct wl_hal* hal);

  /* ---- data come: may be null, then there is one class ---- */
  /* Class of a logical page that a command of so many logical pages writes; asked again while the logical page waits.
   */
  uint32_t (*class_of_write)(const struct wl_firmware* fw, wl_lpn_t lpn, uint32_t lpages, uint32_t flags);
  /* Class of a logical page that is moved out of `ppa`. */
  uint32_t (*class_of_move)(const struct wl_firmware* fw, wl_lpn_t lpn, wl_ppa_t ppa);
  /* Where there are two page sizes: a command of so many blocks of 512 bytes writes small pages. Data in larger ones
   * are of the first class. */
  bool (*writes_small)(const struct wl_firmware* fw, uint32_t blocks);
  /* Notices: the host has written `count` logical pages, in one map unit, by a command of `lpages`; it reads `count`
   * logical pages that lie on flash from `ppa` on. */
  void (*on_write)(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, uint32_t lpages);
  void (*on_read)(struct wl_firmware* fw, wl_lpn_t lpn, uint32_t count, wl_ppa_t ppa);

  /* ---- data go to flash ---- */
  /* Where the next unit of `stream` goes: it is sent at once. May open a superblock. False: it has to wait, for a
   * superblock or until the policy kicks WL_STEP_PLACE. */
  bool (*place)(struct wl_firmware* fw, uint32_t stream, struct wl_placement* at);
  /* A program has ended, with its report if one was asked for, else null. It has failed if `failed`: then its data are
   * placed again whatever the answer is, and nothing was measured. WL_PROGRAM_AGAIN: as if it had failed. May be null.
   */
  enum wl_verdict (*programmed)(struct wl_firmware* fw, wl_ppa_t ppa, uint32_t control,
                                const struct wl_program_report* report, bool failed);

  /* ---- space comes back ---- */
  /* Whether GC should take up another victim. */
  bool (*collect)(const struct wl_firmware* fw);
  /* Closed superblock to collect next. WL_NONE: collecting gains nothing; WL_ASKED: hardware searches, its answer kicks
   * GC. */
  wl_superblock_t (*victim)(struct wl_firmware* fw, const struct wl_hal* hal);

  /* The host has been silent for ftl.idle_after: a bounded piece of work. False: there is no more. May be null. */
  bool (*idle)(struct wl_firmware* fw, const struct wl_hal* hal);
  /* The host is silent and nothing is to be collected, and GC was kicked: data that are to be moved all
   * the same, if they still lie there. False: none. May be null. */
  bool (*move)(struct wl_firmware* fw, struct wl_run* run);
};

/* Refuse the victim selector, if another superblock than the emptiest is collected; the copy engine, if moved data have
 * classes or places of their own, or programs are judged; L2P lookup, if reads are noticed or begin in a way of their
 * own. */

#define WL_POLICY(identifier, name, text) extern const struct wl_policy wl_policy_##identifier;
#include "models/firmware/policy/policies.def"
#undef WL_POLICY

/* Their numbers: wl_boot_info.ftl. */
#define WL_POLICY(identifier, name, text) WL_POLICY_##identifier,
enum wl_policy_number {
#include "models/firmware/policy/policies.def"
  WL_POLICIES
};
#undef WL_POLICY

const struct wl_policy* wl_policy_of(uint32_t number); /* null: there is none */

/* The same where the host names placement handles, which are its classes; null: it has classes of its own. */
const struct wl_policy* wl_policy_by_handle(uint32_t number, bool persistent);
static inline const struct wl_policy* wl_policy_of_drive(const struct wl_boot_info* boot) {
  if (boot->ftl.placement.handles == 0) return wl_policy_of(boot->ftl.policy);
  return wl_policy_by_handle(boot->ftl.policy, boot->ftl.placement.persistent != 0);
}

#endif
